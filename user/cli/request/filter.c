/* SPDX-License-Identifier: MIT */
/*
 * filter.c - the options of etw enable that make filters
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* strchrnul */
#endif
#include <stddef.h>
#include <string.h>
#include "cli/cli.h"
#include "filter.h"

#define LIST_MAX	1024	/* bytes of a list in an option */

static const struct {
	const char *option;
	uint32_t type;
} name_filters[] = {
	{ "--exe", ETW_FILTER_EXECUTABLE_NAME },
	{ "--container", ETW_FILTER_CONTAINER },
	{ "--package", ETW_FILTER_PACKAGE_ID },
	{ "--app", ETW_FILTER_PACKAGE_APP_ID },
};

const struct enable_item enable_items[] = {
	{ "sid", ETW_ENABLE_SID },
	{ "login", ETW_ENABLE_TS_ID },
	{ "stack", ETW_ENABLE_STACK_TRACE },
	{ "app", ETW_ENABLE_PSM_KEY },
	{ "process-key", ETW_ENABLE_PROCESS_START_KEY },
	{ "event-key", ETW_ENABLE_EVENT_KEY },
	{ "container", ETW_ENABLE_CONTAINER },
	{ NULL, 0 }
};

void filters_init(struct filters *filters)
{
	size_t i;

	memset(filters, 0, sizeof(*filters));
	for (i = 0; i < sizeof(name_filters) / sizeof(name_filters[0]); i++) {
		filters->names[i].type = name_filters[i].type;
		filters->names[i].option = name_filters[i].option;
	}
	filters->ids.type = ETW_FILTER_EVENT_ID;
	filters->stack_ids.type = ETW_FILTER_STACKWALK;
	filters->events.type = ETW_FILTER_EVENT_NAME;
	filters->stack_events.type = ETW_FILTER_STACKWALK_NAME;
	filters->stack_level.in = 1;
}

void filters_pid(struct filters *filters, const char *option, const char *text)
{
	if (filters->pid_count == ETW_PID_FILTER_MAX)
		cli_usage("%s: more than %d processes", option, ETW_PID_FILTER_MAX);
	filters->pids[filters->pid_count++] = cli_number(option, text, 1, INT32_MAX);
}

/* Add a name; an option may be given several times. */
void filters_name(struct filters *filters, const char *option, const char *text)
{
	struct filter_names *names = filters->names;
	size_t len = strlen(text);

	while (strcmp(names->option, option))
		names++;
	/* No program has such a name, so it could never match. */
	if (names->type == ETW_FILTER_EXECUTABLE_NAME && strpbrk(text, "/*"))
		cli_usage("%s: %s: give the name of the file, without directory and wildcards",
			  option, cli_quote(text));
	if (!len || text[0] == ';' || text[len - 1] == ';' || strstr(text, ";;"))
		cli_usage("%s: a name is empty", option);
	if (names->len + !!names->len + len > sizeof(names->text))
		cli_usage("%s: more than %d bytes of names", option, ETW_FILTER_NAMES_MAX);
	if (names->len)
		names->text[names->len++] = ';';
	memcpy(names->text + names->len, text, len);
	names->len += len;
}

void filters_add_id(struct filter_ids *ids, const char *option, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < ids->ids.count; i++)
		if (ids->ids.ids[i] == id)
			return;
	if (ids->ids.count == ETW_FILTER_EVENT_IDS)
		cli_usage("%s: more than %d events", option, ETW_FILTER_EVENT_IDS);
	ids->ids.ids[ids->ids.count++] = (uint16_t)id;
}

/* A list like 1,5,10-20,Start. */
void filters_ids(struct filters *filters, struct filter_ids *ids, const char *option, bool in,
		 const char *text)
{
	char copy[LIST_MAX], *word, *rest = copy, *dash;
	uint32_t first, last;

	if (ids->given && ids->ids.in != in)
		cli_usage("%s: give either the events wanted or those not wanted", option);
	if (strlen(text) >= sizeof(copy))
		cli_usage("%s: more than %d bytes", option, LIST_MAX);
	strcpy(copy, text);
	ids->given = true;
	ids->ids.in = in;
	while ((word = strsep(&rest, ","))) {
		if (filters_named_ids(word)) {
			filters_event_ids(filters, ids, option, word);
			continue;
		}
		dash = strchr(word, '-');
		if (dash)
			*dash = '\0';
		first = cli_number(option, word, 0, UINT16_MAX);
		last = dash ? cli_number(option, dash + 1, first, UINT16_MAX) : first;
		for (; first <= last; first++)
			filters_add_id(ids, option, first);
	}
}

/* A list of event names like Start,Stop; an option may be given several times. */
void filters_events(struct filter_events *events, const char *option, bool in,
		    const char *text)
{
	const size_t head = offsetof(struct etw_filter_event_name, names);
	const char *end;
	size_t n;

	if (events->given && events->head.in != in)
		cli_usage("%s: give either the events wanted or those not wanted", option);
	events->given = true;
	events->head.in = in;
	for (;; text = end + 1) {
		end = strchrnul(text, ',');
		n = end - text;
		if (!n)
			cli_usage("%s: a name is empty", option);
		if (head + events->len + n + 1 > sizeof(events->bytes))
			cli_usage("%s: more than %zu bytes of names", option,
				  sizeof(events->bytes) - head);
		memcpy(events->bytes + head + events->len, text, n);
		events->len += n + 1;
		events->head.count++;
		if (!*end)
			break;
	}
}

/* Restrict a filter by names to events of this level and these keywords. */
void filters_events_level(struct filter_events *events, const char *option, const char *text)
{
	events->narrowed = option;
	events->head.level = cli_level(option, text);
}

