/* SPDX-License-Identifier: MIT */
/*
 * fork_state.h - what must not survive a fork
 *
 * A registration belongs to one process, and so do the callback thread, the
 * state of the lock and the seed of activity ids.  They live in memory that
 * the kernel zeroes in every child (MADV_WIPEONFORK), also after a raw clone
 * that no atfork handler sees.  All zero is the state of a process that has
 * done nothing yet; a child that only exits or execs never looks at it.
 *
 * What a child keeps, the table of registrations (registration.h), is written so that
 * it makes sense at whatever moment another thread of the parent forked.
 */
#ifndef ETW_LIB_PROC_H
#define ETW_LIB_PROC_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "device/kdev.h"
#include "device/poll_wakeup.h"

enum etw_thread_state { ETW_THREAD_NONE, ETW_THREAD_RUNS, ETW_THREAD_STOPS };

struct etw_fork_state {
	/* 1 once the table of registrations is known to be this process's */
	_Atomic uint32_t attached;
	/* Counts attachments, so that two threads that see a stale one agree */
	_Atomic uint32_t epoch;
	_Atomic uint64_t activity_seed;		/* 0: none yet */
	_Atomic uint64_t activity_count;

	pthread_mutex_t lock;			/* guards all below */
	bool owned;				/* the lock's data is ours */
	pid_t pid;
	int fd;					/* device, -1: none */
	struct etw_kdev_id id;			/* what fd must still be */

	pthread_cond_t changed;			/* running, state or answered; a reg's due */
	enum etw_thread_state state;
	pthread_t thread;
	bool detached;				/* it ends itself: nobody joins it */
	struct etw_poll_wakeup wake;			/* ends its poll */
	uint64_t running;			/* handle whose callback runs */
	uint32_t callbacks;			/* registrations that have one */
	/*
	 * Counts registrations that were enabled when they were made, and how many
	 * of them the thread has seen the end of: it found nothing queued since.  Where
	 * the device fails that is all, until there is another descriptor.
	 */
	uint64_t asked;
	uint64_t answered;
};

/* NULL only if there is no memory for it. */
struct etw_fork_state *etw_fork_state_get(void);

/* What the calling thread gets back with etw_fork_state_unlock() */
struct etw_fork_state_saved {
	sigset_t signals;
	int cancel;
};

/*
 * Take the lock.  Signals are blocked meanwhile: a handler that writes an event
 * could need the lock itself.  Nor is the thread cancelled: it would take the lock
 * with it, or leave half of something.  In a child's first call the table of
 * registrations is put in order, see etw_reg_inherit().
 */
void etw_fork_state_lock(struct etw_fork_state *proc, struct etw_fork_state_saved *saved);
void etw_fork_state_unlock(struct etw_fork_state *proc, const struct etw_fork_state_saved *saved);

#endif /* ETW_LIB_PROC_H */
