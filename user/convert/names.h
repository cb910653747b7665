/* SPDX-License-Identifier: MIT */
/*
 * names.h - the name of an event, and one of its fields by name
 *
 * "etw dump" and the converters print the same names.
 */
#ifndef ETW_CONVERT_NAMES_H
#define ETW_CONVERT_NAMES_H

#include <stdbool.h>
#include "convert.h"

/* The related activity, in the event's own memory; NULL: it has none. */
const GUID *convert_related(const EVENT_RECORD *record);

/* How a string is added */
enum convert_string {
	CONVERT_ESCAPED,	/* escaped as in quotes, but without the quotes */
	CONVERT_RAW,		/* it may not be UTF-8 */
};

/* Append the name of etw_decoded_name(), or "event(7)" and the like if there is none. */
void convert_add_name(const struct etw_decoded *decoded, enum convert_string how,
		      struct etw_text *to);
/* Append the provider's name, which may not be UTF-8, or its GUID. */
void convert_add_provider(const struct convert_event *e, struct etw_text *to);

/*
 * Append the value of the field NAME or STRUCT.MEMBER of the decoder's event: arrays in [],
 * structures in {}, with strings in quotes.  false: there is no such field, and nothing was
 * added.
 */
bool convert_add_field(struct etw_decoder *decoder, const char *name, size_t len,
		       enum convert_string how, struct etw_text *to);

#endif /* ETW_CONVERT_NAMES_H */
