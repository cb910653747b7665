/* SPDX-License-Identifier: MIT */
/*
 * filter.c - the filters of etw enable, in the form that the kernel takes
 */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "filter.h"

/* -------------------------------------------------------- data for the provider */

/* Take a decimal number of up to five digits; false: there is none, or it is too large. */
static bool take_number(const char **at, unsigned long max, unsigned long *value)
{
	size_t digits = strspn(*at, "0123456789");

	*value = strtoul(*at, NULL, 10);
	*at += digits;
	return digits && digits <= 5 && *value <= max;
}

void blob_parse(struct blob *blob, const char *option, const char *text)
{
	unsigned long id, version = 0;
	const char *at = text;
	uint32_t len = 0;

	if (blob->header.size)
		cli_usage("%s: given twice", option);
	if (!take_number(&at, UINT16_MAX, &id) ||
	    (*at == '.' && (at++, !take_number(&at, UINT8_MAX, &version))) || *at++ != ':')
		cli_usage("%s: %s is not ID:HEX or ID.VERSION:HEX", option, cli_quote(text));
	for (; *at; at += 2) {
		if (!isxdigit((unsigned char)at[0]) || !isxdigit((unsigned char)at[1]))
			cli_usage("%s: column %zu: two hexadecimal digits make a byte", option,
				  (size_t)(at - text) + 1);
		if (len == sizeof(blob->data))
			cli_usage("%s: more than %zu bytes", option, sizeof(blob->data));
		sscanf(at, "%2hhx", &blob->data[len++]);
	}
	blob->header.id = (uint16_t)id;
	blob->header.version = (uint8_t)version;
	blob->header.size = sizeof(blob->header) + len;
}

struct etw_filter blob_filter(const struct blob *blob)
{
	return (struct etw_filter){ .ptr = (uintptr_t)blob, .len = blob->header.size,
				    .type = ETW_FILTER_SCHEMATIZED };
}

/* ------------------------------------------------------------------- all filters */

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

static void use(struct filters *filters, struct etw_enable *enable, uint32_t type,
		const void *data, uint32_t len)
{
	filters->list[enable->filter_count++] = (struct etw_filter){
		.ptr = (uintptr_t)data, .len = len, .type = type };
}

static void use_events(struct filters *filters, struct etw_enable *enable, uint32_t type,
		       const struct filter_events *events)
{
	if (events->narrowed && !events->given)
		cli_usage("%s: no names are given", events->narrowed);
	if (events->given)
		use(filters, enable, type, events->bytes,
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
	event_filter_compile(&filters->event_filter, &enable->provider, &filters->providers);
	enable->level = kernel->level;
	enable->any = kernel->any;
	enable->all = kernel->all;
	if (kernel->ignore_keyword0)
		enable->property |= ETW_ENABLE_IGNORE_KEYWORD_0;
	join_ids(filters, kernel);
}

static void use_names(struct filters *filters, struct etw_enable *enable,
		      const struct filter_names *names)
{
	if (names->len)
		use(filters, enable, names->type, names->text, names->len);
}

static void use_ids(struct filters *filters, struct etw_enable *enable, uint32_t type,
		    const struct filter_ids *ids)
{
	if (ids->given)
		use(filters, enable, type, &ids->ids, sizeof(ids->ids));
}

void filters_use(struct filters *filters, struct etw_enable *enable)
{
	use_event_filter(filters, enable);
	enable->filters = (uintptr_t)filters->list;
	enable->filter_count = 0;
	if (filters->pid_count)
		use(filters, enable, ETW_FILTER_PID, filters->pids,
		    filters->pid_count * sizeof(filters->pids[0]));
	use_names(filters, enable, &filters->exe);
	use_names(filters, enable, &filters->container);
	use_names(filters, enable, &filters->package);
	use_names(filters, enable, &filters->app);
	use_ids(filters, enable, ETW_FILTER_EVENT_ID, &filters->ids);
	use_ids(filters, enable, ETW_FILTER_STACKWALK, &filters->stack_ids);
	use_events(filters, enable, ETW_FILTER_EVENT_NAME, &filters->events);
	use_events(filters, enable, ETW_FILTER_STACKWALK_NAME, &filters->stack_events);
	if (filters->stack_level_given)
		use(filters, enable, ETW_FILTER_STACKWALK_LEVEL_KW, &filters->stack_level,
		    sizeof(filters->stack_level));
	if (filters->event_filter.kernel.program)
		use(filters, enable, ETW_FILTER_PAYLOAD, filters->event_filter.kernel.program,
		    filters->event_filter.kernel.size);
	if (filters->blob.header.size)
		filters->list[enable->filter_count++] = blob_filter(&filters->blob);
}
