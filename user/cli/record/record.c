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
#include "cli/provider.h"
#include "cli/request/process_events.h"
#include "cli/verify/verify.h"
#include "recording.h"
#include "cli/schema.h"
#include "lib/controller/enable.h"
#include "device/kdev.h"

#define DURATION_MAX	(40 * 86400)	/* seconds; as ms still a uint32_t */
#define OPTIONS_MAX	90
#define COMMON_MAX	128
#define CALLBACKS_MS	1000		/* for callbacks, before the command starts */
#define TIMEOUT_NOT_GIVEN UINT32_MAX	/* more than --timeout takes */

enum { OPT_SESSION = 256 };

static struct record recording = { .file.path = "trace.etl" };

static const struct cli_option own_options[] = {
	{ "provider", 'p', "PROVIDER[:LEVEL[:KEYWORDS]]", "enable it; may be repeated", NULL },
	{ "output", 'o', "FILE", "default: trace.etl; an older one becomes FILE.old",
	  CLI_TEXT(recording.file.path) },
	{ "duration", 0, "SECONDS", "end after that time, and end COMMAND",
	  CLI_MILLIS(recording.duration_ms, 1, DURATION_MAX) },
	{ "with-manifests", 0, NULL, "store the manifests in the file",
	  CLI_FLAG(recording.with_manifests) },
	{ "session", OPT_SESSION, "NAME", "name of the session; default: etw-record-PID", NULL },
	{ "progress", 0, NULL, "show progress; default on a terminal without COMMAND",
	  CLI_FLAG(recording.progress) },
	{ "quiet", 'q', NULL, "print only errors", CLI_FLAG(recording.quiet) },
	CLI_OPTION_STRICT(recording.strict),
	CLI_OPTION_JSON(recording.json),
	START_OPTIONS(recording.session.s),
	{ "buffering", START_OPT_BUFFERING, NULL, "keep the newest events, write them at the end", NULL },
	STARTFILE_MORE_OPTIONS(recording.file),
	CLI_OPTION_END
};

static struct cli_option options[OPTIONS_MAX];

static const struct cli_syntax syntax = {
	.what = "Record the events of providers into a file while COMMAND runs, or until\n"
		"Ctrl-C.  The events of all processes are recorded; --exe and others select.\n"
		"KEYWORDS: names as Read,Write, or a mask as 0x3.  The options of 'etw enable',\n"
		"--level and those below it, apply to the provider before them, or to all\n"
		"providers if they come first.  The exit status is that of COMMAND; 126 or 127\n"
		"if it cannot be run.",
	.operands = { "[COMMAND]", "[ARG]..." },
	.options = options,
	.example = "etw record -p Sample-Block:info -o disk.etl -- sync",
	.command = true,
};

/* The one recording of this process */
static struct record *running;

/* Options that came before the first -p */
static struct {
	int option;
	char *value;
} common[COMMON_MAX];
static unsigned int common_count;

/* ---------------------------------------------------------------- options */

static void join_options(void)
{
	const size_t own = sizeof(own_options) / sizeof(own_options[0]) - 1;
	size_t n = 0;

	memcpy(options, own_options, own * sizeof(*options));
	while (enable_options[n].name && own + n < OPTIONS_MAX - 1)
		n++;
	memcpy(options + own, enable_options, n * sizeof(*options));
}

/* PROVIDER[:LEVEL[:KEYWORDS]] */
static void add_provider(struct record *r, const char *text)
{
	struct enable_request *request = malloc(sizeof(*request));
	const char *quoted = cli_quote(text);
	size_t size = strlen(text) + 1;
	char *name = malloc(size + strlen("-p ") + strlen(quoted) + 1), *level, *keywords = NULL;
	unsigned int i;

	r->providers = realloc(r->providers, (r->provider_count + 1) * sizeof(*r->providers));
	if (!r->providers || !request || !name)
		cli_die("out of memory");
	r->providers[r->provider_count++] = request;
	enable_request_init(request);
	request->enable.timeout_ms = TIMEOUT_NOT_GIVEN;
	/* Errors in a part quote the whole, which is stored behind the name. */
	sprintf(memcpy(name, text, size) + size, "-p %s", quoted);
	request->provider = name;
	for (i = 0; i < common_count; i++)
		enable_request_take(request, common[i].option, common[i].value);
	level = strchr(name, ':');
	if (level) {
		*level++ = '\0';
		keywords = strchr(level, ':');
	}
	if (keywords)
		*keywords++ = '\0';
	request->within = name + size;
	if (level && *level)
		enable_request_take(request, ENABLE_OPT_LEVEL, level);
	if (keywords && *keywords)
		enable_request_take(request, strncasecmp(keywords, "0x", 2) ? ENABLE_OPT_KEYWORD :
			 ENABLE_OPT_ANY, keywords);
	request->within = NULL;
}

/* Apply an option of etw enable to the last provider, or to all if it comes first. */
static void take_enable(struct record *r, int option)
{
	static struct enable_request checked;

	if (r->provider_count) {
		enable_request_take(r->providers[r->provider_count - 1], option, optarg);
		return;
	}
	if (common_count == COMMON_MAX)
		cli_usage("more than %d options before the first -p", COMMON_MAX);
	if (!common_count)
		enable_request_init(&checked);
	common[common_count].option = option;
	common[common_count++].value = optarg;
	/* Report wrong values even if no -p follows; read files once. */
	enable_request_take(&checked, option, optarg);
	if (option == ENABLE_OPT_MANIFEST)
		common_count--;
}

static void take_option(struct record *r, int option)
{
	if (option == 'p')
		add_provider(r, optarg);
	else if (option == OPT_SESSION)
		r->name = cli_name("--session", optarg);
	else if (!start_option(option, optarg, &r->session.s, &r->file))
		take_enable(r, option);
}

