/* SPDX-License-Identifier: MIT */
/*
 * output_file.c - the file or folder that a command writes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli.h"
#include "output_file.h"

static int fail(const struct output_file *out, int err)
{
	return cli_fail("%s: %s", cli_quote(out->path), strerror(-err));
}

/* Neither an input nor a folder that contains one may be replaced.  Returns the exit status. */
static int check_inputs(const struct output_file *out, const struct inputs *inputs)
{
	const char *inside;
	struct stat there;

	if (!out->replace && inputs_check_older(inputs, out->path))
		return 1;
	if (stat(out->path, &there))
		return 0;
	if (inputs_have(inputs, &there))
		return cli_fail("%s is one of the files to convert", cli_quote(out->path));
	inside = S_ISDIR(there.st_mode) ? inputs_within(inputs, &there) : NULL;
	if (inside)
		return cli_fail("%s is not replaced: it contains %s, which is to be converted",
				cli_quote(out->path), cli_quote(inside));
	return 0;
}

int output_file_open(struct output_file *out, const struct inputs *inputs)
{
	int err, status;

	out->file.fd = STDOUT_FILENO;
	if (!out->path)
		return 0;
	status = check_inputs(out, inputs);
	if (status)
		return status;
	err = etw_atomic_file_open(&out->file, out->path, ETW_ATOMIC_STREAM |
				   (out->folder ? ETW_ATOMIC_FOLDER : 0) |
				   (out->replace ? ETW_ATOMIC_REPLACE : ETW_ATOMIC_KEEP));
	out->file.mark = out->mark;
	return err ? fail(out, err) : 0;
}

void output_file_discard(struct output_file *out)
{
	if (!etw_atomic_file_rollback(&out->file))
		return;
	cli_fail("%s: the replaced folder is now %s", cli_quote(out->path),
		 cli_quote(out->file.backup));
	free(out->file.backup);
	out->file.backup = NULL;
}

const char *older_file_error(int err)
{
	return err == -ESPIPE ? "that is a device or a pipe" : strerror(-err);
}

/* FILE.old is one step deep: whoever does it twice should know what is lost. */
void older_file_note(const char *what, const char *moved, bool last)
{
	cli_note("the %s of this name is now %s%s", what, cli_quote(moved),
		 last ? ", in place of an earlier one" : "");
}

int output_file_commit(struct output_file *out)
{
	int err = out->path ? etw_atomic_file_commit(&out->file) : 0;

	if (!err && out->path && out->file.kept && !out->quiet)
		older_file_note(out->folder ? "folder" : "file", out->file.kept,
				out->file.kept_last);
	if (!err)
		return 0;
	fail(out, err);
	output_file_discard(out);
	return 1;
}
