/* SPDX-License-Identifier: MIT */
/*
 * dump.c - etw dump: print the events of a session or of log files
 *
 * Ctrl-C, SIGTERM and the end of --duration wake the reader, which then returns the
 * waiting events and ends, so that every delivered event is printed.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/operand.h"
#include "cli/operations.h"
#include "cli/print/event.h"
#include "cli/processes.h"
#include "cli/sample.h"
#include "manifest.h"
#include "cli/schema.h"
#include "cli/request/select.h"
#include "cli/session.h"
#include "cli/verify/verify.h"
#include "core/ledger.h"
#include "device/kdev.h"
#include "lib/consumer/session_reader.h"
#include "tdh/decode/embed.h"

#define LOOK_MS		500	/* ms between two checks of stdout */
#define DURATION_MAX	(40 * 86400)	/* seconds; in ms it still fits a uint32_t */

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

static const char *const colours[] = { "auto", "always", "never", NULL };

static struct dump {
	void (*print)(struct event_printer *printer, const struct etw_event *event);
	enum colour colour;
	bool time_given;
	bool no_names;
	bool no_losses;
	bool strict;
	bool json;
	bool lossy;		/* something was lost, of a session */
	uint32_t count;		/* 0: no limit */
	uint32_t duration_ms;	/* 0: no limit */
	struct inputs inputs;	/* of files */
	int fd;			/* of a session, and so on */
	uint64_t handle;
	struct etw_session_stat before;
	struct etw_session_stat now;	/* the latest counters */
	time_t refreshed;	/* when they were read, seconds */
	bool stopped;		/* the session is gone: now may be outdated */
	bool marked;		/* events were lost after now was read */
	bool filled;		/* count events were printed */
	struct event_printer printer;
	struct processes processes;
	bool by_operation;
	const char *by;		/* what pairs them; NULL: not given */
	struct operations *operations;	/* NULL: print events */
	struct operation operation;
	bool any;		/* an event was printed */
	struct select *select;	/* NULL: all events */
} job = { .print = event_print_text };

enum { OPT_FORMAT = 256, OPT_TIME, OPT_COLOR, OPT_MANIFEST };

static const struct cli_option options[] = {
	CLI_OPTION_JSON(job.json),
	{ "count", 'n', "N", "end after N events", CLI_NUMBER(job.count, 1, UINT32_MAX) },
	{ "duration", 0, "SECONDS", "end after that time",
	  CLI_MILLIS(job.duration_ms, 1, DURATION_MAX) },
	{ "operations", 0, NULL, "print a start and its stop as one, with the duration",
	  CLI_FLAG(job.by_operation) },
	{ "by", 0, "WHAT", "pair them by activity, thread or a field",
	  CLI_TEXT(job.by) },
	{ "message", 0, NULL, "print the event's message instead of its fields",
	  CLI_FLAG(job.printer.message) },
	{ "format", OPT_FORMAT, "FORMAT", "for instance '%t %P %e %{Number}': see etw-dump(1)", NULL },
	{ "time", OPT_TIME, "MODE", "local (default), utc, relative, delta or raw", NULL },
	{ "color", OPT_COLOR, "WHEN", "auto (default: on a terminal), always or never", NULL },
	{ "no-names", 0, NULL, "print no names of processes and threads",
	  CLI_FLAG(job.no_names) },
	{ "no-losses", 0, NULL, "leave out the records of losses", CLI_FLAG(job.no_losses) },
	{ "manifest", OPT_MANIFEST, "FILE", "take names from this manifest first", NULL },
	{ "raw", 0, NULL, "print clock ticks and hexadecimal payloads", CLI_FLAG(job.printer.hex) },
	CLI_OPTION_PROCESSES(job.processes.show),
	CLI_OPTION_STACK_EVENTS(job.inputs.apart),
	CLI_OPTION_STRICT(job.strict),
	SELECT_OPTIONS,
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Print the events of a session as they come, until the session stops or Ctrl-C;\n"
		"or those of log files, whose names have a / or end in .etl.  Events of all CPUs\n"
		"and files are merged by time.  Losses are reported at the end, on stderr.",
	.operands = { "SESSION|FILE..." },
	.options = options,
	.example = "etw dump demo --json | jq .fields",
};

static struct etw_source source;
static struct etw_reader *reader;	/* of source, for a session */

static void on_signal(int number)
{
	int saved = errno;

	(void)number;
	etw_source_stop(&source);
	errno = saved;
}

