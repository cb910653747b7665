// SPDX-License-Identifier: GPL-2.0-only
/*
 * first.c - the first event of a provider, written as early as possible
 *
 * A thread on another CPU waits until the provider looks enabled.  It writes some events,
 * one after another, while the provider is being registered, and one more after that;
 * ETW_KM_FIRSTS times.  Events written before the provider has sessions are lost.  A
 * session must have enabled ETW_KM_FIRST_GUID. The events carry no metadata of their own:
 * their traits come from the registration.
 */
#include <TraceLoggingProvider.h>

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include "etw_km.h"
#include "module.h"

/* ETW_KM_FIRST_GUID */
TRACELOGGING_DEFINE_PROVIDER(first, "Etw.Km.First",
			     (0x5d1b6a0f, 0x3f3c, 0x4c39, 0x9a, 0x51, 0x7b, 0xe0, 0xc1, 0xd2,
			      0xe3, 8));

static bool registered;		/* TraceLoggingRegister() has returned */
static bool written;		/* and an event was written after that */

static void write_one(void)
{
	static const struct etw_event_descriptor desc = { .id = 1, .level = 4, .keyword = 1 };

	KM_CHECK(!etw_write(&first->provider, &desc, 0, NULL));
}

/* During registration: immediately, and 1, 10 and 100 us later */
static void write_early(void)
{
	unsigned int us;

	for (us = 1; us <= 1000 && !READ_ONCE(registered); us *= 10) {
		write_one();
		udelay(us);
	}
}

static int write_first(void *unused)
{
	while (!kthread_should_stop()) {
		if (!READ_ONCE(written) && TraceLoggingProviderEnabled(first, 4, 1)) {
			write_early();
			while (!READ_ONCE(registered) && !kthread_should_stop())
				cond_resched();
			write_one();
			WRITE_ONCE(written, true);
		}
		cond_resched();
	}
	return 0;
}

static void register_first(void)
{
	int i;

	KM_CHECK(!TraceLoggingRegister(first));
	WRITE_ONCE(registered, true);
	for (i = 0; i < 1000 && !READ_ONCE(written); i++)
		msleep(20);
	KM_CHECK(READ_ONCE(written));
	TraceLoggingUnregister(first);
	/* The provider is disabled now, and the thread waits again. */
	WRITE_ONCE(registered, false);
	WRITE_ONCE(written, false);
}

int km_first(void)
{
	struct task_struct *task = kthread_create(write_first, NULL, "etw_km_first");
	unsigned int cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	int i;

	if (IS_ERR(task))
		return PTR_ERR(task);
	if (cpu < nr_cpu_ids)
		kthread_bind(task, cpu);
	wake_up_process(task);
	for (i = 0; i < ETW_KM_FIRSTS; i++)
		register_first();
	kthread_stop(task);
	return 0;
}
