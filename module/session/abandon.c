// SPDX-License-Identifier: GPL-2.0-only
/*
 * abandon.c - buffers in which a writer never finishes
 *
 * A task that dies between reserve and commit, from an oops, leaves a slot that is never
 * committed, so its buffer never becomes complete, and the later buffers of its CPU would
 * wait for it for ever.  A flush finds such buffers, and so does a sweep soon after a buffer
 * begins to wait or the pool is empty: writers do not sleep, so one that was closed before a
 * grace period and is not complete after it is abandoned.
 *
 * It is then lost with its events, and keeps its place in its CPU's order.  Nobody uses its
 * memory again before the session is freed; another buffer takes its place in the pool.
 */
#include "abandon.h"
#include "buffer.h"
#include "ledger.h"

/* Is it closed, and a slot in it not committed?  One reading of the word tells. */
static bool incomplete(u64 commit)
{
	u32 low = commit;

	return low > ETW_COMMIT_BIAS / 2 && low < ETW_COMMIT_BIAS;
}

/* Before a grace period: remember the buffers that must be complete after it.  Are there any? */
bool etw_abandon_mark(struct etw_trace_session *s)
{
	struct etw_buffer *b;
	bool any = false;
	u64 commit;
	u32 i;

	lockdep_assert_held(&s->lock);
	for (i = 1; i <= s->entries; i++) {
		b = etw_buffer_of(s->hot.ring.pool.table[i]);
		commit = etw_word_read(&b->buf.commit);
		b->marked = incomplete(commit) && !b->abandoned;
		if (!b->marked)
			continue;
		smp_rmb();	/* the word, then what it belongs to */
		b->marked_cpu = READ_ONCE(b->buf.cpu);
		b->marked_generation = READ_ONCE(b->buf.generation);
		smp_rmb();	/* a BUFFERING session may have begun to use it again */
		b->marked = etw_word_read(&b->buf.commit) == commit;
		any |= b->marked;
	}
	return any;
}

/*
 * After the grace period, and after all complete buffers were taken over: is b one that was
 * marked and is still incomplete?  Then it is abandoned from now on.
 */
bool etw_abandon_marked(struct etw_trace_session *s, struct etw_buffer *b)
{
	lockdep_assert_held(&s->lock);
	if (!b->marked)
		return false;
	b->marked = false;
	b->abandoned = incomplete(etw_word_read(&b->buf.commit)) &&
		       b->marked_cpu == READ_ONCE(b->buf.cpu) &&
		       b->marked_generation == READ_ONCE(b->buf.generation);
	return b->abandoned;
}

/* Count the buffer, and the events in it that were written, as lost. */
void etw_abandon_count(struct etw_trace_session *s, struct etw_buffer *b)
{
	const struct etw_buffer_header *h = (const void *)b->buf.data;
	u32 events = ETW_COMMIT_COUNT(etw_word_read(&b->buf.commit));

	lockdep_assert_held(&s->lock);
	etw_ledger_abandoned(s, b->buf.cpu, events + 1, 1, h->ref_clock);
	WRITE_ONCE(s->abandoned_events, s->abandoned_events + events);
	WRITE_ONCE(s->abandoned_buffers, s->abandoned_buffers + 1);
	WRITE_ONCE(s->hot.losing, true);
}

/*
 * Make room in the table for a buffer in place of each abandoned one.  Without memory the
 * session has fewer buffers until the next sweep or flush.  Under flush_lock, too; releases the
 * other lock meanwhile.
 */
void etw_abandon_replace(struct etw_trace_session *s)
{
	u64 capacity = etw_buffers_capacity(s, s->max_buffers) + s->abandoned_buffers;
	struct etw_buffer *b;

	lockdep_assert_held(&s->lock);
	if (!s->abandoned_buffers || capacity > U16_MAX || etw_buffers_reserve(s, capacity))
		return;
	/* The ring of a BUFFERING session does not grow by itself. */
	while (s->hot.buffering && s->replaced_buffers < s->abandoned_buffers) {
		b = etw_buffer_alloc(s);
		if (!b)
			return;
		s->replaced_buffers++;
		etw_pool_push(&s->hot.ring.pool, b->buf.index);
	}
}

/* At the end, when no writer is left: what was written and is nowhere is lost. */
void etw_abandon_balance(struct etw_trace_session *s)
{
	u64 written = etw_session_written(s), known;

	lockdep_assert_held(&s->lock);
	known = s->events_delivered + atomic64_read(&s->overwritten_events) +
		s->abandoned_events;
	if (written <= known)
		return;
	etw_ledger_abandoned(s, -1, written - known, 0, s->start.clock);
	WRITE_ONCE(s->abandoned_events, s->abandoned_events + written - known);
}
