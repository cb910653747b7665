/* SPDX-License-Identifier: MIT */
/*
 * payload.h - compile payload filters from fields and predicates to a program
 *
 * Used by TdhCreatePayloadFilter() and TdhAggregatePayloadFilters(), which take an
 * event's fields from its manifest, and by callers that know the fields from elsewhere.
 * Texts are UTF-8. A filter is one block of memory from malloc(); the kernel takes only
 * the result of etw_payload_aggregate(), from one filter or many.
 *
 * Semantics: Microsoft's pages "TdhCreatePayloadFilter function",
 * "TdhAggregatePayloadFilters function" and "PAYLOAD_FILTER_PREDICATE structure".
 */
#ifndef ETW_LIB_CONTROLLER_PAYLOAD_H
#define ETW_LIB_CONTROLLER_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include <etw/abi_filter.h>
#include <etw/winerror.h>
#include <etw/wintypes.h>
#include <tdh.h>

/* A field of an event; fields of structures are listed individually. */
struct etw_payload_field {
	const char *name;
	uint16_t in_type;	/* TDH_IN_TYPE */
	uint16_t count;		/* elements; 1: not an array */
	uint16_t length;	/* in characters for strings, in bytes for BINARY; 0: none */
	int16_t count_field;	/* index of the earlier field that holds it; -1: none */
	int16_t length_field;	/* likewise */
};

struct etw_payload_layout {
	uint16_t id;
	uint8_t version;
	uint16_t count;
	const struct etw_payload_field *fields;
};

/* PAYLOAD_FILTER_PREDICATE */
struct etw_payload_predicate {
	const char *field;
	uint16_t op;		/* ETW_PAYLOAD_*, as PAYLOADFIELD_* */
	const char *value;
};

/*
 * Build a filter for one event. any: one true predicate is enough. Numbers are decimal
 * or, after 0x, hexadecimal; BETWEEN and NOTBETWEEN take "low,high"; BOOLEAN also takes
 * "true" and "false"; GUIDs are in braces. *wrong, unless NULL: the index of the
 * invalid predicate.
 *
 * ERROR_INVALID_PARAMETER: no predicates or more than 8, an operator that the field's
 * type does not support, a type that cannot be tested, an array, or a value that does
 * not fit the type; ERROR_NOT_FOUND: no such field; ERROR_NOT_SUPPORTED: the field
 * follows one that cannot be skipped; ERROR_INSUFFICIENT_BUFFER: over 4096 bytes;
 * ERROR_NOT_ENOUGH_MEMORY.
 */
ULONG etw_payload_create(const struct etw_payload_layout *layout, bool any,
			 const struct etw_payload_predicate *predicates,
			 unsigned int count, void **filter, unsigned int *wrong);

/*
 * Join many filters into one for one EVENT_FILTER_DESCRIPTOR. Among filters for the
 * same event, all whose flag in all is set must match, and at least one of the others;
 * all NULL: no flag is set. *size: bytes.
 *
 * ERROR_INVALID_PARAMETER: no filters, a filter that etw_payload_create() did not make,
 * two for an event from different layouts, or more than 8 filters or 16 predicates for
 * one event; ERROR_INSUFFICIENT_BUFFER: over 4096 bytes; ERROR_NOT_ENOUGH_MEMORY.
 */
ULONG etw_payload_aggregate(const void *const *filters, const BOOLEAN *all,
			    unsigned int count, void **filter, ULONG *size);

#endif /* ETW_LIB_CONTROLLER_PAYLOAD_H */
