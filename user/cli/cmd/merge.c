/* SPDX-License-Identifier: MIT */
/*
 * merge.c - etw merge: combine log files into one, or write a selection of their events
 */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/merge/run.h"

static struct run {
	struct etlrun common;	/* first */
	const char *path;
	struct merge_output out;
} job;

static const struct cli_option options[] = {
	{ "output", 'o', "FILE", "the log file to write", CLI_TEXT(job.path) },
	ETLRUN_OPTIONS(job.common),
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Combine the records of log files (.etl) into one, in the order of time, or only\n"
		"those that the options select.  Records are copied unchanged; times of files\n"
		"with another clock are converted.  The output is complete or does not exist.",
	.operands = { "FILE..." },
	.options = options,
	.example = "etw merge -o all.etl kernel.etl app.etl --since +10s --until +20s",
};

static int one_record(struct etlrun *common, const struct etlmerge_record *record)
{
	struct run *run = (struct run *)common;

	return merge_output_write(&run->out, &common->merge, record);
}

static int write_file(struct run *run)
{
	struct etlmerge *merge = &run->common.merge;
	struct merge_output *out = &run->out;
	int status = merge_output_create(out, run->path, &run->common);

	if (!status)
		status = etlrun_records(&run->common, one_record);
	if (status)
		return status;
	etw_etl_lost(run->out.writer, merge->lost_events, merge->lost_buffers);
	if (merge->unclosed)
		etw_etl_doubt(run->out.writer);
	status = merge_output_finish(&run->out, merge->end_time);
	return status || cli_ending() ? 1 : merge_output_commit(&out, 1);
}

static void report(struct run *run)
{
	struct merge_output *out = &run->out;
	struct etw_text line = { 0 };

	etlrun_report(&run->common);
	if (run->common.json) {
		json_writer_open(&line, NULL, '{');
		merge_output_json(&line, out);
		json_print(&line);
	}
	if (run->common.quiet)
		return;
	cli_note("%s: %" PRIu64 " event%s, %" PRIu64 " bytes", cli_quote(run->path), out->events,
		 cli_s(out->events), out->count.bytes);
	merge_output_note(&out, 1);
}

static int merge_files(struct etlrun *common)
{
	struct run *run = (struct run *)common;
	int status = write_file(run);

	if (status)
		merge_output_discard(&run->out);
	else
		report(run);
	merge_output_free(&run->out);
	return status;
}

int cmd_merge(int argc, char **argv)
{
	char **operands;
	int option;

	while ((option = cli_next(&syntax, argc, argv)) != -1)
		etlrun_option(&job.common, option, optarg);
	operands = cli_operands(&syntax, argc, argv);
	if (!job.path)
		cli_usage("missing --output");
	if (!strcmp(job.path, "-"))
		cli_usage("--output: a log file is not written to standard output");
	return etlrun(&job.common, operands, merge_files);
}
