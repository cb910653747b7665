/* SPDX-License-Identifier: MIT */
/*
 * classic_event.c - write events and messages of classic providers
 *
 * Semantics: Microsoft's pages named after the functions.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <evntprov.h>
#include <evntrace.h>
#include "classic.h"

_Static_assert(TRACE_MESSAGE_SEQUENCE == ETW_MESSAGE_SEQUENCE &&
	       TRACE_MESSAGE_GUID == ETW_MESSAGE_GUID &&
	       TRACE_MESSAGE_COMPONENTID == ETW_MESSAGE_COMPONENT &&
	       TRACE_MESSAGE_TIMESTAMP == ETW_MESSAGE_TIMESTAMP &&
	       TRACE_MESSAGE_PERFORMANCE_TIMESTAMP == ETW_MESSAGE_PERFORMANCE &&
	       TRACE_MESSAGE_SYSTEMINFO == ETW_MESSAGE_SYSTEMINFO,
	       "the kernel uses the same flags");

#define FLAGS_KNOWN	(WNODE_FLAG_TRACED_GUID | WNODE_FLAG_LOG_WNODE |	\
			 WNODE_FLAG_USE_GUID_PTR | WNODE_FLAG_USE_MOF_PTR)

/* ------------------------------------------------------------------- handles */

TRACEHANDLE GetTraceLoggerHandle(PVOID Buffer)
{
	const WNODE_HEADER *node = Buffer;

	if (!node || node->BufferSize < sizeof(*node) ||
	    !(node->Flags & WNODE_FLAG_TRACED_GUID)) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return (TRACEHANDLE)-1;
	}
	return node->HistoricalContext;
}

static bool is_valid(TRACEHANDLE handle)
{
	if (ETW_LOGGER_VALID(handle))
		return true;
	SetLastError(ERROR_INVALID_HANDLE);
	return false;
}

UCHAR GetTraceEnableLevel(TRACEHANDLE TraceHandle)
{
	return is_valid(TraceHandle) ? ETW_LOGGER_LEVEL(TraceHandle) : 0;
}

ULONG GetTraceEnableFlags(TRACEHANDLE TraceHandle)
{
	return is_valid(TraceHandle) ? ETW_LOGGER_FLAGS(TraceHandle) : 0;
}

/* -------------------------------------------------------------------- events */

/* The data after a header: the payload itself, or an array of its pieces. */
static ULONG take_payload(struct etw_classic_write *w, const void *after, ULONG len,
			  ULONG flags, struct etw_data_descriptor pieces[MAX_MOF_FIELDS])
{
	ULONG i;

	if (!(flags & WNODE_FLAG_USE_MOF_PTR)) {
		pieces[0] = (struct etw_data_descriptor){ (uintptr_t)after, len, 0 };
		w->data_count = 1;
	} else {
		w->data_count = len / sizeof(MOF_FIELD);
		if (len % sizeof(MOF_FIELD) || w->data_count > MAX_MOF_FIELDS)
			return ERROR_INVALID_PARAMETER;
		for (i = 0; i < w->data_count; i++) {
			MOF_FIELD field;

			memcpy(&field, (const char *)after + i * sizeof(field), sizeof(field));
			pieces[i] = (struct etw_data_descriptor){ field.DataPtr,
								  field.Length, 0 };
		}
	}
	w->data = (uintptr_t)pieces;
	return ERROR_SUCCESS;
}

static ULONG check_flags(ULONG flags)
{
	return flags & WNODE_FLAG_TRACED_GUID && !(flags & ~FLAGS_KNOWN) ?
	       ERROR_SUCCESS : ERROR_INVALID_FLAG_NUMBER;
}

ULONG TraceEvent(TRACEHANDLE TraceHandle, PEVENT_TRACE_HEADER EventTrace)
{
	struct etw_data_descriptor pieces[MAX_MOF_FIELDS];
	struct etw_classic_write w = { .kind = ETW_CLASSIC_EVENT };
	const void *guid;
	ULONG ret;

	if (!EventTrace || EventTrace->Size < sizeof(*EventTrace))
		return ERROR_INVALID_PARAMETER;
	ret = check_flags(EventTrace->Flags);
	if (ret)
		return ret;
	guid = EventTrace->Flags & WNODE_FLAG_USE_GUID_PTR ?
	       (const void *)(uintptr_t)EventTrace->GuidPtr : &EventTrace->Guid;
	if (!guid)
		return ERROR_INVALID_PARAMETER;
	memcpy(&w.guid, guid, sizeof(w.guid));
	w.type = EventTrace->Class.Type;
	w.level = EventTrace->Class.Level;
	w.version = EventTrace->Class.Version;
	ret = take_payload(&w, EventTrace + 1, EventTrace->Size - sizeof(*EventTrace),
			   EventTrace->Flags, pieces);
	return ret ? ret : etw_classic_submit(TraceHandle, &w);
}

