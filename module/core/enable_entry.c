// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * enable_entry.c - normalise and combine what sessions enable: level, keywords, event ids
 *
 * The test of an event's level and keyword is etw_entry_wants() in <etw/filter.h>, for a session's
 * own entry etw_entry_passes().
 */
#include "core/enable_entry.h"

/*
 * The slot that has the id, or the empty one where it would be: half of them are empty.  The
 * factor spreads neighbouring ids, which otherwise would make long runs of full slots.
 */
static __always_inline u32 ids_slot(const struct etw_event_ids *ids, u16 id)
{
	u32 at = (u16)(id * 0x9e37u) / (0x10000 / ETW_IDS_SLOTS);

	while (ids->slots[at] && ids->slots[at] != id + 1u)
		at = (at + 1) % ETW_IDS_SLOTS;
	return at;
}

/* to is zeroed; from->count has been checked; ids may repeat. */
void etw_ids_set(struct etw_event_ids *to, const struct etw_filter_event_id *from)
{
	u32 i, bit;

	to->in = from->in;
	for (i = 0; i < from->count; i++) {
		bit = from->ids[i] % ETW_IDS_BITS;
		to->bits[bit / 64] |= 1ull << bit % 64;
		to->slots[ids_slot(to, from->ids[i])] = from->ids[i] + 1u;
	}
}

bool etw_ids_given(const struct etw_event_ids *ids)
{
	u64 any = ids->in;
	u32 i;

	for (i = 0; i < ETW_IDS_BITS / 64; i++)
		any |= ids->bits[i];
	return any;
}

/* Is the id in the list? */
bool etw_ids_have(const struct etw_event_ids *ids, u16 id)
{
	return ids->slots[ids_slot(ids, id)];
}

/* One session's filter: level 0 means all levels, any 0 means any keyword. */
void etw_filter_set(struct etw_enable_entry *entry, u8 level, u64 any, u64 all,
		    u32 property)
{
	memset(entry, 0, sizeof(*entry));
	entry->enabled = 1;
	entry->level = level ? level : 255;
	entry->keyword0 = !(property & ETW_ENABLE_IGNORE_KEYWORD_0);
	entry->any = any ? any : ~0ULL;
	entry->all = all;
	entry->properties = property;
}

/*
 * Add a session to the composite, which starts zeroed.  Each field of the composite passes
 * every event that the field of any session passes: the highest level, the union of any,
 * the intersection of all.
 */
void etw_filter_merge(struct etw_enable_entry *composite,
		      const struct etw_enable_entry *entry)
{
	if (!composite->enabled) {
		composite->enabled = 1;
		composite->level = entry->level;
		composite->keyword0 = entry->keyword0;
		composite->any = entry->any;
		composite->all = entry->all;
		composite->properties = entry->properties;
		return;
	}
	if (entry->level > composite->level)
		composite->level = entry->level;
	composite->keyword0 |= entry->keyword0;
	composite->any |= entry->any;
	composite->all &= entry->all;
	composite->properties |= entry->properties;
}

/*
 * Readers load the members of a shared composite one by one, without a lock.  So an update
 * first widens each member to pass all that its old or its new value passes, and narrows
 * it only after the sessions' snapshot has changed.  A reader in between sees a mix of old
 * and wide members, or of wide and new ones: either passes every event that both the old
 * and the new state pass.
 */
void etw_filter_widen(struct etw_enable_entry *shared,
		      const struct etw_enable_entry *next)
{
	if (!next->enabled)
		return;
	WRITE_ONCE(shared->all,
		   shared->enabled ? shared->all & next->all : next->all);
	if (next->level > shared->level)
		WRITE_ONCE(shared->level, next->level);
	WRITE_ONCE(shared->keyword0, shared->keyword0 | next->keyword0);
	WRITE_ONCE(shared->any, shared->any | next->any);
	WRITE_ONCE(shared->properties, shared->properties | next->properties);
	WRITE_ONCE(shared->enabled, 1);
}

void etw_filter_narrow(struct etw_enable_entry *shared,
		       const struct etw_enable_entry *next)
{
	WRITE_ONCE(shared->any, next->any);
	WRITE_ONCE(shared->keyword0, next->keyword0);
	WRITE_ONCE(shared->level, next->level);
	WRITE_ONCE(shared->all, next->all);
	WRITE_ONCE(shared->sessions, next->sessions);
	WRITE_ONCE(shared->properties, next->properties);
	WRITE_ONCE(shared->enabled, next->enabled);
	WRITE_ONCE(shared->generation, shared->generation + 1);
}
