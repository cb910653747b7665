/* SPDX-License-Identifier: MIT */
/*
 * dkms.c - what DKMS has made of the module's source
 *
 * /var/lib/dkms/etw/VERSION has a folder for each kernel that the module was built for, and
 * unserved-KERNEL.log for each that packaging/dkms/build skipped; its first line says why.
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

/* Why packaging/dkms/build skipped the running kernel; false: it did not. */
static bool is_unserved(const struct doctor *doctor, const char *version, char *reason, size_t size)
{
	return doctor_line(reason, size, TREE "/%s/unserved-%s.log", version, doctor->release);
}

bool dkms_refuses(const struct doctor *doctor)
{
	static const char needs[] = "it needs ";	/* no failure to compile, which may pass */
	char version[NAME_MAX + 1], reason[160];

	return newest_version(version) && !is_built(version, doctor->release) &&
	       is_unserved(doctor, version, reason, sizeof(reason)) &&
	       !strncmp(reason, needs, sizeof(needs) - 1);
}

const char *dkms_fix(const struct doctor *doctor)
{
	char version[NAME_MAX + 1];
	const char *release = doctor_word(doctor->release), *build, *word;

	if (!newest_version(version) || dkms_refuses(doctor))
		return NULL;
	/* Only a build signs, and DKMS builds what it has built only if forced. */
	word = doctor_word(version);
	build = !is_built(version, doctor->release) ? doctor_fix("sudo dkms autoinstall -k %s", release) :
		doctor_fix("sudo dkms build --force etw/%s -k %s && sudo dkms install --force etw/%s -k %s",
			    word, release, word, release);
	if (doctor_exists("/lib/modules/%s/build/Makefile", doctor->release))
		return build;
	return doctor_fix("sudo apt-get install linux-headers-%s && %s", release, build);
}

void doctor_dkms(const struct doctor *doctor)
{
	char version[NAME_MAX + 1], reason[160];
	struct etw_text built = { 0 };

	if (!newest_version(version))
		return;
	list_built(version, &built);
	if (is_built(version, doctor->release)) {
		doctor_ok("dkms", "etw/%s is built for %s", version, text_data(&built));
	} else if (is_unserved(doctor, version, reason, sizeof(reason))) {
		doctor_wrong("dkms", dkms_fix(doctor), "etw/%s was not built for %s: %s; see "
			     TREE "/%s/unserved-%s.log", version, doctor->release, reason, version,
			     doctor->release);
	} else {
		doctor_wrong("dkms", dkms_fix(doctor), "etw/%s is not built for %s%s%s", version,
			     doctor->release, built.len ? ", but for " : "", text_data(&built));
	}
	etw_text_free(&built);
}
