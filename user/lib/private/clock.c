// SPDX-License-Identifier: MIT
/*
 * clock.c - choose a private session's clock
 *
 * The TSC is used where the kernel itself keeps time with it: then it has checked that all
 * CPUs' counters agree and run at one rate. No interface tells an unprivileged process that
 * rate, so it is measured against CLOCK_MONOTONIC, once. Buffers hold pairs of both clocks, by
 * which readers correct it.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

#define SOURCE	"/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define MEASURE_NS	5000000		/* the error of both readings is below 5 ppm of it */

/* Does the kernel keep time with the TSC? */
static bool tsc_trusted(void)
{
	char name[8] = "";
	ssize_t len = -1;
	int fd;

	if (!PRIVATE_HAS_TSC)
		return false;
	fd = open(SOURCE, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, name, sizeof(name) - 1);
		close(fd);
	}
	return len == 4 && !memcmp(name, "tsc\n", 4);
}

/* Both clocks at one moment: of several readings, the one that took the shortest time. */
static void read_both(uint64_t *tsc, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;
	int i;

	for (i = 0; i < 16; i++) {
		uint64_t before = private_tsc(), now = private_ns(CLOCK_MONOTONIC);
		uint64_t took = private_tsc() - before;

		if (took < best) {
			best = took;
			*tsc = before + took / 2;
			*ns = now;
		}
	}
}

static uint64_t measure(void)
{
	const struct timespec wait = { .tv_nsec = MEASURE_NS };
	uint64_t tsc, ns, tsc_end, ns_end;

	read_both(&tsc, &ns);
	do {
		nanosleep(&wait, NULL);
		read_both(&tsc_end, &ns_end);
	} while (ns_end - ns < MEASURE_NS);
	return (uint64_t)((double)(tsc_end - tsc) * 1e9 / (double)(ns_end - ns));
}

/* Ticks per second, 0: not to be used. */
static uint64_t tsc_frequency(void)
{
	static _Atomic uint64_t known;		/* + 1 */
	uint64_t value = atomic_load(&known);

	if (!value) {
		value = (tsc_trusted() ? measure() : 0) + 1;
		atomic_store(&known, value);
	}
	return value - 1;
}

enum private_clock etw_private_clock_pick(uint32_t type, uint64_t *frequency)
{
	*frequency = type == ETW_CLOCK_SYSTEM ? 0 : tsc_frequency();
	if (*frequency)
		return PRIVATE_TSC;
	*frequency = type == ETW_CLOCK_QPC ? 1000000000 : 10000000;
	return type == ETW_CLOCK_QPC ? PRIVATE_BOOT : PRIVATE_WALL;
}
