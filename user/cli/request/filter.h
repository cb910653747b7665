/* SPDX-License-Identifier: MIT */
/*
 * filter.h - the options of etw enable that make filters
 */
#ifndef ETW_CLI_REQUEST_FILTER_H
#define ETW_CLI_REQUEST_FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include <etw/abi.h>
#include "blob.h"
#include "event_filter.h"

struct filters {
	const struct etw_mf_provider *provider;	/* knows names in options; NULL: unknown */
	uint32_t pids[ETW_PID_FILTER_MAX];
	uint32_t pid_count;
	/* in the form that the kernel takes; empty: not given */
	struct filter_names {
		uint32_t type;
		const char *option;
		char text[ETW_FILTER_NAMES_MAX];
		uint32_t len;
	} names[4];
	struct filter_ids {
		uint32_t type;
		bool given;
		struct etw_filter_event_id ids;
	} ids, stack_ids;
	struct filter_events {
		uint32_t type;
		bool given;
		uint32_t len;		/* of names */
		union {
			struct etw_filter_event_name head;
			char bytes[ETW_FILTER_EVENT_NAME_MAX];
		};
		const char *narrowed;	/* the option that gave a level or keywords */
	} events, stack_events;
	bool stack_level_given;
	bool stack_in_given;		/* stack_level.in is set */
	struct etw_filter_level_kw stack_level;
	struct event_filter event_filter;
	struct blob blob;
	struct etw_filter list[ETW_FILTERS_MAX];
};

void filters_init(struct filters *filters);
void filters_pid(struct filters *filters, const char *option, const char *text);
void filters_name(struct filters *filters, const char *option, const char *text);
void filters_ids(struct filters *filters, struct filter_ids *ids, const char *option, bool in,
		 const char *text);
void filters_events(struct filter_events *events, const char *option, bool in,
		    const char *text);
void filters_events_level(struct filter_events *events, const char *option, const char *text);
void filters_events_any(struct filter_events *events, const char *option, const char *text);
void filters_events_all(struct filter_events *events, const char *option, const char *text);
void filters_stack_level(struct filters *filters, const char *option, bool in,
			 const char *text);
/* Put all filters into the request; filters must stay until it was made. */
void filters_use(struct filters *filters, struct etw_enable *enable);

/* Names of what --with attaches; NULL ends them */
extern const struct enable_item {
	const char *name;
	uint32_t property;
} enable_items[];

uint32_t filters_items(const char *option, const char *text);

/* filter_names.c: names that only the provider's manifest defines */

bool filters_named_level(const char *text);
bool filters_named_ids(const char *text);
/* A level by its name in the manifest, or as cli_level() */
uint8_t filters_level(const struct filters *filters, const char *option, const char *text);
/* A list of keywords; their mask */
uint64_t filters_keywords(const struct filters *filters, const char *option, const char *text);
/* Add the ids of all events of that name to the filter. */
void filters_event_ids(const struct filters *filters, struct filter_ids *ids, const char *option,
		       const char *name);
void filters_add_id(struct filter_ids *ids, const char *option, uint32_t id);

#endif /* ETW_CLI_REQUEST_FILTER_H */
