// SPDX-License-Identifier: MIT
/*
 * thread.c - the thread that writes a private session's file
 *
 * It sleeps until a buffer is full, or, if the session has a flush timer, until that time has
 * passed since a buffer was taken into use. An idle session has no timer.
 */
#include <errno.h>
#include <signal.h>

#include "private_session.h"

/* When the flush timer ends that runs since then; a new length counts from there, too. */
static uint64_t timer_end(struct private_session *s, uint64_t since)
{
	return since + atomic_load(&s->flush_ms) * 1000000ULL;
}

/* Wait for work; true: the flush timer, which runs since *since (0: not), is over. */
static bool wait_for_work(struct private_session *s, uint64_t *since)
{
	uint64_t end = timer_end(s, *since);
	struct timespec until = { .tv_sec = end / 1000000000, .tv_nsec = end % 1000000000 };
	int ret;

	do
		ret = *since ? sem_clockwait(&s->work, CLOCK_MONOTONIC, &until) : sem_wait(&s->work);
	while (ret && errno == EINTR);
	atomic_store(&s->woken, false);
	if (!*since && atomic_load(&s->armed))
		*since = private_ns(CLOCK_MONOTONIC);
	if (!*since || private_ns(CLOCK_MONOTONIC) < timer_end(s, *since))
		return false;
	*since = 0;
	return true;
}

static void *thread_main(void *arg)
{
	struct private_session *s = arg;
	uint64_t since = 0;

	while (!atomic_load(&s->stopping)) {
		bool flush = wait_for_work(s, &since);

		pthread_mutex_lock(&s->lock);
		if (flush) {
			/* Before it looks for buffers: see ring_installed(). */
			atomic_store(&s->armed, false);
			etw_private_deliver_all(s);
		} else {
			etw_private_deliver(s);
		}
		pthread_mutex_unlock(&s->lock);
	}
	return NULL;
}

/* All signals are blocked by the caller, and the thread inherits that. */
int etw_private_thread_start(struct private_session *s)
{
	int err;

	atomic_store(&s->stopping, false);
	err = -pthread_create(&s->thread, NULL, thread_main, s);
	s->threaded = !err;
	if (!err)
		pthread_setname_np(s->thread, "etw-private");
	return err;
}

void etw_private_thread_stop(struct private_session *s)
{
	if (!s->threaded)
		return;
	atomic_store(&s->stopping, true);
	sem_post(&s->work);
	pthread_join(s->thread, NULL);
	s->threaded = false;
}
