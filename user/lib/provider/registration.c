/* SPDX-License-Identifier: MIT */
/*
 * registration.c - the provider registrations of this process
 */
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <etw/filter.h>
#include <etw/winerror.h>
#include "callback.h"
#include "lib/registered.h"
#include "private_host.h"
#include "registration.h"
#include "write_apart.h"

/* ------------------------------------- state that must not survive a fork */

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

/*
 * A vfork child finds its parent's pid and leaves the state alone. A forked child writes
 * its own as soon as it exists, so that its vfork child does so even if the forked child
 * has never used a registration.
 */
static void forked(void)
{
	struct etw_fork_state *proc = atomic_load_explicit(&the_proc, memory_order_acquire);

	if (proc)
		proc->pid = getpid();
}

static __attribute__((__constructor__)) void notice_forks(void)
{
	pthread_atfork(NULL, NULL, forked);
}

bool etw_is_guest(const struct etw_fork_state *proc)
{
	return proc->pid && proc->pid != getpid();
}

/* ---------------------------------------------------------------- entries */

static const GUID no_guid;
static const struct etw_enable_entry disabled;
static const struct etw_enable_entry undecided = {
	.enabled = 1, .level = 255, .keyword0 = 1, .any = ~0ULL,
};

struct etw_reg etw_regs[ETW_REGISTRATIONS_MAX];

/*
 * The enable area. Once mapped, it is only replaced in place, since writers may read it
 * at any time. It is kept over fork: the parent's area shows the child which events
 * require attaching.
 */
static struct etw_enable_entry *area;

/*
 * Is the area the device's?  Then the device exists, since its module stays for as long as
 * the area is mapped, and events that the area enables are lost while it cannot be opened.
 */
static bool area_is_device;

/* The descriptor that a child inherited from its parent; the child closes it. */
static struct {
	int fd;
	struct etw_kdev_id id;
} inherited = { .fd = -1 };

_Static_assert(offsetof(struct etw_classic_write, slot) == ETW_SLOT_AT, "in every write");

/* Writers of this thread; drain() must not wait for its own thread. */
static __thread int passes __attribute__((__tls_model__("initial-exec")));

static void enter(struct etw_reg *reg)
{
	passes++;
	atomic_fetch_add(&reg->writers, 1);
}

static void leave(struct etw_reg *reg)
{
	atomic_fetch_sub(&reg->writers, 1);
	passes--;
}

/*
 * One attempt to write. False: this process has not registered the entry (fork), or *ret
 * says that the registration is another process's or the descriptor was closed or
 * replaced. Checking before each write would cost a second system call and prove
 * nothing; a file that has replaced the descriptor does not know our ioctl numbers.
 */
static bool try_write(struct etw_fork_state *proc, struct etw_reg *reg, uint64_t handle,
		      unsigned int command, void *write, uint32_t size, int *ret)
{
	bool done = true;
	uint32_t slot;

	/* Pairs with close_reg(): either its drain() sees this writer or we see its slot. */
	enter(reg);
	/* Read the slot before the handle: an ending registration clears its handle first. */
	slot = atomic_load(&reg->slot);
	if (atomic_load(&reg->handle) != handle) {
		*ret = -EBADF;
	} else if (slot == ETW_NO_SLOT) {
		done = false;
	} else {
		memcpy((char *)write + ETW_SLOT_AT, &slot, sizeof(slot));
		*ret = etw_kdev_command(proc->fd, command, write, size);
		done = !*ret || (!etw_is_stale(*ret) && etw_kdev_is(proc->fd, &proc->id));
	}
	leave(reg);
	return done;
}

/* The registration could not move to this process: count the event as lost. */
static int lose(struct etw_reg *reg, unsigned int command, const void *write)
{
	const struct etw_enable_entry *entry = etw_reg_entry(reg);
	uint32_t slot = ETW_NO_SLOT;

	/* Where the process was that this descriptor comes from */
	if (entry >= area && entry < area + ETW_REGISTRATIONS_MAX)
		slot = entry - area;
	return etw_write_lost(inherited.fd, &inherited.id, slot, command, write);
}

