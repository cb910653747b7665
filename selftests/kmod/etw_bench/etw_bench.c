// SPDX-License-Identifier: GPL-2.0-only
/*
 * etw_bench - loops in the kernel for the benchmarks to measure
 *
 * The event is the one used to compare all tracers: u32, u64, char[16]. Each loop is a
 * function of its own, so that one does not change how another is compiled.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/jump_label.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <asm/msr.h>

#include <TraceLoggingProvider.h>
#include <etw/kernel.h>

#include "etw_bench.h"
#include "etw_bench_events.h"

ETW_DEFINE_PROVIDER(bench_provider, ETW_BENCH_STATIC_GUID);
ETW_DEFINE_PROVIDER(named_provider, ETW_BENCH_NAMED_GUID);
TRACELOGGING_DEFINE_PROVIDER(transfers, "Bench", ETW_BENCH_TRANSFER_GUID);
static DEFINE_STATIC_KEY_FALSE(never);

static struct etw_provider *bench_handle;
static DEFINE_MUTEX(bench_lock);
static struct etw_event_descriptor desc = { .id = 1 };
static const char text[16] = "0123456789abcde";
/* Size, tags, name; Number: u32, Wide: u64, Text: char[16]. */
static const u8 schema[] = "\x24\0\0BenchEvent\0Number\0\x08Wide\0\x0aText\0\x22\x10";
static u64 failed;

static __always_inline void write_event(struct etw_provider *provider, u32 number)
{
	u64 wide = number;
	const struct etw_data_descriptor d[] = {
		etw_data(&number, sizeof(number)),
		etw_data(&wide, sizeof(wide)),
		etw_data(text, sizeof(text)),
	};

	if (etw_write(provider, &desc, ARRAY_SIZE(d), d))
		failed++;
}

static __always_inline void write_named(u32 number)
{
	u64 wide = number;
	const struct etw_data_descriptor d[] = {
		etw_data_typed(ETW_DATA_EVENT_METADATA, schema, sizeof(schema)),
		etw_data(&number, sizeof(number)),
		etw_data(&wide, sizeof(wide)),
		etw_data(text, sizeof(text)),
	};

	if (etw_write(&named_provider, &desc, ARRAY_SIZE(d), d))
		failed++;
}

static noinline u64 loop_empty(u32 loops)
{
	u64 start = rdtsc_ordered();
	u32 i;

	for (i = 0; i < loops; i++)
		barrier();
	return rdtsc_ordered() - start;
}

static noinline u64 loop_nop(u32 loops)
{
	u64 start = rdtsc_ordered();
	u32 i;

	for (i = 0; i < loops; i++) {
		barrier();
		if (static_branch_unlikely(&never))
			write_event(bench_handle, i);
	}
	return rdtsc_ordered() - start;
}

static noinline u64 loop_static(u32 loops)
{
	u64 start = rdtsc_ordered();
	u32 i;

	for (i = 0; i < loops; i++) {
		barrier();
		if (ETW_EVENT_ENABLED(bench_provider, &desc))
			write_event(&bench_provider, i);
	}
	return rdtsc_ordered() - start;
}

static noinline u64 loop_fixed(u32 loops)
{
	u64 start = rdtsc_ordered();
	struct {
		u32 number;
		u64 wide;
		char text[16];
	} __packed event;
	u32 i;

	for (i = 0; i < loops; i++) {
		barrier();
		if (!ETW_EVENT_ENABLED(bench_provider, &desc))
			continue;
		event.number = i;
		event.wide = i;
		__builtin_memcpy(event.text, text, sizeof(text));
		if (etw_write_fixed(&bench_provider, &desc, &event, sizeof(event)))
			failed++;
	}
	return rdtsc_ordered() - start;
}

static noinline u64 loop_header(u32 loops)
{
	u64 start = rdtsc_ordered();
	u32 i;

	for (i = 0; i < loops; i++) {
		barrier();
		if (EventWriteBenchEvent(NULL, i, i, (const GUID *)text))
			failed++;
	}
	return rdtsc_ordered() - start;
}

static noinline u64 loop_handle(u32 loops)
{
	u64 start = rdtsc_ordered();
	u32 i;

	for (i = 0; i < loops; i++) {
		barrier();
		write_event(bench_handle, i);
	}
	return rdtsc_ordered() - start;
}

static noinline u64 loop_handle_test(u32 loops)
{
	u64 start = rdtsc_ordered();
	u32 i;

	for (i = 0; i < loops; i++) {
		barrier();
		if (etw_event_enabled(bench_handle, &desc))
			write_event(bench_handle, i);
	}
	return rdtsc_ordered() - start;
}

