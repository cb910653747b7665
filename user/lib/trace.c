/* SPDX-License-Identifier: MIT */
/*
 * trace.c - open, process and close traces
 *
 * Running sessions only; reading log files belongs to a later version, until
 * then OpenTrace() with a LogFileName leaves ERROR_NOT_SUPPORTED.
 *
 * Semantics: Microsoft's pages of the functions' names.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "logfile.h"
#include "trace.h"
#include "utf.h"

#define HANDLES_MAX	64	/* of one ProcessTrace() */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct etw_trace *traces;	/* under lock */
static TRACEHANDLE last_handle;		/* under lock; handles are not reused */

static void free_trace(struct etw_trace *trace)
{
	etw_rt_close(trace->reader);
	free(trace->items);
	free(trace);
}

/* The lock is held.  Closed ones are not found any more. */
static struct etw_trace *find(TRACEHANDLE handle)
{
	struct etw_trace *trace;

	for (trace = traces; trace; trace = trace->next)
		if (trace->handle == handle && !trace->closing)
			return trace;
	return NULL;
}

static void unlink_trace(struct etw_trace *trace)
{
	struct etw_trace **p = &traces;

	while (*p != trace)
		p = &(*p)->next;
	*p = trace->next;
}

ULONG etw_trace_begin(TRACEHANDLE handle, struct etw_trace **out)
{
	struct etw_trace *trace;
	ULONG ret = ERROR_SUCCESS;

	pthread_mutex_lock(&lock);
	trace = find(handle);
	if (!trace)
		ret = ERROR_INVALID_HANDLE;
	else if (trace->processing)
		ret = ERROR_BUSY;
	else if (trace->ended)
		ret = ERROR_WMI_INSTANCE_NOT_FOUND;
	else
		trace->processing = true;
	*out = trace;
	pthread_mutex_unlock(&lock);
	return ret;
}

void etw_trace_end(struct etw_trace *trace, bool ended)
{
	bool closing;

	pthread_mutex_lock(&lock);
	trace->processing = false;
	trace->ended |= ended;
	closing = trace->closing;
	if (closing)
		unlink_trace(trace);
	pthread_mutex_unlock(&lock);
	if (closing)
		free_trace(trace);
}

/* The session's name as UTF-8, kept in the caller's width for its callbacks. */
static ULONG take_name(struct etw_trace *trace, char utf8[ETW_NAME_MAX + 1])
{
	ssize_t len;

	if (trace->is_wide) {
		LPWSTR *name = &trace->logfile.wide.LoggerName;
		size_t units = etw_utf16_len(*name, ETW_NAME_MAX + 1);

		len = etw_utf16_to_utf8(*name, units, utf8, ETW_NAME_MAX);
		if (len > 0 && len <= ETW_NAME_MAX)
			memcpy(trace->name.wide, *name, units * sizeof(WCHAR));
		*name = trace->name.wide;
	} else {
		LPSTR *name = &trace->logfile.narrow.LoggerName;

		len = strnlen(*name, ETW_NAME_MAX + 1);
		if (len <= ETW_NAME_MAX) {
			memcpy(utf8, *name, len);
			memcpy(trace->name.narrow, *name, len);
		}
		*name = trace->name.narrow;
	}
	if (len <= 0 || len > ETW_NAME_MAX)
		return ERROR_INVALID_PARAMETER;
	utf8[len] = '\0';
	return ERROR_SUCCESS;
}

static ULONG connect(struct etw_trace *trace)
{
	EVENT_TRACE_LOGFILEW *logfile = &trace->logfile.wide;
	char name[ETW_NAME_MAX + 1];
	ULONG ret = take_name(trace, name);
	int err;

	if (ret)
		return ret;
	err = etw_rt_open(name, &trace->reader);
	if (err)
		return etw_win32_from_errno(err);
	etw_logfile_header(&logfile->LogfileHeader, etw_rt_info(trace->reader));
	logfile->BufferSize = etw_rt_info(trace->reader)->buffer_size;
	logfile->CurrentTime = 0;
	logfile->BuffersRead = 0;
	logfile->Filled = 0;
	logfile->EventsLost = 0;
	logfile->IsKernelTrace = 0;
	memset(&logfile->CurrentEvent, 0, sizeof(logfile->CurrentEvent));
	return ERROR_SUCCESS;
}

