/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * account.h - who is charged for the memory of sessions' buffers
 */
#ifndef ETW_SESSION_ACCOUNT_H
#define ETW_SESSION_ACCOUNT_H

#include <linux/atomic.h>

struct user_struct;

/* A session's; zero before etw_account_open(). */
struct etw_account {
	struct user_struct *user;	/* who started it; NULL: their memory is not limited */
	atomic_long_t *locked;		/* pages that they are charged for */
	atomic_long_t own;		/* locked, if the kernel does not count per user */
	unsigned long most;		/* of them */
};

extern unsigned int etw_max_memory_mb;

void etw_account_open(struct etw_account *account);
void etw_account_close(struct etw_account *account);
int etw_account_charge(struct etw_account *account, unsigned long pages);
void etw_account_uncharge(struct etw_account *account, unsigned long pages);
unsigned long etw_account_limit(void);
unsigned long etw_account_used(void);

#endif /* ETW_SESSION_ACCOUNT_H */
