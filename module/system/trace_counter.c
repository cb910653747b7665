// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_counter.c - the perf counters through which trace events, and samples, come
 *
 * A trace event is had from perf: a counter for each CPU that samples every occurrence, with the
 * record, calls its handler where and when the tracepoint is hit.  That works for every trace
 * event of the kernel, by exported functions only, and perf has the tracepoint's probe in place
 * only while there are counters.
 *
 * perf removes the counters of a CPU that goes offline, even if it fails to and stays, and leaves
 * them to their owner.  Making new ones takes perf's locks, under which others wait for hotplug to
 * end, so hotplug's callback only notes the CPU that is back, and a work makes them.
 *
 * The counters of a provider change under its lock.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "trace_event.h"

static enum cpuhp_state online_state;
/* CPUs that came online, after perf may have removed their counters; the same, in the work */
static struct cpumask stale, renewed;

static int counter_make(struct etw_trace_provider *t, unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = t->id ? PERF_TYPE_TRACEPOINT : t->counter,
		.size = sizeof(attr),
		.config = t->id ?: t->config,
		/* sample_freq, too: they are one member */
		.sample_period = t->id ? 1 : t->period,
		.freq = t->frequency,
		/* Of a clock, which also runs on a CPU that is idle. */
		.exclude_idle = t->frequency && t->counter == PERF_TYPE_SOFTWARE,
		/*
		 * Some events count more than 1 for perf, as sched_stat_runtime the time.  With
		 * PERIOD it calls the handler once for all of that.  What the kernel counts would
		 * then be sampled each time, whatever the period.
		 */
		.sample_type = t->id ? PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD : PERF_SAMPLE_IP,
	};
	struct perf_event *counter;

	counter = perf_event_create_kernel_counter(&attr, cpu, NULL, etw_trace_record_write, t);
	if (!IS_ERR(counter))
		*per_cpu_ptr(t->counters, cpu) = counter;
	/* A CPU that has just gone: hotplug notes it. */
	return PTR_ERR(counter) == -ENODEV ? 0 : PTR_ERR_OR_ZERO(counter);
}

static void counter_end(struct etw_trace_provider *t, unsigned int cpu)
{
	struct perf_event **at = per_cpu_ptr(t->counters, cpu);

	if (*at)
		perf_event_release_kernel(*at);
	*at = NULL;
}

/* For each CPU that is online and has none.  Returns 0 or the last of perf's errors. */
static int counters_make(struct etw_trace_provider *t)
{
	int err, ret = 0;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		if (*per_cpu_ptr(t->counters, cpu))
			continue;
		err = counter_make(t, cpu);
		if (err)
			ret = err;
	}
	return ret;
}

/*
 * Returns 0 or perf's error.  Then there are no counters, or, if there were some before, none on
 * the CPUs that came online since and were refused one: every session that begins has to learn
 * of that.
 */
int etw_trace_counters_start(struct etw_trace_provider *t)
{
	bool active = t->active;
	int err;

	lockdep_assert_held(&t->held.lock);
	WRITE_ONCE(t->active, true);
	err = counters_make(t);
	if (err && !active)
		etw_trace_counters_stop(t);
	return err;
}

/*
 * No handler begins any more; one that has begun ends within an RCU grace period.
 *
 * perf waits for two grace periods whenever the last counter of a trace event ends, under the lock
 * that all need who begin or end one.  A class of the system has hundreds of events, so these
 * waits must be short.
 */
void etw_trace_counters_stop(struct etw_trace_provider *t)
{
	unsigned int cpu;

	lockdep_assert_held(&t->held.lock);
	rcu_expedite_gp();
	for_each_possible_cpu(cpu)
		counter_end(t, cpu);
	rcu_unexpedite_gp();
	WRITE_ONCE(t->active, false);
}

/* ------------------------------------------------------------------- hotplug */

/*
 * Make the counters again that perf removed, and those that are missing.  What happened on a CPU
 * before it had its counter is recorded as an unknown loss.  A CPU that is refused one is tried
 * again when a CPU comes online or a session begins.
 */
void etw_trace_counters_renew(struct etw_trace_provider *t)
{
	unsigned int cpu;
	int err = 0;

	mutex_lock(&t->held.lock);
	for_each_cpu(cpu, &renewed)
		counter_end(t, cpu);
	if (t->active) {
		err = counters_make(t);
		if (err || !cpumask_empty(&renewed))
			etw_trace_record_missing(t);
	}
	if (err)
		pr_warn_once("etw: a trace event is not traced on a CPU: error %d\n", err);
	mutex_unlock(&t->held.lock);
}

static void counters_catch_up(struct work_struct *work)
{
	unsigned int cpu;

	cpumask_clear(&renewed);
	for_each_online_cpu(cpu)
		if (cpumask_test_and_clear_cpu(cpu, &stale))
			cpumask_set_cpu(cpu, &renewed);
	etw_trace_renew_all();
}

static DECLARE_WORK(catch_up_work, counters_catch_up);

static int counters_cpu_up(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &stale);
	schedule_work(&catch_up_work);
	return 0;
}

int __init etw_trace_counters_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "etw:trace-online",
					    counters_cpu_up, NULL);

	if (ret < 0)
		return ret;
	online_state = ret;
	return 0;
}

void etw_trace_counters_exit(void)
{
	cpuhp_remove_state_nocalls(online_state);
	cancel_work_sync(&catch_up_work);
}
