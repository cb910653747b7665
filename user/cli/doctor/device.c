/* SPDX-License-Identifier: MIT */
/*
 * device.c - the device: is it there, and may this user open it?
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "cli/cli.h"
#include "device/kdev.h"
#include "checks.h"
#include "files.h"
#include "report.h"

/* Another path than the usual one is the user's choice, and the file there the user's. */
static bool is_chosen(const char *path)
{
	return strcmp(path, ETW_DEVICE_PATH) != 0;
}

static const char *unset_fix(void)
{
	return doctor_fix("unset %s", ETW_DEVICE_ENV);
}

/* "crw-rw-rw- root:root", or with numbers where the ids have no name */
static void owner_text(const struct stat *st, char *to, size_t size)
{
	const struct passwd *user = getpwuid(st->st_uid);
	const struct group *group = getgrgid(st->st_gid);
	char owner[64], of_group[64];

	snprintf(owner, sizeof(owner), "%u", (unsigned int)st->st_uid);
	snprintf(of_group, sizeof(of_group), "%u", (unsigned int)st->st_gid);
	snprintf(to, size, "mode %04o, %s:%s", (unsigned int)st->st_mode & 07777,
		 user ? user->pw_name : owner, group ? group->gr_name : of_group);
}

/* The number that the module has; false: not known */
static bool right_number(unsigned int *major_number, unsigned int *minor_number)
{
	char line[32];

	return doctor_line(line, sizeof(line), "/sys/class/misc/etw/dev") &&
	       sscanf(line, "%u:%u", major_number, minor_number) == 2;
}

static void report_missing(const struct doctor *doctor, const char *path)
{
	unsigned int major_number, minor_number;

	if (!doctor->loaded)
		doctor_unknown("device", "%s comes with the module", path);
	else if (is_chosen(path) && right_number(&major_number, &minor_number))
		doctor_wrong("device", unset_fix(), "%s names %s, which does not exist",
			     ETW_DEVICE_ENV, path);
	else if (doctor->container)
		doctor_wrong("device", doctor_fix("podman run --device /dev/etw ..."),
			     "there is no %s: the container was started without it", path);
	else if (right_number(&major_number, &minor_number))
		doctor_wrong("device", doctor_fix("sudo mknod -m 666 %s c %u %u", doctor_word(path),
						   major_number, minor_number),
			     "the module is loaded, but there is no %s", path);
	else
		doctor_wrong("device", doctor_fix("sudo modprobe -r etw && sudo modprobe etw"),
			     "the module is loaded, but has no device");
}

/* Is it the module's device?  Reports it if not. */
static bool is_device(const char *path, const struct stat *st)
{
	unsigned int major_number, minor_number;
	const char *word = doctor_word(path);

	if (S_ISCHR(st->st_mode) && (!right_number(&major_number, &minor_number) ||
				     st->st_rdev == makedev(major_number, minor_number)))
		return true;
	if (is_chosen(path))
		doctor_wrong("device", unset_fix(), "%s names %s, which is not the module's device",
			     ETW_DEVICE_ENV, path);
	else if (right_number(&major_number, &minor_number))
		doctor_wrong("device", doctor_fix("sudo rm %s && sudo mknod -m 666 %s c %u %u", word,
						   word, major_number, minor_number),
			     "%s is not the module's device", path);
	else
		doctor_wrong("device", NULL, "%s is not a device", path);
	return false;
}

static void report_refused(const struct doctor *doctor, const char *path, const char *owner)
{
	const char *word = doctor_word(path);

	switch (-doctor->fd) {
	case EACCES:
		doctor_wrong("device", doctor_fix("sudo chmod 666 %s", word),
			     "you may not open %s (%s); what you may do there is for access lists to say",
			     path, owner);
		break;
	case EPERM:
		if (doctor->container)
			doctor_wrong("device", doctor_fix("podman run --device %s ...", word),
				     "the container may not open %s", path);
		else
			doctor_wrong("device", NULL,
				     "the control group may not open %s; a systemd unit needs DeviceAllow=%s rw",
				     path, path);
		break;
	case ENXIO:
	case ENODEV:
		if (doctor->loaded) {
			doctor_wrong("device", doctor_fix("sudo modprobe -r etw && sudo modprobe etw"),
				     "%s belongs to no driver", path);
			break;
		}
		doctor_unknown("device", "%s comes with the module", path);
		break;
	default:
		doctor_wrong("device", NULL, "%s: %s", path, strerror(-doctor->fd));
	}
}

void doctor_device(const struct doctor *doctor)
{
	const char *path = device_path();
	char owner[192];
	struct stat st;

	if (stat(path, &st)) {
		if (errno == ENOENT || errno == ENOTDIR)
			report_missing(doctor, path);
		else
			doctor_wrong("device", NULL, "%s: %s", path, strerror(errno));
		return;
	}
	if (!is_device(path, &st))
		return;
	owner_text(&st, owner, sizeof(owner));
	if (doctor->fd < 0)
		report_refused(doctor, path, owner);
	else
		doctor_ok("device", "%s, %s", path, owner);
}
