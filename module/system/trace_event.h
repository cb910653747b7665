/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_event.h - the kernel's trace events as providers
 */
#ifndef ETW_SYSTEM_TRACE_EVENT_H
#define ETW_SYSTEM_TRACE_EVENT_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <etw/abi.h>
#include <etw/kernel.h>

#include "held_provider.h"
#include "trace_record.h"

struct etw_process;

/**
 * struct etw_trace_provider - a provider whose events are those of a tracepoint
 * @held: what makes it a provider; its lock is for @active and @counters, too
 * @desc: of its events
 * @id: of the trace event; 0: samples
 * @counter: of samples: as the rest of struct etw_trace_event has them
 * @config: likewise
 * @period: likewise
 * @frequency: @period is a frequency
 * @manifest: names of its fields' values; NULL: there are none
 * @manifest_len: bytes of @manifest
 * @active: there are counters
 * @counters: of each CPU; NULL for a CPU that is offline
 * @layout: of a record
 * @pieces: for @layout
 *
 * What a record is read by does not change.
 */
struct etw_trace_provider {
	struct etw_held_provider held;
	struct etw_event_descriptor desc;
	u32 id;
	u32 counter;
	u64 config;
	u64 period;
	bool frequency;
	void *manifest;
	u32 manifest_len;
	bool active;
	struct perf_event * __percpu *counters;
	struct etw_trace_layout layout;
	struct etw_trace_piece pieces[];
};

/* trace_event.c */
int etw_trace_provider_make(struct etw_process *holder, const struct etw_trace_event *arg,
			    const char *name, const void *schema,
			    const struct etw_trace_piece *pieces, const void *manifest);
void etw_trace_renew_all(void);

/* trace_record.c */
void etw_trace_record_missing(const struct etw_trace_provider *t);

/* trace_counter.c */
int etw_trace_counters_start(struct etw_trace_provider *t);
void etw_trace_counters_stop(struct etw_trace_provider *t);
void etw_trace_counters_renew(struct etw_trace_provider *t);
int etw_trace_counters_init(void);
void etw_trace_counters_exit(void);

#endif /* ETW_SYSTEM_TRACE_EVENT_H */
