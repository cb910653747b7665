// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * etw_hello.c - the smallest driver that writes events
 *
 *	echo world >/sys/module/etw_hello/parameters/say
 *
 * writes one event of the provider "Sample-Hello", if a session wants it.  etw_hello.man
 * describes the events; "etw mc -km" generates etw_hello_events.h from it.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include "etw_hello_events.h"

/* Process context, but EventWriteSaid() works in any context. */
static int say(const char *text, const struct kernel_param *kp)
{
	return etw_nt_errno(EventWriteSaid(NULL, strlen(text), text));
}

static const struct kernel_param_ops say_ops = { .set = say };

module_param_cb(say, &say_ops, NULL, 0200);
MODULE_PARM_DESC(say, "text to write as an event");

static int __init etw_hello_init(void)
{
	return etw_nt_errno(EventRegisterSample_Hello());
}

static void __exit etw_hello_exit(void)
{
	EventUnregisterSample_Hello();
}

module_init(etw_hello_init);
module_exit(etw_hello_exit);

MODULE_DESCRIPTION("ETW sample: one event per write to a module parameter");
MODULE_LICENSE("Dual MIT/GPL");
