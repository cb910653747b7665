/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.h - what the BPF programs of the tests write; for them and for vm/bpf
 */
#ifndef ETW_SELFTEST_BPF_EVENTS_H
#define ETW_SELFTEST_BPF_EVENTS_H

#include <etw/bpf.h>

/* Copied as it is */
#define NUMBERED(field)					\
	field(u32, number, "Number")			\
	field(tid, tid, "ThreadId")			\
	field(hex64, argument, "Argument")

/* With parts that change, and one after them at an odd place */
#define NAMED(field)					\
	field(u8, kind, "Kind")				\
	field(text, name, "Name", 16)			\
	field(user_text, given, "Given")		\
	field(bytes, raw, "Raw", 3)			\
	field(ipv6, from, "From")			\
	field(s16, after, "After")

#define TEST_EVENTS(event)				\
	event(numbered, NUMBERED, "Numbered", 4, 0x1)	\
	event(named, NAMED, "Named", 5, 0x2, .opcode = 1, .task = 7)
ETW_BPF_PROVIDER(test, "Test-Bpf", TEST_EVENTS)

/* What the programs do at each occurrence, in their variable "control" */
struct bpf_test_control {
	__u32 thread_group;	/* whose system calls count; 0: nobody's */
	__u32 provider;		/* of bpf_etw_write(); unlike the number that is given at load */
	__u32 event;
	__u32 size;		/* bytes of the record, at most 64 */
	__u32 elsewhere;	/* count timers and NMIs, too */
	__u32 every;		/* count every system call, not only getppid() */
	/* results */
	__u32 calls, enabled, timers, nmis;
	__u32 results;		/* other than 0 */
	__s32 result;		/* the last one */
};

#endif /* ETW_SELFTEST_BPF_EVENTS_H */
