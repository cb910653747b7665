/* SPDX-License-Identifier: MIT */
/*
 * top.c - etw top: which providers, events, processes or values are the busiest, live
 *
 * Events of a session that runs, or of one that exists as long as this command, are counted in
 * bounded memory (cli/top). On a terminal a screen shows them, elsewhere blocks follow one another.
 */
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/monotonic.h"
#include "cli/cli.h"
#include "cli/input/value_names.h"
#include "cli/record/live_session.h"
#include "cli/request/event_filter.h"
#include "cli/schema.h"
#include "cli/screen.h"
#include "cli/session.h"
#include "cli/top/batch.h"
#include "cli/top/live.h"
#include "device/kdev.h"
#include "lib/consumer/session_reader.h"
#include "manifest.h"

#define OPTIONS_MAX	100
#define INTERVAL_MAX	3600	/* seconds */
#define FLUSH_MAX	500	/* ms: a session of its own delivers at least so often */
#define FLUSH_MIN	50
#define LOOK_MS		50	/* between two looks at the keys while there are no events ... */
#define LOOK_EVENTS	256	/* ... and while there are */

enum { OPT_BY = LIVE_SESSION_OPT_END, OPT_SORT, OPT_SHOW };

static struct top {
	struct live_session own;	/* and of another session its name and the device */
	bool is_own;
	bool batch, json, reverse;
	uint32_t interval_ms, count, limit;
	const char *pairing;		/* see operations_new() */
	struct symbols_request symbols;
	const char *filter;		/* NULL: none */
	enum column sort;
	struct counting counting;
	struct losses losses;
	struct live live;
	uint64_t printed;		/* events in the blocks that were printed */
	uint32_t blocks;
	int64_t tick_began;		/* ns */
} job = {
	.own.session.s.mode = ETW_MODE_REAL_TIME, .interval_ms = 1000, .limit = UINT32_MAX,
	.sort = COLUMN_RATE,
};

static const struct etw_guid image_guid = ETW_IMAGE_GUID;
static struct etw_source source;
static volatile sig_atomic_t over;	/* set by a signal */

static const struct cli_option own_options[] = {
	ENABLE_LIST_OPTION,
	{ "by", OPT_BY, "WHAT", "provider (default), event, process, ..., or a field", NULL },
	{ "show", OPT_SHOW, "EXPRESSION", "count only events for which it is true", NULL },
	{ "sort", OPT_SORT, "COLUMN", "rate (default), events, bytes, p50, max, name, ...", NULL },
	{ "reverse", 'r', NULL, "smallest first", CLI_FLAG(job.reverse) },
	{ "interval", 'i', "TIME", "between two updates: 500ms, 1s (default), 1m",
	  CLI_MILLIS(job.interval_ms, 100, INTERVAL_MAX) },
	{ "batch", 'b', NULL, "print blocks of text on a terminal, too", CLI_FLAG(job.batch) },
	{ "count", 'n', "N", "print N blocks and end", CLI_NUMBER(job.count, 1, UINT32_MAX) },
	{ "once", 0, NULL, "print one block and end", CLI_NUMBER(job.count, 1, 1) },
	{ "rows", 0, "N", "print at most N rows, and the others as one",
	  CLI_NUMBER(job.limit, 1, TALLY_ROWS) },
	CLI_OPTION_JSON(job.json),
	{ "pair", 0, "WHAT", "pair operations by activity, thread or a field",
	  CLI_TEXT(job.pairing) },
	CLI_OPTIONS_SYMBOLS(job.symbols),
	CLI_HEADING("the session that -p starts"),
	START_OPTIONS(job.own.session.s),
	LIVE_SESSION_OPTIONS(job.own, SESSION_NAME_TOP),
	ENABLE_LIST_END
};

/* With those of etw enable */
static struct cli_option options[OPTIONS_MAX];

static const struct cli_syntax syntax = {
	.what = "Show which providers, events, processes or values of a field are the busiest:\n"
		"rates, sizes, how long operations took, what was lost.  SESSION runs already;\n"
		"with -p a session of its own exists as long as the command.\n"
		ENABLE_LIST_HELP,
	.operands = { "[SESSION]" },
	.options = options,
	.example = "etw top -p system:file --by process --show 'duration > 1ms'",
};

/* -------------------------------------------------------------------------- output */

static bool is_live(const struct top *top)
{
	return !top->batch;
}

static void print_block(struct top *top)
{
	top->printed = top->counting.tally.events;
	top->blocks++;
	if (top->json)
		batch_json(&top->live.view);
	else
		batch_text(&top->live.view);
	fflush(stdout);
}

