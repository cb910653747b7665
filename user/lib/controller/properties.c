/* SPDX-License-Identifier: MIT */
/*
 * properties.c - read and fill EVENT_TRACE_PROPERTIES
 *
 * Semantics: Microsoft's pages "EVENT_TRACE_PROPERTIES structure", "Logging Mode
 * Constants" and "StartTraceW function".
 */
#include <string.h>

#include "properties.h"
#include "base/utf.h"
#include "lib/private/private.h"

#define FILE_MODES	(EVENT_TRACE_FILE_MODE_SEQUENTIAL |		\
			 EVENT_TRACE_FILE_MODE_CIRCULAR |		\
			 EVENT_TRACE_FILE_MODE_APPEND |			\
			 EVENT_TRACE_FILE_MODE_NEWFILE)
#define SESSION_MODES	(EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_BUFFERING_MODE | \
			 EVENT_TRACE_INDEPENDENT_SESSION_MODE | EVENT_TRACE_SECURE_MODE | \
			 EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING |	\
			 EVENT_TRACE_USE_GLOBAL_SEQUENCE |		\
			 EVENT_TRACE_USE_LOCAL_SEQUENCE |		\
			 EVENT_TRACE_SYSTEM_LOGGER_MODE |		\
			 EVENT_TRACE_PRIVATE_LOGGER_MODE |		\
			 EVENT_TRACE_PRIVATE_IN_PROC)
/* Meaningless without a file */
#define WITH_FILE_MODES	(FILE_MODES | EVENT_TRACE_FILE_MODE_PREALLOCATE |	\
			 EVENT_TRACE_DELAY_OPEN_FILE_MODE | EVENT_TRACE_USE_KBYTES_FOR_SIZE)
/* Accepted and without effect on Linux: paging, hibernation */
#define IGNORED_MODES	(EVENT_TRACE_USE_PAGED_MEMORY |			\
			 EVENT_TRACE_STOP_ON_HYBRID_SHUTDOWN |		\
			 EVENT_TRACE_PERSIST_ON_HYBRID_SHUTDOWN)
/* Valid, but not supported yet */
#define LATER_MODES	(EVENT_TRACE_ADD_HEADER_MODE |			\
			 EVENT_TRACE_RELOG_MODE |			\
			 EVENT_TRACE_COMPRESSED_MODE |			\
			 EVENT_TRACE_ADDTO_TRIAGE_DUMP)
/* Without NONSTOPPABLE_MODE, which is for sessions started at boot. */
#define KNOWN_MODES	(SESSION_MODES | WITH_FILE_MODES | IGNORED_MODES |	\
			 LATER_MODES | EVENT_TRACE_USE_MS_FLUSH_TIMER)

_Static_assert(WITH_FILE_MODES == ETW_MODE_FILE &&
	       EVENT_TRACE_SYSTEM_LOGGER_MODE == ETW_MODE_SYSTEM, "the kernel has the same numbers");
_Static_assert(EVENT_TRACE_PRIVATE_LOGGER_MODE == ETW_MODE_PRIVATE &&
	       EVENT_TRACE_PRIVATE_IN_PROC == ETW_MODE_PRIVATE_IN_PROC,
	       "private sessions have the same numbers");

/* Mutually exclusive modes */
static const struct {
	ULONG one, others;
} exclusive[] = {
	{ EVENT_TRACE_FILE_MODE_SEQUENTIAL,
	  EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_FILE_MODE_NEWFILE },
	{ EVENT_TRACE_FILE_MODE_CIRCULAR,
	  EVENT_TRACE_FILE_MODE_APPEND | EVENT_TRACE_FILE_MODE_NEWFILE },
	{ EVENT_TRACE_FILE_MODE_APPEND,
	  EVENT_TRACE_FILE_MODE_NEWFILE | EVENT_TRACE_REAL_TIME_MODE |
	  EVENT_TRACE_PRIVATE_LOGGER_MODE },
	{ EVENT_TRACE_BUFFERING_MODE, FILE_MODES | EVENT_TRACE_REAL_TIME_MODE },
	{ EVENT_TRACE_PRIVATE_LOGGER_MODE,
	  EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_FILE_MODE_PREALLOCATE |
	  EVENT_TRACE_INDEPENDENT_SESSION_MODE | EVENT_TRACE_SYSTEM_LOGGER_MODE |
	  EVENT_TRACE_SECURE_MODE },
	{ EVENT_TRACE_USE_GLOBAL_SEQUENCE, EVENT_TRACE_USE_LOCAL_SEQUENCE },
};

