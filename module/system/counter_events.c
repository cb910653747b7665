// SPDX-License-Identifier: GPL-2.0-only
/*
 * counter_events.c - the provider Etw-Counters: memory and CPU time, once a second
 *
 * Its events are described in format.h.  The numbers are those of /proc/meminfo, /proc/vmstat and
 * /proc/stat.  The work is queued only while a session has enabled the provider.
 */
#include <linux/blk_types.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/mm.h>
#include <linux/tick.h>
#include <linux/vmstat.h>
#include <linux/workqueue.h>
#include <TraceLoggingProvider.h>
#include <etw/format.h>

#include "counter_events.h"

#define LEVEL_INFO	4

TRACELOGGING_DEFINE_PROVIDER(counter_provider, "Etw-Counters",
	(0x9230afc9, 0x304c, 0x5ae9, 0xe5, 0xa9, 0x8d, 0x55, 0xe3, 0x75, 0xcd, 0x94));

static struct workqueue_struct *counters_queue;	/* of one work, which does not run twice at once */

#define COUNTERS_WANTED(_keyword)	\
	TraceLoggingProviderEnabled(counter_provider, LEVEL_INFO, _keyword)

static u64 node_bytes(enum node_stat_item item)
{
	return (u64)global_node_page_state_pages(item) << PAGE_SHIFT;
}

static void write_memory(void)
{
	static unsigned long events[NR_VM_EVENT_ITEMS];	/* the queue has one work */
	struct sysinfo info;

	si_meminfo(&info);
	all_vm_events(events);
	TraceLoggingWrite(counter_provider, "Memory", TraceLoggingLevel(LEVEL_INFO),
		TraceLoggingKeyword(ETW_COUNTERS_MEMORY),
		TraceLoggingUInt64((u64)info.totalram << PAGE_SHIFT, "TotalBytes"),
		TraceLoggingUInt64((u64)info.freeram << PAGE_SHIFT, "FreeBytes"),
		TraceLoggingUInt64((u64)si_mem_available() << PAGE_SHIFT, "AvailableBytes"),
		TraceLoggingUInt64(node_bytes(NR_FILE_PAGES), "FileBytes"),
		TraceLoggingUInt64(node_bytes(NR_ANON_MAPPED), "AnonymousBytes"),
		TraceLoggingUInt64(node_bytes(NR_SHMEM), "SharedBytes"),
		TraceLoggingUInt64(node_bytes(NR_SLAB_RECLAIMABLE_B) +
				   node_bytes(NR_SLAB_UNRECLAIMABLE_B), "SlabBytes"),
		TraceLoggingUInt64(node_bytes(NR_FILE_DIRTY), "DirtyBytes"),
		TraceLoggingUInt64(node_bytes(NR_WRITEBACK), "WritebackBytes"),
		TraceLoggingUInt64(events[PGFAULT], "PageFaults"),
		TraceLoggingUInt64(events[PGMAJFAULT], "MajorFaults"),
		TraceLoggingUInt64((u64)events[PGPGIN] << SECTOR_SHIFT, "ReadBytes"),
		TraceLoggingUInt64((u64)events[PGPGOUT] << SECTOR_SHIFT, "WrittenBytes"),
		TraceLoggingUInt64((u64)events[PSWPIN] << PAGE_SHIFT, "SwapInBytes"),
		TraceLoggingUInt64((u64)events[PSWPOUT] << PAGE_SHIFT, "SwapOutBytes"));
}

/*
 * The kernel does not count while a CPU has no tick, but knows since when. us: of a function that
 * asks it, or -1: the CPU always has one.
 */
static u64 tickless_ns(u64 us, u64 counted)
{
	return us == (u64)-1 ? counted : us * NSEC_PER_USEC;
}

static void write_processor(unsigned int cpu)
{
	struct kernel_cpustat stat;

	kcpustat_cpu_fetch(&stat, cpu);
	TraceLoggingWrite(counter_provider, "Processor", TraceLoggingLevel(LEVEL_INFO),
		TraceLoggingKeyword(ETW_COUNTERS_PROCESSOR),
		TraceLoggingUInt32(cpu, "Processor"),
		TraceLoggingUInt64(stat.cpustat[CPUTIME_USER], "UserNs"),
		TraceLoggingUInt64(stat.cpustat[CPUTIME_NICE], "NiceNs"),
		TraceLoggingUInt64(stat.cpustat[CPUTIME_SYSTEM], "SystemNs"),
		TraceLoggingUInt64(tickless_ns(get_cpu_idle_time_us(cpu, NULL),
					       stat.cpustat[CPUTIME_IDLE]), "IdleNs"),
		TraceLoggingUInt64(tickless_ns(get_cpu_iowait_time_us(cpu, NULL),
					       stat.cpustat[CPUTIME_IOWAIT]), "IoWaitNs"),
		TraceLoggingUInt64(stat.cpustat[CPUTIME_IRQ], "InterruptNs"),
		TraceLoggingUInt64(stat.cpustat[CPUTIME_SOFTIRQ], "SoftIrqNs"),
		TraceLoggingUInt64(stat.cpustat[CPUTIME_STEAL], "StealNs"),
		TraceLoggingUInt64(stat.cpustat[CPUTIME_GUEST], "GuestNs"));
}

static void counters_sample(struct work_struct *work)
{
	unsigned int cpu;

	if (COUNTERS_WANTED(ETW_COUNTERS_MEMORY))
		write_memory();
	if (COUNTERS_WANTED(ETW_COUNTERS_PROCESSOR)) {
		cpus_read_lock();
		for_each_online_cpu(cpu)
			write_processor(cpu);
		cpus_read_unlock();
	}
	/* Not COUNTERS_WANTED(0): sessions may want no events without keywords. */
	if (COUNTERS_WANTED(ETW_COUNTERS_MEMORY) || COUNTERS_WANTED(ETW_COUNTERS_PROCESSOR))
		queue_delayed_work(counters_queue, to_delayed_work(work), msecs_to_jiffies(ETW_COUNTERS_MS));
}

static DECLARE_DELAYED_WORK(counters_work, counters_sample);

static void counters_enable(const struct etw_guid *source, u32 control, u8 level, u64 any, u64 all,
			    const struct etw_filter *filter, void *context)
{
	if (control == ETW_CONTROL_DISABLE) {
		cancel_delayed_work_sync(&counters_work);
		return;
	}
	mod_delayed_work(counters_queue, &counters_work, 0);
	flush_delayed_work(&counters_work);
}

int __init etw_counter_events_init(void)
{
	static const struct etw_guid guid = ETW_COUNTERS_GUID;
	int err;

	if (WARN_ON_ONCE(memcmp(&counter_provider->provider.guid, &guid, sizeof(guid))))
		return -EINVAL;
	counters_queue = alloc_workqueue("etw_counters", WQ_UNBOUND, 1);
	if (!counters_queue)
		return -ENOMEM;
	err = TraceLoggingRegisterEx(counter_provider, counters_enable, NULL);
	if (err)
		destroy_workqueue(counters_queue);
	return err;
}

void etw_counter_events_exit(void)
{
	TraceLoggingUnregister(counter_provider);
	cancel_delayed_work_sync(&counters_work);
	destroy_workqueue(counters_queue);
}
