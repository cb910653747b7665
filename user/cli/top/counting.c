/* SPDX-License-Identifier: MIT */
/*
 * counting.c - events counted into the rows of etw top
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/guid.h"
#include "cli/cli.h"
#include "cli/input/log_contents.h"
#include "counting.h"
#include "etl/loss.h"
#include "tdh/decode/decoder.h"
#include "tdh/decode/embed.h"

void counting_open(struct counting *c, int fd, const char *pairing,
		   const struct symbols_request *symbols)
{
	tally_init(&c->tally);
	processes_open(&c->processes, true);
	c->names = names_new(fd);
	c->decoder = etw_decoder_new();
	c->start_decoder = etw_decoder_new();
	if (!c->decoder || !c->start_decoder)
		cli_die("out of memory");
	c->live = operations_new(pairing);
	operations_hold(c->live, COUNTING_STARTS);
	if (!symbols)
		return;
	flame_open(&c->flame, symbols, &c->processes);
	c->again = operations_new(pairing);
	operations_hold(c->again, COUNTING_STARTS);
	history_init(&c->history, COUNTING_HISTORY);
}

void counting_close(struct counting *c)
{
	tally_free(&c->tally);
	processes_close(&c->processes);
	names_free(c->names);
	etw_decoder_free(c->decoder);
	etw_decoder_free(c->start_decoder);
	etw_event_items_free(&c->items);
	etw_event_items_free(&c->start_items);
	operations_free(c->live);
	operations_free(c->again);
	history_free(&c->history);
	etw_expr_free(c->filter);
	etw_text_free(&c->row.key);
	etw_text_free(&c->row.name);
	flame_close(&c->flame);
}

void counting_show_processes(struct counting *c)
{
	c->processes.show = true;
}

void counting_show_images(struct counting *c)
{
	c->processes.show_images = true;
}

/* ---------------------------------------------------------------------- questions */

static const char *ask_provider(void *context, const GUID *guid)
{
	struct etw_guid own;

	memcpy(&own, guid, sizeof(own));
	return names_get(((struct counting *)context)->names, &own);
}

static bool ask_process(void *context, const EVENT_RECORD *record, bool parent,
			struct etw_process *process)
{
	return processes_ask(&((struct counting *)context)->processes, record, parent, process);
}

bool counting_filter(struct counting *c, const char *text, const char **error, size_t *column)
{
	const struct etw_expr_ask ask = {
		.provider = ask_provider, .process = ask_process, .context = c,
	};
	struct etw_expr *filter = NULL;

	if (text && text[strspn(text, " ")]) {
		*error = NULL;
		filter = etw_expr_parse(text, error, column);
		if (!filter && !*error)
			cli_die("out of memory");
		if (!filter)
			return false;
		etw_expr_ask(filter, &ask);
	}
	etw_expr_free(c->filter);
	c->filter = filter;
	return true;
}

/* ------------------------------------------------------------------------- counting */

static void decode(struct etw_decoder *decoder, struct etw_event_items *items,
		   EVENT_RECORD *record, struct convert_event *e)
{
	int err;

	e->decoder = decoder;
	e->record = record;
	etw_event_record(record, e->event, items, false);
	err = etw_decode(decoder, record, &e->decoded);
	if (err == -ENOMEM)
		cli_die("out of memory");
	e->known = !err;
}

/* c->row becomes the row of an event. */
static void find_row(struct counting *c, const struct convert_event *e)
{
	const struct by_names names = { &c->processes, c->names };

	etw_text_cut(&c->row.key, 0);
	etw_text_cut(&c->row.name, 0);
	by_row(&c->by, &names, e, &c->row);
}

static void count_stack(struct counting *c, const struct convert_event *e)
{
	flame_event(&c->flame, &c->processes, e, c->row.name.len ? c->row.name.data : BY_NO_NAME);
}

static bool needs_operation(const struct counting *c)
{
	return c->filter && etw_expr_needs_operation(c->filter);
}

static void count_operation(struct counting *c, const struct operation *operation, uint64_t tick)
{
	const struct etw_expr_operation of = {
		operation->ns, operation->known ? operation->decoder : NULL,
	};
	struct convert_event start = { .event = &operation->start };
	struct tally_row *row;
	EVENT_RECORD record;
	uint64_t bytes;

	decode(c->start_decoder, &c->start_items, &record, &start);
	if (c->filter && !etw_expr_match_operation(c->filter, &record, start.decoded,
						   c->start_decoder, &of))
		return;
	find_row(c, &start);
	if (needs_operation(c))
		count_stack(c, &start);
	if (c->only_stacks)
		return;
	row = tally_row(&c->tally, &c->row);
	bytes = (uint64_t)operation->start.record.header->size +
		operation->stop->record.header->size;
	if (needs_operation(c))
		tally_count(&c->tally, row, tick, 1, bytes);
	tally_operation(&c->tally, row, operation->ns);
}

