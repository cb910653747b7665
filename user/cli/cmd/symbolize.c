/* SPDX-License-Identifier: MIT */
/*
 * symbolize.c - etw symbolize: write the names of the functions in a log file's stacks into it
 */
#include <errno.h>
#include <inttypes.h>
#include "cli/cli.h"
#include "cli/input/inputs.h"
#include "cli/input/processes.h"
#include "cli/machine/append.h"
#include "cli/progress.h"
#include "cli/symbols/recorded.h"
#include "cli/symbols/symbols.h"
#include "symbols/stack.h"

#define LOOK_EVENTS	1024	/* events between two checks of the progress */

static struct symbols_request request;
static bool quiet, json;

static const struct cli_option options[] = {
	CLI_OPTIONS_SYMBOLS(request),
	CLI_OPTION_JSON(json),
	{ "quiet", 'q', NULL, "no progress and no summary", CLI_FLAG(quiet) },
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Write the names of the functions in a log file's stacks into the file, for\n"
		"machines that do not have its programs.  Events stay as they are.  Needed where\n"
		"the programs are; 'etw dump --stack', 'report' and 'convert' read the names.",
	.operands = { "FILE" },
	.options = options,
	.example = "etw symbolize profile.etl",
};

struct run {
	struct inputs inputs;
	struct processes processes;
	struct machines machines;
	struct symbols *symbols;
	struct progress progress;
	uint64_t stacks;
	struct recorded_count count;
};

static bool find_names(struct run *run, const struct etw_event *event)
{
	struct symbol_frame frames[SYMBOLIZER_FRAMES];
	struct symbol_stack stack;
	struct symbol_place place;

	symbol_stack_begin(&stack, symbols_symbolizer(run->symbols), event);
	while (symbol_stack_next(&stack, &place))
		symbolizer_find(symbols_symbolizer(run->symbols), &place, frames);
	return stack.count;
}

static int read_events(struct run *run)
{
	const struct etw_event *event;
	unsigned int source;
	uint64_t read = 0;
	int ret;

	progress_begin(&run->progress, quiet);
	while ((ret = inputs_next(&run->inputs, &event, &source)) == 1) {
		processes_event(&run->processes, event);
		run->stacks += find_names(run, event);
		if (++read % LOOK_EVENTS)
			continue;
		if (cli_ending())
			break;
		if (progress_due(&run->progress))
			progress_show(&run->progress, inputs_progress(&run->inputs), read);
	}
	progress_end(&run->progress);
	return ret != 0;
}

/* machine_more_fn */
static int write_names(void *context, struct etw_etl_writer *writer,
		       const struct etw_etl_info *info)
{
	struct run *run = context;

	return recorded_write(symbols_symbolizer(run->symbols), writer, info, &run->count);
}

/* Nothing is appended if there is nothing new. */
static int append_names(struct run *run, const char *path)
{
	const struct symbol_frame *frames;
	struct symbol_location location;
	size_t at = 0;
	int err = 0;

	if (symbolizer_found(symbols_symbolizer(run->symbols), &at, &location, &frames))
		err = machine_append_file(path, 0, NULL, write_names, run);
	return err ? cli_fail("%s: %s", cli_quote(path), machine_append_reason(err)) : 0;
}

static void report(const struct run *run, const char *path)
{
	const uint64_t forgotten = symbolizer_forgotten(symbols_symbolizer(run->symbols));
	struct etw_text line = { .data = NULL };

	symbols_report(run->symbols);
	if (run->count.left_out)
		cli_note("%" PRIu64 " address%s no names in the file: they are longer than its buffers",
			 run->count.left_out, run->count.left_out == 1 ? " has" : "es have");
	if (forgotten)
		cli_note("%" PRIu64 " addresses have no names in the file: there are too many; run it once more",
			 forgotten);
	if (!quiet)
		cli_note("%s: %" PRIu64 " event%s with a stack, new names of functions for %" PRIu64
			 " address%s", cli_quote(path), run->stacks, cli_s(run->stacks),
			 run->count.places, run->count.places == 1 ? "" : "es");
	if (!json)
		return;
	json_writer_open(&line, NULL, '{');
	json_writer_word(&line, "file", path);
	json_writer_unsigned(&line, "stacks", run->stacks);
	json_writer_unsigned(&line, "addresses", run->count.places);
	json_writer_unsigned(&line, "left_out", run->count.left_out + forgotten);
	json_print(&line);
}

static int symbolize(struct run *run, char **paths)
{
	int status = inputs_open(&run->inputs, paths);
	unsigned int undescribed;

	if (status)
		return status;
	undescribed = inputs_machines(&run->inputs, &run->machines);
	run->symbols = symbols_new(&request);
	inputs_symbols(&run->inputs, run->symbols, &run->machines, undescribed);
	run->processes.images = symbols_images(run->symbols);
	processes_ahead(&run->processes, paths);
	cli_catch_ending();
	status = read_events(run);
	if (!status && cli_ending())
		status = 1;
	if (!status)
		status = append_names(run, paths[0]);
	if (!status)
		report(run, paths[0]);
	return status;
}

int cmd_symbolize(int argc, char **argv)
{
	char **operands = cli_parse(&syntax, argc, argv);
	static struct run run;
	int status;

	status = symbolize(&run, operands);
	processes_close(&run.processes);
	symbols_free(run.symbols);
	machines_free(&run.machines);
	inputs_close(&run.inputs);
	cli_end();
	return status;
}