/* logfile: the W or the A struct, which have the same members and sizes. */
static ULONG open_trace(EVENT_TRACE_LOGFILEW *logfile, bool is_wide, bool has_file,
			bool has_logger, TRACEHANDLE *handle)
{
	struct etw_trace *trace;
	ULONG ret;

	_Static_assert(sizeof(EVENT_TRACE_LOGFILEW) == sizeof(EVENT_TRACE_LOGFILEA),
		       "A and W differ in pointer types only");
	if (has_file == has_logger)
		return ERROR_INVALID_PARAMETER;
	if (has_logger != !!(logfile->ProcessTraceMode & PROCESS_TRACE_MODE_REAL_TIME))
		return ERROR_INVALID_PARAMETER;
	if (has_file)
		return ERROR_NOT_SUPPORTED;
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return ERROR_NOT_ENOUGH_MEMORY;
	trace->is_wide = is_wide;
	memcpy(&trace->logfile, logfile, sizeof(*logfile));
	ret = connect(trace);
	if (ret) {
		free_trace(trace);
		return ret;
	}
	logfile->LogfileHeader = trace->logfile.wide.LogfileHeader;
	logfile->BufferSize = trace->logfile.wide.BufferSize;
	logfile->IsKernelTrace = 0;

	pthread_mutex_lock(&lock);
	trace->handle = ++last_handle;
	trace->next = traces;
	traces = trace;
	*handle = trace->handle;
	pthread_mutex_unlock(&lock);
	return ERROR_SUCCESS;
}

TRACEHANDLE OpenTraceW(PEVENT_TRACE_LOGFILEW Logfile)
{
	TRACEHANDLE handle = INVALID_PROCESSTRACE_HANDLE;
	ULONG ret = ERROR_INVALID_PARAMETER;

	if (Logfile)
		ret = open_trace(Logfile, true,
				 Logfile->LogFileName && *Logfile->LogFileName,
				 Logfile->LoggerName && *Logfile->LoggerName, &handle);
	if (ret)
		SetLastError(ret);
	return handle;
}

TRACEHANDLE OpenTraceA(PEVENT_TRACE_LOGFILEA Logfile)
{
	TRACEHANDLE handle = INVALID_PROCESSTRACE_HANDLE;
	ULONG ret = ERROR_INVALID_PARAMETER;

	if (Logfile)
		ret = open_trace((EVENT_TRACE_LOGFILEW *)Logfile, false,
				 Logfile->LogFileName && *Logfile->LogFileName,
				 Logfile->LoggerName && *Logfile->LoggerName, &handle);
	if (ret)
		SetLastError(ret);
	return handle;
}

ULONG CloseTrace(TRACEHANDLE TraceHandle)
{
	struct etw_trace *trace;
	ULONG ret = ERROR_SUCCESS;

	pthread_mutex_lock(&lock);
	trace = find(TraceHandle);
	if (!trace) {
		ret = ERROR_INVALID_HANDLE;
	} else if (trace->processing) {
		/* ProcessTrace() frees it when it is through. */
		trace->closing = true;
		etw_rt_wake(trace->reader);
		ret = ERROR_CTX_CLOSE_PENDING;
		trace = NULL;
	} else {
		unlink_trace(trace);
	}
	pthread_mutex_unlock(&lock);
	if (trace)
		free_trace(trace);
	return ret;
}

static int64_t filetime(const FILETIME *time, int64_t otherwise)
{
	return time ? (int64_t)((uint64_t)time->dwHighDateTime << 32 |
				time->dwLowDateTime) : otherwise;
}

static ULONG process(struct etw_trace *trace, int64_t first, int64_t last)
{
	struct etw_rt_event event;
	int ret;

	for (;;) {
		/* A trace that always has something to read waits nowhere. */
		pthread_testcancel();
		ret = etw_rt_next(trace->reader, &event, -1);
		if (ret != 1)
			break;
		if (!etw_trace_deliver(trace, &event, first, last))
			return ERROR_CANCELLED;
	}
	/* The session has stopped, or CloseTrace() was called. */
	if (!ret || ret == -ECANCELED)
		return ERROR_SUCCESS;
	return etw_win32_from_errno(ret);
}

/* The thread ends: in process(), or in a callback of it. */
static void end_cancelled(void *trace)
{
	etw_trace_end(trace, false);
}

ULONG ProcessTrace(PTRACEHANDLE HandleArray, ULONG HandleCount,
		   LPFILETIME StartTime, LPFILETIME EndTime)
{
	int64_t first = filetime(StartTime, INT64_MIN);
	int64_t last = filetime(EndTime, INT64_MAX);
	struct etw_trace *trace = NULL;
	ULONG ret = ERROR_SUCCESS, i;

	if (!HandleCount || HandleCount > HANDLES_MAX)
		return ERROR_BAD_LENGTH;
	if (!HandleArray)
		return ERROR_INVALID_PARAMETER;
	if (last < first)
		return ERROR_INVALID_TIME;
	if (HandleCount > 1) {
		/* All handles are of running sessions, of which one is allowed. */
		pthread_mutex_lock(&lock);
		for (i = 0; i < HandleCount && !ret; i++)
			if (!find(HandleArray[i]))
				ret = ERROR_INVALID_HANDLE;
		pthread_mutex_unlock(&lock);
		return ret ? ret : ERROR_INVALID_PARAMETER;
	}
	ret = etw_trace_begin(HandleArray[0], &trace);
	if (ret)
		return ret;
	pthread_cleanup_push(end_cancelled, trace);
	ret = process(trace, first, last);
	pthread_cleanup_pop(0);
	etw_trace_end(trace, ret != ERROR_CANCELLED);
	return ret;
}
