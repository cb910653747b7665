// SPDX-License-Identifier: GPL-2.0-only
/*
 * etw_km - a kernel module on a header that "etw mc -km" has made; see etw_km.h
 */
static unsigned int private_calls;

/* Called at the end of the enable callback of what this file registers. */
#define MCGEN_PRIVATE_ENABLE_CALLBACK_V2(SourceId, ControlCode, Level, MatchAnyKeyword, \
					 MatchAllKeyword, FilterData, CallbackContext)	\
	WRITE_ONCE(private_calls, private_calls + !!(CallbackContext))

#include <etw/nt/etw.h>

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include "etw_km_events.h"
#include "etw_km.h"
#include "module.h"

static char failed[256] = "nothing was run";
static unsigned int failures;

void km_fail(const char *file, int line, const char *what)
{
	const char *base = strrchr(file, '/');

	pr_info("etw_km: %s:%d: %s\n", file, line, what);
	if (!failures++)
		snprintf(failed, sizeof(failed), "%s line %d: %s", base ? base + 1 : file, line,
			 what);
}

static unsigned int evaluated;

static u32 evaluate(u32 value)
{
	evaluated++;
	return value;
}

/* B12: what nobody wants succeeds, and its arguments are not looked at */
static void write_events(void)
{
	evaluated = 0;
	km_write_types();
	KM_CHECK(EventEnabledKmElsewhere());
	KM_CHECK(EventWriteKmElsewhere(NULL, evaluate(13)) == STATUS_SUCCESS);
	KM_CHECK(evaluated == 1);
	KM_CHECK(!EventEnabledKmQuiet());
	KM_CHECK(EventWriteKmQuiet(NULL, evaluate(14)) == STATUS_SUCCESS);
	KM_CHECK(!EventEnabledKmUnwanted());
	KM_CHECK(EventWriteKmUnwanted(NULL, evaluate(15)) == STATUS_SUCCESS);
	KM_CHECK(evaluated == 1);
	KM_CHECK(EventWriteKmElsewhere_AssumeEnabled(NULL, evaluate(13)) == STATUS_SUCCESS);
	KM_CHECK(evaluated == 2);
	if (EventEnabledKmTraits())
		KM_CHECK(EventWriteKmTraits(NULL, evaluate(1)) == STATUS_SUCCESS);
}

/* One registration at a time; after the last one an event has nowhere to go. */
static void register_again(void)
{
	KM_CHECK(EventRegisterEtw_Km_Test() == STATUS_SUCCESS);
	KM_CHECK(EventRegister_ETW_KM_TRAITS() == STATUS_INVALID_PARAMETER);
	KM_CHECK(EventUnregisterEtw_Km_Test() == STATUS_SUCCESS);
	KM_CHECK(EventUnregisterEtw_Km_Test() == STATUS_SUCCESS);
	KM_CHECK(ETW_KM_Context.RegistrationHandle == 0);
	KM_CHECK(!EventEnabledKmElsewhere());
	KM_CHECK(EventWriteKmElsewhere(NULL, 1) == STATUS_SUCCESS);
	KM_CHECK(EventWriteKmElsewhere_AssumeEnabled(NULL, 1) == STATUS_INVALID_HANDLE);
	KM_CHECK(EventRegisterEtw_Km_Test() == STATUS_SUCCESS);
	KM_CHECK(ETW_KM_Context.RegistrationHandle != 0);
	KM_CHECK(EventUnregister_ETW_KM_TRAITS() == STATUS_SUCCESS);
	KM_CHECK(EventRegister_ETW_KM_TRAITS() == STATUS_SUCCESS);
}

static McGenContext_ETW_KM own = { .Context.RegistrationHandle = 1 };

