// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_rules - the rules of writing, for a program's provider through libetw
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

FIXTURE(write) {
	struct vl_fixture f;
};

FIXTURE_SETUP(write)
{
	ASSERT_TRUE(vl_set_up(&self->f, "rules", 0));
	ASSERT_EQ(0, vl_enable(self->f.session, 1, 0, 0, 0));
}

FIXTURE_TEARDOWN(write)
{
	EXPECT_TRUE(vl_tear_down(&self->f));
}

/* B90, B91: 128 pieces, every other one empty, are their bytes one after the other. */
TEST_F(write, pieces)
{
	EVENT_DATA_DESCRIPTOR data[MAX_EVENT_DATA_DESCRIPTORS + 1];
	EVENT_DESCRIPTOR desc = vl_event(1, 1, 1);
	unsigned char bytes[64];
	unsigned int i;

	for (i = 0; i < 64; i++)
		bytes[i] = 3 * i + 1;
	for (i = 0; i < MAX_EVENT_DATA_DESCRIPTORS + 1; i++)
		EventDataDescCreate(&data[i], &bytes[i / 2 % 64], i & 1);
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EventWrite(self->f.reg, &desc, MAX_EVENT_DATA_DESCRIPTORS + 1, data));
	ASSERT_EQ(0, EventWrite(self->f.reg, &desc, MAX_EVENT_DATA_DESCRIPTORS, data));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 1));
	EXPECT_EQ(64, self->f.r->events[0].data_len);
	EXPECT_EQ(0, memcmp(bytes, self->f.r->events[0].data, 64));
	EXPECT_EQ(sizeof(EVENT_HEADER) + 64, self->f.r->events[0].header.Size);
}

static ULONG lost(TRACEHANDLE session)
{
	struct vl_props q = vl_props();

	return QueryTraceA(session, NULL, &q.p) ? ~0u : q.p.EventsLost;
}

/* B93, B95: the writer gets the error unless the session is independent. */
TEST_F(write, larger_than_one_sessions_buffer)
{
	struct vl_props props = vl_props();
	EVENT_DATA_DESCRIPTOR data;
	EVENT_DESCRIPTOR desc = vl_event(7, 1, 1);
	static char bytes[5000];
	TRACEHANDLE small;
	int i;

	EventDataDescCreate(&data, bytes, sizeof(bytes));
	for (i = 0; i < 2; i++) {
		props = vl_props();
		props.p.BufferSize = 4;
		if (i)
			props.p.LogFileMode |= EVENT_TRACE_INDEPENDENT_SESSION_MODE;
		ASSERT_EQ(0, StartTraceA(&small, "rules-small", &props.p));
		ASSERT_EQ(0, vl_enable(small, 1, 0, 0, 0));
		EXPECT_EQ(i ? 0 : ERROR_MORE_DATA, EventWrite(self->f.reg, &desc, 1, &data));
		EXPECT_EQ(1, lost(small));
		EXPECT_EQ(0, lost(self->f.session));
		ASSERT_TRUE(vl_got(self->f.r, self->f.session, i + 1));
		EXPECT_EQ(7, self->f.r->events[i].header.EventDescriptor.Id);
		EXPECT_EQ(5000, self->f.r->events[i].data_len);
		ASSERT_EQ(0, vl_control(small, EVENT_TRACE_CONTROL_STOP));
	}
}

/* B94, B145: no reader, so the buffers fill up; each loss is returned and counted. */
TEST_F(write, no_free_buffer)
{
	struct vl_props props = vl_props();
	ULONG ret, i, failed = 0;
	TRACEHANDLE full;

	ASSERT_EQ(0, vl_disable(self->f.session, 1));
	props.p.BufferSize = 4;
	props.p.MinimumBuffers = props.p.MaximumBuffers = 4;
	props.p.FlushTimer = 600;
	ASSERT_EQ(0, StartTraceA(&full, "rules-full", &props.p));
	ASSERT_EQ(0, vl_enable(full, 1, 0, 0, 0));
	for (i = 0; i < 1000; i++) {
		ret = vl_write(self->f.reg, 1, 1, 1, i);
		EXPECT_TRUE(ret == (failed ? ERROR_NOT_ENOUGH_MEMORY : 0) ||
			    (!failed && ret == ERROR_NOT_ENOUGH_MEMORY));
		failed += ret != 0;
	}
	EXPECT_LT(100, failed);
	EXPECT_LT(100, 1000 - failed);
	props = vl_props();
	ASSERT_EQ(0, QueryTraceA(full, NULL, &props.p));
	EXPECT_EQ(failed, props.p.EventsLost);
	EXPECT_EQ(0, props.p.LogBuffersLost);
	EXPECT_EQ(0, props.p.RealTimeBuffersLost);
	ASSERT_EQ(0, vl_control(full, EVENT_TRACE_CONTROL_STOP));
}

