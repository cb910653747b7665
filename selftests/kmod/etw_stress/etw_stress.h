/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * etw_stress.h - /dev/etw_stress: events from every context of every CPU
 *
 * A stream is the events of one source on one CPU. Its events are numbered from 0; number
 * and source determine level, keyword, size and every byte of the payload, so the reader
 * knows which events each session must contain, and their contents.
 */
#ifndef ETW_STRESS_H
#define ETW_STRESS_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <etw/format.h>

#define ETW_STRESS_GUID	ETW_GUID(0x57e55000, 0x0001, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7)

#define ETW_STRESS_THREAD	0
#define ETW_STRESS_TIMER	1	/* hrtimer, in hardirq */
#define ETW_STRESS_NMI		2
#define ETW_STRESS_SOURCES	3
#define ETW_STRESS_CPUS		16

#define ETW_STRESS_FILL		200	/* most bytes after the fixed part */

struct etw_stress_event {
	__u32 source;
	__u32 cpu;		/* of the stream */
	__u64 number;
	__u32 fill;		/* bytes that follow */
	__u32 check;		/* checksum of all the rest */
	__u8  bytes[];
};

static inline __u8 etw_stress_level(__u32 source, __u64 number)
{
	return (number + source) % 6;	/* 0 to 5 */
}

static inline __u64 etw_stress_keyword(__u32 source, __u64 number)
{
	if (number % 11 == 10)
		return 0;
	return 1ULL << source | (number % 3 == 0 ? 0x100000000ULL : 0);
}

/* The driver fills the slot itself if it knows the size. */
#define ETW_STRESS_KNOWN	21	/* fill of every fourth event, in several pieces */
#define ETW_STRESS_FIXED	40	/* of every other fourth, as one object */

static inline __u32 etw_stress_fill(__u32 source, __u64 number)
{
	if (number % 4 == 1)
		return ETW_STRESS_KNOWN;
	if (number % 4 == 3)
		return ETW_STRESS_FIXED;
	return (number * 37 + source * 13) % (ETW_STRESS_FILL + 1);
}

static inline __u8 etw_stress_byte(__u64 number, __u32 at)
{
	return (__u8)(number * 7 + at * 3 + 1);
}

static inline __u32 etw_stress_check(const struct etw_stress_event *e)
{
	__u32 i, sum = e->source * 31 + e->cpu * 131 + (__u32)e->number + e->fill;

	for (i = 0; i < e->fill; i++)
		sum = sum * 33 + e->bytes[i];
	return sum;
}

struct etw_stress_tally {
	__u64 attempted;	/* numbers 0 to attempted - 1 were used */
	__u64 rejected;		/* the inline test said that no session takes it */
	__u64 ok;		/* etw_write() returned 0 */
	__u64 failed;
	__u64 nested;		/* interrupted a write of the thread on its CPU */
};

struct etw_stress_tallies {
	struct etw_stress_tally t[ETW_STRESS_SOURCES][ETW_STRESS_CPUS];
	__u64 nmi_sent;
	__s32 last_error;
	__u32 reserved;
};

struct etw_stress_start {
	__u32 pause_us;		/* of a thread, after each burst */
	__u32 burst;		/* events of a burst */
	__u32 timer_us;		/* period of the timers */
	__u32 nmi_us;		/* pause between NMIs */
	__u64 limit;		/* maximum number of events of one stream */
};

#define ETW_STRESS_IOC(nr)	_IO(0xEA, (nr))
#define ETW_STRESS_START_IOC	ETW_STRESS_IOC(1)	/* etw_stress_start */
#define ETW_STRESS_STOP_IOC	ETW_STRESS_IOC(2)	/* none */
#define ETW_STRESS_TALLY_IOC	ETW_STRESS_IOC(3)	/* etw_stress_tallies */

#endif /* ETW_STRESS_H */
