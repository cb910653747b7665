// SPDX-License-Identifier: MIT
/* Enable callbacks: when and where they run, and registrations that end meanwhile */
#include "lib_fake.h"
#include <sys/wait.h>

#include <evntprov.h>
#include "lib/tap.h"
#include "lib/threads.h"

static const GUID guid_a = { 0xA, 0, 0, { 1 } };
static const GUID guid_b = { 0xB, 0, 0, { 2 } };
static const GUID source = { 0x50, 0, 0, { 3 } };
static const EVENT_DESCRIPTOR event = { .Id = 7, .Level = 1, .Keyword = 1 };

/* Arguments that a callback received */
struct seen {
	_Atomic int calls, running;
	GUID source;
	ULONG control;
	UCHAR level;
	ULONGLONG any, all;
	pthread_t thread;
	bool blocked;		/* all signals are blocked */
	REGHANDLE unregister;	/* unregister this one from within the callback */
	ULONG result;
	_Atomic bool hold;
	ULONG filter_type, filter_size;
	uint64_t filter[ETW_FILTER_CHAIN_MAX / 8];
};

static void NTAPI on_enable(LPCGUID src, ULONG control, UCHAR level, ULONGLONG any,
			    ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	struct seen *seen = context;
	sigset_t set;

	seen->running++;
	seen->source = *src;
	seen->control = control;
	seen->level = level;
	seen->any = any;
	seen->all = all;
	seen->thread = pthread_self();
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	seen->filter_type = filter ? filter->Type : 0;
	seen->filter_size = filter ? filter->Size : 0;
	if (filter)
		memcpy(seen->filter, (void *)(uintptr_t)filter->Ptr, filter->Size);
	seen->blocked = sigismember(&set, SIGTERM) && sigismember(&set, SIGCHLD) &&
			sigismember(&set, SIGPROF);
	if (seen->unregister) {
		seen->result = EventUnregister(seen->unregister);
		seen->unregister = 0;
	}
	while (seen->hold)
		usleep(1000);
	seen->running--;
	seen->calls++;
}

static bool wait_calls(struct seen *seen, int calls)
{
	until(seen->calls >= calls);
	return seen->calls == calls;
}

