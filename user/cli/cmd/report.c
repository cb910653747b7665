/* SPDX-License-Identifier: MIT */
/*
 * report.c - etw report: what log files say as a whole
 *
 * The report is computed in user/report. This file reads and selects the events, pairs
 * operations, and writes the result.
 */
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/input/inputs.h"
#include "cli/input/log_contents.h"
#include "cli/input/operations.h"
#include "cli/input/processes.h"
#include "cli/machine/machine.h"
#include "cli/names.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/request/select.h"
#include "cli/schema.h"
#include "cli/screen.h"
#include "cli/symbols/symbols.h"
#include "cli/verify/verify.h"
#include "base/atomic_file.h"
#include "etl/record.h"
#include "lib/consumer/event_record.h"
#include "manifest.h"
#include "report/html/html.h"
#include "report/report.h"
#include "symbols/frame_names.h"
#include "tdh/decode/decoder.h"
#include "tdh/decode/embed.h"

#define LOOK_EVENTS	1024	/* events between two checks of the progress */
#define WIDTH		80	/* columns where there is no terminal */
#define HELD_MAX	(10u << 20)	/* bytes of starts that wait for their stops */
#define SCHEMAS_MAX	(4u << 20)	/* likewise of schemas: those of thousands of events */

enum { OPT_MANIFEST = 256 };

enum form { FORM_TEXT, FORM_JSON, FORM_HTML };

static struct run {
	bool text, json, quiet, strict, diff;
	const char *baseline;		/* times of the first file of --diff; NULL: as of the second */
	char *since, *until;		/* both ends of it */
	struct etw_text times;		/* the options that say the time of the second */
	const char *by;			/* what pairs operations; NULL: not given */
	struct etw_text filter;		/* all of them, for the report */
	unsigned int filter_count;
	char **selection;		/* the options that select, for the report; NULL ends them */
	size_t selection_count;
	struct selected {
		int option;
		const char *value;
	} *selected;			/* the same, for another file */
	bool selects;			/* by more than time */
	enum form form;
	struct inputs inputs;
	struct output_file out;
	struct progress progress;
	struct select *select;
	struct symbols_request request;
	struct symbols *symbols;
	struct machines machines;	/* of the files */
	struct frame_names *frames;
	struct processes processes;
	struct names *names;
	struct operations *operations;
	struct etw_decoder *decoder;
	struct etw_event_items items;
	struct report *report;
	struct report *base;		/* of the first file of --diff */
	struct etw_text result;
	uint64_t read;
	int status;			/* of verify_files(), the worst */
} job;

static const struct cli_option options[] = {
	{ "text", 0, NULL, "print a summary for people (default)", CLI_FLAG(job.text) },
	{ "json", 'j', NULL, "print one JSON object", CLI_FLAG(job.json) },
	{ "output", 'o', "FILE", "write to FILE: .html, .json or .txt",
	  CLI_TEXT(job.out.path) },
	SELECT_OPTIONS,
	CLI_OPTION_STRICT(job.strict),
	{ "quiet", 'q', NULL, "no progress", CLI_FLAG(job.quiet) },
	CLI_HEADING("more selection"),
	SELECT_MORE_OPTIONS,
	CLI_OPTION_PROCESSES(job.processes.show),
	CLI_OPTION_STACK_EVENTS(job.inputs.apart),
	CLI_OPTIONS_SYMBOLS(job.request),
	CLI_HEADING("output and decoding"),
	{ "diff", 0, NULL, "compare two files", CLI_FLAG(job.diff) },
	{ "baseline", 0, "SINCE..UNTIL", "compare with this time, of one file or the first",
	  CLI_TEXT(job.baseline) },
	{ "by", 0, "WHAT", "pair operations by activity, thread or a field", CLI_TEXT(job.by) },
	{ "replace", 0, NULL, "do not keep existing output as FILE.old", CLI_FLAG(job.out.replace) },
	{ "manifest", OPT_MANIFEST, "FILE", "take names from this manifest first", NULL },
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Summarize log files: what was lost, who wrote how much and when, how long\n"
		"operations took, errors.  Events of all files are merged by time.",
	.operands = { "FILE..." },
	.options = options,
	.example = "etw report night.etl",
};

static void check(int err)
{
	if (err)
		cli_die("out of memory");
}

/* -------------------------------------------------------------- the selection */

