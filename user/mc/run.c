// SPDX-License-Identifier: MIT
/*
 * run.c - compile a manifest and write all output files, or none of them
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit.h"
#include "wevt.h"
#include "base/atomic_file.h"

#define FILES_MAX	259	/* the header, .rc, templates, a table per culture */

struct run {
	const struct etw_mc_options *options;
	const struct etw_manifest *manifest;
	struct etw_problems *problems;
	bool check;			/* make everything, and write nothing */
	char *paths[FILES_MAX];		/* as the user gave them */
	struct etw_atomic_file files[FILES_MAX];
	unsigned int file_count;
	char base[256];
	FILE *err;
};

/* File names may hold control characters. */
static void print_name(FILE *to, const char *name)
{
	struct etw_text text = { .data = NULL };

	etw_text_safe(&text, name, strlen(name));
	fputs(!text.error && text.data ? text.data : "", to);
	etw_text_free(&text);
}

void etw_mc_print_problems(FILE *to, const char *path, const struct etw_problems *problems)
{
	unsigned int i;

	for (i = 0; i < problems->count; i++) {
		const struct etw_problem *p = &problems->list[i];

		print_name(to, path);
		fputc(':', to);
		if (p->line)
			fprintf(to, "%u:", p->line);
		fprintf(to, " %s: %s\n", p->warning ? "warning" : "error", p->text);
	}
	if (problems->errors + problems->warnings <= problems->count)
		return;
	print_name(to, path);
	fprintf(to, ": error: and %u more\n",
		problems->errors + problems->warnings - problems->count);
}

/* UTF-16 units of a text; bytes that are not UTF-8 count as one each. */
static unsigned int units(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++) {
		if ((*text & 0xC0) != 0x80)
			n += (*text & 0xF8) == 0xF0 ? 2 : 1;
	}
	return n;
}

static void check_lengths(struct run *run)
{
	const struct etw_manifest *m = run->manifest;
	unsigned int i, j, max = run->options->message_max;

	for (i = 0; max && i < m->message_count; i++) {
		for (j = 0; j < m->culture_count; j++) {
			const char *text = m->messages[i].text[j];

			if (text && units(text) > max)
				etw_problem_add(run->problems, m->messages[i].line, true,
						"string \"%s\" (%s) is longer than %u characters",
						m->messages[i].id, m->cultures[j], max);
		}
	}
}

static void base_name(struct run *run)
{
	const char *name = run->options->base ? run->options->base : basename(run->options->input);
	const char *dot = run->options->base ? NULL : strrchr(name, '.');
	int len;

	len = (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name));
	snprintf(run->base, sizeof(run->base), "%.*s", len, name);
}

static int failed(struct run *run, const char *name, int ret)
{
	if (run->check)
		return ret;
	print_name(run->err, name);
	fprintf(run->err, ": error: %s\n", strerror(-ret));
	return ret;
}

static int write_file(struct run *run, const char *dir, const char *name, const void *data,
		      size_t size)
{
	struct etw_atomic_file *file = &run->files[run->file_count];
	char **path = &run->paths[run->file_count];
	unsigned int i;
	int ret;

	if (run->check)
		return 0;
	if (run->file_count == FILES_MAX)
		return failed(run, name, -E2BIG);
	if (asprintf(path, "%s%s%s", dir ? dir : "", dir ? "/" : "", name) < 0) {
		*path = NULL;
		return failed(run, name, -ENOMEM);
	}
	run->file_count++;
	ret = etw_atomic_file_open(file, *path, ETW_ATOMIC_REPLACE);
	/* Links can make two names one file, where one output would replace the other. */
	for (i = 0; i + 1 < run->file_count && !ret; i++)
		if (!strcmp(run->files[i].path, file->path))
			ret = -EEXIST;
	if (ret)
		return failed(run, name, ret);
	ret = etw_write_all(file->fd, data, size);
	if (close(file->fd) && !ret)
		ret = -errno;
	file->fd = -1;
	return ret ? failed(run, *path, ret) : 0;
}

static int header(struct run *run)
{
	struct etw_text text = { .data = NULL };
	char name[600];
	int ret;

	snprintf(name, sizeof(name), "%s.%s", run->base, run->options->extension);
	ret = etw_mc_write_header(run->manifest, run->options, &text, run->problems);
	if (!ret)
		ret = write_file(run, run->options->header_dir, name, text.data, text.len);
	else if (ret != -EINVAL)
		failed(run, name, ret);
	etw_text_free(&text);
	return ret;
}

/* Write bytes to a file and free them.  ret: the result of filling them. */
static int binary(struct run *run, const char *name, struct etw_bytes *bytes, int ret)
{
	if (!ret)
		ret = write_file(run, run->options->resource_dir, name, bytes->data, bytes->len);
	else if (ret != -EINVAL)
		failed(run, name, ret);
	etw_bytes_free(bytes);
	return ret;
}

