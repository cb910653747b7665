/* SPDX-License-Identifier: MIT */
/*
 * update.c - etw update: change a running session
 */
#include <errno.h>
#include "cli/cli.h"
#include "cli/session.h"
#include "device/kdev.h"

static struct session session;
static uint32_t budget_kb = ETW_BUDGET_NONE;
static bool real_time, json;

static const struct cli_option options[] = {
	{ "max-buffers", 0, "N", "buffers to grow to, not less than at the start",
	  CLI_NUMBER(session.s.max_buffers, 1, ETW_BUFFERS_MAX) },
	{ "flush", 0, "TIME", "deliver a buffer after that time: 1ms, 5s, 2m",
	  CLI_FLUSH(session.s.flush_ms) },
	{ "user-budget", 0, "SIZE", "most a second from each user's programs, or 0",
	  CLI_KILOBYTES(budget_kb, 0, ETW_BUDGET_NONE - 1) },
	{ "real-time", 0, NULL, "end the log file; readers get later events", CLI_FLAG(real_time) },
	CLI_OPTION_JSON(json),
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Change a running session and print it.  Other settings stay unchanged.\n"
		"Of a buffering session only the user budget can be changed.",
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
	static struct session now;

	return !session_do(fd, etw_kdev_session_query, name, &now) &&
	       now.s.mode & ETW_MODE_BUFFERING;
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
	const char *name = cli_name("SESSION", cli_parse(&syntax, argc, argv)[0]);
	int fd, err;

	if (real_time)
		session.s.file = (uintptr_t)&end;
	/* The kernel takes 0 for no change. */
	if (budget_kb != ETW_BUDGET_NONE)
		session.s.user_budget_kb = budget_kb ?: ETW_BUDGET_NONE;
	if (!session.s.max_buffers && !session.s.flush_ms && !session.s.file &&
	    !session.s.user_budget_kb)
		cli_usage("give --max-buffers, --flush, --user-budget or --real-time");
	fd = device_open();
	if (fd < 0)
		return 1;
	if ((session.s.max_buffers || session.s.flush_ms) && is_buffering(fd, name)) {
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
