// SPDX-License-Identifier: GPL-2.0-only
/*
 * account.c - who is charged for the memory of sessions' buffers
 *
 * The kernel can neither swap out nor write back a buffer that a writer may use, so all of
 * them together may be no more than a share of the machine's memory.  Besides, a buffer is
 * charged to the user who started the session, as locked memory (RLIMIT_MEMLOCK), unless they
 * have CAP_IPC_LOCK: what mlock(2), perf and io_uring lock counts with it.  Most buffers are
 * allocated by a worker, after their session's start, so the session remembers the user and
 * their limit.  The control group of the process that started the session is charged by the
 * allocation itself, see buffer.c.
 *
 * Charges need no lock.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>

#include "account.h"
#include "compat.h"

#define MB_SHIFT	20

unsigned int etw_max_memory_mb;		/* 0: a quarter of the memory */

static atomic_long_t account_pages;	/* of all sessions' buffers */

/* Pages that the buffers of all sessions may take together. */
unsigned long etw_account_limit(void)
{
	unsigned int mb = READ_ONCE(etw_max_memory_mb);

	return mb ? (unsigned long)mb << (MB_SHIFT - PAGE_SHIFT) : totalram_pages() / 4;
}

unsigned long etw_account_used(void)
{
	return atomic_long_read(&account_pages);
}

/* The caller starts the session. */
void etw_account_open(struct etw_account *account)
{
	if (capable(CAP_IPC_LOCK))
		return;
	account->most = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	account->user = get_uid(current_user());
#ifdef HAVE_USER_LOCKED_VM
	account->locked = &account->user->locked_vm;
#else
	account->locked = &account->own;
#endif
}

void etw_account_close(struct etw_account *account)
{
	if (account->user)
		free_uid(account->user);
	account->user = NULL;
}

static bool account_add(atomic_long_t *charged, unsigned long pages, unsigned long most)
{
	long old = atomic_long_read(charged);

	do {
		if (old + pages > most)
			return false;
	} while (!atomic_long_try_cmpxchg(charged, &old, old + pages));
	return true;
}

/* -ENOBUFS: all sessions have too much; -ENOMEM: the user has.  Charges both or none. */
int etw_account_charge(struct etw_account *account, unsigned long pages)
{
	if (!account_add(&account_pages, pages, etw_account_limit()))
		return -ENOBUFS;
	if (!account->user || account_add(account->locked, pages, account->most))
		return 0;
	atomic_long_sub(pages, &account_pages);
	return -ENOMEM;
}

void etw_account_uncharge(struct etw_account *account, unsigned long pages)
{
	atomic_long_sub(pages, &account_pages);
	if (account->user)
		atomic_long_sub(pages, account->locked);
}
