/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench.h - what the BPF program of bench/tracepoint writes
 */
#ifndef ETW_SELFTEST_BPF_BENCH_H
#define ETW_SELFTEST_BPF_BENCH_H

#include <etw/bpf.h>

#define CALLED(field)		field(u64, nr, "nr")
#define BENCH_EVENTS(event)	event(called, CALLED, "e", 4, 0x1)
ETW_BPF_PROVIDER(bench, "Bench-Bpf", BENCH_EVENTS)

#endif /* ETW_SELFTEST_BPF_BENCH_H */
