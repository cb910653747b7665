/* SPDX-License-Identifier: MIT */
/*
 * watch.c - etw watch: print the events of providers, live
 *
 * It is start, enable, dump and stop in one: the session exists as long as the command runs.
 * However the command ends, SIGKILL included, the session is stopped.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/record/command.h"
#include "cli/record/own_session.h"
#include "cli/provider_counts.h"
#include "cli/request/enable_list.h"
#include "cli/request/event_filter.h"
#include "cli/request/probe_request.h"
#include "cli/request/process_events.h"
#include "cli/request/start_options.h"
#include "cli/screen.h"
#include "cli/session.h"
#include "base/guid.h"
#include "device/kdev.h"
#include "dump.h"

#define OPTIONS_MAX	100

enum { OPT_SESSION = 0x180 };

static struct watch {
	int fd;				/* the device */
	const char *name;		/* of the session */
	char own_name[48];		/* if none was given */
	struct session session;		/* options to start it; then its state */
	bool no_processes;		/* no names of them */
	struct enable_list providers;
	struct provider_counts counts;
	struct command command;
	bool command_ended;
	bool begun;			/* all are enabled, and the command runs */
	bool stopped;			/* by another process */
	sigset_t before;		/* signals blocked in the command */
	struct own_session_guard guard;
} job = { .session.s.mode = ETW_MODE_REAL_TIME };

/* Set by signals */
static volatile sig_atomic_t over, child;

static const struct cli_option own_options[] = {
	ENABLE_LIST_OPTION,
	{ "show", SELECT_OPT_SHOW, "EXPRESSION", "print only events for which it is true", NULL },
	START_OPTIONS(job.session.s),
	CLI_OPTION_END
};

static const struct cli_option more_options[] = {
	CLI_HEADING("the session"),
	{ "session", OPT_SESSION, "NAME", "name of the session; default: etw-watch-PID", NULL },
	START_MORE_OPTIONS(job.session.s),
	START_NO_PROCESSES_OPTION(job.no_processes),
	ENABLE_LIST_END
};

/* With those that print, and those of etw enable */
static struct cli_option options[OPTIONS_MAX];

static const struct cli_syntax syntax = {
	.what = "Print the events of providers as they come, while COMMAND runs, or until Ctrl-C.\n"
		"It is start, enable, dump and stop in one.  The events of all processes are\n"
		"printed; --exe, --filter and others select before an event is written.\n"
		ENABLE_LIST_HELP "  COMMAND's standard output goes to standard error.",
	.operands = { "[COMMAND]", "[ARG]..." },
	.options = options,
	.example = "etw watch -p Sample-Block --operations --show 'duration > 1ms'",
	.command = true,
};

/* -------------------------------------------------------------------- signals */

/* The second one that ends kills, should stdout be stuck; then the guard stops the session. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (number == SIGCHLD) {
		child = 1;
	} else if (number == SIGALRM || command_signal(&job.command, info)) {
		if (over && number != SIGALRM) {
			signal(number, SIG_DFL);
			raise(number);
		}
		over = 1;
	}
	errno = saved;
}

static void catch_signals(uint32_t duration_ms)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO };
	struct itimerval timer = {
		.it_value.tv_sec = duration_ms / 1000,
		.it_value.tv_usec = duration_ms % 1000 * 1000,
	};
	sigset_t signals;
	int number;

	sigprocmask(SIG_SETMASK, NULL, &job.before);
	command_signals(&signals);
	for (number = 1; number < NSIG; number++)
		if (sigismember(&signals, number) == 1)
			sigaction(number, &action, NULL);
	sigaction(SIGCHLD, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	if (duration_ms)
		setitimer(ITIMER_REAL, &timer, NULL);
}

/* ------------------------------------------------------------ the session's owner */

static int begin(void *context, uint32_t duration_ms)
{
	struct watch *w = context;
	int status;

	catch_signals(duration_ms);
	status = enable_list_enable(&w->providers, w->fd, &w->session, w->command.argv);
	if (!status)
		status = command_spawn(&w->command, &w->before);
	w->begun = !status;
	return status;
}

static void saw(void *context, const struct etw_event *event)
{
	struct watch *w = context;

	provider_counts_event(&w->counts, event);
	provider_counts_claim(&w->counts, event);
}

static bool is_over(void *context)
{
	struct watch *w = context;

	if (child) {
		child = 0;
		w->command_ended |= command_has_ended(&w->command);
	}
	return over || w->command_ended;
}