int etw_reg_write(struct etw_reg *reg, uint64_t handle, unsigned int command, void *write,
		  uint32_t size)
{
	/* It exists, since the registration does. */
	struct etw_fork_state *proc = atomic_load_explicit(&the_proc, memory_order_acquire);
	int tries, ret = 0;
	uint32_t epoch;

	for (tries = 0; tries < 3; tries++) {
		epoch = atomic_load(&proc->epoch);
		ret = -ENOENT;
		if (atomic_load(&proc->attached) &&
		    try_write(proc, reg, handle, command, write, size, &ret))
			return ret;
		/* A signal handler inside a write of this thread cannot attach. */
		if (passes || etw_is_guest(proc))
			return etw_write_apart(proc, reg, handle, command, write, size);
		if (etw_reg_attach(proc, epoch))
			return lose(reg, command, write);
		/* The provider was registered again, or the device is gone. */
		if (!ETW_LOAD(etw_reg_entry(reg)->enabled))
			return -ENOENT;
	}
	return etw_is_stale(ret) ? -ENOMEM : ret;
}

/* Wait for the writers inside; the caller has shut out new ones. */
static void drain(struct etw_reg *reg)
{
	unsigned int spins = 0;

	while (atomic_load(&reg->writers) > 0) {
		if (++spins < 100)
			sched_yield();
		else
			etw_kdev_poll(NULL, 0, 1);
	}
}

static bool is_live(const struct etw_reg *reg)
{
	return atomic_load(&reg->handle) != 0;
}

void etw_reg_show(struct etw_reg *reg)
{
	const struct etw_enable_entry *entry = atomic_load(&reg->entry);
	const struct etw_private_provider *p = atomic_load(&reg->private);

	/* What the device enables may change at any time, unnoticed by this process. */
	if (p && p->composite.enabled)
		entry = entry == &disabled ? &p->composite : &undecided;
	atomic_store(&reg->shown, entry);
}

static void set_entry(struct etw_reg *reg, const struct etw_enable_entry *entry)
{
	atomic_store(&reg->entry, entry);
	etw_reg_show(reg);
}

/* Shut writers out and wait for those inside. */
static void close_reg(struct etw_reg *reg, const struct etw_enable_entry *entry)
{
	set_entry(reg, entry);
	atomic_store(&reg->slot, ETW_NO_SLOT);
	reg->due = 0;
	drain(reg);
}

/* Called first in a new process; the lock is held. */
static void reg_inherit(struct etw_fork_state *proc)
{
	int i;

	if (!etw_private_awaited())
		etw_private_host_forget(proc);
	for (i = 0; i < ETW_REGISTRATIONS_MAX; i++) {
		struct etw_reg *reg = &etw_regs[i];

		/* The writers were threads of the parent. */
		if (atomic_load(&reg->writers))
			atomic_store(&reg->writers, 0);
		if (!is_live(reg))
			continue;
		atomic_store(&reg->slot, ETW_NO_SLOT);
		if (reg->callback)
			proc->callbacks++;
	}
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
	reg_inherit(proc);
}

void etw_fork_state_unlock(struct etw_fork_state *proc, const struct etw_fork_state_saved *saved)
{
	pthread_mutex_unlock(&proc->lock);
	pthread_setcancelstate(saved->cancel, NULL);
	pthread_sigmask(SIG_SETMASK, &saved->signals, NULL);
}

/* ----------------------------------------------------------------- device */

/*
 * The module registers it as forwarding if it knows that, and the process may. In a child, which
 * forwards nothing, it is not.
 */
static int register_at(struct etw_fork_state *proc, const struct etw_reg *reg,
		       struct etw_register *arg)
{
	const uint32_t flags = arg->flags;
	int ret;

	if (reg->forwarder && reg->forwarder == proc->pid)
		arg->flags |= ETW_REGISTER_FORWARDS;
	ret = etw_kdev_register(proc->fd, arg);
	if (arg->flags == flags || (ret != -EINVAL && ret != -EPERM))
		return ret;
	arg->flags = flags;
	return etw_kdev_register(proc->fd, arg);
}

