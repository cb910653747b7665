// SPDX-License-Identifier: MIT
/*
 * trace_query.c - query an open trace
 *
 * Semantics: Microsoft's pages "QueryTraceProcessingHandle function" and
 * "ETW_PROCESS_HANDLE_INFO_TYPE enumeration".
 */
#include <string.h>

#include "trace.h"

#define TIMES_AT	sizeof(LARGE_INTEGER)	/* aligned, after a ULONG */

/* The caller's output buffer and its length */
struct answer {
	void *to;
	ULONG room;
	ULONG *len;
};

static ULONG give(const struct answer *a, const void *from, size_t len)
{
	*a->len = len;
	if (a->room < len)
		return ERROR_INSUFFICIENT_BUFFER;
	if (!a->to)
		return ERROR_INVALID_PARAMETER;
	memcpy(a->to, from, len);
	return ERROR_SUCCESS;
}

static ULONG give_partition(const struct answer *a, bool second)
{
	static const union {
		ETW_TRACE_PARTITION_INFORMATION first;
		ETW_TRACE_PARTITION_INFORMATION_V2 second;
	} none;

	return give(a, &none, second ? sizeof(none.second) : sizeof(none.first));
}

static ULONG give_drops(const struct answer *a, const struct etw_trace *trace)
{
	const struct etw_trace_drops *drops = &trace->drops;
	ULONG count = trace->logfile.wide.LogfileHeader.NumberOfProcessors, i;
	char *to = a->to;

	/* CPUs may have been added since the header was written. */
	if (count > UINT16_MAX + 1)
		count = 0;
	if (count < drops->count)
		count = drops->count;
	*a->len = TIMES_AT + count * sizeof(LARGE_INTEGER);
	if (a->room < *a->len)
		return ERROR_INSUFFICIENT_BUFFER;
	if (!to)
		return ERROR_INVALID_PARAMETER;
	memset(to, 0, *a->len);
	memcpy(to, &count, sizeof(count));
	for (i = 0; i < drops->count; i++)
		memcpy(to + TIMES_AT + i * sizeof(LARGE_INTEGER), &drops->cpus[i].time,
		       sizeof(LARGE_INTEGER));
	return ERROR_SUCCESS;
}

ULONG QueryTraceProcessingHandle(PROCESSTRACE_HANDLE ProcessingHandle,
				 ETW_PROCESS_HANDLE_INFO_TYPE InformationClass,
				 PVOID InBuffer, ULONG InBufferSize, PVOID OutBuffer,
				 ULONG OutBufferSize, PULONG ReturnLength)
{
	struct answer a = { OutBuffer, OutBufferSize, ReturnLength };
	struct etw_trace *trace;
	ULONG ret;

	(void)InBuffer;
	(void)InBufferSize;
	if (!ReturnLength)
		return ERROR_INVALID_PARAMETER;
	trace = etw_trace_lock(ProcessingHandle);
	if (!trace)
		ret = ERROR_INVALID_HANDLE;
	else if (InformationClass == EtwQueryLastDroppedTimes)
		ret = give_drops(&a, trace);
	else if (InformationClass == EtwQueryLogFileHeader)
		ret = give(&a, &trace->logfile.wide.LogfileHeader, sizeof(TRACE_LOGFILE_HEADER));
	else if (InformationClass == EtwQueryPartitionInformation ||
		 InformationClass == EtwQueryPartitionInformationV2)
		ret = give_partition(&a, InformationClass == EtwQueryPartitionInformationV2);
	else
		ret = ERROR_INVALID_PARAMETER;
	etw_trace_unlock();
	return ret;
}
