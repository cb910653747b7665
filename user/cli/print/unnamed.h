/* SPDX-License-Identifier: MIT */
/*
 * unnamed.h - count the events that were printed without names, for lack of a manifest
 */
#ifndef ETW_CLI_PRINT_UNNAMED_H
#define ETW_CLI_PRINT_UNNAMED_H

#include "cli/provider_counts.h"
#include "event.h"

/* All zero is none. */
struct unnamed {
	struct provider_counts counts;
	uint64_t events;
};

/* Has the printer printed an event that lacks names? */
bool unnamed_is(const struct event_printer *printer);
void unnamed_count(struct unnamed *unnamed, const struct etw_guid *provider);
/* The printer has printed an event.  What its workers print, they count themselves. */
void unnamed_add(struct unnamed *unnamed, const struct event_printer *printer);
/* At the end: one line on stderr, if there were any */
void unnamed_report(const struct unnamed *unnamed);
void unnamed_free(struct unnamed *unnamed);

#endif /* ETW_CLI_PRINT_UNNAMED_H */
