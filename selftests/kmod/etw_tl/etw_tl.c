// SPDX-License-Identifier: GPL-2.0-only
/*
 * etw_tl - a module that writes every field type of TraceLogging
 *
 * Writing to its parameter "write" writes the events; "evaluated" counts the expressions
 * with side effects that were evaluated.
 */
#include <linux/module.h>

#include <TraceLoggingProvider.h>

#define TL_WRITES
#include "etw_tl.h"

TRACELOGGING_DEFINE_PROVIDER(tl_provider, TL_NAME, TL_MODULE_GUID, TL_TRAITS);

/* Through a pointer the test compiles to a load and a branch. */
static struct _tlgProvider_t *tl_pointer = tl_provider;

static int write_set(const char *value, const struct kernel_param *kp)
{
	tl_write_all();
	TraceLoggingWrite(tl_pointer, "Pointer", TraceLoggingLevel(TL_LEVEL),
			  TraceLoggingKeyword(TL_KEYWORD), TraceLoggingInt32(tl_count(4), "a"));
	return 0;
}

static const struct kernel_param_ops write_ops = { .set = write_set };
module_param_cb(write, &write_ops, NULL, 0200);
module_param_named(evaluated, tl_evaluated, int, 0400);

static bool enabled;

static int enabled_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d %d\n", TraceLoggingProviderEnabled(tl_provider, 0, 0),
			  TraceLoggingProviderEnabled(tl_provider, 5, 1));
}

static const struct kernel_param_ops enabled_ops = { .get = enabled_get };
module_param_cb(enabled, &enabled_ops, &enabled, 0400);

static int __init etw_tl_init(void)
{
	return TraceLoggingRegister(tl_provider);
}

static void __exit etw_tl_exit(void)
{
	TraceLoggingUnregister(tl_provider);
}

module_init(etw_tl_init);
module_exit(etw_tl_exit);
MODULE_DESCRIPTION("Writes every field type of TraceLogging, for a test");
MODULE_LICENSE("GPL");
