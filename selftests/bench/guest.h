/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guest.h - what the benchmark programs that run in the VM share
 */
#ifndef BENCH_GUEST_H
#define BENCH_GUEST_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Say what failed; err: a negative errno, or 0 for that of the last call.  Returns -1. */
static inline int fail(const char *what, int err)
{
	const char *why = strerror(err < 0 ? -err : errno);

	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
	return -1;
}

/*
 * Where the JSON goes: --json FILE, else what $ETW_BENCH_JSON names; NULL: nowhere.  Other
 * arguments end the program.
 */
static inline const char *json_path(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--json"))
		return argv[2];
	if (argc == 1)
		return getenv("ETW_BENCH_JSON");
	fprintf(stderr, "usage: %s [--json FILE]\n", program_invocation_short_name);
	exit(2);
}

/* In ns; under "scripts/vm --icount" in instructions. */
static inline uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

#endif /* BENCH_GUEST_H */