/* False: something is missing, and was reported. */
static bool take_all(struct record *r, int argc, char **argv)
{
	unsigned int i;
	int option;

	join_options();
	while ((option = cli_next(&syntax, argc, argv)) != -1)
		take_option(r, option);
	r->command = cli_operands(&syntax, argc, argv);
	if (!r->command[0])
		r->command = NULL;
	if (!r->provider_count)
		cli_usage("give the providers: -p");
	if (!*r->file.path)
		cli_usage("--output: the name is empty");
	if (!strcmp(r->file.path, "-"))
		cli_usage("--output: a log file is not written to standard output");
	if (r->with_manifests && r->file.mode & ETW_MODE_CIRCULAR)
		cli_usage("--with-manifests: not with --circular, whose file cannot hold data after its events");
	if (r->quiet && r->progress)
		cli_usage("either --quiet or --progress");
	startfile_check(&r->file, &r->session);
	for (i = 0; i < r->provider_count; i++) {
		struct enable_request *request = r->providers[i];

		provider_check(request->provider);
		provider_check_group(request->provider, &request->enable);
		if (!enable_request_ready(request, request->provider))
			return false;
	}
	if (!r->name) {
		snprintf(r->own_name, sizeof(r->own_name), "etw-record-%d", (int)getpid());
		r->name = r->own_name;
	}
	if (!r->command && !r->quiet && isatty(STDERR_FILENO))
		r->progress = true;
	return true;
}

/* ---------------------------------------------------- start, enable, stop */

/* Resolve all names before anything has to be undone. */
static bool find_providers(struct record *r)
{
	unsigned int i, k;

	for (i = 0; i < r->provider_count; i++) {
		struct enable_request *request = r->providers[i];
		struct etw_enable *enable = &request->enable;

		if (!provider_resolve(r->fd, request->provider, &enable->provider))
			return false;
		enable_request_prepare(request, &enable->provider);
		for (k = 0; k < i; k++)
			if (guid_equal(&enable->provider, &r->providers[k]->enable.provider))
				cli_usage("-p: provider %s is given twice",
					  cli_quote(request->provider));
	}
	return true;
}

static int start(struct record *r)
{
	int err = record_backup_create(r);

	if (err)
		return err;
	if (start_session(r->fd, r->name, &r->session, &r->file))
		return 1;
	r->started = true;
	clock_gettime(CLOCK_MONOTONIC, &r->begin);
	if (sample_take(r->fd, &r->session, &r->last))
		return cli_fail("session %s: its counters cannot be read", cli_quote(r->name));
	return 0;
}

/* The callbacks of programs that run already come before the command, if they are not slow. */
static int enable_one(struct record *r, struct enable_request *request)
{
	struct etw_enable *enable = &request->enable;
	unsigned int how = request->capture ? PROVIDER_CAPTURE : 0;

	enable->session = r->session.s.handle;
	if (enable->timeout_ms == TIMEOUT_NOT_GIVEN) {
		enable->timeout_ms = r->command ? CALLBACKS_MS : 0;
		how |= PROVIDER_LATE;
	}
	return provider_control_in(r->fd, r->name, request->provider, enable, how);
}

static int enable_all(struct record *r)
{
	unsigned int i;
	int status = 0;

	for (i = 0; i < r->provider_count && !status; i++)
		status = enable_one(r, r->providers[i]);
	return status;
}

/*
 * Disable all providers, so that the counters read afterwards are final.  A buffering session
 * writes its file now.  0, or the exit status if that fails.
 */
static int disable_all(struct record *r)
{
	static struct session flushed;
	unsigned int i;
	int err;

	if (!r->file.no_processes) {
		process_events_refresh(r->fd, r->name);
		process_events_end(r->fd, &r->session);
	}
	for (i = 0; i < r->provider_count; i++) {
		struct etw_enable disable = {
			.control = ETW_CONTROL_DISABLE,
			.session = r->session.s.handle,
			.provider = r->providers[i]->enable.provider,
			.property = r->providers[i]->enable.property & ETW_ENABLE_PROVIDER_GROUP,
		};

		etw_enable_and_wait(r->fd, &disable);
	}
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

/* Stop the session and restore the file.  Also runs at exit, after cli_die(). */
static void give_up(void)
{
	static struct session stopped;

	if (!running)
		return;
	if (running->started)
		session_do(running->fd, etw_kdev_session_stop, running->name, &stopped);
	record_backup_restore(running);
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
		status = enable_all(r);
	if (!status)
		status = record_spawn(r);
	if (status) {
		give_up();
		return status;
	}
	record_backup_remove(r);
	if (!r->quiet && !r->command)
		cli_note("session %s records into %s; Ctrl-C ends it", cli_quote(r->name),
			 cli_quote(r->file.path));
	end = record_wait(r);
	written = disable_all(r);
	running = NULL;
	err = stop(r, &end) | written;
	record_clear_progress(r);
	if (!err && r->with_manifests)
		err = record_embed(r);
	record_report(r, end);
	record_release_signals(r);
	status = record_command_status(r, end == RECORD_ASKED);
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
	unsigned int i;
	int status = 1;

	if (!take_all(r, argc, argv))
		return 1;
	r->fd = device_open();
	if (r->fd < 0)
		return 1;
	if (find_providers(r)) {
		if (!r->quiet)
			record_report_leftovers(r->fd);
		atexit(give_up);
		record_hold_signals(r);
		status = record(r);
	}
	for (i = 0; i < r->provider_count; i++) {
		enable_request_free(r->providers[i]);
		free((char *)r->providers[i]->provider);
		free(r->providers[i]);
	}
	free(r->providers);
	etw_kdev_close(r->fd);
	schema_unload();
	return status;
}
