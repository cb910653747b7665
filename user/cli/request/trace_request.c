/* SPDX-License-Identifier: MIT */
/*
 * trace_request.c - requests to enable the kernel's trace events
 *
 * One -p may stand for many, each of which is a provider of one event.  --filter is compiled for
 * each of them; an event that lacks a field that is tested fails that test.
 */
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "event_filter.h"
#include "tdh/decode/decoder.h"
#include "trace_request.h"

static struct fields *parse(const char *text)
{
	struct fields *fields = cli_calloc(1, sizeof(*fields));
	struct scan s;

	/* More fields than filters can have, or none, which has no text: then they cannot test any. */
	if (!fields_parse(text && *text ? text : "id=0:", fields, &s))
		memset(fields, 0, sizeof(*fields));
	return fields;
}

/* What the kernel calls the values; a name that is no trace event's has no names of them. */
static void name_values(const struct trace_set *set, unsigned int i, struct etw_value_names *names)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *manifest = NULL;
	struct etw_text text = { 0 };

	trace_set_manifest(set, i, &text);
	if (text.error)
		cli_die("out of memory");
	if (text.len && etw_manifest_read_memory(text.data, text.len, set->names[i], &manifest, &problems))
		manifest = NULL;
	etw_value_names_take(names, set->names[i], manifest);
	etw_manifest_put(manifest);
	etw_problems_free(&problems);
	etw_text_free(&text);
}

/* Refuse what the kernel cannot test of any of them. */
static void check(const struct event_filter *filter, const struct trace_set *traced)
{
	struct etw_mf_event *events = cli_calloc(traced->count, sizeof(*events));
	struct etw_value_names *names = cli_calloc(traced->count, sizeof(*names));
	struct fields **fields = cli_calloc(traced->count, sizeof(struct fields *));
	unsigned int i;

	for (i = 0; i < traced->count; i++) {
		fields[i] = parse(traced->fields[i]);
		events[i] = fields[i]->event;
		name_values(traced, i, &names[i]);
	}
	event_filter_check(filter, events, names, traced->count);
	while (i) {
		free(fields[--i]);
		etw_value_names_put(&names[i]);
	}
	free(fields);
	free(names);
	free(events);
}

bool trace_request_make(struct enable_request *request, int fd)
{
	const struct event_filter *filter = &request->filters.event_filter;
	struct trace_set *traced = &request->traced;

	if (filter->fields_count)
		cli_usage("--fields: the fields of %s are known", cli_quote(request->provider));
	if (!trace_event_make(fd, request->provider, traced))
		return false;
	request->enable.provider = traced->guids[0];
	if (!filter->count)
		return true;
	check(filter, traced);
	/* Each use begins with what was given. */
	request->given = cli_calloc(1, sizeof(*request->given));
	request->given->enable = request->enable;
	request->given->filters = request->filters;
	return true;
}

void trace_request_use(struct enable_request *request, unsigned int i)
{
	const uint32_t timeout_ms = request->enable.timeout_ms;
	const uint64_t session = request->enable.session;
	struct event_filter *filter = &request->filters.event_filter;
	struct etw_value_names names;

	if (request->given) {
		free(filter->kernel.program);
		request->enable = request->given->enable;
		request->filters = request->given->filters;
		request->enable.session = session;
		request->enable.timeout_ms = timeout_ms;
		filter->fields[0] = parse(request->traced.fields[i]);
		filter->fields_count = 1;
		filter->only_event = true;
	}
	request->enable.control = ETW_CONTROL_ENABLE;
	request->enable.provider = request->traced.guids[i];
	if (!request->given)
		return;
	name_values(&request->traced, i, &names);
	filter->value_names = &names;
	filters_use(&request->filters, &request->enable);
	filter->value_names = NULL;
	etw_value_names_put(&names);
	free(filter->fields[0]);
	filter->fields_count = 0;
}
