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
	OPT_STACK_LEVEL,
	OPT_TIMEOUT,
	OPT_GROUP = PROVIDER_OPT_GROUP,
};

static const struct cli_option options[] = {
	{ "level", OPT_LEVEL, "LEVEL", "highest level wanted, name or number; default: all" },
	{ "any", OPT_ANY, "HEX", "keywords of which an event needs one; default: all" },
	{ "all", OPT_ALL, "HEX", "keywords of which an event needs all" },
	{ "pid", OPT_PID, "PID", "only this process's registrations; up to 8 times" },
	{ "exe", OPT_EXE, "NAME", "only processes that run this program" },
	{ "container", OPT_CONTAINER, "ID|PATH", "only those of this container or cgroup" },
	{ "package", OPT_PACKAGE, "NAME", "only those of this flatpak, snap or unit" },
	{ "app", OPT_APP, "NAME", "likewise, SNAP.APP for a snap" },
	{ "id", OPT_ID, "LIST", "only events with these ids: 1,5,10-20" },
	{ "not-id", OPT_NOT_ID, "LIST", "all events but those with these ids" },
	{ "name", OPT_NAME, "LIST", "only TraceLogging events so named: Start,Stop" },
	{ "not-name", OPT_NOT_NAME, "LIST", "all events but those so named" },
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
	{ "stack-level", OPT_STACK_LEVEL, "LEVEL", "stacks of events up to this level only" },
	PROVIDER_OPTION_GROUP,
	{ "timeout", OPT_TIMEOUT, "MS", "wait that long for the provider's callbacks" },
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

/* Options that add a filter; false: it is none of them. */
static bool take_filter(int option, struct etw_enable *enable, struct filters *filters)
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
	case OPT_STACK_NAME:
		filters_events(&filters->stack_events, "--stack-name", true, optarg);
		break;
	case OPT_FIELDS:
		filters_fields(filters, "--fields", optarg);
		return true;
	case OPT_PAYLOAD:
		filters_payload(filters, "--payload", optarg);
		return true;
	case OPT_DATA:
		blob_parse(&filters->blob, "--data", optarg);
		return true;
	case OPT_STACK_ID:
		filters_ids(&filters->stack_ids, "--stack-id", true, optarg);
		break;
	case OPT_STACK_NOT_ID:
		filters_ids(&filters->stack_ids, "--stack-not-id", false, optarg);
		break;
	case OPT_STACK_LEVEL:
		filters->stack_level_given = true;
		filters->stack_level.level = cli_level("--stack-level", optarg);
		filters->stack_level.in = 1;
		break;
	default:
		return false;
	}
	/* A stack that is asked for more closely is asked for. */
	enable->property |= ETW_ENABLE_STACK_TRACE;
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
	case OPT_GROUP:
		enable->property |= ETW_ENABLE_PROVIDER_GROUP;
		break;
	case OPT_STACK:
		enable->property |= ETW_ENABLE_STACK_TRACE;
		break;
	case OPT_IGNORE_KEYWORD_0:
		enable->property |= ETW_ENABLE_IGNORE_KEYWORD_0;
		break;
	case OPT_TIMEOUT:
		enable->timeout_ms = cli_number("--timeout", optarg, 0,
						UINT32_MAX - 1);
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
	char **operands;
	int option, status;

	filters_init(&filters);
	while ((option = cli_next(&syntax, argc, argv)) != -1)
		if (!take_filter(option, &enable, &filters))
			take_option(option, &enable);
	operands = cli_operands(&syntax, argc, argv);
	if (enable.property & ETW_ENABLE_PROVIDER_GROUP &&
	    (filters.ids.given || filters.events.given || filters.payload.given))
		cli_usage("--group: its members have no ids, names or fields of events in common");
	if (!processes_exist(&filters))
		return 1;
	filters_use(&filters, &enable);
	status = provider_control(operands[0], operands[1], &enable);
	payload_free(&filters.payload);
	return status;
}
