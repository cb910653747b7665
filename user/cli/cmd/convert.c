/* SPDX-License-Identifier: MIT */
/*
 * convert.c - etw convert: write log files in the formats of other tools
 *
 * The formats are in user/convert.  This file has their common parts: options, input, and
 * an output that is created only if it is complete.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "cli/cli.h"
#include "convert.h"
#include "cli/input/inputs.h"
#include "cli/input/log_contents.h"
#include "cli/symbols/symbols.h"
#include "manifest.h"
#include "cli/output_file.h"
#include "cli/input/processes.h"
#include "cli/progress.h"
#include "cli/schema.h"
#include "cli/request/select.h"
#include "etl/verify/source_verdict.h"
#include "lib/consumer/event_record.h"
#include "tdh/decode/decoder.h"
#include "tdh/decode/embed.h"

#define LOSSES_MAX	(1u << 18)	/* that are kept for formats that need them ahead */
#define LOOK_EVENTS	1024	/* events between two progress checks */

static struct run {
	const char *to, *from;
	bool quiet, json, no_losses, stack;
	bool silent;			/* a source is not whole, and no record tells that */
	struct convert c;
	struct inputs inputs;
	struct output_file out;
	struct progress progress;
	struct etw_decoder *decoder;
	struct etw_event_items items;
	struct select *select;
	struct processes processes;
	struct symbols_request request;
	struct symbols *symbols;		/* NULL: nothing needs them */
	struct machines machines;
	uint64_t read;			/* events, including embedded schemas */
	uint64_t events, unknown;	/* written */
} job;

enum { OPT_MANIFEST = 256, OPT_FIELDS };

static const struct cli_option options[] = {
	{ "output", 'o', "FILE", "write to FILE; its suffix selects the format",
	  CLI_TEXT(job.out.path) },
	{ "to", 0, "FORMAT", "text, json (lines), csv, ...: see etw-convert(1)", CLI_TEXT(job.to) },
	{ "replace", 0, NULL, "do not keep existing output as FILE.old", CLI_FLAG(job.out.replace) },
	{ "json", 'j', NULL, "print the summary as JSON; needs --output", CLI_FLAG(job.json) },
	{ "fields", OPT_FIELDS, "LIST", "the columns of csv: time,name,Size", NULL },
	SELECT_OPTIONS,
	{ "quiet", 'q', NULL, "no progress and no summary", CLI_FLAG(job.quiet) },
	CLI_HEADING("more selection"),
	SELECT_MORE_OPTIONS,
	CLI_HEADING("formats and decoding"),
	{ "from", 0, "FORMAT", "ctf: make a log file from a folder with a CTF trace",
	  CLI_TEXT(job.from) },
	{ "option", 0, "TEXT", "an option of the format", CLI_TEXT(job.c.option) },
	{ "no-losses", 0, NULL, "leave out the records of losses", CLI_FLAG(job.no_losses) },
	CLI_OPTION_PROCESSES(job.processes.show),
	CLI_OPTION_MACHINE(job.processes.show_machine),
	CLI_OPTION_STACK_EVENTS(job.inputs.apart),
	{ "stack", 0, NULL, "text, json, csv, ctf: whole stacks",
	  CLI_FLAG(job.stack) },
	CLI_OPTIONS_SYMBOLS(job.request),
	{ "manifest", OPT_MANIFEST, "FILE", "decode by this manifest, too", NULL },
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Write the events of log files (.etl), merged by time, in the format of another\n"
		"tool.  The output is created only if it is complete.  Losses and damage are\n"
		"reported on stderr.",
	.operands = { "FILE..." },
	.options = options,
	.example = "etw convert night.etl -o night.csv",
};

/* ------------------------------------------------------------------- formats */

/* In the order of the manual page: text and JSON lines first */
static const struct convert_format *format_at(size_t i)
{
	static const struct convert_format *const own[] = { &convert_text, &convert_json };
	const size_t n = sizeof(own) / sizeof(own[0]);

	return i < n ? own[i] : convert_formats[i - n];
}

static _Noreturn void no_format(const char *what, const char *name)
{
	char names[256] = "";
	size_t i, len = 0;

	for (i = 0; format_at(i) && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
					format_at(i)->name);
	cli_usage("%s %s; formats are %s", what, cli_quote(name), names);
}

static const struct convert_format *format_named(const char *name)
{
	size_t i;

	for (i = 0; format_at(i); i++)
		if (!strcmp(format_at(i)->name, name))
			return format_at(i);
	if (!strcmp(name, "ctf2"))
		cli_usage("--to ctf2: CTF 2 is not written; use ctf, CTF 1.8, which all readers take");
	no_format("--to: no format is called", name);
}

