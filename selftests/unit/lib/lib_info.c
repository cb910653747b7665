/* SPDX-License-Identifier: MIT */
/*
 * lib_info - EventSetInformation, over fork and a device that vanishes; groups
 */
#include "lib_fake.h"
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <evntcons.h>
#include <evntprov.h>
#include "device/provider_list.h"
#include "lib/tap.h"

static const GUID guid_a = { 0xA, 0, 0, { 1 } };
static const EVENT_DESCRIPTOR event = { .Id = 7, .Level = 4, .Keyword = 0x10 };
static unsigned char traits[] = "\7\0Name";		/* with its NUL */
static REGHANDLE handle;

_Static_assert(EtwProviderTraitTypeGroup == 1 && EtwProviderTraitDecodeGuid == 2,
	       "as Microsoft numbers them");

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

static bool has_traits(const struct fake_reg *reg)
{
	return reg && reg->traits_len == 7 && !memcmp(reg->traits, traits, 7);
}

#define SET(h, class, p, len)	EventSetInformation(h, class, (PVOID)(p), len)
#define TRAITS(h, p, len)	SET(h, EventProviderSetTraits, p, len)
#define TYPES(h, p, len)	SET(h, EventProviderUseDescriptorType, p, len)

static void begin(void)
{
	is(EventRegister(&guid_a, NULL, NULL, &handle), ERROR_SUCCESS, "register");
}

static void end(void)
{
	is(EventUnregister(handle), ERROR_SUCCESS, "unregister");
}

/* B78, and every other wrong argument */
static void test_refused(void)
{
	BOOLEAN on = TRUE;

	begin();
	is(TRAITS(handle, NULL, 7), ERROR_INVALID_PARAMETER, "no traits");
	is(TRAITS(handle, traits, 6), ERROR_INVALID_PARAMETER, "traits of another size");
	is(TRAITS(handle, "\6\0Name", 6), ERROR_INVALID_PARAMETER, "a name that does not end");
	is(TRAITS(handle, "\11\0Name\0\0\0", 9), ERROR_INVALID_PARAMETER, "an invalid chunk");
	is(TRAITS(handle, traits, 0x10007), ERROR_INVALID_PARAMETER, "no event is that large");
	is(TRAITS(handle + 0x10000, traits, 7), ERROR_INVALID_PARAMETER, "no such handle");
	is(TRAITS(0, traits, 7), ERROR_SUCCESS, "handle 0");
	is(TYPES(handle, &on, 4), ERROR_INVALID_PARAMETER, "a BOOLEAN of 4 bytes");
	is(TYPES(handle, NULL, 1), ERROR_INVALID_PARAMETER, "no BOOLEAN");
	is(SET(handle, EventProviderBinaryTrackInfo, NULL, 0), ERROR_NOT_SUPPORTED, "class 0");
	is(SET(handle, EventProviderSetReserved1, traits, 7), ERROR_NOT_SUPPORTED, "class 1");
	is(SET(handle, MaxEventInfo, traits, 7), ERROR_NOT_SUPPORTED, "class 4");
	is(SET(handle, (EVENT_INFO_CLASS)-1, traits, 7), ERROR_NOT_SUPPORTED, "class -1");
	is(the_reg()->set_calls, 0, "nothing of it reaches the kernel");
	fake->error[0x25] = -ENOMEM;
	is(TRAITS(handle, traits, 7), ERROR_NOT_ENOUGH_MEMORY, "the kernel has no memory");
	fake->error[0x25] = -ENOSPC;
	is(TRAITS(handle, traits, 7), ERROR_NO_SYSTEM_RESOURCES, "more than the user may have");
	/* B86 */
	fake->error[0x25] = -EPERM;
	is(TRAITS(handle, traits, 7), ERROR_ACCESS_DENIED, "may not join the group");
	is(TRAITS(handle, traits, 7), ERROR_SUCCESS, "has it now");
	fake->error[0x25] = -ENOMEM;
	is(TYPES(handle, &on, 1), ERROR_NOT_ENOUGH_MEMORY, "nor for types");
	end();
}

