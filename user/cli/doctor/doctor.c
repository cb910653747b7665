/* SPDX-License-Identifier: MIT */
/*
 * doctor.c - etw doctor: what keeps this machine, or this user, from tracing
 */
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "device/kdev.h"
#include "checks.h"
#include "files.h"
#include "report.h"

static bool json;
static const struct cli_option options[] = { CLI_OPTION_JSON(json), CLI_OPTION_END };

static const struct cli_syntax syntax = {
	.what = "Look for what keeps this machine, or you, from tracing, and print the commands\n"
		"that fix it: the module, the device, rights, limits, the clock, what the\n"
		"kernel's own events need, manifests, and sessions that lose events.  Changes\n"
		"nothing.  The exit status is 1 if something is wrong; warnings do not count.",
	.operands = { NULL },
	.options = options,
	.example = "etw doctor",
};

static void (*const checks[])(const struct doctor *doctor) = {
	doctor_module, doctor_dkms, doctor_device, doctor_interface, doctor_rights, doctor_limits,
	doctor_clock, doctor_btf, doctor_kernel_events, doctor_manifests, doctor_autologger,
	doctor_sessions,
};

/* Capabilities of another user namespace than the initial one are none for the module. */
static void look_at_caller(struct doctor *doctor)
{
	size_t got;
	char *status = doctor_read(&got, "/proc/self/status");
	char *map = doctor_read(&got, "/proc/self/uid_map");
	const char *caps = status ? strstr(status, "\nCapEff:") : NULL;
	unsigned long inside = 1, outside = 1, count = 0;

	if (map)
		sscanf(map, "%lu %lu %lu", &inside, &outside, &count);
	doctor->initial_user_ns = !map || (!inside && !outside && count == UINT32_MAX);
	if (caps && doctor->initial_user_ns)
		sscanf(caps, "\nCapEff: %" SCNx64, &doctor->caps);
	free(status);
	free(map);
}

static void look_around(struct doctor *doctor)
{
	if (!doctor_line(doctor->release, sizeof(doctor->release), "/proc/sys/kernel/osrelease"))
		strcpy(doctor->release, "(unknown)");
	/* Parameters built into the kernel make a folder, too, but no state. */
	doctor->loaded = doctor_exists("/sys/module/etw/initstate");
	doctor->container = doctor_exists("/run/.containerenv") || doctor_exists("/.dockerenv") ||
			    doctor_exists("/run/systemd/container");
	doctor->fd = etw_kdev_open();
	look_at_caller(doctor);
}

int cmd_doctor(int argc, char **argv)
{
	static struct doctor doctor;
	unsigned int wrong;
	size_t i;

	cli_parse(&syntax, argc, argv);
	if (json)
		doctor_use_json();
	look_around(&doctor);
	for (i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		checks[i](&doctor);
	etw_kdev_close(doctor.fd);
	wrong = doctor_wrong_count();
	return wrong ? cli_fail("%u thing%s wrong", wrong, wrong == 1 ? " is" : "s are") : 0;
}
