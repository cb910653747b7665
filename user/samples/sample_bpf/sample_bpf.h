/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sample_bpf.h - the events of the sample, for its BPF program and for its loader
 */
#ifndef SAMPLE_BPF_H
#define SAMPLE_BPF_H

#include <etw/bpf.h>

#define WAITED(field)							\
	field(tid, thread, "ThreadId")					\
	field(u32, cpu, "Cpu")						\
	field(u64, waited, "WaitedNs")					\
	field(text, name, "Name", 16)

#define SAMPLE_EVENTS(event)						\
	event(waited, WAITED, "Waited", 4, 0x1)

ETW_BPF_PROVIDER(sample, "Sample-Bpf", SAMPLE_EVENTS)

#endif /* SAMPLE_BPF_H */
