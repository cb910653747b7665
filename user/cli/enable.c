/* SPDX-License-Identifier: MIT */
/*
 * enable.c - etw enable: enable a provider for a session
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include "provider.h"

enum {
	OPT_LEVEL = 256,
	OPT_ANY,
	OPT_ALL,
	OPT_PID,
	OPT_IGNORE_KEYWORD_0,
	OPT_TIMEOUT,
};

static const struct cli_option options[] = {
	{ "level", OPT_LEVEL, "LEVEL", "highest level wanted, name or number; default: all" },
	{ "any", OPT_ANY, "HEX", "keywords of which an event needs one; default: all" },
	{ "all", OPT_ALL, "HEX", "keywords of which an event needs all" },
	{ "pid", OPT_PID, "PID", "only this process's registrations; up to 8 times" },
	{ "ignore-keyword-0", OPT_IGNORE_KEYWORD_0, NULL, "not the events that have no keyword" },
	{ "timeout", OPT_TIMEOUT, "MS", "wait that long for the provider's callbacks" },
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Enable a provider, by name or GUID, for a session.  What was set for the\n"
		"two before is replaced.  A GUID may be enabled before it is registered.\n"
		"Levels: 1 critical, 2 error, 3 warning, 4 info, 5 verbose, up to 255.",
	.operands = { "SESSION", "PROVIDER" },
	.options = options,
	.example = "etw enable demo Sample-Block --level info --any 0x3",
};

struct pid_filter {
	uint32_t pids[ETW_PID_FILTER_MAX];
	uint32_t count;
};

static void add_pid(struct pid_filter *filter, const char *text)
{
	if (filter->count == ETW_PID_FILTER_MAX)
		cli_usage("--pid: more than %d processes", ETW_PID_FILTER_MAX);
	filter->pids[filter->count++] = cli_number("--pid", text, 1, INT32_MAX);
}

static void take_option(int option, struct etw_enable *enable,
			struct pid_filter *filter)
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
	case OPT_PID:
		add_pid(filter, optarg);
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
static bool processes_exist(const struct pid_filter *filter)
{
	uint32_t i;

	for (i = 0; i < filter->count; i++) {
		if (kill((pid_t)filter->pids[i], 0) && errno == ESRCH) {
			cli_fail("--pid: no process %u", filter->pids[i]);
			return false;
		}
	}
	return true;
}

int cmd_enable(int argc, char **argv)
{
	struct etw_enable enable = { .control = ETW_CONTROL_ENABLE };
	struct pid_filter pids = { .count = 0 };
	struct etw_filter filter = { .type = ETW_FILTER_PID };
	char **operands;
	int option;

	while ((option = cli_next(&syntax, argc, argv)) != -1)
		take_option(option, &enable, &pids);
	operands = cli_operands(&syntax, argc, argv);
	if (!processes_exist(&pids))
		return 1;
	if (pids.count) {
		filter.ptr = (uintptr_t)pids.pids;
		filter.len = pids.count * sizeof(pids.pids[0]);
		enable.filters = (uintptr_t)&filter;
		enable.filter_count = 1;
	}
	return provider_control(operands[0], operands[1], &enable);
}
