/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * classic.h - records of classic providers: build them, and read them as events
 *
 * As in record.h, building cannot fail, and walking trusts nothing.
 */
#ifndef ETW_CORE_CLASSIC_H
#define ETW_CORE_CLASSIC_H

#include "core/port.h"
#include "core/record.h"
#include <etw/format.h>

/* What a classic record is built from. */
struct etw_classic {
	u16 type;			/* ETW_TYPE_FULL64 and so on */
	u16 options;			/* of a message */
	u16 number;			/* of a message */
	u8 event_type;
	u8 level;
	u16 version;
	u32 instance, parent;
	u32 thread_id, process_id;
	struct etw_guid guid;		/* its first word is the component's id */
	struct etw_guid parent_guid;
	const void *data;
	u32 len;
};

u64 etw_classic_size(const struct etw_classic *c);
void etw_classic_write(u8 *slot, const struct etw_classic *c, u64 timestamp, u32 sequence);

/*
 * The state of a walk of a stream, and those parts of a classic record's view that its
 * bytes do not have: an event's header, and an item with instances.
 */
struct etw_classic_view {
	s64 time;			/* of the previous record; initially of the buffer */
	struct etw_event_header header;
	struct {
		struct etw_ext_item head;
		u32 instance, parent;
		struct etw_guid parent_guid;
	} item;
};

int etw_record_any(const void *buf, u32 end, u32 *offset, struct etw_record_view *view,
		   struct etw_classic_view *classic);
void etw_record_move(struct etw_record_view *view, const struct etw_classic_view *from,
		     struct etw_classic_view *to);

#endif /* ETW_CORE_CLASSIC_H */
