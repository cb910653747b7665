/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * enable_entry.h - what a session enables: level, keywords and event ids
 *
 * A session's filter is normalised once, when it enables a provider, so that the test on
 * the hot path is the same few comparisons for one session and for the composite of
 * several: etw_entry_wants() in <etw/filter.h>, and etw_entry_passes() here.
 *
 * Source: Microsoft's EnableTraceEx2 and ENABLE_TRACE_PARAMETERS pages.
 */
#ifndef ETW_CORE_ENABLE_ENTRY_H
#define ETW_CORE_ENABLE_ENTRY_H

#include "core/port.h"
#include <etw/filter.h>

#define ETW_IDS_BITS	1024
#define ETW_IDS_SLOTS	(2 * ETW_FILTER_EVENT_IDS)

/*
 * Event ids of an EVENT_ID or STACKWALK filter; all zero: no filter.  Most ids are not in
 * the table; their bit is usually clear, which saves the look into it.
 */
struct etw_event_ids {
	bool in;		/* true: these ids pass; false: all others */
	u64 bits[ETW_IDS_BITS / 64];	/* by the id's low bits */
	u32 slots[ETW_IDS_SLOTS];	/* id + 1, or 0: hashed, with linear probing */
};

void etw_ids_set(struct etw_event_ids *to, const struct etw_filter_event_id *from);
bool etw_ids_have(const struct etw_event_ids *ids, u16 id);

/* Is there a filter? */
bool etw_ids_given(const struct etw_event_ids *ids);

/* false: the id is not in the list. */
static __always_inline bool etw_ids_may_have(const struct etw_event_ids *ids, u16 id)
{
	return ids->bits[id % ETW_IDS_BITS / 64] >> id % 64 & 1;
}

/* Does the filter, if there is one, let an event of this id pass? */
static __always_inline bool etw_ids_pass(const struct etw_event_ids *ids, u16 id)
{
	if (!etw_ids_may_have(ids, id))
		return !ids->in;
	return etw_ids_have(ids, id) == ids->in;
}

/*
 * As etw_entry_wants(), for an entry that does not change: the compiler may test its members
 * where they are.
 */
static __always_inline bool etw_entry_passes(const struct etw_enable_entry *entry, u8 level,
					     u64 keyword)
{
	if (level > entry->level)
		return false;
	if (!(keyword & entry->any))
		return !keyword && entry->keyword0;
	return !(entry->all & ~keyword);
}

void etw_filter_set(struct etw_enable_entry *entry, u8 level, u64 any, u64 all,
		    u32 property);
void etw_filter_merge(struct etw_enable_entry *composite,
		      const struct etw_enable_entry *entry);
void etw_filter_widen(struct etw_enable_entry *shared,
		      const struct etw_enable_entry *next);
void etw_filter_narrow(struct etw_enable_entry *shared,
		       const struct etw_enable_entry *next);

#endif /* ETW_CORE_ENABLE_ENTRY_H */
