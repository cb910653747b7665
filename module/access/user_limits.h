/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user_limits.h - what the processes of one user may take
 */
#ifndef ETW_ACCESS_USER_LIMITS_H
#define ETW_ACCESS_USER_LIMITS_H

#include <linux/types.h>

struct etw_user;
struct task_struct;

extern unsigned int etw_max_user_registrations;
extern unsigned int etw_max_user_traits;

u64 etw_user_number(const struct etw_user *user);
u64 etw_user_number_current(void);
u64 etw_user_number_of(const struct task_struct *task);
struct etw_user *etw_user_charge(u32 registrations, u32 trait_bytes);
void etw_user_uncharge(struct etw_user *user, u32 registrations, u32 trait_bytes);
void etw_user_leaves(struct etw_user *user, u32 registrations, u32 trait_bytes);
void etw_user_left(struct etw_user *user, u32 registrations, u32 trait_bytes);

#endif /* ETW_ACCESS_USER_LIMITS_H */
