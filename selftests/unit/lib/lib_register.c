// SPDX-License-Identifier: MIT
/* A provider that is already enabled: the callback has run when EventRegister() returns */
#include "lib_fake.h"
#include <stdatomic.h>
#include <sys/wait.h>

#include <evntprov.h>
#include "lib/tap.h"
#include "lib/threads.h"

#define ROUNDS	1000

static const GUID guid_a = { 0xA, 0, 0, { 1 } };
static const GUID guid_b = { 0xB, 0, 0, { 2 } };

struct notified {
	_Atomic int calls, inside;
	_Atomic bool hold;
	_Atomic bool unregister;
	REGHANDLE handle;
};

static void NTAPI on_enable(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any,
			    ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	struct notified *t = context;

	(void)source, (void)control, (void)level, (void)any, (void)all, (void)filter;
	t->inside++;
	if (t->unregister)
		EventUnregister(t->handle);
	/* Long enough to expose a caller that does not wait. */
	if (!(t->calls & 63))
		usleep(1000);
	while (t->hold)
		usleep(1000);
	t->calls++;
	t->inside--;
}

/*
 * Counts callbacks that came too late.  t is not on a stack: a child's callbacks run for
 * its parent's registrations, and that thread's stack is not in use there.
 */
static int rounds(const GUID *guid, int n, struct notified *t)
{
	int i, bad = 0;

	for (i = 0; i < n; i++) {
		t->calls = t->inside = 0;
		if (EventRegister(guid, on_enable, t, &t->handle))
			return n;
		bad += t->calls != 1 || t->inside;
		EventUnregister(t->handle);
	}
	return bad;
}

static struct notified by_a, by_b, by_child;

static void *rounds_b(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)rounds(&guid_b, ROUNDS, &by_b);
}

/* B27 */
static void test_many(void)
{
	struct notified keeps = { .calls = 0 };
	pthread_t thread;
	void *bad;
	int mine;

	is(rounds(&guid_a, ROUNDS, &by_a), 0, "called before it returns, with a new thread each");
	EventRegister(&guid_b, on_enable, &keeps, &keeps.handle);
	is(rounds(&guid_a, ROUNDS, &by_a), 0, "with a thread that is there");
	EventUnregister(keeps.handle);
	if (pthread_create(&thread, NULL, rounds_b, NULL))
		abort();
	mine = rounds(&guid_a, ROUNDS, &by_a);
	pthread_join(thread, &bad);
	ok(!mine && !bad, "by two threads at once");
}

static struct notified inner;
static _Atomic int inner_early;

static void NTAPI nest(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any,
		       ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	(void)source, (void)control, (void)level, (void)any, (void)all, (void)filter;
	(void)context;
	EventRegister(&guid_b, on_enable, &inner, &inner.handle);
	inner_early = inner.calls;
}

/* B27: callbacks do not interrupt each other */
static void test_nested(void)
{
	REGHANDLE h;

	is(EventRegister(&guid_a, nest, NULL, &h), ERROR_SUCCESS, "a callback registers");
	until(inner.calls);
	ok(!inner_early && inner.calls == 1, "and the other is called after it");
	EventUnregister(h);
	EventUnregister(inner.handle);
}

static struct notified held = { .hold = true };
static _Atomic bool returned;

static void *register_held(void *arg)
{
	bool cancel = arg;

	if (cancel)
		pthread_cancel(pthread_self());
	EventRegister(&guid_a, on_enable, &held, &held.handle);
	returned = true;
	pthread_testcancel();
	return NULL;
}

static bool inside(void)
{
	return until(held.inside) && others_sleep() && held.inside && !returned;
}

/* EventRegister() waits as long as the callback runs; its cancellation waits too. */
static void test_held(bool cancel)
{
	pthread_t thread;
	void *result;

	held.hold = true;
	held.calls = 0;
	returned = false;
	if (pthread_create(&thread, NULL, register_held, cancel ? &held : NULL))
		abort();
	ok(inside(), "waits for the callback");
	held.hold = false;
	pthread_join(thread, &result);
	ok(returned && held.calls == 1, "and returns after it");
	ok(result == (cancel ? PTHREAD_CANCELED : NULL), "%s", cancel ? "cancelled" : "at its end");
	is(EventUnregister(held.handle), ERROR_SUCCESS, "unregister");
}

static void *unregister(void *arg)
{
	EventUnregister(*(REGHANDLE *)arg);
	return NULL;
}

/* Unregistered during EventRegister(), by another thread and by the callback. */
static void test_ended(void)
{
	struct notified t = { .unregister = true };
	pthread_t thread, other;

	is(EventRegister(&guid_a, on_enable, &t, &t.handle), ERROR_SUCCESS,
	   "the callback unregisters");
	ok(t.calls == 1 && !t.inside, "and ends first");
	is(EventUnregister(t.handle), ERROR_INVALID_HANDLE, "it is unregistered");
	held.hold = true;
	held.calls = 0;
	returned = false;
	if (pthread_create(&thread, NULL, register_held, NULL))
		abort();
	ok(inside(), "waits for the callback");
	if (pthread_create(&other, NULL, unregister, &held.handle))
		abort();
	ok(others_sleep() && held.inside && !returned, "also when it is unregistered meanwhile");
	held.hold = false;
	pthread_join(other, NULL);
	pthread_join(thread, NULL);
	is(held.calls, 1, "and was called once");
}

/* A child, forked while another thread registers, registers itself. */
static void test_fork(void)
{
	static struct notified keeps;
	int i, status, bad = 0;
	pthread_t thread;
	void *result;
	pid_t pid;

	EventRegister(&guid_a, on_enable, &keeps, &keeps.handle);
	if (pthread_create(&thread, NULL, rounds_b, NULL))
		abort();
	for (i = 0; i < 10; i++) {
		pid = fork();
		if (!pid) {
			alarm(30);
			_exit(rounds(&guid_a, 5, &by_child) != 0);
		}
		bad += waitpid(pid, &status, 0) != pid || status;
	}
	pthread_join(thread, &result);
	is(bad, 0, "callbacks in children run in time");
	ok(!result, "and so is their parent");
	EventUnregister(keeps.handle);
}

/* The device sends no notice, for no state or for an error: no caller waits forever. */
static void test_untold(void)
{
	struct notified t = { .calls = 0 };
	REGHANDLE keep;

	EventRegister(&guid_b, on_enable, &inner, &keep);
	fake->mute = true;
	is(EventRegister(&guid_a, on_enable, &t, &t.handle), ERROR_SUCCESS, "nothing is queued");
	is(t.calls, 0, "not called");
	EventUnregister(t.handle);
	fake->mute = false;
	fake->error[0x22] = -EIO;
	is(EventRegister(&guid_a, on_enable, &t, &t.handle), ERROR_SUCCESS, "the device fails");
	EventUnregister(t.handle);
	is(EventRegister(&guid_a, on_enable, &t, &t.handle), ERROR_SUCCESS, "and again");
	EventUnregister(t.handle);
	EventUnregister(keep);
	fake->error[0x22] = 0;
	fake->error[0x20] = -ESTALE;
	is(rounds(&guid_a, 2, &by_a), 0, "another descriptor works");
}

int main(void)
{
	fake_init();
	fake_control(&guid_a, ETW_CONTROL_ENABLE, 3, 1, 0);
	fake_control(&guid_b, ETW_CONTROL_ENABLE, 3, 1, 0);
	alarm(300);
	test_many();
	test_nested();
	test_held(false);
	test_held(true);
	test_ended();
	test_fork();
	test_untold();
	return done_testing();
}