static bool is_versioned(const EVENT_TRACE_PROPERTIES *props)
{
	return props->Wnode.Flags & WNODE_FLAG_VERSIONED_PROPERTIES;
}

static ULONG struct_size(const EVENT_TRACE_PROPERTIES *props)
{
	return is_versioned(props) ? sizeof(EVENT_TRACE_PROPERTIES_V2) : sizeof(*props);
}

static ULONG check_versioned(const EVENT_TRACE_PROPERTIES_V2 *props)
{
	if (props->V2Control != 2)	/* the version, reserved bits 0 */
		return ERROR_INVALID_PARAMETER;
	/* Filters are for private sessions. */
	if (props->FilterDescCount)
		return props->LogFileMode & EVENT_TRACE_PRIVATE_LOGGER_MODE ?
		       ERROR_NOT_SUPPORTED : ERROR_INVALID_PARAMETER;
	return ERROR_SUCCESS;
}

static bool offset_ok(const EVENT_TRACE_PROPERTIES *props, ULONG offset)
{
	return !offset ||
	       (offset >= struct_size(props) && offset < props->Wnode.BufferSize);
}

ULONG etw_properties_check(const EVENT_TRACE_PROPERTIES *props)
{
	if (props->Wnode.BufferSize < sizeof(*props) ||
	    props->Wnode.BufferSize < struct_size(props))
		return ERROR_BAD_LENGTH;
	if (!offset_ok(props, props->LoggerNameOffset) ||
	    !offset_ok(props, props->LogFileNameOffset))
		return ERROR_INVALID_PARAMETER;
	if (is_versioned(props))
		return check_versioned((const EVENT_TRACE_PROPERTIES_V2 *)props);
	return ERROR_SUCCESS;
}

static size_t unit_size(bool wide)
{
	return wide ? sizeof(WCHAR) : 1;
}

/* Units between a name's offset and the other name or the end. */
static size_t name_room(const EVENT_TRACE_PROPERTIES *props, bool wide,
			ULONG offset, ULONG other)
{
	ULONG end = props->Wnode.BufferSize;

	if (other > offset && other < end)
		end = other;
	return (end - offset) / unit_size(wide);
}

bool etw_properties_has_file(const EVENT_TRACE_PROPERTIES *props, bool wide)
{
	ULONG offset = props->LogFileNameOffset;
	WCHAR first = 0;

	if (!offset || !name_room(props, wide, offset, 0))
		return false;
	memcpy(&first, (const char *)props + offset, unit_size(wide));
	return first != 0;
}

ULONG etw_properties_get_file(const EVENT_TRACE_PROPERTIES *props, bool wide,
			 char out[ETW_FILE_NAME_MAX + 1])
{
	const void *name = (const char *)props + props->LogFileNameOffset;
	size_t room = name_room(props, wide, props->LogFileNameOffset, 0), units;
	WCHAR text[ETW_FILE_NAME_MAX];
	ssize_t len;

	if (room > ETW_FILE_NAME_MAX)
		room = ETW_FILE_NAME_MAX;
	if (wide) {
		memcpy(text, name, room * sizeof(*text));
		units = etw_utf16_len(text, room);
		len = etw_utf16_to_utf8(text, units, out, ETW_FILE_NAME_MAX);
	} else {
		len = strnlen(name, room);
		memcpy(out, name, len);
		units = len;
	}
	if (units == room || len < 0 || len > ETW_FILE_NAME_MAX)
		return ERROR_BAD_PATHNAME;
	out[len] = '\0';
	return ERROR_SUCCESS;
}

