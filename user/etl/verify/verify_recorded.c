/* SPDX-License-Identifier: MIT */
/*
 * verify_recorded.c - gaps that sessions recorded themselves, by records in their buffers
 */
#include <stdlib.h>
#include <string.h>

#include "etl/loss.h"
#include "verify_private.h"

/* Also finds copies, which are equal in all members. */
static int by_time(const void *a, const void *b)
{
	const struct etw_recorded_loss *x = a, *y = b;

	if (x->loss.first != y->loss.first)
		return x->loss.first < y->loss.first ? -1 : 1;
	return memcmp(x, y, sizeof(*x));
}

/* FILETIME of one of a record's times, by the file's clock */
static int64_t loss_time(const struct etw_verify *y, const struct etw_recorded_loss *t, int64_t time)
{
	uint8_t nanos;

	return etw_loss_time(etw_etl_time(y->time, t->timestamp, &nanos), &t->loss, time);
}

/* The same within the file's times */
static int64_t time_of(const struct etw_verify *y, const struct etw_recorded_loss *t, int64_t time)
{
	/* The record may be later than the file's end; the loss is not. */
	time = loss_time(y, t, time);
	if (time < y->start)
		return y->start;
	return y->end && time > y->end ? y->end : time;
}

/* Buffers that the file did not get. */
static int add_lost(struct etw_verify *y, const struct etw_recorded_loss *t, struct etw_gap *gap)
{
	uint64_t buffers = t->loss.buffers < 0 ? 0 : (uint64_t)t->loss.buffers;

	y->v->uncounted |= t->loss.code == ETW_LOSS_FILE_UNCLOSED;
	gap->cause = ETW_GAP_LOST;
	gap->buffers = t->loss.buffers < 0 ? ETW_GAP_UNKNOWN : buffers;
	gap->to = t->number;
	gap->from = t->number;
	if (buffers && (uint64_t)t->number >= buffers - 1 && t->number >= 0)
		gap->from -= (int64_t)(buffers - 1);
	if (t->number < 0 &&
	    __builtin_add_overflow(y->v->recorded_buffers, buffers, &y->v->recorded_buffers))
		y->v->recorded_buffers = UINT64_MAX;
	return etw_verdict_add(y->v, gap);
}

static void gap_of(const struct etw_verify *y, const struct etw_recorded_loss *t,
		   struct etw_gap *gap)
{
	static const struct etw_guid none;

	*gap = (struct etw_gap){
		.cause = ETW_GAP_NOT_WRITTEN,
		.events = t->loss.events < 0 ? ETW_GAP_UNKNOWN : (uint64_t)t->loss.events,
		.first = time_of(y, t, t->loss.first),
		.last = time_of(y, t, t->loss.last),
		.cpu = t->loss.cpu < 0 ? -1 : t->loss.cpu,
		.from = -1,
		.to = -1,
		.detail = etw_loss_text(t->loss.code),
		.has_provider = memcmp(&t->loss.provider, &none, sizeof(none)),
		.provider = t->loss.provider,
		.basis = ETW_GAP_BY_RECORD,
	};
	/*
	 * In a part of a divided file, whose header counts each loss in one part only, some may be of
	 * the others: if the loss goes on after its end, or if another part counts it.
	 */
	gap->partial = y->v->author == ETW_AUTHOR_LIBRARY &&
		       ((y->end && loss_time(y, t, t->loss.last) > y->end) ||
			(etw_loss_of_stream(t->loss.code) ?
			 t->loss.buffers > (int64_t)y->v->info.header.BuffersLost :
			 gap->events > y->v->info.header.EventsLost));
	/* Each has an event that was not finished, and more if several CPUs shared it. */
	if (t->loss.code == ETW_LOSS_ABANDONED)
		gap->unfinished = t->loss.buffers < 0 ? ETW_GAP_UNKNOWN : (uint64_t)t->loss.buffers;
}

/* ------------------------------------------------------- more records than places */

static int by_kind(const void *a, const void *b)
{
	const struct etw_recorded_loss *x = a, *y = b;
	int order = memcmp(&x->loss.provider, &y->loss.provider, sizeof(x->loss.provider));

	if (x->loss.code != y->loss.code)
		return x->loss.code < y->loss.code ? -1 : 1;
	if (x->loss.cpu != y->loss.cpu)
		return x->loss.cpu < y->loss.cpu ? -1 : 1;
	return order ? order : by_time(x, y);
}

/* A gap that is not in the list yet */
struct pending {
	struct etw_gap gap;
	size_t records, most;	/* it holds so many, and may hold so many */
};

static int add_pending(struct etw_verify *y, struct pending *p)
{
	return p->records ? etw_verdict_add(y->v, &p->gap) : 0;
}

/* Make one gap of two if no count is lost by that. */
static bool join(struct pending *p, const struct etw_gap *gap)
{
	struct etw_gap *to = &p->gap;

	if (!p->records || p->records >= p->most || to->detail != gap->detail ||
	    to->cpu != gap->cpu || memcmp(&to->provider, &gap->provider, sizeof(gap->provider)) ||
	    to->events > INT64_MAX || gap->events > INT64_MAX || to->unfinished > INT64_MAX ||
	    gap->unfinished > INT64_MAX)
		return false;
	to->events += gap->events;
	to->unfinished += gap->unfinished;
	to->first = gap->first < to->first ? gap->first : to->first;
	to->last = gap->last > to->last ? gap->last : to->last;
	p->records++;
	return true;
}

static int add_recorded(struct etw_verify *y, const struct etw_recorded_loss *t,
			struct pending *p)
{
	struct etw_gap gap;
	int err;

	gap_of(y, t, &gap);
	if (t->loss.code == ETW_LOSS_BEFORE_FILE) {
		etw_verify_limit(y->v, false, gap.last);
		y->v->since_noted |= gap.last == y->v->since_time;
		return 0;
	}
	/* Its times are those of another file. */
	if (t->loss.code == ETW_LOSS_UNRECORDED) {
		gap = etw_gap_anywhere(y->v, ETW_GAP_UNRECORDED);
		gap.basis = ETW_GAP_BY_RECORD;
		return etw_verdict_add(y->v, &gap);
	}
	if (etw_loss_of_stream(t->loss.code))
		return add_lost(y, t, &gap);
	if (gap.events != ETW_GAP_UNKNOWN &&
	    __builtin_add_overflow(y->v->recorded, gap.events, &y->v->recorded))
		y->v->recorded = UINT64_MAX;
	if (join(p, &gap))
		return 0;
	err = add_pending(y, p);
	p->gap = gap;
	p->records = 1;
	return err;
}

int etw_verify_recorded(struct etw_verify *verify)
{
	struct etw_recorded_loss *list = verify->recorded;
	struct pending pending = { .records = 0 };
	size_t i, n = 0;
	int err = 0;

	if (!verify->recorded_count)
		return 0;
	qsort(list, verify->recorded_count, sizeof(*list), by_time);
	for (i = 0; i < verify->recorded_count; i++)
		if (!n || by_time(&list[n - 1], &list[i]))
			list[n++] = list[i];
	pending.most = n / ETW_GAPS_MAX + 1;
	if (pending.most > 1)
		qsort(list, n, sizeof(*list), by_kind);
	for (i = 0; i < n && !err; i++)
		err = add_recorded(verify, &list[i], &pending);
	return err ? err : add_pending(verify, &pending);
}
