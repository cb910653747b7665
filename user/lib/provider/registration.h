/* SPDX-License-Identifier: MIT */
/*
 * registration.h - the provider registrations of this process
 *
 * A table of 1,024 entries. A handle consists of an entry's index and a generation that
 * grows whenever the entry is reused, so an old handle never matches a new
 * registration.
 *
 * Writers take no lock. A disabled event costs three loads: the handle, the pointer to
 * the enable entry, and the enable entry:
 *
 *	disabled	not registered with the kernel, or closed
 *	undecided	being registered: enables everything, so that writers call
 *			etw_reg_attach() and wait for the outcome
 *	in the area	set by the kernel
 *
 * While a private session enables the provider, writers are shown another entry than the
 * kernel's: it enables what the private sessions want, or everything if the kernel may want
 * more. The write then asks both. A writer to private sessions is not counted: it copies
 * what it needs, then tests whether the registration is still there;
 * one that needs the traits or a filter is counted in the provider, see guard.h.
 *
 * Writers to the device are counted in the entry, which does not change until they have
 * left.
 *
 * A registration belongs to one process, and so do the callback thread, the state of
 * the lock and the seed of activity ids. They live in memory that the kernel zeroes in
 * every child (MADV_WIPEONFORK), also after a raw clone that bypasses atfork handlers.
 * All zero is the state of a process that has done nothing yet; fork() only sets pid.
 *
 * A child keeps the table of registrations. The table is consistent at every moment at
 * which another thread of the parent may fork.
 */
#ifndef ETW_LIB_PROVIDER_REGISTRATION_H
#define ETW_LIB_PROVIDER_REGISTRATION_H

#include <errno.h>
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
#include "lib/private/private.h"

enum etw_thread_state { ETW_THREAD_NONE, ETW_THREAD_RUNS, ETW_THREAD_STOPS };

struct etw_fork_state {
	/* 1 once the table of registrations is known to belong to this process */
	_Atomic uint32_t attached;
	/* Counts attachments, so that two threads that see a stale one agree */
	_Atomic uint32_t epoch;
	_Atomic uint64_t activity_seed;		/* 0: none yet */
	_Atomic uint64_t activity_count;

	pthread_mutex_t lock;			/* guards all members below */
	bool owned;				/* this process has initialised the lock */
	bool forgot;				/* what its parent's private sessions enabled */
	pid_t pid;				/* set by fork() too; 0: not known yet */
	int fd;					/* device, -1: none */
	struct etw_kdev_id id;			/* identity that fd must still have */

	pthread_cond_t changed;			/* running, state, answered or a reg's due */
	enum etw_thread_state state;
	pthread_t thread;
	bool detached;				/* ends by itself; no thread joins it */
	struct etw_poll_wakeup wake;			/* ends its poll */
	uint64_t running;			/* handle whose callback runs */
	uint32_t callbacks;			/* registrations with a callback */
	/*
	 * asked counts the registrations that were enabled when they were made;
	 * answered, those for which the thread has since found an empty queue. If the
	 * device fails, answered stays until there is another descriptor.
	 */
	uint64_t asked;
	uint64_t answered;
	/* Notifications of private sessions, oldest first, and how many were queued and done */
	struct etw_private_notice *notices;
	uint64_t noticed;
	uint64_t notices_done;
};

/* The calling thread's activity id */
extern __thread GUID etw_activity_id __attribute__((__tls_model__("initial-exec")));

static inline const GUID *etw_activity_current(void)
{
	return &etw_activity_id;
}

/* NULL only if out of memory. */
struct etw_fork_state *etw_fork_state_get(void);

/* Is the caller a vfork child? It must not change the state, which is its parent's. */
bool etw_is_guest(const struct etw_fork_state *proc);

/* The state that etw_fork_state_unlock() restores for the calling thread */
struct etw_fork_state_saved {
	sigset_t signals;
	int cancel;
};

/*
 * Take the lock. Signals are blocked while it is held, since a handler that writes an
 * event could need the lock itself. Cancellation is disabled too: a cancelled thread
 * would keep the lock or leave an operation half done. A child's first call puts the
 * table of registrations in order.
 */
void etw_fork_state_lock(struct etw_fork_state *proc, struct etw_fork_state_saved *saved);
void etw_fork_state_unlock(struct etw_fork_state *proc, const struct etw_fork_state_saved *saved);

/* EventProviderUseDescriptorType, if that call came last */
enum etw_types { ETW_TYPES_UNSAID, ETW_TYPES_OFF, ETW_TYPES_ON };

/*
 * One entry lies within one page, so that a child sees its members in the order in
 * which another thread of the parent wrote them.
 */
struct etw_reg {
	_Atomic uint64_t handle;	/* 0: free */
	_Atomic(const struct etw_enable_entry *) entry;	/* the kernel's */
	_Atomic(const struct etw_enable_entry *) shown;	/* to writers */
	_Atomic(struct etw_private_provider *) private;	/* NULL: never enabled by any */
	_Atomic uint32_t slot;		/* in the kernel; or NO_SLOT */
	_Atomic int32_t writers;
	uint64_t generation;
	GUID guid;
	PENABLECALLBACK callback;
	void *context;
	bool classic;
	pid_t forwarder;	/* the process that forwards events by it; 0: none */
	uint64_t due;		/* a first callback is pending, see proc->asked; 0: none */
	/* EventSetInformation(); written under the lock */
	_Atomic(unsigned char *) traits;	/* NULL: none; begins with its size */
	_Atomic uint8_t types;			/* enum etw_types */
	_Atomic bool decodes;			/* the traits have a GUID for decoding */
} __attribute__((__aligned__(128)));

