/* SPDX-License-Identifier: MIT */
/*
 * around.c - what the threads of the slowest operations did before, during and after them
 *
 * Which operations these are is known at the end, so the events come once more. Of those of the
 * threads that started and ended an operation, the last ones before it, the first and the last
 * ones in it, and the first ones after it are kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "convert/slices/slices.h"
#include "report_private.h"

#define BEFORE		REPORT_BEFORE
#define INSIDE		4
#define LAST		2	/* of those inside, behind the first ones; the stop is one of them */
#define AFTER		4
#define MARGIN		INT64_C(100000000)	/* ns before and after it that are looked at */
#define OPERATIONS	20	/* names of operations, by their time in all */

struct report_around {
	struct report_slow *slow;
	uint16_t next[2];	/* links to others of threads with the hash of its start's, its stop's */
	uint64_t before, inside, last, after;	/* events that came */
	struct report_row rows_before[BEFORE], rows_inside[INSIDE], rows_last[LAST], rows_after[AFTER];
};

static int64_t end_of(const struct report_slow *slow)
{
	return slow->start + (int64_t)slow->ns;
}

static int64_t filetime(int64_t ns)
{
	return ns / 100 + ETW_UNIX_EPOCH_100NS;
}

static unsigned int thread_hash(uint32_t pid, uint32_t tid)
{
	return (pid * 2654435761u ^ tid * 2246822519u) >> 20;
}

/* A link is twice the number of an operation, and one more if it is by its stop's thread; from 2 on */
static void note_thread(struct report *r, unsigned int number, bool stop, uint32_t pid, uint32_t tid)
{
	uint16_t *first = &r->around_threads[thread_hash(pid, tid)];

	r->arounds[number].next[stop] = *first;
	*first = (uint16_t)(2 * number + stop + 2);
}

static void note(struct report *r, struct report_slow *slow)
{
	const unsigned int number = r->around_count++;

	r->arounds[number].slow = slow;
	note_thread(r, number, false, slow->pid, slow->tid);
	if (slow->stop_pid != slow->pid || slow->stop_tid != slow->tid)
		note_thread(r, number, true, slow->stop_pid, slow->stop_tid);
	if (slow->start - MARGIN < r->around_from)
		r->around_from = slow->start - MARGIN;
	if (end_of(slow) + MARGIN > r->around_to)
		r->around_to = end_of(slow) + MARGIN;
}

int report_around_begin(struct report *r, int64_t *until)
{
	struct report_operation *list[REPORT_OPERATIONS];
	const unsigned int count = report_operations_list(r, list);
	unsigned int i, j;

	r->arounds = calloc(OPERATIONS * REPORT_SLOWEST, sizeof(*r->arounds));
	if (!r->arounds)
		return -ENOMEM;
	r->around_from = INT64_MAX;
	r->around_to = INT64_MIN;
	for (i = 0; i < count && i < OPERATIONS; i++)
		for (j = 0; j < list[i]->slow_count; j++)
			note(r, &list[i]->slow[j]);
	*until = filetime(r->around_to) + 1;
	return r->around_count != 0;
}

static bool is_complete(const struct report_around *around, int64_t ns)
{
	const int64_t end = end_of(around->slow);

	return ns > end && (around->after == AFTER || ns > end + MARGIN);
}

int64_t report_around_next(const struct report *r, const struct etw_event *event)
{
	const int64_t ns = event ? slices_time(event) : INT64_MIN;
	int64_t next = INT64_MAX, first;
	unsigned int i;

	for (i = 0; i < r->around_count; i++) {
		if (is_complete(&r->arounds[i], ns))
			continue;
		first = r->arounds[i].slow->start - MARGIN;
		if (first < r->arounds[i].slow->before)
			first = r->arounds[i].slow->before;
		if (first < next)
			next = first;
	}
	return next == INT64_MAX ? next : filetime(next) - 1;
}

static bool is_near(const struct report_around *around, int64_t ns, uint32_t pid, uint32_t tid)
{
	const struct report_slow *slow = around->slow;

	if (ns < slow->start - MARGIN || ns > end_of(slow) + MARGIN)
		return false;
	if (ns > end_of(slow) && around->after == AFTER)
		return false;
	return (tid == slow->tid && pid == slow->pid) ||
	       (tid == slow->stop_tid && pid == slow->stop_pid);
}

