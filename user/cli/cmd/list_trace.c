/* SPDX-License-Identifier: MIT */
/*
 * list_trace.c - etw list providers tracepoint:PATTERN: what the kernel could be asked for
 */
#include <stdio.h>
#include "list_trace.h"
#include "cli/cli.h"
#include "cli/text.h"
#include "cli/request/trace_event.h"

static void print_json(const struct trace_set *set)
{
	struct etw_text line = { 0 };
	unsigned int i;

	json_writer_open(&line, NULL, '{');
	json_writer_open(&line, "providers", '[');
	for (i = 0; i < set->count; i++) {
		json_writer_open(&line, NULL, '{');
		json_writer_guid(&line, "provider", &set->guids[i]);
		json_writer_word(&line, "provider_name", set->names[i]);
		json_writer_close(&line, '}');
	}
	json_writer_close(&line, ']');
	json_print(&line);
	etw_text_free(&line);
}

int list_trace(const char *pattern, bool json)
{
	struct trace_set set;
	unsigned int i;

	if (!trace_event_list(pattern, &set))
		return 1;
	if (json)
		print_json(&set);
	for (i = 0; i < set.count && !json; i++)
		puts(set.names[i]);
	trace_set_free(&set);
	return 0;
}
