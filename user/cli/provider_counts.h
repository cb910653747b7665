/* SPDX-License-Identifier: MIT */
/*
 * provider_counts.h - events of each provider, and why there are none
 */
#ifndef ETW_CLI_PROVIDER_COUNTS_H
#define ETW_CLI_PROVIDER_COUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/table.h"
#include "etl/event.h"
#include "request/enable_list.h"

#define PROVIDER_COUNTS_MAX	4096
#define PROVIDER_CLAIMS_MAX	4096

struct provider_count {
	struct etw_guid guid;
	uint64_t events;
	uint64_t tracelogging;	/* of these */
	bool lacks;		/* an event needs a manifest, and none is known ... */
	bool known;		/* ... or one is */
};

/*
 * All zero is none. A classic provider gives each event any GUID that it likes, so their number is
 * limited.
 */
struct provider_counts {
	struct provider_count *list;
	size_t count, last;	/* last: index of the last lookup */
	struct etw_interner index;	/* of the GUIDs in list */
	struct provider_count rest;	/* of the others together, beyond PROVIDER_COUNTS_MAX */
	struct provider_claim {
		struct etw_guid guid;
		char *name;
	} *claims;			/* by processes, of what they call a GUID */
	size_t claim_count;
};

/* The provider, valid until the next call */
struct provider_count *provider_counts_add(struct provider_counts *counts,
					   const struct etw_guid *guid, uint64_t events);
/* Note an event by which a process names a provider; others are fine. */
void provider_counts_claim(struct provider_counts *counts, const struct etw_event *event);
/* The provider of an event, which is added */
struct provider_count *provider_counts_event(struct provider_counts *counts,
					     const struct etw_event *event);
/* Those of the provider or the group with this index in a list */
uint64_t provider_counts_of(const struct provider_counts *counts, const struct enable_list *list,
			    unsigned int index);
void provider_counts_free(struct provider_counts *counts);

/*
 * A line that a provider delivered nothing, as far as is known why; done: what was not done with
 * its events.
 */
void provider_silent(int fd, const struct enable_request *request,
		     const struct provider_counts *counts, bool command_ended, const char *done);

/*
 * TraceLogging events have neither ids nor fields that the kernel knows, so they pass --filter and
 * --id.  A line for each provider in the list of which such events have passed; before there are
 * any, for each with --filter that seems to write them.  remedy: what tests them.
 */
void provider_untested(const struct provider_counts *counts, const struct enable_list *list,
		       const char *remedy);
void provider_may_be_untested(int fd, const struct enable_list *list, const char *remedy);

#endif /* ETW_CLI_PROVIDER_COUNTS_H */