static void note_time(struct counting *c, const struct etw_event *event)
{
	if (!c->since)
		c->since = event->time;
}

static void count_event(struct counting *c, const struct etw_event *event, uint64_t tick,
			uint32_t bytes)
{
	struct convert_event e = { .event = event };
	EVENT_RECORD record;

	note_time(c, event);
	if (needs_operation(c))
		return;
	decode(c->decoder, &c->items, &record, &e);
	if (c->filter && !etw_expr_match(c->filter, &record, e.decoded, c->decoder))
		return;
	find_row(c, &e);
	count_stack(c, &e);
	if (!c->only_stacks)
		tally_count(&c->tally, tally_row(&c->tally, &c->row), tick, 1, bytes);
}

/* All decoders have to learn a piece of a schema, and later events need it. */
static void learn_schema(struct counting *c, const struct etw_event *piece)
{
	struct convert_event e = { .event = piece };
	struct operation none;
	EVENT_RECORD record;

	decode(c->decoder, &c->items, &record, &e);
	decode(c->start_decoder, &c->start_items, &record, &e);
	operations_event(c->live, piece, &none);
	if (c->again)
		operations_event(c->again, piece, &none);
}

/* The ledger says of which provider events are missing, if it was only one. */
static void count_loss(struct counting *c, const struct etw_loss *loss)
{
	const struct by_names names = { &c->processes, c->names };

	if (c->by.what != BY_PROVIDER || loss->payload.events <= 0 ||
	    etw_guid_is_zero(&loss->payload.provider))
		return;
	etw_text_cut(&c->row.key, 0);
	etw_text_cut(&c->row.name, 0);
	by_row_provider(&names, &loss->payload.provider, &c->row);
	tally_lose(&c->tally, tally_row(&c->tally, &c->row), (uint64_t)loss->payload.events);
}

/* false: the event is no event of a provider, or one that is there for names only. */
static bool learn(struct counting *c, const struct etw_event *event)
{
	const bool is_wanted = processes_event(&c->processes, event);
	struct etw_guid guid;
	const char *name = etw_process_provider_name(event, &guid);
	struct etw_loss loss;

	if (name)
		names_learn(c->names, &guid, name);
	if (etw_embed_is_piece(event->record.header))
		learn_schema(c, event);
	else if (etw_loss_of(event, &loss))
		count_loss(c, &loss);
	return is_wanted && !event_is_about_trace(event);
}

void counting_event(struct counting *c, const struct etw_event *event)
{
	const uint64_t tick = c->tally.tick;
	struct operation operation;
	bool ends;

	if (!learn(c, event))
		return;
	ends = operations_event(c->live, event, &operation);
	if (c->frozen) {
		c->skipped++;
		c->skipped_bytes += event->raw_size;
		tally_count_apart(&c->tally, 1, event->raw_size);
		return;
	}
	history_add(&c->history, event, tick, event->raw_size);
	count_event(c, event, tick, event->raw_size);
	if (ends)
		count_operation(c, &operation, tick);
}

void counting_tick(struct counting *c, double seconds)
{
	if (!c->frozen)
		tally_tick(&c->tally, seconds);
}

static void count_again(void *context, const struct etw_event *event, uint64_t tick, uint32_t bytes)
{
	struct counting *c = context;
	struct operation operation;
	const bool ends = operations_event(c->again, event, &operation);

	count_event(c, event, tick, bytes);
	if (ends)
		count_operation(c, &operation, tick);
}

static void forget(struct counting *c)
{
	tally_clear(&c->tally);
	flame_clear(&c->flame);
	c->since = 0;
}

void counting_again(struct counting *c)
{
	forget(c);
	if (!c->again)
		return;
	history_each(&c->history, count_again, c);
	operations_forget(c->again);
	/* They came in that time, and are in no row. */
	tally_count_apart(&c->tally, c->skipped, c->skipped_bytes);
}

void counting_stacks(struct counting *c)
{
	if (c->flame.counts || !c->again)
		return;
	flame_begin(&c->flame);
	c->only_stacks = true;
	history_each(&c->history, count_again, c);
	operations_forget(c->again);
	c->only_stacks = false;
}

void counting_clear(struct counting *c)
{
	forget(c);
	c->skipped = c->skipped_bytes = 0;
	c->history.used[0] = c->history.used[1] = 0;
}
