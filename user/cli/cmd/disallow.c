/* SPDX-License-Identifier: MIT */
/*
 * disallow.c - etw disallow: exclude providers from the groups of a session
 */
#include <errno.h>
#include <stdio.h>
#include "cli/provider.h"
#include "cli/session.h"
#include "device/kdev.h"

static const struct cli_option options[] = {
	{ "clear", 'c', NULL, "empty the list" },
	CLI_OPTION_JSON,
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Exclude these providers from all groups that a session has enabled or will\n"
		"enable, in place of those excluded before.  The session can still enable them\n"
		"directly.  Without a provider: show which ones are excluded.",
	.operands = { "SESSION", "[PROVIDER]..." },
	.options = options,
	.example = "etw disallow demo 01234567-89ab-cdef-0001-020304050607",
};

static int show(int fd, uint64_t session, struct etw_guid guids[ETW_DISALLOW_MAX], bool json)
{
	struct etw_disallow d = {
		.session = session, .guids = (uintptr_t)guids, .capacity = ETW_DISALLOW_MAX };
	struct json *o;
	int err;

	err = etw_kdev_disallow_query(fd, &d);
	if (err)
		return err;
	if (json) {
		o = json_new();
		json_put(o, "disallowed", provider_guids_json(guids, d.count));
		json_print(o);
	} else if (!d.count) {
		puts("no providers");
	} else {
		provider_print_guids(guids, d.count);
	}
	return 0;
}

static int set(int fd, uint64_t session, const struct etw_guid *guids, unsigned int count)
{
	struct etw_disallow d = {
		.session = session, .guids = (uintptr_t)guids, .count = count };

	return etw_kdev_disallow_set(fd, &d);
}

/* Returns the exit status. */
static int run(int fd, const char *name, char **providers, unsigned int count, bool clear,
	       bool json)
{
	static struct etw_guid guids[ETW_DISALLOW_MAX];
	static struct session found;
	int err;

	err = session_do(fd, etw_kdev_session_query, name, &found);
	if (err)
		return session_fail(name, err, TAKES_QUERY);
	if (!provider_resolve_all(fd, providers, guids))
		return 1;
	err = count || clear ? set(fd, found.s.handle, guids, count) :
			       show(fd, found.s.handle, guids, json);
	return err ? session_fail(name, err, count || clear ? TAKES_CONTROL : TAKES_QUERY) : 0;
}

int cmd_disallow(int argc, char **argv)
{
	bool clear = false, json = false;
	unsigned int count;
	char **operands;
	const char *name;
	int option, fd, status;

	while ((option = cli_next(&syntax, argc, argv)) != -1) {
		if (option == 'c')
			clear = true;
		else
			json = true;
	}
	operands = cli_operands(&syntax, argc, argv);
	name = cli_name("SESSION", operands[0]);
	count = provider_operands(operands + 1, ETW_DISALLOW_MAX);
	if (clear && count)
		cli_usage("--clear: give no provider");
	if (json && (clear || count))
		cli_usage("--json: only without providers");
	fd = device_open();
	if (fd < 0)
		return 1;
	status = run(fd, name, operands + 1, count, clear, json);
	etw_kdev_close(fd);
	return status;
}
