/* SPDX-License-Identifier: MIT */
/*
 * dump.h - what etw watch shares with etw dump
 */
#ifndef ETW_CLI_CMD_DUMP_H
#define ETW_CLI_CMD_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include "cli/cli.h"
#include "cli/request/select.h"

/* How the events of a session are printed; CLI_OPTION_END ends each table. */
extern const struct cli_option dump_common_options[], dump_output_options[];

/* Take one of those, or of SELECT_OPTIONS; the value is in optarg. */
void dump_option(int option);
/*
 * Check the options together; wrong usage ends the command.  stacks: print those that events
 * have, where they have a place.
 */
void dump_ready(bool stacks);

/* A caller that ends the session itself, and with it the reading */
struct dump_owner {
	/* The reader is there.  Returns the exit status; not 0: nothing is read. */
	int (*begin)(void *context, uint32_t duration_ms);
	/* An event was read. */
	void (*saw)(void *context, const struct etw_event *event);
	/* Is it time to end?  Called often, and after each signal. */
	bool (*is_over)(void *context);
	/* End the writing; then stop the session, whose last events are still read. */
	void (*quiesce)(void *context);
	void (*stop)(void *context);
	bool process_events;	/* those of Etw-Process are printed, too */
	void *context;
};

/* Print the events of this session.  All of owner is called.  Returns the exit status. */
int dump_owned(int fd, const char *name, const struct dump_owner *owner);

#endif /* ETW_CLI_CMD_DUMP_H */
