/* SPDX-License-Identifier: MIT */
/*
 * watch.c - etw watch: print the events of providers, live
 *
 * It is start, enable, dump and stop in one; live_session.h has the session.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <sys/time.h>
#include "cli/cli.h"
#include "cli/record/command.h"
#include "cli/record/live_session.h"
#include "cli/request/event_filter.h"
#include "device/kdev.h"
#include "dump.h"

#define OPTIONS_MAX	100

static struct watch {
	struct live_session live;
	struct command command;
	bool command_ended;
	bool begun;			/* all are enabled, and the command runs */
	sigset_t before;		/* signals blocked in the command */
} job = { .live.session.s.mode = ETW_MODE_REAL_TIME };

/* Set by signals */
static volatile sig_atomic_t over, child;

static const struct cli_option own_options[] = {
	ENABLE_LIST_OPTION,
	{ "show", SELECT_OPT_SHOW, "EXPRESSION", "print only events for which it is true", NULL },
	START_OPTIONS(job.live.session.s),
	CLI_OPTION_END
};

static const struct cli_option more_options[] = {
	CLI_HEADING("the session"),
	LIVE_SESSION_OPTIONS(job.live, SESSION_NAME_WATCH),
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
	status = enable_list_enable(&w->live.providers, w->live.fd, &w->live.session,
				    w->command.argv);
	if (!status)
		status = command_spawn(&w->command, &w->before);
	w->begun = !status;
	return status;
}

static void saw(void *context, const struct etw_event *event)
{
	live_session_count(&((struct watch *)context)->live, event);
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

static void quiesce(void *context)
{
	live_session_quiesce(&((struct watch *)context)->live);
}

static void stop(void *context)
{
	live_session_stop(&((struct watch *)context)->live);
}

/* ------------------------------------------------------------------------ command */

static int watch(struct watch *w)
{
	static const struct etw_guid process_guid = ETW_PROCESS_GUID;
	struct live_session *live = &w->live;
	const struct dump_owner owner = {
		.begin = begin, .saw = saw, .is_over = is_over, .quiesce = quiesce, .stop = stop,
		.process_events = enable_list_has(&live->providers, &process_guid),
		.context = w,
	};
	int err, status;

	live_session_name(live, SESSION_NAME_WATCH);
	signal(SIGPIPE, SIG_IGN);	/* the session is to be stopped first */
	status = live_session_begin(live);
	if (!status) {
		status = dump_owned(live->fd, live->name, &owner);
		if (!w->begun)
			live_session_stop(live);
	}
	live_session_end(live);
	if (w->begun)
		live_session_report(live, w->command_ended, "printed");
	err = command_status(&w->command, !w->command_ended && !live->stopped);
	return w->begun && err ? err : status;
}

static void take_all(struct watch *w, int argc, char **argv)
{
	int option;

	cli_join(options, OPTIONS_MAX, own_options, dump_common_options);
	cli_join(options, OPTIONS_MAX, options, dump_output_options);
	cli_join(options, OPTIONS_MAX, options, more_options);
	cli_join(options, OPTIONS_MAX, options, enable_options);
	while ((option = cli_next(&syntax, argc, argv)) != -1)
		if (!live_session_option(&w->live, option, optarg))
			dump_option(option);
	w->command.argv = cli_operands(&syntax, argc, argv);
	if (!w->command.argv[0])
		w->command.argv = NULL;
	w->command.to_stderr = true;
	dump_ready(true);
}

int cmd_watch(int argc, char **argv)
{
	struct watch *w = &job;
	int status = 1;

	event_filter_elsewhere("--show");
	take_all(w, argc, argv);
	if (!enable_list_ready(&w->live.providers))
		return 1;
	w->live.fd = device_open();
	if (w->live.fd < 0)
		return 1;
	if (enable_list_find(&w->live.providers, w->live.fd)) {
		session_guard_left(w->live.fd);
		status = watch(w);
	}
	live_session_free(&w->live);
	etw_kdev_close(w->live.fd);
	live_session_end_unread();
	return status;
}
