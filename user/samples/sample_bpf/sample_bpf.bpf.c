// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sample_bpf.bpf.c - a BPF program that is a provider: how long woken threads wait for a CPU
 *
 * Of the kernel's types it declares what it uses; CO-RE finds where that is in the running
 * kernel.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "sample_bpf.h"

struct task_struct {
	int pid;
	char comm[16];
} __attribute__((preserve_access_index));

/* The thread's id, and when it was woken */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u64);
} woken SEC(".maps");

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 thread = task->pid;

	/* Nobody listens: there is nothing to remember. */
	if (ETW_BPF_ENABLED(sample, waited))
		bpf_map_update_elem(&woken, &thread, &now, BPF_ANY);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempt, struct task_struct *before, struct task_struct *next)
{
	struct waited event = { .thread = next->pid };
	__u64 *since;

	if (!ETW_BPF_ENABLED(sample, waited))
		return 0;
	since = bpf_map_lookup_elem(&woken, &event.thread);
	if (!since)
		return 0;
	event.waited = bpf_ktime_get_ns() - *since;
	event.cpu = bpf_get_smp_processor_id();
	bpf_probe_read_kernel_str(event.name, sizeof(event.name), next->comm);
	bpf_map_delete_elem(&woken, &event.thread);
	ETW_BPF_WRITE(sample, waited, &event);
	return 0;
}

/* Only programs under the GPL may call functions of the kernel. */
char LICENSE[] SEC("license") = "Dual MIT/GPL";
