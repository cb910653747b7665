// SPDX-License-Identifier: GPL-2.0-only
/*
 * consumer.c - a consumer's cursor in the queue of its session
 *
 * The session's queue holds the delivered buffers, oldest first.  A consumer's cursor is
 * the next buffer it will take; buffer->pending counts the cursors at or before the
 * buffer, and buffer->held the consumers that took it and have not given it back.  A
 * buffer leaves the queue when pending falls to 0, which happens only at the head of
 * the queue, and returns to the pool when held is 0 too.  Without consumers the queue
 * is a backlog for the next consumer.
 *
 * Buffers are shared, so what one consumer loses is recorded in a buffer of its own, the
 * stand-in, which it takes at the place of the gap: before the buffer at its cursor.  It has
 * that buffer from the beginning, because memory may be short when something is lost; until
 * it can be used, consumer->gap adds up the losses.
 *
 * All under session->lock, which is never held while a buffer is copied.
 */
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "buffer.h"
#include "consumer.h"
#include "ledger.h"

static struct etw_buffer *next_in_queue(struct etw_trace_session *s, struct etw_buffer *b)
{
	return list_is_last(&b->node, &s->queue) ? NULL : list_next_entry(b, node);
}

static void buffer_unpend(struct etw_trace_session *s, struct etw_buffer *b)
{
	if (--b->pending)
		return;
	list_del_init(&b->node);
	if (!b->held)
		etw_buffer_recycle(s, b);
}

static void buffer_unhold(struct etw_trace_session *s, struct etw_buffer *b)
{
	if (!--b->held && !b->pending && !b->stand_in)
		etw_buffer_recycle(s, b);
}

/* A buffer was added at the end of the queue. */
void etw_consumers_append(struct etw_trace_session *s, struct etw_buffer *b)
{
	struct etw_consumer *c;

	lockdep_assert_held(&s->lock);
	b->pending = s->consumer_count;
	list_for_each_entry(c, &s->consumers, node)
		if (!c->cursor)
			WRITE_ONCE(c->cursor, b);
}

/* Drop the head of the queue; the consumers that have not taken it lose it. */
void etw_consumers_drop(struct etw_trace_session *s, struct etw_buffer *b)
{
	struct etw_buffer *next = next_in_queue(s, b);
	struct etw_consumer *c;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(c, &s->consumers, node) {
		if (c->cursor != b)
			continue;
		WRITE_ONCE(c->cursor, next);
		c->info.buffers_lost++;
		c->info.events_lost += b->events;
		etw_ledger_miss(s, &c->gap, b, c->lost_as);
	}
	if (s->consumer_count) {
		s->rt_buffers_lost++;
	} else {
		s->discarded_buffers++;
		s->discarded_events += b->events;
		etw_ledger_miss(s, &s->unread, b, ETW_LOSS_UNREAD);
	}
	b->pending = 1;
	buffer_unpend(s, b);
}

/*
 * Have a buffer for losses ready.  Without memory there is none until one is needed.  Releases
 * session->lock meanwhile.
 */
void etw_consumer_prepare(struct etw_consumer *c)
{
	struct etw_buffer *b;

	lockdep_assert_held(&c->session->lock);
	if (c->stand_in)
		return;
	b = etw_buffer_stand_in(c->session);
	/* Two threads of the reader may both have found none. */
	if (b && c->stand_in)
		list_add(&b->node, &c->session->stand_ins);
	else if (b)
		c->stand_in = b;
}

/* Make the buffer that records the gap before the cursor; NULL: there is none for it. */
static struct etw_buffer *consumer_stand_in(struct etw_consumer *c)
{
	struct etw_trace_session *s = c->session;
	struct etw_buffer *b = c->stand_in;
	u32 built;

	if (!b)
		return NULL;
	b->sequence = c->gap.last.sequence;
	b->events = 0;
	b->records_at = ETW_BUFFER_HEADER_SIZE;
	b->buf.cpu = c->gap.last.processor;
	b->buf.closed = c->gap.closed;
	built = etw_ledger_stand_in(s, &c->gap, b->buf.data, &b->buf.used);
	memset(b->buf.data + b->buf.used, ETW_TAIL_BYTE, s->hot.ring.size - b->buf.used);
	etw_losses_clear(&c->gap, built);
	return b;
}

/*
 * Take the next buffer.  -EAGAIN: there is none yet; -ENODATA: none will come; -EBUSY:
 * the consumer holds too many, or the one that the next gap needs.
 */
