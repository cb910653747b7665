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
#include "etl/walk.h"

#define END_SLACK	1000	/* parts of a second between the clocks of two CPUs, at most */

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

static struct etw_gap gap_at(const struct etw_verify *y, enum etw_gap_cause cause,
			     const struct etw_seen_buffer *at)
{
	struct etw_gap gap = etw_gap_anywhere(y->v, cause);

	gap.from = gap.to = at->sequence;
	gap.offset = at->at;
	return gap;
}

/* A number, or a place, was given to another buffer: how many were replaced is not known. */
static int add_unknown(struct etw_verify *y, const struct etw_seen_buffer *at)
{
	struct etw_gap gap = gap_at(y, ETW_GAP_STRANGE, at);

	gap.buffers = ETW_GAP_UNKNOWN;
	gap.detail = "its time contradicts its number";
	y->v->shuffled = true;
	return etw_verdict_add(y->v, &gap);
}

/* The same for buffers that are not where the session wrote them */
static int add_shuffled(struct etw_verify *y, enum etw_gap_cause cause,
			const struct etw_seen_buffer *at)
{
	struct etw_gap gap = gap_at(y, cause, at);

	gap.cpu = at->cpu;
	y->v->shuffled = true;
	return etw_verdict_add(y->v, &gap);
}

/* -------------------------------------------------------------- describing */

void etw_verify_author(struct etw_verify *y)
{
	struct etw_verdict *v = y->v;
	bool all = true, differ = y->count < 2;
	size_t i;

	for (i = 0; i < y->count; i++) {
		all &= y->list[i].library;
		differ |= y->list[i].sequence != y->list[0].sequence;
	}
	if (all && y->count)
		v->author = ETW_AUTHOR_LIBRARY;
	else
		v->author = v->info.header.ProviderVersion ? ETW_AUTHOR_FOREIGN :
							     ETW_AUTHOR_KERNEL;
	/* If a session's buffers all have one number, they are copies of one. */
	v->numbered = differ || v->author == ETW_AUTHOR_KERNEL;
}

/* Does it belong to the session, rather than to a program that added something? */
static bool is_own(const struct etw_verdict *v, const struct etw_seen_buffer *b)
{
	return v->author != ETW_AUTHOR_KERNEL || !b->library;
}

