// SPDX-License-Identifier: GPL-2.0-only
/*
 * controller - sessions as a program from Windows starts and controls them
 */
#include "lib/vm.h"
#include "lib/vm_clock.h"
#include "lib/vm_lib.h"

#define NAME "controller"

FIXTURE(controller) {
	int fd;
	struct vl_props props;
	TRACEHANDLE session;
	REGHANDLE reg;
};

FIXTURE_SETUP(controller)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->props = vl_props();
	self->reg = vl_register(1);
	ASSERT_NE(0, self->reg);
}

FIXTURE_TEARDOWN(controller)
{
	EventUnregister(self->reg);
	vm_stop_all(self->fd);
	close(self->fd);
}

static ULONG start(FIXTURE_DATA(controller) *self, const char *name)
{
	return StartTraceA(&self->session, name, &self->props.p);
}

/* B109: a block that is too small for the struct, or for its name */
TEST_F(controller, length_of_the_block)
{
	EVENT_TRACE_PROPERTIES *p = &self->props.p;

	p->Wnode.BufferSize = sizeof(*p) - 1;
	EXPECT_EQ(ERROR_BAD_LENGTH, start(self, NAME));
	p->Wnode.BufferSize = sizeof(*p) + strlen(NAME);
	EXPECT_EQ(ERROR_BAD_LENGTH, start(self, NAME));
	p->Wnode.BufferSize = sizeof(EVENT_TRACE_PROPERTIES_V2) - 1;
	p->Wnode.Flags |= WNODE_FLAG_VERSIONED_PROPERTIES;
	EXPECT_EQ(ERROR_BAD_LENGTH, start(self, NAME));
	EXPECT_EQ(0, self->session);
	p->Wnode.Flags = WNODE_FLAG_TRACED_GUID;
	p->Wnode.BufferSize = sizeof(*p) + strlen(NAME) + 1;
	EXPECT_EQ(0, start(self, NAME));
}

/* B110: offsets of names that are missing, lead into the struct or out of the block */
TEST_F(controller, offsets_of_names)
{
	static const ULONG bad[] = { 0, 1, sizeof(EVENT_TRACE_PROPERTIES) - 1,
				     sizeof(struct vl_props), 0xffffffff };
	EVENT_TRACE_PROPERTIES *p = &self->props.p;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		p->LoggerNameOffset = bad[i];
		EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, NAME));
		p->LoggerNameOffset = offsetof(struct vl_props, name);
		p->LogFileNameOffset = bad[i];
		/* No file is what 0 means there. */
		if (i)
			EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, NAME));
		p->LogFileNameOffset = 0;
	}
	EXPECT_EQ(0, vm_sessions(self->fd, NULL, 0));
}

/* B111: Wnode.Flags has to say what the block is */
TEST_F(controller, flags_of_the_wnode)
{
	self->props.p.Wnode.Flags = 0;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, NAME));
	self->props.p.Wnode.Flags = WNODE_FLAG_USE_GUID_PTR;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, NAME));
}

/* B112: a name or a GUID that is taken; the case of letters does not count */
TEST_F(controller, taken)
{
	struct vl_props other = vl_props();
	TRACEHANDLE handle = 5;

	self->props.p.Wnode.Guid = vl_guid(9);
	ASSERT_EQ(0, start(self, NAME));
	EXPECT_EQ(ERROR_ALREADY_EXISTS, StartTraceA(&handle, "CONTROLLER", &other.p));
	EXPECT_EQ(0, handle);
	other.p.Wnode.Guid = vl_guid(9);
	EXPECT_EQ(ERROR_ALREADY_EXISTS, StartTraceA(&handle, "another", &other.p));
}

/* B113, B115: what the session is comes back: GUID, handle, name, sizes */
TEST_F(controller, what_comes_back)
{
	EVENT_TRACE_PROPERTIES *p = &self->props.p;
	GUID none = { 0 };

	p->BufferSize = 5;
	ASSERT_EQ(0, start(self, NAME));
	EXPECT_FALSE(vl_same_guid(&none, &p->Wnode.Guid));
	EXPECT_EQ(self->session, p->Wnode.HistoricalContext);
	EXPECT_STREQ(NAME, (char *)self->props.name);
	EXPECT_EQ(8, p->BufferSize);
	EXPECT_LE(2 * (ULONG)sysconf(_SC_NPROCESSORS_ONLN), p->MinimumBuffers);
	EXPECT_LE(p->MinimumBuffers, p->MaximumBuffers);
}