int etw_consumer_take(struct etw_consumer *c, struct etw_buffer **taken)
{
	struct etw_trace_session *s = c->session;
	struct etw_buffer *b, *stand_in = NULL;
	int i;

	lockdep_assert_held(&s->lock);
	if (c->gap.missing)
		etw_consumer_prepare(c);	/* first, as it may release the lock */
	etw_consumer_runs(c);
	b = c->cursor;
	if (!b && !c->gap.missing)
		return s->state == ETW_STOPPED ? -ENODATA : -EAGAIN;
	for (i = 0; i < ETW_CONSUMER_HELD && c->held[i]; i++)
		;
	if (i == ETW_CONSUMER_HELD || (c->gap.missing && c->stand_in && c->stand_in->held))
		return -EBUSY;
	if (c->gap.missing)
		stand_in = consumer_stand_in(c);
	if (stand_in) {
		c->held[i] = stand_in;
		stand_in->held++;
		c->info.held++;
		*taken = stand_in;
		return 0;
	}
	if (!b)
		return s->state == ETW_STOPPED ? -ENODATA : -EAGAIN;
	WRITE_ONCE(c->cursor, next_in_queue(s, b));
	c->held[i] = b;
	b->held++;
	buffer_unpend(s, b);
	c->info.held++;
	c->info.buffers++;
	c->info.events += b->events;
	*taken = b;
	return 0;
}

/* Return the buffer with this index if the consumer holds it, else NULL. */
struct etw_buffer *etw_consumer_held(struct etw_consumer *c, u32 index)
{
	int i;

	lockdep_assert_held(&c->session->lock);
	for (i = 0; i < ETW_CONSUMER_HELD; i++)
		if (c->held[i] && c->held[i]->buf.index == index)
			return c->held[i];
	return NULL;
}

/* Give back a buffer that the consumer holds. */
void etw_consumer_give(struct etw_consumer *c, struct etw_buffer *b)
{
	int i;

	lockdep_assert_held(&c->session->lock);
	for (i = 0; c->held[i] != b; i++)
		;
	c->held[i] = NULL;
	c->info.held--;
	buffer_unhold(c->session, b);
}

/* Give back a buffer that it took and did not get: it has lost it. */
void etw_consumer_untake(struct etw_consumer *c, struct etw_buffer *b)
{
	lockdep_assert_held(&c->session->lock);
	if (b->stand_in) {
		etw_losses_add_records(&c->gap, b->buf.data, b->records_at, b->buf.used);
		etw_losses_add_missing_buffer(&c->gap, (struct etw_buffer_header *)b->buf.data,
					      b->buf.closed);
	} else {
		etw_ledger_miss(c->session, &c->gap, b, c->lost_as);
		c->info.buffers--;
		c->info.events -= b->events;
		c->info.buffers_lost++;
		c->info.events_lost += b->events;
		c->session->rt_buffers_lost++;
	}
	etw_consumer_give(c, b);
}

static u64 consumer_backlog(struct etw_consumer *c)
{
	struct etw_trace_session *s = c->session;
	struct etw_buffer *b = c->cursor;

	/* Sequence numbers of a queue have no gaps. */
	return b ? s->next_sequence - b->sequence : 0;
}

void etw_consumer_info(struct etw_consumer *c, struct etw_consumer_info *info)
{
	*info = c->info;
	info->backlog = consumer_backlog(c);
}

/* Take up to room waiting buffers and return their number. */
u32 etw_consumer_take_some(struct etw_consumer *c, struct etw_buffer **list, u32 room)
{
	struct etw_trace_session *s = c->session;
	struct etw_buffer *b;
	u32 n;

	lockdep_assert_held(&s->lock);
	for (n = 0; n < room && c->cursor; n++) {
		b = c->cursor;
		WRITE_ONCE(c->cursor, next_in_queue(s, b));
		b->held++;
		buffer_unpend(s, b);
		c->info.held++;
		c->info.buffers++;
		c->info.events += b->events;
		list[n] = b;
	}
	return n;
}

/* Give back buffers taken by etw_consumer_take_some(). */
void etw_consumer_give_some(struct etw_consumer *c, struct etw_buffer **list, u32 count)
{
	u32 i;

	lockdep_assert_held(&c->session->lock);
	for (i = 0; i < count; i++)
		buffer_unhold(c->session, list[i]);
	c->info.held -= count;
}

/*
 * Hold all waiting buffers without taking them, store them in list, and return their
 * number.  If there are more than room, none is held.
 */
u32 etw_consumer_hold(struct etw_consumer *c, struct etw_buffer **list, u32 room)
{
	u32 i, count = consumer_backlog(c);
	struct etw_buffer *b = c->cursor;

	lockdep_assert_held(&c->session->lock);
	if (count > room)
		return count;
	for (i = 0; i < count; i++, b = next_in_queue(c->session, b)) {
		b->held++;
		list[i] = b;
	}
	return count;
}

