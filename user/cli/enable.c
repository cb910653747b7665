/* SPDX-License-Identifier: MIT */
/*
 * enable.c - etw enable: enable a provider for a session
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include "filter.h"
#include "provider.h"

enum {
	OPT_LEVEL = 256,
	OPT_ANY,
	OPT_ALL,
	OPT_PID,
	OPT_EXE,
	OPT_CONTAINER,
	OPT_PACKAGE,
	OPT_APP,
	OPT_ID,
	OPT_NOT_ID,
	OPT_NAME,
	OPT_NOT_NAME,
	OPT_NAME_LEVEL,
	OPT_NAME_ANY,
	OPT_NAME_ALL,
	OPT_FIELDS,
	OPT_PAYLOAD,
	OPT_DATA,
	OPT_IGNORE_KEYWORD_0,
	OPT_EXCLUDE_PRIVATE,
	OPT_WITH,
	OPT_STACK,
	OPT_STACK_ID,
	OPT_STACK_NOT_ID,
	OPT_STACK_NAME,
	OPT_STACK_NOT_NAME,
	OPT_STACK_NAME_LEVEL,
	OPT_STACK_NAME_ANY,
	OPT_STACK_NAME_ALL,
	OPT_STACK_LEVEL,
	OPT_STACK_NOT_LEVEL,
	OPT_STACK_ANY,
	OPT_STACK_ALL,
	OPT_CAPTURE,
};

static const struct cli_option options[] = {
	{ "level", OPT_LEVEL, "LEVEL", "highest level wanted, name or number; default: all" },
	{ "any", OPT_ANY, "HEX", "keywords of which an event needs one; default: all" },
	{ "all", OPT_ALL, "HEX", "keywords of which an event needs all" },
	{ "pid", OPT_PID, "PID", "only this process's registrations; up to 8 times" },
	{ "exe", OPT_EXE, "NAME", "only processes that run a file so named: bash" },
	{ "container", OPT_CONTAINER, "ID|PATH", "only those of this container or cgroup" },
	{ "package", OPT_PACKAGE, "NAME", "only those of this flatpak, snap or unit" },
	{ "app", OPT_APP, "NAME", "likewise, SNAP.APP for a snap" },
	{ "id", OPT_ID, "LIST", "only events with these ids: 1,5,10-20" },
	{ "not-id", OPT_NOT_ID, "LIST", "all events but those with these ids" },
	{ "name", OPT_NAME, "LIST", "only TraceLogging events so named: Start,Stop" },
	{ "not-name", OPT_NOT_NAME, "LIST", "all events but those so named" },
	{ "name-level", OPT_NAME_LEVEL, "LEVEL", "names concern events up to this level only" },
	{ "name-any", OPT_NAME_ANY, "HEX", "... and only those with one of these keywords" },
	{ "name-all", OPT_NAME_ALL, "HEX", "... and with all of these" },
	{ "fields", OPT_FIELDS, "FIELDS", "of an event: 'id=7: u32 Size, str16 File'" },
	{ "payload", OPT_PAYLOAD, "EXPR", "... of which only those are wanted: 'Size >= 4096'" },
	{ "data", OPT_DATA, "ID:HEX", "tell the provider these bytes, ID.VERSION:HEX too" },
	{ "ignore-keyword-0", OPT_IGNORE_KEYWORD_0, NULL, "not the events that have no keyword" },
	{ "exclude-private", OPT_EXCLUDE_PRIVATE, NULL, "not the events written as private" },
	{ "with", OPT_WITH, "ITEMS", "add sid,login,app,container,process-key,event-key" },
	{ "stack", OPT_STACK, NULL, "add the stack of its writer" },
	{ "stack-id", OPT_STACK_ID, "LIST", "stacks of events with these ids only" },
	{ "stack-not-id", OPT_STACK_NOT_ID, "LIST", "stacks of all but these events" },
	{ "stack-name", OPT_STACK_NAME, "LIST", "stacks of events so named only" },
	{ "stack-not-name", OPT_STACK_NOT_NAME, "LIST", "stacks of all but those so named" },
	{ "stack-name-level", OPT_STACK_NAME_LEVEL, "LEVEL", "as --name-level" },
	{ "stack-name-any", OPT_STACK_NAME_ANY, "HEX", "as --name-any" },
	{ "stack-name-all", OPT_STACK_NAME_ALL, "HEX", "as --name-all" },
	{ "stack-level", OPT_STACK_LEVEL, "LEVEL", "stacks of events up to this level only" },
	{ "stack-not-level", OPT_STACK_NOT_LEVEL, "LEVEL", "stacks of all but events up to it" },
	{ "stack-any", OPT_STACK_ANY, "HEX", "... with one of these keywords" },
	{ "stack-all", OPT_STACK_ALL, "HEX", "... with all of these keywords" },
	{ "capture", OPT_CAPTURE, NULL, "then ask the provider to write its state" },
	PROVIDER_OPTIONS,
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Enable a provider, by name or GUID, for a session.  What was set for the\n"
		"two before is replaced.  A GUID may be enabled before it is registered.\n"
		"Several options that select must all agree; one given several times selects\n"
		"any of its names.  Selecting processes leaves kernel modules out.\n"
		"Levels: 1 critical, 2 error, 3 warning, 4 info, 5 verbose, up to 255.",
	.operands = { "SESSION", "PROVIDER" },
	.options = options,
	.example = "etw enable demo Sample-Block --level info --any 0x3",
};

/* Options that select processes; false: it is none of them. */
static bool take_scope(int option, struct filters *filters)
{
	switch (option) {
	case OPT_PID:
		filters_pid(filters, "--pid", optarg);
		return true;
	case OPT_EXE:
		filters_name(filters, "--exe", optarg);
		return true;
	case OPT_CONTAINER:
		filters_name(filters, "--container", optarg);
		return true;
	case OPT_PACKAGE:
		filters_name(filters, "--package", optarg);
		return true;
	case OPT_APP:
		filters_name(filters, "--app", optarg);
		return true;
	default:
		return false;
	}
}

