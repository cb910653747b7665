/* SPDX-License-Identifier: MIT */
/*
 * registration.h - the provider registrations of this process
 *
 * A table of 1,024 entries.  A handle is an entry's index plus a generation
 * that grows whenever the entry is used again, so an old handle never hits a
 * new registration.
 *
 * Writers take no lock.  A disabled event costs the load of the handle, of the
 * pointer to the enable entry, and of what that points to:
 *
 *	disabled	not registered with the kernel, or closed
 *	undecided	being registered: wants all, so that writers come to
 *			etw_reg_attach() and wait for the outcome
 *	in the area	the kernel's word
 *
 * An enabled event is written between etw_reg_begin() and etw_reg_end(), which
 * count the writers of the entry; nothing about it changes until they are out.
 *
 * A registration belongs to one process, and so do the callback thread, the
 * state of the lock and the seed of activity ids.  They live in memory that
 * the kernel zeroes in every child (MADV_WIPEONFORK), also after a raw clone
 * that no atfork handler sees.  All zero is the state of a process that has
 * done nothing yet; a child that only exits or execs never reads it.
 *
 * A child keeps the table of registrations.  Whatever moment another thread of
 * the parent forks at, the table is consistent.
 */
#ifndef ETW_LIB_PROVIDER_REGISTRATION_H
#define ETW_LIB_PROVIDER_REGISTRATION_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <etw/abi.h>
#include <sys/types.h>
#include <evntprov.h>
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
 * with it, or leave half of something.  A child's first call puts
 * the table of registrations in order.
 */
void etw_fork_state_lock(struct etw_fork_state *proc, struct etw_fork_state_saved *saved);
void etw_fork_state_unlock(struct etw_fork_state *proc, const struct etw_fork_state_saved *saved);

/* EventProviderUseDescriptorType, if it was the last to say something of types */
enum etw_types { ETW_TYPES_UNSAID, ETW_TYPES_OFF, ETW_TYPES_ON };

/*
 * One entry lies within one page, so that a child sees its members in the
 * order in which another thread of the parent wrote them.
 */
struct etw_reg {
	_Atomic uint64_t handle;	/* 0: free */
	_Atomic(const struct etw_enable_entry *) entry;
	_Atomic uint32_t slot;		/* at the kernel; NO_SLOT */
	_Atomic int32_t writers;
	uint64_t generation;
	GUID guid;
	PENABLECALLBACK callback;
	void *context;
	bool classic;
	uint64_t due;		/* the first callback is to come, see proc->asked; 0: none */
	/* EventSetInformation(); written under the lock */
	_Atomic(unsigned char *) traits;	/* NULL: none; their size comes first */
	_Atomic uint8_t types;			/* enum etw_types */
} __attribute__((__aligned__(128)));

#define ETW_NO_SLOT	0xFFFFFFFFu

extern struct etw_reg etw_regs[ETW_REGISTRATIONS_MAX];

/* The entry of a handle, NULL if it is not a valid one. */
static inline struct etw_reg *etw_reg_find(uint64_t handle)
{
	struct etw_reg *reg;
	uint64_t index = (handle & 0xFFFF) - 1;

	if (index >= ETW_REGISTRATIONS_MAX)
		return NULL;
	reg = &etw_regs[index];
	if (atomic_load_explicit(&reg->handle, memory_order_acquire) != handle)
		return NULL;
	return reg;
}

static inline const struct etw_enable_entry *etw_reg_entry(struct etw_reg *reg)
{
	return atomic_load_explicit(&reg->entry, memory_order_acquire);
}

/* Why a writer was not let in. */
enum etw_reg_why { ETW_REG_IN, ETW_REG_CLOSED, ETW_REG_ELSEWHERE };

struct etw_reg_pass {
	int fd;
	uint32_t slot;
	uint32_t epoch;
};

/*
 * Let a writer in: pass says where to write, until etw_reg_end().  ELSEWHERE:
 * this process has not registered it yet (fork); call etw_reg_attach(pass->epoch)
 * and try again.
 */
enum etw_reg_why etw_reg_begin(struct etw_fork_state *proc, struct etw_reg *reg,
			       uint64_t handle, struct etw_reg_pass *pass);
void etw_reg_end(struct etw_reg *reg);

/*
 * Before etw_reg_end(): did the write end with ret because the registration is not this
 * process's, or because the device's descriptor was closed or replaced?  Then it is as
 * ELSEWHERE.  To ask before each write would be a second system call, and sure of nothing:
 * what has the descriptor's place does not know our ioctl numbers.
 */
bool etw_reg_stale(const struct etw_fork_state *proc, const struct etw_reg_pass *pass, int ret);

/*
 * Open the device and register everything with it, unless that was done since
 * epoch.  Without a device all registrations become disabled.
 */
void etw_reg_attach(struct etw_fork_state *proc, uint32_t epoch);

/* Where the current enable entry of a registration is found: there for good. */
typedef const struct etw_enable_entry *const volatile *etw_reg_place;

static inline etw_reg_place etw_reg_where(const struct etw_reg *reg)
{
	_Static_assert(sizeof(reg->entry) == sizeof(void *), "as a plain pointer");
	return (etw_reg_place)&reg->entry;
}

struct etw_reg_new {
	const GUID *guid;
	PENABLECALLBACK callback;
	void *context;
	bool classic;
	const void *traits;		/* checked; or NULL */
	uint64_t *handle;
	uint64_t *also;			/* or NULL */
	etw_reg_place *where;		/* or NULL */
};

/*
 * What EventRegister() and RegisterTraceGuids() do: *handle is set before the
 * callback can come, and 0 on failure; so is *also, and *where, which stays.
 */
ULONG etw_reg_add(const struct etw_reg_new *new);
/* Of the same kind only; the callback does not run any more when it returns. */
ULONG etw_reg_remove(uint64_t handle, bool classic);

/*
 * Tell the device what reg is to say of itself from now on; until this returns
 * reg still has what it said before, since it may have to be registered anew.
 * 0, also without a device, or -errno; the lock is held throughout.
 */
int etw_reg_tell(struct etw_fork_state *proc, struct etw_reg *reg, struct etw_provider_set *info);

/*
 * A copy of traits, which begin with their size, in pages of its own: a child of a raw clone
 * must not use the heap.  NULL: no memory.
 */
unsigned char *etw_traits_copy(const void *traits);
void etw_traits_free(unsigned char *traits);	/* NULL is fine */

#endif /* ETW_LIB_PROVIDER_REGISTRATION_H */
