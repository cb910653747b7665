/* SPDX-License-Identifier: MIT */
/*
 * verify_series.c - files of one session, the losses that their headers count, and all gaps
 *
 * Any number of gaps is counted, but only ETW_GAPS_MAX are listed. Each basis has a list until
 * the verdict is final, so that records and hints take no place that damage needs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <etw/format.h>

#include "base/grow.h"
#include "verify_private.h"

/* --------------------------------------------------------------------- bounds */

/* No record is smaller than a message's header. */
static uint64_t events_of(const struct etw_verdict *v, uint64_t buffers)
{
	uint64_t each = v->info.header.BufferSize / sizeof(struct etw_message_header);

	return buffers > ETW_GAP_UNKNOWN / 2 / each ? ETW_GAP_UNKNOWN : buffers * each;
}

/* At most so many events are missing for this gap. */
static uint64_t most_of(const struct etw_verdict *v, const struct etw_gap *gap)
{
	uint64_t most;

	switch (gap->cause) {
	case ETW_GAP_DUPLICATE:
	case ETW_GAP_DISORDER:
	case ETW_GAP_SURPLUS:
		return 0;
	case ETW_GAP_STRANGE:
		/* Its number may have been another buffer's. */
		return gap->buffers ? ETW_GAP_UNKNOWN : events_of(v, 1);
	case ETW_GAP_FLAGGED:
		/* Those that the header counts. */
		return v->closed && v->info.header.EventsLost ? 0 : ETW_GAP_UNKNOWN;
	case ETW_GAP_LOST:
		return gap->events;
	case ETW_GAP_NOT_WRITTEN:
		if (v->info.header.EventsLost == UINT32_MAX)
			return ETW_GAP_UNKNOWN;
		most = gap->unfinished ? events_of(v, gap->unfinished) : 0;
		return most > gap->events ? most : gap->events;
	case ETW_GAP_NOT_STORED:
		/* Without a number nothing says how many earlier ones the session had. */
		if (v->low > v->high)
			return ETW_GAP_UNKNOWN;
		/* They may be of the files that a program has read, whose buffers may have been larger. */
		if (v->author == ETW_AUTHOR_LIBRARY && v->info.header.BuffersLost)
			return ETW_GAP_UNKNOWN;
		return events_of(v, gap->buffers);
	case ETW_GAP_NUMBERS:
	case ETW_GAP_FILES:
	case ETW_GAP_BUFFER:
	case ETW_GAP_RECORD:
		return gap->buffers == ETW_GAP_UNKNOWN ? ETW_GAP_UNKNOWN :
							 events_of(v, gap->buffers);
	default:
		return ETW_GAP_UNKNOWN;
	}
}

/* Add counts of which each may be ETW_GAP_UNKNOWN. */
static uint64_t plus(uint64_t a, uint64_t b)
{
	return a > ETW_GAP_UNKNOWN - b ? ETW_GAP_UNKNOWN : a + b;
}

/* The same for what is known: the sum of damaged counts is as large as it can be. */
static uint64_t plus_known(uint64_t a, uint64_t b)
{
	uint64_t sum = b == ETW_GAP_UNKNOWN ? a : plus(a, b);

	return sum == ETW_GAP_UNKNOWN ? ETW_GAP_UNKNOWN - 1 : sum;
}

void etw_verdict_lost(const struct etw_verdict *verdict, uint64_t *least, uint64_t *most)
{
	*least = verdict->least;
	*most = verdict->most;
}

/* ---------------------------------------------------------------------- lists */

int etw_verdict_add(struct etw_verdict *verdict, const struct etw_gap *gap)
{
	struct etw_gap_list *list = &verdict->found[gap->basis];
	uint32_t n = list->count;
	struct etw_gap *gaps;

	if (gap->cause == ETW_GAP_BUFFER)
		verdict->damaged = plus_known(verdict->damaged, gap->buffers);
	list->least = plus_known(list->least, gap->partial ? 0 : gap->events);
	list->most = plus(list->most, most_of(verdict, gap));
	if (n == ETW_GAPS_MAX) {
		list->more++;
		return 0;
	}
	gaps = etw_grow(list->gaps, n, sizeof(*gaps));
	if (!gaps)
		return -ENOMEM;
	list->gaps = gaps;
	list->gaps[list->count++] = *gap;
	return 0;
}

static bool has_gaps(const struct etw_verdict *verdict)
{
	unsigned int i;

	for (i = 0; i < ETW_GAP_BASES; i++)
		if (verdict->found[i].count)
			return true;
	return false;
}

static void forget(struct etw_verdict *verdict, enum etw_gap_basis basis)
{
	struct etw_gap_list *list = &verdict->found[basis];

	free(list->gaps);
	memset(list, 0, sizeof(*list));
}

