/* SPDX-License-Identifier: MIT */
/*
 * enable_request.c - the options of etw enable, and the request that they make
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "enable_request.h"
#include "cli/provider.h"
#include "cli/schema.h"

const struct cli_option enable_options[] = {
	{ "level", ENABLE_OPT_LEVEL, "LEVEL", "up to this level, name or number; default: all" },
	{ "any", ENABLE_OPT_ANY, "HEX", "events with one of these keywords; default: all" },
	{ "keyword", ENABLE_OPT_KEYWORD, "LIST", "the same, by names: Read,Write" },
	{ "all", ENABLE_OPT_ALL, "HEX", "only events with all of these keywords" },
	{ "pid", ENABLE_OPT_PID, "PID", "only this process's registrations; up to 8 times" },
	{ "exe", ENABLE_OPT_EXE, "NAME", "only processes that run a file of that name: bash" },
	{ "container", ENABLE_OPT_CONTAINER, "ID|PATH", "only processes of this container or cgroup" },
	{ "package", ENABLE_OPT_PACKAGE, "NAME", "only processes of this flatpak, snap or unit" },
	{ "app", ENABLE_OPT_APP, "NAME", "only processes of this application; snap: SNAP.APP" },
	{ "id", ENABLE_OPT_ID, "LIST", "only events with these ids or names: 1,5-9,Start" },
	{ "not-id", ENABLE_OPT_NOT_ID, "LIST", "all events except those with these ids" },
	{ "name", ENABLE_OPT_NAME, "LIST", "only TraceLogging events with these names" },
	{ "not-name", ENABLE_OPT_NOT_NAME, "LIST", "all events except those with these names" },
	{ "name-level", ENABLE_OPT_NAME_LEVEL, "LEVEL", "test the names of events up to this level only" },
	{ "name-any", ENABLE_OPT_NAME_ANY, "HEX", "... and only those with one of these keywords" },
	{ "name-all", ENABLE_OPT_NAME_ALL, "HEX", "... and with all of these" },
	{ "filter", ENABLE_OPT_FILTER, "EXPRESSION", "only if it is true: 'Size >= 4096'" },
	{ "fields", ENABLE_OPT_FIELDS, "FIELDS", "describe an event for --filter: 'id=7: u32 Size'" },
	{ "payload", ENABLE_OPT_PAYLOAD, "EXPR", NULL },
	{ "manifest", ENABLE_OPT_MANIFEST, "FILE", "take names from this manifest first" },
	{ "data", ENABLE_OPT_DATA, "ID:HEX", "pass the provider these bytes; or ID.VERSION:HEX" },
	{ "ignore-keyword-0", ENABLE_OPT_IGNORE_KEYWORD_0, NULL, "drop events that have no keyword" },
	{ "exclude-private", ENABLE_OPT_EXCLUDE_PRIVATE, NULL, "drop events written as private" },
	{ "with", ENABLE_OPT_WITH, "ITEMS", "attach sid,login,app,container,process-key,event-key" },
	{ "stack", ENABLE_OPT_STACK, NULL, "attach the stack of the writer" },
	{ "stack-id", ENABLE_OPT_STACK_ID, "LIST", "stacks of events with these ids only" },
	{ "stack-not-id", ENABLE_OPT_STACK_NOT_ID, "LIST", "stacks of all events except these" },
	{ "stack-name", ENABLE_OPT_STACK_NAME, "LIST", "stacks of events with these names only" },
	{ "stack-not-name", ENABLE_OPT_STACK_NOT_NAME, "LIST", "stacks of all events except those" },
	{ "stack-name-level", ENABLE_OPT_STACK_NAME_LEVEL, "LEVEL", "as --name-level" },
	{ "stack-name-any", ENABLE_OPT_STACK_NAME_ANY, "HEX", "as --name-any" },
	{ "stack-name-all", ENABLE_OPT_STACK_NAME_ALL, "HEX", "as --name-all" },
	{ "stack-level", ENABLE_OPT_STACK_LEVEL, "LEVEL", "stacks of events up to this level only" },
	{ "stack-not-level", ENABLE_OPT_STACK_NOT_LEVEL, "LEVEL", "stacks of events above this level only" },
	{ "stack-any", ENABLE_OPT_STACK_ANY, "HEX", "... with one of these keywords" },
	{ "stack-all", ENABLE_OPT_STACK_ALL, "HEX", "... with all of these keywords" },
	{ "capture", ENABLE_OPT_CAPTURE, NULL, "afterwards ask the provider to write its state" },
	PROVIDER_OPTIONS,
	CLI_OPTION_END
};

/* An option as messages name it */
static const char *option_name(int option)
{
	static char names[ENABLE_OPT_END - ENABLE_OPT_BASE][24];
	char *name = names[option - ENABLE_OPT_BASE];
	const struct cli_option *o = enable_options;

	while (o->value != option)
		o++;
	snprintf(name, sizeof(names[0]), "--%s", o->name);
	return name;
}

