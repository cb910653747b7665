/* SPDX-License-Identifier: MIT */
/*
 * names.h - what an event is called, and one field of it by its name
 *
 * "etw dump" and the converters show the same.
 */
#ifndef ETW_CONVERT_NAMES_H
#define ETW_CONVERT_NAMES_H

#include <stdbool.h>
#include <etw/decode.h>

/*
 * By itself, by its task, or its symbol; NULL: nobody knows.  *opcode: what goes behind
 * the task and a slash, or NULL.  Bytes from outside, as they are.
 */
const char *convert_event_name(const struct etw_decoded *decoded, const char **opcode);

/*
 * Append that name, or "event(7)" and the like where there is none: as it is, valid
 * UTF-8 or not.
 */
void convert_add_name(const struct etw_decoded *decoded, struct etw_text *to);

/* A standard name without the "win:" that it has in manifests. */
const char *convert_plain_name(const char *name);

/* The activity that an event names beside its own, within the event; or NULL */
const GUID *convert_related(const EVENT_RECORD *record);

/* How convert_add_field() adds a string */
enum convert_string {
	CONVERT_ESCAPED,	/* without quotes, but escaped as between them */
	CONVERT_AS_IT_IS,
};

/*
 * Append the value of the field NAME, or STRUCT.MEMBER, of the event that the decoder
 * has; arrays in [], structures in {}, strings in these in quotes.  false: the event has
 * none of that name, and nothing was added.
 */
bool convert_add_field(struct etw_decoder *decoder, const char *name, size_t len,
		       enum convert_string how, struct etw_text *to);

#endif /* ETW_CONVERT_NAMES_H */