/* Events have to fit all filters. */
static void note_filter(struct run *run, const char *value)
{
	struct etw_text both = { .data = NULL };

	if (!run->filter_count++) {
		etw_text_puts(&run->filter, value);
		check(run->filter.error);
		return;
	}
	etw_text_printf(&both, run->filter_count == 2 ? "(%s) && (%s)" : "%s && (%s)",
			run->filter.data, value);
	check(both.error);
	etw_text_free(&run->filter);
	run->filter = both;
}

static bool is_time(const struct selected *selected)
{
	return selected->option == SELECT_OPT_SINCE || selected->option == SELECT_OPT_UNTIL ||
	       selected->option == SELECT_OPT_LAST;
}

static void note_selection(struct run *run, int value, const char *argument)
{
	const struct cli_option *option = options;
	struct etw_text text = { .data = NULL };

	while (option->value != value)
		option++;
	etw_text_printf(&text, "--%s %s", option->name, argument);
	check(text.error);
	run->selected = cli_grow(run->selected, run->selection_count, sizeof(*run->selected));
	run->selected[run->selection_count] = (struct selected){ value, argument };
	run->selection = cli_grow(run->selection, run->selection_count + 1, sizeof(char *));
	run->selection[run->selection_count++] = text.data;
	run->selection[run->selection_count] = NULL;
	run->selects |= !is_time(&run->selected[run->selection_count - 1]);
	if (value == SELECT_OPT_FILTER)
		note_filter(run, argument);
}

/* What the command line selects in a file; of the first one of --diff another time may count. */
static void select_again(struct run *run, bool is_base)
{
	size_t i;

	select_free(run->select);
	run->select = NULL;
	for (i = 0; i < run->selection_count; i++)
		if (!is_base || !run->baseline || !is_time(&run->selected[i]))
			select_option(&run->select, run->selected[i].option,
				      run->selected[i].value);
	if (is_base && run->baseline)
		select_between(&run->select, "--baseline", run->since, run->until);
}

/* Both ends of --baseline */
static void take_baseline(struct run *run)
{
	const char *dots = run->baseline ? strstr(run->baseline, "..") : NULL;
	size_t i;

	if (!run->baseline)
		return;
	if (!dots || !run->baseline[2])
		cli_usage("--baseline: %s is not SINCE..UNTIL", cli_quote(run->baseline));
	run->since = strndup(run->baseline, (size_t)(dots - run->baseline));
	run->until = strdup(dots + 2);
	check(run->since && run->until ? 0 : -ENOMEM);
	run->diff = true;
	for (i = 0; i < run->selection_count; i++)
		if (is_time(&run->selected[i]))
			etw_text_printf(&run->times, "%s%s", run->times.len ? " " : "",
					run->selection[i]);
	if (!run->times.len)
		etw_text_puts(&run->times, "all of it");
	check(run->times.error);
	select_again(run, true);
}

static void free_selection(struct run *run)
{
	free(run->since);
	free(run->until);
	etw_text_free(&run->times);
	while (run->selection_count)
		free(run->selection[--run->selection_count]);
	free(run->selection);
	free(run->selected);
	etw_text_free(&run->filter);
}

/* ------------------------------------------------------------------ the form */

static bool has_suffix(const char *path, const char *suffix)
{
	const size_t len = strlen(path), n = strlen(suffix);

	return len > n && !strcmp(path + len - n, suffix);
}

static void choose_form(struct run *run)
{
	const char *path = run->out.path;

	if (path && !strcmp(path, "-"))
		path = run->out.path = NULL;
	if (run->text && run->json)
		cli_usage("--text cannot be combined with --json");
	if (run->text || run->json)
		run->form = run->json ? FORM_JSON : FORM_TEXT;
	else if (!path || has_suffix(path, ".txt"))
		run->form = FORM_TEXT;
	else if (has_suffix(path, ".json"))
		run->form = FORM_JSON;
	else if (has_suffix(path, ".html"))
		run->form = FORM_HTML;
	else
		cli_usage("--output %s: its suffix selects no format: use .html, .json, .txt, --json or --text",
			  cli_quote(path));
}

/* ------------------------------------------------------------------ questions */

static bool ask_process(void *context, uint32_t pid, int64_t time, const uint64_t *key,
			struct etw_process *process)
{
	return processes_find(&((struct run *)context)->processes, pid, time, key, process);
}

static const char *ask_provider(void *context, const struct etw_guid *guid)
{
	return names_get(((struct run *)context)->names, guid);
}

/* --------------------------------------------------------------------- events */

/* false: the event is for that only. */
static bool learn(struct run *run, const struct etw_event *event)
{
	const uint64_t before = run->processes.learned;
	const bool is_wanted = processes_event(&run->processes, event);
	struct etw_guid guid;
	const char *name = etw_process_provider_name(event, &guid);

	if (name)
		names_learn(run->names, &guid, name);
	if (run->processes.learned != before)
		report_processes_changed(run->report);
	return is_wanted;
}