/* Register one entry with the device; 0, or -errno and the entry is disabled. */
static int register_reg(struct etw_fork_state *proc, struct etw_reg *reg)
{
	struct etw_register arg = {
		.flags = (reg->callback ? ETW_REGISTER_NOTIFY : 0) |
			 (reg->classic ? ETW_REGISTER_CLASSIC : 0),
		.cookie = atomic_load(&reg->handle),
	};
	struct etw_provider_set info = { 0 };
	int ret;

	memcpy(&arg.provider, &reg->guid, sizeof(arg.provider));
	ret = register_at(proc, reg, &arg);
	if (!ret && arg.slot >= ETW_REGISTRATIONS_MAX)
		ret = -EINVAL;
	if (!ret && etw_traits_fill(&info, atomic_load(&reg->traits),
				    atomic_load(&reg->types))) {
		struct etw_unregister end = { .slot = arg.slot };

		info.slot = arg.slot;
		ret = etw_kdev_provider_set(proc->fd, &info);
		if (ret)
			etw_kdev_unregister(proc->fd, &end);
	}
	if (ret) {
		set_entry(reg, &disabled);
		return ret;
	}
	atomic_store(&reg->slot, arg.slot);
	set_entry(reg, &area[arg.slot]);
	/* The provider is already enabled: the kernel has queued a notification. */
	if (reg->callback && ETW_LOAD(area[arg.slot].enabled))
		reg->due = ++proc->asked;
	return 0;
}

/*
 * May the device be opened later, so that events are lost until then?  No descriptor or memory
 * is free now; or this process or its parent had the device, but its path cannot be opened here,
 * as after chroot(2).
 */
static bool is_temporary(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM || (err && area_is_device);
}

static bool has_inherited(const struct etw_fork_state *proc)
{
	return !atomic_load(&proc->attached) && etw_kdev_is(inherited.fd, &inherited.id);
}

/*
 * Open the device. Losses are counted through the inherited descriptor, so close it first
 * only if its number is the one that is missing: not if the limit is lower.
 */
static int open_device(struct etw_fork_state *proc)
{
	int fd = etw_kdev_open();
	struct rlimit limit;

	if (fd != -EMFILE || !has_inherited(proc) || getrlimit(RLIMIT_NOFILE, &limit) ||
	    (rlim_t)inherited.fd >= limit.rlim_cur)
		return fd;
	etw_kdev_close(inherited.fd);
	inherited.fd = -1;
	return etw_kdev_open();
}

/* A device that was opened, and its area */
struct opened {
	int fd;
	struct etw_kdev_id id;
	void *area;
};

/* 0, or -errno; nothing has changed then, except that the inherited descriptor may be closed. */
static int device_prepare(struct etw_fork_state *proc, struct opened *new)
{
	int ret;

	new->fd = open_device(proc);
	if (new->fd < 0)
		return new->fd;
	ret = etw_kdev_identify(new->fd, &new->id);
	if (!ret)
		ret = etw_kdev_ops->map(new->fd, ETW_ENABLE_AREA_SIZE, &new->area);
	if (ret)
		etw_kdev_close(new->fd);
	return ret;
}

/*
 * Release the old device: its registrations end with the last reference. opened: the new
 * descriptor, or negative.
 */
static void forget_device(struct etw_fork_state *proc, int opened)
{
	/*
	 * Within one process, the descriptor is already closed or reused for another
	 * file; a child has its own copy of the parent's, unless it has closed that and got
	 * its number again.
	 */
	if (inherited.fd != opened && has_inherited(proc))
		etw_kdev_close(inherited.fd);
	inherited.fd = -1;
	proc->fd = -1;
}

