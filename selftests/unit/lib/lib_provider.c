// SPDX-License-Identifier: MIT
/* Registrations, writing, activity ids */
#include "lib_fake.h"
#include <pthread.h>

#include <evntprov.h>
#include "lib/tap.h"

static const GUID guid_a = { 0xA, 0, 0, { 1 } };
static const GUID guid_b = { 0xB, 0, 0, { 2 } };
static const EVENT_DESCRIPTOR event = { .Id = 7, .Version = 1, .Level = 4, .Keyword = 0x10 };

/* B12: without the module no session can listen */
static void test_no_module(void)
{
	EVENT_DATA_DESCRIPTOR data = { 0 };
	REGHANDLE h = 0;

	fake->open_error = -ENOENT;
	is(EventRegister(&guid_a, NULL, NULL, &h), ERROR_SUCCESS, "register without a module");
	ok(h != 0, "a handle");
	is(EventWrite(h, &event, 1, &data), ERROR_SUCCESS, "write without a module");
	is(EventEnabled(h, &event), FALSE, "not enabled");
	is(EventProviderEnabled(h, 0, 0), FALSE, "not enabled as a whole");
	is(EventUnregister(h), ERROR_SUCCESS, "unregister without a module");
	is(EventUnregister(h), ERROR_INVALID_HANDLE, "only once");
	fake->open_error = -EACCES;
	is(EventRegister(&guid_a, NULL, NULL, &h), ERROR_SUCCESS, "register without the right");
	is(fake->opens, 0, "no device");
	fake->open_error = 0;
	is(EventUnregister(h), ERROR_SUCCESS, "unregister");
}

/* B13, B90, B101 */
static void test_arguments(REGHANDLE h)
{
	EVENT_DATA_DESCRIPTOR data[129];
	REGHANDLE other = 5;
	int i;

	for (i = 0; i < 129; i++)
		EventDataDescCreate(&data[i], "abcdefgh", i % 3);
	is(EventRegister(NULL, NULL, NULL, &other), ERROR_INVALID_PARAMETER, "no GUID");
	is(other, 0, "no handle");
	is(EventRegister(&(GUID){ 0 }, NULL, NULL, &other), ERROR_INVALID_PARAMETER, "zero GUID");
	is(EventRegister(&guid_a, NULL, NULL, NULL), ERROR_INVALID_PARAMETER, "no room");
	is(EventWrite(h, &event, 128, data), ERROR_SUCCESS, "128 descriptors");
	is(fake->last.event.data_count, 128, "reach the kernel");
	is(EventWrite(h, &event, 129, data), ERROR_INVALID_PARAMETER, "129 descriptors");
	is(EventWrite(h, &event, 1, NULL), ERROR_INVALID_PARAMETER, "no descriptors");
	is(EventWrite(h, NULL, 0, NULL), ERROR_INVALID_PARAMETER, "no event descriptor");
	is(EventWriteString(h, 4, 0x10, NULL), ERROR_INVALID_PARAMETER, "no string");
	is(EventWriteEx(h, &event, 0, 4, NULL, NULL, 0, NULL), ERROR_INVALID_PARAMETER,
	   "unknown flag");
	is(EventWrite(0, NULL, 129, NULL), ERROR_SUCCESS, "handle 0 does nothing");
	is(EventWriteString(0, 0, 0, u"a"), ERROR_INVALID_HANDLE, "string to handle 0");
	is(EventUnregister(0), ERROR_INVALID_HANDLE, "unregister handle 0");
	is(EventEnabled(0, &event), FALSE, "handle 0 is not enabled");
	is(EventProviderEnabled(0, 0, 0), FALSE, "handle 0 is not enabled at all");
	is(EventWrite(h + (1 << 16), &event, 0, NULL), ERROR_INVALID_HANDLE, "other generation");
	is(EventWrite(h | 0xFFFF, &event, 0, NULL), ERROR_INVALID_HANDLE, "no such index");
	is(EventWrite(h & ~0xFFFFULL, &event, 0, NULL), ERROR_INVALID_HANDLE, "index 0");
	is(EventWrite(~0ULL, &event, 0, NULL), ERROR_INVALID_HANDLE, "all ones");
	is(EventUnregister(0x12345), ERROR_INVALID_HANDLE, "unregister nonsense");
	is(EventEnabled(~0ULL, &event), FALSE, "an invalid handle is not enabled");
	is(EventEnabled(h, NULL), FALSE, "no event is not enabled");
}

