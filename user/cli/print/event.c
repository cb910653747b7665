/* SPDX-License-Identifier: MIT */
/*
 * event.c - the common part of printing an event as text and as JSON
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "event.h"
#include "convert/items.h"
#include "tdh/decode/decoder.h"

#define BLOCK	65536	/* bytes of lines that go to stdout at once */

const struct etw_event_header *event_header(const struct event_printer *printer)
{
	return printer->event->record.header;
}

static void decode(struct event_printer *printer, const struct etw_event *event)
{
	int err;

	if (!printer->decoder)
		printer->decoder = etw_decoder_new();
	if (!printer->decoder)
		cli_die("out of memory");
	printer->items.keeps = true;
	etw_event_record(&printer->record, event, &printer->items, false);
	err = etw_decode_repeated(printer->decoder, &printer->record, printer->items.repeated,
				  &printer->decoded);
	if (err == -ENOMEM)
		cli_die("out of memory");
	printer->known = !err && !printer->hex;
}

void event_learn(struct event_printer *printer, const struct etw_event *piece)
{
	decode(printer, piece);
}

void event_give(struct event_printer *printer, struct etw_decoder *decoder,
		const struct etw_decoded *decoded, bool known)
{
	printer->given = true;
	printer->decoder = decoder;
	printer->decoded = decoded;
	printer->known = known && !printer->hex;
	etw_decode_rewind(decoder);
}

/**
 * event_begin() - take an event and decode it
 * @printer: the printer
 * @event: the event; must stay until event_end()
 */
void event_begin(struct event_printer *printer, const struct etw_event *event)
{
	if (!printer->given)
		decode(printer, event);
	printer->event = event;
	printer->prepared = NULL;
	printer->is_loss = !printer->hex && etw_loss_of(event, &printer->loss);
	if (!printer->begun) {
		printer->first = printer->before = event->time;
		printer->begun = true;
	}
}

void event_end(struct event_printer *printer)
{
	etw_text_char(&printer->out, '\n');
	text_check(&printer->out);
	text_check(&printer->scratch);
	printer->before = printer->event->time;
	if (!printer->given && !printer->gathers && printer->out.len >= BLOCK) {
		event_write(printer);
		fflush(stdout);
	}
}

void event_write(struct event_printer *printer)
{
	if (printer->out.len)
		fwrite(printer->out.data, 1, printer->out.len, stdout);
	printer->out.len = 0;
}

void event_release(struct event_printer *printer)
{
	if (!printer->given)
		etw_decoder_free(printer->decoder);
	etw_event_items_free(&printer->items);
	etw_text_free(&printer->out);
	etw_text_free(&printer->scratch);
	printer->decoder = NULL;
}

/* --------------------------------------------------------------------- names */

/* The name in the schema, or the name that the provider was registered with */
const char *event_provider(struct event_printer *printer)
{
	if (printer->decoded->provider && *printer->decoded->provider)
		return printer->decoded->provider;
	printer->lacks_names |= printer->has_names;
	return printer->names ? names_get(printer->names, &event_header(printer)->provider) : NULL;
}

/* Standard levels have the command line's names in all languages. */
const char *event_level(const struct event_printer *printer)
{
	const char *name = level_name(event_header(printer)->desc.level);

	return name ? name : printer->decoded->level;
}

static const uint64_t *start_key(const struct event_printer *printer, uint64_t *key)
{
	const void *data = NULL;

	if (etw_decoder_own_items(printer->decoder))
		data = items_find(&printer->event->record, ETW_EXT_PROCESS_START_KEY, sizeof(*key));
	if (!data)
		return NULL;
	memcpy(key, data, sizeof(*key));
	return key;
}

bool event_find_process(const struct event_printer *printer, struct etw_process *process)
{
	uint64_t key;

	if (printer->writer) {
		*process = *printer->writer;
		return process->name;
	}
	return printer->processes &&
	       processes_find(printer->processes, event_header(printer)->process_id,
			      printer->event->time, start_key(printer, &key), process);
}

const char *event_process(const struct event_printer *printer)
{
	struct etw_process process;

	return event_find_process(printer, &process) ? process.name : NULL;
}

bool event_process_runs(const struct event_printer *printer)
{
	const struct event_printer *p = printer;
	uint64_t key;

	return p->processes && p->processes->procs &&
	       procs_get(p->processes->procs, event_header(p)->process_id,
			 event_header(p)->process_id, p->event->time, start_key(p, &key));
}

const char *event_thread(const struct event_printer *printer)
{
	const struct etw_event_header *header = event_header(printer);

	if (header->thread_id == header->process_id)
		return event_process(printer);
	if (!printer->processes || !printer->processes->procs)
		return NULL;
	return procs_get(printer->processes->procs, header->process_id, header->thread_id,
			 printer->event->time, NULL);
}

const char *event_thread_own(const struct event_printer *printer, const char *process)
{
	const struct etw_event_header *header = event_header(printer);
	const char *name = header->thread_id == header->process_id ? NULL : event_thread(printer);

	return name && process && !strcmp(name, process) ? NULL : name;
}