static noinline u64 loop_named(u32 loops)
{
	u64 start = rdtsc_ordered();
	u32 i;

	for (i = 0; i < loops; i++) {
		barrier();
		if (ETW_EVENT_ENABLED(named_provider, &desc))
			write_named(i);
	}
	return rdtsc_ordered() - start;
}

static noinline u64 loop_clock(u32 loops)
{
	u64 start = rdtsc_ordered();
	u32 i;

	for (i = 0; i < loops; i++) {
		barrier();
		ktime_get_mono_fast_ns();
	}
	return rdtsc_ordered() - start;
}

static u64 (*const kinds[ETW_BENCH_KINDS])(u32 loops) = {
	[ETW_BENCH_EMPTY] = loop_empty,
	[ETW_BENCH_NOP] = loop_nop,
	[ETW_BENCH_STATIC] = loop_static,
	[ETW_BENCH_HANDLE] = loop_handle,
	[ETW_BENCH_HANDLE_TEST] = loop_handle_test,
	[ETW_BENCH_CLOCK] = loop_clock,
	[ETW_BENCH_NAMED] = loop_named,
	[ETW_BENCH_FIXED] = loop_fixed,
	[ETW_BENCH_HEADER] = loop_header,
};

#define WRITE_TRANSFER(number, keyword)						\
	TraceLoggingWrite(transfers, "Transfer", TraceLoggingLevel(4),			\
			  TraceLoggingKeyword(keyword),					\
			  TraceLoggingUInt32((number), "number"),			\
			  TraceLoggingUInt64((u64)(number) * 4096, "bytes"),		\
			  TraceLoggingCountedString("nvme0n1-queue-07", 16, "device"),	\
			  TraceLoggingString("/var/log/journal/system.journal", "file"))

static long write_transfers(const void __user *user)
{
	struct etw_bench_transfer t;
	u32 i;

	if (copy_from_user(&t, user, sizeof(t)))
		return -EFAULT;
	if (t.count > 1000000)
		return -EINVAL;
	for (i = t.first; i != t.first + t.count; i++) {
		if (i & 1)
			WRITE_TRANSFER(i, ETW_BENCH_ODD);
		else
			WRITE_TRANSFER(i, ETW_BENCH_EVEN);
		if (i % 256 == 0)
			cond_resched();
	}
	return 0;
}

static long bench_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct etw_bench_run run;

	if (cmd == ETW_BENCH_TRANSFER)
		return write_transfers(user);
	if (cmd != ETW_BENCH_RUN)
		return -ENOTTY;
	if (copy_from_user(&run, user, sizeof(run)))
		return -EFAULT;
	if (run.kind >= ETW_BENCH_KINDS || !run.loops || run.loops > 1000000)
		return -EINVAL;
	mutex_lock(&bench_lock);
	desc.level = run.level;
	desc.keyword = run.keyword;
	failed = 0;
	local_irq_disable();
	run.ticks = kinds[run.kind](run.loops);
	local_irq_enable();
	run.failed = failed;
	mutex_unlock(&bench_lock);
	return copy_to_user(user, &run, sizeof(run)) ? -EFAULT : 0;
}

static const struct file_operations bench_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = bench_ioctl,
};

static struct miscdevice bench_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "etw_bench",
	.fops = &bench_fops,
};

static int __init bench_init(void)
{
	static const struct etw_guid guid = ETW_BENCH_HANDLE_GUID;
	int ret;

	ret = etw_register(&bench_provider, "Etw-Bench-Static", NULL, NULL);
	if (ret)
		return ret;
	ret = etw_register_handle(&guid, "Etw-Bench-Handle", NULL, NULL, &bench_handle);
	if (ret)
		goto err_static;
	ret = etw_register(&named_provider, "Etw-Bench-Named", NULL, NULL);
	if (ret)
		goto err_handle;
	ret = etw_use_descriptor_types(&named_provider, true);
	if (ret)
		goto err_named;
	ret = TraceLoggingRegister(transfers);
	if (ret)
		goto err_named;
	ret = EventRegisterEtw_Bench_Manifest() ? -ENOMEM : 0;
	if (ret)
		goto err_transfers;
	ret = misc_register(&bench_device);
	if (!ret)
		return 0;
	EventUnregisterEtw_Bench_Manifest();
err_transfers:
	TraceLoggingUnregister(transfers);
err_named:
	etw_unregister(&named_provider);
err_handle:
	etw_unregister_handle(bench_handle);
err_static:
	etw_unregister(&bench_provider);
	return ret;
}

static void __exit bench_exit(void)
{
	misc_deregister(&bench_device);
	EventUnregisterEtw_Bench_Manifest();
	TraceLoggingUnregister(transfers);
	etw_unregister(&named_provider);
	etw_unregister_handle(bench_handle);
	etw_unregister(&bench_provider);
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("Loops that measure what etw costs in the kernel");
MODULE_LICENSE("GPL");