static int thread_count(void)
{
	DIR *dir = opendir("/proc/self/task");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

/* Threads end shortly after they were joined or detached. */
static bool threads_become(int n)
{
	return until(thread_count() == n);
}

/* B31, B39, B40 */
static void test_arguments(int threads)
{
	static struct seen seen;
	uint32_t ioctls;
	REGHANDLE h;

	is(EventRegister(&guid_a, on_enable, &seen, &h), ERROR_SUCCESS, "register");
	is(thread_count(), threads + 1, "one thread");
	ok(others_sleep() && !seen.calls, "not enabled: no callback");
	ioctls = fake->ioctls;
	/* Time is what this is about: a thread that polls would make ioctls. */
	usleep(50000);
	is(fake->ioctls, ioctls, "the idle thread does nothing");
	pthread_mutex_lock(&fake->lock);
	fake_set((const void *)&guid_a, (const void *)&source, 1, 3, 0x30, 0x10);
	pthread_mutex_unlock(&fake->lock);
	ok(wait_calls(&seen, 1), "enabled: called");
	ok(!memcmp(&seen.source, &source, 16) && seen.control == 1 && seen.level == 3 &&
	   seen.any == 0x30 && seen.all == 0x10, "with its arguments");
	is(seen.filter_type, 0, "without filter data");
	ok(!pthread_equal(seen.thread, pthread_self()), "on another thread");
	ok(seen.blocked, "with all signals blocked");
	fake_control(&guid_a, ETW_CONTROL_CAPTURE, 0, 0, 0);
	ok(wait_calls(&seen, 2) && seen.control == 2, "asked for its state");
	fake_control(&guid_a, ETW_CONTROL_DISABLE, 0, 0, 0);
	ok(wait_calls(&seen, 3) && seen.control == 0, "disabled");
	is(EventUnregister(h), ERROR_SUCCESS, "unregister");
	ok(threads_become(threads), "the thread has ended");
	fake_control(&guid_a, ETW_CONTROL_ENABLE, 0, 0, 0);
	is(thread_count(), threads, "and no other thread could call back");
}

/* B27, B32 */
static void test_enabled_already(void)
{
	static struct seen seen;
	REGHANDLE h;

	is(EventRegister(&guid_a, on_enable, &seen, &h), ERROR_SUCCESS, "register, enabled");
	ok(seen.calls == 1 && seen.control == 1, "has been called");
	ok(seen.source.Data1 == 0, "without a source");
	ok(!pthread_equal(seen.thread, pthread_self()), "on another thread");
	EventUnregister(h);
}

/* B33, B62: the kernel's filter data reach the callback unchanged. */
static void test_filter_data(void)
{
	static struct seen seen;
	REGHANDLE h;
	uint32_t i;

	for (i = 0; i < sizeof(fake->data); i++)
		((uint8_t *)fake->data)[i] = i * 7;
	fake->data_len = sizeof(fake->data);
	fake->data_type = ETW_FILTER_SCHEMATIZED;
	is(EventRegister(&guid_a, on_enable, &seen, &h), ERROR_SUCCESS, "register, enabled");
	ok(wait_calls(&seen, 1) && seen.filter_type == EVENT_FILTER_TYPE_SCHEMATIZED &&
	   seen.filter_size == sizeof(fake->data) &&
	   !memcmp(seen.filter, fake->data, sizeof(fake->data)), "8 KB of filters");
	fake->data[0] = 0x123;
	fake->data_len = 8;
	fake->data_type = ETW_FILTER_TRACEHANDLE;
	fake_control(&guid_a, ETW_CONTROL_CAPTURE, 0, 0, 0);
	/* B61 */
	ok(wait_calls(&seen, 2) && seen.filter_type == EVENT_FILTER_TYPE_TRACEHANDLE &&
	   seen.filter_size == 8 && seen.filter[0] == 0x123, "the handle of a session");
	fake->data_len = fake->data_type = 0;
	fake_control(&guid_a, ETW_CONTROL_CAPTURE, 0, 0, 0);
	ok(wait_calls(&seen, 3) && !seen.filter_type, "no filter data again");
	EventUnregister(h);
}

static struct seen waiting;

static void *unregister_thread(void *arg)
{
	EventUnregister(*(REGHANDLE *)arg);
	return (void *)(intptr_t)(waiting.running ? 1 : 0);
}

/* B39 */
static void test_waits(void)
{
	pthread_t thread;
	REGHANDLE h, other;
	void *result;

	is(EventRegister(&guid_a, on_enable, &waiting, &h), ERROR_SUCCESS, "register");
	waiting.calls = 0;
	waiting.hold = true;
	fake_control(&guid_a, ETW_CONTROL_CAPTURE, 0, 0, 0);
	EventRegister(&guid_b, NULL, NULL, &other);
	until(waiting.running);
	is(EventWrite(other, &event, 0, NULL), ERROR_SUCCESS, "others write meanwhile");
	is(EventUnregister(other), ERROR_SUCCESS, "and unregister");
	pthread_create(&thread, NULL, unregister_thread, &h);
	ok(others_sleep() && waiting.running, "unregister waits for the callback");
	is(EventWrite(h, &event, 0, NULL), ERROR_INVALID_HANDLE, "its handle is dead already");
	waiting.hold = false;
	pthread_join(thread, &result);
	ok(!result && waiting.calls == 1, "and returns after it");
}

/* B38, B39: a callback may end its own registration */
static void test_from_within(int threads)
{
	static struct seen one, two;
	REGHANDLE h, keep;
	int i;

	/* Two registrations: the thread stays. */
	EventRegister(&guid_b, on_enable, &two, &keep);
	EventRegister(&guid_a, on_enable, &one, &h);
	ok(wait_calls(&one, 1), "called");
	one.unregister = h;
	fake_control(&guid_a, ETW_CONTROL_CAPTURE, 0, 0, 0);
	fake_control(&guid_a, ETW_CONTROL_CAPTURE, 0, 0, 0);
	ok(wait_calls(&one, 2), "called again");
	is(one.result, ERROR_SUCCESS, "unregister inside the callback");
	fake_control(&guid_a, ETW_CONTROL_CAPTURE, 0, 0, 0);
	fake_control(&guid_b, ETW_CONTROL_ENABLE, 0, 0, 0);
	ok(wait_calls(&two, 1), "another one is still called");
	is(one.calls, 2, "and there was no further call before that");

	/* The last registration ends: the thread ends itself, and a new one can start. */
	two.unregister = keep;
	fake_control(&guid_b, ETW_CONTROL_CAPTURE, 0, 0, 0);
	ok(wait_calls(&two, 2), "the last one unregisters itself");
	ok(threads_become(threads), "the thread has ended");
	for (i = 0; i < 100; i++) {
		struct seen *s = &one;

		s->calls = 0;
		EventRegister(&guid_a, on_enable, s, &h);
		if (i & 1)
			wait_calls(s, 1);
		EventUnregister(h);
	}
	ok(threads_become(threads), "started and ended a hundred times");
	fake_control(&guid_b, ETW_CONTROL_DISABLE, 0, 0, 0);
}

/* The thread's end must be completed, or no new thread starts. */
static void *unregister_cancelled(void *arg)
{
	REGHANDLE *h = arg;

	pthread_cancel(pthread_self());
	if (!EventUnregister(*h))
		*h = 0;
	pthread_testcancel();
	return NULL;
}

static void test_cancelled(int threads)
{
	static struct seen seen;
	void *result = NULL;
	pthread_t thread;
	REGHANDLE h;

	EventRegister(&guid_a, on_enable, &seen, &h);
	if (pthread_create(&thread, NULL, unregister_cancelled, &h))
		abort();
	pthread_join(thread, &result);
	ok(!h && result == PTHREAD_CANCELED, "a thread that is cancelled unregisters first");
	/* The test would hang without the alarm. */
	alarm(30);
	is(EventRegister(&guid_a, on_enable, &seen, &h), ERROR_SUCCESS, "another may register");
	EventUnregister(h);
	alarm(0);
	ok(threads_become(threads), "the thread has ended");
}

/* A callback that registers another provider with a callback, and ends both. */
static struct seen nested;
static REGHANDLE outer, inner;

static void NTAPI nest(LPCGUID src, ULONG control, UCHAR level, ULONGLONG any,
		       ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	(void)src; (void)control; (void)level; (void)any; (void)all; (void)filter;
	(void)context;
	EventUnregister(outer);
	nested.result = EventRegister(&guid_a, on_enable, &nested, &inner);
}

static void test_nested(int threads)
{
	EventRegister(&guid_a, nest, NULL, &outer);
	ok(wait_calls(&nested, 1), "a callback replaces its own registration");
	is(nested.result, ERROR_SUCCESS, "by a new one");
	EventUnregister(inner);
	ok(threads_become(threads), "the thread has ended");
}

static struct seen in_child;

static int child(REGHANDLE h)
{
	/* The parent's thread does not exist in the child; the first write starts one. */
	if (thread_count() != 1 || EventWrite(h, &event, 0, NULL))
		return 1;
	if (!wait_calls(&in_child, 2))
		return 2;
	fake_control(&guid_a, ETW_CONTROL_CAPTURE, 0, 0, 0);
	if (!wait_calls(&in_child, 3) || in_child.control != 2)
		return 3;
	return EventUnregister(h) || !threads_become(1) ? 4 : 0;
}

static void test_fork(void)
{
	int status = -1;
	REGHANDLE h;
	pid_t pid;

	EventRegister(&guid_a, on_enable, &in_child, &h);
	ok(wait_calls(&in_child, 1), "called in the parent");
	pid = fork();
	if (!pid) {
		alarm(20);
		_exit(child(h));
	}
	waitpid(pid, &status, 0);
	is(status, 0, "a child has callbacks of its own once it writes");
	is(in_child.calls, 1, "the parent has not noticed");
	fake_control(&guid_a, ETW_CONTROL_CAPTURE, 0, 0, 0);
	ok(wait_calls(&in_child, 2), "and is still called");

	/* The device's descriptor vanishes: register again, and report the state again. */
	fake->error[0x30] = -ESTALE;
	is(EventWrite(h, &event, 0, NULL), ERROR_SUCCESS, "registered again");
	ok(wait_calls(&in_child, 3), "the state is reported again");
	fake_control(&guid_a, ETW_CONTROL_CAPTURE, 0, 0, 0);
	ok(wait_calls(&in_child, 4), "on the new descriptor");
	EventUnregister(h);
}

/* The device cannot be opened for a while: the thread tries about once a second. */
static void test_device_away(void)
{
	static struct seen seen;
	uint32_t attempts;
	REGHANDLE h;

	is(EventRegister(&guid_a, on_enable, &seen, &h), ERROR_SUCCESS, "registered");
	ok(wait_calls(&seen, 1), "called");
	fake->open_error = -ENOENT;
	fake->error[0x30] = -ESTALE;
	is(EventWrite(h, &event, 0, NULL), ERROR_NOT_ENOUGH_MEMORY, "an event is lost");
	attempts = fake->attempts;
	usleep(500000);
	ok(fake->attempts - attempts <= 3, "%u attempts in half a second",
	   fake->attempts - attempts);
	fake->open_error = 0;
	is(EventWrite(h, &event, 0, NULL), ERROR_SUCCESS, "the device is back");
	ok(wait_calls(&seen, 2), "and the state is reported again");
	EventUnregister(h);
}

static void test_no_module(int threads)
{
	static struct seen seen;
	REGHANDLE h, h2;

	fake->open_error = -ENOENT;
	/* Makes the library open the device again. */
	fake->error[0x20] = -EBADF;
	is(EventRegister(&guid_a, on_enable, &seen, &h), ERROR_SUCCESS, "no module");
	is(thread_count(), threads, "no thread");
	is(EventWrite(h, &event, 0, NULL), ERROR_SUCCESS, "nothing is written");
	fake->open_error = 0;
	is(EventRegister(&guid_b, NULL, NULL, &h2), ERROR_SUCCESS, "the module is there now");
	ok(wait_calls(&seen, 1), "the older registration is called too");
	EventUnregister(h);
	EventUnregister(h2);
	ok(threads_become(threads), "the thread has ended");
}

int main(void)
{
	int threads;

	fake_init();
	threads = thread_count();
	test_arguments(threads);
	test_enabled_already();
	test_filter_data();
	test_waits();
	test_from_within(threads);
	test_nested(threads);
	test_cancelled(threads);
	test_fork();
	test_device_away();
	test_no_module(threads);
	return done_testing();
}
