// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_small.c - the fast path of a process's event
 *
 * For events without items, to sessions that select by level and keyword, or by the name of a
 * TraceLogging event, if their data fit on the stack.  The rules of plain.h hold.  Whatever is
 * not plain about an event sends it to write_user.c, which begins again, finds what is wrong,
 * and counts what is lost; so each function here may give up.
 */
#include <linux/compat.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>

#include "plain_typed.h"
#include "write_user.h"

#define PIECES	8
#define BYTES	400

/* What was read of an event: its pieces, one after the other. */
struct small_data {
	u32 len;
	struct etw_data_descriptor pieces[PIECES];
	u8 bytes[BYTES];
};

static __always_inline bool read_piece(struct etw_data_descriptor *piece,
				       const struct etw_data_descriptor __user *from)
{
	if (!user_access_begin(from, sizeof(*from)))
		return false;
	unsafe_get_user(piece->ptr, &from->ptr, fault);
	unsafe_get_user(piece->size, &from->size, fault);
	unsafe_get_user(piece->reserved, &from->reserved, fault);
	user_access_end();
	return true;
fault:
	user_access_end();
	return false;
}

/* Read the event's data; each piece then names its copy. */
static __always_inline bool read_data(struct small_data *data, const struct etw_event_write *w)
{
	const struct etw_data_descriptor __user *from = u64_to_user_ptr(w->data);
	struct etw_data_descriptor *piece = data->pieces;
	u8 *to = data->bytes;
	u32 i;

	data->len = 0;
	for (i = 0; i < w->data_count; i++, piece++) {
		if (!read_piece(piece, from + i) || piece->size > BYTES - data->len ||
		    !etw_user_read(to, u64_to_user_ptr(piece->ptr), piece->size))
			return false;
		piece->ptr = (unsigned long)to;
		to += piece->size;
		data->len += piece->size;
	}
	return true;
}

static __always_inline void describe(struct etw_record_source *source,
				     const struct etw_registration_hot *reg,
				     const struct etw_event_write *w, const struct small_data *data)
{
	etw_plain_describe(source, &reg->own, &w->desc,
			   w->flags & ETW_WRITE_ACTIVITY ? &w->activity : NULL, NULL,
			   w->data_count, data->pieces);
	source->type = in_compat_syscall() ? ETW_TYPE_EVENT32 : ETW_TYPE_EVENT64;
	source->flags = ETW_EVENT_NO_CPUTIME | ETW_EVENT_USER_MODE;
}

/*
 * Write to the session of place; its pieces are only payload.  Preemption is off.  buf: of the
 * slot, which the caller commits.  NULL: nothing was done; else the slot.
 */
static __always_inline u8 *write_first(const struct etw_registration_hot *reg,
				       const struct etw_event_write *w,
				       const struct small_data *data,
				       const struct etw_plain_place *place,
				       enum etw_clock_source clock, u64 *len, struct etw_buf **buf)
{
	const struct etw_session_hot *session = place->cpu->session;
	struct etw_record_source source UNINITIALIZED;
	u8 *slot;
	u64 now;

	describe(&source, reg, w, data);
	source.size = ETW_EVENT_HEADER_SIZE + data->len;
	source.ids = etw_plain_ids();
	*len = etw_record_slot(source.size);
	if (unlikely(!etw_hotpath_time(clock, &now)) ||
	    unlikely(!etw_plain_may_pay(place, reg->payer, *len)) ||
	    unlikely(!etw_plain_reserve(session, session->ring.size, place, *len, &slot, buf)))
		return NULL;
	if (reg->payer)
		etw_hot_paid(ETW_LOCAL, *buf, reg->payer);
	etw_record_put_start(slot, &source, *len, now);
	if (w->flags & ETW_WRITE_ACTIVITY)
		etw_record_put_activity(slot, &w->activity);
	/* From this stack, so it can be read. */
	(void)etw_record_copy(slot + ETW_EVENT_HEADER_SIZE, data->bytes, data->len);
	return slot;
}

