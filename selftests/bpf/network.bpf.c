// SPDX-License-Identifier: GPL-2.0-only
/*
 * network.bpf.c - a program of a type that no kernel lets call etw.ko; and an event with a large
 * record, from a map
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define ETW_BPF_NO_PROCESS
#include "large.h"

struct large record;
__u32 calls;

SEC("tc")
int on_packet(struct __sk_buff *packet)
{
	if (!ETW_BPF_ENABLED(large, large))
		return 0;
	record.number = __sync_fetch_and_add(&calls, 1);
	record.last = ~record.number;
	ETW_BPF_WRITE(large, large, &record);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
