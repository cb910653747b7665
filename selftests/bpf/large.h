/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * large.h - an event that is too large for the stack
 */
#ifndef ETW_SELFTEST_BPF_LARGE_H
#define ETW_SELFTEST_BPF_LARGE_H

#include <etw/bpf.h>

#define LARGE(field)					\
	field(u32, number, "Number")			\
	field(bytes, middle, "Middle", 3001)		\
	field(u32, last, "Last")

#define LARGE_EVENTS(event)				\
	event(large, LARGE, "Large", 4, 0x1)
ETW_BPF_PROVIDER(large, "Test-Bpf-Large", LARGE_EVENTS)

#endif /* ETW_SELFTEST_BPF_LARGE_H */
