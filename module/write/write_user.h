/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * write_user.h - writing events of processes
 */
#ifndef ETW_WRITE_USER_H
#define ETW_WRITE_USER_H

#include <linux/fs.h>
#include <etw/abi.h>

struct etw_process_hot;
struct etw_registration_hot;

bool etw_write_small(struct etw_process_hot *p, const struct etw_event_write *w, int *result);
long etw_write_command(struct file *file, const void __user *arg);
struct etw_registration_hot *etw_process_find(struct etw_process_hot *p, u32 slot);
int etw_gather(u8 *to, const struct etw_data_descriptor *pieces, u32 count);

#endif /* ETW_WRITE_USER_H */
