// SPDX-License-Identifier: GPL-2.0-only
/*
 * losses.c - record in a log file what is missing in it
 *
 * Buffers that could not be written, or that were dropped because the disk was slow, are added
 * up in target->missed.  A buffer that records them stands before the next one that is
 * written, or at the end of the file.  Without room for it, the records go behind the header
 * in the file's first buffer, which needs no more room on the disk; they have the time of that
 * header there, because a CPU's records must be in order.
 *
 * If another process cuts the file off, what it had is missing.  So target has the number of its
 * events, and of a circular file that of each buffer, which a newer one overwrites.
 *
 * A disk may also lose what it has taken, and nobody knows which buffers that were.  Then the
 * file's first buffer says that some are missing.
 *
 * With the credentials and the cgroup of target_write.c, under no lock.
 */
#include <linux/slab.h>

#include "core/losses.h"
#include "alloc.h"
#include "logfile.h"
#include "session/ledger.h"

/* ------------------------------------------------------------ what the file has */

#define SLOTS_MAX	(1U << 20)	/* buffers of a circular file whose events are counted: 4 MB */
#define STAND_IN	U32_MAX		/* in slots, instead of events: none of the session's buffers */

/* The file begins: nothing is in it.  Without memory the events of a circle are not counted. */
void etw_logtarget_count_anew(struct etw_logtarget *t, u32 size)
{
	u64 slots = t->mode & ETW_MODE_CIRCULAR ? div_u64(t->limit, size) : 0;

	t->events = 0;
	t->uncounted = false;
	t->stand_ins = 0;
	t->old_buffers = 0;
	if (t->slots)
		memset(t->slots, 0, slots * sizeof(*t->slots));
	else if (slots && slots <= SLOTS_MAX)
		t->slots = kvcalloc(slots, sizeof(*t->slots), ETW_GFP);
}

/* From now on newer buffers overwrite older ones, whose events only slots know. */
void etw_logtarget_come_round(struct etw_logtarget *t)
{
	if (t->slots)
		return;
	t->events = 0;
	t->uncounted = true;
	t->stand_ins = 0;
}

/* A buffer with these events, or a stand-in, is in this slot, and not what was there before. */
static void slot_fill(struct etw_logtarget *t, u64 slot, u32 content)
{
	if (!t->slots)
		return;
	if (t->slots[slot] == STAND_IN)
		t->stand_ins--;
	else
		t->events -= t->slots[slot];
	t->slots[slot] = content;
}

/* These buffers were written: remember what would be missing if another process cut them off. */
void etw_logtarget_note(struct etw_logtarget *t, struct etw_trace_session *s,
			struct etw_buffer *const *list, u32 count)
{
	const struct etw_buffer *b = list[0];
	const struct etw_buffer_header *h = (const void *)b->buf.data;
	u64 slot = div_u64(t->at, s->hot.ring.size);
	u32 i;

	if (!t->first_time)
		t->first_time = etw_ledger_time(s, min_t(u64, h->ref_clock, b->buf.closed));
	for (i = 0; i < count; i++) {
		b = list[i];
		slot_fill(t, slot + i, b->events);
		t->events += b->events;
		t->header.processors = max_t(u32, t->header.processors, b->buf.cpu + 1);
		if (unlikely(b->records_at < b->buf.used))
			etw_losses_add_records(&t->recorded, b->buf.data, b->records_at, b->buf.used);
	}
	t->last = *(const struct etw_buffer_header *)b->buf.data;
	t->last_closed = b->buf.closed;
}

/* A loss of some of the file's buffers, of which nobody knows how many, or which */
static struct etw_loss_payload loss_of_some(const struct etw_logtarget *t,
					    const struct etw_trace_session *s, u32 code)
{
	struct etw_loss_payload loss = {
		.code = code,
		.cpu = -1,
		.events = -1,
		.buffers = -1,
		.first = t->old_buffers ? t->header.start_time : t->first_time ?: s->start.wall,
		.last = t->first_time ? etw_ledger_time(s, t->last_closed) : s->start.wall,
	};

	loss.first = min(loss.first, loss.last);
	return loss;
}

/*
 * All buffers of the file were cut off: they are missing, with their records.  The record of that
 * includes those of earlier sessions, whose events nobody counted; the session's numbers do not.
 */
static void record_cut(struct etw_logtarget *t, struct etw_trace_session *s, u64 buffers)
{
	struct etw_loss_payload loss = loss_of_some(t, s, ETW_LOSS_FILE_CUT);

	if (!t->uncounted && !t->old_buffers)
		loss.events = t->events;
	loss.buffers = buffers;
	etw_losses_add(t->missed, &loss);
	/* What is missing already is later. */
	if (t->first_time && !t->missed->missing)
		etw_losses_add_missing_buffer(t->missed, &t->last, t->last_closed);
	etw_losses_move(t->missed, &t->recorded);
}

/* Another process shortened the file, which begins again: count what is gone. */
void etw_logtarget_note_cut(struct etw_logtarget *t, struct etw_trace_session *s)
{
	u64 buffers = div_u64(t->bytes, s->hot.ring.size) - 1;

	/* A buffer that only recorded losses was none of the session's. */
	buffers -= min(buffers, t->stand_ins);
	if ((t->first_time || t->old_buffers) && t->missed)
		record_cut(t, s, buffers);
	t->cut_buffers += buffers - min(buffers, t->old_buffers);
	t->cut_events += t->events;
	t->old_buffers_lost = min_t(u64, t->old_buffers_lost + t->old_buffers, U32_MAX);
	memset(&t->recorded, 0, sizeof(t->recorded));
	t->first_time = 0;
	etw_logtarget_count_anew(t, s->hot.ring.size);
}

