/* SPDX-License-Identifier: MIT */
/*
 * flush.c - etw flush: deliver a session's buffered events
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/machine/append.h"
#include "cli/input/log_contents.h"
#include "cli/print/clock.h"
#include "cli/session.h"
#include "cli/request/probe_missed.h"
#include "cli/request/process_events.h"
#include "cli/request/start_options.h"
#include "device/kdev.h"

static struct startfile file = { .flush = true };
static bool json, new_file;
static struct log_contents snapshot;	/* what the file has that was written */

static const struct cli_option options[] = {
	{ "file", 0, "FILE", "write what a buffering session has to a log file",
	  CLI_TEXT(file.path) },
	{ "replace", 0, NULL, "do not keep an older file as FILE.old", CLI_FLAG(file.replace) },
	{ "new-file", 0, NULL, "continue in a new file; the old one was renamed",
	  CLI_FLAG(new_file) },
	CLI_OPTION_JSON(json),
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Deliver every event written so far to the session's readers, or to its file\n"
		"and its disk.\n"
		"A session started with --buffering writes its events to FILE, or to the file\n"
		"that it was started with, else delivers them to its readers.  An older file\n"
		"becomes FILE.old.",
	.operands = { "SESSION" },
	.options = options,
	.example = "etw flush demo",
};

/* Without a file of its own.  Returns the exit status. */
static int flush(int fd, const struct startfile *to, const char *name, struct session *session)
{
	int err = session_do(fd, etw_kdev_session_flush, name, session);

	if (!err && session->log.log.full)
		return cli_fail("%s: the file is full: it lacks events", cli_quote(session->log.name));
	if (!err)
		return 0;
	if (err == -ETIMEDOUT)
		return cli_fail("session %s: the loader of a BPF program did not answer: its events come later, the others are delivered",
				cli_quote(name));
	if (err == -EDQUOT && !to->path)
		return cli_fail("session %s: no space left on the device of its file: it lacks events",
				cli_quote(name));
	if (to->path && err == -EINVAL)
		return cli_fail("session %s: only a buffering session is flushed into a file",
				cli_quote(name));
	return startfile_fail(to, name, err) ? 1 : session_fail(name, err, TAKES_CONTROL);
}

/* -------------------------------------------------------------------- snapshot */

/* With --file, or to the session's own file, which the kernel makes anew */
static int write_snapshot(int fd, struct startfile *to, const char *name, struct session *session,
			  bool own)
{
	int err = own ? 0 : etw_log_target_open(&to->target, to->path, 0, 0), status;

	if (err)
		return cli_fail("%s: %s", cli_quote(to->path), strerror(-err));
	if (!own)
		session->s.file = (uintptr_t)&to->target.file;
	status = flush(fd, to, name, session);
	if (!own)
		startfile_close(to, !status);
	return status;
}

static void report_snapshot(const struct startfile *to)
{
	struct etw_text span = { 0 };

	if (snapshot.events) {
		etw_text_puts(&span, ", ");
		clock_local(&span, snapshot.first);
		etw_text_puts(&span, " to ");
		clock_local(&span, snapshot.last);
	}
	cli_note("%s: %" PRIu64 " event%s%s%s", cli_quote(to->path), snapshot.events,
		 cli_s(snapshot.events), text_data(&span), log_contents_besides(snapshot.names));
	etw_text_free(&span);
	older_log_note(to);
}

/*
 * Write what a buffering session holds to a file.  If that is nothing, an older file keeps its
 * name.  Returns the exit status.
 */
static int flush_to_file(int fd, struct startfile *to, const char *name, struct session *session,
			 bool own)
{
	int status, err;

	if (older_log_move(fd, to, name))
		return 1;
	status = write_snapshot(fd, to, name, session, own);
	/* A session may have no other provider. */
	snapshot.counts_images = true;
	if (status) {
		/* The kernel has emptied what it has begun; an empty file may be another session's. */
		older_log_restore(to, own);
		return status;
	}
	err = log_contents_add(&snapshot, to->path, INT64_MIN, NULL);
	/* Processes come and go, this command as well: they are nothing new beside other providers. */
	if (!err && !snapshot.events && !snapshot.lost_events && !snapshot.lost_buffers &&
	    to->old.older.path && (!snapshot.names || process_events_are_beside(fd, name))) {
		older_log_restore(to, true);
		cli_note("session %s: no events: %s is as it was", cli_quote(name),
			 cli_quote(to->path));
		return 0;
	}
	older_log_drop(to);
	if (err)
		return cli_fail("%s: cannot be read: %s", cli_quote(to->path), strerror(-err));
	machine_describe(to->path, 0);
	report_snapshot(to);
	return 0;
}

