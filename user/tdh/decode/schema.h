/* SPDX-License-Identifier: MIT */
/*
 * schema.h - what TDH asks the decoder: an event's schema, and single values
 *
 * The walk through an event's fields is <etw/decode.h>; TDH's functions also show the
 * schema itself, and take values apart that their caller points at.
 */
#ifndef ETW_TDH_DECODE_SCHEMA_H
#define ETW_TDH_DECODE_SCHEMA_H

#include <etw/decode.h>
#include "tdh/model/model.h"

struct etw_schema {
	enum etw_decode_source source;
	const struct etw_mf_provider *provider;	/* of a manifest or built in; else NULL */
	const struct etw_mf_event *event;	/* likewise */
	const struct etw_mf_template *fields;	/* of any source; NULL: it has none */
};

/*
 * The schema of the event that etw_decode() took last, and returned 0 for; valid until
 * the next etw_decode() of that decoder.
 */
void etw_decode_schema(const struct etw_decoder *decoder, struct etw_schema *schema);

/* How a value lies in a payload */
struct etw_value_type {
	uint16_t in_type;	/* TDH_INTYPE_ */
	uint16_t out_type;	/* TDH_OUTTYPE_, 0: the in-type's own */
	bool has_length;	/* of strings and BINARY */
	uint16_t length;	/* characters of UNICODESTRING, else bytes */
	uint8_t pointer_size;	/* 4 or 8 */
};

/*
 * One value from the front of size bytes, as etw_decode_next() would give the last one
 * of an event, so that a string may be missing: fills
 * value_kind, in_type, out_type, data, size, length and value of *field, and zeroes
 * the rest.  0; -EBADMSG: there are too few bytes; -EINVAL: no such in-type, or it
 * needs a length.
 */
int etw_value_take(struct etw_field *field, const struct etw_value_type *type,
		   const void *data, size_t size);

#endif /* ETW_TDH_DECODE_SCHEMA_H */
