/* SPDX-License-Identifier: MIT */
/*
 * convert_from.c - etw convert --from: start the reader of the other format
 *
 * etw-ctf-reader is a separate program, so that etw does not depend on libbabeltrace2.  It
 * is beside etw in the build tree, and in ../libexec/etw when installed.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "convert.h"

#define READER	"etw-ctf-reader"

/* Start the reader in a folder relative to etw's own; returns if it is not there. */
static void try_reader(const char *own, const char *folder, char *const *args)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s" READER, own, folder);
	execv(path, args);
	if (errno != ENOENT)
		cli_die("%s: %s", cli_quote(path), strerror(errno));
}

int convert_from_ctf(const char *folder, const char *out, bool replace, bool quiet)
{
	char *args[] = { READER, (char *)folder, (char *)out, NULL, NULL, NULL };
	char own[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	unsigned int count = 3;

	if (n < 0)
		return cli_fail("/proc/self/exe: %s", strerror(errno));
	own[n] = '\0';
	*strrchr(own, '/') = '\0';
	if (replace)
		args[count++] = "--replace";
	if (quiet)
		args[count++] = "--quiet";
	try_reader(own, "", args);
	try_reader(own, "../libexec/etw/", args);
	return cli_fail("--from ctf: " READER " is not installed: building it needs "
			"libbabeltrace2-dev");
}