/* Without a device nothing is enabled. */
static void area_clear(void)
{
	int saved = errno;

	area_is_device = false;
	if (area && mmap(area, ETW_ENABLE_AREA_SIZE, PROT_READ,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		errno = saved;
}

/* Use the opened device: move its area over the current one; 0 or -errno. */
static int use_device(struct etw_fork_state *proc, const struct opened *new)
{
	int err, saved = errno;

	if (!area) {
		area = new->area;
	} else if (mremap(new->area, ETW_ENABLE_AREA_SIZE, ETW_ENABLE_AREA_SIZE,
			  MREMAP_MAYMOVE | MREMAP_FIXED, area) == MAP_FAILED) {
		err = -errno;
		munmap(new->area, ETW_ENABLE_AREA_SIZE);
		etw_kdev_close(new->fd);
		errno = saved;
		return err;
	}
	area_is_device = true;
	proc->id = new->id;
	proc->fd = new->fd;
	inherited.id = new->id;
	inherited.fd = new->fd;
	return 0;
}

/*
 * Open the device and register all entries with it. Returns 0 or the reason why there
 * is no device; *result is the result for wanted, if that is not NULL. If the reason is
 * temporary, no registration changes, and the next event tries again.
 */
static int attach(struct etw_fork_state *proc, const struct etw_reg *wanted, int *result)
{
	struct opened new;
	int i, ret, err = device_prepare(proc, &new);

	if (is_temporary(err)) {
		/* As in a new child: whatever needs the device tries again, the thread at times. */
		proc->fd = -1;
		if (atomic_exchange(&proc->attached, 0))
			etw_callback_moved(proc);
		if (wanted)
			*result = err;
		return err;
	}
	for (i = 0; i < ETW_REGISTRATIONS_MAX; i++)
		if (is_live(&etw_regs[i]))
			close_reg(&etw_regs[i], &undecided);
	forget_device(proc, new.fd);
	if (!err)
		err = use_device(proc, &new);
	if (err)
		area_clear();
	for (i = 0; i < ETW_REGISTRATIONS_MAX; i++) {
		struct etw_reg *reg = &etw_regs[i];

		if (!is_live(reg))
			continue;
		ret = err;
		if (err)
			set_entry(reg, &disabled);
		else
			ret = register_reg(proc, reg);
		if (reg == wanted)
			*result = ret;
	}
	atomic_store(&proc->attached, 1);
	atomic_fetch_add(&proc->epoch, 1);
	proc->answered = 0;
	etw_callback_moved(proc);
	return err;
}

int etw_reg_attach(struct etw_fork_state *proc, uint32_t epoch)
{
	struct etw_fork_state_saved saved;
	int err = 0;

	etw_fork_state_lock(proc, &saved);
	if (!atomic_load(&proc->attached) || atomic_load(&proc->epoch) == epoch)
		err = attach(proc, NULL, NULL);
	if (proc->callbacks && proc->fd >= 0)
		etw_callback_start(proc);
	etw_fork_state_unlock(proc, &saved);
	return is_temporary(err) ? err : 0;
}

/* An unused entry with its next handle, or NULL. */
static struct etw_reg *take_entry(uint64_t *handle)
{
	unsigned int i;

	for (i = 0; i < ETW_REGISTRATIONS_MAX; i++) {
		struct etw_reg *reg = &etw_regs[i];

		if (is_live(reg))
			continue;
		reg->generation++;
		*handle = reg->generation << 16 | (i + 1);
		return reg;
	}
	return NULL;
}

static bool is_lost(const struct etw_fork_state *proc)
{
	return !atomic_load(&proc->attached) || !etw_kdev_is(proc->fd, &proc->id);
}

/* Only some errors of the device fail a call; 0 or -errno. */
static int what_counts(int ret)
{
	switch (ret) {
	case -EPERM:
	case -EACCES:	/* a kernel module holds the GUID */
	case -EINVAL:
	case -ENOMEM:
	case -ENOSPC:
	case -EMFILE:
	case -ENFILE:
		return ret;
	default:
		/* No module or no permission: the provider works but is never enabled. */
		return 0;
	}
}

/* Register a new entry with the device. */
static int announce(struct etw_fork_state *proc, struct etw_reg *reg)
{
	int ret = -ENODEV, err = 0;

	if (is_lost(proc))
		err = attach(proc, reg, &ret);
	else
		ret = register_reg(proc, reg);
	if (etw_is_stale(ret))
		err = attach(proc, reg, &ret);
	/* The process may not open the device. */
	ret = (ret == -EPERM || ret == -EACCES) && err ? 0 : what_counts(ret);
	/* Inherited registrations wait for the device; the kernel has never known this one. */
	if (err && !ret)
		set_entry(reg, &disabled);
	return ret;
}

int etw_reg_set(struct etw_fork_state *proc, struct etw_reg *reg, struct etw_provider_set *info)
{
	int tries, ret = 0;

	/* Attached, but the device refused the registration. */
	if (atomic_load(&reg->slot) == ETW_NO_SLOT && atomic_load(&proc->attached))
		return 0;
	/* Attaching registers the old traits, which a refusal leaves in place. */
	if (is_lost(proc))
		attach(proc, NULL, NULL);
	for (tries = 0; tries < 2; tries++) {
		info->slot = atomic_load(&reg->slot);
		if (info->slot == ETW_NO_SLOT)
			return 0;
		ret = etw_kdev_provider_set(proc->fd, info);
		if (!etw_is_stale(ret))
			break;
		if (!tries)
			attach(proc, NULL, NULL);
	}
	return what_counts(ret);
}

/* End a registration, at the device too; the lock is held. */
static void release(struct etw_fork_state *proc, struct etw_reg *reg)
{
	struct etw_unregister end = { .slot = atomic_load(&reg->slot) };
	struct etw_private_provider *p = atomic_load(&reg->private);

	/* Clear the handle first, so that a rejected writer sees why. */
	atomic_store(&reg->handle, 0);
	atomic_store(&reg->private, NULL);
	close_reg(reg, &disabled);
	if (end.slot != ETW_NO_SLOT && etw_kdev_is(proc->fd, &proc->id))
		etw_kdev_unregister(proc->fd, &end);
	if (reg->callback)
		proc->callbacks--;
	reg->callback = NULL;
	etw_traits_forget(reg, p);
	pthread_cond_broadcast(&proc->changed);	/* for etw_callback_wait_first() */
}

/* Callbacks and other threads may already look the handle up. */
static void publish(uint64_t *out, uint64_t *also, uint64_t handle)
{
	__atomic_store_n(out, handle, __ATOMIC_RELEASE);
	if (also)
		__atomic_store_n(also, handle, __ATOMIC_RELEASE);
}

/* An entry for a new registration, which has its handle already; NULL: all are in use. */
static struct etw_reg *new_entry(struct etw_fork_state *proc, const struct etw_reg_new *new,
				 uint64_t *handle)
{
	struct etw_reg *reg = take_entry(handle);

	if (!reg)
		return NULL;
	reg->guid = *new->guid;
	reg->callback = new->callback;
	reg->context = new->context;
	reg->classic = new->classic;
	reg->forwarder = new->forwards ? getpid() : 0;
	if (new->callback)
		proc->callbacks++;
	if (new->traits)
		etw_traits_prepare(reg, new->traits);
	atomic_store(&reg->slot, ETW_NO_SLOT);
	atomic_store(&reg->private, etw_private_find(new->guid));
	/* A child forked from here on finds the entry undecided and attaches it. */
	set_entry(reg, &undecided);
	atomic_store(&reg->handle, *handle);
	if (new->where)
		__atomic_store_n(new->where, etw_reg_where(reg), __ATOMIC_RELEASE);
	publish(new->handle, new->also, *handle);
	return reg;
}

/* Register again without the traits if the device refuses them. */
static int announce_new(struct etw_fork_state *proc, struct etw_reg *reg)
{
	int ret = announce(proc, reg);

	if (ret && etw_traits_give_up(reg))
		ret = announce(proc, reg);
	return ret;
}

static bool is_listed(const GUID *guids, size_t count, const GUID *guid)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!memcmp(&guids[i], guid, sizeof(*guid)))
			return true;
	return false;
}

