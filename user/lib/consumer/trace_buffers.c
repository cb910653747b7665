// SPDX-License-Identifier: MIT
/*
 * trace_buffers.c - the newer functions that open a trace and pass its buffers to the
 * caller
 *
 * Semantics: Microsoft's pages named after the functions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/kdev.h"
#include "etl/block.h"
#include "trace.h"

#define MODES	ETW_PROCESS_TRACE_MODE_RAW_TIMESTAMP

/* The options that an EVENT_TRACE_LOGFILE has too. */
static EVENT_TRACE_LOGFILEW logfile_of(const ETW_OPEN_TRACE_OPTIONS *options)
{
	EVENT_TRACE_LOGFILEW logfile;

	memset(&logfile, 0, sizeof(logfile));
	logfile.ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD;
	if (options->ProcessTraceModes & ETW_PROCESS_TRACE_MODE_RAW_TIMESTAMP)
		logfile.ProcessTraceMode |= PROCESS_TRACE_MODE_RAW_TIMESTAMP;
	logfile.EventRecordCallback = options->EventCallback;
	logfile.Context = options->EventCallbackContext;
	return logfile;
}

static bool good(const ETW_OPEN_TRACE_OPTIONS *options)
{
	return options && !(options->ProcessTraceModes & ~(unsigned int)MODES);
}

/* Either file or logger is NULL. */
static PROCESSTRACE_HANDLE open_named(PCWSTR file, PCWSTR logger,
				      const ETW_OPEN_TRACE_OPTIONS *options,
				      TRACE_LOGFILE_HEADER *header)
{
	TRACEHANDLE handle = INVALID_PROCESSTRACE_HANDLE;
	ULONG ret = ERROR_INVALID_PARAMETER;
	EVENT_TRACE_LOGFILEW logfile;

	if (good(options)) {
		logfile = logfile_of(options);
		logfile.LogFileName = (LPWSTR)file;
		logfile.LoggerName = (LPWSTR)logger;
		if (logger)
			logfile.ProcessTraceMode |= PROCESS_TRACE_MODE_REAL_TIME;
		ret = etw_trace_open(&logfile, true, options, &handle);
		if (!ret && header)
			*header = logfile.LogfileHeader;
	}
	if (ret)
		SetLastError(ret);
	return handle;
}

PROCESSTRACE_HANDLE OpenTraceFromFile(PCWSTR LogFileName, const ETW_OPEN_TRACE_OPTIONS *Options,
				      TRACE_LOGFILE_HEADER *LogFileHeader)
{
	return open_named(LogFileName, NULL, Options, LogFileHeader);
}

PROCESSTRACE_HANDLE OpenTraceFromRealTimeLogger(PCWSTR LoggerName,
						const ETW_OPEN_TRACE_OPTIONS *Options,
						TRACE_LOGFILE_HEADER *LogFileHeader)
{
	return open_named(NULL, LoggerName, Options, LogFileHeader);
}

PROCESSTRACE_HANDLE
OpenTraceFromRealTimeLoggerWithAllocationOptions(PCWSTR LoggerName,
						 const ETW_OPEN_TRACE_OPTIONS *Options,
						 ULONG_PTR AllocationSize,
						 HANDLE MemoryPartitionHandle,
						 TRACE_LOGFILE_HEADER *LogFileHeader)
{
	(void)AllocationSize;
	if (MemoryPartitionHandle) {
		SetLastError(ERROR_NOT_SUPPORTED);
		return INVALID_PROCESSTRACE_HANDLE;
	}
	return open_named(NULL, LoggerName, Options, LogFileHeader);
}

/* -------------------------------------------------------------------- streams */

static void on_done(void *context, const void *data)
{
	struct etw_trace *trace = context;

	if (trace->completion)
		trace->completion(data, trace->completion_context);
}

PROCESSTRACE_HANDLE
OpenTraceFromBufferStream(const ETW_OPEN_TRACE_OPTIONS *Options,
			  PETW_BUFFER_COMPLETION_CALLBACK BufferCompletionCallback,
			  void *BufferCompletionContext)
{
	struct etw_trace *trace;

	if (!good(Options) || !BufferCompletionCallback) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return INVALID_PROCESSTRACE_HANDLE;
	}
	trace = calloc(1, sizeof(*trace));
	if (!trace || etw_source_open_stream(&trace->source, on_done, trace)) {
		free(trace);
		SetLastError(ERROR_NOT_ENOUGH_MEMORY);
		return INVALID_PROCESSTRACE_HANDLE;
	}
	trace->is_wide = true;
	trace->logfile.wide = logfile_of(Options);
	trace->has_options = true;
	trace->options = *Options;
	trace->completion = BufferCompletionCallback;
	trace->completion_context = BufferCompletionContext;
	return etw_trace_publish(trace);
}

static const struct etw_win32_errors add_errors[] = {
	{ ERROR_INVALID_TIME, { EILSEQ } },
	{ ERROR_INVALID_HANDLE, { ESHUTDOWN } },
	{ ERROR_NOT_ENOUGH_MEMORY, { ENOMEM } },
	{ ERROR_INVALID_PARAMETER, { 0 } },
};

ULONG ProcessTraceAddBufferToBufferStream(PROCESSTRACE_HANDLE TraceHandle,
					  const ETW_BUFFER_HEADER *Buffer, ULONG BufferSize)
{
	struct etw_bufstream *stream;
	struct etw_trace *trace;
	ULONG ret;

	if (!Buffer)
		return ERROR_INVALID_PARAMETER;
	trace = etw_trace_use(TraceHandle);
	if (!trace)
		return ERROR_INVALID_HANDLE;
	ret = ERROR_INVALID_HANDLE;
	stream = etw_source_stream(&trace->source);
	if (stream)
		ret = etw_win32_find(add_errors, etw_bufstream_add(stream, Buffer,
								 BufferSize));
	etw_trace_unuse(trace);
	return ret;
}

/* ----------------------------------------------------------------- references */

ULONG ProcessTraceBufferIncrementReference(PROCESSTRACE_HANDLE TraceHandle,
					   const ETW_BUFFER_HEADER *Buffer)
{
	struct etw_trace *trace = etw_trace_lock(TraceHandle);
	ULONG ret = ERROR_SUCCESS;

	if (!trace)
		ret = ERROR_INVALID_HANDLE;
	else if (etw_source_stream(&trace->source))
		ret = ERROR_NOT_SUPPORTED;
	else if (!Buffer || !trace->shown || (const void *)Buffer != trace->shown->data)
		ret = ERROR_INVALID_PARAMETER;
	else if (etw_block_keep(trace->shown, trace->handle))
		ret = ERROR_NOT_ENOUGH_MEMORY;
	etw_trace_unlock();
	return ret;
}

ULONG ProcessTraceBufferDecrementReference(const ETW_BUFFER_HEADER *Buffer)
{
	return Buffer && !etw_block_forget(Buffer) ? ERROR_SUCCESS : ERROR_INVALID_PARAMETER;
}