static const struct convert_format *format_of_suffix(const char *path)
{
	const struct convert_format *found = NULL;
	size_t i, len = strlen(path), most = 0;

	/* A folder may have slashes at its end. */
	while (len > 1 && path[len - 1] == '/')
		len--;
	for (i = 0; format_at(i); i++) {
		const char *suffix = format_at(i)->suffix;
		size_t n = suffix ? strlen(suffix) : 0;

		/* The longest one: .speedscope.json is no .json. */
		if (n > most && len > n && !strncasecmp(path + len - n, suffix, n)) {
			found = format_at(i);
			most = n;
		}
	}
	if (found)
		return found;
	no_format("--to is missing, and no format has the suffix of", path);
}

static void choose_format(struct run *run)
{
	const struct convert_format *format;

	if (run->out.path && !strcmp(run->out.path, "-"))
		run->out.path = NULL;
	if (run->json && !run->out.path)
		cli_usage("--json needs --output");
	if (!run->to && !run->out.path)
		cli_usage("missing --to, or --output with a suffix that selects the format");
	format = run->to ? format_named(run->to) : format_of_suffix(run->out.path);
	if (format->folder && !run->out.path)
		cli_usage("--to %s makes a folder: --output is missing", format->name);
	if (run->c.fields && !format->fields)
		cli_usage("--fields: not with %s", format->name);
	if (run->stack && !format->stacks && !format->may_stack)
		cli_usage("--stack: not with %s", format->name);
	if (run->c.option && !format->option)
		cli_usage("--option: %s has none", format->name);
	if (format->binary && !run->out.path && isatty(STDOUT_FILENO))
		cli_usage("--to %s is not written to a terminal: --output is missing",
			  format->name);
	run->c.format = format;
	run->out.folder = format->folder;
	run->out.mark = format->mark;
}

/* --------------------------------------------------------------------- events */

static int one_event(struct run *run, const struct etw_event *event,
		     const struct etw_loss *loss, unsigned int source)
{
	EVENT_RECORD record;
	struct convert_event e = { .event = event, .record = &record, .decoder = run->decoder,
				   .source = source };
	int err;

	run->items.keeps = true;
	etw_event_record(&record, event, &run->items, false);
	err = etw_decode_repeated(run->decoder, &record, run->items.repeated, &e.decoded);
	if (err == -ENOMEM)
		return convert_fail(&run->c, err, "out of memory");
	e.known = !err;
	e.loss = loss;
	if (!loss && !select_wants(run->select, &record, e.decoded, run->decoder))
		return 0;
	if (!event_is_about_trace(event)) {
		run->events++;
		run->unknown += !e.known;
	}
	return run->c.format->event(&run->c, &e);
}

/* Leave out what need not be decoded to know that it is not wanted. */
static int take_event(struct run *run, const struct etw_event *event, unsigned int source)
{
	struct etw_loss loss;

	if (etw_loss_of(event, &loss))
		return run->no_losses || !select_loss(run->select, &loss) ? 0 :
		       one_event(run, event, &loss, source);
	/* Embedded schemas are only for the decoder. */
	if (etw_embed_is_piece(event->record.header) || !select_may(run->select, event))
		return 0;
	return one_event(run, event, NULL, source);
}

/* Returns 0, or -errno of the format, or 1 if reading failed. */
static int all_events(struct run *run)
{
	const struct etw_event *event;
	unsigned int source;
	int ret, err;

	select_bound(run->select, &run->inputs);
	while ((ret = inputs_next(&run->inputs, &event, &source)) == 1) {
		err = processes_event(&run->processes, event) ? take_event(run, event, source) : 0;
		if (cli_ending())
			return -EINTR;
		if (err)
			return err;
		if (++run->read % LOOK_EVENTS == 0 && progress_due(&run->progress))
			progress_show(&run->progress, inputs_progress(&run->inputs),
				      run->events);
	}
	return ret ? 1 : 0;
}

/* Do the sources lack something that no count of lost events holds? */
static bool is_doubtful(const struct run *run)
{
	const struct etw_etl_file *file;
	unsigned int i;

	for (i = 0; i < run->inputs.count; i++) {
		file = inputs_file(&run->inputs, i);
		if (etw_etl_cut_off(file) || etw_etl_lost_buffers(file))
			return true;
	}
	return run->silent;
}

/* Of each file what its buffers show and nothing that is converted tells */
static void judge(struct run *run, char **paths)
{
	struct etw_source_verdict *list = cli_calloc(run->inputs.count, sizeof(*list));
	unsigned int i, failed;

	/* A file that cannot be read any more is reported later. */
	if (!etw_source_verdicts(paths, run->inputs.count, list, &failed))
		for (i = 0; i < run->inputs.count; i++)
			run->silent |= list[i].silent;
	free(list);
}

