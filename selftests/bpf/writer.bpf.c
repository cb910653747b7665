// SPDX-License-Identifier: GPL-2.0-only
/*
 * writer.bpf.c - tracing programs that write events: of system calls, in timers and in NMIs
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "events.h"

#define NR_GETPPID	110

struct bpf_test_control control;

static _Bool is_counted(void)
{
	return (__u32)(bpf_get_current_pid_tgid() >> 32) == control.thread_group;
}

static void note(int result)
{
	if (!result)
		return;
	control.result = result;
	__sync_fetch_and_add(&control.results, 1);
}

/* The macros, with the number that is constant */
SEC("tp_btf/sys_enter")
int BPF_PROG(on_syscall, const void *regs, long id)
{
	struct numbered event;

	if ((id != NR_GETPPID && !control.every) || !is_counted())
		return 0;
	event.number = __sync_fetch_and_add(&control.calls, 1);
	if (!ETW_BPF_ENABLED(test, numbered))
		return 0;
	__sync_fetch_and_add(&control.enabled, 1);
	event.tid = bpf_get_current_pid_tgid();
	event.argument = 0x123456789abcdef0;
	note(ETW_BPF_WRITE(test, numbered, &event));
	return 0;
}

struct named written = { .name = "text", .raw = { 1, 2, 3 }, .from = { 0xfe, 0x80 } };

/* The same from a map; the test fills it */
SEC("fentry/__x64_sys_getpgid")
int BPF_PROG(on_getpgid)
{
	if (is_counted())
		note(ETW_BPF_WRITE(test, named, &written));
	return 0;
}

char memory[64];

/* Any arguments */
SEC("fentry/__x64_sys_getsid")
int BPF_PROG(on_getsid)
{
	__u32 size = control.size;

	if (!is_counted() || size > sizeof(memory))
		return 0;
	__sync_fetch_and_add(&control.calls, 1);
	__sync_fetch_and_add(&control.enabled, bpf_etw_enabled(control.provider, control.event));
	note(bpf_etw_write(control.provider, control.event, memory, size));
	return 0;
}

static void write_elsewhere(__u32 number)
{
	struct numbered event = { .number = number, .argument = bpf_get_smp_processor_id() };

	note(ETW_BPF_WRITE(test, numbered, &event));
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(on_timer)
{
	if (control.elsewhere)
		write_elsewhere(__sync_fetch_and_add(&control.timers, 1));
	return 0;
}

SEC("tp_btf/nmi_handler")
int BPF_PROG(on_nmi)
{
	if (control.elsewhere)
		write_elsewhere(__sync_fetch_and_add(&control.nmis, 1));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
