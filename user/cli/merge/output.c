/* SPDX-License-Identifier: MIT */
/*
 * output.c - log files that merge and split write
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/cli.h"
#include "output.h"

static int out_fail(const char *path, int err)
{
	switch (-err) {
	case EEXIST:
		return cli_fail("%s exists; --replace replaces it", cli_quote(path));
	case ESPIPE:
		return cli_fail("%s: a log file cannot be written to a pipe or a device",
				cli_quote(path));
	default:
		return cli_fail("%s: %s", cli_quote(path), strerror(-err));
	}
}

int merge_output_create(struct merge_output *out, const char *path,
			const struct merge_output_options *options, const struct etlmerge *merge,
			const struct inputs *inputs)
{
	struct etw_etl_options how = {
		.like = &merge->like,
		.compress = options->compress,
		.into = true,
	};
	struct stat there;
	int err;

	memset(out, 0, sizeof(*out));
	if (!stat(path, &there) && inputs_have(inputs, &there))
		return cli_fail("%s is one of the input files", cli_quote(path));
	out->path = strdup(path);
	if (!out->path)
		cli_die("out of memory");
	out->last = merge->like.start_clock;
	err = etw_atomic_file_open(&out->file, path, options->replace ? ETW_ATOMIC_REPLACE |
				   ETW_ATOMIC_DEVICE : 0);
	if (!err) {
		/* The writer closes it: split has more files than it may keep open. */
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
	etw_etl_follow(out->writer, merge->clock, merge->offset, record->key);
	if (record->key > out->last)
		out->last = record->key;
	return merge_output_put(out, merge, record->event->cpu, record->data, record->size);
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

void merge_output_free(struct merge_output *out)
{
	etw_atomic_file_rollback(&out->file);	/* written in place: nothing to commit */
	free(out->path);
	memset(out, 0, sizeof(*out));
}
