// SPDX-License-Identifier: MIT
/* Private sessions beside those of a device: each gets what it wants, and no more */
#include "lib_fake.h"
#include "lib_private.h"
#include "lib/threads.h"

static struct {
	_Atomic int calls;
	ULONG control;
	UCHAR level;
	ULONGLONG any;
} last;

static VOID NTAPI on_enable(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any,
			    ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	(void)source;
	(void)all;
	(void)filter;
	(void)context;
	last.control = control;
	last.level = level;
	last.any = any;
	last.calls++;
}

static bool called(int calls)
{
	int tries;

	for (tries = 0; tries < 10000 && last.calls < calls; tries++)
		usleep(1000);
	return last.calls == calls;
}

/* Write an event; does the device get it? */
static bool reaches_device(REGHANDLE h, UCHAR level, ULONG64 keyword)
{
	EVENT_DESCRIPTOR e = { .Id = 1, .Level = level, .Keyword = keyword };
	uint32_t before = fake->writes;

	is(EventWrite(h, &e, 0, NULL), ERROR_SUCCESS, "write");
	return fake->writes != before;
}

/* B10, B13, B28 to B30 */
static void test_both(void)
{
	struct reading r;
	REGHANDLE reg;
	TRACEHANDLE h;

	is(EventRegister(&guid_a, on_enable, NULL, &reg), ERROR_SUCCESS, "register");
	h = start("both", &guid_a, 0, "both.etl");
	is(enable(h, &guid_a, 4, 0x10), ERROR_SUCCESS, "the private session takes level 4");
	ok(called(1) && last.level == 4 && last.any == 0x10, "the callback");
	ok(!reaches_device(reg, 4, 0x10), "an event for it alone");
	is(EventProviderEnabled(reg, 5, 0x10), FALSE, "a higher level is not enabled");
	fake_control(&guid_a, ETW_CONTROL_ENABLE, 5, 0x20, 0);
	ok(called(2) && last.control == 1 && last.level == 5 && last.any == 0x30,
	   "a session of the device: the callback gets what both want");
	is(EventProviderEnabled(reg, 5, 0x20), TRUE, "the higher level is enabled");
	is(EventProviderEnabled(reg, 5, 0x10), FALSE, "with its keyword only");
	ok(reaches_device(reg, 5, 0x20), "an event for the device alone");
	ok(!reaches_device(reg, 4, 0x10), "another one for the private session alone");
	ok(reaches_device(reg, 3, 0x30), "one for both");
	ok(!reaches_device(reg, 5, 0x10), "one for nobody");
	fake_control(&guid_a, ETW_CONTROL_DISABLE, 0, 0, 0);
	ok(called(3) && last.control == 1 && last.level == 4, "the device's session ends");
	ok(!reaches_device(reg, 4, 0x10), "the private one goes on");
	fake_control(&guid_a, ETW_CONTROL_ENABLE, 2, 0x20, 0);
	ok(called(4), "another session of the device");
	is(stop(h), ERROR_SUCCESS, "the private session stops");
	ok(called(5) && last.control == 1 && last.level == 2 && last.any == 0x20,
	   "the callback gets what the device wants");
	ok(reaches_device(reg, 2, 0x20) && !reaches_device(reg, 4, 0x10), "as before it began");
	is(EventUnregister(reg), ERROR_SUCCESS, "unregister");
	is(read_file(in_dir("both.etl"), NULL, NULL, &r), 4, "the private session has its events");
}

/* A write that the device refuses is an error, although the private session has the event. */
static void test_errors(void)
{
	EVENT_DESCRIPTOR e = { .Id = 1, .Level = 1, .Keyword = 1 };
	REGHANDLE reg;
	TRACEHANDLE h;

	EventRegister(&guid_b, NULL, NULL, &reg);
	h = start("errors", &guid_b, 0, "errors.etl");
	enable(h, &guid_b, 0, 0);
	fake_control(&guid_b, ETW_CONTROL_ENABLE, 0, 0, 0);
	fake->error[ETW_IOC_WRITE & 0xFF] = -ENOMEM;
	is(EventWrite(reg, &e, 0, NULL), ERROR_NOT_ENOUGH_MEMORY, "the device has no buffer");
	fake->error[ETW_IOC_WRITE & 0xFF] = 0;
	is(EventWrite(reg, &e, 0, NULL), ERROR_SUCCESS, "now it has");
	EventUnregister(reg);
	is(EventWrite(reg, &e, 0, NULL), ERROR_INVALID_HANDLE, "the registration has ended");
	is(stop(h), ERROR_SUCCESS, "stop");
	is(read_file(in_dir("errors.etl"), NULL, NULL, NULL), 2, "both are in the file");
}

int main(void)
{
	fake_init();
	dir_make();
	test_both();
	test_errors();
	dir_remove();
	return done_testing();
}
