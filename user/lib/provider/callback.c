/* SPDX-License-Identifier: MIT */
/*
 * callback.c - the thread that runs enable callbacks
 *
 * The thread takes notifications from the device one at a time. Taking a notification
 * acknowledges that the previous callback has returned; a controller's timeout waits
 * for this.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "callback.h"
#include "base/cancel.h"
#include "registration.h"

/* The session of the notification whose callback runs on this thread. */
static __thread uint32_t logger_id __attribute__((__tls_model__("initial-exec")));

uint32_t etw_callback_logger_id(void)
{
	return logger_id;
}

static bool is_self(const struct etw_fork_state *proc)
{
	return proc->state != ETW_THREAD_NONE &&
	       pthread_equal(proc->thread, pthread_self());
}

_Static_assert(sizeof(EVENT_FILTER_HEADER) == sizeof(struct etw_filter_header) &&
	       offsetof(EVENT_FILTER_HEADER, InstanceId) ==
	       offsetof(struct etw_filter_header, instance) &&
	       offsetof(EVENT_FILTER_HEADER, NextOffset) ==
	       offsetof(struct etw_filter_header, next) &&
	       EVENT_FILTER_TYPE_SCHEMATIZED == ETW_FILTER_SCHEMATIZED &&
	       EVENT_FILTER_TYPE_TRACEHANDLE == ETW_FILTER_TRACEHANDLE,
	       "callbacks get filter data in the kernel's form");

/* What the kernel and the private sessions want together; the lock is held. */
static void merge(struct etw_reg *reg, struct etw_notify *n)
{
	const struct etw_private_provider *p = atomic_load(&reg->private);
	const struct etw_enable_entry *other = p ? &p->composite : NULL;

	if (etw_private_is_logger(n->logger_id))
		other = atomic_load(&reg->slot) == ETW_NO_SLOT ? NULL : etw_reg_entry(reg);
	if (reg->classic || !other || !ETW_LOAD(other->enabled))
		return;
	if (n->control == EVENT_CONTROL_CODE_DISABLE_PROVIDER) {
		n->control = EVENT_CONTROL_CODE_ENABLE_PROVIDER;
		n->level = 0;
		n->any = 0;
		n->all = ~0ULL;
	}
	if (n->level < other->level)
		n->level = other->level;
	n->any |= other->any;
	n->all &= other->all;
}

/* Run the callback for a notification if the registration still exists. */
static void run(struct etw_fork_state *proc, struct etw_notify *n)
{
	EVENT_FILTER_DESCRIPTOR filter = { n->filter, n->filter_len, n->filter_type };
	PENABLECALLBACK callback = NULL;
	void *context = NULL;
	struct etw_reg *reg;
	struct etw_fork_state_saved saved;
	GUID source;

	_Static_assert(sizeof(source) == sizeof(n->source), "a GUID is 16 bytes");
	memcpy(&source, &n->source, sizeof(source));
	etw_fork_state_lock(proc, &saved);
	reg = n->cookie ? etw_reg_find(n->cookie) : NULL;
	if (reg && is_self(proc)) {
		callback = reg->callback;
		context = reg->context;
		proc->running = callback ? n->cookie : 0;
		merge(reg, n);
	}
	etw_fork_state_unlock(proc, &saved);
	if (!callback)
		return;

	logger_id = n->logger_id;
	callback(&source, n->control, n->level, n->any, n->all,
		 filter.Size ? &filter : NULL, context);

	etw_fork_state_lock(proc, &saved);
	/* A child forked by the callback must not touch this state. */
	if (is_self(proc)) {
		proc->running = 0;
		reg = etw_reg_find(n->cookie);
		if (reg)
			reg->due = 0;
		pthread_cond_broadcast(&proc->changed);
	}
	etw_fork_state_unlock(proc, &saved);
}

/* The thread's inputs, copied under the lock. */
struct work {
	int fd;
	struct etw_kdev_id id;
	struct etw_poll_wakeup wake;
	bool attached;
	uint32_t epoch;
	uint64_t asked;
	struct etw_private_notice *notice;	/* taken from the queue; or NULL */
};

