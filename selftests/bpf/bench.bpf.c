// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench.bpf.c - one event for each call of getppid(), for bench/tracepoint
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bench.h"

#define NR_GETPPID	110

SEC("tp_btf/sys_enter")
int BPF_PROG(on_syscall, const void *regs, long id)
{
	struct called event = { .nr = id };

	if (id == NR_GETPPID)
		ETW_BPF_WRITE(bench, called, &event);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
