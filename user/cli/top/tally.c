/* SPDX-License-Identifier: MIT */
/*
 * tally.c - what etw top has counted
 */
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "tally.h"

static void release(struct report_entry *entry)
{
	struct tally_row *row = (struct tally_row *)entry;

	report_histogram_free(&row->times);
	free(row->name);
}

static void init_rows(struct tally *t)
{
	report_bounded_init(&t->rows, TALLY_ROWS, sizeof(struct tally_row), release);
}

void tally_init(struct tally *t)
{
	memset(t, 0, sizeof(*t));
	init_rows(t);
}

void tally_free(struct tally *t)
{
	report_bounded_free(&t->rows);
}

void tally_clear(struct tally *t)
{
	report_bounded_free(&t->rows);
	init_rows(t);
	t->events = t->bytes = t->operations = t->lost = 0;
	memset(&t->recent, 0, sizeof(t->recent));
}

void tally_tick(struct tally *t, double seconds)
{
	t->tick++;
	t->seconds = seconds;
}

/* Make a tick the latest one with a place: those in between had no events. */
static void reach(struct tally_recent *r, uint64_t tick)
{
	uint64_t at = tick - r->tick < TALLY_TICKS ? r->tick + 1 : tick + 1 - TALLY_TICKS;

	if (tick <= r->tick)
		return;
	for (; at <= tick; at++)
		r->events[at % TALLY_TICKS] = 0;
	r->tick = tick;
}

static void count_recent(struct tally_recent *r, uint64_t tick, uint64_t events)
{
	reach(r, tick);
	if (r->tick - tick < TALLY_TICKS)
		r->events[tick % TALLY_TICKS] += events;
}

static uint64_t recent_of(const struct tally_recent *r, uint64_t tick)
{
	return tick <= r->tick && r->tick - tick < TALLY_TICKS ? r->events[tick % TALLY_TICKS] : 0;
}

struct tally_row *tally_row(struct tally *t, const struct by_row *of)
{
	struct report_entry *entry;
	struct tally_row *row;
	const int ret = report_bounded_get(&t->rows, of->key.len ? of->key.data : "", of->key.len,
					   &entry);

	if (ret < 0)
		cli_die("out of memory");
	row = (struct tally_row *)entry;
	if (ret || (of->is_named && !row->is_named)) {
		free(row->name);
		row->name = cli_strdup(of->name.len ? of->name.data : "");
		row->is_named = of->is_named;
	}
	return row;
}

void tally_count(struct tally *t, struct tally_row *row, uint64_t tick, uint64_t events,
		 uint64_t bytes)
{
	row->entry.events += events;
	row->entry.bytes += bytes;
	count_recent(&row->recent, tick, events);
	count_recent(&t->recent, tick, events);
	t->events += events;
	t->bytes += bytes;
}

void tally_count_apart(struct tally *t, uint64_t events, uint64_t bytes)
{
	t->events += events;
	t->bytes += bytes;
}

void tally_operation(struct tally *t, struct tally_row *row, uint64_t ns)
{
	if (report_histogram_add(&row->times, ns))
		cli_die("out of memory");
	t->operations++;
}

void tally_lose(struct tally *t, struct tally_row *row, uint64_t events)
{
	row->lost += events;
	t->lost += events;
}

double tally_rate(const struct tally *t, const struct tally_recent *recent)
{
	if (!t->tick || t->seconds <= 0)
		return 0;
	return (double)recent_of(recent, t->tick - 1) / t->seconds;
}

void tally_series(const struct tally *t, const struct tally_recent *recent, uint64_t *to,
		  unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		to[i] = t->tick >= count - i ? recent_of(recent, t->tick - (count - i)) : 0;
}