/* Returns false when the thread must end. */
static bool get_work(struct etw_fork_state *proc, struct work *work)
{
	struct etw_fork_state_saved saved;
	bool go_on;

	etw_fork_state_lock(proc, &saved);
	go_on = is_self(proc) && proc->state == ETW_THREAD_RUNS;
	work->fd = proc->fd;
	work->id = proc->id;
	work->wake = proc->wake;
	work->attached = atomic_load(&proc->attached);
	work->epoch = atomic_load(&proc->epoch);
	work->asked = proc->asked;
	work->notice = go_on ? proc->notices : NULL;
	if (work->notice)
		proc->notices = work->notice->next;
	etw_fork_state_unlock(proc, &saved);
	return go_on;
}

static void run_notice(struct etw_fork_state *proc, struct etw_private_notice *notice)
{
	struct etw_fork_state_saved saved;

	run(proc, &notice->n);
	free(notice);
	etw_fork_state_lock(proc, &saved);
	if (is_self(proc)) {
		proc->notices_done++;
		pthread_cond_broadcast(&proc->changed);
	}
	etw_fork_state_unlock(proc, &saved);
}

uint64_t etw_callback_queue(struct etw_fork_state *proc, struct etw_private_notice *notice)
{
	struct etw_private_notice **end = &proc->notices;

	while (*end)
		end = &(*end)->next;
	*end = notice;
	proc->noticed++;
	if (!etw_callback_start(proc) && proc->state == ETW_THREAD_RUNS)
		etw_poll_wakeup_signal(&proc->wake);
	return proc->noticed;
}

bool etw_callback_wait_queued(struct etw_fork_state *proc, uint64_t number, uint32_t timeout_ms)
{
	struct timespec end;
	int ret = 0;

	if (is_self(proc))
		return !number || timeout_ms == 0;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += timeout_ms / 1000;
	end.tv_nsec += timeout_ms % 1000 * 1000000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_sec++;
		end.tv_nsec -= 1000000000;
	}
	while (proc->notices_done < number && proc->state != ETW_THREAD_NONE && !ret) {
		if (timeout_ms == UINT32_MAX)
			ret = pthread_cond_wait(&proc->changed, &proc->lock);
		else
			ret = pthread_cond_clockwait(&proc->changed, &proc->lock, CLOCK_MONOTONIC,
						     &end);
	}
	return proc->notices_done >= number || proc->state == ETW_THREAD_NONE;
}

/* Registrations up to asked need not wait for a callback on this descriptor. */
static void answer(struct etw_fork_state *proc, const struct work *work, uint64_t asked)
{
	struct etw_fork_state_saved saved;

	etw_fork_state_lock(proc, &saved);
	if (is_self(proc) && atomic_load(&proc->epoch) == work->epoch &&
	    proc->answered < asked) {
		proc->answered = asked;
		pthread_cond_broadcast(&proc->changed);
	}
	etw_fork_state_unlock(proc, &saved);
}

/* Wait for a notification or a wake-up; timeout_ms -1: without a limit. */
static void wait_for_work(const struct work *work, bool device, int timeout_ms)
{
	struct pollfd fds[2] = {
		{ .fd = work->wake.fds[0], .events = POLLIN },
		{ .fd = device ? work->fd : -1, .events = POLLIN },
	};

	etw_kdev_poll(fds, 2, timeout_ms);
	if (fds[0].revents)
		etw_poll_wakeup_clear(&work->wake);
	/* An error that polling does not clear: sleep instead of spinning. */
	if ((fds[0].revents | fds[1].revents) & (POLLERR | POLLHUP) ||
	    fds[0].revents & POLLNVAL)
		etw_kdev_poll(NULL, 0, 1000);
}

static void *thread_main(void *arg)
{
	uint64_t data[ETW_FILTER_CHAIN_MAX / sizeof(uint64_t)];
	struct etw_fork_state *proc = arg;
	uint32_t bad_epoch = 0;
	bool bad = false;
	struct work work;

	while (get_work(proc, &work)) {
		struct etw_notify n = { .filter = (uintptr_t)data, .filter_cap = sizeof(data) };
		int ret;

		if (work.notice) {
			run_notice(proc, work.notice);
			continue;
		}
		/* After a failure, or without a device, wait for another descriptor. */
		if ((work.fd < 0 && work.attached) || (bad && bad_epoch == work.epoch)) {
			answer(proc, &work, UINT64_MAX);
			wait_for_work(&work, false, -1);
			continue;
		}
		bad = false;
		if (etw_kdev_is(work.fd, &work.id))
			ret = etw_kdev_notify(work.fd, &n);
		else
			ret = -EBADF;
		if (!ret) {
			run(proc, &n);
		} else if (ret == -EAGAIN) {
			answer(proc, &work, work.asked);
			wait_for_work(&work, true, -1);
		} else if (etw_is_stale(ret)) {
			if (etw_reg_attach(proc, work.epoch)) {
				/* It cannot be opened now: try again in a second. */
				answer(proc, &work, UINT64_MAX);
				wait_for_work(&work, false, 1000);
			}
		} else {
			bad = true;
			bad_epoch = work.epoch;
		}
	}
	return NULL;
}

