/* SPDX-License-Identifier: MIT */
/*
 * event_record.h - an event of a session as an EVENT_RECORD
 *
 * Internal to the library and the tools beside it; not installed.
 */
#ifndef ETW_LIB_CONSUMER_EVENT_RECORD_H
#define ETW_LIB_CONSUMER_EVENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include <evntcons.h>
#include "etl/event.h"

/* Memory for an event's extended items, reused by each event; all zero at first. */
struct etw_event_items {
	EVENT_HEADER_EXTENDED_DATA_ITEM *list;	/* from malloc() */
	size_t room;
	/* Nobody writes to the list: equal items of the next event are not collected again. */
	bool keeps;
	/* If so: the items have the bytes of those of the event before */
	bool repeated;
	void *bytes;
	size_t len, bytes_room, count;
	uintptr_t at;
};

/*
 * Fill a record. It points into the event and into items, which the next call reuses.
 * raw_time: report the session's clock, not FILETIME. Items that do not fit in memory
 * are left out.
 */
void etw_event_record(EVENT_RECORD *record, const struct etw_event *event,
		      struct etw_event_items *items, bool raw_time);
void etw_event_items_free(struct etw_event_items *items);

#endif /* ETW_LIB_CONSUMER_EVENT_RECORD_H */