/* To the only session.  false: nothing was done. */
static __always_inline bool write_one(const struct etw_registration_hot *reg,
				      const struct etw_snapshot *snapshot,
				      const struct etw_event_write *w,
				      const struct small_data *data, int *result)
{
	const struct etw_snapshot_entry *entry = &snapshot->entries[0];
	struct etw_plain_place place;
	struct etw_buf *buf;
	u64 len;

	*result = 0;
	if (!etw_entry_passes(&entry->filter, w->desc.level, w->desc.keyword))
		return true;
	etw_plain_sample(&place, entry->session);
	if (!write_first(reg, w, data, &place, READ_ONCE(entry->session->clock), &len, &buf))
		return false;
	etw_plain_commit(buf, len);
	return true;
}

/* To several sessions.  false: nothing was done. */
static noinline bool write_several(const struct etw_registration_hot *reg,
				   const struct etw_snapshot *snapshot,
				   const struct etw_event_write *w, const struct small_data *data,
				   int *result)
{
	struct etw_plain_place places[ETW_PROVIDER_SESSIONS] UNINITIALIZED, *end;
	enum etw_clock_source clock;
	struct etw_buf *buf;
	u64 len;
	u8 *slot;

	*result = 0;
	end = etw_plain_choose(snapshot, &w->desc, NULL, places);
	if (end == places)
		return true;
	clock = READ_ONCE(places->cpu->session->clock);
	slot = write_first(reg, w, data, places, clock, &len, &buf);
	if (!slot)
		return false;
	*result = etw_plain_copy_all(places, end, reg->payer, slot, len, clock);
	etw_plain_commit(buf, len);
	return true;
}

/* As write_several(), for a TraceLogging event. */
static noinline bool write_typed(const struct etw_registration_hot *reg,
				 const struct etw_snapshot *snapshot,
				 const struct etw_event_write *w, const struct small_data *data,
				 int *result)
{
	struct etw_record_source source UNINITIALIZED;

	describe(&source, reg, w, data);
	return etw_plain_write_typed(snapshot, snapshot->count, reg->payer, NULL, &source, result);
}

/* The event's registration and snapshot, if it is plain; else NULL.  Preemption is off. */
static __always_inline const struct etw_snapshot *
plain_snapshot(struct etw_process_hot *p, const struct etw_event_write *w,
	       const struct etw_registration_hot **reg)
{
	const struct etw_registration_hot *r = *reg = etw_process_find(p, w->slot);
	const struct etw_snapshot *snapshot;

	if (unlikely(!r || r->tgid != task_tgid(current) || etw_hot_is_classic(r) ||
		     READ_ONCE(r->refused)))
		return NULL;
	snapshot = rcu_dereference_sched(r->own.snapshot);
	if (likely(snapshot && (snapshot->way == ETW_WAY_TYPED ||
				(!snapshot->slow_path && !snapshot->shared))))
		return snapshot;
	return NULL;
}

/*
 * Write an event, all of whose data are still the process's.  May fault and sleep.  false:
 * nothing was done; else *result is the result of the write.
 */
bool etw_write_small(struct etw_process_hot *p, const struct etw_event_write *w, int *result)
{
	const struct etw_registration_hot *reg;
	const struct etw_snapshot *snapshot;
	struct small_data data UNINITIALIZED;
	bool done;

	if (w->flags & ~ETW_WRITE_ACTIVITY || w->filter || w->data_count > PIECES || w->stack_count)
		return false;
	preempt_disable_notrace();
	snapshot = plain_snapshot(p, w, &reg);
	preempt_enable_notrace();
	if (!snapshot || !read_data(&data, w))
		return false;
	preempt_disable_notrace();
	/* It may be another one by now. */
	snapshot = plain_snapshot(p, w, &reg);
	if (unlikely(!snapshot))
		done = false;
	else if (snapshot->types)
		done = write_typed(reg, snapshot, w, &data, result);
	else if (snapshot->count > 1)
		done = write_several(reg, snapshot, w, &data, result);
	else
		done = write_one(reg, snapshot, w, &data, result);
	preempt_enable_notrace();
	return done;
}