/* B79, B80: traits are set in the kernel once, types whenever they change. */
static void test_set(void)
{
	BOOLEAN on = TRUE, off = FALSE;

	begin();
	is(TYPES(handle, &on, 1), ERROR_SUCCESS, "types");
	is(the_reg()->types, 1, "are on");
	is(TYPES(handle, &off, 1), ERROR_SUCCESS, "and");
	is(the_reg()->types, 0, "off");
	is(TRAITS(handle, traits, 7), ERROR_SUCCESS, "traits");
	ok(has_traits(the_reg()) && the_reg()->types, "turn them on");
	is(TRAITS(handle, traits, 7), ERROR_ALREADY_EXISTS, "but once");
	is(the_reg()->set_calls, 3, "the kernel was not asked");
	is(TYPES(handle, &off, 1), ERROR_SUCCESS, "types off again");
	ok(has_traits(the_reg()) && !the_reg()->types, "with traits");
	end();
	begin();
	ok(!the_reg()->traits_len && !the_reg()->types, "a new registration has neither");
	is(TRAITS(handle, traits, 7), ERROR_SUCCESS, "and may have its own");
	end();
}

/* The exit status of a child that runs fn; -1 if it died or hung. */
static int in_child(int (*fn)(void), bool raw)
{
	int status;
	pid_t pid = raw ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();

	if (!pid) {
		alarm(20);
		_exit(fn());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int child_writes(void)
{
	if (EventWrite(handle, &event, 0, NULL))
		return 1;
	if (!has_traits(the_reg()) || the_reg()->types || the_reg()->set_calls != 1)
		return 2;
	if (TRAITS(handle, traits, 7) != ERROR_ALREADY_EXISTS)
		return 3;
	return EventUnregister(handle) ? 4 : 0;
}

static int child_sets(void)
{
	BOOLEAN on = TRUE;

	/* The first call registers with traits and types. */
	if (TYPES(handle, &on, 1))
		return 1;
	return !has_traits(the_reg()) || !the_reg()->types;
}

/* A child registers again, with its parent's traits and types. */
static void test_fork(void)
{
	BOOLEAN off = FALSE;

	begin();
	fake_control(&guid_a, ETW_CONTROL_ENABLE, 4, 0x10, 0);
	is(TRAITS(handle, traits, 7), ERROR_SUCCESS, "traits");
	is(TYPES(handle, &off, 1), ERROR_SUCCESS, "without types");
	is(in_child(child_writes, false), 0, "a child that writes has both");
	is(in_child(child_writes, true), 0, "as has a raw clone");
	is(in_child(child_sets, false), 0, "a child that sets something else");
	is(in_child(child_sets, true), 0, "and a raw clone");
	ok(has_traits(the_reg()) && !the_reg()->types, "the parent is unchanged");
	fake->error[0x30] = -EBADF;
	is(EventWrite(handle, &event, 0, NULL), ERROR_SUCCESS, "registered again");
	ok(has_traits(the_reg()) && !the_reg()->types, "with all of it");
	fake_control(&guid_a, ETW_CONTROL_DISABLE, 0, 0, 0);
	end();
}

/* ------------------------------------------- refused calls that change nothing */

/* Results of PROVIDER_SET, call by call; 0: the model's own result */
static struct {
	int ret[4];
	_Atomic unsigned int calls;
} script;
static struct etw_kdev_ops ops;

static int scripted_ioctl(int fd, unsigned int command, void *arg)
{
	unsigned int call;

	if ((command & 0xFF) == 0x25) {
		call = atomic_fetch_add(&script.calls, 1);
		if (call < 4 && script.ret[call])
			return script.ret[call];
	}
	return fake_ops.ioctl(fd, command, arg);
}

static void use_script(int first, int second, int third)
{
	script.ret[0] = first;
	script.ret[1] = second;
	script.ret[2] = third;
	atomic_store(&script.calls, 0);
}

/* Is it registered, and do its events reach the kernel? */
static bool works(void)
{
	uint32_t writes = fake->writes;

	return !EventWrite(handle, &event, 0, NULL) && the_reg() && fake->writes == writes + 1;
}

/* The child's first call registers it, with the parent's settings if those are accepted. */
static int child_refused(void)
{
	BOOLEAN off = FALSE;

	use_script(-EPERM, 0, 0);
	if (TRAITS(handle, traits, 7) != ERROR_ACCESS_DENIED)
		return 1;
	if (!works() || the_reg()->traits_len)
		return 2;
	use_script(-ENOMEM, 0, 0);
	if (TYPES(handle, &off, 1) != ERROR_NOT_ENOUGH_MEMORY)
		return 3;
	if (!works() || the_reg()->set_calls)
		return 4;
	return TRAITS(handle, traits, 7) || !has_traits(the_reg()) || !works() ? 5 : 0;
}

static int child_refused_types(void)
{
	BOOLEAN on = TRUE;

	/* The parent's settings, and then the child's */
	use_script(0, -ENOMEM, 0);
	if (TYPES(handle, &on, 1) != ERROR_NOT_ENOUGH_MEMORY)
		return 1;
	return !works() || !has_traits(the_reg()) || the_reg()->types;
}

/* The device's descriptor is lost; the device is available and still refuses. */
static int child_lost(void)
{
	if (!works())
		return 1;
	use_script(-EBADF, -EPERM, 0);
	if (TRAITS(handle, traits, 7) != ERROR_ACCESS_DENIED)
		return 2;
	if (!works() || the_reg()->traits_len)
		return 3;
	use_script(-EBADF, -EBADF, 0);
	return TRAITS(handle, traits, 7) || !works();
}

/* Registering includes the parent's settings, or is undone. */
static int child_over(void)
{
	use_script(-ENOSPC, 0, 0);
	return EventWrite(handle, &event, 0, NULL) || atomic_load(&script.calls) != 1 || the_reg();
}

/* B86: after a refusal the provider stays registered, with its earlier settings. */
static void test_undone(void)
{
	BOOLEAN off = FALSE;

	ops = fake_ops;
	ops.ioctl = scripted_ioctl;
	etw_kdev_ops = &ops;
	begin();
	fake_control(&guid_a, ETW_CONTROL_ENABLE, 4, 0x10, 0);
	is(in_child(child_refused, false), 0, "a child is refused, and continues");
	is(in_child(child_refused, true), 0, "as does a raw clone");
	is(in_child(child_lost, false), 0, "refused on a new descriptor");
	is(TRAITS(handle, traits, 7), ERROR_SUCCESS, "traits");
	is(in_child(child_over, false), 0, "a child whose settings are refused is disabled");
	is(TYPES(handle, &off, 1), ERROR_SUCCESS, "without types");
	is(in_child(child_refused_types, false), 0, "a child keeps its parent's settings");
	fake_control(&guid_a, ETW_CONTROL_DISABLE, 0, 0, 0);
	end();
	etw_kdev_ops = &fake_ops;
}

/* ---------------------------------------------------- ended by another thread */

static const GUID guid_b = { 0xB, 0, 0, { 1 } };
static atomic_bool hold;
static atomic_int polling, held;
static ULONG refused;

/* The callback thread does not end while this blocks it. */
static int holding_poll(struct pollfd *fds, unsigned int count, int timeout_ms)
{
	int ret;

	if (count)
		atomic_fetch_add(&polling, 1);
	ret = fake_ops.poll(fds, count, timeout_ms);
	if (count) {
		atomic_fetch_add(&held, 1);
		while (atomic_load(&hold))
			usleep(1000);
	}
	return ret;
}

static void NTAPI no_callback(LPCGUID source, ULONG enabled, UCHAR level, ULONGLONG any,
			      ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	(void)source, (void)enabled, (void)level, (void)any, (void)all, (void)filter;
	(void)context;
}

static void *ends(void *arg)
{
	EventUnregister(*(REGHANDLE *)arg);
	return NULL;
}

static void *registers(void *arg)
{
	EventRegister(&guid_b, no_callback, NULL, arg);
	return NULL;
}

static void *sets(void *arg)
{
	refused = TRAITS(*(REGHANDLE *)arg, traits, 7);
	return NULL;
}

static void wait_for(const REGHANDLE *value)
{
	while (!__atomic_load_n(value, __ATOMIC_ACQUIRE))
		usleep(1000);
}

/*
 * While the callback thread ends, callers that need it wait for it without the lock. A
 * refused setting must be undone before, because the registration may end meanwhile.
 */
static void test_ended(bool cancel)
{
	REGHANDLE first, second = 0;
	pthread_t ending, registering, setting;

	ops = fake_ops;
	ops.ioctl = scripted_ioctl;
	ops.poll = holding_poll;
	etw_kdev_ops = &ops;
	begin();
	refused = 0;
	atomic_store(&polling, 0);
	atomic_store(&held, 0);
	atomic_store(&hold, true);
	is(EventRegister(&guid_b, no_callback, NULL, &first), ERROR_SUCCESS, "with a callback");
	while (!atomic_load(&polling))
		usleep(1000);
	if (pthread_create(&ending, NULL, ends, &first))
		abort();
	while (!atomic_load(&held))
		usleep(1000);
	/*
	 * The thread ends: this registration waits for that, and starts a callback thread
	 * again.
	 */
	if (pthread_create(&registering, NULL, registers, &second))
		abort();
	wait_for(&second);
	use_script(-EPERM, 0, 0);
	if (pthread_create(&setting, NULL, sets, &handle))
		abort();
	while (!atomic_load(&script.calls))
		usleep(1000);
	/* The thread holds the lock from then on, until it waits. */
	is(EventUnregister(handle), ERROR_SUCCESS, "ended while another sets its traits");
	if (cancel)
		pthread_cancel(setting);
	atomic_store(&hold, false);
	/* If the thread died with the lock, every thread would wait forever. */
	alarm(30);
	pthread_join(setting, NULL);
	pthread_join(registering, NULL);
	pthread_join(ending, NULL);
	is(refused, ERROR_ACCESS_DENIED, "which returns the kernel's error");
	is(EventUnregister(second), ERROR_SUCCESS, "the callback thread ends");
	alarm(0);
	etw_kdev_ops = &fake_ops;
}

/* ----------------------------------------------------------------------------- */

/* Without the module the call succeeds, and a module loaded later gets the settings. */
static int child_without_device(void)
{
	REGHANDLE own;

	fake->open_error = -ENOENT;
	if (EventRegister(&guid_a, NULL, NULL, &own) || TRAITS(own, traits, 7))
		return 1;
	if (TRAITS(own, traits, 7) != ERROR_ALREADY_EXISTS)
		return 2;
	fake->open_error = 0;
	return EventUnregister(own) ? 3 : 0;
}

static void test_no_device(void)
{
	is(in_child(child_without_device, false), 0, "without a device");
	fake->open_error = 0;
}

static ULONG no_control(WMIDPREQUESTCODE code, PVOID context, ULONG *size, PVOID buffer)
{
	(void)code, (void)context, (void)size, (void)buffer;
	return ERROR_SUCCESS;
}

/* The two kinds of handles are numbers of one kind. */
static void test_classic(void)
{
	TRACE_GUID_REGISTRATION class = { .Guid = &guid_a };
	TRACEHANDLE classic;

	is(RegisterTraceGuidsW(no_control, NULL, &guid_a, 1, &class, NULL, NULL, &classic),
	   ERROR_SUCCESS, "a classic provider");
	is(TRAITS(classic, traits, 7), ERROR_INVALID_PARAMETER, "has no traits");
	UnregisterTraceGuids(classic);
}

#define DISALLOW(session, guids, len)	\
	TraceSetInformation(session, TraceSetDisallowList, guids, len)
#define DISALLOWED(session, out, len)	\
	TraceQueryInformation(session, TraceDisallowListQuery, out, len, &needed)

static void test_lists(void)
{
	GUID list[64], out[65];
	ULONG needed = 0;

	memset(list, 0x5a, sizeof(list));
	is(DISALLOW(7, list, 64 * 16), ERROR_SUCCESS, "a list of 64");
	ok(fake->guid_count == 64 && fake->guid_session == 7, "reaches the kernel");
	is(DISALLOWED(8, out, sizeof(out)), ERROR_SUCCESS, "and is returned");
	ok(needed == 64 * 16 && fake->guid_session == 8 && !memcmp(out, list, needed), "whole");
	is(DISALLOWED(8, out, 63 * 16), ERROR_BAD_LENGTH, "no room");
	is(needed, 64 * 16, "how much there has to be");
	is(DISALLOWED(8, NULL, 0), ERROR_BAD_LENGTH, "asked before");
	is(DISALLOWED(0, out, 16), ERROR_INVALID_PARAMETER, "handle 0");
	is(DISALLOW(0, list, 16), ERROR_INVALID_PARAMETER, "handle 0");
	is(DISALLOW(7, list, 17), ERROR_BAD_LENGTH, "no whole GUIDs");
	is(DISALLOW(7, NULL, 16), ERROR_INVALID_PARAMETER, "no list");
	is(DISALLOW(7, NULL, 0), ERROR_SUCCESS, "an empty list");
	is(DISALLOWED(7, NULL, 0), ERROR_SUCCESS, "needs no room");
	is(needed, 0, "none");
	fake->error[0x11] = -ENOENT;
	is(DISALLOW(7, list, 16), ERROR_WMI_INSTANCE_NOT_FOUND, "no such session");
	fake->error[0x12] = -EPERM;
	is(DISALLOWED(7, out, 16), ERROR_ACCESS_DENIED, "not allowed");
}

static void test_groups(void)
{
	struct etw_guid *guids, guid;
	struct etw_group group;
	int fd = etw_kdev_open();
	uint32_t count;

	fake->guid_count = 2;
	memcpy(&fake->guids[0], &guid_a, 16);
	memcpy(&guid, &guid_a, 16);
	is(etw_provider_guids(fd, etw_kdev_group_enum, &guids, &count), 0, "two groups");
	ok(count == 2 && !memcmp(&guids[0], &guid_a, 16), "and which");
	free(guids);
	fake->guid_count = 64;
	is(etw_provider_guids(fd, etw_kdev_group_enum, &guids, &count), 0,
	   "more groups than room at first");
	ok(count == 64 && !memcmp(&guids[63], &fake->guids[63], 16), "all of them");
	free(guids);
	fake->member_count = 16;
	fake->members[15].reg.pid = 4711;
	fake->enables[1].level = 9;
	is(etw_group_query(fd, &guid, &group), 0, "more members than room at first");
	ok(group.member_count == 16 && group.members[15].reg.pid == 4711 &&
	   group.enable_count == 2 && group.enables[1].level == 9, "all of them");
	etw_group_free(&group);
	guid.data1 = 77;
	is(etw_group_query(fd, &guid, &group), -ESRCH, "no such group");
	etw_kdev_close(fd);
}

int main(void)
{
	fake_init();
	test_refused();
	test_set();
	test_fork();
	test_undone();
	test_ended(false);
	test_ended(true);
	test_no_device();
	test_classic();
	test_lists();
	test_groups();
	return done_testing();
}
