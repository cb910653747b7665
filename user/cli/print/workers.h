/* SPDX-License-Identifier: MIT */
/*
 * workers.h - print the events of files in several threads, their lines in order
 */
#ifndef ETW_CLI_PRINT_WORKERS_H
#define ETW_CLI_PRINT_WORKERS_H

#include "event.h"
#include "unnamed.h"

typedef void event_print_fn(struct event_printer *printer, const struct etw_event *event);

/*
 * Let the printer have workers, if its lines allow it and there are processors for them, and
 * make *print the function that uses them. The printer's other options must be set by then.
 * Events without names are counted in unnamed.
 */
void event_workers_begin(struct event_printer *printer, event_print_fn **print,
		      struct unnamed *unnamed);

/* ------------------------------------------------------- for printer.c */

/* Write the lines of all events printed so far to stdout; the workers have nothing to do. */
void event_workers_wait(struct event_workers *workers);
/* Give a piece of a schema to all decoders. */
void event_workers_schema(struct event_workers *workers, const struct etw_event *event);
void event_workers_free(struct event_workers *workers);	/* NULL is fine */

#endif /* ETW_CLI_PRINT_WORKERS_H */
