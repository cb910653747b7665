/* SPDX-License-Identifier: MIT */
/*
 * kernel_logger.h - the kernel logger's events on time lines; the state of slices.c
 */
#ifndef ETW_CONVERT_SLICES_KERNEL_LOGGER_H
#define ETW_CONVERT_SLICES_KERNEL_LOGGER_H

#include "base/table.h"
#include "open_starts.h"
#include "slices.h"

/* The thread that runs on a processor */
struct running {
	bool known;
	uint32_t pid, tid;
	int64_t begin;
	struct etw_text body;
};

/* What is known of threads from the kernel logger */
struct kernel {
	struct running *cpus;
	size_t cpu_count;
	size_t held;		/* bytes in their bodies */
	struct etw_table names;		/* of processes: those that the format has */
};

struct slices {
	struct convert *c;
	const struct slice_sink *sink;
	size_t limit;
	struct open_table open;
	struct kernel kernel;
	struct etw_process_table *processes;
	bool own_processes;
	struct slices_count count;
	struct etw_text scratch;
	int64_t last;		/* ns, of all events */
};

/*
 * Learn names of processes and threads, and make slices of context switches.  1: the event
 * was a context switch; 0: it was another event; -errno.
 */
int kernel_event(struct slices *s, const struct convert_event *e, int64_t ns);
/* Give the format the name that a process has at a time, unless it has it already. */
int kernel_name_process(struct slices *s, uint32_t pid, int64_t time);
int kernel_end(struct slices *s);
void kernel_free(struct kernel *kernel);

#endif /* ETW_CONVERT_SLICES_KERNEL_LOGGER_H */
