/* SPDX-License-Identifier: MIT */
/*
 * printer.c - what a printer and its workers do together
 */
#include <stdio.h>
#include "cli/input/inputs.h"
#include "cli/symbols/symbols.h"
#include "event.h"
#include "workers.h"
#include "tdh/decode/embed.h"
#include "tdh/process/process_table.h"

bool event_is_schema(struct event_printer *printer, const struct etw_event *event)
{
	if (printer->hex || !etw_embed_is_piece(event->record.header))
		return false;
	if (printer->workers)
		event_workers_schema(printer->workers, event);
	event_learn(printer, event);
	return true;
}

void event_learn_provider(struct event_printer *printer, const struct etw_event *event)
{
	struct etw_guid guid;
	const char *name = etw_process_provider_name(event, &guid);

	if (!name)
		return;
	/* The events before do not know it yet. */
	if (printer->workers)
		event_workers_wait(printer->workers);
	names_learn(printer->names, &guid, name);
}

void event_read_machines(struct event_printer *printer, const struct inputs *inputs, bool heads)
{
	if (!heads && !printer->symbols)
		return;
	printer->undescribed = inputs_machines(inputs, &printer->machines);
	if (printer->symbols)
		inputs_symbols(inputs, printer->symbols, &printer->machines, printer->undescribed);
}

void event_flush(struct event_printer *printer)
{
	if (printer->workers)
		event_workers_wait(printer->workers);
	event_write(printer);
	fflush(stdout);
}

void event_printer_free(struct event_printer *printer)
{
	event_workers_free(printer->workers);
	printer->workers = NULL;
	event_release(printer);
	machines_free(&printer->machines);
}