/* A second Ctrl-C kills the process, in case the reader or stdout is stuck. */
static void catch_signals(uint32_t duration_ms)
{
	struct sigaction action = {
		.sa_handler = on_signal,
		.sa_flags = SA_RESTART | (int)SA_RESETHAND,
	};
	struct itimerval timer = {
		.it_value.tv_sec = duration_ms / 1000,
		.it_value.tv_usec = duration_ms % 1000 * 1000,
	};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!duration_ms)
		return;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Call before closing the reader: later signals have their default effect. */
static void release_signals(void)
{
	static const struct itimerval off;

	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGALRM, SIG_IGN);
}

static int read_stat(struct dump *dump, struct etw_session_stat *stat)
{
	struct etw_session_stat s = { .handle = dump->handle };
	int err = etw_kdev_session_stat(dump->fd, &s);

	if (!err)
		*stat = s;
	return err;
}

/* Keep a recent copy of the counters, because they are gone once the session has stopped. */
static void refresh_stat(struct dump *dump)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (now.tv_sec == dump->refreshed)
		return;
	dump->refreshed = now.tv_sec;
	read_stat(dump, &dump->now);
}

/* Has the reader of stdout gone?  While there are no events, no failing write shows it. */
static bool unread(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	return poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP);
}

/* Wait for the session's next event; flush the output before sleeping. */
static int next_of_session(struct dump *dump, struct etw_event *event)
{
	int err = etw_source_next(&source, event, 0);

	if (err != -EAGAIN)
		return err;
	event_flush(&dump->printer);
	refresh_stat(dump);
	while (!unread()) {
		err = etw_source_next(&source, event, LOOK_MS);
		if (err != -EAGAIN)
			return err;
	}
	raise(SIGPIPE);		/* printing the next event would do the same */
	return 0;
}

/* 1: *event; 0: there are no more that are wanted; negative: an error */
static int next_event(struct dump *dump, const struct etw_event **event)
{
	static struct etw_event own;
	unsigned int input;
	int err;

	if (!reader)
		return inputs_next(&dump->inputs, event, &input);
	*event = &own;
	err = next_of_session(dump, &own);
	if (err != 1)
		return err;
	if (own.lost_events)
		dump->marked = read_stat(dump, &dump->now) != 0;
	return !select_is_over(dump->select, own.time);
}

/* --count is about events; losses in between are no answer to it. */
static bool counts(struct dump *dump, uint32_t *printed)
{
	return !dump->printer.is_loss && dump->count && ++*printed == dump->count;
}

/* Replace *event by the start of the operation that it ends. false: there is none wanted. */
static bool ends_operation(struct dump *dump, const struct etw_event **event)
{
	if (!operations_event(dump->operations, *event, &dump->operation))
		/* Its decoder needs each piece of a schema, too. */
		return etw_embed_is_piece((*event)->record.header) &&
		       select_event(dump->select, *event);
	*event = &dump->operation.start;
	dump->printer.operation = &dump->operation;
	return select_operation(dump->select, &dump->operation);
}

static int dump_events(struct dump *dump)
{
	const struct etw_event *event;
	struct etw_loss loss;
	uint32_t printed = 0;
	bool wanted;
	int err;

	while ((err = next_event(dump, &event)) == 1) {
		if (!processes_event(&dump->processes, event))
			continue;
		dump->printer.operation = NULL;
		if (etw_loss_of(event, &loss))
			wanted = !dump->no_losses && select_loss(dump->select, &loss);
		else if (dump->operations)
			wanted = ends_operation(dump, &event);
		else
			wanted = select_event(dump->select, event);
		if (event_is_schema(&dump->printer, event) || !wanted)
			continue;
		dump->print(&dump->printer, event);
		dump->any = true;
		dump->filled = counts(dump, &printed);
		/* cli_finish() reports errors of stdout. */
		if (ferror(stdout) || dump->filled)
			return 0;
	}
	return err;
}

static void report_drops(struct dump *dump)
{
	bool any = false;
	int i;

	for (i = 0; i < ETW_DROP_CAUSES; i++) {
		uint64_t n = etw_stat_dropped(&dump->now, i) -
			     etw_stat_dropped(&dump->before, i);

		if (!n)
			continue;
		sample_report_lost(dump->stopped ? "at least " : "", n, etw_loss_text(i));
		any = true;
		dump->lossy = true;
	}
	dump->lossy |= dump->marked;
	if (dump->marked && !any)
		cli_note("events were lost while being written; the session is gone, so their number is not known");
}

