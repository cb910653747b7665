/* SPDX-License-Identifier: MIT */
/*
 * dump.c - etw dump: print the events of a session or of log files
 *
 * Ctrl-C, SIGTERM and the end of --duration wake the reader, which then returns the
 * waiting events and ends, so that every delivered event is printed.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/input/end_time.h"
#include "cli/input/inputs.h"
#include "cli/input/log_contents.h"
#include "cli/operand.h"
#include "cli/input/operations.h"
#include "cli/input/value_names.h"
#include "cli/print/clock.h"
#include "cli/print/event.h"
#include "cli/print/slowest.h"
#include "cli/print/workers.h"
#include "cli/print/unnamed.h"
#include "cli/input/processes.h"
#include "cli/progress.h"
#include "cli/sample.h"
#include "cli/screen.h"
#include "dump.h"
#include "manifest.h"
#include "cli/schema.h"
#include "cli/request/select.h"
#include "cli/session.h"
#include "cli/symbols/symbols.h"
#include "cli/verify/verify.h"
#include "core/ledger.h"
#include "device/kdev.h"
#include "lib/consumer/session_reader.h"
#include "tdh/decode/embed.h"

#define LOOK_MS		500	/* ms between two checks of stdout */
#define LOOK_EVENTS	1024	/* between two checks of the progress */

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
	bool stack;		/* print whole stacks, with names */
	bool no_pager;
	const char *columns;
	unsigned int width;	/* of the terminal that stdout is; 0: none */
	bool short_header;	/* print a file's header in short */
	uint64_t shown[ETW_LOSS_END];	/* events in the records of losses that were printed */
	uint64_t read;		/* events of files */
	struct progress progress;
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
	const struct dump_owner *owner;	/* of the session, or NULL */
	bool ended;		/* by its owner */
	struct end_time end;
	bool final;		/* now is: no more events will be written */
	bool filled;		/* count events were printed */
	struct event_printer printer;
	struct processes processes;
	bool by_operation;
	const char *by;		/* what pairs them; NULL: not given */
	uint32_t slowest;	/* print only so many, at the end; 0: all as they end */
	const char *span;	/* before and after these, for around; NULL: not given */
	struct around *around;	/* keeps what happened around them, or NULL */
	struct slowest_rule rule;	/* for around */
	struct operations *operations;	/* NULL: print events */
	struct operation operation;
	bool any;		/* an event of a provider was printed */
	struct unnamed unnamed;	/* of files */
	struct select *select;	/* NULL: all events */
	struct symbols_request symbols;
} job = { .print = event_print_text };

enum { OPT_FORMAT = 0x100, OPT_TIME, OPT_COLOR, OPT_MANIFEST };

#define COMMON_OPTIONS								\
	{ "operations", 0, NULL, "print a start and its stop as one, with the duration", \
	  CLI_FLAG(job.by_operation) },						\
	{ "slowest", 0, "N", "print only the N longest operations, at the end",	\
	  CLI_NUMBER(job.slowest, 1, 1000) },					\
	{ "around", 0, "TIME", "and all events from so long before to after each", \
	  CLI_TEXT(job.span) },							\
	{ "count", 'n', "N", "end after N events", CLI_NUMBER(job.count, 1, UINT32_MAX) }, \
	{ "duration", 0, "TIME", "end after that time: 10s, 500ms, 2m",		\
	  CLI_MILLIS(job.duration_ms, 1, CLI_DURATION_MAX) },			\
	CLI_OPTION_JSON(job.json),						\
	CLI_OPTION_STRICT(job.strict)

#define OUTPUT_OPTIONS								\
	{ "by", 0, "WHAT", "pair operations by activity, thread or a field", CLI_TEXT(job.by) }, \
	{ "no-losses", 0, NULL, "leave out the records of losses", CLI_FLAG(job.no_losses) }, \
	{ "message", 0, NULL, "print the event's message instead of its fields", \
	  CLI_FLAG(job.printer.message) },					\
	{ "format", OPT_FORMAT, "FORMAT", "for instance '%t %P %e %{Number}': see etw-dump(1)", NULL }, \
	{ "time", OPT_TIME, "MODE", "local (default), utc, relative, delta or raw", NULL }, \
	{ "columns", 0, "COLUMNS", "these, aligned: time,process,event,fields",	\
	  CLI_TEXT(job.columns) },						\
	{ "color", OPT_COLOR, "WHEN", "auto (default: on a terminal), always or never", NULL }, \
	{ "no-names", 0, NULL, "print no names of processes and threads", \
	  CLI_FLAG(job.no_names) },						\
	{ "raw", 0, NULL, "print clock ticks and hexadecimal payloads", CLI_FLAG(job.printer.hex) }