static int make_list(struct etw_verdict *verdict)
{
	uint32_t room = 0, i, n;

	for (i = 0; i < ETW_GAP_BASES; i++)
		room += verdict->found[i].count;
	if (room > ETW_GAPS_MAX)
		room = ETW_GAPS_MAX;
	verdict->gaps = malloc((room + 1) * sizeof(*verdict->gaps));
	if (!verdict->gaps)
		return -ENOMEM;
	for (i = 0; i < ETW_GAP_BASES; i++) {
		const struct etw_gap_list *list = &verdict->found[i];

		n = room - verdict->gap_count;
		n = n < list->count ? n : list->count;
		if (n)
			memcpy(verdict->gaps + verdict->gap_count, list->gaps, n * sizeof(*list->gaps));
		verdict->gap_count += n;
		verdict->more += list->more + list->count - n;
		verdict->least = plus_known(verdict->least, list->least);
		verdict->most = plus(verdict->most, list->most);
		forget(verdict, i);
	}
	/* Nothing says what the circle had before it lost all buffers, with their numbers. */
	if (room && verdict->low > verdict->high &&
	    verdict->info.header.LogFileMode & EVENT_TRACE_FILE_MODE_CIRCULAR)
		verdict->most = ETW_GAP_UNKNOWN;
	return 0;
}

void etw_verdict_free(struct etw_verdict *verdict)
{
	unsigned int i;

	for (i = 0; i < ETW_GAP_BASES; i++)
		forget(verdict, i);
	free(verdict->gaps);
	memset(verdict, 0, sizeof(*verdict));
}

/* --------------------------------------------------------------------- series */

/* Can it be one of several files of a session? */
static bool may_follow(const struct etw_verdict *v)
{
	return v->author == ETW_AUTHOR_KERNEL && v->low <= v->high &&
	       !(v->info.header.LogFileMode & EVENT_TRACE_FILE_MODE_APPEND);
}

static bool same_session(const struct etw_verdict *a, const struct etw_verdict *b)
{
	return may_follow(a) && may_follow(b) && etw_etl_same_session(&a->info, &b->info);
}

static bool overlap(const struct etw_verdict *a, const struct etw_verdict *b)
{
	return a->low <= b->high && b->low <= a->high;
}

/*
 * The file before this one in its series, or NULL. Files that share numbers were not
 * written one after the other: then no one is before another.
 */
