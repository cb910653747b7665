/* SPDX-License-Identifier: MIT */
/*
 * merge.c - etw merge: log files as one, or some of the events of one
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "etlmerge.h"
#include "etlout.h"
#include "inputs.h"
#include "manifest.h"
#include "progress.h"
#include "schema.h"
#include "select.h"

#define LOOK_RECORDS	4096	/* between two looks at the clock */

enum { OPT_MANIFEST = 256 };

static const struct cli_option options[] = {
	{ "output", 'o', "FILE", "the log file to write" },
	ETLOUT_OPTIONS,
	{ "manifest", OPT_MANIFEST, "FILE", "names from it, beside those installed" },
	SELECT_OPTIONS,
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Write the records of log files (.etl) into one, in the order of time; or, with\n"
		"options that choose, some of them.  Records are kept as they are; times of\n"
		"files with another clock are converted.  The output is complete or not there.",
	.operands = { "FILE..." },
	.options = options,
	.example = "etw merge -o all.etl kernel.etl app.etl --since +10s --until +20s",
};

struct run {
	const char *path;
	struct etlout_options how;
	struct select *select;
	struct inputs inputs;
	struct etlmerge merge;
	struct etlout out;
	struct progress progress;
	uint64_t records;
};

static void look(struct run *run)
{
	if (run->records % LOOK_RECORDS == 0 && progress_due(&run->progress))
		progress_show(&run->progress, inputs_progress(&run->inputs), run->records);
}

/* Returns the exit status; nothing is told of a signal. */
static int write_records(struct run *run)
{
	struct etlmerge_record record;
	int ret, status;

	while ((ret = etlmerge_next(&run->merge, run->select, &record)) == 1) {
		status = etlout_write(&run->out, &run->merge, &record);
		if (status)
			return status;
		if (cli_ending())
			return 1;
		run->records++;
		look(run);
	}
	return ret ? inputs_fail(&run->inputs, (unsigned int)(run->merge.current -
							     run->merge.sources), ret) : 0;
}

static int write_file(struct run *run)
{
	struct etlmerge *merge = &run->merge;
	int status = etlout_create(&run->out, run->path, &run->how, merge, &run->inputs);

	if (status)
		return status;
	progress_begin(&run->progress, run->how.quiet);
	status = write_records(run);
	progress_end(&run->progress);
	if (status)
		return status;
	etlmerge_losses(merge);
	etw_etl_lost(run->out.writer, merge->lost_events, merge->lost_buffers);
	status = etlout_finish(&run->out, merge->end_time);
	return status || cli_ending() ? 1 : etlout_commit(&run->out);
}

static void tell(const struct run *run)
{
	inputs_tell(&run->inputs);
	manifest_tell_problems();
	select_tell(run->select);
	if (run->merge.skipped)
		cli_note("%" PRIu64 " record%s could not be written", run->merge.skipped,
			 cli_s(run->merge.skipped));
	if (!run->how.quiet)
		cli_note("%s: %" PRIu64 " event%s, %" PRIu64 " bytes", cli_quote(run->path),
			 run->out.count.events, cli_s(run->out.count.events),
			 run->out.count.bytes);
}

static int merge_files(struct run *run)
{
	int status;

	if (select_decodes(run->select))
		inputs_schemas(&run->inputs);
	select_ready(run->select, inputs_start(&run->inputs), NULL);
	etlmerge_begin(&run->merge, &run->inputs);
	cli_catch_ending();
	status = write_file(run);
	if (status)
		etlout_discard(&run->out);
	else
		tell(run);
	etlout_free(&run->out);
	etlmerge_end(&run->merge);
	return status;
}

int cmd_merge(int argc, char **argv)
{
	struct run run = { .path = NULL };
	char **operands;
	int option, status;

	while ((option = cli_next(&syntax, argc, argv)) != -1) {
		if (select_option(&run.select, option, optarg) ||
		    etlout_option(&run.how, option))
			continue;
		if (option == 'o')
			run.path = optarg;
		else
			schema_load("--manifest", optarg);
	}
	operands = cli_operands(&syntax, argc, argv);
	if (!run.path)
		cli_usage("missing --output");
	if (!strcmp(run.path, "-"))
		cli_usage("--output: a log file is not written to standard output");
	status = inputs_open(&run.inputs, operands);
	if (!status)
		status = merge_files(&run);
	inputs_close(&run.inputs);
	select_free(run.select);
	schema_unload();
	cli_end();
	return status;
}
