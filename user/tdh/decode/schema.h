/* SPDX-License-Identifier: MIT */
/*
 * schema.h - the decoder's interface for TDH: an event's schema, and single values
 *
 * <etw/decode.h> walks through an event's fields; TDH's functions also show the schema
 * itself, and decode values from the caller's memory.
 */
#ifndef ETW_TDH_DECODE_SCHEMA_H
#define ETW_TDH_DECODE_SCHEMA_H

#include <etw/decode.h>
#include "tdh/model/model.h"

struct etw_schema {
	enum etw_decode_source source;
	const struct etw_mf_provider *provider;	/* of a manifest or built in; else NULL */
	const struct etw_mf_event *event;	/* likewise */
	const struct etw_mf_template *fields;	/* from any source; NULL: no fields */
};

/*
 * The schema of the last event for which etw_decode() returned 0; valid until the
 * decoder's next etw_decode().
 */
void etw_decode_schema(const struct etw_decoder *decoder, struct etw_schema *schema);

/* The encoding of a value in a payload */
struct etw_value_type {
	uint16_t in_type;	/* TDH_INTYPE_ */
	uint16_t out_type;	/* TDH_OUTTYPE_, 0: the in-type's default */
	bool has_length;	/* for strings and BINARY */
	uint16_t length;	/* characters of UNICODESTRING, else bytes */
	uint8_t pointer_size;	/* 4 or 8 */
};

/*
 * Take one value from the front of size bytes, as etw_decode_next() would for an
 * event's last field, so that a string may be missing. Sets value_kind, in_type,
 * out_type, data, size, length and value of *field, and zeroes the rest. 0; -EBADMSG:
 * too few bytes; -EINVAL: no such in-type, or it needs a length.
 */
int etw_value_take(struct etw_field *field, const struct etw_value_type *type,
		   const void *data, size_t size);

#endif /* ETW_TDH_DECODE_SCHEMA_H */
