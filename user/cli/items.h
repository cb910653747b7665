/* SPDX-License-Identifier: MIT */
/*
 * items.h - the extended items of an event, printed
 */
#ifndef ETW_CLI_ITEMS_H
#define ETW_CLI_ITEMS_H

#include "core/record.h"
#include "json.h"
#include "text.h"

/* " name=value" for each item; those too short for their type are left out. */
void items_text(struct text *line, const struct etw_record_view *record);
/* A member for each item, the first of each kind. */
void items_json(struct json_object *to, const struct etw_record_view *record);

#endif /* ETW_CLI_ITEMS_H */