static GUID *list_guids(size_t *count)
{
	GUID *guids = calloc(ETW_REGISTRATIONS_MAX, sizeof(*guids));
	struct etw_fork_state *proc = etw_fork_state_get();
	struct etw_fork_state_saved saved;
	int i;

	if (!guids || !proc) {
		free(guids);
		return NULL;
	}
	*count = 0;
	etw_fork_state_lock(proc, &saved);
	for (i = 0; i < ETW_REGISTRATIONS_MAX; i++)
		if (is_live(&etw_regs[i]) && !is_listed(guids, *count, &etw_regs[i].guid))
			guids[(*count)++] = etw_regs[i].guid;
	etw_fork_state_unlock(proc, &saved);
	return guids;
}

ULONG etw_reg_add(const struct etw_reg_new *new)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	ULONG result = ERROR_NOT_ENOUGH_MEMORY;
	struct etw_reg *reg;
	uint64_t handle;
	struct etw_fork_state_saved saved;
	int ret;

	if (!new->handle)
		return ERROR_INVALID_PARAMETER;
	publish(new->handle, new->also, 0);
	if (!new->guid || !memcmp(new->guid, &no_guid, sizeof(no_guid)))
		return ERROR_INVALID_PARAMETER;
	if (!proc)
		return ERROR_NOT_ENOUGH_MEMORY;
	if (etw_is_guest(proc))
		return ERROR_NOT_SUPPORTED;
	atomic_store(&etw_registered, list_guids);
	etw_private_host_set();
	if (etw_private_awaited())
		etw_private_inherit();
	etw_private_registering((const struct etw_guid *)new->guid);
	etw_fork_state_lock(proc, &saved);
	reg = new_entry(proc, new, &handle);
	if (!reg)
		goto out;
	ret = announce_new(proc, reg);
	if (!ret && proc->callbacks && proc->fd >= 0) {
		ret = etw_callback_start(proc);
		if (!new->callback)	/* in a child, for the parent's registrations */
			ret = 0;
	}
	/* Starting may drop the lock; another thread may end this registration. */
	if (ret && atomic_load(&reg->handle) == handle) {
		publish(new->handle, new->also, 0);
		release(proc, reg);
		/* The documented code for these errors also means "too many". */
		result = ret == -EINVAL ? ERROR_INVALID_PARAMETER :
			 ret == -EPERM || ret == -EACCES ? ERROR_ACCESS_DENIED :
			 ERROR_NOT_ENOUGH_MEMORY;
		goto out;
	}
	result = ERROR_SUCCESS;
	if (new->callback) {
		etw_callback_wait_first(proc, reg, handle);
		etw_private_host_registered(proc, handle);
	}
