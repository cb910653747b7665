// SPDX-License-Identifier: GPL-2.0-only
/*
 * kinds.bpf.c - programs of types that may call kfuncs in later kernels only; the test loads
 * one at a time
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "events.h"

struct bpf_test_control control;

static int count(void)
{
	struct numbered event = { .tid = bpf_get_current_pid_tgid() };
	int result;

	event.number = __sync_fetch_and_add(&control.calls, 1);
	result = ETW_BPF_WRITE(test, numbered, &event);
	if (result) {
		control.result = result;
		__sync_fetch_and_add(&control.results, 1);
	}
	return 0;
}

SEC("perf_event")
int of_perf(void *ctx)
{
	return count();
}

SEC("kprobe/__x64_sys_getppid")
int of_kprobe(void *ctx)
{
	return count();
}

SEC("tracepoint/syscalls/sys_enter_getppid")
int of_tracepoint(void *ctx)
{
	return count();
}

char LICENSE[] SEC("license") = "GPL";
