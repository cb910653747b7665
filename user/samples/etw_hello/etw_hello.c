// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * etw_hello.c - the least a driver does to be traced
 *
 *	echo world >/sys/module/etw_hello/parameters/say
 *
 * writes one event of the provider "Sample-Hello", if a session wants it.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <etw/kernel.h>

ETW_DEFINE_PROVIDER(sample_hello,
		    ETW_GUID(0x3f8d51c7, 0x62be, 0x4b0a, 0x8c, 0x35,
			     0xa4, 0x1e, 0x97, 0xd0, 0x5b, 0x28));

/* u32 length, char text[]: NUL-terminated */
static const struct etw_event_descriptor said = {
	.id = 1, .level = 4, .keyword = 0x1
};

static int say(const char *text, const struct kernel_param *kp)
{
	u32 length = strlen(text);

	if (ETW_EVENT_ENABLED(sample_hello, &said)) {
		struct etw_data_descriptor data[] = {
			etw_data(&length, sizeof(length)),
			etw_data(text, length + 1),
		};

		return etw_write(&sample_hello, &said, ARRAY_SIZE(data), data);
	}
	return 0;
}

static const struct kernel_param_ops say_ops = { .set = say };

module_param_cb(say, &say_ops, NULL, 0200);
MODULE_PARM_DESC(say, "text to write as an event");

static int __init etw_hello_init(void)
{
	return etw_register(&sample_hello, "Sample-Hello", NULL, NULL);
}

static void __exit etw_hello_exit(void)
{
	etw_unregister(&sample_hello);
}

module_init(etw_hello_init);
module_exit(etw_hello_exit);

MODULE_DESCRIPTION("ETW sample: one event per write to a module parameter");
MODULE_LICENSE("Dual MIT/GPL");
