/* SPDX-License-Identifier: MIT */
/*
 * printer.c - what a printer and its workers do together
 */
#include <stdio.h>
#include "event.h"
#include "workers.h"
#include "tdh/decode/embed.h"

bool event_is_schema(struct event_printer *printer, const struct etw_event *event)
{
	if (printer->hex || !etw_embed_is_piece(event->record.header))
		return false;
	if (printer->workers)
		event_workers_schema(printer->workers, event);
	event_learn(printer, event);
	return true;
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
}