/* Arguments of a disabled event are not read. */
static void test_unwanted(REGHANDLE h)
{
	EVENT_DESCRIPTOR unwanted = { .Id = 1, .Level = 5, .Keyword = 0x1 };
	EVENT_DATA_DESCRIPTOR data[129] = { { .Ptr = 0 } };

	is(EventEnabled(h, &unwanted), FALSE, "an event that no session enabled");
	is(EventWrite(h, &unwanted, 129, data), ERROR_SUCCESS, "129 descriptors");
	is(EventWrite(h, &unwanted, 1, NULL), ERROR_SUCCESS, "no descriptors");
	is(EventWriteEx(h, &unwanted, 0, 4, NULL, NULL, 0, NULL), ERROR_SUCCESS, "unknown flag");
	is(EventWrite(h, NULL, 0, NULL), ERROR_INVALID_PARAMETER, "but an event it must be");
	is(EventWriteString(h, 5, 1, NULL), ERROR_INVALID_PARAMETER, "and a string");
}

/* B91, B97, B98 */
static void test_payload(REGHANDLE h)
{
	GUID activity = { .Data1 = 0xAC }, related = { .Data1 = 0x4E };
	struct etw_event_write *w = &fake->last.event;
	EVENT_DATA_DESCRIPTOR data[3];

	EventDataDescCreate(&data[0], "ab", 2);
	EventDataDescCreate(&data[1], NULL, 0);
	EventDataDescCreate(&data[2], "cde", 3);
	is(EventWrite(h, &event, 3, data), ERROR_SUCCESS, "write");
	ok(fake->last.len == 5 && !memcmp(fake->last.data, "abcde", 5), "payload");
	ok(!memcmp(&w->desc, &event, sizeof(event)), "descriptor verbatim");
	ok(!memcmp(&fake->last.provider, &guid_a, 16), "provider");
	ok(!(w->flags & ETW_WRITE_RELATED) && !w->activity.data1, "no ids at the start");
	is(EventWriteTransfer(h, &event, &activity, &related, 0, NULL), ERROR_SUCCESS,
	   "transfer");
	ok(w->flags == (ETW_WRITE_ACTIVITY | ETW_WRITE_RELATED) && w->activity.data1 == 0xAC &&
	   w->related.data1 == 0x4E, "both ids");
	EventActivityIdControl(EVENT_ACTIVITY_CTRL_SET_ID, &related);
	EventWriteTransfer(h, &event, NULL, NULL, 0, NULL);
	ok(w->activity.data1 == 0x4E && !(w->flags & ETW_WRITE_RELATED),
	   "NULL takes the thread's id");
	is(EventWriteEx(h, &event, 0x5, EVENT_WRITE_FLAG_INPRIVATE, &activity, NULL, 0, NULL),
	   ERROR_SUCCESS, "extended write");
	ok(w->filter == 5 && w->flags & ETW_WRITE_INPRIVATE, "filter and flag");
	is(EventWriteString(h, 3, 0x10, u"h\u00e9!"), ERROR_SUCCESS, "string");
	ok(fake->last.len == 8 && !memcmp(fake->last.data, u"h\u00e9!", 8), "with its NUL");
	ok(w->flags & ETW_WRITE_STRING_ONLY && w->desc.level == 3 && w->desc.keyword == 0x10 &&
	   !w->desc.id && !w->desc.task, "and its descriptor");
}

/* B12 to B14 */
static void test_filter(REGHANDLE h)
{
	EVENT_DESCRIPTOR e = event;
	uint32_t before = fake->ioctls;

	e.Level = 5;
	is(EventWrite(h, &e, 0, NULL), ERROR_SUCCESS, "level too high");
	is(EventEnabled(h, &e), FALSE, "is not enabled");
	e.Level = 0;
	is(EventEnabled(h, &e), TRUE, "level 0 passes");
	e.Keyword = 0x20;
	is(EventWrite(h, &e, 0, NULL), ERROR_SUCCESS, "another keyword");
	is(EventWriteString(h, 4, 0x20, u"x"), ERROR_SUCCESS, "in a string");
	is(EventProviderEnabled(h, 4, 0x20), FALSE, "is not enabled");
	is(EventProviderEnabled(h, 0, 0), TRUE, "the provider is");
	is(EventWrite(h, &e, 129, NULL), ERROR_SUCCESS, "not read while disabled");
	is(fake->ioctls, before, "no system call for any of them");
	e.Keyword = 0;
	is(EventWrite(h, &e, 0, NULL), ERROR_SUCCESS, "keyword 0");
	is(fake->ioctls, before + 1, "is written");
	fake_control(&guid_a, ETW_CONTROL_DISABLE, 0, 0, 0);
	before = fake->ioctls;
	is(EventWrite(h, &event, 0, NULL), ERROR_SUCCESS, "disabled");
	is(EventEnabled(h, &event), FALSE, "is not enabled");
	is(fake->ioctls, before, "no system call");
	fake_control(&guid_a, ETW_CONTROL_ENABLE, 4, 0x10, 0);
}

