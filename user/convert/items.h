/* SPDX-License-Identifier: MIT */
/*
 * items.h - the extended items of an event, printed
 */
#ifndef ETW_CONVERT_ITEMS_H
#define ETW_CONVERT_ITEMS_H

#include <stdbool.h>
#include "core/record.h"
#include "base/text.h"

/*
 * " name=value" for each item; those too short for their type are left out, and
 * without schema what the event was decoded by.
 */
void items_text(struct etw_text *line, const struct etw_record_view *record, bool schema);
/* A member for each item, the first of each kind; schema: as above. */
void items_json(struct etw_text *to, const struct etw_record_view *record, bool schema);
/* The first item of that type with at least size bytes; NULL: there is none. */
const void *items_find(const struct etw_record_view *record, uint16_t type, size_t size);

#endif /* ETW_CONVERT_ITEMS_H */
