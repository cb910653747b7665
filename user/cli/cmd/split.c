/* SPDX-License-Identifier: MIT */
/*
 * split.c - etw split: divide a log file into several
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/schema.h"
#include "cli/merge/split_parts.h"
#include "cli/text.h"
#include "tdh/expr/time_expr.h"

#define SIZE_MIN	(256u << 10)	/* room for a header and a buffer of any size */

enum { OPT_BY = 256 };

enum split_by { BY_NONE, BY_SIZE, BY_TIME, BY_EVENTS, BY_CPU, BY_PROVIDER };

static struct run {
	struct etlrun common;		/* first */
	enum split_by by;
	uint64_t amount;	/* bytes, 100 ns, events */
	struct split_parts parts;
	struct split_part *current;	/* in parts.list, which moves when it grows */
	uint64_t in_current;		/* events in it; BY_TIME: number of its time slice */
} job;

static const struct cli_option options[] = {
	{ "by", OPT_BY, "WHAT", "size=64M, time=10s, events=1000, cpu or provider", NULL },
	{ "output", 'o', "NAME_%d.etl", "the files to write; %d is their number",
	  CLI_TEXT(job.parts.pattern) },
	ETLRUN_OPTIONS(job.common),
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Split a log file (.etl), or several merged ones, into several files: by size,\n"
		"by time, by number of events, or one for each processor or provider.\n"
		"Either all files are there and complete at the end, or none.",
	.operands = { "FILE..." },
	.options = options,
	.example = "etw split --by time=60s -o night_%03d.etl night.etl",
};

/* -------------------------------------------------------------------- options */

static uint64_t parse_size(const char *text)
{
	uint64_t size;

	if (!cli_size(text, false, &size))
		cli_usage("--by size: %s is not a size like 64M", cli_quote(text));
	if (size < SIZE_MIN)
		cli_usage("--by size: %s is less than 256K", cli_quote(text));
	return size;
}

static uint64_t parse_time(const char *text)
{
	struct etw_time_expr when;

	if (!etw_time_expr_parse(text, strlen(text), &when) || when.kind != ETW_TIME_EXPR_SINCE ||
	    when.value < 1)
		cli_usage("--by time: %s is not a time like 10s, 5m or 200ms", cli_quote(text));
	return (uint64_t)when.value;
}

static void take_by(struct run *run, const char *text)
{
	static const struct {
		const char *name;
		enum split_by by;
	} ways[] = {
		{ "size=", BY_SIZE }, { "time=", BY_TIME }, { "events=", BY_EVENTS },
		{ "cpu", BY_CPU }, { "provider", BY_PROVIDER },
	};
	const char *amount;
	size_t i, len;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		len = strlen(ways[i].name);
		if (strncmp(text, ways[i].name, len) || (ways[i].by >= BY_CPU && text[len]))
			continue;
		run->by = ways[i].by;
		amount = text + len;
		if (run->by == BY_SIZE)
			run->amount = parse_size(amount);
		else if (run->by == BY_TIME)
			run->amount = parse_time(amount);
		else if (run->by == BY_EVENTS)
			run->amount = cli_number("--by events", amount, 1, UINT32_MAX);
		return;
	}
	cli_usage("--by: %s is none of size=N, time=N, events=N, cpu and provider",
		  cli_quote(text));
}

/* -------------------------------------------------------------------- routing */

/* The number of a record's time slice */
static uint64_t slice_of(const struct run *run, const struct etlmerge_record *record)
{
	int64_t since;

	if (__builtin_sub_overflow(etlmerge_time(&run->common.merge, record->key),
				   run->common.merge.like.header.StartTime.QuadPart, &since) || since < 0)
		return 0;
	return (uint64_t)since / run->amount;
}

/* The last time that is in it */
static int64_t end_of_slice(const struct run *run, uint64_t slice)
{
	uint64_t ticks;
	int64_t end;

	if (__builtin_mul_overflow(slice + 1, run->amount, &ticks) || ticks > INT64_MAX ||
	    __builtin_add_overflow(run->common.merge.like.header.StartTime.QuadPart,
				   (int64_t)ticks - 1, &end))
		return INT64_MAX;
	return end;
}

/* Any time is possible. */
static int64_t before(int64_t time)
{
	return time == INT64_MIN ? time : time - 1;
}

static bool is_full(const struct run *run, const struct etlmerge_record *record)
{
	if (run->by == BY_EVENTS)
		return run->in_current == run->amount && record->counts;
	if (run->by == BY_TIME)
		return slice_of(run, record) > run->in_current;
	return run->in_current &&
	       etw_etl_bytes_with(run->current->out.writer, record->event->cpu, record->size,
				  run->amount) > run->amount;
}

/* BY_SIZE, BY_TIME, BY_EVENTS: choose the part for a record; parts are written in turn. */
static int route_on(struct run *run, const struct etlmerge_record *record)
{
	struct split_part like = { .number = run->parts.count + 1, .until = INT64_MAX };
	int64_t end;

	if (run->current && is_full(run, record)) {
		end = etlmerge_time(&run->common.merge, run->current->out.last);
		if (run->by != BY_TIME)
			run->current->until = before(etlmerge_time(&run->common.merge, record->key));
		if (split_finish(&run->parts, run->current, end))
			return 1;
		run->current = NULL;
	}
	if (!run->current) {
		if (run->by == BY_TIME)
			like.until = end_of_slice(run, slice_of(run, record));
		run->current = split_begin(&run->parts, &like);
		if (!run->current)
			return 1;
		run->in_current = run->by == BY_TIME ? slice_of(run, record) : 0;
	}
	run->in_current += run->by == BY_EVENTS ? record->counts : run->by == BY_SIZE;
	return 0;
}

