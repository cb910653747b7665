/* SPDX-License-Identifier: MIT */
/*
 * items.h - print the extended items of an event
 */
#ifndef ETW_CONVERT_ITEMS_H
#define ETW_CONVERT_ITEMS_H

#include <stdbool.h>
#include "core/record.h"
#include "base/text.h"

#define ITEMS_SCHEMA	0x1	/* also the items that describe how to decode the event */
#define ITEMS_NO_STACK	0x2	/* not the stacks */
#define ITEMS_SHARED	0x4	/* only those that all events of one kind share */

/* Append " name=value" for each item that is large enough for its type; flags: ITEMS_* */
void items_text(struct etw_text *line, const struct etw_record_view *record, unsigned int flags);
/* Append a JSON member for the first item of each kind; flags: ITEMS_* */
void items_json(struct etw_text *to, const struct etw_record_view *record, unsigned int flags);
/* Find the first item of this type with at least size bytes; NULL: there is none. */
const void *items_find(const struct etw_record_view *record, uint16_t type, size_t size);

#endif /* ETW_CONVERT_ITEMS_H */