/* The same events by a handle that was made at run time */
static void write_by_context(void)
{
	static const GUID guid = ETW_KM_CONTEXT_GUID;

	KM_CHECK(EventRegisterByGuidEtw_Km_Test_ForContext(guid, &own) == STATUS_SUCCESS);
	evaluated = 0;
	KM_CHECK(EventEnabledKmNothing_ForContext(&own));
	KM_CHECK(EventWriteKmNothing_ForContext(&own, NULL) == STATUS_SUCCESS);
	KM_CHECK(EventWriteKmElsewhere_ForContext(&own, NULL, evaluate(13)) == STATUS_SUCCESS);
	KM_CHECK(EventWriteKmQuiet_ForContext(&own, NULL, evaluate(14)) == STATUS_SUCCESS);
	KM_CHECK(evaluated == 1);
	KM_CHECK(EventUnregisterEtw_Km_Test_ForContext(&own) == STATUS_SUCCESS);
	KM_CHECK(own.Context.RegistrationHandle == 0);
	KM_CHECK(McGenEventRegister(&guid, NULL, NULL, &Etw_Km_TestHandle_ForContext(&own)) ==
		 STATUS_SUCCESS);
	KM_CHECK(McGenEventUnregister(&own.Context.RegistrationHandle) == STATUS_SUCCESS);
}

/* The callback runs some time after the session's call at the latest. */
static void check_calls(void)
{
	unsigned int i;

	for (i = 0; i < 1000 && !READ_ONCE(ETW_KM_Context.IsEnabled); i++)
		msleep(20);
	KM_CHECK(ETW_KM_Context.IsEnabled == EVENT_CONTROL_CODE_ENABLE_PROVIDER);
	KM_CHECK(ETW_KM_Context.Level == 4 && ETW_KM_Context.MatchAnyKeyword == 0x10);
	KM_CHECK(MCGEN_ENABLE_CHECK(ETW_KM_Context, KmElsewhere));
	KM_CHECK(!MCGEN_ENABLE_CHECK(ETW_KM_Context, KmQuiet));
	KM_CHECK(READ_ONCE(private_calls) > 0);
	for (i = 0; i < 1000 && !READ_ONCE(Etw_Km_TestEnableBits[0]); i++)
		msleep(20);
	for (i = 0; i < ETW_KM_Context.EnableBitsCount; i++)
		KM_CHECK(((Etw_Km_TestEnableBits[0] >> i) & 1) ==
			 McGenLevelKeywordEnabled(&ETW_KM_Context, Etw_Km_TestLevels[i],
						  Etw_Km_TestKeywords[i]));
	KM_CHECK(McGenLevelKeywordEnabled(&ETW_KM_Context, 4, 0x10));
	KM_CHECK(!McGenLevelKeywordEnabled(&ETW_KM_Context, 5, 0x10));
	KM_CHECK(!McGenLevelKeywordEnabled(&ETW_KM_Context, 4, 0x20));
}

static int run(const char *text, const struct kernel_param *kp)
{
	unsigned int what;
	int err = kstrtouint(text, 0, &what);

	if (err)
		return err;
	failures = 0;
	strscpy(failed, "ok", sizeof(failed));
	switch (what) {
	case ETW_KM_EVENTS:
		write_events();
		return 0;
	case ETW_KM_API:
		return km_api();
	case ETW_KM_TL:
		return km_tracelogging();
	case ETW_KM_FIRST:
		return km_first();
	case ETW_KM_REGISTER:
		register_again();
		return 0;
	case ETW_KM_CONTEXT:
		write_by_context();
		return 0;
	case ETW_KM_CALLS:
		check_calls();
		return 0;
	}
	return -EINVAL;
}

static int result(char *text, const struct kernel_param *kp)
{
	return sysfs_emit(text, "%s\n", failed);
}

static const struct kernel_param_ops run_ops = { .set = run, .get = result };

module_param_cb(run, &run_ops, NULL, 0600);
MODULE_PARM_DESC(run, "what to do, ETW_KM_...; read: what came of it");

static int __init etw_km_init(void)
{
	NTSTATUS status = EventRegisterEtw_Km_Test();

	if (NT_SUCCESS(status)) {
		status = EventRegister_ETW_KM_TRAITS();
		if (!NT_SUCCESS(status))
			EventUnregisterEtw_Km_Test();
	}
	return etw_nt_errno(status);
}

static void __exit etw_km_exit(void)
{
	EventUnregister_ETW_KM_TRAITS();
	EventUnregisterEtw_Km_Test();
}

module_init(etw_km_init);
module_exit(etw_km_exit);

MODULE_DESCRIPTION("ETW test provider on a generated header");
MODULE_LICENSE("GPL");