static bool is_of(const struct run *run, const struct split_part *part,
		  const struct etlmerge_record *record)
{
	return run->by == BY_CPU ? part->number == record->event->cpu :
	       !memcmp(&part->guid, &record->event->record.header->provider, sizeof(part->guid));
}

/* BY_CPU, BY_PROVIDER: choose the part for a record; all parts stay open. */
static int route_by(struct run *run, const struct etlmerge_record *record)
{
	struct split_part like = { .until = INT64_MAX }, *part;

	if (run->current && is_of(run, run->current, record))
		return 0;
	for (part = run->parts.list; part < run->parts.list + run->parts.count; part++) {
		if (is_of(run, part, record)) {
			run->current = part;
			return 0;
		}
	}
	if (run->parts.count == SPLIT_OPEN_MAX)
		return cli_fail("there are more than %d %s: select some of them", SPLIT_OPEN_MAX,
				run->by == BY_CPU ? "processors" : "providers");
	like.number = run->by == BY_CPU ? record->event->cpu : run->parts.count + 1;
	like.guid = record->event->record.header->provider;
	run->current = split_begin(&run->parts, &like);
	return run->current ? 0 : 1;
}

static int one_record(struct etlrun *common, const struct etlmerge_record *record)
{
	struct run *run = (struct run *)common;
	int status;

	if (record->about_trace)
		return split_keep(&run->parts, record);
	status = run->by >= BY_CPU ? route_by(run, record) : route_on(run, record);
	if (!status)
		status = split_since(&run->parts, run->current, record->key);
	return status ? status : merge_output_write(&run->current->out, &common->merge, record);
}

/* --------------------------------------------------------------------- command */

/*
 * Finish all open parts.  The header of the first part finished here gets the losses that no
 * record attributes to a part, and those found while reading.
 */
static int finish_open(struct run *run)
{
	struct split_parts *parts = &run->parts;
	uint64_t lost = run->common.merge.lost_events + parts->kept_lost;
	bool counted = false;
	unsigned int i;

	if (split_place(parts))
		return 1;
	for (i = 0; i < parts->count; i++) {
		if (!parts->list[i].out.writer)
			continue;
		if (split_since(parts, &parts->list[i], INT64_MAX))
			return 1;
		if (!counted)
			etw_etl_lost(parts->list[i].out.writer, lost > parts->counted ?
				     lost - parts->counted : 0, run->common.merge.lost_buffers);
		counted = true;
		if (run->common.merge.unclosed)
			etw_etl_doubt(parts->list[i].out.writer);
		if (split_finish(parts, &parts->list[i], run->common.merge.end_time))
			return 1;
	}
	return split_complete(parts);
}

static void report_json(const struct run *run, const struct split_part *part)
{
	struct etw_text line = { 0 };

	json_writer_open(&line, NULL, '{');
	merge_output_json(&line, &part->out);
	if (run->by == BY_PROVIDER) {
		json_writer_guid(&line, "provider", &part->guid);
		json_writer_word(&line, "provider_name", schema_provider_name(&part->guid));
	}
	json_print(&line);
}

static void report(struct run *run)
{
	char guid[GUID_TEXT_SIZE];
	const char *name;
	unsigned int i;

	etlrun_report(&run->common);
	if (!run->parts.count)
		cli_note("no file is written%s",
			 run->common.select ? "" : ", because there is no event");
	for (i = 0; i < run->parts.count && run->common.json; i++)
		report_json(run, &run->parts.list[i]);
	for (i = 0; i < run->parts.count && !run->common.quiet && !run->common.json; i++) {
		const struct split_part *part = &run->parts.list[i];

		printf("%s: %" PRIu64 " event%s, %" PRIu64 " bytes", cli_quote(part->out.path),
		       part->out.events, cli_s(part->out.events), part->out.count.bytes);
		name = run->by == BY_PROVIDER ? schema_provider_name(&part->guid) : NULL;
		if (run->by == BY_PROVIDER)
			printf(", %s", name ? cli_quote(name) : guid_text(&part->guid, guid));
		printf("\n");
	}
}

static int split_files(struct etlrun *common)
{
	struct run *run = (struct run *)common;
	int status;

	run->parts.run = common;
	run->parts.kind = run->by == BY_CPU ? SPLIT_CPUS :
			  run->by == BY_PROVIDER ? SPLIT_PROVIDERS : SPLIT_TIMES;
	status = etlrun_records(common, one_record);
	if (!status)
		status = finish_open(run);
	if (!status)
		status = cli_ending() ? 1 : split_commit(&run->parts);
	if (!status)
		report(run);
	split_free(&run->parts, !status);
	return status;
}

int cmd_split(int argc, char **argv)
{
	char **operands;
	int option;

	while ((option = cli_next(&syntax, argc, argv)) != -1)
		if (!etlrun_option(&job.common, option, optarg))
			take_by(&job, optarg);
	operands = cli_operands(&syntax, argc, argv);
	if (!job.by)
		cli_usage("missing --by");
	if (!job.parts.pattern)
		cli_usage("missing --output");
	split_check_pattern(job.parts.pattern);
	job.common.processes.show = job.by == BY_PROVIDER;	/* they have a part of their own */
	return etlrun(&job.common, operands, split_files);
}
