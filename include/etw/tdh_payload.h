/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tdh_payload.h - filters by what is in an event's payload
 *
 * Part of <tdh.h>; include that.  User space only.
 *
 *	TdhCreatePayloadFilter()	of each event that shall be filtered
 *	TdhAggregatePayloadFilters()	one descriptor of all of them
 *	EnableTraceEx2()		with that in its EnableFilterDesc
 *	TdhCleanupPayloadEventFilterDescriptor(), TdhDeletePayloadFilter()
 *
 * Events of the provider for which there is no filter pass.  The kernel tests an
 * event's payload while it is written.
 *
 * Semantics: Microsoft's pages "PAYLOAD_FILTER_PREDICATE structure" and those of the
 * functions.
 */
#ifndef ETW_TDH_PAYLOAD_H
#define ETW_TDH_PAYLOAD_H

#include <etw/tdh_info.h>
#include <evntprov.h>

ETW_BEGIN_DECLS

#define MAX_PAYLOAD_PREDICATES		8
#define ETW_MAX_PAYLOAD_PREDICATES	MAX_PAYLOAD_PREDICATES

/* PAYLOAD_FILTER_PREDICATE.CompareOp */
typedef enum _PAYLOAD_OPERATOR {
	/* integers, FILETIME, BOOLEAN */
	PAYLOADFIELD_EQ = 0,
	PAYLOADFIELD_NE = 1,
	PAYLOADFIELD_LE = 2,
	PAYLOADFIELD_GT = 3,
	PAYLOADFIELD_LT = 4,
	PAYLOADFIELD_GE = 5,
	PAYLOADFIELD_BETWEEN = 6,	/* "low,high", both included */
	PAYLOADFIELD_NOTBETWEEN = 7,
	PAYLOADFIELD_MODULO = 8,	/* is a multiple of it */
	/* strings; case does not matter for ASCII letters */
	PAYLOADFIELD_CONTAINS = 20,
	PAYLOADFIELD_DOESNTCONTAIN = 21,
	/* strings, and GUIDs in braces */
	PAYLOADFIELD_IS = 30,
	PAYLOADFIELD_ISNOT = 31,
	PAYLOADFIELD_INVALID = 32
} PAYLOAD_OPERATOR;

/* One test, 24 bytes.  Value: decimal, hexadecimal after 0x, or text */
typedef struct _PAYLOAD_FILTER_PREDICATE {
	LPWSTR FieldName;		/* of the event's template; case counts */
	USHORT CompareOp;		/* PAYLOADFIELD_ */
	LPWSTR Value;
} PAYLOAD_FILTER_PREDICATE, *PPAYLOAD_FILTER_PREDICATE;

/* The same in UTF-8 */
typedef struct _PAYLOAD_FILTER_PREDICATEA {
	LPCSTR FieldName;
	USHORT CompareOp;
	LPCSTR Value;
} PAYLOAD_FILTER_PREDICATEA, *PPAYLOAD_FILTER_PREDICATEA;

/**
 * TdhCreatePayloadFilter() - a filter for one event of a provider
 * @ProviderGuid: its manifest must be installed or loaded
 * @EventDescriptor: Id and Version say which event; the rest is not looked at
 * @EventMatchANY: TRUE: one of the predicates is enough; FALSE: all must hold
 * @PayloadPredicateCount: 1 to MAX_PAYLOAD_PREDICATES
 * @PayloadPredicates: so many
 * @PayloadFilter: the filter; TdhDeletePayloadFilter() frees it
 *
 * A member of a structure is named "Structure.Member"; elements of arrays, floats,
 * binary data, pointers, SIDs and SYSTEMTIME cannot be tested, but a field behind
 * such ones can.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: a NULL pointer, too many predicates
 * or none, an operator or value that is none of the field's type;
 * ERROR_FILE_NOT_FOUND: nobody knows the provider; ERROR_NOT_FOUND: it has no such
 * event, or that no such field; ERROR_NOT_SUPPORTED: the field lies behind one whose
 * end the kernel cannot find; ERROR_INSUFFICIENT_BUFFER: the filter would be
 * larger than MAX_EVENT_FILTER_PAYLOAD_SIZE; ERROR_NOT_ENOUGH_MEMORY.
 * *@PayloadFilter is NULL then.
 *
 * Threads: any, at once.
 * Semantics: Microsoft's page "TdhCreatePayloadFilter function".
 */
ETW_API TDHSTATUS WINAPI TdhCreatePayloadFilter(LPCGUID ProviderGuid,
					    PCEVENT_DESCRIPTOR EventDescriptor,
					    BOOLEAN EventMatchANY,
					    ULONG PayloadPredicateCount,
					    PPAYLOAD_FILTER_PREDICATE PayloadPredicates,
					    PVOID *PayloadFilter);

/* The same in UTF-8 */
ETW_API TDHSTATUS WINAPI TdhCreatePayloadFilterA(LPCGUID ProviderGuid,
					     PCEVENT_DESCRIPTOR EventDescriptor,
					     BOOLEAN EventMatchANY,
					     ULONG PayloadPredicateCount,
					     PPAYLOAD_FILTER_PREDICATEA PayloadPredicates,
					     PVOID *PayloadFilter);

/**
 * TdhDeletePayloadFilter() - free a filter
 * @PayloadFilter: *@PayloadFilter may be NULL, and is then
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: @PayloadFilter is NULL.
 *
 * Threads: any, at once with other filters.
 * Semantics: Microsoft's page "TdhDeletePayloadFilter function".
 */
ETW_API TDHSTATUS WINAPI TdhDeletePayloadFilter(PVOID *PayloadFilter);

/**
 * TdhAggregatePayloadFilters() - the one descriptor that EnableTraceEx2() takes
 * @PayloadFilterCount: how many filters
 * @PayloadFilterPtrs: of events of one provider; they stay the caller's
 * @EventMatchALLFlags: NULL: all FALSE.  Of filters for the same event, all those that
 *	have TRUE must hold, and one of those that have FALSE, if there are any
 * @EventFilterDescriptor: filled; TdhCleanupPayloadEventFilterDescriptor() frees what
 *	it points to
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: a NULL pointer, no filters, what is
 * no filter, or more than 8 filters or 16 predicates of one event;
 * ERROR_INSUFFICIENT_BUFFER: over MAX_EVENT_FILTER_PAYLOAD_SIZE;
 * ERROR_NOT_ENOUGH_MEMORY.
 *
 * Threads: any, at once.
 * Semantics: Microsoft's page "TdhAggregatePayloadFilters function".
 */
ETW_API TDHSTATUS WINAPI TdhAggregatePayloadFilters(ULONG PayloadFilterCount,
						PVOID *PayloadFilterPtrs,
						PBOOLEAN EventMatchALLFlags,
						PEVENT_FILTER_DESCRIPTOR EventFilterDescriptor);

/**
 * TdhCleanupPayloadEventFilterDescriptor() - free what was aggregated
 * @EventFilterDescriptor: all zero afterwards; its Ptr may be 0
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: @EventFilterDescriptor is NULL, or
 * of another type.
 *
 * Threads: any, at once with other descriptors.
 * Semantics: Microsoft's page "TdhCleanupPayloadEventFilterDescriptor function".
 */
ETW_API TDHSTATUS WINAPI
TdhCleanupPayloadEventFilterDescriptor(PEVENT_FILTER_DESCRIPTOR EventFilterDescriptor);

ETW_END_DECLS

#endif /* ETW_TDH_PAYLOAD_H */