/* Write a table for each culture.  names: storage; tables: the file names, or NULL. */
static int message_tables(struct run *run, char (*names)[300], const char **tables)
{
	const struct etw_manifest *m = run->manifest;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < m->culture_count && !ret; i++) {
		struct etw_bytes bytes = { NULL, 0, 0, 0 };

		ret = etw_msgtable_write(m, i, &bytes, run->problems);
		if (ret == -ENOENT) {
			etw_bytes_free(&bytes);
			ret = 0;
			continue;
		}
		snprintf(names[i], sizeof(names[i]), "%s%sMSG%05x.bin",
			 run->options->base_in_name ? run->base : "",
			 run->options->base_in_name ? "_" : "", i + 1);
		ret = binary(run, names[i], &bytes, ret);
		tables[i] = names[i];
	}
	return ret;
}

/* Write the tables, then the script that names them. */
static int resources(struct run *run)
{
	struct etw_bytes templates = { NULL, 0, 0, 0 }, script = { NULL, 0, 0, 0 };
	char names[FILES_MAX][300], name[300];
	const char *tables[FILES_MAX] = { NULL };
	int ret;

	if (run->manifest->culture_count > FILES_MAX - 3)
		return failed(run, run->options->input, -E2BIG);
	ret = message_tables(run, names, tables);
	if (ret)
		return ret;
	snprintf(name, sizeof(name), "%sTEMP.BIN", run->base);
	ret = etw_wevt_write(run->manifest, ETW_WEVT_VERSION_5, &templates, run->problems);
	ret = binary(run, name, &templates, ret);
	if (ret)
		return ret;
	ret = etw_rc_write(run->manifest, tables, name, &script, run->problems);
	snprintf(name, sizeof(name), "%s.rc", run->base);
	return binary(run, name, &script, ret);
}

static int commit(struct run *run)
{
	struct etw_atomic_file *list[FILES_MAX];
	unsigned int i, bad;
	int ret;

	for (i = 0; i < run->file_count; i++)
		list[i] = &run->files[i];
	ret = etw_atomic_file_commit_all(list, run->file_count, &bad);
	if (ret)
		return failed(run, run->paths[bad], ret);
	for (i = 0; i < run->file_count && run->options->verbose; i++) {
		fputs("wrote ", run->err);
		print_name(run->err, run->paths[i]);
		fputc('\n', run->err);
	}
	return 0;
}

/* Remove what was not committed, and report replaced files that cannot be restored. */
static void free_files(struct run *run)
{
	unsigned int i;

	for (i = 0; i < run->file_count; i++) {
		struct etw_atomic_file *file = &run->files[i];
		int ret = etw_atomic_file_rollback(file);

		if (ret) {
			print_name(run->err, file->backup);
			fprintf(run->err, ": error: the replaced file keeps this name: %s\n",
				strerror(-ret));
			free(file->backup);
		}
		free(run->paths[i]);
	}
}

/* Make everything; write it, or only check it. */
static int compile(struct run *run)
{
	int ret;

	check_lengths(run);
	ret = header(run);
	if (!ret)
		ret = resources(run);
	if (!ret && !run->check)
		ret = commit(run);
	free_files(run);
	return ret;
}

int etw_mc_run(const struct etw_mc_options *options, FILE *err)
{
	struct etw_problems problems = { .count = 0 };
	struct run run = { .options = options, .problems = &problems, .err = err };
	struct etw_manifest *manifest;
	int ret;

	base_name(&run);
	ret = etw_manifest_check_file(options->input, &manifest, &problems);
	if (!ret) {
		run.manifest = manifest;
		ret = compile(&run);
		etw_manifest_put(manifest);
	} else if (ret != -EINVAL) {
		failed(&run, options->input, ret);
	}
	etw_problems_sort(&problems);
	etw_mc_print_problems(err, options->input, &problems);
	etw_problems_free(&problems);
	return ret;
}

/* The kernel mode's errors that are not those of the user mode */
static int check_kernel_mode(struct run *run)
{
	const struct etw_mc_options options = { .mode = &etw_mc_mode_km, .prefix = "EventWrite" };
	struct etw_problems problems = { .count = 0 };
	struct etw_text text = { .data = NULL };
	unsigned int i;
	int ret = etw_mc_write_header(run->manifest, &options, &text, &problems);

	for (i = 0; i < problems.count; i++)
		if (!problems.list[i].warning)
			etw_problem_add(run->problems, problems.list[i].line, true,
					"with -km an error: %s", problems.list[i].text);
	etw_problems_free(&problems);
	etw_text_free(&text);
	return ret == -EINVAL ? 0 : ret;
}

int etw_mc_check(const struct etw_manifest *manifest, struct etw_problems *problems)
{
	const struct etw_mc_options options = {
		.mode = &etw_mc_mode_um, .input = manifest->file, .prefix = "EventWrite",
		.extension = "h",
	};
	struct run run = {
		.options = &options, .manifest = manifest, .problems = problems, .check = true,
	};
	int ret;

	base_name(&run);
	ret = compile(&run);
	if (!ret)
		ret = check_kernel_mode(&run);
	etw_problems_sort(problems);
	return ret;
}
