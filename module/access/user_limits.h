/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user_limits.h - what the processes of one user may take
 */
#ifndef ETW_ACCESS_USER_LIMITS_H
#define ETW_ACCESS_USER_LIMITS_H

#include <linux/types.h>

struct etw_user;
struct task_struct;

enum etw_user_kind {
	ETW_USER_REGISTRATIONS,
	ETW_USER_TRAIT_BYTES,
	ETW_USER_FILES,			/* of /dev/etw, with the memory for registrations */
	ETW_USER_KINDS
};

extern unsigned int etw_user_max[ETW_USER_KINDS];

u64 etw_user_number(const struct etw_user *user);
u64 etw_user_number_current(void);
u64 etw_user_number_of(const struct task_struct *task);
struct etw_user *etw_user_charge(enum etw_user_kind kind, u32 more, bool may_wait);
void etw_user_uncharge(struct etw_user *user, enum etw_user_kind kind, u32 less);
void etw_user_leaves(struct etw_user *user, enum etw_user_kind kind, u32 less);
void etw_user_left(struct etw_user *user, enum etw_user_kind kind, u32 less);

#endif /* ETW_ACCESS_USER_LIMITS_H */
