/* SPDX-License-Identifier: MIT */
/*
 * clock.c - which clock sessions get, by the rule of module/session/clock.c
 */
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "checks.h"
#include "files.h"
#include "report.h"

#define CLOCKS	"/sys/devices/system/clocksource/clocksource0"

/* The flags of the first CPU; "": not known */
static void read_flags(char *flags, size_t size)
{
	size_t got, len;
	char *text = doctor_read(&got, "/proc/cpuinfo");
	const char *at = text ? strstr(text, "\nflags") : NULL;

	*flags = '\0';
	at = at ? strchr(at, ':') : NULL;
	if (at) {
		len = strcspn(++at, "\n");
		len = len < size ? len : size - 1;
		memcpy(flags, at, len);
		flags[len] = '\0';
	}
	free(text);
}

/* Why the CPU's flags do not suffice; NULL: they do */
static const char *missing_flag(const char *flags)
{
	if (doctor_has_word(flags, "tsc_reliable"))
		return NULL;
	if (!doctor_has_word(flags, "constant_tsc"))
		return "constant_tsc";
	return doctor_has_word(flags, "nonstop_tsc") ? NULL : "nonstop_tsc";
}

void doctor_clock(const struct doctor *doctor)
{
	char available[256] = "", current[64] = "", trust[8] = "N", flags[8192];
	const char *missing;

	if (!doctor->loaded) {
		doctor_unknown("clock", "not known without the module");
		return;
	}
	doctor_line(available, sizeof(available), CLOCKS "/available_clocksource");
	doctor_line(current, sizeof(current), CLOCKS "/current_clocksource");
	doctor_line(trust, sizeof(trust), "/sys/module/etw/parameters/trust_tsc");
	read_flags(flags, sizeof(flags));
	missing = missing_flag(flags);
	if (!doctor_has_word(flags, "tsc"))
		doctor_warn("clock", NULL, "CLOCK_BOOTTIME, which is slower: this CPU has no TSC");
	else if (*available && !doctor_has_word(available, "tsc"))
		doctor_warn("clock", doctor_fix("sudo dmesg | grep -i tsc"),
			    "CLOCK_BOOTTIME, which is slower: the kernel found the TSC unstable and uses %s; it says why",
			    current);
	else if (!missing)
		doctor_ok("clock", "the TSC, which the CPU declares invariant");
	else if (*trust == 'Y')
		doctor_ok("clock", "the TSC: trust_tsc=1 replaces the flag %s that this CPU lacks", missing);
	else
		doctor_warn("clock", doctor_fix("sudo modprobe -r etw && sudo modprobe etw trust_tsc=1"),
			    "CLOCK_BOOTTIME, which is slower: the CPU does not declare the TSC invariant (%s); trust it if you know that it is",
			    missing);
}
