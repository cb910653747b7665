/* SPDX-License-Identifier: MIT */
/*
 * operations.c - operations: a start event and the stop event that ends it
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "cli/cli.h"
#include "convert/slices/open_starts.h"
#include "convert/slices/slices.h"
#include "kept_event.h"
#include "lib/consumer/event_record.h"
#include "operations.h"
#include "tdh/decode/embed.h"

#define OPCODE_START	1	/* win:Start */
#define OPCODE_STOP	2	/* win:Stop */
#define THREADS_KEPT	4096	/* if memory is limited */

struct longest {
	uint64_t ns;
	struct etw_text start, stop;	/* kept events */
};

struct operations {
	struct open_rule rule;
	struct open_table open;
	size_t held_max;		/* bytes of open starts ... */
	size_t each;			/* ... that count besides each event */
	struct etw_decoder *decoder;
	struct etw_event_items items;
	EVENT_RECORD record;		/* the latest event: the decoder refers to it */
	struct open_slice *ended;	/* with the current start */
	struct longest *longest;	/* longest first */
	unsigned int longest_count;
	struct etw_event stop;		/* of the one that was got last */
	uint64_t evicted;		/* starts beyond the limits */
	size_t unended;			/* starts that were forgotten at the end */
	uint64_t without_key;		/* events that lack what they are paired by */
	uint64_t stops;			/* without a start */
	bool any;			/* there was a start or a stop */
};

struct operations *operations_new(const char *by)
{
	struct operations *o = cli_calloc(1, sizeof(*o));

	if (by && !strcmp(by, "activity"))
		o->rule.by = OPEN_ACTIVITY;
	else if (by && !strcmp(by, "thread"))
		o->rule.by = OPEN_THREAD;
	else if (by)
		o->rule = (struct open_rule){ .by = OPEN_FIELD, .field = by };
	o->held_max = SLICES_HELD_MAX;
	TAILQ_INIT(&o->open.all);
	o->decoder = etw_decoder_new();
	if (!o->decoder)
		cli_die("out of memory");
	return o;
}

void operations_hold(struct operations *o, size_t bytes)
{
	o->held_max = bytes;
	o->each = sizeof(struct open_slice);
	o->open.thread_room = THREADS_KEPT;
}

static void free_longest(struct longest *longest)
{
	etw_text_free(&longest->start);
	etw_text_free(&longest->stop);
}

void operations_free(struct operations *o)
{
	if (!o)
		return;
	while (o->longest_count)
		free_longest(&o->longest[--o->longest_count]);
	free(o->longest);
	open_free(&o->open);
	etw_decoder_free(o->decoder);
	etw_event_items_free(&o->items);
	free(o->ended);
	etw_text_free(&o->rule.scratch);
	free(o);
}

static void forget(struct operations *o, struct open_slice *slice)
{
	open_take(&o->open, slice);
	open_release(&o->open, slice);
}

void operations_forget(struct operations *o)
{
	while (o->open.count)
		forget(o, TAILQ_FIRST(&o->open.all));
}

void operations_end(struct operations *o)
{
	o->unended += o->open.count;
	open_free(&o->open);
}

static void start(struct operations *o, const struct etw_event *event, const struct open_key *key,
		  uint64_t mark)
{
	struct open_slice *slice;

	while (o->open.count >= SLICES_OPEN_MAX ||
	       (o->open.count && o->open.held + o->open.count * o->each > o->held_max)) {
		o->evicted++;
		forget(o, TAILQ_FIRST(&o->open.all));
	}
	slice = open_push(&o->open, key, slices_time(event), kept_event_size(event));
	if (!slice)
		cli_die("out of memory");
	kept_event_copy(slice->body, event);
	slice->mark = mark;
}

static bool stop(struct operations *o, const struct etw_event *event, const struct open_key *key,
		 struct operation *operation)
{
	struct open_slice *slice = open_find(&o->open, key);
	const int64_t end = slices_time(event);

	if (!slice) {
		o->stops++;
		return false;
	}
	operation->stop = event;
	operation->ns = end > slice->begin ? (uint64_t)(end - slice->begin) : 0;
	operation->mark = slice->mark;
	open_take(&o->open, slice);
	open_release(&o->open, o->ended);
	o->ended = slice;
	kept_event_get(slice->body, &operation->start);
	return true;
}

