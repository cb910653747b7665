// SPDX-License-Identifier: GPL-2.0-only
/*
 * hotplug.c - handle the buffers of CPUs that go offline or come online
 *
 * The callbacks walk the sessions under RCU.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/rculist.h>

#include "buffer.h"
#include "buffer_pages.h"
#include "deliver.h"
#include "epoch.h"
#include "hotplug.h"

static enum cpuhp_state dead_state, online_state;

/*
 * An hrtimer that the dying CPU started after its timers had moved away may never fire, so the
 * short flush timers start anew.
 */
static void hotplug_kick_all(void)
{
	struct etw_trace_session *s;

	rcu_read_lock();
	list_for_each_entry_rcu(s, &etw_sessions, node) {
		if (READ_ONCE(s->flush_ms) < ETW_FLUSH_MS_SOON)
			etw_deliver_rearm(s);
		else
			etw_deliver_kick(s);
	}
	rcu_read_unlock();
}

/* The CPU is dead, so no writer uses its words. */
static int hotplug_cpu_dead(unsigned int cpu)
{
	struct etw_trace_session *s;

	rcu_read_lock();
	list_for_each_entry_rcu(s, &etw_sessions, node)
		etw_buffers_close_cpu(s, cpu);
	rcu_read_unlock();
	hotplug_kick_all();
	return 0;
}

static int hotplug_cpu_up(unsigned int cpu)
{
	struct etw_trace_session *s;

	rcu_read_lock();
	list_for_each_entry_rcu(s, &etw_sessions, node)
		WRITE_ONCE(per_cpu_ptr(s->hot.cpu, cpu)->rc.node, etw_buffer_node_of_cpu(cpu));
	rcu_read_unlock();
	hotplug_kick_all();
	return 0;
}

int etw_hotplug_init(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "etw:buffers",
					NULL, hotplug_cpu_dead);
	if (ret < 0)
		return ret;
	dead_state = ret;
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "etw:online",
					hotplug_cpu_up, NULL);
	if (ret < 0) {
		cpuhp_remove_state_nocalls(dead_state);
		return ret;
	}
	online_state = ret;
	return 0;
}

void etw_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(online_state);
	cpuhp_remove_state_nocalls(dead_state);
}