static int close_format(struct run *run, int ret)
{
	int err;

	inputs_losses(&run->inputs, &run->c.lost_events, &run->c.lost_buffers);
	run->c.doubtful = is_doubtful(run);
	err = run->c.format->close(&run->c, !ret);
	if (cli_ending())
		return -EINTR;
	return ret ? ret : err;
}

static int keep_loss(void *context, const struct etw_loss *loss)
{
	struct run *run = context;
	struct convert *c = &run->c;

	if (!select_loss(run->select, loss))
		return 0;
	if (c->loss_count == LOSSES_MAX) {
		c->losses_left_out++;
		return 0;
	}
	c->losses = cli_grow(c->losses, c->loss_count, sizeof(*c->losses));
	c->losses[c->loss_count++] = (struct convert_loss){
		.first = loss->first, .last = loss->last, .events = loss->payload.events,
		.of_session = loss->payload.code <= ETW_LOSS_ABANDONED,
		.cpu = loss->payload.cpu < 0 ? loss->at_cpu : (uint16_t)loss->payload.cpu,
	};
	return 0;
}

static int write_all(struct run *run)
{
	struct convert *c = &run->c;
	int ret;

	c->state = cli_calloc(1, c->format->size ? c->format->size : 1);
	run->decoder = etw_decoder_new();
	if (!run->decoder)
		cli_die("out of memory");
	c->out = run->out.file.fd;
	c->path = run->out.folder ? run->out.file.temp_path : run->out.path;
	if (c->format->ahead)
		inputs_losses_ahead(&run->inputs, keep_loss, run);
	progress_begin(&run->progress, run->quiet || (!run->out.path && isatty(STDOUT_FILENO)));
	ret = c->format->open ? c->format->open(c) : 0;
	if (!ret)
		ret = all_events(run);
	ret = close_format(run, ret);
	progress_end(&run->progress);
	etw_decoder_free(run->decoder);
	etw_event_items_free(&run->items);
	free(c->state);
	free(c->losses);
	if (ret < 0 && ret != -EINTR)
		cli_fail("%s", c->problem[0] ? c->problem : strerror(-ret));
	return ret;
}

/* -------------------------------------------------------------------- command */

static void report_json(const struct run *run)
{
	struct etw_text line = { 0 };

	json_writer_open(&line, NULL, '{');
	json_writer_word(&line, "output", run->out.path);
	json_writer_unsigned(&line, "events", run->events);
	json_writer_unsigned(&line, "without_schema", run->unknown);
	json_writer_word(&line, "moved", run->out.file.kept);
	json_print(&line);
}

static void report(struct run *run)
{
	char *line, *rest = run->c.notes;

	inputs_report(&run->inputs);
	manifest_report_problems();
	processes_report(&run->processes, !run->events && !run->select);
	if (run->symbols)
		symbols_report(run->symbols);
	while ((line = strsep(&rest, "\n")) && *line)
		cli_note("%s", line);
	if (run->json)
		report_json(run);
	if (run->quiet || !run->out.path)
		return;
	if (run->unknown)
		cli_note("%s: %" PRIu64 " event%s, %" PRIu64 " of them without a schema",
			 cli_quote(run->out.path), run->events, cli_s(run->events), run->unknown);
	else
		cli_note("%s: %" PRIu64 " event%s", cli_quote(run->out.path), run->events,
			 cli_s(run->events));
}

struct symbols *convert_symbols(void)
{
	return job.symbols;
}

static void open_symbols(struct run *run)
{
	unsigned int undescribed;

	if (!run->c.format->stacks && !run->stack)
		return;
	run->symbols = symbols_new(&run->request);
	undescribed = inputs_machines(&run->inputs, &run->machines);
	inputs_symbols(&run->inputs, run->symbols, &run->machines, undescribed);
	run->c.symbolizer = symbols_symbolizer(run->symbols);
	run->processes.images = symbols_images(run->symbols);
}