#define NOT_INLINE	__attribute__((__noinline__, __optimize__("no-optimize-sibling-calls")))

static NOT_INLINE ULONG write_from_here(REGHANDLE h, void **caller)
{
	ULONG ret = EventWrite(h, &event, 0, NULL);

	*caller = __builtin_return_address(0);
	return ret;
}

/* The stack is walked only for events whose stack a session requested. */
static void test_stack(REGHANDLE h)
{
	const struct etw_event_write *w = &fake->last.event;
	void *caller = NULL;
	ULONG ret;

	is(EventWrite(h, &event, 0, NULL), ERROR_SUCCESS, "no session wants stacks");
	is(w->flags & ETW_WRITE_CAN_WALK, 0, "so no stack is offered");
	fake_area(0)[w->slot].properties = ETW_ENABLE_STACK_TRACE;
	is(EventWrite(h, &event, 0, NULL), ERROR_SUCCESS, "stacks of other events are wanted");
	ok(w->flags & ETW_WRITE_CAN_WALK, "it is offered");
	is(w->stack_count, 0, "but not walked");
	fake->wants_stack = true;
	ret = write_from_here(h, &caller);
	is(ret, ERROR_SUCCESS, "the stack is wanted");
	is(fake->walks, 1, "which is asked once");
	ok(w->stack_count >= 2, "there are frames");
	ok(fake->last.stack[1] == (uintptr_t)caller, "from the caller of EventWrite() on");
	is(EventWriteString(h, 4, 0x10, u"text"), ERROR_SUCCESS, "of a string");
	ok(w->stack_count >= 1, "likewise");
	fake->wants_stack = false;
	fake_area(0)[w->slot].properties = 0;
}

/* B92 to B94: the codes */
static void test_errors(REGHANDLE h)
{
	static const struct {
		int err;
		ULONG code;
	} map[] = {
		{ -EOVERFLOW, ERROR_ARITHMETIC_OVERFLOW }, { -EMSGSIZE, ERROR_MORE_DATA },
		{ -ENOBUFS, ERROR_NOT_ENOUGH_MEMORY }, { -EFAULT, ERROR_NOACCESS },
		{ -EINVAL, ERROR_INVALID_PARAMETER }, { -EPERM, ERROR_ACCESS_DENIED },
		{ -EACCES, ERROR_ACCESS_DENIED },
	};
	uint32_t opens = fake->opens;
	REGHANDLE other = 5;
	size_t i;

	for (i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		fake->error[0x30] = map[i].err;
		is(EventWrite(h, &event, 0, NULL), map[i].code, "error of a write");
	}
	is(fake->opens, opens, "no error opens the device again");
	fake->error[0x20] = -ENOSPC;
	is(EventRegister(&guid_b, NULL, NULL, &other), ERROR_NOT_ENOUGH_MEMORY,
	   "the kernel's limit");
	is(other, 0, "no handle");
	fake->error[0x20] = -EPERM;
	/* B159: a right that the kernel's access lists deny is reported. */
	is(EventRegister(&guid_b, NULL, NULL, &other), ERROR_ACCESS_DENIED, "no right to it");
	is(other, 0, "no handle");
	fake->error[0x20] = -EACCES;
	is(EventRegister(&guid_b, NULL, NULL, &other), ERROR_ACCESS_DENIED, "a module's GUID");
	is(other, 0, "no handle");
	is(EventWrite(other, &event, 0, NULL), ERROR_SUCCESS, "does nothing");
	is(EventUnregister(other), ERROR_INVALID_HANDLE, "and is none to end");
}

static void test_limit(REGHANDLE first)
{
	static REGHANDLE handles[1024];
	ULONG ret = 0, bad = 0;
	int i, n = 0;

	for (i = 0; i < 1023 && !ret; i++, n += !ret)
		ret = EventRegister(&guid_b, NULL, NULL, &handles[i]);
	is(n, 1023, "1,024 registrations");
	handles[1023] = 5;
	is(EventRegister(&guid_b, NULL, NULL, &handles[1023]), ERROR_NOT_ENOUGH_MEMORY,
	   "and no more");
	is(handles[1023], 0, "no handle");
	fake_control(&guid_b, ETW_CONTROL_ENABLE, 0, 0, 0);
	for (i = 0; i < 1023; i++)
		bad += EventWrite(handles[i], &event, 0, NULL) != 0 ||
		       memcmp(&fake->last.provider, &guid_b, 16);
	is(bad, 0, "each of them writes");
	for (i = 0; i < 1023; i++)
		bad += EventUnregister(handles[i]) != 0;
	for (i = 0; i < 1023; i++)
		bad += EventWrite(handles[i], &event, 0, NULL) != ERROR_INVALID_HANDLE;
	is(bad, 0, "and ends");
	is(EventRegister(&guid_b, NULL, NULL, &handles[0]), ERROR_SUCCESS, "room again");
	ok(handles[0] != handles[1], "with a new handle");
	EventUnregister(handles[0]);
	is(EventWrite(first, &event, 0, NULL), ERROR_SUCCESS, "the first one is untouched");
}

