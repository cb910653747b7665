// SPDX-License-Identifier: GPL-2.0-only
/*
 * etw_fail.c - a function of the kernel fails while this module is loaded
 *
 * As with the kernel's own fail_function, which stock kernels do not have: a kprobe at the
 * function's entry has another function called in its place, with the same arguments, which
 * returns an error.
 */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/ptrace.h>

static char *function;
module_param(function, charp, 0400);
MODULE_PARM_DESC(function, "its name");

static int error = -ENOMEM;
module_param(error, int, 0400);
MODULE_PARM_DESC(error, "what it returns");

static long second = -1;
module_param(second, long, 0400);
MODULE_PARM_DESC(second, "only calls with this second argument fail; -1: all");

static unsigned int delay;
module_param(delay, uint, 0400);
MODULE_PARM_DESC(delay, "milliseconds after which it does, asleep; 0: at once, in any context");

static long fail_instead(void)
{
	if (delay)
		msleep(delay);
	return error;
}

static int fail_call(struct kprobe *kprobe, struct pt_regs *regs)
{
	if (second != -1 && (int)regs_get_kernel_argument(regs, 1) != second)
		return 0;
	instruction_pointer_set(regs, (unsigned long)fail_instead);
	return 1;
}

static struct kprobe fail_kprobe = { .pre_handler = fail_call };

static int __init etw_fail_init(void)
{
	fail_kprobe.symbol_name = function;
	return function ? register_kprobe(&fail_kprobe) : -EINVAL;
}

static void __exit etw_fail_exit(void)
{
	unregister_kprobe(&fail_kprobe);
}

module_init(etw_fail_init);
module_exit(etw_fail_exit);

MODULE_DESCRIPTION("a function of the kernel fails");
MODULE_LICENSE("GPL");