static void pair(struct run *run, const struct convert_event *e)
{
	struct operation operation;
	struct report_pair pair;

	if (!operations_decoded(run->operations, e, report_mark(run->report), &operation))
		return;
	pair = (struct report_pair){
		.start = &operation.start, .stop = operation.stop, .mark = operation.mark, .decoder = operation.decoder,
		.decoded = operation.decoded, .known = operation.known, .ns = operation.ns,
	};
	check(report_pair(run->report, &pair));
}

static void take(struct run *run, const struct etw_event *event, unsigned int source)
{
	const bool about_trace = event_is_about_trace(event);
	struct convert_event e = { .event = event, .decoder = run->decoder, .source = source };
	EVENT_RECORD record;
	int err;

	if (about_trace && !etw_embed_is_piece(event->record.header))
		return;
	e.record = &record;
	run->items.keeps = true;
	etw_event_record(&record, event, &run->items, false);
	err = etw_decode_repeated(run->decoder, &record, run->items.repeated, &e.decoded);
	if (err == -ENOMEM)
		check(err);
	if (about_trace) {
		/* A schema, for the decoders only */
		select_may(run->select, event);
		check(report_schema(run->report, &record));
		return;
	}
	e.known = !err;
	if (!select_wants(run->select, &record, e.decoded, run->decoder))
		return;
	check(report_event(run->report, &e));
	pair(run, &e);
}

static int read_events(struct run *run)
{
	const struct etw_event *event;
	unsigned int source;
	int ret;

	while ((ret = inputs_next(&run->inputs, &event, &source)) == 1) {
		if (!(++run->read % LOOK_EVENTS)) {
			if (progress_due(&run->progress))
				progress_show(&run->progress, inputs_progress(&run->inputs),
					      run->read);
			if (cli_ending())
				return 1;
		}
		if (learn(run, event) &&
		    (select_may(run->select, event) || etw_embed_is_piece(event->record.header)))
			take(run, event, source);
	}
	return ret != 0;
}

/* The events around the slowest operations: files are read once more for them. */
static void take_around(struct run *run, const struct etw_event *event, unsigned int source)
{
	struct convert_event e = { .event = event, .decoder = run->decoder, .source = source };
	EVENT_RECORD record;
	int err;

	if (!report_around_wants(run->report, event) || event_is_about_trace(event) ||
	    processes_hides(&run->processes, event) || !select_may(run->select, event))
		return;
	e.record = &record;
	etw_event_record(&record, event, &run->items, false);
	err = etw_decode_repeated(run->decoder, &record, run->items.repeated, &e.decoded);
	if (err == -ENOMEM)
		check(err);
	e.known = !err;
	if (select_wants(run->select, &record, e.decoded, run->decoder))
		check(report_around_event(run->report, &e));
}

/* Pass buffers without such events behind this one. false: there are no more such events. */
static bool skip_others(const struct run *run, struct inputs *again, const struct etw_event *event)
{
	const int64_t next = report_around_next(run->report, event);

	inputs_skip_until(again, next);
	return next != INT64_MAX;
}

static int read_around(struct run *run, char **paths)
{
	const bool skips = inputs_are_ordered(&run->inputs);
	struct inputs again = { .apart = run->inputs.apart || skips, .again = true };
	const struct etw_event *event;
	unsigned int source, look = 0;
	int64_t until;
	int ret = report_around_begin(run->report, &until);

	if (ret < 0)
		check(ret);
	if (!ret)
		return 0;
	ret = inputs_open(&again, paths);
	if (!ret) {
		inputs_until(&again, until);
		if (skips)
			skip_others(run, &again, NULL);
		while ((ret = inputs_next(&again, &event, &source)) == 1) {
			if (!(++look % LOOK_EVENTS) && cli_ending())
				break;
			take_around(run, event, source);
			/* The next buffer follows. */
			if (skips && event->buffer_done && !skip_others(run, &again, event)) {
				ret = 0;
				break;
			}
		}
	}
	inputs_close(&again);
	check(report_around_end(run->report));
	return ret != 0;
}

/* -------------------------------------------------------------------- verdicts */

static void report_file_on(const char *path, const struct etw_verdict *verdict,
			   const struct machines *machines)
{
	struct report_machine machine = { .host = "", .kernel = "" };
	struct stat there;

	if (machines->count)
		machine = (struct report_machine){
			.host = machines->list->host, .kernel = machines->list->release,
			.boot = machines->list->boot, .count = (unsigned int)machines->count,
		};
	check(report_file(job.report, path, stat(path, &there) ? 0 : (uint64_t)there.st_size,
			  verdict, machines->count ? &machine : NULL));
}

