/* SPDX-License-Identifier: MIT */
/*
 * dkms.c - what DKMS has made of the module's source
 *
 * /var/lib/dkms/etw/VERSION has a folder for each kernel that the module was built for, and
 * build/make.log of a build that failed, which DKMS deletes after one that did not.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "cli/cli.h"
#include "cli/text.h"
#include "checks.h"
#include "files.h"
#include "report.h"

#define TREE	"/var/lib/dkms/etw"

/* The newest version in the tree, by the order that versions have; false: none */
static bool newest_version(char version[NAME_MAX + 1])
{
	struct dirent **list;
	int n = scandir(doctor_path(TREE), &list, NULL, versionsort), i;
	bool found = false;

	for (i = 0; i < n; i++) {
		/* Beside the versions there are links kernel-RELEASE-ARCHITECTURE. */
		if (list[i]->d_name[0] >= '0' && list[i]->d_name[0] <= '9') {
			snprintf(version, NAME_MAX + 1, "%s", list[i]->d_name);
			found = true;
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return found;
}

static const char *machine(void)
{
	static struct utsname name;

	return uname(&name) ? "x86_64" : name.machine;
}

static bool is_built(const char *version, const char *release)
{
	return doctor_exists(TREE "/%s/%s/%s/module", version, release, machine());
}

/* The kernels that it was built for, separated by blanks */
static void list_built(const char *version, struct etw_text *to)
{
	struct dirent **list;
	int n = scandir(doctor_path(TREE "/%s", version), &list, NULL, versionsort), i;

	for (i = 0; i < n; i++) {
		if (is_built(version, list[i]->d_name)) {
			etw_text_puts(to, to->len ? " " : "");
			etw_text_puts(to, list[i]->d_name);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

const char *dkms_mend(const struct doctor *doctor)
{
	char version[NAME_MAX + 1];
	const char *release = doctor_word(doctor->release);

	if (!newest_version(version))
		return NULL;
	if (!doctor_exists("/lib/modules/%s/build/Makefile", doctor->release))
		return doctor_mend("sudo apt-get install linux-headers-%s && sudo dkms install --force etw/%s -k %s",
				   release, doctor_word(version), release);
	return doctor_mend("sudo dkms install --force etw/%s -k %s", doctor_word(version), release);
}

/* The line that names the first error of a build that failed; "": there is none */
static void first_error(const char *version, char *line, size_t size)
{
	size_t got;
	char *log = doctor_read(&got, TREE "/%s/build/make.log", version), *at, *begin;

	*line = '\0';
	if (!log)
		return;
	at = strcasestr(log, "error");
	if (at) {
		for (begin = at; begin > log && begin[-1] != '\n'; begin--)
			;
		snprintf(line, size, "%.*s", (int)strcspn(begin, "\n"), begin);
	}
	free(log);
}

void doctor_dkms(const struct doctor *doctor)
{
	char version[NAME_MAX + 1], error[160];
	struct etw_text built = { 0 };
	bool failed;

	if (!newest_version(version))
		return;
	list_built(version, &built);
	failed = doctor_exists(TREE "/%s/build/make.log", version);
	if (is_built(version, doctor->release)) {
		doctor_ok("dkms", "etw/%s is built for %s", version, text_data(&built));
	} else if (failed) {
		first_error(version, error, sizeof(error));
		doctor_wrong("dkms", dkms_mend(doctor),
			     "etw/%s could not be built for %s: see " TREE "/%s/build/make.log%s%s",
			     version, doctor->release, version, *error ? ": " : "", error);
	} else {
		doctor_wrong("dkms", dkms_mend(doctor), "etw/%s is not built for %s%s%s", version,
			     doctor->release, built.len ? ", but for " : "", text_data(&built));
	}
	etw_text_free(&built);
}
