/* SPDX-License-Identifier: MIT */
/*
 * process.c - hand the events of traces to their callbacks
 *
 * A session or a stream is processed alone, files in any number, merged by time.
 *
 * Semantics: Microsoft's page "ProcessTrace function".
 */
#include <pthread.h>
#include <stddef.h>

#include "device/kdev.h"
#include "etl/block.h"
#include "trace.h"

#define HANDLES_MAX	64	/* per ProcessTrace() call */

/* The state of one ProcessTrace() call. */
struct run {
	struct etw_trace *traces[HANDLES_MAX];
	ULONG count;		/* traces that were begun */
	bool ended;		/* all traces were read to the end */
	int64_t first, last;	/* FILETIME */
};

static int64_t filetime(const FILETIME *time, int64_t otherwise)
{
	return time ? (int64_t)((uint64_t)time->dwHighDateTime << 32 |
				time->dwLowDateTime) : otherwise;
}

static struct etw_trace *trace_of(struct etw_source *in)
{
	return (struct etw_trace *)((char *)in - offsetof(struct etw_trace, source));
}

/*
 * Stop reading files that were closed meanwhile. Sources that wait end by themselves,
 * after delivering what had arrived by then.
 */
static unsigned int drop_closed(struct etw_source **list, unsigned int count)
{
	unsigned int i, left = 0;

	for (i = 0; i < count; i++)
		if (list[i]->ops->stop || !trace_of(list[i])->closing)
			list[left++] = list[i];
	return left;
}

static ULONG process(struct run *run)
{
	struct etw_source *list[HANDLES_MAX], *in;
	unsigned int count;
	int err = 0;

	for (count = 0; count < run->count; count++)
		list[count] = &run->traces[count]->source;
	if (!etw_trace_deliver_head(run->traces[0], run->first, run->last))
		return ERROR_CANCELLED;
	for (;;) {
		/* A source that always has data never reaches a cancellation point. */
		pthread_testcancel();
		count = drop_closed(list, count);
		in = etw_source_earliest(list, &count, &err);
		if (!in)
			return err ? etw_win32_from_errno(err) : ERROR_SUCCESS;
		in->has_next = false;
		if (!etw_trace_deliver(trace_of(in), &in->next, run->first, run->last))
			return ERROR_CANCELLED;
	}
}

static void end_run(void *arg)
{
	struct run *run = arg;

	while (run->count)
		etw_trace_end(run->traces[--run->count], run->ended);
}

/* Wait for the buffers that a BufferCallback keeps. */
static void wait_for_kept(struct run *run)
{
	ULONG i;

	for (i = 0; i < run->count; i++)
		if (run->traces[i]->has_options)
			etw_block_wait(run->traces[i]->handle);
}

/* Accept any number of files, or one session or stream. */
static ULONG check_handles(PTRACEHANDLE handles, ULONG count, bool *are_files)
{
	ULONG i, sessions = 0;
	bool is_file;

	for (i = 0; i < count; i++) {
		if (!etw_trace_look(handles[i], &is_file))
			return ERROR_INVALID_HANDLE;
		sessions += !is_file;
	}
	if (sessions && count > 1)
		return ERROR_INVALID_PARAMETER;
	*are_files = !sessions;
	return ERROR_SUCCESS;
}

ULONG ProcessTrace(PTRACEHANDLE HandleArray, ULONG HandleCount,
		   LPFILETIME StartTime, LPFILETIME EndTime)
{
	struct run run = {
		.first = filetime(StartTime, INT64_MIN),
		.last = filetime(EndTime, INT64_MAX),
	};
	bool are_files = false;
	ULONG ret;

	if (!HandleCount || HandleCount > HANDLES_MAX)
		return ERROR_BAD_LENGTH;
	if (!HandleArray)
		return ERROR_INVALID_PARAMETER;
	if (run.last < run.first)
		return ERROR_INVALID_TIME;
	ret = check_handles(HandleArray, HandleCount, &are_files);
	while (!ret && run.count < HandleCount) {
		ret = etw_trace_begin(HandleArray[run.count], &run.traces[run.count]);
		run.count += !ret;
	}
	if (ret) {
		end_run(&run);
		return ret;
	}
	pthread_cleanup_push(end_run, &run);
	ret = process(&run);
	run.ended = !are_files && ret != ERROR_CANCELLED;
	wait_for_kept(&run);
	pthread_cleanup_pop(1);
	return ret;
}
