/* SPDX-License-Identifier: MIT */
/*
 * merge.c - etw merge: combine log files into one, or write a selection of their events
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/bytes.h"
#include "cli/cli.h"
#include "cli/input/log_contents.h"
#include "cli/merge/doubts.h"
#include "cli/merge/run.h"
#include "cli/provider_counts.h"
#include "lib/consumer/event_record.h"
#include "etl/clock.h"
#include "etl/record.h"
#include "tdh/decode/embed.h"

#define LATE_MAX	(64u << 20)	/* bytes that are kept for the end; others stay in their place */

static struct run {
	struct etlrun common;	/* first */
	const char *path;
	struct merge_output out;
	bool with_manifests;
	bool has_since;				/* it is written that there is nothing older */
	struct etw_bytes late;			/* records for the end, each behind its size */
	struct provider_counts providers;	/* of what was written, for the manifests */
	unsigned int manifests;
	struct etw_event_items items;
} job;

static const struct cli_option options[] = {
	{ "output", 'o', "FILE", "the log file to write", CLI_TEXT(job.path) },
	{ "with-manifests", 0, NULL, "store the manifests of the events in it",
	  CLI_FLAG(job.with_manifests) },
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

/* Which providers need a manifest, and which have one in the files that are read? */
static void note_provider(struct run *run, const struct etlmerge_record *record)
{
	const struct etw_event_header *header = record->event->record.header;
	const bool is_piece = etw_embed_is_piece(header);
	struct provider_count *p;
	EVENT_RECORD decodable;

	if (record->about_trace && !is_piece)
		return;
	p = provider_counts_add(&run->providers, &header->provider, !is_piece);
	p->known |= is_piece;
	if (is_piece || p->lacks)
		return;
	etw_event_record(&decodable, record->event, &run->items, false);
	p->lacks = record_needs_manifest(&decodable);
}

/*
 * Machines are described at the end of each file. Readers look for them at both ends, since a file
 * may be large: so they come last here, too.
 */
static bool comes_last(const struct run *run, const struct etlmerge_record *record)
{
	return event_is_about_machine(record->event) && run->late.len + record->size < LATE_MAX;
}

static void keep(struct run *run, const struct etlmerge_record *record)
{
	etw_bytes_put(&run->late, &record->size, sizeof(record->size));
	etw_bytes_put(&run->late, record->data, record->size);
	if (run->late.error)
		cli_die("out of memory");
}

/* At the time of the last event, since a file is in order */
static int write_late(struct run *run)
{
	uint32_t size, times[ETW_ETL_TIMES];
	int status = 0;
	unsigned int n;
	uint8_t *copy;
	size_t at;

	for (at = 0; at < run->late.len && !status; at += sizeof(size) + size) {
		memcpy(&size, run->late.data + at, sizeof(size));
		copy = cli_calloc(1, size);
		memcpy(copy, run->late.data + at + sizeof(size), size);
		for (n = etw_etl_times(copy, size, times); n--;)
			memcpy(copy + times[n], &run->out.last, sizeof(run->out.last));
		status = merge_output_put(&run->out, &run->common.merge, 0, copy, size);
		free(copy);
	}
	return status;
}

/* In its place: before what has this time */
static int write_since(struct run *run, int64_t key)
{
	struct etlmerge *merge = &run->common.merge;

	if (!merge->has_since || run->has_since || key < merge->since_key)
		return 0;
	run->has_since = true;
	return etlmerge_put_before(merge, &run->out, merge->since_key);
}

static int one_record(struct etlrun *common, const struct etlmerge_record *record)
{
	struct run *run = (struct run *)common;

	if (run->with_manifests)
		note_provider(run, record);
	if (comes_last(run, record)) {
		keep(run, record);
		return 0;
	}
	if (write_since(run, record->key))
		return 1;
	return merge_output_write(&run->out, &common->merge, record);
}

static int put_piece(void *context, const void *record, size_t size)
{
	struct run *run = context;

	return merge_output_put(&run->out, &run->common.merge, 0, record, (uint32_t)size) ? -EIO : 0;
}

/* Write the manifests that the inputs do not have.  Returns the exit status. */
static int write_manifests(struct run *run)
{
	const size_t room = etw_etl_size_like(run->common.merge.like.header.BufferSize) -
			    sizeof(struct etw_buffer_header);
	char text[GUID_TEXT_SIZE];
	struct provider_count *p;
	GUID guid;
	size_t i;
	int err;

	for (i = 0; i < run->providers.count; i++) {
		p = run->providers.list + i;
		if (p->known || !p->lacks)
			continue;
		memcpy(&guid, &p->guid, sizeof(guid));
		err = etw_embed_records(&guid, run->out.last, room < UINT16_MAX ? room : 0,
					put_piece, run);
		run->manifests += !err;
		if (err == -ENOENT || err == -EINVAL)
			cli_note("no manifest of %s is known: elsewhere its events cannot be decoded, see etw-manifest(1)",
				 guid_text(&p->guid, text));
		else if (err)
			return err == -EIO ? 1 :
			       cli_fail("%s: the manifest of %s cannot be written: %s",
					cli_quote(run->path), guid_text(&p->guid, text),
					err == -E2BIG ? "it is too large" : strerror(-err));
	}
	return 0;
}

/* What no record of the files tells */
static int write_doubts(struct run *run)
{
	struct etlmerge *merge = &run->common.merge;
	_Alignas(8) uint8_t slot[ETW_LOSS_SLOT_MAX];
	int status = write_since(run, INT64_MAX);

	if (status || !merge->silent)
		return status;
	return merge_output_put(&run->out, merge, 0, slot,
				etlmerge_unrecorded(merge, run->out.last, slot));
}

static int write_file(struct run *run)
{
	struct etlmerge *merge = &run->common.merge;
	struct merge_output *out = &run->out;
	int status = merge_output_create(out, run->path, &run->common);

	if (!status)
		status = etlrun_records(&run->common, one_record);
	if (!status)
		status = write_doubts(run);
	if (!status)
		status = write_late(run);
	if (!status && run->with_manifests)
		status = write_manifests(run);
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
		if (run->with_manifests)
			json_writer_unsigned(&line, "manifests", run->manifests);
		json_print(&line);
	}
	if (run->common.quiet)
		return;
	cli_note("%s: %" PRIu64 " event%s, %" PRIu64 " bytes", cli_quote(run->path), out->events,
		 cli_s(out->events), out->count.bytes);
	if (run->manifests)
		cli_note("with the manifest%s of %u provider%s", cli_s(run->manifests),
			 run->manifests, cli_s(run->manifests));
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
	etw_bytes_free(&run->late);
	provider_counts_free(&run->providers);
	etw_event_items_free(&run->items);
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