const struct cli_option dump_common_options[] = { COMMON_OPTIONS, CLI_OPTION_END };
const struct cli_option dump_output_options[] = {
	CLI_HEADING("output"), OUTPUT_OPTIONS, CLI_OPTION_END
};

static const struct cli_option options[] = {
	SELECT_OPTIONS,
	COMMON_OPTIONS,
	CLI_HEADING("more selection"),
	SELECT_MORE_OPTIONS,
	CLI_OPTION_PROCESSES(job.processes.show),
	CLI_OPTION_MACHINE(job.processes.show_machine),
	CLI_OPTION_STACK_EVENTS(job.inputs.apart),
	CLI_HEADING("output"),
	OUTPUT_OPTIONS,
	{ "stack", 0, NULL, "print whole stacks, with names of functions", CLI_FLAG(job.stack) },
	CLI_OPTIONS_SYMBOLS(job.symbols),
	{ "no-pager", 0, NULL, "do not show files with $ETW_PAGER, $PAGER or less",
	  CLI_FLAG(job.no_pager) },
	{ "manifest", OPT_MANIFEST, "FILE", "take names from this manifest first", NULL },
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
	const int flags = SA_RESTART | (int)SA_RESETHAND;
	struct itimerval timer = {
		.it_value.tv_sec = duration_ms / 1000,
		.it_value.tv_usec = duration_ms % 1000 * 1000,
	};

	cli_catch(SIGINT, on_signal, flags);
	cli_catch(SIGTERM, on_signal, flags);
	if (!duration_ms)
		return;
	signal(SIGALRM, SIG_DFL);	/* --duration means it */
	cli_catch(SIGALRM, on_signal, flags);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Call before closing the reader: later signals have their default effect. */
static void release_signals(void)
{
	static const struct itimerval off;

	setitimer(ITIMER_REAL, &off, NULL);
	cli_catch(SIGINT, SIG_DFL, 0);
	cli_catch(SIGTERM, SIG_DFL, 0);
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

/* Between the two, the counters of the session are final. */
static void end_session(struct dump *dump)
{
	const struct dump_owner *owner = dump->owner;

	if (!owner || dump->ended)
		return;
	dump->ended = true;
	owner->quiesce(owner->context);
	dump->final = !read_stat(dump, &dump->now);
	owner->stop(owner->context);
}

static void look(struct dump *dump)
{
	if (dump->owner && !dump->ended && dump->owner->is_over(dump->owner->context))
		end_session(dump);
}

/* How long to wait for the next event, in ms */
static int look_ms(struct dump *dump)
{
	int ms = end_time_wait(&dump->end, dump->fd, dump->handle);

	if (!ms && dump->owner)
		end_session(dump);
	else if (!ms)
		etw_source_stop(&source);
	return ms && ms < LOOK_MS ? ms : LOOK_MS;
}

/* Before the first wait for a session that keeps its events until somebody wants them */
static void note_buffering(void)
{
	const struct etw_session_info *session = etw_session_info(reader);
	static bool noted;

	if (noted || !(session->mode & ETW_MODE_BUFFERING))
		return;
	noted = true;
	cli_note("session %s is in buffering mode: it delivers its events when etw flush is called",
		 cli_quote(session->name));
}

/* Wait for the session's next event; flush the output before sleeping. */
static int next_of_session(struct dump *dump, struct etw_event *event)
{
	int err;

	look(dump);
	err = etw_source_next(&source, event, 0);
	if (err != -EAGAIN)
		return err;
	event_flush(&dump->printer);
	note_buffering();
	if (!dump->final)
		refresh_stat(dump);
	while (!screen_is_unread()) {
		err = etw_source_next(&source, event, look_ms(dump));
		if (err != -EAGAIN)
			return err;
		look(dump);
	}
	raise(SIGPIPE);		/* printing the next event would do the same */
	return 0;
}

/* The next event of files; *input: which one it is of */
static int next_of_inputs(struct dump *dump, const struct etw_event **event, unsigned int *input)
{
	if (!(++dump->read % LOOK_EVENTS) && progress_due(&dump->progress))
		progress_show(&dump->progress, inputs_progress(&dump->inputs), dump->read);
	return inputs_next(&dump->inputs, event, input);
}

/* 1: *event; 0: there are no more that are wanted; negative: an error */
static int next_event(struct dump *dump, const struct etw_event **event, unsigned int *input)
{
	static struct etw_event own;
	int err;

	if (!reader)
		return next_of_inputs(dump, event, input);
	*event = &own;
	err = next_of_session(dump, &own);
	if (err != 1)
		return err;
	if (dump->owner)
		dump->owner->saw(dump->owner->context, &own);
	if (own.lost_events && !dump->final)
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

/* What a line has reported is not new at the end. */
static void count_shown(struct dump *dump, const struct etw_loss *loss, unsigned int input)
{
	if (!reader)
		inputs_shown(&dump->inputs, input, loss);
	else if (loss->payload.code < ETW_LOSS_END && loss->payload.events > 0)
		dump->shown[loss->payload.code] += (uint64_t)loss->payload.events;
}

/* --slowest: print it at the end if it is one of the longest. */
static void keep_operation(struct dump *dump)
{
	unsigned int rank = operations_keep(dump->operations, &dump->operation, dump->slowest);

	if (dump->around)
		around_operation(dump->around, rank, &dump->operation);
}

static int read_events(struct dump *dump)
{
	const struct etw_event *event;
	struct etw_loss loss;
	uint32_t printed = 0;
	unsigned int input = 0;
	bool wanted, lost;
	int err;

	while ((err = next_event(dump, &event, &input)) == 1) {
		event_learn_provider(&dump->printer, event);
		if (!processes_event(&dump->processes, event))
			continue;
		dump->printer.operation = NULL;
		if (reader && dump->around && slowest_shows(&dump->rule, event))
			around_event(dump->around, event);
		lost = etw_loss_of(event, &loss);
		if (lost)
			wanted = !dump->no_losses && !dump->around && select_loss(dump->select, &loss);
		else if (dump->operations)
			wanted = ends_operation(dump, &event);
		else
			wanted = select_event(dump->select, event);
		if (event_is_schema(&dump->printer, event) || !wanted)
			continue;
		if (dump->slowest && !lost) {
			keep_operation(dump);
			continue;
		}
		if (lost)
			count_shown(dump, &loss, input);
		dump->any = dump->any || !event_is_about_trace(event);
		if (dump->short_header && event_is_file_header(event))
			event_print_file(&dump->printer, event, inputs_path(&dump->inputs, input),
					 inputs_file(&dump->inputs, input));
		else
			dump->print(&dump->printer, event);
		if (!reader)
			unnamed_add(&dump->unnamed, &dump->printer);
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
	char cause[128];
	int i;

	for (i = 0; i < ETW_DROP_CAUSES; i++) {
		uint64_t n = etw_stat_dropped(&dump->now, i) -
			     etw_stat_dropped(&dump->before, i);

		if (!n)
			continue;
		snprintf(cause, sizeof(cause), "%s%s", etw_loss_text(i),
			 inputs_shown_text(dump->shown[i], n));
		sample_report_lost(dump->stopped ? "at least " : "", n, cause);
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
	sample_report_unread(info.buffers_lost, info.events_lost,
			     inputs_shown_text(dump->shown[ETW_LOSS_CONSUMER], info.events_lost));
	sample_report_unreadable(counts.corrupt);
	dump->lossy = info.buffers_lost || counts.corrupt;
	dump->stopped = !dump->final && read_stat(dump, &dump->now) != 0;
	if (!dump->stopped)
		dump->marked = false;
	report_drops(dump);
}

/* paths: of files, or NULL */
static int dump_events(struct dump *dump, char **paths)
{
	int err = read_events(dump);

	if (!err && paths && dump->around)
		err = slowest_reread(dump->around, paths, dump->inputs.apart, &dump->rule);
	if (dump->slowest)
		slowest_print(dump->operations, dump->around, &dump->printer, dump->print);
	return err;
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

/* paths: of files; NULL: a session */
static void prepare(struct dump *dump, char **paths)
{
	static const struct etw_guid process_guid = ETW_PROCESS_GUID, image_guid = ETW_IMAGE_GUID;
	static const struct etw_guid machine_guid = ETW_MACHINE_GUID;
	const struct etw_expr_ask ask = {
		.provider = paths ? NULL : ask_provider,
		.process = dump->no_names ? NULL : ask_process,
		.context = dump,
	};
	const int64_t start = paths ? inputs_start(&dump->inputs) :
				      (int64_t)etw_session_info(reader)->start_wall;

	dump->processes.show |= select_names_guid(dump->select, &process_guid);
	/* Sessions that are watched have it because somebody asked for it. */
	dump->processes.show_images |= !paths || select_names_guid(dump->select, &image_guid);
	dump->processes.images = symbols_images(dump->printer.symbols);
	dump->processes.show_machine |= dump->printer.hex ||
					select_names_guid(dump->select, &machine_guid);
	if (!dump->no_names) {
		processes_open(&dump->processes, !paths);
		dump->printer.processes = &dump->processes;
	}
	if (paths && (!dump->no_names || dump->printer.symbols))
		processes_ahead(&dump->processes, paths);
	if (dump->by_operation)
		dump->operations = operations_new(dump->by);
	dump->processes.show_images |= dump->processes.show;
	dump->rule = (struct slowest_rule){ dump->processes.show, dump->processes.show_images,
					    !dump->no_losses };
	/* A session that runs has no end but the present. */
	select_ready(dump->select, start, paths ? inputs_end(&dump->inputs) : clock_now(), &ask);
	dump->end = (struct end_time){ .at = select_until(dump->select), .owned = dump->owner };
}

/* What the printing of the session's events takes, until it is closed */
static void open_printer(struct dump *dump)
{
	dump->printer.names = names_new(dump->fd);
	if (dump->printer.symbols)
		symbols_use_kernel(dump->printer.symbols);
	prepare(dump, NULL);
}

static void close_printer(struct dump *dump)
{
	manifest_report_problems();
	etw_source_close(&source);
	names_free(dump->printer.names);
	event_printer_free(&dump->printer);
}

static int print_session(struct dump *dump, const char *name)
{
	int err = dump_events(dump, NULL);

	event_flush(&dump->printer);
	end_session(dump);
	if (!dump->owner)
		release_signals();
	report_losses(dump);
	if (err)
		return cli_fail("session %s: reading failed: %s",
				cli_quote(name), cli_reason(-err));
	return dump->strict && dump->lossy ? VERIFY_EXIT_LOST : 0;
}

static int run(struct dump *dump, const char *name)
{
	int err, status = 0;

	/* What comes while they are read has to find room, once the session has a reader. */
	if (!dump->owner)
		value_names_of_session(dump->fd, name);
	err = etw_source_open_session(&source, name);
	if (err)
		return session_read_fail(dump->fd, name, err);
	reader = etw_source_session(&source);
	dump->handle = etw_session_info(reader)->handle;
	read_stat(dump, &dump->before);
	dump->now = dump->before;
	if (!dump->owner)
		catch_signals(dump->duration_ms);
	open_printer(dump);
	if (dump->owner)
		status = dump->owner->begin(dump->owner->context, dump->duration_ms);
	if (!status)
		status = print_session(dump, name);
	close_printer(dump);
	return status;
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

static bool wants_colour(enum colour when)
{
	return when == COLOUR_AUTO ? screen_has_colour() : when == COLOUR_ALWAYS;
}

/* How lines look: what is asked for; else, on a terminal, fitted columns; else plain lines. */
static void choose_print(struct dump *dump)
{
	struct event_printer *printer = &dump->printer;

	dump->width = screen_width();
	if (dump->json)
		dump->print = event_print_json;
	if (dump->stack)
		printer->symbols = symbols_new(&dump->symbols);
	if (printer->hex && !dump->time_given)
		printer->time = EVENT_TIME_RAW;
	if (dump->print != event_print_text)
		return;
	printer->colour = wants_colour(dump->colour);
	if (dump->width || dump->columns) {
		printer->layout = event_layout_new(dump->width, dump->columns);
		dump->print = event_print_layout;
	}
}

void dump_option(int option)
{
	struct dump *dump = &job;

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
	if ((dump->json || dump->printer.format) && dump->columns)
		cli_usage("--columns cannot be combined with --json or --format");
	if (dump->printer.format && dump->stack)
		cli_usage("--stack cannot be combined with --format");
	if (dump->json && (dump->printer.format || dump->printer.message || dump->time_given))
		cli_usage("--json cannot be combined with --format, --message or --time");
	if (dump->slowest && dump->count)
		cli_usage("--slowest cannot be combined with --count");
	if (dump->span && !dump->slowest)
		cli_usage("--around: only with --slowest");
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
		dump->short_header = dump->width && dump->printer.layout && !dump->printer.hex;
		event_read_machines(&dump->printer, &dump->inputs, dump->short_header);
		if (dump->width && !dump->no_pager)
			screen_page();
		progress_begin(&dump->progress, dump->width);
		inputs_schemas(&dump->inputs);
		dump->printer.names = names_new(-1);
		prepare(dump, paths);
		if (!dump->operations) {
			/* An operation that starts before --until may end later. */
			select_bound(dump->select, &dump->inputs);
			event_workers_begin(&dump->printer, &dump->print, &dump->unnamed);
		}
		status = dump_events(dump, paths) != 0;
		progress_end(&dump->progress);
	}
	event_flush(&dump->printer);
	if (!status) {
		inputs_report(&dump->inputs);
		unnamed_report(&dump->unnamed);
		if (dump->printer.symbols)
			symbols_report(dump->printer.symbols);
	}
	inputs_close(&dump->inputs);
	if (!status && dump->strict)
		status = verify_strict(paths);
	manifest_report_problems();
	names_free(dump->printer.names);
	event_printer_free(&dump->printer);
	return status;
}

void dump_ready(bool stacks)
{
	struct dump *dump = &job;

	dump->by_operation |= dump->slowest != 0;
	if (stacks && !dump->json && !dump->printer.format)
		dump->stack = true;
	check_options(dump);
	if (dump->span)
		dump->around = around_new(slowest_span(dump->span), dump->slowest);
	select_check(dump->select, !dump->no_names, dump->by_operation);
	choose_print(dump);
}

/* Report what was selected and never seen, and free the options. */
static void end_options(struct dump *dump, int status)
{
	if (!status && !dump->filled) {
		if (dump->operations)
			operations_report(dump->operations);
		/* Its owner reports if there were none to select from. */
		if (select_has_looked(dump->select) ||
		    (!dump->owner && operations_any(dump->operations)))
			select_report(dump->select, dump->operations);
	}
	unnamed_free(&dump->unnamed);
	/* Who starts a session with names has not asked to see their events. */
	processes_report(&dump->processes,
			 !dump->any && !dump->select && !dump->operations && !dump->owner);
	operations_free(dump->operations);
	around_free(dump->around);
	processes_close(&dump->processes);
	select_free(dump->select);
	event_format_free(dump->printer.format);
	event_layout_free(dump->printer.layout);
	symbols_free(dump->printer.symbols);
	schema_unload();
}

int dump_owned(int fd, const char *name, const struct dump_owner *owner)
{
	struct dump *dump = &job;
	int status;

	dump->fd = fd;
	dump->owner = owner;
	dump->processes.show = owner->process_events;
	status = run(dump, name);
	end_options(dump, status);
	return status;
}

int cmd_dump(int argc, char **argv)
{
	struct dump *dump = &job;
	char **operands;
	int option, status;

	while ((option = cli_next(&syntax, argc, argv)) != -1)
		dump_option(option);
	operands = cli_operands(&syntax, argc, argv);
	dump_ready(false);
	status = operand_is_file(operands[0]) ? dump_files(dump, operands) :
					dump_session(dump, operands);
	end_options(dump, status);
	return status;
}