bool report_around_wants(const struct report *r, const struct etw_event *event)
{
	const struct etw_event_header *header = event->record.header;
	const int64_t ns = slices_time(event);
	unsigned int link;

	if (ns < r->around_from || ns > r->around_to)
		return false;
	link = r->around_threads[thread_hash(header->process_id, header->thread_id)];
	for (; link; link = r->arounds[link / 2 - 1].next[link & 1])
		if (is_near(&r->arounds[link / 2 - 1], ns, header->process_id, header->thread_id))
			return true;
	return false;
}

/* The place of an event's row; there is one for each that is near. */
static struct report_row *place_of(struct report_around *around, int64_t ns)
{
	if (ns < around->slow->start)
		return &around->rows_before[around->before++ % BEFORE];
	if (ns > end_of(around->slow))
		return &around->rows_after[around->after++];
	if (around->inside < INSIDE)
		return &around->rows_inside[around->inside++];
	return &around->rows_last[around->last++ % LAST];
}

static int fill(struct report *r, struct report_row *row, const struct convert_event *e)
{
	const struct etw_event_header *header = e->event->record.header;
	struct etw_text title = { .data = NULL };
	struct etw_process process;

	report_row_free(row);
	row->ns = slices_time(e->event);
	row->pid = header->process_id;
	row->tid = header->thread_id;
	row->cpu = e->event->cpu;
	row->level = header->desc.level;
	report_event_title(r, e, &title);
	row->title = title.data;
	row->text = report_row_text(r, e->decoder);
	if (title.error || !row->title || !row->text)
		return -ENOMEM;
	if (!r->host.process ||
	    !r->host.process(r->host.context, row->pid, e->event->time, NULL, &process))
		return 0;
	row->process = report_name(process.name);
	return row->process ? 0 : -ENOMEM;
}

int report_around_event(struct report *r, const struct convert_event *e)
{
	const struct etw_event_header *header = e->event->record.header;
	const int64_t ns = slices_time(e->event);
	unsigned int i;
	int err = 0;

	for (i = 0; i < r->around_count && !err; i++) {
		if (!is_near(&r->arounds[i], ns, header->process_id, header->thread_id))
			continue;
		err = fill(r, place_of(&r->arounds[i], ns), e);
	}
	return err;
}

/* Move the rows of a ring, oldest first. */
static void move(struct report_slow *slow, struct report_row *ring, uint64_t seen, unsigned int max)
{
	const uint64_t count = seen < max ? seen : max;
	uint64_t i;

	for (i = seen - count; i < seen; i++) {
		slow->context[slow->context_count++] = ring[i % max];
		memset(&ring[i % max], 0, sizeof(*ring));
	}
}

int report_around_end(struct report *r)
{
	unsigned int i;

	for (i = 0; i < r->around_count; i++) {
		struct report_around *around = &r->arounds[i];
		struct report_slow *slow = around->slow;

		slow->context = calloc(BEFORE + INSIDE + LAST + AFTER, sizeof(*slow->context));
		if (!slow->context)
			return -ENOMEM;
		move(slow, around->rows_before, around->before, BEFORE);
		move(slow, around->rows_inside, around->inside, INSIDE);
		slow->skipped_at = slow->context_count;
		slow->skipped = around->last > LAST ? around->last - LAST : 0;
		move(slow, around->rows_last, around->last, LAST);
		move(slow, around->rows_after, around->after, AFTER);
	}
	return 0;
}

static void free_rows(struct report_row *rows, unsigned int count)
{
	while (count)
		report_row_free(&rows[--count]);
}

void report_around_free(struct report *r)
{
	unsigned int i;

	for (i = 0; i < r->around_count; i++) {
		free_rows(r->arounds[i].rows_before, BEFORE);
		free_rows(r->arounds[i].rows_inside, INSIDE);
		free_rows(r->arounds[i].rows_last, LAST);
		free_rows(r->arounds[i].rows_after, AFTER);
	}
	free(r->arounds);
}
