// SPDX-License-Identifier: MIT
/* TraceLogging's registrations: traits from the start, the enabled test without a call */
#include "lib_fake.h"
#include <stdatomic.h>
#include <time.h>

#include <TraceLoggingProvider.h>
#include "lib/tap.h"

TRACELOGGING_DEFINE_PROVIDER(provider, "Name",
			     (0xA, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0));
#define TRAITS	"\7\0Name"		/* with its NUL */

static const struct etw_guid guid = { 0xA, 0, 0, { 1 } };

/* The registration of this process; NULL: none. */
static struct fake_reg *the_reg(void)
{
	uint32_t i;

	for (i = 0; i < fake->file_count; i++)
		if (fake->files[i].ino && fake->files[i].pid == getpid() &&
		    fake->files[i].regs[0].used)
			return &fake->files[i].regs[0];
	return NULL;
}

static uint32_t writes(void)
{
	uint32_t before = fake->writes;

	TraceLoggingWrite(provider, "Event", TraceLoggingLevel(4), TraceLoggingKeyword(0x10));
	return fake->writes - before;
}

static void test_traits(void)
{
	is(TraceLoggingRegister(provider), S_OK, "register");
	ok(the_reg() && the_reg()->traits_len == 7 && !memcmp(the_reg()->traits, TRAITS, 7),
	   "with traits");
	is(the_reg()->set_calls, 1, "in one call");
	is(the_reg()->flags & ETW_REGISTER_NOTIFY, 0, "and without a thread");
	TraceLoggingUnregister(provider);
	ok(!the_reg(), "unregister");

	/* B86 */
	fake->error[0x25] = -EPERM;
	is(TraceLoggingRegister(provider), S_OK, "register, but not in the group");
	ok(the_reg() && !the_reg()->traits_len && the_reg()->types,
	   "without traits, but events have metadata");
	TraceLoggingUnregister(provider);
	fake->error[0x25] = -ENOSPC;
	is(TraceLoggingRegister(provider), S_OK, "register with more traits than are allowed");
	ok(the_reg() && !the_reg()->traits_len && the_reg()->types, "the same");
	TraceLoggingUnregister(provider);
}

static void test_arguments(void)
{
	const struct etw_enable_entry *const volatile *enable;
	GUID id = { 0xA, 0, 0, { 1 } };
	REGHANDLE handle = 5;

	is(etw_tl_register(&id, NULL, NULL, NULL, &handle, &enable), ERROR_INVALID_PARAMETER,
	   "no traits");
	is(etw_tl_register(&id, "\6\0Name", NULL, NULL, &handle, &enable),
	   ERROR_INVALID_PARAMETER, "a name that does not end");
	is(etw_tl_register(&id, TRAITS, NULL, NULL, &handle, NULL), ERROR_INVALID_PARAMETER,
	   "no place");
	is(etw_tl_register(&id, TRAITS, NULL, NULL, NULL, &enable), ERROR_INVALID_PARAMETER,
	   "no handle");
	is(etw_tl_register(NULL, TRAITS, NULL, NULL, &handle, &enable), ERROR_INVALID_PARAMETER,
	   "no GUID");
	is(handle, 0, "no handle is returned");
	ok(!the_reg(), "nothing is registered");
}

static void test_enabled(void)
{
	is(TraceLoggingRegister(provider), S_OK, "register");
	is(writes(), 0, "no session listens");
	fake_set(&guid, NULL, ETW_CONTROL_ENABLE, 4, 0x10, 0);
	ok(TraceLoggingProviderEnabled(provider, 4, 0x10) &&
	   !TraceLoggingProviderEnabled(provider, 5, 0x10), "a session of level 4");
	is(writes(), 1, "an event");
	fake_set(&guid, NULL, ETW_CONTROL_ENABLE, 3, 0x10, 0);
	is(writes(), 0, "a session of level 3");
	fake_set(&guid, NULL, ETW_CONTROL_DISABLE, 0, 0, 0);
	ok(!TraceLoggingProviderEnabled(provider, 0, 0), "no session");
	TraceLoggingUnregister(provider);
}

static struct {
	atomic_int calls;
	int enabled[3];			/* result of the enabled test in each call */
	uint32_t written[3];
} seen;

static void NTAPI on_enable(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any,
			    ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	int n = atomic_load(&seen.calls);

	(void)source, (void)control, (void)level, (void)any, (void)all, (void)filter;
	if (n < 3 && context == &seen) {
		seen.enabled[n] = TraceLoggingProviderEnabled(provider, 4, 0x10);
		seen.written[n] = writes();
	}
	atomic_store(&seen.calls, n + 1);
}

static bool called(int times)
{
	int i;

	for (i = 0; i < 10000 && atomic_load(&seen.calls) < times; i++)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	return atomic_load(&seen.calls) == times;
}

/* B41: the enabled test changes before the callback, also for a provider that starts enabled. */
static void test_callback(void)
{
	fake_set(&guid, NULL, ETW_CONTROL_ENABLE, 4, 0x10, 0);
	is(TraceLoggingRegisterEx(provider, on_enable, &seen), S_OK, "register while enabled");
	ok(called(1) && seen.enabled[0] && seen.written[0] == 1,
	   "the callback finds it enabled, and its event is written");
	fake_set(&guid, NULL, ETW_CONTROL_CAPTURE, 0, 0, 0);
	ok(called(2) && seen.enabled[1] && seen.written[1] == 1, "is asked for the state");
	fake_set(&guid, NULL, ETW_CONTROL_DISABLE, 0, 0, 0);
	ok(called(3) && !seen.enabled[2] && !seen.written[2], "and finds it disabled");
	TraceLoggingUnregister(provider);
}

int main(void)
{
	fake_init();
	test_arguments();
	test_traits();
	test_enabled();
	test_callback();
	return done_testing();
}
