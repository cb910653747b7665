/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * write_classic.h - writing records of classic providers
 */
#ifndef ETW_WRITE_CLASSIC_H
#define ETW_WRITE_CLASSIC_H

#include <linux/fs.h>

long etw_write_classic(struct file *file, void *arg);

#endif /* ETW_WRITE_CLASSIC_H */
