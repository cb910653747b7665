/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * traced.h - the tracepoint that bench/tracepoint and bench/tracepoint_file trace, and how
 *
 * It is that of the system call getppid(), syscalls:sys_enter_getppid.
 */
#ifndef BENCH_TRACED_H
#define BENCH_TRACED_H

#include <linux/perf_event.h>
#include <stdio.h>

#include "bench/guest.h"
#include "lib/vm_dev.h"
#include "lib/vm_tracefs.h"

#define TRACED		"syscalls/sys_enter_getppid"
#define PERF_PAGES	128	/* as perf record has for each CPU */

/* Make it the provider vm_guid(1): an event "e" with the number of the system call, "nr". */
static inline int traced_by_etw(int fd)
{
	static const unsigned char schema[] = { 10, 0, 0, 'e', 0, 'n', 'r', 0, 10, 0 };
	static const struct etw_trace_piece piece = { .offset = 8, .size = 8 };
	struct etw_trace_event e = {
		.size = sizeof(e), .provider = vm_guid(1), .name = VM_PTR("bench"), .name_len = 5,
		.id = vm_event_id(TRACED), .schema = VM_PTR(schema), .schema_len = sizeof(schema),
		.pieces = VM_PTR(&piece), .piece_count = 1, .level = 4,
	};

	return vm_ioctl(fd, ETW_IOC_TRACE_EVENT, &e);
}

/* What "perf record -e" asks for */
static inline struct perf_event_attr traced_by_perf(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(struct perf_event_attr),
		.config = vm_event_id(TRACED), .sample_period = 1, .sample_id_all = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
	};
}

/* Rows without a key are left out, and those that this kernel lacks, whose net is negative. */
static inline int traced_json(const char *path, const char *const *keys, const double *net,
			      size_t count)
{
	const char *between = "";
	FILE *f = fopen(path, "we");
	size_t i;

	if (!f)
		return fail(path, -errno);
	fprintf(f, "{\n    \"unit\": \"instructions per event\",\n    \"rows\": [\n");
	for (i = 0; i < count; i++) {
		if (!keys[i] || net[i] < 0)
			continue;
		fprintf(f, "%s      {\"key\": \"%s\", \"net\": %.0f}", between, keys[i], net[i]);
		between = ",\n";
	}
	fprintf(f, "\n    ]\n  }\n");
	return fclose(f) ? fail(path, -errno) : 0;
}

#endif /* BENCH_TRACED_H */