static void add_file(const char *path, const struct etw_verdict *verdict)
{
	struct machines machines = { 0 };
	unsigned int undescribed = 0;

	/* Those of all files are those of the only one. */
	if (job.inputs.count == 1) {
		report_file_on(path, verdict, &job.machines);
		return;
	}
	/* What cannot be read of it is not known. */
	machines_read(&machines, path, &undescribed);
	report_file_on(path, verdict, &machines);
	machines_free(&machines);
}

/* --------------------------------------------------------------------- output */

/* The options that select for both sides: each side says its own time. */
static void drop_times(struct run *run)
{
	size_t i, n = 0;

	for (i = 0; i < run->selection_count; i++) {
		if (is_time(&run->selected[i]))
			free(run->selection[i]);
		else
			run->selection[n++] = run->selection[i];
	}
	if (n < run->selection_count)
		run->selection[n] = NULL;
	run->selection_count = n;
}

static void make_result(struct run *run)
{
	const struct report_about about = {
		.generator = "etw " ETW_VERSION, .filter = run->filter.data,
		.selection = (const char *const *)run->selection, .selects = run->selects,
		.base = run->base,
	};
	const unsigned int width = run->out.path ? 0 : screen_width();
	const struct report_screen screen = {
		.width = width ? width : WIDTH,
		.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
		.colour = !run->out.path && screen_has_colour(),
	};

	if (run->form == FORM_TEXT && run->base)
		check(report_text_diff(run->base, run->report, &about, &screen, &run->result));
	else if (run->form == FORM_TEXT)
		check(report_text(run->report, &about, &screen, &run->result));
	else
		check(report_json(run->report, &about, &run->result));
}

/* The page around the report's JSON */
static int write_page(struct run *run)
{
	int fd = dup(run->out.file.fd), err;
	FILE *page = fd < 0 ? NULL : fdopen(fd, "w");

	if (!page) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	err = etw_report_html_write(page, run->result.data, run->result.len);
	if (fclose(page) && !err)
		err = -errno;
	return err;
}

static int write_result(struct run *run)
{
	int err = run->form == FORM_HTML ? write_page(run) :
		  etw_write_all(run->out.file.fd, run->result.data, run->result.len);

	if (!err)
		return 0;
	return cli_fail("%s: %s", run->out.path ? cli_quote(run->out.path) : "standard output",
			strerror(-err));
}

static int write_output(struct run *run)
{
	int status;

	cli_catch_ending();
	status = output_file_open(&run->out, &run->inputs);
	if (!status)
		status = write_result(run);
	if (!status)
		status = cli_ending() ? 1 : output_file_commit(&run->out);
	if (status)
		output_file_discard(&run->out);
	free(run->out.file.kept);
	return status;
}

/* -------------------------------------------------------------------- command */

static void open_symbols(struct run *run)
{
	unsigned int undescribed = inputs_machines(&run->inputs, &run->machines);

	run->symbols = symbols_new(&run->request);
	inputs_symbols(&run->inputs, run->symbols, &run->machines, undescribed);
	run->processes.images = symbols_images(run->symbols);
	run->frames = frame_names_new(symbols_symbolizer(run->symbols));
	check(run->frames ? 0 : -ENOMEM);
}

static void prepare(struct run *run, char **paths)
{
	static const struct etw_guid process_guid = ETW_PROCESS_GUID;
	static const struct etw_guid image_guid = ETW_IMAGE_GUID;
	const struct etw_expr_ask ask = { .process = processes_ask, .context = &run->processes };
	struct report_host host = {
		.process = ask_process, .provider = ask_provider, .context = run, .by = run->by,
	};

	run->processes.show |= select_names_guid(run->select, &process_guid);
	run->processes.show_images |= select_names_guid(run->select, &image_guid);
	run->names = names_new(-1);
	open_symbols(run);
	host.frames = run->frames;
	processes_open(&run->processes, false);
	processes_ahead(&run->processes, paths);
	inputs_schemas(&run->inputs);
	select_ready(run->select, inputs_start(&run->inputs), inputs_end(&run->inputs), &ask);
	select_bound(run->select, &run->inputs);
	run->operations = operations_new(run->by);
	operations_hold(run->operations, HELD_MAX);
	run->decoder = etw_decoder_new();
	run->report = report_new(&host);
	check(!run->decoder || !run->report);
	etw_decoder_hold(run->decoder, SCHEMAS_MAX);
	if (run->baseline)
		report_part(run->report, run->base ? run->times.data : run->baseline);
	report_between(run->report, select_since(run->select), select_until(run->select));
	report_range(run->report, inputs_start(&run->inputs), inputs_end(&run->inputs));
}

