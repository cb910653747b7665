/* SPDX-License-Identifier: MIT */
/*
 * record.c - etw record: record providers' events into a file
 *
 * After any error, the session is stopped, an incomplete file is removed and the file that was
 * there before is restored.  Only SIGKILL prevents that.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/machine/session.h"
#include "cli/record/session_guard.h"
#include "cli/request/probe_request.h"
#include "cli/request/process_events.h"
#include "cli/verify/verify.h"
#include "recording.h"
#include "cli/schema.h"
#include "device/kdev.h"

#define OPTIONS_MAX	100

enum { OPT_SESSION = 256 };

static struct record recording = { .file.path = "trace.etl", .file.at_once = true };

static const struct cli_option own_options[] = {
	ENABLE_LIST_OPTION,
	{ "output", 'o', "FILE", "default: trace.etl; an older one becomes FILE.old",
	  CLI_TEXT(recording.file.path) },
	{ "duration", 0, "TIME", "end after that time, and end COMMAND: 10s, 5m",
	  CLI_MILLIS(recording.duration_ms, 1, CLI_DURATION_MAX) },
	{ "with-manifests", 0, NULL, "store the manifests in the file",
	  CLI_FLAG(recording.with_manifests) },
	{ "private", 0, NULL, "COMMAND records itself, without root and module",
	  CLI_FLAG(recording.private) },
	{ "quiet", 'q', NULL, "print only errors", CLI_FLAG(recording.quiet) },
	CLI_OPTION_STRICT(recording.strict),
	CLI_OPTION_JSON(recording.json),
	STARTFILE_SIZE_OPTIONS(recording.file),
	START_OPTIONS(recording.session.s),
	CLI_HEADING("the recording"),
	{ "session", OPT_SESSION, "NAME", "name of the session; default: etw-record-PID", NULL },
	{ "progress", 0, NULL, "show progress; default on a terminal without COMMAND",
	  CLI_FLAG(recording.progress) },
	{ "buffering", START_OPT_BUFFERING, NULL, "keep the newest events, write them at the end", NULL },
	STARTFILE_MORE_OPTIONS(recording.file),
	START_MORE_OPTIONS(recording.session.s),
	START_NO_PROCESSES_OPTION(recording.no_processes),
	ENABLE_LIST_END
};

static struct cli_option options[OPTIONS_MAX];

static const struct cli_syntax syntax = {
	.what = "Record the events of providers into a file while COMMAND runs, or until\n"
		"Ctrl-C.  The events of all processes are recorded; --exe and others select.\n"
		ENABLE_LIST_HELP "  The exit status is that of COMMAND; 126 or 127\n"
		"if it cannot be run.",
	.operands = { "[COMMAND]", "[ARG]..." },
	.options = options,
	.example = "etw record -p Sample-Block:info -o disk.etl -- sync",
	.command = true,
};

/* The one recording of this process */
static struct record *running;

/* ---------------------------------------------------------------- options */

static void take_option(struct record *r, int option)
{
	if (option == OPT_SESSION)
		r->name = cli_name("--session", optarg);
	else if (!start_option(option, optarg, &r->session.s, &r->file))
		enable_list_take(&r->providers, option, optarg);
}

/* False: something is missing, and was reported. */
static bool take_all(struct record *r, int argc, char **argv)
{
	int option;

	cli_join(options, OPTIONS_MAX, own_options, enable_options);
	while ((option = cli_next(&syntax, argc, argv)) != -1)
		take_option(r, option);
	r->command.argv = cli_operands(&syntax, argc, argv);
	if (!r->command.argv[0])
		r->command.argv = NULL;
	r->command.to_stderr = r->json;
	if (!r->providers.count)
		cli_usage("give the providers: -p");
	if (!*r->file.path)
		cli_usage("--output: the name is empty");
	if (!strcmp(r->file.path, "-"))
		cli_usage("--output: a log file is not written to standard output");
	if (r->with_manifests && r->file.mode & ETW_MODE_CIRCULAR)
		cli_usage("--with-manifests: not with --circular, whose file cannot hold data after its events");
	if (r->quiet && r->progress)
		cli_usage("either --quiet or --progress");
	if (r->private)
		record_private_check(r);
	else
		enable_list_classes_with(&r->providers, ETW_ENABLE_CONTAINER);
	startfile_check(&r->file, &r->session);
	/* With --delay-open the file waits for an event that is asked for. */
	r->session.processes = !r->no_processes && !(r->file.mode & ETW_MODE_DELAY_OPEN);
	if (!enable_list_ready(&r->providers))
		return false;
	r->session.images = r->session.processes && enable_list_has_stacks(&r->providers);
	if (!r->name) {
		snprintf(r->own_name, sizeof(r->own_name), SESSION_NAME_RECORD "%d", (int)getpid());
		r->name = r->own_name;
	}
	if (!r->command.argv && !r->quiet && isatty(STDERR_FILENO))
		r->progress = true;
	return true;
}

/* ---------------------------------------------------- start, enable, stop */