/* Options that select processes or events, and data for the provider; false: another option */
static bool take_filter(int option, const char *name, struct filters *filters)
{
	switch (option) {
	case ENABLE_OPT_PID:
		filters_pid(filters, name, optarg);
		return true;
	case ENABLE_OPT_EXE:
	case ENABLE_OPT_CONTAINER:
	case ENABLE_OPT_PACKAGE:
	case ENABLE_OPT_APP:
		filters_name(filters, name, optarg);
		return true;
	case ENABLE_OPT_ID:
	case ENABLE_OPT_NOT_ID:
		filters_ids(filters, &filters->ids, name, option == ENABLE_OPT_ID, optarg);
		return true;
	case ENABLE_OPT_NAME:
	case ENABLE_OPT_NOT_NAME:
		filters_events(&filters->events, name, option == ENABLE_OPT_NAME, optarg);
		return true;
	case ENABLE_OPT_NAME_LEVEL:
	case ENABLE_OPT_STACK_NAME_LEVEL:
		filters_events_level(option == ENABLE_OPT_NAME_LEVEL ? &filters->events :
				     &filters->stack_events, name, optarg);
		return true;
	case ENABLE_OPT_NAME_ANY:
	case ENABLE_OPT_STACK_NAME_ANY:
		filters_events_any(option == ENABLE_OPT_NAME_ANY ? &filters->events :
				   &filters->stack_events, name, optarg);
		return true;
	case ENABLE_OPT_NAME_ALL:
	case ENABLE_OPT_STACK_NAME_ALL:
		filters_events_all(option == ENABLE_OPT_NAME_ALL ? &filters->events :
				   &filters->stack_events, name, optarg);
		return true;
	case ENABLE_OPT_FIELDS:
		event_filter_fields(&filters->event_filter, name, optarg);
		return true;
	case ENABLE_OPT_FILTER:
		event_filter_expression(&filters->event_filter, name, optarg);
		return true;
	case ENABLE_OPT_PAYLOAD:
		event_filter_payload(name, optarg);
	case ENABLE_OPT_DATA:
		blob_parse(&filters->blob, name, optarg);
		return true;
	default:
		return false;
	}
}

/* Options that select the events that get a stack; false: another option */
static bool take_stacks(int option, const char *name, struct filters *filters)
{
	switch (option) {
	case ENABLE_OPT_STACK_ID:
	case ENABLE_OPT_STACK_NOT_ID:
		filters_ids(filters, &filters->stack_ids, name, option == ENABLE_OPT_STACK_ID,
			    optarg);
		return true;
	case ENABLE_OPT_STACK_NAME:
	case ENABLE_OPT_STACK_NOT_NAME:
		filters_events(&filters->stack_events, name, option == ENABLE_OPT_STACK_NAME,
			       optarg);
		return true;
	case ENABLE_OPT_STACK_LEVEL:
	case ENABLE_OPT_STACK_NOT_LEVEL:
		filters_stack_level(filters, name, option == ENABLE_OPT_STACK_LEVEL, optarg);
		return true;
	case ENABLE_OPT_STACK_ANY:
		filters->stack_level.any = cli_hex(name, optarg);
		break;
	case ENABLE_OPT_STACK_ALL:
		filters->stack_level.all = cli_hex(name, optarg);
		break;
	default:
		return false;
	}
	filters->stack_level_given = true;
	return true;
}

static void take_option(int option, const char *name, struct enable_request *request)
{
	const struct filters *filters = &request->filters;
	struct etw_enable *enable = &request->enable;

	switch (option) {
	case ENABLE_OPT_LEVEL:
		enable->level = filters_level(filters, name, optarg);
		break;
	case ENABLE_OPT_KEYWORD:
		enable->any |= filters_keywords(filters, name, optarg);
		break;
	case ENABLE_OPT_ANY:
		enable->any = cli_hex(name, optarg);
		break;
	case ENABLE_OPT_ALL:
		enable->all = cli_hex(name, optarg);
		break;
	case ENABLE_OPT_EXCLUDE_PRIVATE:
		enable->property |= ETW_ENABLE_EXCLUDE_INPRIVATE;
		break;
	case ENABLE_OPT_WITH:
		enable->property |= filters_items(name, optarg);
		break;
	case ENABLE_OPT_STACK:
		enable->property |= ETW_ENABLE_STACK_TRACE;
		break;
	case ENABLE_OPT_IGNORE_KEYWORD_0:
		enable->property |= ETW_ENABLE_IGNORE_KEYWORD_0;
		break;
	}
}

