/* SPDX-License-Identifier: MIT */
/*
 * stat.c - etw stat: show rates and losses, by cause and by reader
 *
 * On a terminal each block redraws the screen; in a pipe the blocks follow one another.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/monotonic.h"
#include "cli/cli.h"
#include "cli/print/clock.h"
#include "cli/sample.h"
#include "cli/screen.h"
#include "cli/session.h"
#include "cli/table.h"
#include "core/ledger.h"
#include "device/kdev.h"

#define INTERVAL_MAX	3600
#define CLEAR_SCREEN	"\033[H\033[2J"

struct samples {
	struct sample *list;
	unsigned int count;
};

struct stat_run {
	const char *name;	/* NULL: all sessions */
	bool json;
	uint32_t interval_ms;
	uint32_t count;		/* 0: no limit */
	int fd;
	struct samples last;
};

/* The sessions to show; the caller frees *list.  -ENOENT: no session has the name. */
static int find_sessions(struct stat_run *run, struct session **list,
			 unsigned int *count)
{
	int err;

	if (!run->name)
		return session_list(run->fd, list, count);
	*list = cli_calloc(1, sizeof(**list));
	*count = 1;
	err = session_do(run->fd, etw_kdev_session_query, run->name, *list);
	if (err)
		free(*list);
	return err;
}

static int take_samples(struct stat_run *run, struct samples *now)
{
	struct session *list;
	unsigned int count, i;
	int err;

	err = find_sessions(run, &list, &count);
	if (err)
		return err;
	now->list = cli_calloc(count, sizeof(*now->list));
	now->count = 0;
	for (i = 0; i < count; i++) {
		err = sample_take(run->fd, &list[i], &now->list[now->count]);
		if (!err)
			now->count++;
		else if (run->name || err != -ENOENT)
			break;
		else
			err = 0;	/* stopped meanwhile */
	}
	free(list);
	if (err)
		free(now->list);
	return err;
}

/* ------------------------------------------------------------------- printing */

/* What was counted before the first sample */
static const struct etw_session_stat none;

