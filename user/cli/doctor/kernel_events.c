/* SPDX-License-Identifier: MIT */
/*
 * kernel_events.c - what BPF programs, tracepoints, probes and stacks need of the system
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "checks.h"
#include "files.h"
#include "report.h"

#define PARANOID_MAX	2	/* beyond it some kernels let only CAP_SYS_ADMIN count */

/* A module that DKMS has built stands before one of "make install". */
static const char *build_fix(const struct doctor *doctor)
{
	const char *dkms = dkms_fix(doctor);

	if (dkms)
		return doctor_fix("sudo apt-get install pahole && %s", dkms);
	return doctor_fix("sudo apt-get install pahole && make modules KERNEL=%s && sudo make install",
			   doctor_word(doctor->release));
}

/*
 * When the module was loaded it tried which types of programs the kernel lets call it. The loader
 * of a program tries the other types (<etw/bpf_loader.h>).
 */
void doctor_btf(const struct doctor *doctor)
{
	char state[64] = "";

	doctor_line(state, sizeof(state), "/sys/module/etw/parameters/bpf");
	if (!doctor_exists("/sys/kernel/btf/vmlinux"))
		doctor_warn("btf", NULL,
			    "kernel %s has no BTF: BPF programs write events only through the slower ring buffer, and those that need BTF do not load; probes' arguments have no types",
			    doctor->release);
	else if (!doctor->loaded)
		doctor_ok("btf", "the kernel has BTF");
	else if (!doctor_exists("/sys/kernel/btf/etw") || !*state || !strncmp(state, "none", 4))
		doctor_warn("btf", build_fix(doctor),
			    "BPF programs cannot write events themselves, only through the slower ring buffer: %s",
			    *state ? state : doctor_exists("/sys/kernel/btf/etw") ?
			    "the module does not say which" : "the module has no BTF");
	else
		doctor_ok("btf", "of the kernel and of the module; BPF programs that can write events: %s; others go by a ring buffer",
			  state);
}

/* Where tracefs is mounted; false: nowhere */
static bool tracefs_mounted(char *at, size_t size)
{
	size_t got;
	char *mounts = doctor_read(&got, "/proc/mounts"), *line, type[32], path[256];
	bool found = false;

	for (line = mounts; line && *line && !found; line += strcspn(line, "\n"),
	     line += *line == '\n') {
		found = sscanf(line, "%*s %255s %31s", path, type) == 2 && !strcmp(type, "tracefs");
		if (found)
			snprintf(at, size, "%s", path);
	}
	free(mounts);
	return found;
}

static void check_tracefs(const struct doctor *doctor)
{
	char at[256];

	if (!tracefs_mounted(at, sizeof(at)))
		doctor_warn("tracefs", doctor_fix("sudo mount -t tracefs tracefs /sys/kernel/tracing"),
			    "not mounted: the kernel's events cannot be named");
	else if (!doctor_can(doctor, CAP_PERFMON))
		doctor_ok("tracefs", "mounted; the kernel's events are for CAP_PERFMON, which you do not have");
	else if (access(doctor_path("%s/events", at), R_OK | X_OK) ||
		 access(doctor_path("%s/events/header_page", at), R_OK))
		/* Files and folders have their mode from the kernel, but their group from the mount. */
		doctor_warn("tracefs", doctor_fix("sudo mount -o remount,gid=%u,mode=750 %s",
						   (unsigned int)getegid(), doctor_word(at)),
			    "%s/events: %s: you cannot enable the kernel's events", at, strerror(errno));
	else
		doctor_ok("tracefs", "%s, readable", at);
}

/* Probes are held by a counter of the process that made them. */
static void check_perf(const struct doctor *doctor)
{
	uint64_t paranoid;

	if (!doctor_can(doctor, CAP_PERFMON))
		return;
	if (!doctor_number(&paranoid, "/proc/sys/kernel/perf_event_paranoid"))
		doctor_warn("perf", NULL, "this kernel has no perf events: no tracepoints, no probes");
	else if (paranoid > PARANOID_MAX && paranoid < INT32_MAX &&
		 !(doctor->caps & UINT64_C(1) << CAP_SYS_ADMIN))
		doctor_warn("perf", doctor_fix("sudo sysctl kernel.perf_event_paranoid=%d", PARANOID_MAX),
			    "kernel.perf_event_paranoid is %" PRIu64 ": CAP_PERFMON may not suffice for probes",
			    paranoid);
	else
		doctor_ok("perf", "you may use tracepoints, samples and probes");
}

/* Are there addresses in kallsyms?  Without rights they are 0. */
static bool sees_symbols(void)
{
	FILE *file = fopen(doctor_path("/proc/kallsyms"), "re");
	uint64_t address = 0;
	char line[256];
	int i;

	/* The first symbol may be 0: variables of CPUs begin there. */
	for (i = 0; file && i < 1000 && !address && fgets(line, sizeof(line), file); i++)
		address = strtoull(line, NULL, 16);
	if (file)
		fclose(file);
	return address;
}

static void check_symbols(const struct doctor *doctor)
{
	uint64_t restrict_level = 0;

	if (!doctor_can(doctor, CAP_PERFMON))
		return;
	doctor_number(&restrict_level, "/proc/sys/kernel/kptr_restrict");
	if (sees_symbols())
		doctor_ok("symbols", "stacks show the names of the kernel's functions");
	else if (!doctor_exists("/proc/kallsyms"))
		doctor_warn("symbols", NULL, "this kernel has no kallsyms: stacks show addresses");
	else
		/* Without CAP_SYSLOG it takes both settings. */
		doctor_warn("symbols", doctor->caps & UINT64_C(1) << CAP_SYSLOG ?
			    doctor_fix("sudo sysctl kernel.kptr_restrict=1") :
			    doctor_fix("sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"),
			    "the kernel hides the names of its functions from you (kernel.kptr_restrict is %" PRIu64 "): stacks show addresses",
			    restrict_level);
}

void doctor_kernel_events(const struct doctor *doctor)
{
	check_tracefs(doctor);
	check_perf(doctor);
	check_symbols(doctor);
}