static void tick(struct top *top)
{
	const int64_t now = etw_monotonic_ns();

	counting_tick(&top->counting, (double)(now - top->tick_began) / 1e9);
	top->tick_began = now;
	losses_update(&top->losses);
	if (is_live(top))
		top->live.is_new = true;
	else
		print_block(top);
}

/* ---------------------------------------------------------------------------- loop */

static bool is_over(const struct top *top)
{
	if (over || top->live.quit)
		return true;
	if (is_live(top))
		return terminal_is_gone();
	return (top->count && top->blocks == top->count) || ferror(stdout) || screen_is_unread();
}

static void take(struct top *top, const struct etw_event *event)
{
	if (top->is_own)
		live_session_count(&top->own, event);
	counting_event(&top->counting, event);
}

/* Take events until it is time to look at other things. 0, or what reading returned */
static int take_some(struct top *top, int64_t next)
{
	const int64_t left = (next - etw_monotonic_ns()) / 1000000;
	struct etw_event event;
	unsigned int i;
	int ret;

	for (i = 0; i < LOOK_EVENTS; i++) {
		ret = etw_source_next(&source, &event,
				      i || left < 0 ? 0 : left < LOOK_MS ? (int)left + 1 : LOOK_MS);
		if (ret == -EAGAIN)
			return 0;
		if (ret != 1)
			return ret ? ret : -ENODATA;
		take(top, &event);
	}
	return 0;
}

/* Until it is over, or the session has ended: 0, or reading fails. */
static int loop(struct top *top)
{
	const int64_t interval = top->interval_ms * INT64_C(1000000);
	int ret = 0;

	top->tick_began = etw_monotonic_ns();
	while (!is_over(top)) {
		if (!ret)
			ret = take_some(top, top->tick_began + interval);
		else
			terminal_wait(LOOK_MS);
		if (ret && (ret != -ENODATA || !is_live(top)))
			break;
		top->live.view.ended = ret;
		if (etw_monotonic_ns() - top->tick_began >= interval)
			tick(top);
		if (is_live(top))
			live_update(&top->live);
	}
	return ret == -ENODATA ? 0 : ret;
}

/* The rest of what was written, for the last block */
static int drain(struct top *top)
{
	struct etw_event event;
	int ret;

	etw_source_stop(&source);
	while ((ret = etw_source_next(&source, &event, -1)) == 1)
		take(top, &event);
	losses_update(&top->losses);
	if (top->counting.tally.events != top->printed || (!top->blocks && !top->count))
		tick(top);
	return ret;
}

static void end_own(struct top *top)
{
	live_session_quiesce(&top->own);
	losses_end(&top->losses);
	live_session_stop(&top->own);
}

static int run(struct top *top)
{
	bool counted, vanished;
	int ret = loop(top);

	counted = top->count && top->blocks == top->count;
	vanished = is_live(top) && terminal_is_gone();
	terminal_close();
	if (top->is_own)
		end_own(top);
	if (!ret && !is_live(top) && !counted && !screen_is_unread())
		ret = drain(top);
	losses_update(&top->losses);
	if (vanished)
		return 1;
	losses_report(&top->losses);
	return ret ? cli_fail("session %s: reading failed: %s", cli_quote(top->own.name),
			      cli_reason(-ret)) : 0;
}

/* --------------------------------------------------------------------------- begin */

static void on_signal(int number)
{
	(void)number;
	over = 1;
}

/* Ctrl-C is how it may be ended.  A second one kills, and then the guard stops the session. */
static void catch_signals(void)
{
	cli_catch(SIGINT, on_signal, (int)SA_RESETHAND);
	cli_catch(SIGTERM, on_signal, (int)SA_RESETHAND);
	cli_catch(SIGHUP, on_signal, (int)SA_RESETHAND);
	signal(SIGPIPE, SIG_IGN);	/* the session is to be stopped first */
}

static void open_view(struct top *top)
{
	struct view *v = &top->live.view;

	live_open(&top->live, &top->counting, top->filter);
	v->session = top->own.name;
	v->losses = &top->losses;
	v->sort = top->sort;
	v->reverse = top->reverse;
	v->limit = top->limit;
	v->buffering = etw_session_info(etw_source_session(&source))->mode & ETW_MODE_BUFFERING;
	v->screen.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	v->screen.colour = is_live(top) && screen_has_colour();
}

