// SPDX-License-Identifier: MIT
/* What stands for several trace events: classes, Windows' flags, group masks, intervals */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <etw/abi.h>
#include <etw/format.h>
#include <evntrace.h>

#include "bridge/system_class.h"
#include "lib/tap.h"

/* Each is there once, sorted as the command lists them. */
static void test_classes(void)
{
	struct trace_set set = { .count = 0 };
	size_t i;

	for (i = 1; system_class_name(i); i++)
		ok(strcmp(system_class_name(i - 1), system_class_name(i)) < 0, "%s, %s",
		   system_class_name(i - 1), system_class_name(i));
	is(i, 16, "classes");
	is(system_class_add(&set, "tape", 4), -EINVAL, "no class");
	is(system_class_add(&set, "dis", 3), -EINVAL, "the begin of a class");
	is(system_class_add(&set, "", 0), -EINVAL, "no name");
	is(set.count, 0, "nothing added");
	is(system_class_add(&set, "image", 5), 0, "a class of etw.ko's own");
	is(system_class_add(&set, "counters", 8), 0, "another one");
	is(system_class_add(&set, "image", 5), 0, "once more");
	is(set.count, 2, "two providers, without tracefs");
	ok(system_class_own(set.names[0]) && !system_class_own("pmu:faults:1"), "they need not be made");
	ok(!memcmp(&set.guids[0], &(struct etw_guid)ETW_IMAGE_GUID, 16) &&
	   !memcmp(&set.guids[1], &(struct etw_guid)ETW_COUNTERS_GUID, 16), "with their GUIDs");
	trace_set_free(&set);
}

/* What a flag stands for is its own: no other flag brings it. */
static void test_flags(void)
{
	static const struct {
		uint32_t flag;
		const char *pattern;
	} flags[] = {
		{ EVENT_TRACE_FLAG_THREAD, "sched:sched_process_fork" },
		{ EVENT_TRACE_FLAG_IMAGE_LOAD, "Etw-Image" },
		{ EVENT_TRACE_FLAG_CSWITCH, "sched:sched_switch" },
		{ EVENT_TRACE_FLAG_DISPATCHER, "sched:sched_wakeup" },
		{ EVENT_TRACE_FLAG_DPC, "irq:softirq_entry" },
		{ EVENT_TRACE_FLAG_INTERRUPT, "irq:irq_handler_*" },
		{ EVENT_TRACE_FLAG_SYSTEMCALL, "syscalls:*" },
		{ EVENT_TRACE_FLAG_DISK_IO, "block:block_rq_complete" },
		{ EVENT_TRACE_FLAG_DISK_IO_INIT, "block:block_rq_issue" },
		{ EVENT_TRACE_FLAG_SPLIT_IO, "block:block_split" },
		{ EVENT_TRACE_FLAG_FILE_IO, "syscalls:sys_exit*_open*" },
		{ EVENT_TRACE_FLAG_FILE_IO_INIT, "syscalls:sys_enter*_open*" },
		{ EVENT_TRACE_FLAG_MEMORY_PAGE_FAULTS, "exceptions:page_fault_*" },
		{ EVENT_TRACE_FLAG_VIRTUAL_ALLOC, "syscalls:sys_*_brk" },
		{ EVENT_TRACE_FLAG_VAMAP, "syscalls:sys_*_mmap" },
		{ EVENT_TRACE_FLAG_NETWORK_TCPIP, "net:net_dev_xmit" },
		{ EVENT_TRACE_FLAG_DBGPRINT, "printk:console" },
		{ EVENT_TRACE_FLAG_JOB, "cgroup:*" },
	};
	const uint32_t shared = EVENT_TRACE_FLAG_VIRTUAL_ALLOC | EVENT_TRACE_FLAG_VAMAP;
	size_t i, k;
	const char *first;

	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		first = system_flag_pattern(flags[i].flag, 0);
		ok(first && !strcmp(first, flags[i].pattern), "%08x is %s", flags[i].flag,
		   flags[i].pattern);
		for (k = 0; k < 32; k++)
			if (1U << k != flags[i].flag && !((1U << k | flags[i].flag) == shared) &&
			    (first = system_flag_pattern(1U << k, 0)) &&
			    !strcmp(first, flags[i].pattern))
				ok(false, "%08x is %s, too", 1U << k, first);
	}
	ok(!system_flag_pattern(EVENT_TRACE_FLAG_DISK_IO, 1), "no more");
}

/* Flags that Linux has nothing for need neither tracefs nor rights. */
static void test_nothing(void)
{
	struct trace_set set = { .count = 0 };

	is(system_flags_add(&set, EVENT_TRACE_FLAG_REGISTRY | EVENT_TRACE_FLAG_ALPC |
			    EVENT_TRACE_FLAG_NO_SYSCONFIG | EVENT_TRACE_FLAG_DISK_FILE_IO |
			    EVENT_TRACE_FLAG_PROCESS_COUNTERS | EVENT_TRACE_FLAG_DRIVER |
			    EVENT_TRACE_FLAG_DEBUG_EVENTS, 10000), 0, "nothing to trace");
	is(set.count, 0, "is nothing");
	is(system_flags_add(&set, EVENT_TRACE_FLAG_PROCESS | EVENT_TRACE_FLAG_PROFILE |
			    EVENT_TRACE_FLAG_MEMORY_HARD_FAULTS, 20000), 0, "no trace events");
	is(set.count, 3, "three providers");
	ok(!strcmp(set.names[0], SYSTEM_PROCESS) && !strcmp(set.names[1], "pmu:major-faults:1") &&
	   !strcmp(set.names[2], "profile:500"), "a provider and two counters");
	is(system_flags_add(&set, EVENT_TRACE_FLAG_PROCESS, 0), 0, "again");
	is(set.count, 3, "is there");
	trace_set_free(&set);
}

/* The bits that Microsoft's page calls the same */
static void test_masks(void)
{
	const uint32_t one[SYSTEM_MASK_WORDS] = { EVENT_TRACE_FLAG_DISK_IO, 0x4 | 0x80, 0x40 };
	const uint32_t others[SYSTEM_MASK_WORDS] = { 0, 0x1, 0x8000, 1, 1, 1, 1, 1 };

	is(system_mask_flags(one), EVENT_TRACE_FLAG_DISK_IO | EVENT_TRACE_FLAG_CSWITCH |
	   EVENT_TRACE_FLAG_DPC | EVENT_TRACE_FLAG_SYSTEMCALL, "context switches, DPCs, calls");
	is(system_mask_flags(others), 0, "others stand for nothing");
}

static void test_interval(void)
{
	is(system_sample_frequency(10000), 1000, "1 ms");
	is(system_sample_frequency(1221), 8190, "the shortest on Windows");
	is(system_sample_frequency(1), ETW_TRACE_FREQUENCY_MAX, "no more than the kernel takes");
	is(system_sample_frequency(10000000), 1, "1 s");
	is(system_sample_frequency(UINT32_MAX), 1, "and no less");
	is(system_sample_frequency(0), 1, "nor by 0");
}

int main(void)
{
	test_classes();
	test_flags();
	test_nothing();
	test_masks();
	test_interval();
	return done_testing();
}
