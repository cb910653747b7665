/* SPDX-License-Identifier: MIT */
/*
 * capture.c - etw capture: ask a provider to write its state
 */
#include <getopt.h>
#include "blob.h"
#include "provider.h"
#include "session.h"
#include "lib/kdev.h"

enum {
	OPT_DATA = 256,
	OPT_ABOUT,
};

static const struct cli_option options[] = {
	{ "data", OPT_DATA, "ID:HEX", "tell the provider these bytes, ID.VERSION:HEX too" },
	{ "about", OPT_ABOUT, "SESSION", "ask for what there is to say about that session" },
	PROVIDER_OPTION_GROUP,
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Ask a provider to write its state into a session (capture state).\n"
		"What it writes, if anything, is its own affair.",
	.operands = { "SESSION", "PROVIDER" },
	.options = options,
	.example = "etw capture demo Sample-Block",
};

/* The handle of the running session of that name; 0 after a message. */
static uint64_t find_session(const char *name)
{
	static struct session found;
	int err, fd;

	cli_name("--about", name);
	fd = device_open();
	if (fd < 0)
		return 0;
	err = session_do(fd, etw_kdev_session_query, name, &found);
	etw_kdev_close(fd);
	if (err) {
		session_fail(name, err);
		return 0;
	}
	return found.s.handle;
}

int cmd_capture(int argc, char **argv)
{
	struct etw_enable enable = { .control = ETW_CONTROL_CAPTURE };
	struct blob blob = { .header.size = 0 };
	const char *about = NULL;
	struct etw_filter filter;
	uint64_t handle;
	char **operands;
	int option;

	while ((option = cli_next(&syntax, argc, argv)) != -1) {
		if (option == OPT_DATA)
			blob_parse(&blob, "--data", optarg);
		else if (option == PROVIDER_OPT_GROUP)
			enable.property |= ETW_ENABLE_PROVIDER_GROUP;
		else
			about = optarg;
	}
	operands = cli_operands(&syntax, argc, argv);
	if (about && blob.header.size)
		cli_usage("either --data or --about");
	enable.filters = (uintptr_t)&filter;
	enable.filter_count = about || blob.header.size;
	if (about) {
		handle = find_session(about);
		if (!handle)
			return 1;
		filter = (struct etw_filter){ (uintptr_t)&handle, sizeof(handle),
					      ETW_FILTER_TRACEHANDLE };
	} else {
		filter = blob_filter(&blob);
	}
	return provider_control(operands[0], operands[1], &enable);
}
