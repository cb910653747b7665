/* SPDX-License-Identifier: MIT */
/*
 * event_filter.h - the options --filter and --fields of etw enable
 */
#ifndef ETW_CLI_REQUEST_EVENT_FILTER_H
#define ETW_CLI_REQUEST_EVENT_FILTER_H

#include "fields.h"
#include "tdh/expr/kernel_filter.h"

#define EVENT_FILTERS_MAX	64	/* of each of the two options */

struct event_filter {
	struct etw_kernel_source sources[EVENT_FILTERS_MAX];
	unsigned int count;
	struct fields *fields[EVENT_FILTERS_MAX];
	unsigned int fields_count;
	bool only_event;		/* the provider has no event but that of fields[0] */
	const struct etw_value_names *value_names;	/* ... and this names its values; or NULL */
	struct etw_kernel_filter kernel;
};

/* Parse an expression of --filter, here or in a command that reads; wrong usage ends it. */
struct etw_expr *event_filter_parse(const char *option, const char *text);

/* Where messages send tests that the kernel cannot make; else etw dump --filter */
void event_filter_elsewhere(const char *option);
const char *event_filter_where(void);

/* Take one; wrong usage ends the command, here and below.  text must stay. */
void event_filter_fields(struct event_filter *filter, const char *option, const char *text);
void event_filter_expression(struct event_filter *filter, const char *option, const char *text);
/* The old option, which had a language of its own: say what to write in its place. */
_Noreturn void event_filter_payload(const char *option, const char *text);

/*
 * Compile what was given: filter->kernel has what the kernel gets.  Its level and
 * keywords are what the session asks for already.  provider: of a manifest, or NULL.
 */
void event_filter_compile(struct event_filter *filter, const struct etw_guid *guid,
			  const struct etw_providers *providers);
/* Can the kernel make the tests for these events, whose values have these names? */
void event_filter_check(const struct event_filter *filter, const struct etw_mf_event *events,
			const struct etw_value_names *value_names, size_t count);
void event_filter_free(struct event_filter *filter);

#endif /* ETW_CLI_REQUEST_EVENT_FILTER_H */