#define ETW_NO_SLOT	0xFFFFFFFFu

extern struct etw_reg etw_regs[ETW_REGISTRATIONS_MAX];

/* The entry of a handle; NULL: not valid. */
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

static inline const struct etw_enable_entry *etw_reg_shown(struct etw_reg *reg)
{
	return atomic_load_explicit(&reg->shown, memory_order_acquire);
}

/* The private sessions' side of a registration has changed; the lock is held. */
void etw_reg_show(struct etw_reg *reg);

/* May a session, private or not, want an event of this level and keyword? */
static inline int etw_reg_wants(struct etw_reg *reg, uint8_t level, uint64_t keyword)
{
	const struct etw_private_provider *p;

	if (!etw_entry_wants(etw_reg_shown(reg), level, keyword))
		return 0;
	p = atomic_load_explicit(&reg->private, memory_order_acquire);
	return !p || etw_entry_wants(etw_reg_entry(reg), level, keyword) ||
	       ((etw_private_here() || etw_private_awaited()) &&
		etw_entry_wants(&p->composite, level, keyword));
}

#define ETW_SLOT_AT	offsetof(struct etw_event_write, slot)	/* in every write */

/*
 * Write through a registration: command is ETW_IOC_WRITE or ETW_IOC_CLASSIC, write its
 * argument, of which this sets size and slot. After a fork, or if the device's
 * descriptor was closed or replaced, registers everything again first. A vfork child
 * writes through a registration of its own. -EBADF: the registration has ended;
 * -ENOENT: it is not enabled any more; -ENOMEM: the device cannot be opened, or a session
 * has no buffer.
 */
int etw_reg_write(struct etw_reg *reg, uint64_t handle, unsigned int command, void *write,
		  uint32_t size);

/* The device's descriptor, or the registration, is not this process's (any more). */
static inline bool etw_is_stale(int ret)
{
	return ret == -ESTALE || ret == -EBADF || ret == -ENOTTY;
}

/*
 * Open the device and register everything with it, unless that was done since epoch.
 * Without a device all registrations become disabled. Returns 0, or -errno if there is a
 * device that cannot be opened now: then no registration has changed. Not in a vfork child, and not
 * inside a write of the same thread.
 */
int etw_reg_attach(struct etw_fork_state *proc, uint32_t epoch);

/* The address of the pointer to the entry that writers see; never changes. */
typedef const struct etw_enable_entry *const volatile *etw_reg_place;

static inline etw_reg_place etw_reg_where(const struct etw_reg *reg)
{
	_Static_assert(sizeof(reg->shown) == sizeof(void *), "as a plain pointer");
	return (etw_reg_place)&reg->shown;
}

struct etw_reg_new {
	const GUID *guid;
	PENABLECALLBACK callback;
	void *context;
	bool classic;
	bool forwards;			/* ETW_REGISTER_FORWARDS, where that is possible */
	const void *traits;		/* checked; may be NULL */
	uint64_t *handle;
	uint64_t *also;			/* may be NULL */
	etw_reg_place *where;		/* may be NULL */
};

/*
 * The common part of EventRegister() and RegisterTraceGuids(). *handle and *also are
 * set before the callback can run, and to 0 on failure. *where is set too and stays
 * valid.
 */
ULONG etw_reg_add(const struct etw_reg_new *new);
/* Removes only the given kind; the callback does not run after this returns. */
ULONG etw_reg_remove(uint64_t handle, bool classic);

/*
 * Send new traits and types of reg to the device. Until this returns, reg keeps the old
 * ones, since it may have to be registered again. 0, also without a device, or -errno;
 * the lock is held throughout.
 */
int etw_reg_set(struct etw_fork_state *proc, struct etw_reg *reg, struct etw_provider_set *info);

/*
 * A copy of traits, which begin with their size, in pages of its own: a child of a raw
 * clone must not use the heap. NULL: out of memory.
 */
unsigned char *etw_traits_copy(const void *traits);

/* Fill in traits, which may be NULL, and types for the device; false: there are none. */
bool etw_traits_fill(struct etw_provider_set *set, const unsigned char *traits,
		     enum etw_types types);

static inline uint16_t etw_traits_size(const unsigned char *traits)
{
	return traits[0] | traits[1] << 8;
}
void etw_traits_free(unsigned char *traits);	/* NULL is fine */

/* A registration gets these traits, which it owns from now on. */
void etw_traits_put(struct etw_reg *reg, unsigned char *traits);
/*
 * The registration has ended, at the device too. p: of private sessions, whose writers may
 * still use the traits; or NULL.
 */
void etw_traits_forget(struct etw_reg *reg, struct etw_private_provider *p);
/*
 * Set the traits that a new entry registers with, or only its types if there is no
 * memory for a copy.
 */
void etw_traits_prepare(struct etw_reg *reg, const void *traits);
/* The device refused the traits: keep only the types. False: there were no traits. */
bool etw_traits_give_up(struct etw_reg *reg);

#endif /* ETW_LIB_PROVIDER_REGISTRATION_H */