void filters_events_any(struct filter_events *events, const char *option, const char *text)
{
	events->narrowed = option;
	events->head.any = cli_hex(option, text);
}

void filters_events_all(struct filter_events *events, const char *option, const char *text)
{
	events->narrowed = option;
	events->head.all = cli_hex(option, text);
}

void filters_stack_level(struct filters *filters, const char *option, bool in,
			 const char *text)
{
	if (filters->stack_in_given && filters->stack_level.in != in)
		cli_usage("%s: give either the events wanted or those not wanted", option);
	filters->stack_level_given = filters->stack_in_given = true;
	filters->stack_level.in = in;
	filters->stack_level.level = filters_level(filters, option, text);
}

/* Properties of a list like sid,login. */
uint32_t filters_items(const char *option, const char *text)
{
	char copy[LIST_MAX], *word, *rest = copy;
	uint32_t properties = 0;
	const struct enable_item *item;

	if (strlen(text) >= sizeof(copy))
		cli_usage("%s: more than %d bytes", option, LIST_MAX);
	strcpy(copy, text);
	while ((word = strsep(&rest, ","))) {
		for (item = enable_items; item->name && strcmp(item->name, word); item++)
			;
		if (!item->name)
			cli_usage("%s: %s is none of sid, login, stack, app, process-key, event-key, container",
				  option, cli_quote(word));
		properties |= item->property;
	}
	return properties;
}

static void use(struct filters *filters, struct etw_enable *enable, uint32_t type,
		const void *data, uint32_t len)
{
	filters->list[enable->filter_count++] = (struct etw_filter){
		.ptr = (uintptr_t)data, .len = len, .type = type };
}

static void use_events(struct filters *filters, struct etw_enable *enable,
		       const struct filter_events *events)
{
	if (events->narrowed && !events->given)
		cli_usage("%s: no names are given", events->narrowed);
	if (events->given)
		use(filters, enable, events->type, events->bytes,
		    offsetof(struct etw_filter_event_name, names) + events->len);
}

static bool has_id(const uint16_t *ids, unsigned int count, uint16_t id)
{
	unsigned int i;

	for (i = 0; i < count && ids[i] != id; i++)
		;
	return i < count;
}

/* Keep the ids that are in the list, or those that are not. */
static void keep_ids(struct etw_filter_event_id *ids, const uint16_t *list, unsigned int count,
		     bool in)
{
	unsigned int i, n = 0;

	for (i = 0; i < ids->count; i++)
		if (has_id(list, count, ids->ids[i]) == in)
			ids->ids[n++] = ids->ids[i];
	ids->count = (uint16_t)n;
}

/* --id and --filter must both agree, and the kernel takes one list. */
static void join_ids(struct filters *filters, const struct etw_kernel_filter *kernel)
{
	const bool in = kernel->ids_are == ETW_KERNEL_ONLY_IDS;
	struct etw_filter_event_id given = filters->ids.ids, *ids = &filters->ids.ids;
	unsigned int i;

	if (kernel->ids_are == ETW_KERNEL_ALL_IDS)
		return;
	if (filters->ids.given && given.in) {
		keep_ids(ids, kernel->ids, kernel->id_count, in);
	} else if (in) {
		memcpy(ids->ids, kernel->ids, sizeof(ids->ids));
		ids->count = (uint16_t)kernel->id_count;
		ids->in = 1;
		keep_ids(ids, given.ids, given.count, false);
	} else {
		for (i = 0; i < kernel->id_count; i++)
			filters_add_id(&filters->ids, "--filter", kernel->ids[i]);
	}
	filters->ids.given = true;
	if (ids->in && !ids->count)
		cli_usage("--filter: no event passes this and --id or --not-id");
}

static void use_event_filter(struct filters *filters, struct etw_enable *enable)
{
	struct etw_kernel_filter *kernel = &filters->event_filter.kernel;

	kernel->level = enable->level;
	kernel->any = enable->any;
	kernel->all = enable->all;
	event_filter_compile(&filters->event_filter, &enable->provider, filters->provider);
	enable->level = kernel->level;
	enable->any = kernel->any;
	enable->all = kernel->all;
	if (kernel->ignore_keyword0)
		enable->property |= ETW_ENABLE_IGNORE_KEYWORD_0;
	join_ids(filters, kernel);
}

void filters_use(struct filters *filters, struct etw_enable *enable)
{
	size_t i;

	use_event_filter(filters, enable);
	enable->filters = (uintptr_t)filters->list;
	enable->filter_count = 0;
	if (filters->pid_count)
		use(filters, enable, ETW_FILTER_PID, filters->pids,
		    filters->pid_count * sizeof(filters->pids[0]));
	for (i = 0; i < sizeof(filters->names) / sizeof(filters->names[0]); i++) {
		if (filters->names[i].len)
			use(filters, enable, filters->names[i].type,
			    filters->names[i].text, filters->names[i].len);
	}
	if (filters->ids.given)
		use(filters, enable, filters->ids.type, &filters->ids.ids,
		    sizeof(filters->ids.ids));
	if (filters->stack_ids.given)
		use(filters, enable, filters->stack_ids.type, &filters->stack_ids.ids,
		    sizeof(filters->stack_ids.ids));
	use_events(filters, enable, &filters->events);
	use_events(filters, enable, &filters->stack_events);
	if (filters->stack_level_given)
		use(filters, enable, ETW_FILTER_STACKWALK_LEVEL_KW, &filters->stack_level,
		    sizeof(filters->stack_level));
	if (filters->event_filter.kernel.program)
		use(filters, enable, ETW_FILTER_PAYLOAD, filters->event_filter.kernel.program,
		    filters->event_filter.kernel.size);
	if (filters->blob.header.size)
		filters->list[enable->filter_count++] = blob_filter(&filters->blob);
}
