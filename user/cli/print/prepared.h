/* SPDX-License-Identifier: MIT */
/*
 * prepared.h - parts of a line that are the same for all events of one kind
 */
#ifndef ETW_CLI_PREPARED_H
#define ETW_CLI_PREPARED_H

#include "event.h"
#include "tdh/decode/decoder.h"

typedef void event_part_fn(struct event_printer *printer, struct etw_text *to);

/*
 * Take the parts of the current event's line; NULL ends the list, of at most ETW_PREPARED. A
 * part must depend on nothing but the event's flags, provider, descriptor and schema. What
 * another list has prepared is lost.
 */
void event_prepare(struct event_printer *printer, event_part_fn *const parts[]);
/* Add a part of that list. */
void event_put_part(struct event_printer *printer, unsigned int i);
/* May the event have items that are not in the part which was prepared for its kind? */
bool event_has_own_items(const struct event_printer *printer);

#endif /* ETW_CLI_PREPARED_H */