/* The thread ends here, by itself if a callback requested it. */
static void *thread_start(void *arg)
{
	struct etw_fork_state *proc = arg;
	struct etw_fork_state_saved saved;

	thread_main(proc);
	etw_fork_state_lock(proc, &saved);
	if (is_self(proc) && proc->detached) {
		etw_poll_wakeup_close(&proc->wake);
		proc->detached = false;
		proc->state = ETW_THREAD_NONE;
		pthread_detach(pthread_self());
		pthread_cond_broadcast(&proc->changed);
	}
	etw_fork_state_unlock(proc, &saved);
	return NULL;
}

int etw_callback_start(struct etw_fork_state *proc)
{
	int ret;

	if (proc->state == ETW_THREAD_STOPS && is_self(proc)) {
		/* A callback is registering. The thread that joins this one restarts it. */
		if (!proc->detached)
			return 0;
		proc->detached = false;
		proc->state = ETW_THREAD_RUNS;
	}
	while (proc->state == ETW_THREAD_STOPS)
		pthread_cond_wait(&proc->changed, &proc->lock);
	if (proc->state == ETW_THREAD_RUNS)
		return 0;
	ret = etw_poll_wakeup_open(&proc->wake);
	if (ret)
		return ret;
	/* Signals are blocked under the lock; the new thread inherits the mask. */
	ret = -pthread_create(&proc->thread, NULL, thread_start, proc);
	if (ret) {
		etw_poll_wakeup_close(&proc->wake);
		return ret;
	}
	proc->state = ETW_THREAD_RUNS;
	return 0;
}

void etw_callback_moved(struct etw_fork_state *proc)
{
	pthread_cond_broadcast(&proc->changed);
	if (proc->state == ETW_THREAD_RUNS)
		etw_poll_wakeup_signal(&proc->wake);
}

void etw_callback_wait(struct etw_fork_state *proc, uint64_t handle)
{
	while (proc->running == handle && !is_self(proc))
		pthread_cond_wait(&proc->changed, &proc->lock);
}

void etw_callback_wait_first(struct etw_fork_state *proc, struct etw_reg *reg, uint64_t handle)
{
	if (!reg->due || is_self(proc))
		return;
	/* Wake the thread, even if nothing is queued. */
	if (proc->state == ETW_THREAD_RUNS)
		etw_poll_wakeup_signal(&proc->wake);
	while (etw_reg_find(handle) && reg->due > proc->answered &&
	       proc->state != ETW_THREAD_NONE)
		pthread_cond_wait(&proc->changed, &proc->lock);
	/* The registration has ended meanwhile, perhaps in the callback itself. */
	if (!etw_reg_find(handle))
		etw_callback_wait(proc, handle);
}

void etw_callback_stop(struct etw_fork_state *proc, struct etw_fork_state_saved *saved)
{
	pthread_t thread = proc->thread;
	int cancel;

	if (proc->state != ETW_THREAD_RUNS)
		return;
	proc->state = ETW_THREAD_STOPS;
	if (is_self(proc)) {
		proc->detached = true;
		return;
	}
	etw_poll_wakeup_signal(&proc->wake);
	etw_fork_state_unlock(proc, saved);
	/* Other threads wait for the state that follows; do not get cancelled here. */
	cancel = etw_cancel_hold();
	pthread_join(thread, NULL);
	etw_cancel_allow(cancel);
	etw_fork_state_lock(proc, saved);
	etw_poll_wakeup_close(&proc->wake);
	proc->state = ETW_THREAD_NONE;
	pthread_cond_broadcast(&proc->changed);
	if (proc->callbacks && proc->fd >= 0)
		etw_callback_start(proc);
}