/* Those that select events, or are for the provider itself. */
static bool take_events(int option, struct filters *filters)
{
	switch (option) {
	case OPT_ID:
		filters_ids(&filters->ids, "--id", true, optarg);
		return true;
	case OPT_NOT_ID:
		filters_ids(&filters->ids, "--not-id", false, optarg);
		return true;
	case OPT_NAME:
		filters_events(&filters->events, "--name", true, optarg);
		return true;
	case OPT_NOT_NAME:
		filters_events(&filters->events, "--not-name", false, optarg);
		return true;
	case OPT_FIELDS:
		filters_fields(filters, "--fields", optarg);
		return true;
	case OPT_PAYLOAD:
		filters_payload(filters, "--payload", optarg);
		return true;
	case OPT_DATA:
		blob_parse(&filters->blob, "--data", optarg);
		return true;
	default:
		return false;
	}
}

/* Those that say which events a filter by names concerns at all. */
static bool take_names(int option, struct filters *filters)
{
	switch (option) {
	case OPT_NAME_LEVEL:
		filters_events_level(&filters->events, "--name-level", optarg);
		return true;
	case OPT_NAME_ANY:
		filters_events_any(&filters->events, "--name-any", optarg);
		return true;
	case OPT_NAME_ALL:
		filters_events_all(&filters->events, "--name-all", optarg);
		return true;
	case OPT_STACK_NAME_LEVEL:
		filters_events_level(&filters->stack_events, "--stack-name-level", optarg);
		return true;
	case OPT_STACK_NAME_ANY:
		filters_events_any(&filters->stack_events, "--stack-name-any", optarg);
		return true;
	case OPT_STACK_NAME_ALL:
		filters_events_all(&filters->stack_events, "--stack-name-all", optarg);
		return true;
	default:
		return false;
	}
}

/* Those that select the events whose stacks are wanted. */
static bool take_stacks(int option, struct filters *filters)
{
	switch (option) {
	case OPT_STACK_ID:
		filters_ids(&filters->stack_ids, "--stack-id", true, optarg);
		return true;
	case OPT_STACK_NOT_ID:
		filters_ids(&filters->stack_ids, "--stack-not-id", false, optarg);
		return true;
	case OPT_STACK_NAME:
		filters_events(&filters->stack_events, "--stack-name", true, optarg);
		return true;
	case OPT_STACK_NOT_NAME:
		filters_events(&filters->stack_events, "--stack-not-name", false, optarg);
		return true;
	case OPT_STACK_LEVEL:
		filters_stack_level(filters, "--stack-level", true, optarg);
		return true;
	case OPT_STACK_NOT_LEVEL:
		filters_stack_level(filters, "--stack-not-level", false, optarg);
		return true;
	case OPT_STACK_ANY:
		filters->stack_level.any = cli_hex("--stack-any", optarg);
		break;
	case OPT_STACK_ALL:
		filters->stack_level.all = cli_hex("--stack-all", optarg);
		break;
	default:
		return false;
	}
	filters->stack_level_given = true;
	return true;
}

static void take_option(int option, struct etw_enable *enable)
{
	switch (option) {
	case OPT_LEVEL:
		enable->level = cli_level("--level", optarg);
		break;
	case OPT_ANY:
		enable->any = cli_hex("--any", optarg);
		break;
	case OPT_ALL:
		enable->all = cli_hex("--all", optarg);
		break;
	case OPT_EXCLUDE_PRIVATE:
		enable->property |= ETW_ENABLE_EXCLUDE_INPRIVATE;
		break;
	case OPT_WITH:
		enable->property |= filters_items("--with", optarg);
		break;
	case OPT_STACK:
		enable->property |= ETW_ENABLE_STACK_TRACE;
		break;
	case OPT_IGNORE_KEYWORD_0:
		enable->property |= ETW_ENABLE_IGNORE_KEYWORD_0;
		break;
	}
}

/*
 * A filter selects, once, among the processes that exist: with none of them it
 * would replace what was set by nothing, and say nothing.
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

int cmd_enable(int argc, char **argv)
{
	struct etw_enable enable = { .control = ETW_CONTROL_ENABLE };
	static struct filters filters;
	bool capture = false;
	char **operands;
	int option, status;

	filters_init(&filters);
	while ((option = cli_next(&syntax, argc, argv)) != -1) {
		if (take_stacks(option, &filters))
			/* A stack that is asked for more closely is asked for. */
			enable.property |= ETW_ENABLE_STACK_TRACE;
		else if (option == OPT_CAPTURE)
			capture = true;
		else if (!take_scope(option, &filters) && !take_events(option, &filters) &&
			 !take_names(option, &filters) && !provider_option(option, &enable))
			take_option(option, &enable);
	}
	operands = cli_operands(&syntax, argc, argv);
	if (enable.property & ETW_ENABLE_PROVIDER_GROUP &&
	    (filters.ids.given || filters.events.given || filters.payload.given))
		cli_usage("--group: its members have no ids, names or fields of events in common");
	if (!processes_exist(&filters))
		return 1;
	filters_use(&filters, &enable);
	status = provider_control(operands[0], operands[1], &enable, capture);
	payload_free(&filters.payload);
	return status;
}
