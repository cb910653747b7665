// SPDX-License-Identifier: MIT
/*
 * run.c - compile a manifest and write all output files
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "output.h"
#include "wevt.h"
#include "base/text.h"

struct run {
	const struct etw_mc_options *options;
	struct etw_manifest *manifest;
	struct etw_problems problems;
	struct etw_mc_files files;
	char base[256];
	FILE *err;
};

/* An escaped file name, because it may hold control characters; etw_text_free() it. */
static struct etw_text printable(const char *name)
{
	struct etw_text text = { .data = NULL };

	etw_text_safe(&text, name, strlen(name));
	return text;
}

static const char *string(const struct etw_text *text)
{
	return !text->error && text->data ? text->data : "";
}

void etw_mc_print_problems(FILE *to, const char *path, const struct etw_problems *problems)
{
	struct etw_text name = printable(path);
	const char *file = string(&name);
	unsigned int i;

	for (i = 0; i < problems->count; i++) {
		const struct etw_problem *p = &problems->list[i];

		fprintf(to, "%s:", file);
		if (p->line)
			fprintf(to, "%u:", p->line);
		fprintf(to, " %s: %s\n", p->warning ? "warning" : "error", p->text);
	}
	if (problems->errors + problems->warnings > problems->count)
		fprintf(to, "%s: error: and %u more\n", file,
			problems->errors + problems->warnings - problems->count);
	etw_text_free(&name);
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
				etw_problem_add(&run->problems, 0, true,
						"string \"%s\" (%s) is longer than %u characters",
						m->messages[i].id, m->cultures[j], max);
		}
	}
}

static void base_name(struct run *run)
{
	const char *name = run->options->base, *slash, *dot;
	int len;

	if (!name) {
		slash = strrchr(run->options->input, '/');
		name = slash ? slash + 1 : run->options->input;
	}
	dot = run->options->base ? NULL : strrchr(name, '.');
	len = (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name));
	snprintf(run->base, sizeof(run->base), "%.*s", len, name);
}

static int failed(struct run *run, const char *name, int ret)
{
	struct etw_text text = printable(name);

	fprintf(run->err, "%s: error: %s\n", string(&text), strerror(-ret));
	etw_text_free(&text);
	return ret;
}

static FILE *open_file(struct run *run, const char *dir, const char *name, int *ret)
{
	FILE *out = etw_mc_file_open(&run->files, dir, name, ret);

	if (!out)
		failed(run, name, *ret);
	return out;
}

static int header(struct run *run)
{
	char name[600];
	FILE *out;
	int ret;

	snprintf(name, sizeof(name), "%s.%s", run->base, run->options->extension);
	out = open_file(run, run->options->header_dir, name, &ret);
	if (!out)
		return ret;
	ret = etw_mc_write_header(run->manifest, run->options, out, &run->problems);
	if (ret && ret != -EINVAL)
		failed(run, name, ret);
	return ret;
}

/* Write bytes to a file and free them.  ret: the result of filling them. */
static int binary(struct run *run, const char *name, struct etw_bytes *bytes, int ret)
{
	FILE *out = NULL;

	if (!ret)
		out = open_file(run, run->options->resource_dir, name, &ret);
	else if (ret != -EINVAL)
		failed(run, name, ret);
	if (out) {
		/* The file keeps an error until it is closed, which reports it. */
		fwrite(bytes->data, 1, bytes->len, out);
		ret = 0;
	}
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

		ret = etw_msgtable_write(m, i, &bytes, &run->problems);
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
	char names[ETW_MC_FILES_MAX][300], name[300];
	const char *tables[ETW_MC_FILES_MAX] = { NULL };
	int ret;

	if (run->manifest->culture_count > ETW_MC_FILES_MAX - 3)
		return failed(run, run->options->input, -E2BIG);
	ret = message_tables(run, names, tables);
	if (ret)
		return ret;
	snprintf(name, sizeof(name), "%sTEMP.BIN", run->base);
	ret = etw_wevt_write(run->manifest, ETW_WEVT_VERSION_5, &templates, &run->problems);
	ret = binary(run, name, &templates, ret);
	if (ret)
		return ret;
	ret = etw_rc_write(run->manifest, tables, name, &script, &run->problems);
	snprintf(name, sizeof(name), "%s.rc", run->base);
	return binary(run, name, &script, ret);
}

/* Restore the replaced files and report those that cannot be restored. */
static void roll_back(struct run *run)
{
	unsigned int i;

	for (i = 0; i < run->files.count; i++) {
		struct etw_atomic_file *file = &run->files.list[i].file;
		struct etw_text text;
		int ret = etw_atomic_file_rollback(file);

		if (!ret)
			continue;
		text = printable(file->backup);
		fprintf(run->err, "%s: error: the replaced file keeps this name: %s\n",
			string(&text), strerror(-ret));
		etw_text_free(&text);
		free(file->backup);
		file->backup = NULL;
	}
}

static int make(struct run *run)
{
	const char *path = "";
	unsigned int i;
	int ret;

	ret = header(run);
	if (!ret)
		ret = resources(run);
	if (ret)
		return ret;
	ret = etw_mc_files_commit(&run->files, &path);
	if (ret) {
		failed(run, path, ret);
		roll_back(run);
		return ret;
	}
	for (i = 0; i < run->files.count && run->options->verbose; i++) {
		struct etw_text text = printable(run->files.list[i].path);

		fprintf(run->err, "wrote %s\n", string(&text));
		etw_text_free(&text);
	}
	return 0;
}

int etw_mc_run(const struct etw_mc_options *options, FILE *err)
{
	struct run run;
	int ret;

	memset(&run, 0, sizeof(run));
	run.options = options;
	run.err = err;
	base_name(&run);
	ret = etw_manifest_read_file(options->input, &run.manifest, &run.problems);
	if (!ret) {
		check_lengths(&run);
		ret = make(&run);
		etw_mc_files_free(&run.files);
		etw_manifest_put(run.manifest);
	} else if (ret != -EINVAL) {
		failed(&run, options->input, ret);
	}
	etw_problems_sort(&run.problems);
	etw_mc_print_problems(err, options->input, &run.problems);
	etw_problems_free(&run.problems);
	return ret;
}
