/* SPDX-License-Identifier: MIT */
/*
 * flush.c - etw flush: deliver a session's buffered events
 */
#include <errno.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/session.h"
#include "cli/request/process_events.h"
#include "cli/request/start_options.h"
#include "device/kdev.h"

static struct startfile file = { .flush = true };
static bool json, new_file;

static const struct cli_option options[] = {
	{ "file", 0, "FILE", "write what a buffering session has to a log file",
	  CLI_TEXT(file.path) },
	{ "new-file", 0, NULL, "continue in a new file; the old one was renamed",
	  CLI_FLAG(new_file) },
	CLI_OPTION_JSON(json),
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Deliver every event written so far to the session's readers, or to its file\n"
		"and its disk.\n"
		"A session started with --buffering writes its events to FILE, or to the file\n"
		"that it was started with, else delivers them to its readers.",
	.operands = { "SESSION" },
	.options = options,
	.example = "etw flush demo",
};

/* Returns the exit status. */
static int flush(int fd, struct startfile *to, const char *name, struct session *session)
{
	int err = to->path ? etw_log_target_open(&to->target, to->path, 0, 0) : 0;

	if (err)
		return cli_fail("%s: %s", cli_quote(to->path), strerror(-err));
	if (to->path)
		session->s.file = (uintptr_t)&to->target.file;
	err = session_do(fd, etw_kdev_session_flush, name, session);
	startfile_close(to, !err);
	if (!err)
		return 0;
	if (to->path && err == -EINVAL)
		return cli_fail("session %s: only a buffering session is flushed into a file",
				cli_quote(name));
	return startfile_fail(to, name, err) ? 1 : session_fail(name, err, TAKES_CONTROL);
}

/*
 * End the log file, flushed, and begin another one: the next number of several, else the
 * same name.  A file whose disk fails is replaced, too, and the exit status is 1.
 */
static int begin_new_file(int fd, const char *name, struct session *session)
{
	static struct etw_session_file next = { .size = sizeof(next), .flags = ETW_FILE_NEXT };
	static struct startfile none = { .flush = true };
	static struct session now;
	const struct etw_session_log *log = &now.log.log;
	static struct etw_log_target target;
	int err = session_do(fd, etw_kdev_session_query, name, &now), failed;

	if (err)
		return session_fail(name, err, TAKES_QUERY);
	if (!log->name_len || now.s.mode & (ETW_MODE_BUFFERING | ETW_MODE_APPEND))
		return cli_fail("session %s: it writes no log file that another one can replace",
				cli_quote(name));
	failed = flush(fd, &none, name, session);
	memset(session, 0, sizeof(*session));
	session->s.file = (uintptr_t)&next;
	if (!(now.s.mode & ETW_MODE_NEWFILE)) {
		err = etw_log_target_open(&target, now.log.name, now.s.mode, log->max_size);
		if (err)
			return cli_fail("%s: %s", cli_quote(now.log.name), strerror(-err));
		target.file.sync_ms = log->sync_ms;
		session->s.file = (uintptr_t)&target.file;
	}
	err = session_do(fd, etw_kdev_session_update, name, session);
	if (session->s.file == (uintptr_t)&target.file)
		etw_log_target_close(&target, !err);
	if (err == -ETXTBSY)
		return cli_fail("%s: it is still the session's file; rename it first",
				cli_quote(now.log.name));
	if (err)
		return session_fail(name, err, TAKES_CONTROL);
	process_events_again(fd, &now);
	return failed;
}

int cmd_flush(int argc, char **argv)
{
	const char *name = cli_name("SESSION", cli_parse(&syntax, argc, argv)[0]);
	static struct session session;
	int fd, err;

	if (file.path && new_file)
		cli_usage("--file and --new-file exclude one another");
	fd = device_open();
	if (fd < 0)
		return 1;
	process_events_refresh(fd, name);
	err = new_file ? begin_new_file(fd, name, &session) : flush(fd, &file, name, &session);
	etw_kdev_close(fd);
	if (!err && json)
		session_show(&session, true);
	return err;
}
