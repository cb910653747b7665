// SPDX-License-Identifier: GPL-2.0-only
/*
 * grow.c - a session's pool grows, and the ring of a BUFFERING session when CPUs come online
 *
 * New buffers are charged to the control group of the process that started the session, so
 * getting one may take as long as that group needs to reclaim memory.  The work that does it is
 * one that nobody waits for, not even the session's stop: it has a reference instead, and holds
 * session->lock only to look whether a buffer is wanted, and to add one.
 */
#include "buffer.h"
#include "deliver.h"
#include "grow.h"
#include "session.h"

static void grow_work(struct work_struct *work)
{
	struct etw_trace_session *s = container_of(work, struct etw_trace_session, grow_work);
	struct etw_buffer *b;

	mutex_lock(&s->lock);
	while (etw_deliver_wants_buffer(s)) {
		s->growth.since = jiffies;
		s->growth.allocates = true;
		b = etw_buffer_grow(s);
		s->growth.allocates = false;
		/* One that came too late is freed with the session. */
		if (!b || s->state != ETW_RUNNING)
			break;
		if (s->hot.buffering)
			etw_buffer_widen(s, b);
		else
			etw_buffer_add(s, b);
	}
	if (etw_deliver_lacks_cpus(s)) {
		mutex_unlock(&s->lock);
		mutex_lock(&s->flush_lock);
		mutex_lock(&s->lock);
		etw_session_fit_cpus(s);
		mutex_unlock(&s->flush_lock);
	}
	s->growing = false;
	etw_deliver_replenish(s);
	mutex_unlock(&s->lock);
	wake_up_interruptible_all(&s->wait);
	etw_session_put_later(s);
}

void etw_grow_init(struct etw_trace_session *s)
{
	INIT_WORK(&s->grow_work, grow_work);
}