/* Read the session, once there is one. */
static int show(struct top *top)
{
	static const struct etw_guid process_guid = ETW_PROCESS_GUID;
	const char *error;
	size_t column;
	int err, status = 0;

	if (!top->is_own)
		value_names_of_session(top->own.fd, top->own.name);
	err = etw_source_open_session(&source, top->own.name);
	if (err)
		return session_read_fail(top->own.fd, top->own.name, err);
	losses_begin(&top->losses, top->own.fd, etw_source_session(&source));
	counting_open(&top->counting, top->own.fd, top->pairing,
		      is_live(top) ? &top->symbols : NULL);
	counting_filter(&top->counting, top->filter, &error, &column);
	if (enable_list_has(&top->own.providers, &process_guid))
		counting_show_processes(&top->counting);
	/* Another session has them because somebody asked for them. */
	if (!top->is_own || enable_list_has(&top->own.providers, &image_guid))
		counting_show_images(&top->counting);
	open_view(top);
	if (top->is_own)
		status = enable_list_enable(&top->own.providers, top->own.fd, &top->own.session,
					    false);
	error = !status && is_live(top) ? terminal_open(top->live.view.screen.colour) : NULL;
	if (error)
		status = cli_fail("the terminal: %s: use --batch", error);
	if (!status)
		status = run(top);
	else if (top->is_own)
		live_session_stop(&top->own);
	manifest_report_problems();
	live_close(&top->live);
	counting_close(&top->counting);
	etw_source_close(&source);
	return status;
}

static int show_own(struct top *top)
{
	struct live_session *own = &top->own;
	int status;

	/* What processes map gives the functions in their stacks names. */
	own->session.images = is_live(top) && !own->no_processes &&
			      enable_list_has_stacks(&own->providers) &&
			      !enable_list_has(&own->providers, &image_guid);
	live_session_name(own, SESSION_NAME_TOP);
	status = live_session_begin(own);
	if (!status)
		status = show(top);
	live_session_end(own);
	if (!status)
		live_session_report(own, false, "counted");
	return status;
}

/* ------------------------------------------------------------------------- options */

static void take_option(struct top *top, int option)
{
	const char *error = NULL;

	switch (option) {
	case OPT_BY:
		if (!by_parse(&top->counting.by, optarg, &error))
			cli_usage("--by: %s", error);
		break;
	case OPT_SORT:
		top->sort = (enum column)cli_choice("--sort", optarg, column_names,
						    sizeof(*column_names));
		break;
	case OPT_SHOW:
		if (top->filter)
			cli_usage("--show: given twice: write (A) && (B)");
		etw_expr_free(event_filter_parse("--show", optarg));
		top->filter = optarg;
		break;
	default:
		live_session_option(&top->own, option, optarg);
	}
}

static void check(struct top *top, const char *session, const struct etw_session *defaults)
{
	const struct enable_list *list = &top->own.providers;

	top->is_own = list->count;
	if (!session && !list->count)
		cli_usage("give the name of a session, or providers: -p");
	if (session && list->count)
		cli_usage("SESSION %s runs already: not with -p", cli_quote(session));
	if (session && (list->common_count || top->own.name || top->own.no_processes ||
			memcmp(&top->own.session.s, defaults, sizeof(*defaults))))
		cli_usage("options of a session and of its providers go with -p only");
	if (session)
		top->own.name = cli_name("SESSION", session);
	top->batch |= top->json || top->count || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO);
	if (top->limit != UINT32_MAX && !top->batch)
		cli_usage("--rows: only with --batch, --once, --count or --json");
}

static void take_all(struct top *top, int argc, char **argv)
{
	const struct etw_session defaults = top->own.session.s;
	uint32_t flush = top->own.session.s.flush_ms;
	int option;

	cli_join(options, OPTIONS_MAX, own_options, enable_options);
	while ((option = cli_next(&syntax, argc, argv)) != -1)
		take_option(top, option);
	check(top, cli_operands(&syntax, argc, argv)[0], &defaults);
	if (top->own.session.s.flush_ms != flush)
		return;
	flush = top->interval_ms / 2;
	top->own.session.s.flush_ms = flush < FLUSH_MIN ? FLUSH_MIN :
				      flush > FLUSH_MAX ? FLUSH_MAX : flush;
}

int cmd_top(int argc, char **argv)
{
	struct top *top = &job;
	int status = 1;

	event_filter_elsewhere("--show");
	take_all(top, argc, argv);
	if (top->is_own && !enable_list_ready(&top->own.providers))
		return 1;
	setlocale(LC_CTYPE, "");
	top->own.fd = device_open();
	if (top->own.fd < 0)
		return 1;
	catch_signals();
	if (!top->is_own) {
		status = show(top);
	} else if (enable_list_find(&top->own.providers, top->own.fd)) {
		session_guard_left(top->own.fd);
		status = show_own(top);
	}
	live_session_free(&top->own);
	schema_unload();
	etw_kdev_close(top->own.fd);
	if (!is_live(top))
		live_session_end_unread();
	return status;
}
