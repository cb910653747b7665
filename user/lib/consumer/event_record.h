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

/* Memory for an event's extended items, reused by each event. */
struct etw_event_items {
	EVENT_HEADER_EXTENDED_DATA_ITEM *list;	/* from malloc(); all zero at first */
	size_t room;
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