/* Make the report on files; around: with the events around the slowest operations. */
static int read_files(struct run *run, char **paths, bool around)
{
	int status, verdict;

	prepare(run, paths);
	progress_begin(&run->progress, run->quiet);
	status = read_events(run);
	progress_end(&run->progress);
	operations_end(run->operations);
	malloc_trim(0);		/* there is room for the output */
	if (!status && around)
		status = read_around(run, paths);
	if (status)
		return status;
	verdict = verify_files(paths, add_file);
	if (verdict > run->status)
		run->status = verdict;
	return verdict == 1;
}

/* On stderr: what is wrong with the files, or was not found in them */
static void print_notes(struct run *run)
{
	inputs_report(&run->inputs);
	if (run->by || operations_any(run->operations))
		operations_report(run->operations);
	processes_report(&run->processes, false);
	symbols_report(run->symbols);
	select_report(run->select, false);
}

static void close_files(struct run *run)
{
	etw_decoder_free(run->decoder);
	etw_event_items_free(&run->items);
	operations_free(run->operations);
	names_free(run->names);
	frame_names_free(run->frames);
	symbols_free(run->symbols);
	machines_free(&run->machines);
	processes_close(&run->processes);
	select_free(run->select);
	inputs_close(&run->inputs);
}

/* The file that is compared with is no longer open when the output is written. */
static int check_output(const struct run *run, const char *path)
{
	struct stat input, output;

	if (run->out.path && !stat(path, &input) && !stat(run->out.path, &output) &&
	    input.st_dev == output.st_dev && input.st_ino == output.st_ino)
		return cli_fail("%s is one of the files to compare", cli_quote(run->out.path));
	return 0;
}

/* The first file of --diff becomes the base, and everything is as before it was read. */
static int read_base(struct run *run, char *path)
{
	const bool show = run->processes.show, apart = run->inputs.apart;
	char *paths[] = { path, NULL };
	int status = check_output(run, path);

	if (!status)
		status = inputs_open(&run->inputs, paths);
	if (!status)
		status = read_files(run, paths, false);
	if (status)
		return status;
	print_notes(run);
	close_files(run);
	run->base = run->report;
	run->report = NULL;
	run->decoder = NULL;
	run->operations = NULL;
	run->names = NULL;
	run->frames = NULL;
	run->symbols = NULL;
	run->select = NULL;
	run->read = 0;
	memset(&run->items, 0, sizeof(run->items));
	run->processes = (struct processes){ .show = show };
	run->inputs = (struct inputs){ .apart = apart };
	select_again(run, false);
	return 0;
}

static int report_files(struct run *run, char **paths)
{
	int status = 0;

	if (run->diff)
		status = read_base(run, *paths);
	if (run->diff && paths[1])
		paths++;
	if (!status)
		status = inputs_open(&run->inputs, paths);
	if (!status)
		status = read_files(run, paths, run->form != FORM_TEXT);
	if (status)
		return status;
	if (run->baseline && run->form == FORM_TEXT)
		drop_times(run);
	make_result(run);
	status = write_output(run);
	if (!status) {
		print_notes(run);
		manifest_report_problems();
	}
	return status;
}

static void clean_up(struct run *run)
{
	report_free(run->report);
	report_free(run->base);
	close_files(run);
	etw_text_free(&run->result);
	free_selection(run);
	schema_unload();
}

int cmd_report(int argc, char **argv)
{
	struct run *run = &job;
	char **operands;
	int option, status;

	while ((option = cli_next(&syntax, argc, argv)) != -1) {
		if (select_option(&run->select, option, optarg))
			note_selection(run, option, optarg);
		else
			schema_load("--manifest", optarg, false);
	}
	operands = cli_operands(&syntax, argc, argv);
	choose_form(run);
	take_baseline(run);
	if (run->baseline ? operands[0] && operands[1] && operands[2] :
	    run->diff && (!operands[1] || operands[2]))
		cli_usage(run->baseline ? "--baseline compares parts of one file or of two" :
			  "--diff compares two files");
	select_check(run->select, true, false);
	setlocale(LC_CTYPE, "");
	status = report_files(run, operands);
	if (!status && run->strict)
		status = run->status;
	clean_up(run);
	cli_end();
	return status;
}