static ULONG check_mode(const EVENT_TRACE_PROPERTIES *props, bool file)
{
	ULONG mode = props->LogFileMode;
	size_t i;

	if (mode & ~KNOWN_MODES)
		return ERROR_INVALID_PARAMETER;
	for (i = 0; i < sizeof(exclusive) / sizeof(exclusive[0]); i++)
		if (mode & exclusive[i].one && mode & exclusive[i].others)
			return ERROR_INVALID_PARAMETER;
	if (mode & EVENT_TRACE_PRIVATE_IN_PROC && !(mode & EVENT_TRACE_PRIVATE_LOGGER_MODE))
		return ERROR_INVALID_PARAMETER;
	if (mode & (EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_FILE_MODE_NEWFILE |
		    EVENT_TRACE_FILE_MODE_PREALLOCATE) && !props->MaximumFileSize)
		return ERROR_INVALID_PARAMETER;
	/* Neither real time nor buffering: the events go to a file. */
	if (!file && (mode & FILE_MODES ||
		      !(mode & (EVENT_TRACE_REAL_TIME_MODE |
				EVENT_TRACE_BUFFERING_MODE))))
		return ERROR_BAD_PATHNAME;
	return mode & LATER_MODES ? ERROR_NOT_SUPPORTED : ERROR_SUCCESS;
}

/* Compare without regard to ASCII case, in any locale. */
static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		char x = *a >= 'A' && *a <= 'Z' ? *a + 32 : *a;
		char y = *b >= 'A' && *b <= 'Z' ? *b + 32 : *b;

		if (x != y)
			return false;
	}
	return *a == *b;
}

static bool has_system_guid(const EVENT_TRACE_PROPERTIES *props)
{
	return !memcmp(&props->Wnode.Guid, &SystemTraceControlGuid, sizeof(GUID));
}

bool etw_properties_is_system(const EVENT_TRACE_PROPERTIES *props, const char *name)
{
	return props->LogFileMode & EVENT_TRACE_SYSTEM_LOGGER_MODE ||
	       same_name(name, KERNEL_LOGGER_NAMEA);
}

ULONG etw_properties_check_flags(const EVENT_TRACE_PROPERTIES *props, bool is_system)
{
	if (props->EnableFlags && !is_system)
		return ERROR_INVALID_PARAMETER;
	/* No page describes where the extension lies and what it holds. */
	return props->EnableFlags & EVENT_TRACE_FLAG_EXTENSION ? ERROR_NOT_SUPPORTED :
								 ERROR_SUCCESS;
}

ULONG etw_properties_check_start(const EVENT_TRACE_PROPERTIES *props, bool wide,
			    const char *name, size_t name_units)
{
	const EVENT_TRACE_PROPERTIES_V2 *v2 = (const void *)props;
	ULONG ret;

	if (!(props->Wnode.Flags & WNODE_FLAG_TRACED_GUID) ||
	    props->Wnode.ClientContext > ETW_CLOCK_CYCLES ||
	    !props->LoggerNameOffset)
		return ERROR_INVALID_PARAMETER;
	if (has_system_guid(props) && !same_name(name, KERNEL_LOGGER_NAMEA))
		return ERROR_INVALID_PARAMETER;
	ret = etw_properties_check_flags(props, etw_properties_is_system(props, name));
	if (ret)
		return ret;
	if (name_units >= name_room(props, wide, props->LoggerNameOffset,
				    props->LogFileNameOffset))
		return ERROR_BAD_LENGTH;
	ret = check_mode(props, etw_properties_has_file(props, wide));
	if (ret)
		return ret;
	/* Bit 0 is output. The other bits change what is recorded. */
	if (is_versioned(props) && v2->V2Options & ~1ULL)
		return ERROR_NOT_SUPPORTED;
	return ERROR_SUCCESS;
}

/* FlushTimer in milliseconds, limited to the longest time. */
static uint32_t flush_ms(const EVENT_TRACE_PROPERTIES *props)
{
	if (props->LogFileMode & EVENT_TRACE_USE_MS_FLUSH_TIMER)
		return props->FlushTimer;
	if (props->FlushTimer > UINT32_MAX / 1000)
		return UINT32_MAX;
	return props->FlushTimer * 1000;
}

void etw_properties_to_session(const EVENT_TRACE_PROPERTIES *props, bool file,
			  struct etw_session *session)
{
	session->mode = props->LogFileMode & SESSION_MODES;
	/* These have no meaning for a snapshot's file. */
	if (file && !(props->LogFileMode & EVENT_TRACE_BUFFERING_MODE))
		session->mode |= props->LogFileMode & WITH_FILE_MODES;
	memcpy(&session->guid, &props->Wnode.Guid, sizeof(session->guid));
	session->buffer_kb = props->BufferSize;
	session->min_buffers = props->MinimumBuffers;
	session->max_buffers = props->MaximumBuffers;
	session->flush_ms = flush_ms(props);
	session->clock = props->Wnode.ClientContext;
}

