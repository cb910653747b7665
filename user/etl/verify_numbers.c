/* SPDX-License-Identifier: MIT */
/*
 * verify_numbers.c - what the numbers of a log file's buffers and its header prove
 *
 * A session of ours numbers its buffers from 0 as they are delivered, and writes them in
 * that order. Windows numbers them from 1 as a processor begins them, so a file has each
 * number once, and only each processor's buffers are in order. In both, a missing buffer
 * leaves a gap, and the header of a closed file has their count. A program that writes a
 * log file numbers its own buffers from 1.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify_private.h"
#include "walk.h"

/* Buffers that were numbered together: a session's part of a file that was appended to */
struct part {
	struct etw_seen_buffer *list;
	size_t count;
};

static bool has_mode(const struct etw_verdict *v, uint32_t mode)
{
	return v->info.header.LogFileMode & mode;
}

static int64_t first_number(const struct etw_verdict *v)
{
	return v->author == ETW_AUTHOR_KERNEL ? 0 : 1;
}

static int add(struct etw_verify *y, enum etw_gap_cause cause, const struct etw_seen_buffer *at)
{
	struct etw_gap gap = {
		.cause = cause,
		.events = ETW_GAP_UNKNOWN,
		.first = y->start,
		.last = y->end,
		.cpu = at->cpu,
		.from = at->sequence,
		.to = at->sequence,
		.offset = at->at,
	};

	return etw_verdict_add(y->v, &gap);
}

/* -------------------------------------------------------------- describing */

static void find_author(struct etw_verify *y)
{
	struct etw_verdict *v = y->v;
	bool all = true, differ = y->count < 2;
	size_t i;

	for (i = 0; i < y->count; i++) {
		all &= y->list[i].library;
		differ |= y->list[i].sequence != y->list[0].sequence;
	}
	v->numbered = differ;
	if (all && y->count)
		v->author = ETW_AUTHOR_LIBRARY;
	else
		v->author = v->info.header.ProviderVersion ? ETW_AUTHOR_FOREIGN :
							     ETW_AUTHOR_KERNEL;
}

/* Does it belong to the session, rather than to a program that added something? */
static bool is_own(const struct etw_verdict *v, const struct etw_seen_buffer *b)
{
	return v->author != ETW_AUTHOR_KERNEL || !b->library;
}

static void find_range(struct etw_verify *y)
{
	struct etw_verdict *v = y->v;
	size_t i;

	v->low = INT64_MAX;
	v->high = -1;
	v->low_time = y->start;
	v->high_time = y->start;
	for (i = 0; i < y->count; i++) {
		const struct etw_seen_buffer *b = &y->list[i];

		if (!is_own(v, b))
			continue;
		if (b->sequence < v->low) {
			v->low = b->sequence;
			v->low_time = etw_verify_time(y, b->timestamp);
		}
		if (b->sequence > v->high) {
			v->high = b->sequence;
			v->high_time = etw_verify_time(y, b->timestamp);
		}
	}
}

/* Put the list of a circular file of ours in order: the lowest number comes first. */
static int rotate(struct etw_verify *y)
{
	struct etw_seen_buffer *list;
	size_t i, low = 0;

	if (y->v->author != ETW_AUTHOR_KERNEL || !has_mode(y->v, EVENT_TRACE_FILE_MODE_CIRCULAR))
		return 0;
	for (i = 1; i < y->count; i++)
		if (y->list[i].sequence < y->list[low].sequence)
			low = i;
	if (!low)
		return 0;
	list = malloc(y->room * sizeof(*list));
	if (!list)
		return -ENOMEM;
	memcpy(list, y->list + low, (y->count - low) * sizeof(*list));
	memcpy(list + y->count - low, y->list, low * sizeof(*list));
	free(y->list);
	y->list = list;
	return 0;
}

/* ------------------------------------------------------------------- order */

/* The CPU's buffers, and all buffers of a session of ours, have rising numbers. */
static int check_order(struct etw_verify *y, const struct part *part)
{
	int64_t *last, before = -1;
	size_t i;
	int err = 0;

	last = malloc(ETW_ETL_CPUS * sizeof(*last));
	if (!last)
		return -ENOMEM;
	for (i = 0; i < ETW_ETL_CPUS; i++)
		last[i] = -1;
	for (i = 0; i < part->count && !err; i++) {
		const struct etw_seen_buffer *b = &part->list[i];

		if (b->sequence < last[b->cpu] ||
		    (y->v->author == ETW_AUTHOR_KERNEL && b->sequence < before))
			err = add(y, ETW_GAP_DISORDER, b);
		last[b->cpu] = b->sequence;
		before = b->sequence;
	}
	free(last);
	return err;
}

/* -------------------------------------------------------------------- gaps */

