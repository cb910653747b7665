/* SPDX-License-Identifier: MIT */
/*
 * trace_open.c - open running sessions and log files for reading
 *
 * Semantics: Microsoft's pages "OpenTraceW function" and "EVENT_TRACE_LOGFILEW
 * structure".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/kdev.h"
#include "etl/logfile_header.h"
#include "trace.h"
#include "trace_header.h"
#include "base/utf.h"

/* Bytes of the longest name in UTF-8 */
#define UTF8_MAX	(3 * ETW_TRACE_NAME_MAX)

/*
 * Convert the name to UTF-8, and keep a copy in the caller's width for its callbacks;
 * the struct's pointer then points to the copy.
 */
static ULONG take_name(struct etw_trace *trace, LPWSTR *wide, char utf8[UTF8_MAX + 1])
{
	ssize_t len;

	if (trace->is_wide) {
		size_t units = etw_utf16_len(*wide, ETW_TRACE_NAME_MAX + 1);

		if (units > ETW_TRACE_NAME_MAX)
			return ERROR_INVALID_PARAMETER;
		len = etw_utf16_to_utf8(*wide, units, utf8, UTF8_MAX);
		memcpy(trace->name.wide, *wide, units * sizeof(WCHAR));
		*wide = trace->name.wide;
	} else {
		const char *narrow;

		/* The A struct has a char pointer at this offset. */
		memcpy(&narrow, wide, sizeof(narrow));
		len = strnlen(narrow, ETW_TRACE_NAME_MAX + 1);
		if (len > ETW_TRACE_NAME_MAX)
			return ERROR_INVALID_PARAMETER;
		memcpy(utf8, narrow, len);
		memcpy(trace->name.narrow, narrow, len);
		narrow = trace->name.narrow;
		memcpy(wide, &narrow, sizeof(narrow));
	}
	if (len <= 0)
		return ERROR_INVALID_PARAMETER;
	utf8[len] = '\0';
	return ERROR_SUCCESS;
}

static ULONG connect_session(struct etw_trace *trace)
{
	EVENT_TRACE_LOGFILEW *logfile = &trace->logfile.wide;
	const struct etw_session_info *info;
	char name[UTF8_MAX + 1];
	ULONG ret = take_name(trace, &logfile->LoggerName, name);
	int err;

	if (ret)
		return ret;
	err = etw_source_open_session(&trace->source, name);
	if (err)
		return etw_win32_from_errno(err);
	info = etw_session_info(etw_source_session(&trace->source));
	etw_logfile_header(&logfile->LogfileHeader, info);
	logfile->BufferSize = info->buffer_size;
	logfile->IsKernelTrace = 0;
	trace->head = etw_tracehead_make(info, &logfile->LogfileHeader);
	return trace->head ? ERROR_SUCCESS : ERROR_NOT_ENOUGH_MEMORY;
}

static const struct etw_win32_errors file_errors[] = {
	{ ERROR_FILE_NOT_FOUND, { ENOENT } },
	{ ERROR_BAD_PATHNAME, { EISDIR, ENOTDIR, ELOOP, ENAMETOOLONG, ESPIPE } },
	{ ERROR_FILE_CORRUPT, { EINVAL, EIO } },
	{ 0, { 0 } },
};

static ULONG connect_file(struct etw_trace *trace)
{
	EVENT_TRACE_LOGFILEW *logfile = &trace->logfile.wide;
	const struct etw_etl_info *info;
	char path[UTF8_MAX + 1];
	ULONG ret = take_name(trace, &logfile->LogFileName, path);
	int err;

	if (ret)
		return ret;
	err = etw_source_open_file(&trace->source, path, NULL, NULL);
	if (err)
		return etw_win32_find(file_errors, err);
	info = etw_etl_info(etw_source_file(&trace->source));
	logfile->LogfileHeader = info->header;
	logfile->BufferSize = info->header.BufferSize;
	logfile->IsKernelTrace = !!(info->header.LogFileMode & EVENT_TRACE_SYSTEM_LOGGER_MODE) ||
				 !strcmp(info->logger, KERNEL_LOGGER_NAMEA);
	return ERROR_SUCCESS;
}

static bool is_name(LPWSTR name, bool is_wide)
{
	return name && (is_wide ? *name : *(const char *)name);
}

ULONG etw_trace_open(EVENT_TRACE_LOGFILEW *logfile, bool is_wide,
		     const ETW_OPEN_TRACE_OPTIONS *options, TRACEHANDLE *handle)
{
	bool has_file = is_name(logfile->LogFileName, is_wide);
	bool has_logger = is_name(logfile->LoggerName, is_wide);
	EVENT_TRACE_LOGFILEW *own;
	struct etw_trace *trace;
	ULONG ret;

	_Static_assert(sizeof(EVENT_TRACE_LOGFILEW) == sizeof(EVENT_TRACE_LOGFILEA),
		       "A and W differ in pointer types only");
	if (has_file == has_logger)
		return ERROR_INVALID_PARAMETER;
	if (has_logger != !!(logfile->ProcessTraceMode & PROCESS_TRACE_MODE_REAL_TIME))
		return ERROR_INVALID_PARAMETER;
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return ERROR_NOT_ENOUGH_MEMORY;
	trace->is_wide = is_wide;
	trace->has_options = options;
	if (options)
		trace->options = *options;
	own = &trace->logfile.wide;
	memcpy(own, logfile, sizeof(*own));
	own->CurrentTime = 0;
	own->BuffersRead = 0;
	own->Filled = 0;
	own->EventsLost = 0;
	memset(&own->CurrentEvent, 0, sizeof(own->CurrentEvent));
	ret = has_file ? connect_file(trace) : connect_session(trace);
	if (ret) {
		etw_trace_free(trace);
		return ret;
	}
	logfile->LogfileHeader = own->LogfileHeader;
	logfile->BufferSize = own->BufferSize;
	logfile->IsKernelTrace = own->IsKernelTrace;
	*handle = etw_trace_publish(trace);
	return ERROR_SUCCESS;
}

TRACEHANDLE OpenTraceW(PEVENT_TRACE_LOGFILEW Logfile)
{
	TRACEHANDLE handle = INVALID_PROCESSTRACE_HANDLE;
	ULONG ret = ERROR_INVALID_PARAMETER;

	if (Logfile)
		ret = etw_trace_open(Logfile, true, NULL, &handle);
	if (ret)
		SetLastError(ret);
	return handle;
}

TRACEHANDLE OpenTraceA(PEVENT_TRACE_LOGFILEA Logfile)
{
	TRACEHANDLE handle = INVALID_PROCESSTRACE_HANDLE;
	ULONG ret = ERROR_INVALID_PARAMETER;

	if (Logfile)
		ret = etw_trace_open((EVENT_TRACE_LOGFILEW *)Logfile, false, NULL, &handle);
	if (ret)
		SetLastError(ret);
	return handle;
}