/* ----------------------------------------------------------- recording losses */

/* Are buffers missing behind the last one of the file? */
bool etw_logtarget_misses(const struct etw_logtarget *t)
{
	return t->missed && t->missed->missing &&
	       (!t->first_time || t->missed->last.sequence > t->last.sequence);
}

/*
 * Write a buffer that records the missing ones where the next buffer goes.  Its first part is
 * written last: what is there before that is no buffer.
 */
int etw_logtarget_put_losses(struct etw_logtarget *t, struct etw_trace_session *s)
{
	const u8 *tail = t->block + ETW_STAND_IN_ROOM;
	u64 end = t->at + s->hot.ring.size, at;
	u32 used, built;
	int err = 0;

	built = etw_ledger_stand_in(s, t->missed, t->block, &used);
	memset(t->block + used, ETW_TAIL_BYTE, ETW_STAND_IN_ROOM - used);
	for (at = t->at + ETW_STAND_IN_ROOM; at < end && !err;)
		err = etw_logtarget_write_at(t, tail, ETW_STAND_IN_ROOM, &at);
	at = t->at;
	err = err ?: etw_logtarget_write_at(t, t->block, ETW_STAND_IN_ROOM, &at);
	if (err)
		return err;
	slot_fill(t, div_u64(t->at, s->hot.ring.size), STAND_IN);
	t->stand_ins++;
	etw_logtarget_append(t, end - t->at > ETW_STAND_IN_ROOM ? tail : t->block,
			     ETW_STAND_IN_ROOM, end);
	t->header.processors = max_t(u32, t->header.processors, t->missed->last.processor + 1);
	t->last = t->missed->last;
	t->last_closed = t->missed->closed;
	if (!t->first_time)
		t->first_time = etw_ledger_time(s, t->last_closed);
	etw_losses_add_records(&t->recorded, t->block, ETW_BUFFER_HEADER_SIZE, used);
	etw_losses_clear(t->missed, built);
	return 0;
}

/* Add len bytes of records, a multiple of 8, to the file's first buffer, which has room. */
int etw_logtarget_add_to_head(struct etw_logtarget *t, const void *records, u32 len)
{
	u32 used = t->head_used + len, both[2] = { used, used };
	u64 at = t->head_used;
	int err;

	/* First the records, then the sizes that make them valid. */
	err = etw_logtarget_write_at(t, records, len, &at);
	at = offsetof(struct etw_buffer_header, saved_offset);
	err = err ?: etw_logtarget_write_at(t, both, sizeof(both), &at);
	at = offsetof(struct etw_buffer_header, offset);
	err = err ?: etw_logtarget_write_at(t, &used, sizeof(used), &at);
	if (!err)
		t->head_used = used;
	return err;
}

static int losses_to_head(struct etw_logtarget *t, struct etw_trace_session *s)
{
	struct etw_loss_output output = {
		.data = t->block,
		.end = min_t(u32, ETW_STAND_IN_ROOM, s->hot.ring.size - t->head_used),
		.timestamp = t->head_time,
		.noted = etw_ledger_time(s, t->head_time),
		.session = s->name,
		.session_len = s->name_len,
	};
	u32 built = etw_losses_build(t->missed, &output);
	int err;

	if (!built)
		return -ENOSPC;
	err = etw_logtarget_add_to_head(t, t->block, output.at);
	if (err)
		return err;
	etw_losses_add_records(&t->recorded, t->block, 0, output.at);
	etw_losses_clear(t->missed, built);
	return 0;
}

/* Record a loss in the file's first buffer; -ENOSPC: that is full. */
static int loss_to_head(struct etw_logtarget *t, struct etw_trace_session *s,
			struct etw_loss_payload *loss)
{
	u32 len;
	int err;

	if (s->hot.ring.size - t->head_used < ETW_LOSS_SLOT_MAX)
		return -ENOSPC;
	loss->noted = etw_ledger_time(s, t->head_time);
	len = etw_loss_build(t->block, loss, s->name, s->name_len, t->head_time,
			     ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE);
	err = etw_logtarget_add_to_head(t, t->block, len);
	if (!err)
		etw_losses_add_records(&t->recorded, t->block, 0, len);
	return err;
}

/* Record in the file's first buffer that some of its buffers are missing, by this -errno. */
int etw_logtarget_record_doubt(struct etw_logtarget *t, struct etw_trace_session *s, int err)
{
	struct etw_loss_payload loss = loss_of_some(t, s, etw_loss_of_file_error(err));

	return loss_to_head(t, s, &loss);
}

/*
 * The file to append to is not whole: record in its first buffer what is missing from before,
 * this many buffers, or, by ETW_LOG_UNCLOSED, nobody knows what.
 */
int etw_logtarget_record_former(struct etw_logtarget *t, struct etw_trace_session *s, s64 missing)
{
	u32 code = missing == ETW_LOG_UNCLOSED ? ETW_LOSS_FILE_UNCLOSED : ETW_LOSS_FILE_CUT;
	struct etw_loss_payload loss = loss_of_some(t, s, code);

	loss.buffers = missing;
	loss.last = etw_clock_wall();
	loss.first = min(t->header.start_time, loss.last);
	return loss_to_head(t, s, &loss);
}

/*
 * The file ends: record in it what it misses.  fits: a buffer more does not make it too large.
 * What cannot be recorded remains for the session's next file.
 */
void etw_logtarget_end_losses(struct etw_logtarget *t, struct etw_trace_session *s, bool fits)
{
	if (!t->missed || !t->missed->present)
		return;
	if (fits && etw_logtarget_misses(t) && !etw_logtarget_put_losses(t, s) &&
	    !t->missed->present)
		return;
	losses_to_head(t, s);
}