ULONG TraceEventInstance(TRACEHANDLE TraceHandle, PEVENT_INSTANCE_HEADER EventTrace,
			 PEVENT_INSTANCE_INFO InstInfo, PEVENT_INSTANCE_INFO ParentInstInfo)
{
	struct etw_data_descriptor pieces[MAX_MOF_FIELDS];
	struct etw_classic_write w = { .kind = ETW_CLASSIC_INSTANCE };
	ULONG ret;

	if (!EventTrace || EventTrace->Size < sizeof(*EventTrace) || !InstInfo)
		return ERROR_INVALID_PARAMETER;
	ret = check_flags(EventTrace->Flags);
	if (ret)
		return ret;
	if (!etw_classic_guid(InstInfo->RegHandle, &w.guid) ||
	    (ParentInstInfo && !etw_classic_guid(ParentInstInfo->RegHandle, &w.parent_guid)))
		return ERROR_INVALID_PARAMETER;
	w.instance = InstInfo->InstanceId;
	w.parent = ParentInstInfo ? ParentInstInfo->InstanceId : 0;
	w.type = EventTrace->Class.Type;
	w.level = EventTrace->Class.Level;
	w.version = EventTrace->Class.Version;
	ret = take_payload(&w, EventTrace + 1, EventTrace->Size - sizeof(*EventTrace),
			   EventTrace->Flags, pieces);
	return ret ? ret : etw_classic_submit(TraceHandle, &w);
}

/* ------------------------------------------------------------------ messages */

/*
 * Take up to ETW_DATA_MAX arguments; *total is the size of all in bytes. Returns the
 * number of arguments.
 */
static size_t take_args(struct etw_data_descriptor *pieces, uint64_t *total, va_list args)
{
	const void *at;
	size_t n = 0;

	*total = 0;
	while ((at = va_arg(args, const void *))) {
		size_t len = va_arg(args, size_t);

		if (len > UINT32_MAX)
			len = UINT32_MAX;	/* either is too large */
		if (n < ETW_DATA_MAX)
			pieces[n] = (struct etw_data_descriptor){ (uintptr_t)at, len, 0 };
		*total += len;
		n++;
	}
	return n;
}

/* Join the arguments, since there are more than the kernel takes. */
static ULONG submit_joined(TRACEHANDLE session, struct etw_classic_write *w, uint64_t total,
			   va_list args)
{
	struct etw_data_descriptor piece = { 0 };
	const void *at;
	char *copy, *to;
	ULONG ret;

	if (total > TRACE_MESSAGE_MAXIMUM_SIZE)
		return ERROR_MORE_DATA;
	copy = malloc(total + 1);
	if (!copy)
		return ERROR_NOT_ENOUGH_MEMORY;
	for (to = copy; (at = va_arg(args, const void *));) {
		size_t len = va_arg(args, size_t);

		memcpy(to, at, len);
		to += len;
	}
	piece.ptr = (uintptr_t)copy;
	piece.size = total;
	w->data = (uintptr_t)&piece;
	w->data_count = 1;
	ret = etw_classic_submit(session, w);
	free(copy);
	return ret;
}

ULONG TraceMessageVa(TRACEHANDLE LoggerHandle, ULONG MessageFlags, LPCGUID MessageGuid,
		     USHORT MessageNumber, va_list MessageArgList)
{
	ULONG guids = MessageFlags & (TRACE_MESSAGE_GUID | TRACE_MESSAGE_COMPONENTID);
	struct etw_data_descriptor pieces[ETW_DATA_MAX];
	struct etw_classic_write w = {
		.kind = ETW_CLASSIC_MESSAGE, .number = MessageNumber, .options = MessageFlags,
	};
	uint64_t total;
	va_list again;
	size_t count;
	ULONG ret;

	if (MessageFlags & ~ETW_MESSAGE_ALL || (guids && !MessageGuid) ||
	    guids == (TRACE_MESSAGE_GUID | TRACE_MESSAGE_COMPONENTID))
		return ERROR_INVALID_PARAMETER;
	if (guids)
		memcpy(&w.guid, MessageGuid, sizeof(w.guid));
	va_copy(again, MessageArgList);
	count = take_args(pieces, &total, MessageArgList);
	if (count > ETW_DATA_MAX) {
		ret = submit_joined(LoggerHandle, &w, total, again);
	} else {
		w.data = (uintptr_t)pieces;
		w.data_count = count;
		ret = etw_classic_submit(LoggerHandle, &w);
	}
	va_end(again);
	return ret;
}

ULONG TraceMessage(TRACEHANDLE LoggerHandle, ULONG MessageFlags, LPCGUID MessageGuid,
		   USHORT MessageNumber, ...)
{
	va_list args;
	ULONG ret;

	va_start(args, MessageNumber);
	ret = TraceMessageVa(LoggerHandle, MessageFlags, MessageGuid, MessageNumber, args);
	va_end(args);
	return ret;
}
