/* SPDX-License-Identifier: MIT */
/*
 * dump_file.h - etw dump of log files
 */
#ifndef ETW_CLI_DUMPFILE_H
#define ETW_CLI_DUMPFILE_H

#include <stdbool.h>
#include <stdint.h>
#include "cli/print/event.h"
#include "cli/select.h"

typedef void dump_print_fn(struct event_printer *printer, const struct etw_event *event);

/*
 * Does an operand mean a file?  One has a slash, or ends in .etl.  Else it is a session,
 * but for that of a file that is there while no session is called so: those that
 * autologger and record make are called disk.etl.0001 and disk.etl.old.
 */
bool dump_is_file(const char *operand);
/* The same without asking for a session. */
bool dump_may_be_file(const char *operand);

/*
 * Print the events of files, together in the order of time; paths end with NULL.
 * select: those that are wanted; count: end after so many; 0: all; filled: were there so
 * many?  Returns the exit status.
 */
int dump_files(char **paths, struct event_printer *printer, dump_print_fn *print,
	       struct select *select, uint32_t count, bool *filled);

#endif /* ETW_CLI_DUMPFILE_H */
