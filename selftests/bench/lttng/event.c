// SPDX-License-Identifier: MIT
/* event.c - what an event costs LTTng-UST, measured as selftests/bench/private.c measures ours */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "event.h"
#include <stdio.h>
#include <time.h>

#define BATCH	2000
#define BATCHES	2000

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static __attribute__((__noinline__)) void write_one(uint32_t a, uint64_t b)
{
	static const char text[16] = "fifteen letters";

	lttng_ust_tracepoint(etw_bench, event, a, b, text);
}

int main(void)
{
	double least = 1e9, took;
	uint32_t batch, i;

	/* An event that no session has enabled would be no comparison. */
	if (!lttng_ust_tracepoint_enabled(etw_bench, event)) {
		fputs("the event is not enabled\n", stderr);
		return 1;
	}
	for (batch = 0; batch < BATCHES; batch++) {
		took = now_ns();
		for (i = 0; i < BATCH; i++)
			write_one(i, batch);
		took = (now_ns() - took) / BATCH;
		least = took < least ? took : least;
	}
	printf("%.1f\n", least);
	return 0;
}