/* B99: its descriptor has nothing else, and the NUL is part of the payload. */
TEST_F(write, string)
{
	const EVENT_DESCRIPTOR want = { .Level = 5, .Keyword = 0x8000000000000001ULL };
	struct vl_event *e = self->f.r->events;

	ASSERT_EQ(0, EventWriteString(self->f.reg, 5, want.Keyword, u"text"));
	ASSERT_EQ(0, EventWriteString(self->f.reg, 5, want.Keyword, u""));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 2));
	EXPECT_EQ(0, memcmp(&want, &e[0].header.EventDescriptor, sizeof(want)));
	EXPECT_EQ(0, memcmp(&want, &e[1].header.EventDescriptor, sizeof(want)));
	EXPECT_TRUE(e[0].header.Flags & EVENT_HEADER_FLAG_STRING_ONLY);
	EXPECT_TRUE(e[1].header.Flags & EVENT_HEADER_FLAG_STRING_ONLY);
	EXPECT_EQ(10, e[0].data_len);
	EXPECT_EQ(0, memcmp(u"text", e[0].data, 10));
	EXPECT_EQ(2, e[1].data_len);
}

static void write_all(REGHANDLE reg, ULONG want, unsigned int *wrong)
{
	EVENT_DESCRIPTOR desc = vl_event(1, 1, 1);
	GUID id = vl_guid(200);

	*wrong += EventWrite(reg, &desc, 0, NULL) != want;
	*wrong += EventWriteTransfer(reg, &desc, &id, &id, 0, NULL) != want;
	*wrong += EventWriteEx(reg, &desc, 0, 0, NULL, NULL, 0, NULL) != want;
	*wrong += EventWriteString(reg, 1, 1, u"x") != (reg ? want : ERROR_INVALID_HANDLE);
	*wrong += EventEnabled(reg, &desc) != (reg && !want);
	*wrong += EventProviderEnabled(reg, 0, 0) != (reg && !want);
}

/* B13, B101: every way to write, on a live handle, on one that was closed, and on none */
TEST_F(write, handles)
{
	REGHANDLE reg = vl_register(1);
	unsigned int wrong = 0;

	ASSERT_NE(0, reg);
	write_all(reg, ERROR_SUCCESS, &wrong);
	EXPECT_EQ(0, wrong);
	ASSERT_EQ(0, EventUnregister(reg));
	write_all(reg, ERROR_INVALID_HANDLE, &wrong);
	EXPECT_EQ(0, wrong);
	write_all(0, ERROR_SUCCESS, &wrong);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(ERROR_INVALID_HANDLE, EventUnregister(0));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 4));
	EXPECT_EQ(4, atomic_load(&self->f.r->count));
}

/* ----------------------------------------------------------- activity ids */

static void *write_there(void *arg)
{
	FIXTURE_DATA(write) *self = arg;
	GUID id = vl_guid(201);
	uintptr_t failed;

	failed = vl_write(self->f.reg, 2, 1, 1, 0);
	EventActivityIdControl(EVENT_ACTIVITY_CTRL_SET_ID, &id);
	failed |= vl_write(self->f.reg, 3, 1, 1, 0);
	return (void *)failed;
}

/* B97, B107: a thread starts without an id, and sets only its own. */
TEST_F(write, activity_of_each_thread)
{
	GUID none = { 0 }, mine = vl_guid(200), its = vl_guid(201), id;
	struct vl_event *e = self->f.r->events;
	pthread_t thread;
	void *failed;

	ASSERT_EQ(0, vl_write(self->f.reg, 0, 1, 1, 0));
	ASSERT_EQ(0, EventActivityIdControl(EVENT_ACTIVITY_CTRL_SET_ID, &mine));
	ASSERT_EQ(0, vl_write(self->f.reg, 1, 1, 1, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, write_there, self));
	ASSERT_EQ(0, pthread_join(thread, &failed));
	EXPECT_EQ(NULL, failed);
	ASSERT_EQ(0, vl_write(self->f.reg, 4, 1, 1, 0));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 5));
	EXPECT_TRUE(vl_same_guid(&none, &e[0].header.ActivityId));
	EXPECT_TRUE(vl_same_guid(&mine, &e[1].header.ActivityId));
	EXPECT_TRUE(vl_same_guid(&none, &e[2].header.ActivityId));
	EXPECT_TRUE(vl_same_guid(&its, &e[3].header.ActivityId));
	EXPECT_TRUE(vl_same_guid(&mine, &e[4].header.ActivityId));
	ASSERT_EQ(0, EventActivityIdControl(EVENT_ACTIVITY_CTRL_GET_ID, &id));
	EXPECT_TRUE(vl_same_guid(&mine, &id));
}