static double to_seconds(struct timespec t)
{
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds between the two samples, or since the session's start. */
static double elapsed(const struct sample *now, const struct sample *before)
{
	double from = before ? to_seconds(before->when) :
			       (double)now->session.s.start_mono / 1e9;
	double seconds = to_seconds(now->when) - from;

	return seconds > 0 ? seconds : 0;
}

static double rate(uint64_t now, uint64_t before, double seconds)
{
	return seconds > 0 && now >= before ? (double)(now - before) / seconds : 0;
}

static void add_row(struct table *table, const char *what, uint64_t now,
		    uint64_t before, double seconds)
{
	table_cell(table, "  %s", what);
	table_cell(table, "%" PRIu64, now);
	table_cell(table, "%.1f", rate(now, before, seconds));
}

/* What can be left out on a narrow terminal is marked: see table.h. */
static const char *const event_headings[] = { "  EVENTS", ">TOTAL", "?>PER SECOND", NULL };
static const char *const reader_headings[] = {
	"  READER", ">EVENTS", "?>PER SECOND", ">LOST EVENTS", "?>LOST BUFFERS", "?>BACKLOG",
	"?>HELD", NULL
};

static void print_events(const struct sample *now, const struct sample *before)
{
	const struct etw_session_stat *s = &now->stat;
	const struct etw_session_stat *b = before ? &before->stat : &none;
	struct table table = { .cells = NULL };
	double seconds = elapsed(now, before);
	char what[64];
	int i;

	add_row(&table, "written", s->written, b->written, seconds);
	for (i = 0; i < ETW_DROP_CAUSES; i++) {
		snprintf(what, sizeof(what), "lost: %s", etw_loss_text(i));
		add_row(&table, what, etw_stat_dropped(s, i), etw_stat_dropped(b, i), seconds);
	}
	add_row(&table, "delivered", s->events_delivered, b->events_delivered,
		seconds);
	add_row(&table, "discarded: no reader", s->discarded_events,
		b->discarded_events, seconds);
	if (s->abandoned_buffers)
		add_row(&table, "lost: writer died", s->abandoned_events + s->abandoned_buffers,
			b->abandoned_events + b->abandoned_buffers, seconds);
	if (s->undecided)
		add_row(&table, "passed a filter undecided", s->undecided, b->undecided, seconds);
	if (now->session.s.mode & ETW_MODE_BUFFERING)
		add_row(&table, "overwritten", s->overwritten_events,
			b->overwritten_events, seconds);
	table_print(&table, event_headings);
}

/* The same reader in the sample before: one process may have several. */
static const struct etw_consumer_info *
find_reader(const struct sample *before, const struct sample *now,
	    unsigned int index)
{
	unsigned int nth = 0, i;

	for (i = 0; i < index; i++)
		nth += now->readers[i].pid == now->readers[index].pid;
	for (i = 0; before && i < before->reader_count; i++) {
		if (before->readers[i].pid == now->readers[index].pid && !nth--)
			return &before->readers[i];
	}
	return NULL;
}

static void print_readers(const struct sample *now, const struct sample *before)
{
	struct table table = { .cells = NULL };
	double seconds = before ? elapsed(now, before) : 0;
	unsigned int i;

	for (i = 0; i < now->reader_count; i++) {
		const struct etw_consumer_info *r = &now->readers[i];
		const struct etw_consumer_info *b = find_reader(before, now, i);

		table_cell(&table, "  pid %u", r->pid);
		table_cell(&table, "%" PRIu64, (uint64_t)r->events);
		table_cell(&table, "%.1f", rate(r->events, b ? b->events : 0,
						seconds));
		table_cell(&table, "%" PRIu64, (uint64_t)r->events_lost);
		table_cell(&table, "%" PRIu64, (uint64_t)r->buffers_lost);
		table_cell(&table, "%" PRIu64, (uint64_t)r->backlog);
		table_cell(&table, "%u", r->held);
	}
	if (now->reader_count)
		table_print(&table, reader_headings);
}

static void print_text(const struct sample *now, const struct sample *before)
{
	const struct etw_session *s = &now->session.s;
	const unsigned int width = screen_width();
	struct etw_text line = { 0 };

	etw_text_puts(&line, "session ");
	etw_text_escape(&line, now->session.name, strlen(now->session.name));
	etw_text_printf(&line, " (id %u, %s, %u of %u buffers free, %u KB each)",
			s->logger_id, session_mode(&now->session), s->free_buffers,
			s->buffers, s->buffer_kb);
	/* The time has a line of its own where both do not fit. */
	if (width && text_columns(text_data(&line)) + 2 + CLOCK_LOCAL_COLUMNS > width)
		etw_text_puts(&line, "\n");
	etw_text_puts(&line, "  ");
	clock_local(&line, now->time);
	printf("%s\n", text_data(&line));
	etw_text_free(&line);
	if (now->stat.growth_refused)
		printf("  no memory for more buffers, tried %u times\n",
		       now->stat.growth_refused);
	print_events(now, before);
	print_readers(now, before);
	puts("");
}

static void put_readers(struct etw_text *to, const struct sample *now)
{
	unsigned int i;

	json_writer_open(to, "readers", '[');
	for (i = 0; i < now->reader_count; i++) {
		const struct etw_consumer_info *r = &now->readers[i];

		json_writer_open(to, NULL, '{');
		json_writer_unsigned(to, "pid", r->pid);
		json_writer_unsigned(to, "events", r->events);
		json_writer_unsigned(to, "buffers", r->buffers);
		json_writer_unsigned(to, "events_lost", r->events_lost);
		json_writer_unsigned(to, "buffers_lost", r->buffers_lost);
		json_writer_unsigned(to, "backlog", r->backlog);
		json_writer_unsigned(to, "held", r->held);
		json_writer_close(to, '}');
	}
	json_writer_close(to, ']');
}

static void print_json(const struct sample *now, const struct sample *before)
{
	const struct etw_session_stat *s = &now->stat;
	const struct etw_session_stat *b = before ? &before->stat : &none;
	double seconds = elapsed(now, before);
	struct etw_text line = { 0 };

	json_writer_open(&line, NULL, '{');
	session_json(&line, &now->session);
	json_writer_time(&line, "time", (uint64_t)now->time);
	json_writer_double(&line, "seconds", 1, seconds);
	json_writer_unsigned(&line, "written", s->written);
	json_writer_double(&line, "written_per_second", 1, rate(s->written, b->written, seconds));
	sample_json_lost(&line, &now->stat);
	json_writer_unsigned(&line, "events_delivered", s->events_delivered);
	json_writer_double(&line, "delivered_per_second", 1,
			   rate(s->events_delivered, b->events_delivered, seconds));
	json_writer_unsigned(&line, "discarded_events", s->discarded_events);
	json_writer_unsigned(&line, "discarded_buffers", s->discarded_buffers);
	json_writer_unsigned(&line, "overwritten_events", s->overwritten_events);
	json_writer_unsigned(&line, "overwritten_buffers", s->overwritten_buffers);
	json_writer_unsigned(&line, "abandoned_events", s->abandoned_events);
	json_writer_unsigned(&line, "abandoned_buffers", s->abandoned_buffers);
	json_writer_unsigned(&line, "undecided", s->undecided);
	json_writer_unsigned(&line, "growth_refused", s->growth_refused);
	put_readers(&line, now);
	json_print(&line);
}

/* The sample of the same session in the block before, or NULL */
static const struct sample *find_before(const struct stat_run *run, const struct sample *now)
{
	unsigned int i;

	for (i = 0; i < run->last.count; i++)
		if (run->last.list[i].session.s.handle == now->session.s.handle)
			return &run->last.list[i];
	return NULL;
}

static void show(struct stat_run *run, const struct samples *now, bool redraw)
{
	unsigned int i;

	if (redraw)
		fputs(CLEAR_SCREEN, stdout);
	if (!now->count && !run->json)
		puts("no sessions");
	for (i = 0; i < now->count; i++)
		(run->json ? print_json : print_text)(&now->list[i],
						      find_before(run, &now->list[i]));
	fflush(stdout);
}

static int fail(const struct stat_run *run, int err)
{
	if (run->name)
		return session_fail(run->name, err, TAKES_QUERY);
	return cli_fail("cannot list the sessions: %s", cli_denied(-err, TAKES_QUERY));
}

/* As in etw dump: Ctrl-C is how it is meant to end.  A second one kills. */
static volatile sig_atomic_t over;

static void on_signal(int number)
{
	(void)number;
	over = 1;
}

/* A signal ends it, also one that comes after the look at over: it is blocked from there on. */
static void wait_interval(uint32_t ms)
{
	const int64_t end = etw_monotonic_ns() + ms * INT64_C(1000000);
	sigset_t ending, before;
	struct timespec left;
	int64_t ns;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigprocmask(SIG_BLOCK, &ending, &before);
	while (!over && (ns = end - etw_monotonic_ns()) > 0) {
		left.tv_sec = ns / 1000000000;
		left.tv_nsec = ns % 1000000000;
		ppoll(NULL, 0, &left, &before);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static int run_stat(struct stat_run *run)
{
	bool redraw = !run->json && run->count != 1 && isatty(STDOUT_FILENO);
	struct samples now;
	uint32_t shown;
	int err;

	for (shown = 0; !run->count || shown < run->count; shown++) {
		if (shown)
			wait_interval(run->interval_ms);
		if (over)
			return 0;
		err = take_samples(run, &now);
		if (err == -ENOENT && shown)
			return 0;	/* the session has stopped */
		if (err)
			return fail(run, err);
		show(run, &now, redraw);
		free(run->last.list);
		run->last = now;
		if (ferror(stdout))
			break;
	}
	return 0;
}

static struct stat_run run = { .interval_ms = 1000 };
static const char *columns;

static const struct cli_option options[] = {
	{ "interval", 'i', "TIME", "between two blocks: 500ms, 1s (default), 1m",
	  CLI_MILLIS(run.interval_ms, 1, INTERVAL_MAX) },
	{ "count", 'n', "N", "end after N blocks", CLI_NUMBER(run.count, 1, UINT32_MAX) },
	{ "once", 0, NULL, "print one block and end", CLI_NUMBER(run.count, 1, 1) },
	{ "columns", 0, "COLUMNS", "only these, by their headings: events,total",
	  CLI_TEXT(columns) },
	CLI_OPTION_JSON(run.json),
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Show how many events a session, or every session, has written, delivered\n"
		"and lost, by cause and by reader.  The rates in the first block are averages\n"
		"since the session's start, those in later blocks since the block before.",
	.operands = { "[SESSION]" },
	.options = options,
	.example = "etw stat demo --interval 2",
};

int cmd_stat(int argc, char **argv)
{
	static const char *const *const tables[] = { event_headings, reader_headings, NULL };
	int status;

	run.name = cli_parse(&syntax, argc, argv)[0];
	if (run.name)
		cli_name("SESSION", run.name);
	if (columns && run.json)
		cli_usage("--columns: not with --json");
	if (columns)
		table_choose("--columns", columns, tables);
	run.fd = device_open();
	if (run.fd < 0)
		return 1;
	cli_catch(SIGINT, on_signal, (int)SA_RESETHAND);
	cli_catch(SIGTERM, on_signal, (int)SA_RESETHAND);
	status = run_stat(&run);
	free(run.last.list);
	etw_kdev_close(run.fd);
	return status;
}