void etw_properties_to_system(const char *name, struct etw_session *session)
{
	session->mode |= ETW_MODE_SYSTEM;
	/* Whatever its caller has set */
	if (same_name(name, KERNEL_LOGGER_NAMEA))
		memcpy(&session->guid, &SystemTraceControlGuid, sizeof(session->guid));
}

/* In seconds, unless the caller uses milliseconds or the time is not whole seconds. */
static void put_flush_timer(EVENT_TRACE_PROPERTIES *props, uint32_t ms, bool mode)
{
	if (mode && ms % 1000)
		props->LogFileMode |= EVENT_TRACE_USE_MS_FLUSH_TIMER;
	if (props->LogFileMode & EVENT_TRACE_USE_MS_FLUSH_TIMER)
		props->FlushTimer = ms;
	else
		props->FlushTimer = ms / 1000 + (ms % 1000 != 0);
}

/*
 * As on Windows, the buffer of a log file's header counts, and so do those that were in a
 * file that is continued.
 */
static ULONG buffers_written(const struct etw_session *session, const struct etw_session_log *log)
{
	uint64_t count = session->buffers_written;

	if (log->name_len && !(session->mode & ETW_MODE_BUFFERING)) {
		count++;
		if (count < log->buffers)
			count = log->buffers;
	}
	return count > UINT32_MAX ? UINT32_MAX : (ULONG)count;
}

void etw_properties_from_session(EVENT_TRACE_PROPERTIES *props,
			    const struct etw_session *session,
			    const struct etw_session_log *log, bool mode)
{
	if (mode)
		props->LogFileMode = session->mode;
	put_flush_timer(props, session->flush_ms, mode);
	props->Wnode.HistoricalContext = session->handle;
	memcpy(&props->Wnode.Guid, &session->guid, sizeof(props->Wnode.Guid));
	props->Wnode.ClientContext = session->clock;
	props->Wnode.Flags |= WNODE_FLAG_TRACED_GUID;
	props->BufferSize = session->buffer_kb;
	props->MinimumBuffers = session->min_buffers;
	props->MaximumBuffers = session->max_buffers;
	props->MaximumFileSize = log->max_size;
	props->EnableFlags = 0;
	props->NumberOfBuffers = session->buffers;
	props->FreeBuffers = session->free_buffers;
	props->EventsLost = session->events_lost;
	props->BuffersWritten = buffers_written(session, log);
	props->LogBuffersLost = log->buffers_lost > UINT32_MAX ? UINT32_MAX : log->buffers_lost;
	props->RealTimeBuffersLost = session->rt_buffers_lost;
	props->LoggerThreadId = (HANDLE)(uintptr_t)session->worker_id;
}

#define PUT_MAX	(ETW_NAME_MAX > ETW_FILE_NAME_MAX ? ETW_NAME_MAX : ETW_FILE_NAME_MAX)

/* Write a name and its NUL, or nothing. */
static bool put_name(EVENT_TRACE_PROPERTIES *props, bool wide, ULONG offset,
		     ULONG other, const char *name, size_t len)
{
	size_t room = name_room(props, wide, offset, other);
	char *out = (char *)props + offset;
	WCHAR text[PUT_MAX + 1];
	ssize_t units;

	if (!wide) {
		if (len >= room)
			return false;
		memcpy(out, name, len);
		out[len] = '\0';
		return true;
	}
	units = etw_utf8_to_utf16(name, len, text, PUT_MAX);
	/* Other programs start sessions too: the name may be anything. */
	if (units < 0 || units > PUT_MAX)
		units = 0;
	if ((size_t)units >= room)
		return false;
	text[units++] = 0;
	memcpy(out, text, units * sizeof(*text));
	return true;
}

ULONG etw_properties_put_names(EVENT_TRACE_PROPERTIES *props, bool wide,
			  const char *name, size_t len, const char *path)
{
	ULONG logger = props->LoggerNameOffset, file = props->LogFileNameOffset;
	bool room = true;

	if (file && file != logger)
		room = put_name(props, wide, file, logger, path, strlen(path));
	if (logger)
		room &= put_name(props, wide, logger, file, name, len);
	return room ? ERROR_SUCCESS : ERROR_MORE_DATA;
}
