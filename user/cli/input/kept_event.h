/* SPDX-License-Identifier: MIT */
/*
 * kept_event.h - a copy of an event that outlives the source it was read from
 */
#ifndef ETW_CLI_KEPT_EVENT_H
#define ETW_CLI_KEPT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/text.h"
#include "etl/event.h"

/* The bytes that a copy takes */
size_t kept_event_size(const struct etw_event *event);
/* Copy the event to these bytes, at an address that is a multiple of 8. */
void kept_event_copy(void *to, const struct etw_event *event);
/* Make the text this copy, which must be its only contents.  Ends the command without memory. */
void kept_event_save(struct etw_text *to, const struct etw_event *event);
/* The event of a copy; its pointers lead into it. */
void kept_event_get(const void *from, struct etw_event *event);

/* Are the two copies of one event? */
bool kept_event_is(const struct etw_event *a, const struct etw_event *b);

#endif /* ETW_CLI_KEPT_EVENT_H */