static void *other_thread(void *arg)
{
	GUID id = { .Data1 = 1 };

	EventActivityIdControl(EVENT_ACTIVITY_CTRL_GET_ID, &id);
	*(ULONG *)arg = id.Data1;
	return NULL;
}

/* B105 to B108 */
static void test_activity(void)
{
	GUID a, b, id = { .Data1 = 1, .Data4 = { 8 } };
	ULONG seen = 99;
	pthread_t thread;

	is(EventActivityIdControl(EVENT_ACTIVITY_CTRL_GET_ID, NULL), ERROR_INVALID_PARAMETER,
	   "NULL id");
	is(EventActivityIdControl(0, &id), ERROR_INVALID_PARAMETER, "code 0");
	is(EventActivityIdControl(6, &id), ERROR_INVALID_PARAMETER, "code 6");
	EventActivityIdControl(EVENT_ACTIVITY_CTRL_SET_ID, &id);
	is(EventActivityIdControl(EVENT_ACTIVITY_CTRL_CREATE_ID, &a), ERROR_SUCCESS, "create");
	EventActivityIdControl(EVENT_ACTIVITY_CTRL_GET_ID, &b);
	ok(!memcmp(&b, &id, 16), "leaves the thread's");
	EventActivityIdControl(EVENT_ACTIVITY_CTRL_CREATE_ID, &b);
	ok(memcmp(&a, &b, 16), "another one each time");
	ok((a.Data3 & 0xF000) == 0 && (a.Data4[0] & 0xE0) == 0xE0, "unlike any real GUID");
	b = a;
	EventActivityIdControl(EVENT_ACTIVITY_CTRL_GET_SET_ID, &b);
	ok(!memcmp(&b, &id, 16), "swap gives the old one");
	EventActivityIdControl(EVENT_ACTIVITY_CTRL_CREATE_SET_ID, &b);
	ok(!memcmp(&b, &a, 16), "and sets the new one");
	EventActivityIdControl(EVENT_ACTIVITY_CTRL_GET_ID, &b);
	ok(memcmp(&b, &a, 16) && (b.Data4[0] & 0xE0) == 0xE0, "create and set");
	pthread_create(&thread, NULL, other_thread, &seen);
	pthread_join(thread, NULL);
	is(seen, 0, "another thread starts without an id");
	memset(&b, 0, sizeof(b));
	EventActivityIdControl(EVENT_ACTIVITY_CTRL_SET_ID, &b);
}

/* Writers race registration and unregistration of the same entry. */
static _Atomic REGHANDLE shared;
static _Atomic bool stop;

static void *writer(void *arg)
{
	EVENT_DATA_DESCRIPTOR data;
	uint64_t *bad = arg;
	unsigned int i;

	EventDataDescCreate(&data, "x", 1);
	for (i = 1; !stop; i++) {
		ULONG ret = EventWrite(shared, &event, 1, &data);

		*bad += ret != ERROR_SUCCESS && ret != ERROR_INVALID_HANDLE;
		/* Let the thread go on that registers, where there are fewer CPUs than threads. */
		if (i % 16 == 0)
			sched_yield();
	}
	return NULL;
}

static void test_race(void)
{
	uint64_t bad[3] = { 0 };
	pthread_t threads[3];
	REGHANDLE h;
	int i;

	for (i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, writer, &bad[i]);
	for (i = 0; i < 600; i++) {
		if (EventRegister(i & 1 ? &guid_a : &guid_b, NULL, NULL, &h))
			bad[0]++;
		shared = h;
		sched_yield();
		if (EventUnregister(h))
			bad[0]++;
	}
	stop = true;
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	is(bad[0] + bad[1] + bad[2], 0, "writers race unregistration");
}

int main(void)
{
	REGHANDLE h;

	fake_init();
	test_no_module();
	test_activity();
	is(EventRegister(&guid_a, NULL, NULL, &h), ERROR_SUCCESS, "register");
	is(fake->opens, 1, "opens the device");
	fake_control(&guid_a, ETW_CONTROL_ENABLE, 4, 0x10, 0);
	test_payload(h);
	test_arguments(h);
	test_unwanted(h);
	test_filter(h);
	test_stack(h);
	test_errors(h);
	test_limit(h);
	test_race();
	is(fake->opens, 1, "the device was opened once");
	is(EventUnregister(h), ERROR_SUCCESS, "unregister");
	is(EventWrite(h, &event, 0, NULL), ERROR_INVALID_HANDLE, "the handle is dead");
	return done_testing();
}
