/* SPDX-License-Identifier: MIT */
/*
 * event_filter.c - the options --filter and --fields of etw enable
 */
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "event_filter.h"

static const char *elsewhere;	/* what takes the tests that the kernel cannot make */

void event_filter_elsewhere(const char *option)
{
	elsewhere = option;
}

const char *event_filter_where(void)
{
	return elsewhere ? elsewhere : "etw dump --filter";
}

static bool is_described(const struct event_filter *filter, const struct etw_mf_event *event)
{
	const EVENT_DESCRIPTOR *desc;
	unsigned int i;

	for (i = 0; i < filter->fields_count; i++) {
		desc = &filter->fields[i]->event.desc;
		if (desc->Id == event->desc.Id && desc->Version == event->desc.Version)
			return true;
	}
	return false;
}

void event_filter_fields(struct event_filter *filter, const char *option, const char *text)
{
	struct fields *fields = cli_calloc(1, sizeof(*fields));
	struct scan s;

	if (!fields_parse(text, fields, &s))
		cli_usage("%s: column %zu: %s", option, s.column, s.error);
	if (filter->fields_count == EVENT_FILTERS_MAX)
		cli_usage("%s: more than %d events", option, EVENT_FILTERS_MAX);
	if (is_described(filter, &fields->event))
		cli_usage("%s: event %u.%u is described twice", option, fields->event.desc.Id,
			  fields->event.desc.Version);
	filter->fields[filter->fields_count++] = fields;
}

struct etw_expr *event_filter_parse(const char *option, const char *text)
{
	const char *error = NULL;
	size_t column = 0;
	struct etw_expr *expr = etw_expr_parse(text, &error, &column);

	if (!expr && !error)
		cli_die("out of memory");
	if (!expr)
		cli_usage("%s: column %zu: %s", option, column, error);
	return expr;
}

void event_filter_expression(struct event_filter *filter, const char *option, const char *text)
{
	struct etw_expr *expr = event_filter_parse(option, text);

	if (filter->count == EVENT_FILTERS_MAX)
		cli_usage("%s: given more than %d times", option, EVENT_FILTERS_MAX);
	filter->sources[filter->count++] = (struct etw_kernel_source){ text, expr };
}

/* Length of an event's name before the colon that --payload had; 0: there is none. */
static size_t old_event(const char *text)
{
	size_t len = strcspn(text, ":\"=<>!&|%");

	return text[len] == ':' ? len : 0;
}

_Noreturn void event_filter_payload(const char *option, const char *text)
{
	const size_t name = old_event(text);
	const char *expression = text + name + (name ? 1 : 0);
	size_t digits = strspn(text, "0123456789"), minor;

	expression += strspn(expression, " \t");
	minor = digits && text[digits] == '.' ? strspn(text + digits + 1, "0123456789") : 0;
	if (name && digits == name)
		cli_usage("%s: write --filter 'id != %.*s || (%s)'", option, (int)name, text,
			  expression);
	if (name && minor && digits + 1 + minor == name)
		cli_usage("%s: write --filter 'id != %.*s || version != %.*s || (%s)'", option,
			  (int)digits, text, (int)minor, text + digits + 1, expression);
	if (name)
		cli_usage("%s: write --filter 'not event == \"%.*s\" || (%s)'", option, (int)name,
			  text, expression);
	cli_usage("%s: write --filter '%s'; if events without these fields are to pass too, put 'not exists(FIELD) ||' before it",
		  option, expression);
}

static _Noreturn void refuse(const struct etw_kernel_error *error)
{
	if (!error->column)
		cli_usage("--filter: %s", error->text);
	cli_usage("--filter: column %zu: %s", error->column, error->text);
}

void event_filter_compile(struct event_filter *filter, const struct etw_guid *guid,
			  const struct etw_providers *providers)
{
	struct etw_mf_event events[EVENT_FILTERS_MAX];
	struct etw_kernel_schema schema = { .providers = *providers, .events = events,
					    .event_count = filter->fields_count,
					    .only_event = filter->only_event,
					    .value_names = filter->value_names,
					    .elsewhere = event_filter_where() };
	struct etw_kernel_error error;
	unsigned int i;
	GUID copy;

	if (filter->fields_count && !filter->count)
		cli_usage("--fields describes events for --filter, which is missing");
	if (!filter->count)
		return;
	memcpy(&copy, guid, sizeof(copy));
	schema.guid = &copy;
	for (i = 0; i < filter->fields_count; i++)
		events[i] = filter->fields[i]->event;
	if (!etw_kernel_filter_make(filter->sources, filter->count, &schema, &filter->kernel, &error))
		refuse(&error);
}

void event_filter_check(const struct event_filter *filter, const struct etw_mf_event *events,
			const struct etw_value_names *value_names, size_t count)
{
	static const GUID none;
	const struct etw_kernel_schema schema = { .guid = &none, .events = events, .event_count = count,
						  .value_names = value_names,
						  .elsewhere = event_filter_where() };
	struct etw_kernel_error error;

	if (!etw_kernel_filter_check(filter->sources, filter->count, &schema, &error))
		refuse(&error);
}

void event_filter_free(struct event_filter *filter)
{
	while (filter->count)
		etw_expr_free(filter->sources[--filter->count].expr);
	while (filter->fields_count)
		free(filter->fields[--filter->fields_count]);
	free(filter->kernel.program);
	filter->kernel.program = NULL;
}
