/* SPDX-License-Identifier: MIT */
/*
 * verify_series.c - files of one session, and the losses that their headers count
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

/* Can it be one of several files of a session? */
static bool may_follow(const struct etw_verdict *v)
{
	return v->author == ETW_AUTHOR_KERNEL && v->low <= v->high &&
	       !(v->info.header.LogFileMode & EVENT_TRACE_FILE_MODE_APPEND);
}

static bool same_session(const struct etw_verdict *a, const struct etw_verdict *b)
{
	const TRACE_LOGFILE_HEADER *x = &a->info.header, *y = &b->info.header;

	return may_follow(a) && may_follow(b) && a->info.start_clock == b->info.start_clock &&
	       x->StartTime.QuadPart == y->StartTime.QuadPart && !strcmp(a->info.logger, b->info.logger);
}

static bool overlap(const struct etw_verdict *a, const struct etw_verdict *b)
{
	return a->low <= b->high && b->low <= a->high;
}

/*
 * The file before this one in its series, or NULL. Files that share numbers were not
 * written one after the other: then no one is before another.
 */
static const struct etw_verdict *former(const struct etw_verdict *list, unsigned int count,
					const struct etw_verdict *v)
{
	const struct etw_verdict *best = NULL, *other;

	for (other = list; other < list + count; other++) {
		if (other == v || !same_session(other, v))
			continue;
		if (overlap(other, v))
			return NULL;
		if (other->low < v->low && (!best || other->low > best->low))
			best = other;
	}
	return best;
}

/* Buffers that are in neither of two files. */
static int add_between(struct etw_verdict *v, const struct etw_verdict *before, uint64_t *missing)
{
	struct etw_gap gap = {
		.cause = ETW_GAP_FILES,
		.buffers = (uint64_t)v->low - (uint64_t)before->high - 1,
		.events = ETW_GAP_UNKNOWN,
		.first = v->info.header.StartTime.QuadPart,
		.last = v->low_time,
		.cpu = -1,
		.from = before->high + 1,
		.to = v->low - 1,
	};

	/* A circular file may have overwritten them. */
	if (gap.buffers && v->info.header.LogFileMode & EVENT_TRACE_FILE_MODE_CIRCULAR)
		return 0;
	*missing = gap.buffers;
	/* Between two snapshots the memory of a session may have been overwritten. */
	if (!(v->info.header.LogFileMode & EVENT_TRACE_BUFFERING_MODE))
		v->since = false;
	return gap.buffers ? etw_verdict_add(v, &gap) : 0;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Events that the header counts and no gap holds. */
static int add_events(struct etw_verdict *v, const struct etw_verdict *before)
{
	struct etw_gap gap = {
		.cause = ETW_GAP_NOT_WRITTEN,
		.events = minus(v->info.header.EventsLost,
				before ? before->info.header.EventsLost : 0),
		.first = v->info.header.StartTime.QuadPart,
		.last = v->info.header.EndTime.QuadPart,
		.cpu = -1,
		.from = -1,
		.to = -1,
	};

	/* Each later buffer would be flagged: all were lost after the last one. */
	if (v->author == ETW_AUTHOR_KERNEL && !v->gap_count && !v->low && v->low <= v->high &&
	    !(v->info.header.LogFileMode & EVENT_TRACE_FILE_MODE_APPEND))
		gap.first = v->settled;
	return gap.events ? etw_verdict_add(v, &gap) : 0;
}

/* Buffers that the header counts, as lost or as written, and no gap holds. */
static int add_buffers(struct etw_verdict *v, const struct etw_verdict *before, uint64_t between)
{
	uint64_t lost = minus(v->info.header.BuffersLost,
			      before ? before->info.header.BuffersLost : 0);
	struct etw_gap gap = {
		.cause = ETW_GAP_NOT_STORED,
		.events = ETW_GAP_UNKNOWN,
		.first = v->info.header.StartTime.QuadPart,
		.last = v->info.header.EndTime.QuadPart,
		.cpu = -1,
		.from = -1,
		.to = -1,
		.detail = lost ? "the header counts buffers that were lost to the file" :
				 "the file was cut off",
	};

	/* Only a session of ours gives each lost buffer a number of this file. */
	if (v->author == ETW_AUTHOR_KERNEL)
		gap.buffers = minus(lost + v->count_missing, v->numbers_missing + between);
	else
		gap.buffers = lost + minus(v->count_missing, v->numbers_missing);
	return gap.buffers ? etw_verdict_add(v, &gap) : 0;
}

int etw_verdict_finish(struct etw_verdict *verdicts, unsigned int count)
{
	const struct etw_verdict *before;
	struct etw_verdict *v;
	uint64_t between;
	int err = 0;

	for (v = verdicts; v < verdicts + count && !err; v++) {
		between = 0;
		before = former(verdicts, count, v);
		if (before)
			err = add_between(v, before, &between);
		if (!err)
			err = add_events(v, before);
		if (!err)
			err = add_buffers(v, before, between);
	}
	return err;
}