out:
	etw_fork_state_unlock(proc, &saved);
	return result;
}

ULONG etw_reg_remove(uint64_t handle, bool classic)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	struct etw_reg *reg;
	struct etw_fork_state_saved saved;

	if (!proc)
		return ERROR_INVALID_HANDLE;
	if (etw_is_guest(proc))
		return ERROR_NOT_SUPPORTED;
	etw_fork_state_lock(proc, &saved);
	reg = etw_reg_find(handle);
	if (!reg || reg->classic != classic) {
		etw_fork_state_unlock(proc, &saved);
		return ERROR_INVALID_HANDLE;
	}
	release(proc, reg);
	etw_callback_wait(proc, handle);
	if (!proc->callbacks)
		etw_callback_stop(proc, &saved);
	etw_fork_state_unlock(proc, &saved);
	return ERROR_SUCCESS;
}

ULONG EventRegister(LPCGUID ProviderId, PENABLECALLBACK EnableCallback,
		    PVOID CallbackContext, PREGHANDLE RegHandle)
{
	_Static_assert(sizeof(*RegHandle) == sizeof(uint64_t), "a handle is a number");
	return etw_reg_add(&(struct etw_reg_new){
		.guid = ProviderId, .callback = EnableCallback, .context = CallbackContext,
		.handle = (uint64_t *)RegHandle });
}

ULONG EventUnregister(REGHANDLE RegHandle)
{
	return RegHandle ? etw_reg_remove(RegHandle, false) : ERROR_INVALID_HANDLE;
}
