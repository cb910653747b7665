/* SPDX-License-Identifier: MIT */
/*
 * disallow.c - etw disallow: exclude providers from the groups of a session
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli/provider.h"
#include "cli/session.h"
#include "device/kdev.h"

static bool clear, json;

static const struct cli_option options[] = {
	PROVIDER_OPTION_P,
	{ "clear", 'c', NULL, "empty the list", CLI_FLAG(clear) },
	CLI_OPTION_JSON(json),
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

static int show(int fd, struct etw_disallow *d, struct etw_guid guids[ETW_DISALLOW_MAX])
{
	struct etw_text line = { 0 };
	int err;

	d->capacity = ETW_DISALLOW_MAX;
	err = etw_kdev_disallow_query(fd, d);
	if (err)
		return err;
	if (json) {
		json_writer_open(&line, NULL, '{');
		provider_json_guids(&line, "disallowed", guids, d->count);
		json_print(&line);
	} else if (!d->count) {
		puts("no providers");
	} else {
		provider_print_guids(guids, d->count);
	}
	return 0;
}

int cmd_disallow(int argc, char **argv)
{
	static struct etw_guid guids[ETW_DISALLOW_MAX];
	static struct session session;
	struct etw_disallow d = { .guids = (uintptr_t)guids };
	struct provider_names names = { .list = NULL };
	char **operands, **providers;
	int fd, err = 1;
	bool set;

	while (cli_next(&syntax, argc, argv) != -1)
		provider_names_add(&names, optarg);
	operands = cli_operands(&syntax, argc, argv);
	cli_name("SESSION", operands[0]);
	providers = provider_names_all(&names, operands + 1, false);
	d.count = provider_operands(providers, ETW_DISALLOW_MAX);
	set = clear || d.count;
	if (clear && d.count)
		cli_usage("--clear: give no provider");
	if (json && set)
		cli_usage("--json: only without providers");
	fd = session_open(operands[0], &session);
	if (fd < 0)
		return 1;
	d.session = session.s.handle;
	if (provider_resolve_all(fd, providers, guids)) {
		err = set ? etw_kdev_disallow_set(fd, &d) : show(fd, &d, guids);
		if (err)
			err = session_fail(operands[0], err, set ? TAKES_CONTROL : TAKES_QUERY);
	}
	etw_kdev_close(fd);
	free(names.list);
	return err;
}
