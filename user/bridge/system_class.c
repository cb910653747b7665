/* SPDX-License-Identifier: MIT */
/*
 * system_class.c - what stands for several of the kernel's trace events: the classes of
 * "system:CLASS", and the flags with which Windows' controllers enable the system's events
 *
 * A flag stands for what Microsoft's page "EVENT_TRACE_PROPERTIES structure" says that it
 * enables, so it may be a part of a class: EVENT_TRACE_FLAG_CSWITCH are the context switches
 * of the class sched, EVENT_TRACE_FLAG_DISPATCHER its wakeups.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <etw/abi.h>
#include <evntrace.h>
#include "system_class.h"

#define PATTERNS_MAX	16
#define HARD_FAULTS	"pmu:major-faults:1"

/*
 * Rows of one class follow each other.  A pattern that no event matches is left out; one without
 * a colon is the name of a provider of etw.ko.
 */
static const struct part {
	const char *class;	/* NULL: of no class */
	uint32_t flag;		/* 0: of no flag */
	const char *patterns[PATTERNS_MAX];
} parts[] = {
	{ "cgroup", EVENT_TRACE_FLAG_JOB, { "cgroup:*" } },
	{ "console", EVENT_TRACE_FLAG_DBGPRINT, { "printk:console" } },
	{ "counters", 0, { "Etw-Counters" } },
	{ "disk", EVENT_TRACE_FLAG_DISK_IO_INIT, { "block:block_rq_issue" } },
	{ "disk", EVENT_TRACE_FLAG_DISK_IO, { "block:block_rq_complete" } },
	{ "fault", EVENT_TRACE_FLAG_MEMORY_PAGE_FAULTS, { "exceptions:page_fault_*" } },
	{ "file", EVENT_TRACE_FLAG_FILE_IO_INIT,
	  { "syscalls:sys_enter*_open*", "syscalls:sys_enter*_read", "syscalls:sys_enter*_write",
	    "syscalls:sys_enter*_close", "syscalls:sys_enter*_pread*", "syscalls:sys_enter*_pwrite*",
	    "syscalls:sys_enter*_unlink*", "syscalls:sys_enter*_rename*",
	    "syscalls:sys_enter*_f*sync", "syscalls:sys_enter_readv", "syscalls:sys_enter_writev",
	    "syscalls:sys_enter_creat", "syscalls:sys_enter_mkdir*", "syscalls:sys_enter_rmdir",
	    "syscalls:sys_enter_*truncate" } },
	{ "file", EVENT_TRACE_FLAG_FILE_IO,
	  { "syscalls:sys_exit*_open*", "syscalls:sys_exit*_read", "syscalls:sys_exit*_write",
	    "syscalls:sys_exit*_close", "syscalls:sys_exit*_pread*", "syscalls:sys_exit*_pwrite*",
	    "syscalls:sys_exit*_unlink*", "syscalls:sys_exit*_rename*",
	    "syscalls:sys_exit*_f*sync", "syscalls:sys_exit_readv", "syscalls:sys_exit_writev",
	    "syscalls:sys_exit_creat", "syscalls:sys_exit_mkdir*", "syscalls:sys_exit_rmdir",
	    "syscalls:sys_exit_*truncate" } },
	{ "image", EVENT_TRACE_FLAG_IMAGE_LOAD, { "Etw-Image" } },
	/* The kernel refuses irq_work_exit to perf: the trace would always lack it. */
	{ "irq", EVENT_TRACE_FLAG_INTERRUPT, { "irq:irq_handler_*", "irq_vectors:[!i]*" } },
	{ "irq", EVENT_TRACE_FLAG_DPC, { "irq:softirq_entry", "irq:softirq_exit" } },
	{ "memory", EVENT_TRACE_FLAG_VIRTUAL_ALLOC,
	  { "syscalls:sys_*_brk", "syscalls:sys_*_madvise", "syscalls:sys_*_mprotect" } },
	{ "memory", EVENT_TRACE_FLAG_VIRTUAL_ALLOC | EVENT_TRACE_FLAG_VAMAP,
	  { "syscalls:sys_*_mmap", "syscalls:sys_*_mremap", "syscalls:sys_*_munmap" } },
	{ "module", EVENT_TRACE_FLAG_IMAGE_LOAD, { "module:module_load", "module:module_free" } },
	{ "net", EVENT_TRACE_FLAG_NETWORK_TCPIP,
	  { "net:net_dev_xmit", "net:netif_receive_skb", "tcp:*", "sock:inet_sock_set_state",
	    "sock:sock_send_length", "sock:sock_recv_length", "skb:kfree_skb",
	    "syscalls:sys_*_connect", "syscalls:sys_*_accept*", "syscalls:sys_*_sendto",
	    "syscalls:sys_*_send*msg", "syscalls:sys_*_recvfrom", "syscalls:sys_*_recv*msg" } },
	{ "power", 0, { "power:cpu_frequency", "power:cpu_idle", "power:suspend_resume" } },
	{ "process", EVENT_TRACE_FLAG_THREAD, { "sched:sched_process_fork" } },
	{ "process", EVENT_TRACE_FLAG_IMAGE_LOAD, { "sched:sched_process_exec" } },
	{ "process", EVENT_TRACE_FLAG_THREAD, { "sched:sched_process_exit" } },
	{ "sched", EVENT_TRACE_FLAG_CSWITCH, { "sched:sched_switch" } },
	{ "sched", EVENT_TRACE_FLAG_DISPATCHER,
	  { "sched:sched_wakeup", "sched:sched_wakeup_new" } },
	{ "sched", 0, { "sched:sched_migrate_task" } },
	{ "signal", 0, { "signal:*" } },
	{ "syscall", EVENT_TRACE_FLAG_SYSTEMCALL, { "syscalls:*" } },
	{ NULL, EVENT_TRACE_FLAG_SPLIT_IO, { "block:block_split" } },
};