/* B114: a name of 1,024 is as long as can be */
TEST_F(controller, length_of_the_name)
{
	char name[ETW_NAME_MAX + 2];

	memset(name, 'n', sizeof(name));
	name[ETW_NAME_MAX + 1] = 0;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, name));
	name[ETW_NAME_MAX] = 0;
	EXPECT_EQ(0, start(self, name));
	EXPECT_STREQ(name, (char *)self->props.name);
}

/* B123: 20 buffers more than at the start, where nothing is said */
TEST_F(controller, buffers_to_grow_to)
{
	ASSERT_EQ(0, start(self, NAME));
	EXPECT_EQ(self->props.p.MinimumBuffers + 20, self->props.p.MaximumBuffers);
}

/* B130, B145: QUERY returns settings, counters and both names */
TEST_F(controller, query)
{
	struct {
		EVENT_TRACE_PROPERTIES p;
		char name[64], file[64];
	} q = { .p = { .Wnode.BufferSize = sizeof(q),
		       .LoggerNameOffset = (char *)q.name - (char *)&q,
		       .LogFileNameOffset = (char *)q.file - (char *)&q },
		.file = "x" };
	ULONG i, failed = 0;

	self->props.p.BufferSize = 4;
	self->props.p.MaximumBuffers = 1;
	ASSERT_EQ(0, start(self, NAME));
	ASSERT_EQ(0, vl_enable(self->session, 1, 0, 0, 0));
	for (i = 0; i < 2000; i++)
		failed += vl_write(self->reg, 1, 1, 1, i) != 0;
	EXPECT_LT(0, failed);
	ASSERT_EQ(0, QueryTraceA(self->session, NULL, &q.p));
	EXPECT_EQ(failed, q.p.EventsLost);
	EXPECT_EQ(self->props.p.MinimumBuffers, q.p.NumberOfBuffers);
	EXPECT_GT(q.p.NumberOfBuffers, q.p.FreeBuffers);
	EXPECT_EQ(0, q.p.LogBuffersLost);
	EXPECT_EQ(0, q.p.RealTimeBuffersLost);
	EXPECT_EQ(0, (uintptr_t)q.p.LoggerThreadId);
	EXPECT_STREQ(NAME, q.name);
	EXPECT_STREQ("", q.file);
	EXPECT_LE(1, q.p.BuffersWritten);
}

/* B131: too little space for the name is an error, and STOP has stopped all the same */
TEST_F(controller, room_for_the_name)
{
	ASSERT_EQ(0, start(self, NAME));
	self->props = vl_props();
	self->props.p.Wnode.BufferSize = sizeof(self->props.p) + 3;
	EXPECT_EQ(ERROR_MORE_DATA, QueryTraceA(self->session, NULL, &self->props.p));
	EXPECT_EQ(64, self->props.p.BufferSize);
	EXPECT_EQ(ERROR_MORE_DATA, StopTraceA(self->session, NULL, &self->props.p));
	EXPECT_EQ(0, vm_sessions(self->fd, NULL, 0));
}

/* B132: STOP delivers what is left and disables; a second one finds nothing */
TEST_F(controller, stop)
{
	struct vl_reader *r;

	ASSERT_EQ(0, start(self, NAME));
	ASSERT_EQ(0, vl_enable(self->session, 1, 0, 0, 0));
	r = vl_read(NAME);
	ASSERT_NE(NULL, r);
	ASSERT_EQ(0, vl_write(self->reg, 1, 1, 1, 0));
	EXPECT_EQ(0, StopTraceA(self->session, NULL, &self->props.p));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 0, 0));
	EXPECT_EQ(1, vl_end(r));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, StopTraceA(self->session, NULL, &self->props.p));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, StopTraceA(0, NAME, &self->props.p));
	free(r);
}

#define STOPPERS	8

struct stopper {
	TRACEHANDLE session;
	useconds_t later;
	pthread_barrier_t *together;
	ULONG code;
};

static void *stop_it(void *arg)
{
	struct stopper *s = arg;

	pthread_barrier_wait(s->together);
	usleep(s->later);
	s->code = vl_control(s->session, EVENT_TRACE_CONTROL_STOP);
	return NULL;
}

/*
 * B133: if several stop it at once, one succeeds, and the others do not find it.  All start
 * while another session stops, wait for that, and find the session together.
 */