static bool is_start_or_stop(const struct etw_event *event)
{
	const unsigned int opcode = slices_opcode(event);

	return opcode == OPCODE_START || opcode == OPCODE_STOP;
}

static bool take(struct operations *o, const struct convert_event *e, uint64_t mark,
		 struct operation *operation)
{
	struct open_key key;

	o->any = true;
	if (!open_key_by(&key, e, &o->rule)) {
		o->without_key++;
		return false;
	}
	if (slices_opcode(e->event) == OPCODE_START) {
		start(o, e->event, &key, mark);
		return false;
	}
	operation->decoder = e->decoder;
	operation->decoded = e->decoded;
	operation->known = e->known;
	return stop(o, e->event, &key, operation);
}

bool operations_decoded(struct operations *o, const struct convert_event *e, uint64_t mark,
			struct operation *operation)
{
	return is_start_or_stop(e->event) && take(o, e, mark, operation);
}

bool operations_event(struct operations *o, const struct etw_event *event,
		      struct operation *operation)
{
	const bool is_piece = etw_embed_is_piece(event->record.header);
	struct convert_event e = { .event = event, .decoder = o->decoder, .record = &o->record };
	int err;

	if (!is_piece && !is_start_or_stop(event))
		return false;
	etw_event_record(&o->record, event, &o->items, false);
	err = etw_decode(o->decoder, &o->record, &e.decoded);
	if (err == -ENOMEM)
		cli_die("out of memory");
	e.known = !err;
	return !is_piece && take(o, &e, 0, operation);
}

unsigned int operations_keep(struct operations *o, const struct operation *operation,
			     unsigned int max)
{
	struct longest *longest;
	unsigned int at = o->longest_count;

	while (at && o->longest[at - 1].ns < operation->ns)
		at--;
	if (at == max)
		return max;
	if (!o->longest)
		o->longest = cli_calloc(max, sizeof(*o->longest));
	if (o->longest_count == max)
		free_longest(&o->longest[--o->longest_count]);
	longest = o->longest + at;
	memmove(longest + 1, longest, (o->longest_count++ - at) * sizeof(*longest));
	*longest = (struct longest){ .ns = operation->ns };
	kept_event_save(&longest->start, &operation->start);
	kept_event_save(&longest->stop, operation->stop);
	return at;
}

bool operations_longest(struct operations *o, unsigned int rank, struct operation *operation)
{
	const struct longest *longest = o->longest + rank;
	int err;

	if (rank >= o->longest_count)
		return false;
	kept_event_get(longest->start.data, &operation->start);
	kept_event_get(longest->stop.data, &o->stop);
	etw_event_record(&o->record, &o->stop, &o->items, false);
	err = etw_decode(o->decoder, &o->record, &operation->decoded);
	if (err == -ENOMEM)
		cli_die("out of memory");
	operation->stop = &o->stop;
	operation->ns = longest->ns;
	operation->decoder = o->decoder;
	operation->known = !err;
	return true;
}

bool operations_any(const struct operations *o)
{
	return !o || o->any;
}

void operations_report(const struct operations *o)
{
	const size_t unended = o->unended + o->open.count;

	if (!o->any)
		cli_note("no operation was found: no event has the opcode 1 (start) or 2 (stop)");
	if (unended)
		cli_note("%zu operation%s did not end", unended, cli_s(unended));
	if (o->stops)
		cli_note("%" PRIu64 " operation%s ended that had not begun", o->stops, cli_s(o->stops));
	if (unended && o->stops && o->rule.by == OPEN_AUTO)
		cli_note("if they belong together, --by FIELD pairs them by a field that both have");
	if (o->without_key)
		cli_note("%" PRIu64 " event%s had no %s, so nothing to be paired by", o->without_key,
			 cli_s(o->without_key),
			 o->rule.by == OPEN_FIELD ? cli_quote(o->rule.field) : "activity");
	if (o->evicted)
		cli_note("%" PRIu64 " operation%s given up: more than %d waited for their end, or their events took more than %u MB",
			 o->evicted, o->evicted == 1 ? " was" : "s were", SLICES_OPEN_MAX,
			 (unsigned int)(o->held_max >> 20));
}
