/* SPDX-License-Identifier: MIT */
/*
 * dump_file.h - etw dump of log files
 */
#ifndef ETW_CLI_DUMPFILE_H
#define ETW_CLI_DUMPFILE_H

#include <stdbool.h>
#include <stdint.h>
#include "cli/print/event.h"
#include "cli/request/select.h"

typedef void dump_print_fn(struct event_printer *printer, const struct etw_event *event);

/*
 * Is an operand a file?  Yes if it has a slash or ends in .etl.  Otherwise it is a session,
 * unless a file of this name exists and no session has the name: autologger and record
 * create files like disk.etl.0001 and disk.etl.old.
 */
bool dump_is_file(const char *operand);
/* The same without looking for a session. */
bool dump_may_be_file(const char *operand);

/*
 * Print the events of files, merged by time; paths end with NULL.  select: the events to
 * print; count: end after this many, 0: all; *filled: count events were printed.  Returns
 * the exit status.
 */
int dump_files(char **paths, struct event_printer *printer, dump_print_fn *print,
	       struct select *select, uint32_t count, bool *filled);

#endif /* ETW_CLI_DUMPFILE_H */