static int convert_all(struct run *run, char **paths)
{
	static const struct etw_guid process_guid = ETW_PROCESS_GUID;
	static const struct etw_guid image_guid = ETW_IMAGE_GUID;
	static const struct etw_guid machine_guid = ETW_MACHINE_GUID;
	const struct etw_expr_ask ask = { .process = processes_ask, .context = &run->processes };
	const struct etw_etl_info **sources = cli_calloc(run->inputs.count, sizeof(*sources));
	unsigned int i;
	int ret, status;

	/* The headers of the sources, in the order of the operands */
	for (i = 0; i < run->inputs.count; i++)
		sources[i] = etw_etl_info(inputs_file(&run->inputs, i));
	run->c.sources = sources;
	run->c.source_count = run->inputs.count;
	run->processes.show |= select_names_guid(run->select, &process_guid);
	run->processes.show_images |= select_names_guid(run->select, &image_guid);
	run->processes.show_machine |= select_names_guid(run->select, &machine_guid);
	open_symbols(run);
	processes_open(&run->processes, false);
	processes_ahead(&run->processes, paths);
	run->c.processes = run->processes.table;
	select_ready(run->select, inputs_start(&run->inputs), inputs_end(&run->inputs), &ask);
	inputs_schemas(&run->inputs);
	if (run->c.format->ahead)
		judge(run, paths);
	cli_catch_ending();
	run->out.quiet = run->quiet;
	status = output_file_open(&run->out, &run->inputs);
	if (!status) {
		ret = write_all(run);
		status = ret ? 1 : output_file_commit(&run->out);
	}
	if (status)
		output_file_discard(&run->out);
	free(sources);
	if (!status)
		report(run);
	free(run->out.file.kept);
	return status;
}

/*
 * A program of its own, so that etw does not depend on libbabeltrace2.  It is beside etw in
 * the build tree, and in ../libexec/etw when installed.
 */
#define READER	"etw-ctf-reader"

/* Start the reader in a folder relative to etw's own; returns if it is not there. */
static void try_reader(const char *own, const char *folder, char *const *args)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s" READER, own, folder);
	execv(path, args);
	if (errno != ENOENT)
		cli_die("%s: %s", cli_quote(path), strerror(errno));
}

/* Replace the process with the reader.  Returns an exit status if that cannot be started. */
static int convert_from_ctf(const char *folder, const char *out, bool replace, bool quiet)
{
	char *args[] = { READER, (char *)folder, (char *)out, NULL, NULL, NULL };
	char own[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	unsigned int count = 3;

	if (n < 0)
		return cli_fail("/proc/self/exe: %s", strerror(errno));
	own[n] = '\0';
	*strrchr(own, '/') = '\0';
	if (replace)
		args[count++] = "--replace";
	if (quiet)
		args[count++] = "--quiet";
	try_reader(own, "", args);
	try_reader(own, "../libexec/etw/", args);
	return cli_fail("--from ctf: " READER " is not installed: building it needs "
			"libbabeltrace2-dev");
}

/* --from: refuse options that select or describe events, which are for log files. */
static int from_other(const struct run *run, char **operands)
{
	const char *out = run->out.path;

	if (strcmp(run->from, "ctf"))
		cli_usage("--from: no format is called %s; it may be ctf", cli_quote(run->from));
	if (operands[1])
		cli_usage("--from ctf takes one folder");
	if (!out || !strcmp(out, "-"))
		cli_usage("--from ctf makes a log file: --output is missing");
	if (run->to && strcmp(run->to, "etl"))
		cli_usage("--from ctf makes only log files");
	if (run->c.fields || run->c.option || run->select || run->no_losses ||
	    run->inputs.apart || run->json || run->stack)
		cli_usage("--from ctf takes no options for events");
	return convert_from_ctf(operands[0], out, run->out.replace, run->quiet);
}

/* Add to the columns, whose names are needed until the process ends. */
static void take_fields(struct convert *c, const char *text)
{
	char *both;

	free(cli_list("--fields", text, ","));
	if (asprintf(&both, "%s%s%s", c->fields ? c->fields : "", c->fields ? "," : "", text) < 0)
		cli_die("out of memory");
	free((char *)c->fields);
	c->fields = both;
}

int cmd_convert(int argc, char **argv)
{
	struct run *run = &job;
	char **operands;
	int option, status;

	while ((option = cli_next(&syntax, argc, argv)) != -1)
		if (option == OPT_FIELDS)
			take_fields(&run->c, optarg);
		else if (!select_option(&run->select, option, optarg))
			schema_load("--manifest", optarg, false);
	operands = cli_operands(&syntax, argc, argv);
	if (run->from) {
		status = from_other(run, operands);
	} else {
		choose_format(run);
		select_check(run->select, true, false);
		status = inputs_open(&run->inputs, operands);
		if (!status)
			status = convert_all(run, operands);
		if (!status)
			select_report(run->select, false);
	}
	processes_close(&run->processes);
	symbols_free(run->symbols);
	machines_free(&run->machines);
	select_free(run->select);
	inputs_close(&run->inputs);
	schema_unload();
	cli_end();
	return status;
}