/* What was written before goes to the reader, and is counted. */
static void quiesce(void *context)
{
	struct etw_session flushed = { .handle = job.session.s.handle };
	struct watch *w = context;

	if (w->session.processes)
		process_events_end(w->fd, &w->session);
	enable_list_disable(&w->providers, w->fd, &w->session);
	probe_request_missed(w->fd, w->session.s.handle);
	etw_kdev_session_flush(w->fd, &flushed);
}

static void stop(void *context)
{
	struct etw_session stopped = { .handle = job.session.s.handle };
	struct watch *w = context;

	w->stopped = etw_kdev_session_stop(w->fd, &stopped) == -ENOENT;
}

/* ------------------------------------------------------------------------ command */

/* Another PID namespace may have a process of this number that watches. */
static void choose_name(struct watch *w)
{
	static struct session other;
	struct etw_guid *guid = &w->session.s.guid;
	int len;

	if (etw_guid_is_zero(guid) && getrandom(guid, sizeof(*guid), 0) != sizeof(*guid))
		cli_die("no random numbers: %s", strerror(errno));
	if (w->name)
		return;
	w->name = w->own_name;
	len = snprintf(w->own_name, sizeof(w->own_name), OWN_SESSION_WATCH "%d", (int)getpid());
	if (session_do(w->fd, etw_kdev_session_query, w->name, &other) != -ENOENT)
		snprintf(w->own_name + len, sizeof(w->own_name) - (size_t)len, "-%08x", guid->data1);
}

/* Providers without an event: that may be what was expected, or a wrong name. */
static void report_providers(struct watch *w)
{
	unsigned int i;

	for (i = 0; i < w->providers.count; i++)
		if (!provider_counts_of(&w->counts, &w->providers, i))
			provider_silent(w->fd, w->providers.list[i], &w->counts, w->command_ended,
					"printed");
	provider_untested(&w->counts, &w->providers, "--show");
}

static int watch(struct watch *w)
{
	static const struct etw_guid process_guid = ETW_PROCESS_GUID;
	const struct dump_owner owner = {
		.begin = begin, .saw = saw, .is_over = is_over, .quiesce = quiesce, .stop = stop,
		.process_events = enable_list_has(&w->providers, &process_guid),
		.context = w,
	};
	int err, status;

	choose_name(w);
	signal(SIGPIPE, SIG_IGN);	/* the session is to be stopped first */
	err = own_session_guard(&w->guard, w->fd, w->name, &w->session.s.guid);
	if (err)
		return cli_fail("no guard for the session: %s", strerror(-err));
	status = start_session(w->fd, w->name, &w->session, NULL) ? 1 : 0;
	if (!status) {
		process_events_begin(w->fd, w->name, &w->session, false);
		status = dump_owned(w->fd, w->name, &owner);
		if (!w->begun)
			stop(w);
	}
	own_session_unguard(&w->guard);
	if (w->begun && w->stopped)
		cli_note("session %s was stopped by another process", cli_quote(w->name));
	else if (w->begun && !screen_is_unread())
		report_providers(w);
	err = command_status(&w->command, !w->command_ended && !w->stopped);
	return w->begun && err ? err : status;
}

static void take_all(struct watch *w, int argc, char **argv)
{
	int option;

	cli_join(options, OPTIONS_MAX, own_options, dump_common_options);
	cli_join(options, OPTIONS_MAX, options, dump_output_options);
	cli_join(options, OPTIONS_MAX, options, more_options);
	cli_join(options, OPTIONS_MAX, options, enable_options);
	while ((option = cli_next(&syntax, argc, argv)) != -1) {
		if (option == OPT_SESSION)
			w->name = cli_name("--session", optarg);
		else if (!enable_list_take(&w->providers, option, optarg) &&
			 !start_option(option, optarg, &w->session.s, NULL))
			dump_option(option);
	}
	w->command.argv = cli_operands(&syntax, argc, argv);
	if (!w->command.argv[0])
		w->command.argv = NULL;
	w->command.to_stderr = true;
	w->session.processes = !w->no_processes;
	dump_ready(true);
}

int cmd_watch(int argc, char **argv)
{
	struct watch *w = &job;
	int status = 1;

	event_filter_elsewhere("--show");
	take_all(w, argc, argv);
	if (!enable_list_ready(&w->providers))
		return 1;
	w->fd = device_open();
	if (w->fd < 0)
		return 1;
	if (enable_list_find(&w->providers, w->fd)) {
		own_sessions_left(w->fd);
		status = watch(w);
	}
	enable_list_free(&w->providers);
	provider_counts_free(&w->counts);
	etw_kdev_close(w->fd);
	if (screen_is_unread()) {
		/* As the next line would have ended it */
		probe_request_end();
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return status;
}
