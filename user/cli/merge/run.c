/* SPDX-License-Identifier: MIT */
/*
 * run.c - the common part of merge and split: read files, choose records, write log files
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/cli.h"
#include "doubts.h"
#include "run.h"
#include "cli/cmd/manifest.h"
#include "cli/output_file.h"
#include "cli/schema.h"

#define LOOK_RECORDS	4096	/* between two looks at the clock */

bool etlrun_option(struct etlrun *run, int option, const char *value)
{
	if (option != ETLRUN_OPT_MANIFEST)
		return select_option(&run->select, option, value);
	schema_load("--manifest", value, false);
	return true;
}

int etlrun_records(struct etlrun *run,
		   int (*one)(struct etlrun *run, const struct etlmerge_record *record))
{
	struct etlmerge_record record;
	int ret, status = 0;

	progress_begin(&run->progress, run->quiet);
	while ((ret = etlmerge_next(&run->merge, run->select, &record)) == 1) {
		status = one(run, &record);
		if (!status && cli_ending())
			status = 1;
		if (status)
			break;
		if (++run->records % LOOK_RECORDS == 0 && progress_due(&run->progress))
			progress_show(&run->progress, inputs_progress(&run->inputs),
				      run->records);
	}
	progress_end(&run->progress);
	if (ret < 0)
		return inputs_fail(&run->inputs, (unsigned int)(run->merge.current -
								run->merge.sources), ret);
	if (!status)
		etlmerge_losses(&run->merge);
	return status;
}

void etlrun_report(struct etlrun *run)
{
	inputs_report(&run->inputs);
	manifest_report_problems();
	select_report(run->select, false);
	processes_report(&run->processes, false);
	if (run->merge.skipped)
		cli_note("%" PRIu64 " record%s could not be written", run->merge.skipped,
			 cli_s(run->merge.skipped));
	if (run->merge.silent)
		cli_note("the files are not whole, and no record in them tells how: see 'etw verify'");
	if (run->merge.far)
		cli_note("%" PRIu64 " event%s the latest possible time, because the times of "
			 "a file are wrong and theirs is later", run->merge.far,
			 run->merge.far == 1 ? " has" : "s have");
}

int etlrun(struct etlrun *run, char **files, int (*write)(struct etlrun *run))
{
	static const struct etw_guid process_guid = ETW_PROCESS_GUID;
	static const struct etw_guid image_guid = ETW_IMAGE_GUID;
	const struct etw_expr_ask ask = { .process = processes_ask, .context = &run->processes };
	int status;

	select_check(run->select, true, false);
	status = inputs_open(&run->inputs, files);
	if (!status) {
		if (select_decodes(run->select))
			inputs_schemas(&run->inputs);
		run->processes.show |= select_names_guid(run->select, &process_guid);
		run->processes.show_images = !run->select || select_names_guid(run->select, &image_guid);
		processes_open(&run->processes, false);
		processes_ahead(&run->processes, files);
		select_ready(run->select, inputs_start(&run->inputs), inputs_end(&run->inputs), &ask);
		etlmerge_begin(&run->merge, &run->inputs);
		run->merge.processes = &run->processes;
		status = etlmerge_judge(&run->merge, files);
		cli_catch_ending();
		if (!status)
			status = write(run);
		etlmerge_end(&run->merge);
	}
	inputs_close(&run->inputs);
	processes_close(&run->processes);
	select_free(run->select);
	schema_unload();
	cli_end();
	return status;
}

/* ------------------------------------------------------------------ log files */

static int out_fail(const char *path, int err)
{
	switch (-err) {
	case ESPIPE:
		return cli_fail("%s: a log file cannot be written to a pipe or a device",
				cli_quote(path));
	default:
		return cli_fail("%s: %s", cli_quote(path), strerror(-err));
	}
}

