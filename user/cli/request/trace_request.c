/* SPDX-License-Identifier: MIT */
/*
 * trace_request.c - requests to enable the kernel's trace events
 *
 * One -p may stand for many, each of which is a provider of one event.  --filter is compiled for
 * each of them; an event that lacks a field that is tested fails that test.
 */
#include <stdlib.h>
#include <string.h>
#include "event_filter.h"
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

bool trace_request_make(struct enable_request *request, int fd)
{
	const struct event_filter *filter = &request->filters.event_filter;
	struct trace_set *traced = &request->traced;
	struct etw_mf_event *events;
	struct fields **fields;
	unsigned int i;

	if (filter->fields_count)
		cli_usage("--fields: the fields of %s are known", cli_quote(request->provider));
	if (!trace_event_make(fd, request->provider, traced))
		return false;
	request->enable.provider = traced->guids[0];
	if (!filter->count)
		return true;
	events = cli_calloc(traced->count, sizeof(*events));
	fields = cli_calloc(traced->count, sizeof(struct fields *));
	for (i = 0; i < traced->count; i++) {
		fields[i] = parse(traced->fields[i]);
		events[i] = fields[i]->event;
	}
	event_filter_check(filter, events, traced->count);
	while (i)
		free(fields[--i]);
	free(fields);
	free(events);
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
	filters_use(&request->filters, &request->enable);
	free(filter->fields[0]);
	filter->fields_count = 0;
}
