/* SPDX-License-Identifier: MIT */
/*
 * update.c - etw update: change a running session
 */
#include <errno.h>
#include <getopt.h>
#include "cli/cli.h"
#include "cli/session.h"
#include "device/kdev.h"

enum {
	OPT_MAX_BUFFERS = 256,
	OPT_FLUSH,
	OPT_REAL_TIME,
};

static const struct cli_option options[] = {
	{ "max-buffers", OPT_MAX_BUFFERS, "N", "buffers to grow to, not less than at the start" },
	{ "flush", OPT_FLUSH, "SECONDS", "deliver a buffer after that time, full or not" },
	{ "real-time", OPT_REAL_TIME, NULL, "end the log file; readers get later events" },
	CLI_OPTION_JSON,
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Change a running session and print it.  Other settings stay unchanged.\n"
		"A buffering session cannot be changed.",
	.operands = { "SESSION" },
	.options = options,
	.example = "etw update demo --max-buffers 200 --flush 5",
};

/*
 * The kernel accepts an update of a buffering session, but changes nothing.  If the caller
 * may control the session but not query it, assume that it is not buffering.
 */
static bool is_buffering(int fd, const char *name)
{
	static struct session session;

	return !session_do(fd, etw_kdev_session_query, name, &session) &&
	       session.s.mode & ETW_MODE_BUFFERING;
}

static int update_fail(const struct session *session, const char *name, int err)
{
	if (err == -ENOSPC)
		return session_too_large(name);
	if (err == -EINVAL && session->s.file)
		return cli_fail("session %s: it has no log file to end", cli_quote(name));
	return session_fail(name, err, TAKES_CONTROL);
}

int cmd_update(int argc, char **argv)
{
	static struct etw_session_file end = { .size = sizeof(end), .flags = ETW_FILE_END };
	static struct session session;
	const char *name;
	bool json = false;
	int option, fd, err;

	while ((option = cli_next(&syntax, argc, argv)) != -1) {
		if (option == OPT_MAX_BUFFERS)
			session.s.max_buffers = cli_number("--max-buffers", optarg, 1,
							   ETW_BUFFERS_MAX);
		else if (option == OPT_FLUSH)
			session.s.flush_ms = session_flush_ms("--flush", optarg);
		else if (option == OPT_REAL_TIME)
			session.s.file = (uintptr_t)&end;
		else
			json = true;
	}
	name = cli_name("SESSION", cli_operands(&syntax, argc, argv)[0]);
	if (!session.s.max_buffers && !session.s.flush_ms && !session.s.file)
		cli_usage("give --max-buffers, --flush or --real-time");
	fd = device_open();
	if (fd < 0)
		return 1;
	if (!session.s.file && is_buffering(fd, name)) {
		etw_kdev_close(fd);
		return cli_fail("session %s: a buffering session keeps its buffers and has no flush timer",
				cli_quote(name));
	}
	err = session_do(fd, etw_kdev_session_update, name, &session);
	etw_kdev_close(fd);
	if (err)
		return update_fail(&session, name, err);
	session_show(&session, json);
	return 0;
}