static int flush_session(int fd, struct startfile *to, const char *name, struct session *session)
{
	static struct session now;
	int err = session_do(fd, etw_kdev_session_query, name, &now);

	/* Without the right to query it, it may be one that buffers, but is not known to have a file. */
	if (err || !(now.s.mode & ETW_MODE_BUFFERING))
		memset(&now, 0, sizeof(now));
	if (to->path && (err || now.s.handle))
		return flush_to_file(fd, to, name, session, false);
	if (to->path)
		return write_snapshot(fd, to, name, session, false);
	if (!now.log.log.name_len)
		return flush(fd, to, name, session);
	to->path = now.log.name;
	return flush_to_file(fd, to, name, session, true);
}

/*
 * Open the next file of the same name.  One that has this name meanwhile, and is not the session's,
 * is moved away.  0, or -errno after a message.
 */
static int take_name(int fd, const struct session *now, const char *name)
{
	int err;

	file.path = now->log.name;
	if (older_log_is_of_another(file.path, now)) {
		err = older_log_move(fd, &file, name);
		if (err)
			return err;
	}
	err = etw_log_target_open(&file.target, file.path, now->s.mode, now->log.log.max_size);
	if (err) {
		older_log_restore(&file, false);
		cli_fail("%s: %s", cli_quote(file.path), strerror(-err));
		return err;
	}
	file.target.file.sync_ms = now->log.log.sync_ms;
	return 0;
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
	struct etw_log_target *target = &file.target;
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
		err = take_name(fd, &now, name);
		if (err)
			return 1;
		session->s.file = (uintptr_t)&target->file;
	}
	err = session_do(fd, etw_kdev_session_update, name, session);
	if (session->s.file == (uintptr_t)&target->file)
		etw_log_target_close(target, !err);
	if (err)
		older_log_restore(&file, false);
	else
		older_log_drop(&file);
	older_log_note(&file);
	if (err == -ETXTBSY)
		return cli_fail("%s: it is still the session's file; rename it first",
				cli_quote(now.log.name));
	if (err)
		return session_fail(name, err, TAKES_CONTROL);
	process_events_again(fd, &now);
	return failed;
}

static void show_json(const struct session *session)
{
	struct etw_text line = { 0 };

	json_writer_open(&line, NULL, '{');
	session_json(&line, session);
	if (file.path && !new_file) {
		json_writer_unsigned(&line, "events", snapshot.events);
		json_writer_unsigned(&line, "process_events", snapshot.names);
		if (snapshot.events) {
			json_writer_time(&line, "first", (uint64_t)snapshot.first);
			json_writer_time(&line, "last", (uint64_t)snapshot.last);
		}
	}
	if (file.path)
		json_writer_word(&line, "moved", older_log_kept(&file));
	json_print(&line);
}

int cmd_flush(int argc, char **argv)
{
	const char *name = cli_name("SESSION", cli_parse(&syntax, argc, argv)[0]);
	static struct session session, before;
	int fd, err;

	if (new_file && file.replace)
		cli_usage("--new-file and --replace exclude one another");
	if (file.path && new_file)
		cli_usage("--file and --new-file exclude one another");
	fd = device_open();
	if (fd < 0)
		return 1;
	process_events_refresh(fd, name, false);
	if (!session_do(fd, etw_kdev_session_query, name, &before))
		probe_missed_record(fd, before.s.handle);
	err = new_file ? begin_new_file(fd, name, &session) :
			 flush_session(fd, &file, name, &session);
	etw_kdev_close(fd);
	if (!err && json)
		show_json(&session);
	log_contents_free(&snapshot);
	return err;
}
