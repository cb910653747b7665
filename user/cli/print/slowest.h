/* SPDX-License-Identifier: MIT */
/*
 * slowest.h - print the longest operations, and the events around each
 */
#ifndef ETW_CLI_PRINT_SLOWEST_H
#define ETW_CLI_PRINT_SLOWEST_H

#include "cli/input/around.h"
#include "cli/input/inputs.h"
#include "event.h"

typedef void (*slowest_print_fn)(struct event_printer *printer, const struct etw_event *event);

/* The argument of --around, in 100 ns; a wrong one ends the command. */
int64_t slowest_span(const char *text);

/* Which events are shown around an operation */
struct slowest_rule {
	bool processes;		/* those of Etw-Process, too */
	bool images;		/* those of Etw-Image, too */
	bool losses;		/* records of losses, too */
};

bool slowest_shows(const struct slowest_rule *rule, const struct etw_event *event);

/* Read the files once more for the events around.  Returns the exit status. */
int slowest_reread(struct around *around, char **paths, bool apart,
		   const struct slowest_rule *rule);

/* around: NULL prints only the operations. */
void slowest_print(struct operations *operations, struct around *around,
		   struct event_printer *printer, slowest_print_fn print);

#endif /* ETW_CLI_PRINT_SLOWEST_H */