static struct etw_verdict *former(struct etw_verdict *list, unsigned int count,
				  const struct etw_verdict *v)
{
	struct etw_verdict *best = NULL, *other;

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

/* A session has each number in one file only: a file is there twice, or a buffer is elsewhere. */
static int add_overlap(struct etw_verdict *v, const struct etw_verdict *first,
		       const struct etw_verdict *end)
{
	struct etw_gap gap = etw_gap_anywhere(v, ETW_GAP_STRANGE);
	const struct etw_verdict *other;

	gap.buffers = ETW_GAP_UNKNOWN;
	gap.from = v->low;
	gap.to = v->high;
	gap.detail = "another file of the session has some of these numbers, too";
	for (other = first; other < end; other++)
		if (other != v && same_session(other, v) && overlap(other, v))
			return etw_verdict_add(v, &gap);
	return 0;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Buffers that are in neither of two files. */
static int add_between(struct etw_verdict *v, const struct etw_verdict *before, uint64_t *missing)
{
	struct etw_gap gap = etw_gap_anywhere(v, ETW_GAP_FILES);

	gap.last = v->low_time;
	gap.to = v->low - 1;
	/* The file before records what it lost at its end. */
	gap.buffers = minus((uint64_t)v->low - (uint64_t)before->high - 1, before->covered);
	gap.from = v->low - (int64_t)gap.buffers;
	/* A circular file may have overwritten them. */
	if (gap.buffers && v->info.header.LogFileMode & EVENT_TRACE_FILE_MODE_CIRCULAR)
		return 0;
	*missing = gap.buffers;
	/* Between two snapshots the memory of a session may have been overwritten. */
	if (!(v->info.header.LogFileMode & EVENT_TRACE_BUFFERING_MODE))
		v->since = false;
	return gap.buffers ? etw_verdict_add(v, &gap) : 0;
}

/*
 * Do the records of all files account for every event that the last header of the series counts?
 * Some may be in a later file than the header that is the first to count them. Nobody knows that
 * if there are also records of a session that did not come to count its losses.
 */
static bool all_recorded(const struct etw_verdict *list, unsigned int count,
		     const struct etw_verdict *v)
{
	uint64_t recorded = 0, lost = v->info.header.EventsLost;
	bool closed = true;
	const struct etw_verdict *other;

	for (other = list; other < list + count; other++) {
		if (other != v && !same_session(other, v))
			continue;
		closed &= other->closed && !other->uncounted && !other->shuffled;
		if (__builtin_add_overflow(recorded, other->recorded, &recorded))
			recorded = UINT64_MAX;
		if (other->info.header.EventsLost > lost)
			lost = other->info.header.EventsLost;
	}
	return closed && lost && recorded >= lost;
}

/* Events that the header counts and no gap holds. */
static int add_events(struct etw_verdict *v, const struct etw_verdict *before)
{
	struct etw_gap gap = etw_gap_anywhere(v, ETW_GAP_NOT_WRITTEN);

	gap.events = minus(minus(v->info.header.EventsLost,
				 before ? before->info.header.EventsLost : 0), v->recorded);
	/* Each later buffer would be flagged: all were lost after the last one. */
	if (v->author == ETW_AUTHOR_KERNEL && !has_gaps(v) && !v->low && v->low <= v->high &&
	    !(v->info.header.LogFileMode & EVENT_TRACE_FILE_MODE_APPEND))
		gap.first = v->settled;
	return gap.events ? etw_verdict_add(v, &gap) : 0;
}

/*
 * Count the buffers that the header counts, as lost or as written, and that no gap between
 * two numbers of the file locates. Only a session of ours gives each lost buffer a number.
 */
static void count_buffers(struct etw_verdict *v, const struct etw_verdict *before)
{
	uint64_t lost = minus(v->info.header.BuffersLost,
			      before ? before->info.header.BuffersLost : 0);
	uint64_t missing = lost + v->count_missing;

	if (v->author != ETW_AUTHOR_KERNEL)
		v->unlocated = lost + minus(v->count_missing, v->numbers_missing);
	else if (v->shuffled)
		v->unlocated = missing == v->numbers_missing ? 0 : missing;
	else
		/* The gaps may be those of a session that did not come to count them. */
		v->unlocated = v->uncounted ? missing : minus(missing, v->numbers_missing);
	v->covered = v->unlocated < v->recorded_buffers ? v->unlocated : v->recorded_buffers;
	v->recorded_buffers -= v->covered;
	v->unlocated -= v->covered;
}

/*
 * A buffer that cannot be read is one of those that the header of a closed file counts, so it is
 * missing once: not at an unknown place as well, and not as the number that it had as well.
 */
static void count_damaged(struct etw_verdict *v)
{
	struct etw_gap_list *list = &v->found[ETW_GAP_BY_STRUCTURE];
	uint64_t n = v->damaged < v->count_missing ? v->damaged : v->count_missing;
	uint32_t i;

	if (!v->counted || v->shuffled)
		return;
	n = n < v->unlocated ? n : v->unlocated;
	v->unlocated -= n;
	n = minus(v->damaged, n);
	n = n < v->numbers_missing ? n : v->numbers_missing;
	for (i = 0; i < list->count && n; i++) {
		struct etw_gap *gap = &list->gaps[i];

		if (gap->cause != ETW_GAP_BUFFER || gap->buffers > n)
			continue;
		n -= gap->buffers;
		if (list->most != ETW_GAP_UNKNOWN)
			list->most -= most_of(v, gap);
		gap->buffers = 0;
	}
}

/*
 * Those behind the last buffer of a file are between it and the next one. What else is between
 * two files may be the later one's, or that of a file that was not given.
 */
static int add_buffers(struct etw_verdict *v, bool between)
{
	uint64_t lost = v->info.header.BuffersLost;
	struct etw_gap gap = etw_gap_anywhere(v, ETW_GAP_NOT_STORED);

	gap.buffers = v->unlocated;
	gap.detail = between ? "perhaps some of those between two files" :
		     lost ? "the header counts buffers that were lost to the file" :
			    "the file has fewer than its header counts";
	return gap.buffers ? etw_verdict_add(v, &gap) : 0;
}

/* Sort by the first number, so that a file comes after the former one. */
static int by_low(const void *a, const void *b)
{
	const struct etw_verdict *x = *(struct etw_verdict *const *)a;
	const struct etw_verdict *y = *(struct etw_verdict *const *)b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* In the order of their first numbers */
static int finish(struct etw_verdict *verdicts, unsigned int count, struct etw_verdict **order,
		  bool *between)
{
	struct etw_verdict *before;
	uint64_t missing;
	unsigned int i;
	int err = 0;

	for (i = 0; i < count && !err; i++) {
		missing = 0;
		before = former(verdicts, count, order[i]);
		if (before)
			err = add_between(order[i], before, &missing);
		/* The records give exactly what hints only suggest. */
		if (all_recorded(verdicts, count, order[i]))
			forget(order[i], ETW_GAP_BY_HINT);
		else if (!err)
			err = add_events(order[i], before);
		count_buffers(order[i], before);
		count_damaged(order[i]);
		if (!before)
			continue;
		between[order[i] - verdicts] = missing > before->unlocated;
		before->unlocated = minus(before->unlocated, missing);
	}
	for (i = 0; i < count && !err; i++)
		err = add_buffers(&verdicts[i], between[i]);
	for (i = 0; i < count && !err; i++)
		err = add_overlap(&verdicts[i], verdicts, verdicts + count);
	for (i = 0; i < count && !err; i++)
		err = make_list(&verdicts[i]);
	return err;
}

int etw_verdict_finish(struct etw_verdict *verdicts, unsigned int count)
{
	struct etw_verdict **order = malloc((count + 1) * sizeof(struct etw_verdict *));
	bool *between = calloc(count + 1, sizeof(*between));
	unsigned int i;
	int err = -ENOMEM;

	if (order && between) {
		for (i = 0; i < count; i++)
			order[i] = &verdicts[i];
		qsort(order, count, sizeof(*order), by_low);
		err = finish(verdicts, count, order, between);
	}
	free(between);
	free(order);
	return err;
}
