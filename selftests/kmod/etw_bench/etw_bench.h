/* SPDX-License-Identifier: GPL-2.0-only */
/* etw_bench.h - /dev/etw_bench: loops in the kernel for the benchmarks to measure */
#ifndef ETW_BENCH_H
#define ETW_BENCH_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <etw/format.h>

#define ETW_BENCH_STATIC_GUID	ETW_GUID(0xbe9c4000, 0x0001, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7)
#define ETW_BENCH_HANDLE_GUID	ETW_GUID(0xbe9c4000, 0x0002, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7)
#define ETW_BENCH_NAMED_GUID	ETW_GUID(0xbe9c4000, 0x0003, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7)

/* Of etw_bench.man */
#define ETW_BENCH_MANIFEST_GUID	ETW_GUID(0xbe9c4000, 0x0005, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7)
/* The provider of ETW_BENCH_TRANSFER's events */
#define ETW_BENCH_TRANSFER_GUID	(0xbe9c4000, 0x0004, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7)
#define ETW_BENCH_EVEN		1	/* keyword of events with an even number */
#define ETW_BENCH_ODD		2

#define ETW_BENCH_EMPTY		0	/* the loop alone */
#define ETW_BENCH_NOP		1	/* ... and a branch on a key that is never enabled */
#define ETW_BENCH_STATIC	2	/* inline test and write, static provider */
#define ETW_BENCH_HANDLE	3	/* etw_write() to a run-time handle */
#define ETW_BENCH_HANDLE_TEST	4	/* etw_event_enabled() of it, then the write */
#define ETW_BENCH_CLOCK		5	/* ktime_get_mono_fast_ns(), for comparison */
#define ETW_BENCH_NAMED		6	/* as STATIC, an event with a schema, "BenchEvent" */
#define ETW_BENCH_FIXED		7	/* as STATIC, written as one object */
#define ETW_BENCH_HEADER	8	/* by the header of a manifest */
#define ETW_BENCH_KINDS		9

struct etw_bench_run {
	__u32 kind;
	__u32 loops;
	__u32 level;		/* of the event */
	__u32 reserved;
	__u64 keyword;
	__u64 ticks;		/* out: TSC ticks of the whole loop */
	__u64 failed;		/* out: writes that returned an error */
};

/* Write the TraceLogging events "Transfer" of bench/decode with these numbers. */
struct etw_bench_transfer {
	__u32 first;
	__u32 count;		/* at most 1,000,000 */
};

#define ETW_BENCH_RUN		_IO(0xEB, 1)	/* etw_bench_run */
#define ETW_BENCH_TRANSFER	_IO(0xEB, 2)	/* etw_bench_transfer */

#endif /* ETW_BENCH_H */