#define PARTS	(sizeof(parts) / sizeof(*parts))

bool system_class_own(const char *name)
{
	return !strchr(name, ':');
}

static int add_patterns(struct trace_set *set, const struct part *part)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < PATTERNS_MAX && part->patterns[i] && !err; i++)
		err = system_class_own(part->patterns[i]) ?
		      trace_set_add(set, part->patterns[i]) :
		      trace_set_add_events(set, part->patterns[i]);
	return err;
}

int system_class_add(struct trace_set *set, const char *name, size_t len)
{
	bool found = false;
	int err = 0;
	size_t i;

	for (i = 0; i < PARTS && !err; i++) {
		if (!parts[i].class || strlen(parts[i].class) != len ||
		    strncmp(parts[i].class, name, len))
			continue;
		found = true;
		err = add_patterns(set, &parts[i]);
	}
	return found ? err : -EINVAL;
}

const char *system_class_name(size_t i)
{
	size_t at = 0;

	while (at < PARTS && parts[at].class) {
		if (at && !strcmp(parts[at].class, parts[at - 1].class)) {
			at++;
			continue;
		}
		if (!i--)
			return parts[at].class;
		at++;
	}
	return NULL;
}

const char *system_flag_pattern(uint32_t flag, size_t i)
{
	size_t at, k;

	for (at = 0; at < PARTS; at++) {
		if (!(parts[at].flag & flag))
			continue;
		for (k = 0; k < PATTERNS_MAX && parts[at].patterns[k]; k++)
			if (!i--)
				return parts[at].patterns[k];
	}
	return NULL;
}

uint32_t system_mask_flags(const uint32_t mask[SYSTEM_MASK_WORDS])
{
	static const struct {
		unsigned int word;
		uint32_t bit, flag;
	} equal[] = {
		{ 1, 0x00000002, EVENT_TRACE_FLAG_PROFILE },
		{ 1, 0x00000004, EVENT_TRACE_FLAG_CSWITCH },
		{ 1, 0x00000010, EVENT_TRACE_FLAG_DRIVER },
		{ 1, 0x00000080, EVENT_TRACE_FLAG_DPC },
		{ 1, 0x00000200, EVENT_TRACE_FLAG_DISPATCHER },
		{ 1, 0x00004000, EVENT_TRACE_FLAG_INTERRUPT },
		{ 1, 0x00008000, EVENT_TRACE_FLAG_VIRTUAL_ALLOC },
		{ 2, 0x00000040, EVENT_TRACE_FLAG_SYSTEMCALL },
	};
	uint32_t flags = mask[0];
	size_t i;

	for (i = 0; i < sizeof(equal) / sizeof(*equal); i++)
		if (mask[equal[i].word] & equal[i].bit)
			flags |= equal[i].flag;
	return flags;
}

unsigned int system_sample_frequency(uint32_t interval)
{
	const uint32_t second = 10000000;	/* in 100 ns */
	uint32_t frequency = interval ? (second + interval / 2) / interval : 0;

	return !frequency ? 1 : frequency > ETW_TRACE_FREQUENCY_MAX ? ETW_TRACE_FREQUENCY_MAX :
								       frequency;
}

static int add_process(struct trace_set *set)
{
	const struct etw_guid guid = ETW_PROCESS_GUID;

	return trace_set_has(set, &guid) ? 0 : trace_set_append(set, SYSTEM_PROCESS, &guid);
}

static int add_profile(struct trace_set *set, uint32_t interval)
{
	char name[32];

	snprintf(name, sizeof(name), "profile:%u", system_sample_frequency(interval));
	return trace_set_add(set, name);
}

int system_flags_add(struct trace_set *set, uint32_t flags, uint32_t interval)
{
	int err = 0;
	size_t i;

	/* First, so that the trace names the processes of the events that follow. */
	if (flags & EVENT_TRACE_FLAG_PROCESS)
		err = add_process(set);
	for (i = 0; i < PARTS && !err; i++)
		if (parts[i].flag & flags)
			err = add_patterns(set, &parts[i]);
	if (!err && flags & EVENT_TRACE_FLAG_MEMORY_HARD_FAULTS)
		err = trace_set_add(set, HARD_FAULTS);
	if (!err && flags & EVENT_TRACE_FLAG_PROFILE)
		err = add_profile(set, interval);
	return err;
}
