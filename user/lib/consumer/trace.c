/* SPDX-License-Identifier: MIT */
/*
 * trace.c - the open traces, and closing them
 *
 * Semantics: Microsoft's page "CloseTrace function".
 */
#include <pthread.h>
#include <stdlib.h>

#include "etl/block.h"
#include "trace.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct etw_trace *traces;	/* under lock */
static TRACEHANDLE last_handle;		/* under lock; handles are not reused */

void etw_trace_free(struct etw_trace *trace)
{
	if (!trace)
		return;
	etw_source_close(&trace->source);
	etw_block_release(trace->head);
	etw_event_items_free(&trace->items);
	free(trace->drops.cpus);
	free(trace);
}

/* The lock is held. Does not find closed traces. */
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
	/* An exception may have left the callback with this still set. */
	trace->shown = NULL;
	trace->ended |= ended;
	closing = trace->closing && !trace->users;
	if (closing)
		unlink_trace(trace);
	pthread_mutex_unlock(&lock);
	if (closing)
		etw_trace_free(trace);
}

struct etw_trace *etw_trace_use(TRACEHANDLE handle)
{
	struct etw_trace *trace;

	pthread_mutex_lock(&lock);
	trace = find(handle);
	if (trace)
		trace->users++;
	pthread_mutex_unlock(&lock);
	return trace;
}

void etw_trace_unuse(struct etw_trace *trace)
{
	bool closing;

	pthread_mutex_lock(&lock);
	closing = !--trace->users && trace->closing && !trace->processing;
	if (closing)
		unlink_trace(trace);
	pthread_mutex_unlock(&lock);
	if (closing)
		etw_trace_free(trace);
}

TRACEHANDLE etw_trace_publish(struct etw_trace *trace)
{
	TRACEHANDLE handle;

	pthread_mutex_lock(&lock);
	handle = ++last_handle;
	trace->handle = handle;
	trace->next = traces;
	traces = trace;
	pthread_mutex_unlock(&lock);
	return handle;
}

bool etw_trace_look(TRACEHANDLE handle, bool *is_file)
{
	struct etw_trace *trace;

	pthread_mutex_lock(&lock);
	trace = find(handle);
	if (trace)
		*is_file = etw_source_file(&trace->source);
	pthread_mutex_unlock(&lock);
	return trace;
}

struct etw_trace *etw_trace_lock(TRACEHANDLE handle)
{
	pthread_mutex_lock(&lock);
	return find(handle);
}

void etw_trace_lock_own(void)
{
	pthread_mutex_lock(&lock);
}

void etw_trace_unlock(void)
{
	pthread_mutex_unlock(&lock);
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
		/* ProcessTrace() frees the trace when it ends. */
		trace->closing = true;
		etw_source_stop(&trace->source);
		ret = ERROR_CTX_CLOSE_PENDING;
		trace = NULL;
	} else if (trace->users) {
		/* The last user frees the trace. */
		trace->closing = true;
		trace = NULL;
	} else {
		unlink_trace(trace);
	}
	pthread_mutex_unlock(&lock);
	if (trace)
		etw_trace_free(trace);
	return ret;
}
