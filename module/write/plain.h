/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plain.h - the straight way of most events: a driver's, to the one session that wants them
 *
 * A snapshot is plain if it has one session, whose CPUs have buffers of their own, and only
 * level and keyword select its events, which get no items.  The rules of hotpath.c hold.
 * Until its slot is reserved an event has changed nothing; so whatever is not plain about
 * it (a full buffer, an interrupt that wrote first, a payload that is too long or cannot be
 * read) sends it to hotpath.c, which begins again and counts what is lost.
 */
#ifndef ETW_WRITE_PLAIN_H
#define ETW_WRITE_PLAIN_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "core/record.h"
#include "core/ring.h"
#include "hot.h"
#include "hotpath.h"
#include "snapshot.h"

/*
 * Write a driver's event to the only session of the snapshot; source is complete but for its
 * size.  Preemption is off.  source must not leave the caller, so that the compiler keeps it in
 * registers.  ETW_HOTPATH_UNDONE: nothing was done.
 */
static __always_inline int etw_plain_write(const struct etw_snapshot *snapshot,
					   struct etw_record_source *source)
{
	const struct etw_snapshot_entry *entry = &snapshot->entries[0];
	struct etw_session_hot *s = entry->session;
	struct etw_session_cpu *sc;
	struct etw_buf *buf;
	u64 cur, now;
	u8 *slot;
	u32 len;

	if (!etw_entry_wants(&entry->filter, source->desc->level, source->desc->keyword))
		return 0;
	if (unlikely(etw_record_measure(source)))
		return ETW_HOTPATH_UNDONE;
	if (unlikely(this_cpu_read(etw_hotpath_nesting) >= READ_ONCE(etw_nesting_max)))
		return ETW_HOTPATH_UNDONE;
	sc = this_cpu_ptr(s->cpu);
	len = etw_record_slot(source->size);
	cur = etw_word_read(&sc->rc.cur);
	now = etw_clock_read(READ_ONCE(s->clock));
	if (unlikely(!etw_ring_room(&s->ring, cur, len)))
		return ETW_HOTPATH_UNDONE;
	if (unlikely(!etw_ring_claim(ETW_LOCAL, &sc->rc, cur, len)))
		return ETW_HOTPATH_UNDONE;
	this_cpu_inc(etw_hotpath_nesting);
	slot = etw_ring_claimed(&s->ring, cur, &buf);
	if (unlikely(etw_record_write(slot, source, now))) {
		this_cpu_dec(etw_hotpath_nesting);
		return etw_hotpath_unreadable(s, slot, buf);
	}
	etw_ring_commit(ETW_LOCAL, &s->ring, buf, len);
	local_inc(&sc->written);
	this_cpu_dec(etw_hotpath_nesting);
	return 0;
}

#endif /* ETW_WRITE_PLAIN_H */
