/* SPDX-License-Identifier: MIT */
/*
 * fork_state.c - what must not survive a fork
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* MADV_WIPEONFORK */
#endif
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fork_state.h"
#include "registration.h"

static _Atomic(struct etw_fork_state *) the_proc;

struct etw_fork_state *etw_fork_state_get(void)
{
	struct etw_fork_state *proc = atomic_load_explicit(&the_proc, memory_order_acquire);
	struct etw_fork_state *other = NULL;
	int saved = errno;

	if (proc)
		return proc;
	proc = mmap(NULL, sizeof(*proc), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (proc == MAP_FAILED)
		goto err_restore;
	if (madvise(proc, sizeof(*proc), MADV_WIPEONFORK))
		goto err_unmap;
	if (!atomic_compare_exchange_strong(&the_proc, &other, proc)) {
		munmap(proc, sizeof(*proc));
		proc = other;
	}
	errno = saved;
	return proc;

err_unmap:
	munmap(proc, sizeof(*proc));
err_restore:
	errno = saved;
	return NULL;
}

void etw_fork_state_lock(struct etw_fork_state *proc, struct etw_fork_state_saved *saved)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved->signals);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved->cancel);
	pthread_mutex_lock(&proc->lock);
	if (proc->owned)
		return;
	proc->owned = true;
	proc->pid = getpid();
	proc->fd = -1;
	proc->wake = (struct etw_poll_wakeup)ETW_WAKE_CLOSED;
	etw_reg_inherit(proc);
}

void etw_fork_state_unlock(struct etw_fork_state *proc, const struct etw_fork_state_saved *saved)
{
	pthread_mutex_unlock(&proc->lock);
	pthread_setcancelstate(saved->cancel, NULL);
	pthread_sigmask(SIG_SETMASK, &saved->signals, NULL);
}