/* Report events that were written, or attempted, but not printed here. */
static void report_losses(struct dump *dump)
{
	struct etw_consumer_info info;
	struct etw_reader_count counts;

	etw_reader_counts(reader, &counts);
	if (etw_reader_stat(reader, &info)) {
		info.buffers_lost = counts.lost_buffers;
		info.events_lost = 0;
	}
	if (info.buffers_lost)
		cli_note("%" PRIu64 " buffer%s (%" PRIu64 " event%s) lost: this reader was too slow",
			 (uint64_t)info.buffers_lost, cli_s(info.buffers_lost),
			 (uint64_t)info.events_lost, cli_s(info.events_lost));
	if (counts.corrupt)
		cli_note("%" PRIu64 " buffer%s could not be read to the end",
			 counts.corrupt, cli_s(counts.corrupt));
	dump->lossy = info.buffers_lost || counts.corrupt;
	dump->stopped = read_stat(dump, &dump->now) != 0;
	if (!dump->stopped)
		dump->marked = false;
	report_drops(dump);
}

/* Report EINVAL, and whether its cause is that the session only writes a file. */
static int no_readers(const struct dump *dump, const char *name)
{
	static struct session session;

	if (session_do(dump->fd, etw_kdev_session_query, name, &session) ||
	    session.s.mode & ETW_MODE_REAL_TIME || !session.log.log.name_len)
		return cli_fail("session %s: %s", cli_quote(name), cli_reason(EINVAL));
	return cli_fail("session %s has no readers, it writes a file: dump %s, or start it with --real-time",
			cli_quote(name), cli_quote(session.log.name));
}

static int open_fail(const struct dump *dump, const char *name, int err)
{
	switch (-err) {
	case EINVAL:
		return no_readers(dump, name);
	case ENOENT:
		return cli_fail("no session %s", cli_quote(name));
	case ENOSPC:
		return cli_fail("session %s has %d readers already",
				cli_quote(name), ETW_CONSUMERS_MAX);
	default:
		return cli_fail("session %s: %s", cli_quote(name),
				cli_denied(-err, TAKES_CONSUME));
	}
}

static const char *ask_provider(void *context, const GUID *guid)
{
	struct etw_guid own;

	memcpy(&own, guid, sizeof(own));
	return names_get(((struct dump *)context)->printer.names, &own);
}

static bool ask_process(void *context, const EVENT_RECORD *record, bool parent,
			struct etw_process *process)
{
	return processes_ask(&((struct dump *)context)->processes, record, parent, process);
}

/* paths: of files; NULL: a session, which start is the start of, too */
static void prepare(struct dump *dump, char **paths, int64_t start)
{
	static const struct etw_guid process_guid = ETW_PROCESS_GUID;
	const struct etw_expr_ask ask = {
		.provider = paths ? NULL : ask_provider,
		.process = dump->no_names ? NULL : ask_process,
		.context = dump,
	};

	dump->processes.show |= select_names_guid(dump->select, &process_guid);
	if (!dump->no_names) {
		processes_open(&dump->processes, !paths);
		dump->printer.processes = &dump->processes;
		if (paths)
			processes_ahead(&dump->processes, paths);
	}
	if (dump->operations)
		select_of_operations(dump->select);
	select_ready(dump->select, start, &ask);
}

static int run(struct dump *dump, const char *name)
{
	int err = etw_source_open_session(&source, name);

	if (err)
		return open_fail(dump, name, err);
	reader = etw_source_session(&source);
	dump->handle = etw_session_info(reader)->handle;
	read_stat(dump, &dump->before);
	dump->now = dump->before;
	dump->printer.names = names_new(dump->fd);
	catch_signals(dump->duration_ms);
	prepare(dump, NULL, (int64_t)etw_session_info(reader)->start_wall);
	err = dump_events(dump);
	event_flush(&dump->printer);
	release_signals();
	report_losses(dump);
	manifest_report_problems();
	etw_source_close(&source);
	names_free(dump->printer.names);
	event_printer_free(&dump->printer);
	if (err)
		return cli_fail("session %s: reading failed: %s",
				cli_quote(name), cli_reason(-err));
	return dump->strict && dump->lossy ? VERIFY_EXIT_LOST : 0;
}

/* -------------------------------------------------------------------- options */

static void take_time(struct dump *dump, const char *text)
{
	static const char *const modes[] = {
		[EVENT_TIME_LOCAL] = "local",
		[EVENT_TIME_UTC] = "utc",
		[EVENT_TIME_RELATIVE] = "relative",
		[EVENT_TIME_DELTA] = "delta",
		[EVENT_TIME_RAW] = "raw",
		NULL
	};

	dump->printer.time = (enum event_time)cli_choice("--time", text, modes, sizeof(*modes));
	dump->time_given = true;
}

