// SPDX-License-Identifier: GPL-2.0-only
/* A timer gets its function as it is set up (6.13). */
#include <linux/hrtimer.h>
#include <linux/module.h>

enum hrtimer_restart etw_probe_ring(struct hrtimer *timer);
void etw_probe(struct hrtimer *timer);
void etw_probe(struct hrtimer *timer)
{
	hrtimer_setup(timer, etw_probe_ring, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
}

enum hrtimer_restart etw_probe_ring(struct hrtimer *timer)
{
	return HRTIMER_NORESTART;
}

MODULE_LICENSE("GPL");