TEST_F(controller, stopped_by_several)
{
	struct stopper s[STOPPERS];
	pthread_t threads[STOPPERS];
	unsigned int round, i, done;
	pthread_barrier_t together;
	TRACEHANDLE other;

	pthread_barrier_init(&together, NULL, STOPPERS);
	for (round = 0; round < 50; round++) {
		ASSERT_EQ(0, start(self, NAME));
		other = vl_start("other");
		ASSERT_NE(0, other);
		for (i = 0; i < STOPPERS; i++) {
			s[i] = (struct stopper){ i ? self->session : other, i ? 1000 : 0,
						 &together, 99 };
			ASSERT_EQ(0, vl_thread_on(&threads[i], i & 1, stop_it, &s[i]));
		}
		for (i = done = 0; i < STOPPERS; i++) {
			pthread_join(threads[i], NULL);
			done += !s[i].code;
			EXPECT_TRUE(!s[i].code || s[i].code == ERROR_WMI_INSTANCE_NOT_FOUND)
				TH_LOG("result %u", s[i].code);
		}
		EXPECT_EQ(0, s[0].code);
		EXPECT_EQ(2, done);
	}
	pthread_barrier_destroy(&together);
}

/* B134: UPDATE changes what it may, 0 leaves, all else is ignored */
TEST_F(controller, update)
{
	struct vl_props u = vl_props(), q = vl_props();
	ULONG min;

	ASSERT_EQ(0, start(self, NAME));
	min = self->props.p.MinimumBuffers;
	u.p.MaximumBuffers = min + 50;
	u.p.FlushTimer = 7;
	u.p.BufferSize = 1024;
	u.p.MinimumBuffers = 3;
	u.p.Wnode.ClientContext = 2;
	u.p.Wnode.Guid = vl_guid(3);
	ASSERT_EQ(0, UpdateTraceA(self->session, NULL, &u.p));
	ASSERT_EQ(0, QueryTraceA(self->session, NULL, &q.p));
	EXPECT_EQ(min + 50, q.p.MaximumBuffers);
	EXPECT_EQ(7, q.p.FlushTimer);
	EXPECT_EQ(64, q.p.BufferSize);
	EXPECT_EQ(min, q.p.MinimumBuffers);
	EXPECT_EQ(1, q.p.Wnode.ClientContext);
	EXPECT_TRUE(vl_same_guid(&self->props.p.Wnode.Guid, &q.p.Wnode.Guid));
	u = vl_props();
	ASSERT_EQ(0, UpdateTraceA(self->session, NULL, &u.p));
	EXPECT_EQ(min + 50, u.p.MaximumBuffers);
	EXPECT_EQ(7, u.p.FlushTimer);
}

/* B138: the name has priority over the handle */
TEST_F(controller, name_and_handle)
{
	TRACEHANDLE other = vl_start("other");

	ASSERT_NE(0, other);
	ASSERT_EQ(0, start(self, NAME));
	ASSERT_EQ(0, QueryTraceA(other, NAME, &self->props.p));
	EXPECT_EQ(self->session, self->props.p.Wnode.HistoricalContext);
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND,
		  QueryTraceA(other, "no such name", &self->props.p));
	ASSERT_EQ(0, StopTraceA(other, NAME, &self->props.p));
	EXPECT_EQ(0, vl_control(other, EVENT_TRACE_CONTROL_QUERY));
}

/* B140: a session outlives its controller; EnableFlags are for the system's */
TEST_F(controller, no_flags_and_no_owner)
{
	pid_t pid;

	self->props.p.EnableFlags = EVENT_TRACE_FLAG_PROCESS;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, NAME));
	pid = fork();
	if (!pid)
		_exit(vl_start(NAME) ? 0 : 1);
	ASSERT_EQ(0, vm_reap(pid));
	EXPECT_EQ(0, QueryTraceA(0, NAME, &self->props.p));
}

/* B142: a flush timer of 0 is a second, and nothing is less */
TEST_F(controller, flush_timer)
{
	ASSERT_EQ(0, start(self, NAME));
	EXPECT_EQ(1, self->props.p.FlushTimer);
	self->props = vl_props();
	self->props.p.LogFileMode |= EVENT_TRACE_USE_MS_FLUSH_TIMER;
	self->props.p.FlushTimer = 1;
	ASSERT_EQ(0, start(self, "short"));
	EXPECT_EQ(1, self->props.p.FlushTimer);
}

/* B144: more sessions than blocks: the available blocks are filled */
TEST_F(controller, query_all)
{
	struct vl_props props[2] = { vl_props(), vl_props() };
	EVENT_TRACE_PROPERTIES *list[2] = { &props[0].p, &props[1].p };
	ULONG count = 0;

	ASSERT_NE(0, vl_start("one"));
	ASSERT_NE(0, vl_start("two"));
	ASSERT_NE(0, vl_start("three"));
	EXPECT_EQ(ERROR_MORE_DATA, QueryAllTracesA(list, 2, &count));
	EXPECT_EQ(3, count);
	EXPECT_STREQ("one", (char *)props[0].name);
	EXPECT_STREQ("two", (char *)props[1].name);
	EXPECT_EQ(ERROR_INVALID_PARAMETER, QueryAllTracesA(list, 0, &count));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, QueryAllTracesA(NULL, 2, &count));
	list[1] = NULL;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, QueryAllTracesA(list, 2, &count));
}

