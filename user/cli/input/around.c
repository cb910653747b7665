/* SPDX-License-Identifier: MIT */
/*
 * around.c - the events around the longest operations of a trace
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include "around.h"
#include "cli/cli.h"
#include "cli/print/clock.h"
#include "kept_event.h"

struct entry {
	TAILQ_ENTRY(entry) link;
	int64_t time;
	size_t size;		/* all of it */
	uint64_t event[];	/* a kept event */
};

TAILQ_HEAD(entries, entry);

struct store {
	struct entries list;	/* in the order of reading */
	size_t size;
};

/* Around an operation, FILETIMEs */
struct window {
	int64_t from, to;
	bool cut;		/* events between from and gone are missing */
	int64_t gone;
	uint64_t missing;	/* others that did not fit */
};

struct around {
	int64_t span;
	unsigned int max, count;
	struct window *windows;	/* by rank */
	struct store recent;	/* the last events */
	struct store kept;	/* earlier ones in a window */
	bool any_gone;		/* an event that was in no window was given up ... */
	int64_t gone;		/* ... the last of them at this time */
	bool changed;		/* kept may have events that are in no window any more */
	bool all_known;		/* no window will change */
	/* around_next() */
	unsigned int rank;
	struct entry *next;
	bool of_recent;
};

struct around *around_new(int64_t span, unsigned int max)
{
	struct around *a = cli_calloc(1, sizeof(*a));

	a->span = span;
	a->max = max;
	a->windows = cli_calloc(max, sizeof(*a->windows));
	TAILQ_INIT(&a->recent.list);
	TAILQ_INIT(&a->kept.list);
	return a;
}

static void add(struct store *store, struct entry *entry)
{
	TAILQ_INSERT_TAIL(&store->list, entry, link);
	store->size += entry->size;
}

static void take(struct store *store, struct entry *entry)
{
	TAILQ_REMOVE(&store->list, entry, link);
	store->size -= entry->size;
}

static void clear(struct store *store)
{
	struct entry *entry;

	while ((entry = TAILQ_FIRST(&store->list))) {
		take(store, entry);
		free(entry);
	}
}

void around_free(struct around *a)
{
	if (!a)
		return;
	clear(&a->recent);
	clear(&a->kept);
	free(a->windows);
	free(a);
}

static bool is_within(const struct window *window, int64_t time)
{
	return time >= window->from && time <= window->to;
}

static bool is_wanted(const struct around *a, int64_t time)
{
	unsigned int i = 0;

	while (i < a->count && !is_within(&a->windows[i], time))
		i++;
	return i < a->count;
}

/* It is in no window so far. */
static void give_up(struct around *a, struct entry *entry)
{
	if (!a->any_gone || entry->time > a->gone)
		a->gone = entry->time;
	a->any_gone = true;
	free(entry);
}

static void purge(struct around *a)
{
	struct entry *entry, *next;

	for (entry = TAILQ_FIRST(&a->kept.list); entry; entry = next) {
		next = TAILQ_NEXT(entry, link);
		if (!is_wanted(a, entry->time)) {
			take(&a->kept, entry);
			give_up(a, entry);
		}
	}
	a->changed = false;
}

/* An entry that is in a window */
static void keep(struct around *a, struct entry *entry)
{
	unsigned int i;

	if (a->kept.size + entry->size > AROUND_BYTES && a->changed)
		purge(a);
	if (a->kept.size + entry->size <= AROUND_BYTES) {
		add(&a->kept, entry);
		return;
	}
	for (i = 0; i < a->count; i++)
		a->windows[i].missing += is_within(&a->windows[i], entry->time);
	free(entry);
}

static struct entry *new_entry(const struct etw_event *event)
{
	const size_t size = sizeof(struct entry) + kept_event_size(event);
	struct entry *entry = malloc(size);

	if (!entry)
		cli_die("out of memory");
	entry->time = event->time;
	entry->size = size;
	kept_event_copy(entry->event, event);
	return entry;
}

void around_event(struct around *a, const struct etw_event *event)
{
	struct entry *entry;

	if (a->all_known) {
		if (is_wanted(a, event->time))
			keep(a, new_entry(event));
		return;
	}
	add(&a->recent, new_entry(event));
	while (a->recent.size > AROUND_BYTES) {
		entry = TAILQ_FIRST(&a->recent.list);
		take(&a->recent, entry);
		if (is_wanted(a, entry->time))
			keep(a, entry);
		else
			give_up(a, entry);
	}
}

void around_operation(struct around *a, unsigned int rank, const struct operation *operation)
{
	struct window *window = a->windows + rank;
	unsigned int behind;

	if (rank >= a->max)
		return;
	if (a->count < a->max)
		a->count++;
	behind = a->count - rank - 1;
	memmove(window + 1, window, behind * sizeof(*window));
	memset(window, 0, sizeof(*window));
	if (__builtin_sub_overflow(operation->start.time, a->span, &window->from))
		window->from = INT64_MIN;
	if (__builtin_add_overflow(operation->stop->time, a->span, &window->to))
		window->to = INT64_MAX;
	window->cut = a->any_gone && a->gone >= window->from;
	window->gone = a->gone;
	a->changed = true;
}

int64_t around_reread(struct around *a)
{
	int64_t last = INT64_MIN;
	unsigned int i;

	a->all_known = true;
	for (i = 0; i < a->count; i++)
		if (a->windows[i].to > last)
			last = a->windows[i].to;
	return last;
}

void around_begin(struct around *a, unsigned int rank)
{
	a->rank = rank;
	a->of_recent = false;
	a->next = TAILQ_FIRST(&a->kept.list);
}

bool around_next(struct around *a, struct etw_event *event)
{
	const struct entry *entry;

	for (;;) {
		if (!a->next && !a->of_recent) {
			a->of_recent = true;
			a->next = TAILQ_FIRST(&a->recent.list);
		}
		entry = a->next;
		if (!entry)
			return false;
		a->next = TAILQ_NEXT(a->next, link);
		if (is_within(&a->windows[a->rank], entry->time)) {
			kept_event_get(entry->event, event);
			return true;
		}
	}
}

void around_report(const struct around *a, unsigned int rank)
{
	const struct window *window = a->windows + rank;
	struct etw_text time = { 0 };

	if (window->cut) {
		clock_local(&time, window->gone);
		text_check(&time);
		cli_note("--around: operation %u: events up to %s are missing: those of over %u MB came before it ended",
			 rank + 1, time.data, AROUND_BYTES >> 20);
		etw_text_free(&time);
	}
	if (window->missing)
		cli_note("--around: operation %u: %" PRIu64 " event%s around it %s missing: all that were around the longest take more than %u MB%s",
			 rank + 1, window->missing, cli_s(window->missing),
			 window->missing == 1 ? "is" : "are", AROUND_BYTES >> 20,
			 a->all_known ? "; --since and --until print them" : "");
}