/* The first number that the buffer accounts for */
static int64_t first_of(const struct etw_seen_buffer *b)
{
	if (!b->stands_for)
		return b->sequence;
	return (uint64_t)b->sequence >= b->stands_for - 1 ?
	       b->sequence - (int64_t)(b->stands_for - 1) : 0;
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
		if (first_of(b) < v->low) {
			v->low = first_of(b);
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

/* An array with this value for each CPU; NULL: no memory. */
static int64_t *by_cpu(int64_t value)
{
	int64_t *list = malloc(ETW_ETL_CPUS * sizeof(*list));
	size_t i;

	for (i = 0; list && i < ETW_ETL_CPUS; i++)
		list[i] = value;
	return list;
}

/* The CPU's buffers, and all buffers of a session of ours, have rising numbers. */
static int check_order(struct etw_verify *y, const struct part *part)
{
	int64_t *last = by_cpu(-1), before = -1;
	size_t i;
	int err = 0;

	if (!last)
		return -ENOMEM;
	for (i = 0; i < part->count && !err; i++) {
		const struct etw_seen_buffer *b = &part->list[i];

		if (b->sequence < last[b->cpu] ||
		    (y->v->author == ETW_AUTHOR_KERNEL && b->sequence < before))
			err = add_shuffled(y, ETW_GAP_DISORDER, b);
		last[b->cpu] = b->sequence;
		before = b->sequence;
	}
	free(last);
	return err;
}

/* ---------------------------------------------------------- other sessions */

static bool clock_goes_on(const struct etw_verify *y)
{
	return y->v->info.header.ReservedFlags != ETW_CLOCK_SYSTEM;
}

/* Is a buffer of another session, which ran before or had another id, as those that append may? */
static bool is_strange(const struct etw_verify *y, const struct etw_seen_buffer *b)
{
	if (clock_goes_on(y) && b->timestamp < y->v->info.start_clock)
		return true;
	return b->session != y->session && !has_mode(y->v, EVENT_TRACE_FILE_MODE_APPEND);
}

static int check_strange(struct etw_verify *y)
{
	size_t i;
	int err = 0;

	if (y->v->author != ETW_AUTHOR_KERNEL)
		return 0;
	for (i = 0; i < y->count && !err; i++)
		if (!y->list[i].library && is_strange(y, &y->list[i]))
			err = add_shuffled(y, ETW_GAP_STRANGE, &y->list[i]);
	return err;
}

/*
 * Is the last buffer of a session that ran later? A session closes its file after its last
 * buffer. Only its own clock shows that: the wall clock may have been set in between.
 */
static bool is_after_end(const struct etw_verify *y, const struct etw_seen_buffer *last)
{
	int64_t late;

	if (!y->closed || __builtin_sub_overflow(last->timestamp, y->closed, &late))
		return false;
	return late > 0 && (uint64_t)late > y->frequency / END_SLACK;
}

/*
 * A session delivers buffers in the order of their numbers, and a file that is appended to
 * has them in the order of time.
 */
static int check_times(struct etw_verify *y, const struct part *part)
{
	const struct etw_seen_buffer *before = NULL, *b;
	size_t i;

	if (y->v->author != ETW_AUTHOR_KERNEL || !clock_goes_on(y))
		return 0;
	for (i = 0; i < part->count; i++) {
		b = &part->list[i];
		if (b->library)
			continue;
		if (before && b->timestamp < before->timestamp)
			return add_unknown(y, b);
		before = b;
	}
	if (before && part->list + part->count == y->list + y->count && is_after_end(y, before))
		return add_unknown(y, before);
	return 0;
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
	struct etw_gap gap = gap_at(y, ETW_GAP_NUMBERS, next);

	gap.from = from;
	gap.to = first_of(next) - 1;
	gap.buffers = (uint64_t)first_of(next) - (uint64_t)from;
	gap.first = earliest(y, newest);
	if (y->v->author == ETW_AUTHOR_KERNEL)
		gap.last = etw_verify_time(y, next->timestamp);
	y->v->numbers_missing += gap.buffers;
	/* A record without a place of its own counts them: with what else is missing there. */
	if (gap.buffers <= y->v->recorded_buffers) {
		y->v->recorded_buffers -= gap.buffers;
		return 0;
	}
	return etw_verdict_add(y->v, &gap);
}

/* A buffer stands for missing ones; more than the numbers from next on are missing elsewhere. */
static void count_stand_in(struct etw_verify *y, const struct etw_seen_buffer *b, int64_t next)
{
	int64_t first = first_of(b) > next ? first_of(b) : next;
	uint64_t here = (uint64_t)b->sequence - (uint64_t)first + 1;

	y->v->numbers_missing += here;
	if (b->stands_for > here)
		y->v->recorded_buffers += b->stands_for - here;
}

/* The part is sorted by numbers. */
static int check_gaps(struct etw_verify *y, const struct part *part, uint64_t *twice)
{
	int64_t *newest = by_cpu(INT64_MIN), next;
	size_t i;
	int err = 0;

	if (!newest)
		return -ENOMEM;
	next = y->v->author == ETW_AUTHOR_LIBRARY ? 1 : first_of(&part->list[0]);
	for (i = 0; i < part->count && !err; i++) {
		struct etw_seen_buffer *b = &part->list[i];

		if (i && b->sequence == b[-1].sequence) {
			err = add_shuffled(y, ETW_GAP_DUPLICATE, b);
			b->is_copy = true;
			++*twice;
		} else if (first_of(b) > next) {
			err = add_numbers(y, b, next, newest);
		}
		if (b->stands_for && b->sequence >= next)
			count_stand_in(y, b, next);
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
	int64_t *newest = by_cpu(INT64_MIN);
	size_t i;
	int err = 0;

	if (!newest)
		return -ENOMEM;
	for (i = 0; i < part->count && !err; i++) {
		const struct etw_seen_buffer *b = &part->list[i];
		struct etw_gap gap = gap_at(y, ETW_GAP_FLAGGED, b);

		gap.first = earliest(y, newest);
		gap.basis = ETW_GAP_BY_HINT;
		/* The flag is set after the buffer's time was taken: the next one bounds it. */
		if (y->v->author == ETW_AUTHOR_KERNEL && i + 1 < part->count)
			gap.last = etw_verify_time(y, b[1].timestamp);
		if (b->flags & ETW_BUFFER_EVENTS_LOST)
			err = etw_verdict_add(y->v, &gap);
		gap.cause = ETW_GAP_FLAGGED_BUFFER;
		gap.basis = ETW_GAP_BY_STRUCTURE;
		gap.buffers = ETW_GAP_UNKNOWN;
		if (!err && !b->stands_for &&
		    b->flags & (ETW_BUFFER_BUFFER_LOST | ETW_BUFFER_BACKUP_LOST))
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

		if (!b->is_copy && b->sequence == b[-1].sequence &&
		    b->timestamp == b[-1].timestamp && b->cpu == b[-1].cpu) {
			err = add_shuffled(y, ETW_GAP_DUPLICATE, b);
			++*twice;
		}
	}
	return err;
}

/* ------------------------------------------------------------------- since */

void etw_verify_limit(struct etw_verdict *v, bool overwritten, int64_t time)
{
	if (!v->since || time > v->since_time) {
		v->since_time = time;
		v->since_noted = false;
	}
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

/* The memory of a BUFFERING session was empty: what was written before is in no file, or another. */
static void find_since_of_empty(struct etw_verify *y)
{
	struct etw_verdict *v = y->v;

	if (v->author == ETW_AUTHOR_KERNEL && has_mode(v, EVENT_TRACE_BUFFERING_MODE) && v->closed &&
	    v->low > v->high && v->info.header.BuffersWritten == 1)
		etw_verify_limit(v, true, y->end);
}

/* The part is sorted by numbers. Events delivered before its first buffer are elsewhere. */
static void find_since(struct etw_verify *y, const struct part *part)
{
	struct etw_verdict *v = y->v;
	int64_t time = etw_verify_time(y, part->list[0].timestamp);

	if (v->author == ETW_AUTHOR_KERNEL && has_mode(v, EVENT_TRACE_BUFFERING_MODE))
		etw_verify_limit(v, true, oldest_in_memory(y, part));
	else if (v->numbered && v->author != ETW_AUTHOR_LIBRARY &&
		 first_of(&part->list[0]) > first_number(v) && !part->list[0].library)
		etw_verify_limit(v, has_mode(v, EVENT_TRACE_FILE_MODE_CIRCULAR), time);
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
	struct etw_gap gap = etw_gap_anywhere(v, ETW_GAP_SURPLUS);

	v->counted = promised(v, &count);
	if (!v->counted)
		return 0;
	if (there <= count) {
		v->count_missing = count - there;
		return 0;
	}
	gap.buffers = there - count;
	gap.events = 0;
	return etw_verdict_add(v, &gap);
}

static int check_closed(struct etw_verify *y)
{
	struct etw_gap gap = etw_gap_anywhere(y->v, ETW_GAP_NOT_CLOSED);

	gap.buffers = ETW_GAP_UNKNOWN;
	gap.last = 0;
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
		err = check_times(y, part);
	if (!err && y->v->numbered)
		err = check_gaps(y, part, twice);
	find_since(y, part);
	return err ? err : check_flags(y, part);
}

/*
 * Does another session begin with this buffer?  Sessions of ours that append begin again at 0,
 * which the one before did not exceed if it had one buffer; a copy has the same time.
 */
static bool begins_anew(const struct etw_seen_buffer *b)
{
	return b->sequence < b[-1].sequence ||
	       (b->sequence == b[-1].sequence && b->timestamp != b[-1].timestamp);
}

static int judge_parts(struct etw_verify *y, uint64_t *twice)
{
	bool several = y->v->author == ETW_AUTHOR_KERNEL &&
		       has_mode(y->v, EVENT_TRACE_FILE_MODE_APPEND);
	struct part part = { .list = y->list, .count = several ? y->count : 0 };
	size_t i;
	int err = several ? check_times(y, &part) : 0;

	part.count = 0;
	for (i = 0; i < y->count && !err; i++) {
		if (several && part.count && begins_anew(&y->list[i])) {
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

/*
 * The bounds rest on the order of buffers, which proves nothing any more; and some of the
 * records of losses may be another session's.
 */
static void widen(struct etw_verify *y)
{
	struct etw_gap_list *list;
	uint32_t i;

	y->v->found[ETW_GAP_BY_RECORD].least = 0;
	for (list = y->v->found; list < y->v->found + ETW_GAP_BASES; list++) {
		for (i = 0; i < list->count; i++) {
			list->gaps[i].first = y->start;
			list->gaps[i].last = y->end;
		}
	}
	y->v->settled = y->start;
}

int etw_verify_numbers(struct etw_verify *verify)
{
	uint64_t twice = 0;
	int err;

	find_range(verify);
	err = check_strange(verify);
	if (!err)
		err = rotate(verify);
	if (!err)
		err = judge_parts(verify, &twice);
	find_since_of_empty(verify);
	if (!err)
		err = check_count(verify, twice);
	if (verify->v->shuffled)
		widen(verify);
	return err ? err : check_closed(verify);
}
