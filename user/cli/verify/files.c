/* SPDX-License-Identifier: MIT */
/*
 * files.c - judge log files, which may be a series
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "verify.h"

int verify_fail(const char *path, int err)
{
	if (err == -EINVAL)
		return cli_fail("%s: not a log file (.etl)", cli_quote(path));
	if (err == -ENOMEM)
		cli_die("out of memory");
	return cli_fail("%s: %s", cli_quote(path), strerror(-err));
}

/* Read them all; those that cannot be read leave both lists. */
static unsigned int read_all(char **paths, const char **read, struct etw_verdict *list, int *status)
{
	unsigned int i, n = 0;
	int err;

	for (i = 0; paths[i]; i++) {
		err = etw_etl_verify(paths[i], &list[n]);
		if (err)
			*status = verify_fail(paths[i], err);
		else
			read[n++] = paths[i];
	}
	return n;
}

int verify_files(char **paths, verify_print_fn *print)
{
	unsigned int count = 0, i, n;
	struct etw_verdict *list;
	const char **read;
	int status = 0;

	while (paths[count])
		count++;
	list = cli_calloc(count, sizeof(*list));
	read = cli_calloc(count, sizeof(*read));
	n = read_all(paths, read, list, &status);
	if (etw_verdict_finish(list, n))
		cli_die("out of memory");
	for (i = 0; i < n; i++) {
		if (print)
			print(read[i], &list[i]);
		if (!status && !etw_verdict_whole(&list[i]))
			status = VERIFY_EXIT_LOST;
		etw_verdict_free(&list[i]);
	}
	free(list);
	free(read);
	return status;
}

static void note(const char *path, const struct etw_verdict *verdict)
{
	if (!etw_verdict_whole(verdict))
		cli_note("%s: incomplete: 'etw verify' lists the gaps", cli_quote(path));
}

int verify_strict(char **paths)
{
	return verify_files(paths, note);
}
