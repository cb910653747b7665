// SPDX-License-Identifier: GPL-2.0-only
/*
 * tsc - the rate of this machine's TSC, in kHz, for scripts/vm
 *
 * An emulated machine has the TSC of its host. Its kernel measures the rate by
 * an emulated timer, which fails when the host is busy, and is then left with a
 * clock of ticks. So scripts/vm passes the rate to the kernel instead. Prints
 * nothing where there is no TSC.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>

#define TRIES	200	/* for a pair that nothing came between */
#define SPAN_NS	50000000

struct moment {
	uint64_t tsc;
	uint64_t ns;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The same moment on both clocks: of many tries the quickest one. */
static struct moment look(void)
{
	struct moment m = { 0, 0 };
	uint64_t best = UINT64_MAX, before, after, ns;
	int i;

	for (i = 0; i < TRIES; i++) {
		before = __rdtsc();
		ns = now_ns();
		after = __rdtsc();
		if (after - before < best) {
			best = after - before;
			m = (struct moment){ before + best / 2, ns };
		}
	}
	return m;
}

int main(void)
{
	struct moment a = look(), b;

	while (now_ns() - a.ns < SPAN_NS)
		;
	b = look();
	printf("%llu\n", (unsigned long long)((b.tsc - a.tsc) * 1000000 / (b.ns - a.ns)));
	return 0;
}

#else

int main(void)
{
	return 0;
}

#endif