static int by_number(const void *a, const void *b)
{
	const struct etw_seen_buffer *x = a, *y = b;

	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	if (x->timestamp != y->timestamp)
		return x->timestamp < y->timestamp ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/*
 * Events in a missing buffer are later than all events of an earlier buffer of its CPU.
 * Its CPU is not known: take the earliest of all CPUs; a CPU without a buffer so far counts
 * from the start. newest: by CPU, of the buffers before the gap.
 */
static int64_t earliest(struct etw_verify *y, const int64_t *newest)
{
	unsigned int cpus = y->v->info.header.NumberOfProcessors, i;
	int64_t first = INT64_MAX;

	if (y->v->author != ETW_AUTHOR_KERNEL || !cpus || cpus > ETW_ETL_CPUS)
		return y->start;
	for (i = 0; i < cpus; i++)
		first = newest[i] < first ? newest[i] : first;
	return first == INT64_MIN ? y->start : etw_verify_time(y, first);
}

static int add_numbers(struct etw_verify *y, const struct etw_seen_buffer *next, int64_t from,
		       const int64_t *newest)
{
	struct etw_gap gap = {
		.cause = ETW_GAP_NUMBERS,
		.buffers = (uint64_t)next->sequence - (uint64_t)from,
		.events = ETW_GAP_UNKNOWN,
		.first = earliest(y, newest),
		.last = y->v->author == ETW_AUTHOR_KERNEL ? etw_verify_time(y, next->timestamp) :
							    y->end,
		.cpu = -1,
		.from = from,
		.to = next->sequence - 1,
		.offset = next->at,
	};

	y->v->numbers_missing += gap.buffers;
	return etw_verdict_add(y->v, &gap);
}

/* The part is sorted by numbers. */
static int check_gaps(struct etw_verify *y, const struct part *part, uint64_t *twice)
{
	int64_t *newest = malloc(ETW_ETL_CPUS * sizeof(*newest)), next;
	size_t i;
	int err = 0;

	if (!newest)
		return -ENOMEM;
	for (i = 0; i < ETW_ETL_CPUS; i++)
		newest[i] = INT64_MIN;
	next = y->v->author == ETW_AUTHOR_LIBRARY ? 1 : part->list[0].sequence;
	for (i = 0; i < part->count && !err; i++) {
		const struct etw_seen_buffer *b = &part->list[i];

		if (i && b->sequence == b[-1].sequence) {
			err = add(y, ETW_GAP_DUPLICATE, b);
			++*twice;
		} else if (b->sequence > next) {
			err = add_numbers(y, b, next, newest);
		}
		if (b->newest > newest[b->cpu])
			newest[b->cpu] = b->newest;
		next = b->sequence < INT64_MAX ? b->sequence + 1 : INT64_MAX;
	}
	free(newest);
	return err;
}

/*
 * Buffers that say that something was lost before them. The part is sorted by numbers.
 * A session also counts the events of a buffer that a writer never completed, when it gives
 * that up: they are as old as those of a missing buffer may be.
 */
static int check_flags(struct etw_verify *y, const struct part *part)
{
	int64_t *newest = malloc(ETW_ETL_CPUS * sizeof(*newest));
	size_t i;
	int err = newest ? 0 : -ENOMEM;

	for (i = 0; newest && i < ETW_ETL_CPUS; i++)
		newest[i] = INT64_MIN;
	for (i = 0; i < part->count && !err; i++) {
		const struct etw_seen_buffer *b = &part->list[i];
		struct etw_gap gap = {
			.cause = ETW_GAP_FLAGGED,
			.events = ETW_GAP_UNKNOWN,
			.first = earliest(y, newest),
			.last = y->end,
			.cpu = -1,
			.from = b->sequence,
			.to = b->sequence,
			.offset = b->at,
		};

		/* The flag is set after the buffer's time was taken: the next one bounds it. */
		if (y->v->author == ETW_AUTHOR_KERNEL && i + 1 < part->count)
			gap.last = etw_verify_time(y, b[1].timestamp);
		if (b->flags & ETW_BUFFER_EVENTS_LOST)
			err = etw_verdict_add(y->v, &gap);
		gap.cause = ETW_GAP_FLAGGED_BUFFER;
		gap.buffers = ETW_GAP_UNKNOWN;
		if (!err && b->flags & (ETW_BUFFER_BUFFER_LOST | ETW_BUFFER_BACKUP_LOST))
			err = etw_verdict_add(y->v, &gap);
		if (b->newest > newest[b->cpu])
			newest[b->cpu] = b->newest;
	}
	if (!err)
		y->v->settled = earliest(y, newest);
	free(newest);
	return err;
}

/* A copy of a buffer of another part; the whole list is sorted. */
static int check_copies(struct etw_verify *y, uint64_t *twice)
{
	size_t i;
	int err = 0;

	for (i = 1; i < y->count && !err; i++) {
		const struct etw_seen_buffer *b = &y->list[i];

		if (b->sequence == b[-1].sequence && b->timestamp == b[-1].timestamp &&
		    b->cpu == b[-1].cpu) {
			err = add(y, ETW_GAP_DUPLICATE, b);
			++*twice;
		}
	}
	return err;
}

/* ------------------------------------------------------------------- since */

static void limit(struct etw_verdict *v, bool overwritten, int64_t time)
{
	if (!v->since || time > v->since_time)
		v->since_time = time;
	v->since = true;
	v->overwritten |= overwritten;
}

/*
 * When did the memory of a BUFFERING session have its oldest buffer complete? Before the
 * CPU that filled it wrote the next one; whose it was is not known, so the earliest counts.
 */
static int64_t oldest_in_memory(struct etw_verify *y, const struct part *part)
{
	uint8_t *seen = calloc(ETW_ETL_CPUS, 1);
	int64_t first = INT64_MAX;
	size_t i;

	for (i = 0; seen && i < part->count; i++) {
		const struct etw_seen_buffer *b = &part->list[i];

		if (seen[b->cpu] == 1 && b->newest < first)
			first = b->newest;
		seen[b->cpu] += seen[b->cpu] < 2;
	}
	free(seen);
	if (first == INT64_MAX)
		first = part->list[0].timestamp;
	return etw_verify_time(y, first);
}

/* The part is sorted by numbers. Events delivered before its first buffer are elsewhere. */
static void find_since(struct etw_verify *y, const struct part *part)
{
	struct etw_verdict *v = y->v;
	int64_t time = etw_verify_time(y, part->list[0].timestamp);

	if (v->author == ETW_AUTHOR_KERNEL && has_mode(v, EVENT_TRACE_BUFFERING_MODE))
		limit(v, true, oldest_in_memory(y, part));
	else if (v->numbered && v->author != ETW_AUTHOR_LIBRARY &&
		 part->list[0].sequence > first_number(v) && !part->list[0].library)
		limit(v, has_mode(v, EVENT_TRACE_FILE_MODE_CIRCULAR), time);
}

/* ---------------------------------------------------------------- counting */

/* The number of buffers in the header, without the first; false: not known. */
static bool promised(const struct etw_verdict *v, uint64_t *count)
{
	const TRACE_LOGFILE_HEADER *h = &v->info.header;
	uint64_t room = h->MaximumFileSize;

	room <<= h->LogFileMode & EVENT_TRACE_USE_KBYTES_FOR_SIZE ? 10 : 20;
	/* Windows may count the buffers that a circular file has overwritten. */
	if (!v->closed || !h->BuffersWritten ||
	    (v->author == ETW_AUTHOR_FOREIGN && has_mode(v, EVENT_TRACE_FILE_MODE_CIRCULAR) &&
	     h->BuffersWritten > room / h->BufferSize))
		return false;
	*count = h->BuffersWritten - 1;
	return true;
}

static int check_count(struct etw_verify *y, uint64_t twice)
{
	struct etw_verdict *v = y->v;
	uint64_t there = y->count - twice, count;
	struct etw_gap gap = { .cause = ETW_GAP_SURPLUS, .first = y->start, .last = y->end,
			       .cpu = -1, .from = -1, .to = -1 };

	v->counted = promised(v, &count);
	if (!v->counted)
		return 0;
	if (there <= count) {
		v->count_missing = count - there;
		return 0;
	}
	gap.buffers = there - count;
	return etw_verdict_add(v, &gap);
}

static int check_closed(struct etw_verify *y)
{
	struct etw_gap gap = { .cause = ETW_GAP_NOT_CLOSED, .buffers = ETW_GAP_UNKNOWN,
			       .events = ETW_GAP_UNKNOWN, .first = y->start, .cpu = -1,
			       .from = -1, .to = -1 };

	return y->v->closed ? 0 : etw_verdict_add(y->v, &gap);
}

/* -------------------------------------------------------------------- parts */

static int judge_part(struct etw_verify *y, const struct part *part, uint64_t *twice)
{
	int err = 0;

	if (!part->count)
		return 0;
	if (y->v->numbered && (y->v->author == ETW_AUTHOR_KERNEL ||
			       !has_mode(y->v, EVENT_TRACE_FILE_MODE_APPEND)))
		err = check_order(y, part);
	if (y->v->numbered)
		qsort(part->list, part->count, sizeof(*part->list), by_number);
	if (!err && y->v->numbered)
		err = check_gaps(y, part, twice);
	find_since(y, part);
	return err ? err : check_flags(y, part);
}

/* Sessions of ours that append begin again at 0. */
static int judge_parts(struct etw_verify *y, uint64_t *twice)
{
	bool several = y->v->author == ETW_AUTHOR_KERNEL &&
		       has_mode(y->v, EVENT_TRACE_FILE_MODE_APPEND);
	struct part part = { .list = y->list };
	size_t i;
	int err = 0;

	for (i = 0; i < y->count && !err; i++) {
		if (several && part.count && y->list[i].sequence < y->list[i - 1].sequence) {
			err = judge_part(y, &part, twice);
			part = (struct part){ .list = y->list + i };
		}
		part.count++;
	}
	if (!err)
		err = judge_part(y, &part, twice);
	if (err || !several || !y->count)
		return err;
	qsort(y->list, y->count, sizeof(*y->list), by_number);
	return check_copies(y, twice);
}

int etw_verify_numbers(struct etw_verify *verify)
{
	uint64_t twice = 0;
	int err;

	find_author(verify);
	find_range(verify);
	err = rotate(verify);
	if (!err)
		err = judge_parts(verify, &twice);
	if (!err)
		err = check_count(verify, twice);
	return err ? err : check_closed(verify);
}