/* B105, B108: what each code reads, sets and leaves alone */
TEST_F(write, activity_codes)
{
	GUID one = vl_guid(200), two = vl_guid(201), id = two, made, now;
	static const ULONG bad[] = { 0, 6, 7, 0x80000001, 0xFFFFFFFF };
	unsigned int i;

#define CONTROL(code, guid) EventActivityIdControl(EVENT_ACTIVITY_CTRL_##code, guid)
	ASSERT_EQ(0, CONTROL(SET_ID, &one));
	ASSERT_EQ(0, CONTROL(GET_SET_ID, &id));
	EXPECT_TRUE(vl_same_guid(&one, &id));
	ASSERT_EQ(0, CONTROL(CREATE_ID, &made));
	EXPECT_FALSE(vl_same_guid(&two, &made));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		id = one;
		EXPECT_EQ(ERROR_INVALID_PARAMETER, EventActivityIdControl(bad[i], &id));
		EXPECT_TRUE(vl_same_guid(&one, &id));
	}
	for (i = 1; i <= 5; i++)
		EXPECT_EQ(ERROR_INVALID_PARAMETER, EventActivityIdControl(i, NULL));
	ASSERT_EQ(0, CONTROL(GET_ID, &now));
	EXPECT_TRUE(vl_same_guid(&two, &now));
	id = one;
	ASSERT_EQ(0, CONTROL(CREATE_SET_ID, &id));
	EXPECT_TRUE(vl_same_guid(&two, &id));
	ASSERT_EQ(0, CONTROL(GET_ID, &now));
	EXPECT_FALSE(vl_same_guid(&one, &now));
	EXPECT_FALSE(vl_same_guid(&two, &now));
	EXPECT_FALSE(vl_same_guid(&made, &now));
#undef CONTROL
}

#define EACH	500
#define MAKERS	5	/* three threads, a child, and the kernel */

static GUID *ids;	/* shared with the child */

static void *make_ids(void *arg)
{
	GUID *to = arg;
	int i;

	for (i = 0; i < EACH; i++)
		if (EventActivityIdControl(EVENT_ACTIVITY_CTRL_CREATE_ID, &to[i]))
			return to;
	return NULL;
}

static bool make_kernel_ids(struct etw_guid *to)
{
	struct etw_test_activity a;
	int i, kfd, failed = 0;

	vm_rmmod_try("etw_test");
	if (vm_insmod("etw_test"))
		return false;
	kfd = vm_kmod_open("etw_test");
	for (i = 0; i < EACH; i++) {
		a = (struct etw_test_activity){ .control = 3 };
		failed += vm_ioctl(kfd, ETW_TEST_ACTIVITY, &a) || a.result;
		to[i] = a.id;
	}
	close(kfd);
	return !vm_rmmod("etw_test") && !failed;
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(GUID));
}

/* B106: from any thread or the kernel, with variant bits that GUIDs never have */
TEST_F(write, activity_ids_are_unique)
{
	pthread_t thread[3];
	int i, again = 0, real = 0, status;
	void *failed;
	pid_t pid;

	ids = mmap(NULL, MAKERS * EACH * sizeof(GUID), PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, ids);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, make_ids, &ids[i * EACH]));
	for (i = 0; i < 3; i++) {
		pthread_join(thread[i], &failed);
		EXPECT_EQ(NULL, failed);
	}
	pid = fork();
	if (!pid)
		_exit(make_ids(&ids[3 * EACH]) != NULL);
	status = vm_reap(pid);
	EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	EXPECT_TRUE(make_kernel_ids((struct etw_guid *)&ids[4 * EACH]));
	for (i = 0; i < MAKERS * EACH; i++)
		real += (ids[i].Data4[0] & 0xe0) != 0xe0;
	EXPECT_EQ(0, real);
	qsort(ids, MAKERS * EACH, sizeof(GUID), by_bytes);
	for (i = 1; i < MAKERS * EACH; i++)
		again += vl_same_guid(&ids[i - 1], &ids[i]);
	EXPECT_EQ(0, again);
}

TEST_HARNESS_MAIN