/*
 * Release the buffers that etw_consumer_hold() held.  taken: they count as taken; otherwise
 * they keep waiting.
 */
void etw_consumer_release(struct etw_consumer *c, struct etw_buffer **list, u32 count,
			  bool taken)
{
	struct etw_trace_session *s = c->session;
	struct etw_buffer *b;
	u32 i;

	lockdep_assert_held(&s->lock);
	for (i = 0; i < count; i++) {
		b = list[i];
		/* A buffer dropped in the meantime is behind the cursor. */
		if (taken && b == c->cursor) {
			WRITE_ONCE(c->cursor, next_in_queue(s, b));
			c->info.buffers++;
			c->info.events += b->events;
			buffer_unpend(s, b);
		}
		buffer_unhold(s, b);
	}
}

/* A writer meanwhile compares with NULL, with one twice, or with one that has left. */
static void readers_note(struct etw_trace_session *s)
{
	struct etw_session_hot *hot = &s->hot;
	const struct etw_consumer *c;
	u32 n = 0, i;

	list_for_each_entry(c, &s->consumers, node)
		if (c->tgid && n < ETW_READERS_KNOWN)
			WRITE_ONCE(hot->readers[n++], c->tgid);
	WRITE_ONCE(hot->reader_count, n);
	for (i = n; i < ETW_READERS_KNOWN; i++)
		WRITE_ONCE(hot->readers[i], NULL);
}

/* The calling process reads for c: the kernel's own events that it causes are left out. */
void etw_consumer_runs(struct etw_consumer *c)
{
	struct pid *before = c->tgid;

	lockdep_assert_held(&c->session->lock);
	if (likely(before == task_tgid(current)))
		return;
	c->tgid = get_pid(task_tgid(current));
	readers_note(c->session);
	put_pid(before);
}

/*
 * Begin to consume; c is zero except for info.pid and lost_as.  A session's first consumer
 * gets the backlog.  -ESHUTDOWN: the session stops; -ENOSPC: it has too many consumers.
 */
int etw_consumer_attach(struct etw_trace_session *s, struct etw_consumer *c)
{
	struct etw_buffer *b;
	int err = 0;

	mutex_lock(&s->lock);
	if (s->state != ETW_RUNNING)
		err = -ESHUTDOWN;
	else if (s->consumer_count >= ETW_CONSUMERS_MAX)
		err = -ENOSPC;
	if (err)
		goto out;
	c->session = s;
	if (!s->consumer_count) {
		etw_losses_move(&c->gap, &s->unread);
		c->cursor = list_first_entry_or_null(&s->queue, struct etw_buffer,
						     node);
		list_for_each_entry(b, &s->queue, node)
			b->pending = 1;
	}
	WRITE_ONCE(s->dry, ETW_DRY_NOT);	/* there is a backlog to drop now */
	s->consumer_count++;
	list_add_tail(&c->node, &s->consumers);
	/* A log file's thread does not run yet. */
	if (c->info.pid)
		etw_consumer_runs(c);
out:
	mutex_unlock(&s->lock);
	return err;
}

/* Stop consuming, and give back the buffers in c->held. */
void etw_consumer_detach_locked(struct etw_consumer *c)
{
	struct etw_trace_session *s = c->session;
	struct etw_buffer *b, *next;
	bool last;
	int i;

	lockdep_assert_held(&s->lock);
	list_del(&c->node);
	readers_note(s);
	put_pid(c->tgid);
	c->tgid = NULL;
	last = --s->consumer_count == 0;
	for (b = c->cursor; b; b = next) {
		next = next_in_queue(s, b);
		if (last && s->state != ETW_STOPPED)
			b->pending = 0;	/* a backlog for the next consumer */
		else
			buffer_unpend(s, b);
	}
	for (i = 0; i < ETW_CONSUMER_HELD; i++)
		if (c->held[i])
			buffer_unhold(s, c->held[i]);
	if (c->stand_in)
		list_add(&c->stand_in->node, &s->stand_ins);
	if (last)
		etw_losses_move(&s->unread, &c->gap);
}

void etw_consumer_detach(struct etw_consumer *c)
{
	struct etw_trace_session *s = c->session;

	mutex_lock(&s->lock);
	etw_consumer_detach_locked(c);
	mutex_unlock(&s->lock);
}

/* Fill info for up to capacity consumers and return how many there are. */
u32 etw_consumers_info(struct etw_trace_session *s, struct etw_consumer_info *info,
		       u32 capacity)
{
	struct etw_consumer *c;
	u32 n = 0;

	mutex_lock(&s->lock);
	list_for_each_entry(c, &s->consumers, node) {
		if (n < capacity)
			etw_consumer_info(c, &info[n]);
		n++;
	}
	mutex_unlock(&s->lock);
	return n;
}