/* B146: the pool grows up to its maximum when it has to, and does not shrink */
TEST_F(controller, pool_grows)
{
	ULONG i, min, grown;

	self->props.p.BufferSize = 4;
	self->props.p.MaximumBuffers = 2 * sysconf(_SC_NPROCESSORS_ONLN) + 6;
	ASSERT_EQ(0, start(self, NAME));
	min = self->props.p.NumberOfBuffers;
	ASSERT_EQ(0, vl_enable(self->session, 1, 0, 0, 0));
	for (i = 0; i < 100000 && self->props.p.NumberOfBuffers == min; i++) {
		vl_write(self->reg, 1, 1, 1, i);
		if (i % 50 == 0)
			ASSERT_EQ(0, QueryTraceA(self->session, NULL, &self->props.p));
	}
	grown = self->props.p.NumberOfBuffers;
	EXPECT_LT(min, grown);
	EXPECT_GE(self->props.p.MaximumBuffers, grown);
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_FLUSH));
	ASSERT_EQ(0, QueryTraceA(self->session, NULL, &self->props.p));
	EXPECT_LE(grown, self->props.p.NumberOfBuffers);
}

/* B170: three clocks, 0 is the first; another one is refused */
TEST_F(controller, clocks)
{
	static const ULONG got[] = { 1, 1, 2, 3 };
	char name[16];
	ULONG i;

	for (i = 0; i < 4; i++) {
		self->props = vl_props();
		self->props.p.Wnode.ClientContext = i;
		snprintf(name, sizeof(name), "clock%u", i);
		ASSERT_EQ(0, start(self, name));
		EXPECT_EQ(got[i], self->props.p.Wnode.ClientContext);
	}
	self->props.p.Wnode.ClientContext = 4;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self, "clock4"));
}

#define SLACK	1000000LL	/* 100 ms: the session's clock against the wall's */

static LONGLONG first_time;

static VOID WINAPI take_time(PEVENT_RECORD record)
{
	first_time = record->EventHeader.TimeStamp.QuadPart;
}

/* The time of one event in a session of that clock, raw or not. */
static bool time_of(REGHANDLE reg, ULONG clock, ULONG mode, EVENT_TRACE_LOGFILEA *l)
{
	struct vl_props p = vl_props();
	TRACEHANDLE session, trace;

	*l = (EVENT_TRACE_LOGFILEA){
		.LoggerName = (char *)NAME, .EventRecordCallback = take_time,
		.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME | PROCESS_TRACE_MODE_EVENT_RECORD |
				    mode };
	p.p.Wnode.ClientContext = clock;
	if (StartTraceA(&session, NAME, &p.p) || vl_enable(session, 1, 0, 0, 0))
		return false;
	trace = OpenTraceA(l);
	first_time = 0;
	if (vl_write(reg, 1, 1, 1, 0) || vl_control(session, EVENT_TRACE_CONTROL_STOP))
		return false;
	return !ProcessTrace(&trace, 1, NULL, NULL) && !CloseTrace(trace);
}

/*
 * B171, B172: a consumer gets FILETIMEs, or ticks if it asks for them; the header names the
 * clock, and the ticks per second
 */
TEST_F(controller, times_of_each_clock)
{
	EVENT_TRACE_LOGFILEA l;
	ULONG clock;

	for (clock = 1; clock <= 3; clock++) {
		LONGLONG before = vm_filetime(), slack;

		ASSERT_TRUE(time_of(self->reg, clock, 0, &l));
		/* The clocks are compared, not the same; an emulated TSC is off its rate. */
		slack = SLACK + (vm_filetime() - before) / 10;
		EXPECT_LE(before - slack, first_time);
		EXPECT_GE(vm_filetime() + slack, first_time);
		EXPECT_EQ(clock, l.LogfileHeader.ReservedFlags);
		EXPECT_LT(0, l.LogfileHeader.PerfFreq.QuadPart);
		EXPECT_EQ(clock == 2 || (clock == 3 && !vm_tsc_trusted()),
			  l.LogfileHeader.PerfFreq.QuadPart == VM_WALL_FREQ);
		ASSERT_TRUE(time_of(self->reg, clock, PROCESS_TRACE_MODE_RAW_TIMESTAMP, &l));
		EXPECT_LT(0, first_time);
		if (clock == 1)
			EXPECT_GT(before, first_time);
		if (clock == 2)
			EXPECT_LE(before - slack, first_time);
	}
}

TEST_HARNESS_MAIN