int merge_output_create(struct merge_output *out, const char *path, const struct etlrun *run)
{
	struct etw_etl_options how = {
		.like = &run->merge.like,
		.compress = run->compress,
		.into = true,
	};
	struct stat there;
	int err;

	memset(out, 0, sizeof(*out));
	if (!stat(path, &there) && inputs_have(&run->inputs, &there))
		return cli_fail("%s is one of the input files", cli_quote(path));
	if (!run->replace && inputs_check_older(&run->inputs, path))
		return 1;
	out->path = strdup(path);
	if (!out->path)
		cli_die("out of memory");
	out->last = run->merge.like.start_clock;
	err = etw_atomic_file_open(&out->file, path, ETW_ATOMIC_DEVICE |
				   (run->replace ? ETW_ATOMIC_REPLACE : ETW_ATOMIC_KEEP));
	if (!err) {
		/* The writer closes it, because split may have more files than can be open. */
		how.fd = out->file.fd;
		out->file.fd = -1;
		err = etw_etl_create(out->file.path, &how, &out->writer);
	}
	return err ? out_fail(path, err) : 0;
}

int merge_output_put(struct merge_output *out, struct etlmerge *merge, uint16_t cpu,
		     const void *data, uint32_t size)
{
	int err = etw_etl_write(out->writer, cpu, data, size);

	if (err == -EMSGSIZE || err == -EINVAL) {
		merge->skipped++;
		return 0;
	}
	return err ? cli_fail("%s: %s", cli_quote(out->path), strerror(-err)) : 0;
}

int merge_output_write(struct merge_output *out, struct etlmerge *merge,
		       const struct etlmerge_record *record)
{
	const uint64_t skipped = merge->skipped;
	int status;

	etw_etl_follow(out->writer, merge->clock, merge->offset, record->key);
	if (record->key > out->last)
		out->last = record->key;
	status = merge_output_put(out, merge, record->event->cpu, record->data, record->size);
	if (!status && merge->skipped == skipped)
		out->events += record->counts;
	return status;
}

int merge_output_reopen(struct merge_output *out)
{
	int err = etw_atomic_file_reopen(&out->file);

	if (!err)
		err = etw_etl_append_fd(out->file.fd, &out->writer);
	out->file.fd = -1;
	return err ? out_fail(out->path, err) : 0;
}

int merge_output_finish(struct merge_output *out, int64_t end_time)
{
	int err = etw_etl_finish(out->writer, end_time, &out->count);

	out->writer = NULL;
	return err ? out_fail(out->path, err) : 0;
}

int merge_output_commit(struct merge_output *const *list, unsigned int count)
{
	struct etw_atomic_file **files = calloc(count + 1, sizeof(struct etw_atomic_file *));
	unsigned int i, failed;
	int err;

	if (!files)
		cli_die("out of memory");
	for (i = 0; i < count; i++)
		files[i] = &list[i]->file;
	err = etw_atomic_file_commit_all(files, count, &failed);
	free(files);
	return err ? out_fail(list[failed]->path, err) : 0;
}

void merge_output_discard(struct merge_output *out)
{
	int err;

	etw_etl_discard(out->writer);
	err = etw_atomic_file_rollback(&out->file);
	if (err)
		cli_fail("%s: the replaced file is now %s: %s", cli_quote(out->path),
			 cli_quote(out->file.backup), strerror(-err));
	free(out->file.backup);
	out->file.backup = NULL;
	merge_output_free(out);
}

void merge_output_json(struct etw_text *to, const struct merge_output *out)
{
	json_writer_word(to, "output", out->path);
	json_writer_unsigned(to, "events", out->events);
	json_writer_unsigned(to, "bytes", out->count.bytes);
	json_writer_word(to, "moved", out->file.kept);
}

void merge_output_note(struct merge_output *const *list, unsigned int count)
{
	unsigned int i, kept = 0;
	const char *name = NULL;
	bool last = false;

	for (i = 0; i < count; i++)
		if (list[i]->file.kept) {
			name = list[i]->file.kept;
			last |= list[i]->file.kept_last;
			kept++;
		}
	if (kept > 1)
		cli_note("%u older files are kept with " ETW_OLDER_SUFFIX " behind their names%s", kept,
			 last ? ", in place of earlier ones" : "");
	else if (kept)
		older_file_note("file", name, last);
}

void merge_output_free(struct merge_output *out)
{
	free(out->file.kept);
	out->file.kept = NULL;
	etw_atomic_file_rollback(&out->file);	/* written in place: nothing to commit */
	free(out->path);
	memset(out, 0, sizeof(*out));
}