/*
 * The kernel applies a filter by PID once, to the processes that exist.  If none did, it
 * would silently replace the earlier filter by one that selects nothing.
 */
static bool processes_exist(const struct filters *filters)
{
	uint32_t i;

	for (i = 0; i < filters->pid_count; i++) {
		if (kill((pid_t)filters->pids[i], 0) && errno == ESRCH) {
			cli_fail("--pid: no process %u", filters->pids[i]);
			return false;
		}
	}
	return true;
}

/* ----------------------------------------- names that only a manifest defines */

static bool is_late(int option)
{
	switch (option) {
	case ENABLE_OPT_LEVEL:
	case ENABLE_OPT_STACK_LEVEL:
	case ENABLE_OPT_STACK_NOT_LEVEL:
		return filters_named_level(optarg);
	case ENABLE_OPT_ID:
	case ENABLE_OPT_NOT_ID:
	case ENABLE_OPT_STACK_ID:
	case ENABLE_OPT_STACK_NOT_ID:
		return filters_named_ids(optarg);
	case ENABLE_OPT_KEYWORD:
		return true;
	default:
		return false;
	}
}

static void take(int option, struct enable_request *request)
{
	struct filters *filters = &request->filters;
	const char *name;

	if (provider_option(option, &request->enable))
		return;
	name = request->within ? request->within : option_name(option);
	if (take_stacks(option, name, filters))
		/* Selecting stacks implies --stack. */
		request->enable.property |= ETW_ENABLE_STACK_TRACE;
	else if (!take_filter(option, name, filters))
		take_option(option, name, request);
}

static bool is_option(int option)
{
	return (option >= ENABLE_OPT_BASE && option < ENABLE_OPT_END) ||
	       (option >= PROVIDER_OPT_GROUP && option <= PROVIDER_OPT_TIMEOUT);
}

bool enable_request_take(struct enable_request *request, int option)
{
	if (!is_option(option))
		return false;
	if (option == ENABLE_OPT_CAPTURE) {
		request->capture = true;
	} else if (option == ENABLE_OPT_MANIFEST) {
		schema_load("--manifest", optarg);
	} else if (!is_late(option)) {
		take(option, request);
	} else {
		if (request->late_count == ENABLE_LATE_MAX)
			cli_usage("more than %d options with names", ENABLE_LATE_MAX);
		request->late[request->late_count].option = option;
		request->late[request->late_count].within = request->within;
		request->late[request->late_count++].value = optarg;
	}
	return true;
}

static void check_group(const struct enable_request *request)
{
	const struct filters *filters = &request->filters;

	if (request->enable.property & ETW_ENABLE_PROVIDER_GROUP &&
	    (filters->ids.given || filters->events.given || filters->event_filter.count ||
	     request->late_count))
		cli_usage("--group: its members have no ids, names or fields of events in common");
}

/* Names and expressions mean something only once the provider is known. */
static bool has_to_wait(const struct enable_request *request)
{
	return !request->prepared && (request->late_count || request->filters.event_filter.count);
}

void enable_request_prepare(void *context, const struct etw_guid *guid)
{
	struct enable_request *request = context;
	unsigned int i;

	if (!has_to_wait(request))
		return;
	request->filters.provider = schema_provider(guid);
	if (!request->filters.provider && request->late_count)
		cli_usage("%s: no manifest of provider %s is installed or given by --manifest",
			  request->late[0].within ? request->late[0].within :
			  option_name(request->late[0].option), cli_quote(request->provider));
	for (i = 0; i < request->late_count; i++) {
		optarg = request->late[i].value;
		request->within = request->late[i].within;
		take(request->late[i].option, request);
	}
	request->late_count = 0;
	request->prepared = true;
	filters_use(&request->filters, &request->enable);
}

void enable_request_init(struct enable_request *request)
{
	memset(request, 0, sizeof(*request));
	request->enable.control = ETW_CONTROL_ENABLE;
	filters_init(&request->filters);
}

bool enable_request_ready(struct enable_request *request, const char *provider)
{
	request->provider = provider;
	check_group(request);
	if (!processes_exist(&request->filters))
		return false;
	if (!has_to_wait(request))
		filters_use(&request->filters, &request->enable);
	else if (provider_known(provider, &request->enable.provider))
		enable_request_prepare(request, &request->enable.provider);
	return true;
}

void enable_request_free(struct enable_request *request)
{
	event_filter_free(&request->filters.event_filter);
}