static int start(struct record *r)
{
	static const struct etw_guid image_guid = ETW_IMAGE_GUID;

	if (start_session(r->fd, r->name, &r->session, &r->file))
		return 1;
	r->started = true;
	if (enable_list_has(&r->providers, &image_guid))
		r->session.images = false;
	clock_gettime(CLOCK_MONOTONIC, &r->begin);
	process_events_begin(r->fd, r->name, &r->session, r->quiet);
	if (sample_take(r->fd, &r->session, &r->last))
		return cli_fail("session %s: its counters cannot be read", cli_quote(r->name));
	r->rundown = r->last.stat.written;
	return 0;
}

/*
 * Disable all providers, so that the counters read afterwards are final.  A buffering session
 * writes its file now.  0, or the exit status if that fails.
 */
static int disable_all(struct record *r)
{
	static struct session flushed;
	int err;

	if (r->session.processes) {
		process_events_refresh(r->fd, r->name, r->quiet);
		process_events_end(r->fd, &r->session);
	}
	enable_list_disable(&r->providers, r->fd, &r->session);
	machine_write(r->name, &r->session, r->quiet);
	/* The file that a flush writes is to have these losses as well. */
	r->uncounted = probe_request_missed(r->fd, r->session.s.handle);
	flushed.s.handle = r->session.s.handle;
	err = etw_kdev_session_flush(r->fd, &flushed.s);
	if (!session_by_handle(r->fd, r->session.s.handle, &flushed))
		sample_take(r->fd, &flushed, &r->last);
	if (!err || err == -ENOENT || !(r->session.s.mode & ETW_MODE_BUFFERING))
		return 0;
	if (!startfile_fail(&r->file, r->name, err))
		session_fail(r->name, err, TAKES_CONTROL);
	return 1;
}

/* 0, or the exit status.  -ENOENT means that another process has stopped the session. */
static int stop(struct record *r, enum record_end *end)
{
	static struct session stopped;
	int err;

	r->started = false;
	err = session_do(r->fd, etw_kdev_session_stop, r->name, &stopped);
	clock_gettime(CLOCK_MONOTONIC, &r->end);
	if (!err)
		r->last.session = stopped;
	else if (err == -ENOENT)
		*end = RECORD_STOPPED;
	else
		return session_fail(r->name, err, TAKES_CONTROL);
	return 0;
}

/* Losses that the session did not count, which the report is to include */
static void add_uncounted(struct record *r)
{
	r->last.stat.dropped_later[ETW_DROP_PROBE - ETW_DROP_FIRST_CAUSES] += r->uncounted;
	r->last.session.s.events_lost += r->uncounted;
}

/* Stop the session and restore the file.  Also runs at exit, after cli_die(). */
static void give_up(void)
{
	static struct session stopped;

	if (!running)
		return;
	if (running->started)
		session_do(running->fd, etw_kdev_session_stop, running->name, &stopped);
	older_log_restore(&running->file, running->started);
	running = NULL;
}

static bool lost_any(const struct record *r)
{
	struct verify_losses losses;

	verify_session(&r->last.session, &r->last.stat, &losses);
	return losses.count > 0;
}

static int record(struct record *r)
{
	enum record_end end;
	int status, err, written;

	running = r;
	status = start(r);
	if (!status)
		status = enable_list_enable(&r->providers, r->fd, &r->session, r->command.argv);
	if (!status)
		status = command_spawn(&r->command, &r->before);
	if (status) {
		give_up();
		return status;
	}
	older_log_drop(&r->file);
	if (!r->quiet && !r->command.argv)
		cli_note("session %s records into %s; Ctrl-C ends it", cli_quote(r->name),
			 cli_quote(r->file.path));
	end = record_wait(r);
	written = disable_all(r);
	running = NULL;
	err = stop(r, &end) | written;
	add_uncounted(r);
	record_clear_progress(r);
	if (!err && (!r->quiet || r->json || r->with_manifests))
		record_read(r);
	if (!err)
		err = record_embed(r);
	record_report(r, end);
	record_release_signals(r);
	status = command_status(&r->command, end == RECORD_ASKED);
	if (r->json)
		record_report_json(r, status);
	if (!r->gone && session_file_error(&r->last.session))
		err = 1;
	if (status || err || r->gone)
		return status ? status : 1;
	return r->strict && lost_any(r) ? VERIFY_EXIT_LOST : 0;
}

int cmd_record(int argc, char **argv)
{
	struct record *r = &recording;
	int status = 1;

	if (!take_all(r, argc, argv))
		return 1;
	r->fd = r->private ? -1 : device_open();
	if (r->fd < 0 && !r->private)
		return 1;
	if (enable_list_find(&r->providers, r->fd)) {
		if (!r->quiet && !r->private)
			session_guard_left(r->fd);
		atexit(give_up);
		record_hold_signals(r);
		status = r->private ? record_private(r) : record(r);
	}
	enable_list_free(&r->providers);
	log_contents_free(&r->contents);
	etw_kdev_close(r->fd);
	schema_unload();
	return status;
}
