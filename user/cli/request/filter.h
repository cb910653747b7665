/* SPDX-License-Identifier: MIT */
/*
 * filter.h - the filters of etw enable, in the form that the kernel takes
 */
#ifndef ETW_CLI_REQUEST_FILTER_H
#define ETW_CLI_REQUEST_FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include <etw/abi.h>
#include "event_filter.h"

/* Data that only the provider understands, as --data gives them */
struct blob {
	struct etw_filter_header header;	/* size 0: not given */
	uint8_t data[ETW_FILTER_DATA_MAX - sizeof(struct etw_filter_header)];
};

/* Parse ID:HEX or ID.VERSION:HEX, two digits a byte; wrong usage ends the command. */
void blob_parse(struct blob *blob, const char *option, const char *text);
/* blob has to stay until the request was made. */
struct etw_filter blob_filter(const struct blob *blob);

struct filters {
	struct etw_providers providers;	/* know names in options; none: unknown */
	uint32_t pids[ETW_PID_FILTER_MAX];
	uint32_t pid_count;
	struct filter_names {
		uint32_t type;
		char text[ETW_FILTER_NAMES_MAX];
		uint32_t len;		/* 0: not given */
	} exe, container, package, app;
	struct filter_ids {
		bool given;
		struct etw_filter_event_id ids;
	} ids, stack_ids;
	struct filter_events {
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

void filters_add_id(struct filter_ids *ids, const char *option, uint32_t id);
/* Put all filters into the request; filters must stay until it was made. */
void filters_use(struct filters *filters, struct etw_enable *enable);

#endif /* ETW_CLI_REQUEST_FILTER_H */
