// SPDX-License-Identifier: GPL-2.0-only
/* The name that replaced del_timer_sync() (6.2), which went in 6.15. */
#include <linux/module.h>
#include <linux/timer.h>

void etw_probe(struct timer_list *timer);
void etw_probe(struct timer_list *timer)
{
	timer_delete_sync(timer);
}

MODULE_LICENSE("GPL");
