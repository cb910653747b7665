/* SPDX-License-Identifier: MIT */
/*
 * payload.h - payload filters: from fields and predicates to a program
 *
 * What TdhCreatePayloadFilter() and TdhAggregatePayloadFilters() are made of:
 * they get an event's fields from its manifest, others know them otherwise.
 * Texts are UTF-8.  A filter is one block of memory from malloc(); what the
 * kernel takes is what etw_payload_aggregate() makes, of one filter or many.
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

/* A field of an event; those of structures stand for themselves. */
struct etw_payload_field {
	const char *name;
	uint16_t in_type;	/* TDH_IN_TYPE */
	uint16_t count;		/* elements; 1: no array */
	uint16_t length;	/* of strings in characters, of BINARY in bytes; 0: none */
	int16_t count_field;	/* index of the earlier field that has it; -1: none */
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
 * A filter for one event: any, one of the predicates is enough.  Numbers are
 * decimal or, after 0x, hexadecimal; "low,high" for BETWEEN and NOTBETWEEN;
 * "true" and "false" for BOOLEAN too; GUIDs in braces.  *wrong, unless NULL: the
 * predicate that is refused.
 *
 * ERROR_INVALID_PARAMETER: no predicates or more than 8, an operator that the
 * field's type does not have, a type that cannot be tested or an array, a
 * value that is none of the type; ERROR_NOT_FOUND: no such field;
 * ERROR_NOT_SUPPORTED: the field lies behind one that cannot be walked over;
 * ERROR_INSUFFICIENT_BUFFER: over 4096 bytes; ERROR_NOT_ENOUGH_MEMORY.
 */
ULONG etw_payload_create(const struct etw_payload_layout *layout, bool any,
			 const struct etw_payload_predicate *predicates,
			 unsigned int count, void **filter, unsigned int *wrong);

/*
 * One filter of many, for one EVENT_FILTER_DESCRIPTOR.  Of filters for the
 * same event, those whose flag in all is set must all hold, and one of those
 * whose flag is not; all NULL: no flag is set.  *size: bytes.
 *
 * ERROR_INVALID_PARAMETER: no filters, one that etw_payload_create() has not
 * made, two for an event from different layouts, or more than 8 filters or 16
 * predicates for one event; ERROR_INSUFFICIENT_BUFFER: over 4096 bytes;
 * ERROR_NOT_ENOUGH_MEMORY.
 */
ULONG etw_payload_aggregate(const void *const *filters, const BOOLEAN *all,
			    unsigned int count, void **filter, ULONG *size);

#endif /* ETW_LIB_CONTROLLER_PAYLOAD_H */