static void take_format(struct dump *dump, const char *text)
{
	const char *error;
	size_t column;

	event_format_free(dump->printer.format);
	dump->printer.format = event_format_parse(text, &error, &column);
	if (!dump->printer.format)
		cli_usage("--format: column %zu: %s", column, error);
	dump->print = event_print_format;
}

/* See https://no-color.org: any value but the empty one. */
static bool wants_colour(enum colour when)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

static void take_option(struct dump *dump, int option)
{
	if (select_option(&dump->select, option, optarg))
		return;
	switch (option) {
	case OPT_FORMAT:
		take_format(dump, optarg);
		break;
	case OPT_TIME:
		take_time(dump, optarg);
		break;
	case OPT_COLOR:
		dump->colour = (enum colour)cli_choice("--color", optarg, colours, sizeof(*colours));
		break;
	case OPT_MANIFEST:
		schema_load("--manifest", optarg, false);
		break;
	}
}

/* Refuse options that would be ignored. */
static void check_options(const struct dump *dump)
{
	if (dump->json && (dump->printer.format || dump->printer.message || dump->time_given))
		cli_usage("--json cannot be combined with --format, --message or --time");
	if (dump->by && !dump->by_operation)
		cli_usage("--by: only with --operations");
	if (dump->by_operation && dump->printer.hex)
		cli_usage("--operations cannot be combined with --raw");
	if (dump->printer.format && dump->printer.message)
		cli_usage("--format cannot be combined with --message; %%m is the message");
	if (dump->json && dump->colour == COLOUR_ALWAYS)
		cli_usage("--json cannot be combined with --color always");
	if (dump->printer.format && dump->colour == COLOUR_ALWAYS)
		cli_usage("--format cannot be combined with --color always");
}

/* Print the events of the session named by the only operand. */
static int dump_session(struct dump *dump, char **operands)
{
	const char *name = cli_name("SESSION", operands[0]);
	int status;

	if (operands[1])
		cli_usage("unexpected argument %s: only one session can be read",
			  cli_quote(operands[1]));
	if (dump->inputs.apart)
		cli_usage("--stack-events: only with files");
	dump->fd = device_open();
	if (dump->fd < 0)
		return 1;
	status = run(dump, name);
	etw_kdev_close(dump->fd);
	return status;
}

static int dump_files(struct dump *dump, char **paths)
{
	int status, i;

	for (i = 0; paths[i]; i++)
		if (!operand_may_be_file(paths[i]))
			cli_usage("%s is neither a file nor named like one: it has no / and does not end in .etl",
				  cli_quote(paths[i]));
	if (dump->duration_ms)
		cli_usage("--duration: only with a session");
	dump->inputs.apart |= dump->printer.hex;
	status = inputs_open(&dump->inputs, paths);
	if (!status) {
		inputs_schemas(&dump->inputs);
		prepare(dump, paths, inputs_start(&dump->inputs));
		/* An operation that starts before --until may end later. */
		if (!dump->operations)
			select_bound(dump->select, &dump->inputs);
		status = dump_events(dump) != 0;
	}
	event_flush(&dump->printer);
	if (!status)
		inputs_report(&dump->inputs);
	inputs_close(&dump->inputs);
	if (!status && dump->strict)
		status = verify_strict(paths);
	manifest_report_problems();
	event_printer_free(&dump->printer);
	return status;
}

int cmd_dump(int argc, char **argv)
{
	struct dump *dump = &job;
	char **operands;
	int option, status;

	while ((option = cli_next(&syntax, argc, argv)) != -1)
		take_option(dump, option);
	operands = cli_operands(&syntax, argc, argv);
	check_options(dump);
	if (dump->json)
		dump->print = event_print_json;
	if (dump->by_operation)
		dump->operations = operations_new(dump->by);
	if (dump->printer.hex && !dump->time_given)
		dump->printer.time = EVENT_TIME_RAW;
	dump->printer.colour = dump->print == event_print_text && wants_colour(dump->colour);
	status = operand_is_file(operands[0]) ? dump_files(dump, operands) :
					dump_session(dump, operands);
	if (!status && !dump->filled)
		select_report(dump->select);
	if (!status && dump->operations && !dump->filled)
		operations_report(dump->operations);
	operations_free(dump->operations);
	processes_report(&dump->processes, !dump->any && !dump->select && !dump->operations);
	processes_close(&dump->processes);
	select_free(dump->select);
	event_format_free(dump->printer.format);
	schema_unload();
	return status;
}
