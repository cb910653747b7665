// SPDX-License-Identifier: GPL-2.0-only
/*
 * session_rules - the rules of starting, querying and stopping, through libetw
 */
#include "lib/vm.h"
#include "lib/vm_clock.h"
#include "lib/vm_lib.h"

#define SLACK	1000000LL	/* 100 ms: the session's clock against the wall's */

FIXTURE(rules) {
	int fd;
	REGHANDLE reg;
	TRACEHANDLE session;
	struct vl_props props;
};

FIXTURE_SETUP(rules)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->reg = vl_register(1);
	ASSERT_NE(0, self->reg);
	self->props = vl_props();
}

FIXTURE_TEARDOWN(rules)
{
	EXPECT_EQ(0, EventUnregister(self->reg));
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Start a session as self->props has it, with provider 1. */
static ULONG start(FIXTURE_DATA(rules) *self)
{
	ULONG ret = StartTraceA(&self->session, "rules", &self->props.p);

	return ret ? ret : vl_enable(self->session, 1, 0, 0, 0);
}

/* ------------------------------------------------------ starting, querying */

/* B109 to B111: a refused call gives no handle and starts no session. */
TEST_F(rules, properties_refused)
{
	static const struct {
		ULONG size, name, file, flags, code;
	} bad[] = {
		{ 0, 120, 0, WNODE_FLAG_TRACED_GUID, ERROR_BAD_LENGTH },
		{ 119, 120, 0, WNODE_FLAG_TRACED_GUID, ERROR_BAD_LENGTH },
		{ 125, 120, 0, WNODE_FLAG_TRACED_GUID, ERROR_BAD_LENGTH },
		{ 1000, 120, 124, WNODE_FLAG_TRACED_GUID, ERROR_BAD_LENGTH },
		{ 1000, 0, 0, WNODE_FLAG_TRACED_GUID, ERROR_INVALID_PARAMETER },
		{ 1000, 119, 0, WNODE_FLAG_TRACED_GUID, ERROR_INVALID_PARAMETER },
		{ 1000, 1000, 0, WNODE_FLAG_TRACED_GUID, ERROR_INVALID_PARAMETER },
		{ 1000, 120, 119, WNODE_FLAG_TRACED_GUID, ERROR_INVALID_PARAMETER },
		{ 1000, 120, 1000, WNODE_FLAG_TRACED_GUID, ERROR_INVALID_PARAMETER },
		{ 1000, 120, 0, 0, ERROR_INVALID_PARAMETER },
	};
	uint64_t handles[4];
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		TRACEHANDLE handle = 77;

		self->props = vl_props();
		self->props.p.Wnode.BufferSize = bad[i].size;
		self->props.p.LoggerNameOffset = bad[i].name;
		self->props.p.LogFileNameOffset = bad[i].file;
		self->props.p.Wnode.Flags = bad[i].flags;
		EXPECT_EQ(bad[i].code, StartTraceA(&handle, "rules", &self->props.p))
			TH_LOG("line %u", i);
		EXPECT_EQ(0, handle);
	}
	EXPECT_EQ(0, vm_sessions(self->fd, handles, 4));
	/* With room for the name and its NUL, to the byte, it starts. */
	self->props = vl_props();
	self->props.p.Wnode.BufferSize = 126;
	self->props.p.LoggerNameOffset = 120;
	EXPECT_EQ(0, StartTraceA(&self->session, "rules", &self->props.p));
	EXPECT_STREQ("rules", (char *)self->props.name);
}

/* B112, B113: GUIDs are made unlike, kept if given, and are one session's alone. */
TEST_F(rules, session_guids)
{
	GUID none = { 0 }, given = vl_guid(77), first;
	TRACEHANDLE handle;

	ASSERT_EQ(0, StartTraceA(&handle, "one", &self->props.p));
	first = self->props.p.Wnode.Guid;
	EXPECT_FALSE(vl_same_guid(&none, &first));
	self->props = vl_props();
	ASSERT_EQ(0, StartTraceA(&handle, "two", &self->props.p));
	EXPECT_FALSE(vl_same_guid(&none, &self->props.p.Wnode.Guid));
	EXPECT_FALSE(vl_same_guid(&first, &self->props.p.Wnode.Guid));
	self->props = vl_props();
	self->props.p.Wnode.Guid = given;
	ASSERT_EQ(0, StartTraceA(&handle, "three", &self->props.p));
	EXPECT_TRUE(vl_same_guid(&given, &self->props.p.Wnode.Guid));
	self->props = vl_props();
	self->props.p.Wnode.Guid = given;
	EXPECT_EQ(ERROR_ALREADY_EXISTS, StartTraceA(&handle, "four", &self->props.p));
	EXPECT_EQ(0, handle);
	self->props = vl_props();
	EXPECT_EQ(ERROR_ALREADY_EXISTS, StartTraceA(&handle, "THREE", &self->props.p));
	EXPECT_EQ(ERROR_ALREADY_EXISTS, StartTraceW(&handle, u"tHREE", &self->props.p));
}

/* B115: the sizes in use, which a query returns as well */
TEST_F(rules, start_returns_the_sizes_in_use)
{
	EVENT_TRACE_PROPERTIES *p = &self->props.p;
	struct vl_props q = vl_props();
	TRACEHANDLE handle = 0;

	p->BufferSize = 5;
	p->MinimumBuffers = p->MaximumBuffers = 1;
	ASSERT_EQ(0, StartTraceW(&handle, u"Rules", p));
	EXPECT_NE(0, handle);
	EXPECT_EQ(handle, p->Wnode.HistoricalContext);
	EXPECT_EQ(8, p->BufferSize);
	EXPECT_LE(4, p->MinimumBuffers);
	EXPECT_EQ(p->MinimumBuffers, p->MaximumBuffers);
	EXPECT_EQ(p->MinimumBuffers, p->NumberOfBuffers);
	EXPECT_EQ(0, memcmp(u"Rules", self->props.name, 12));
	ASSERT_EQ(0, QueryTraceW(0, u"rULES", &q.p));
	EXPECT_EQ(handle, q.p.Wnode.HistoricalContext);
	EXPECT_EQ(p->BufferSize, q.p.BufferSize);
	EXPECT_EQ(p->MinimumBuffers, q.p.MinimumBuffers);
	EXPECT_EQ(p->MaximumBuffers, q.p.MaximumBuffers);
	EXPECT_EQ(p->FlushTimer, q.p.FlushTimer);
	EXPECT_TRUE(vl_same_guid(&p->Wnode.Guid, &q.p.Wnode.Guid));
	EXPECT_EQ(0, memcmp(u"Rules", q.name, 12));
}

/* B142: no time given is a second */
TEST_F(rules, flush_timer)
{
	EXPECT_EQ(0, self->props.p.FlushTimer);
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(1, self->props.p.FlushTimer);
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	self->props = vl_props();
	self->props.p.LogFileMode |= EVENT_TRACE_USE_MS_FLUSH_TIMER;
	self->props.p.FlushTimer = 10;
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(10, self->props.p.FlushTimer);
}

/* B130: the current counters and names */
TEST_F(rules, query_fills_in)
{
	struct vl_props q = vl_props();
	EVENT_TRACE_PROPERTIES *p = &q.p;
	ULONG i, failed = 0, buffers;
	WCHAR *file;

	self->props.p.BufferSize = 4;
	self->props.p.MinimumBuffers = self->props.p.MaximumBuffers = 6;
	self->props.p.FlushTimer = 600;
	ASSERT_EQ(0, start(self));
	buffers = self->props.p.NumberOfBuffers;
	p->LogFileNameOffset = sizeof(q) - 8;
	file = (WCHAR *)((char *)p + p->LogFileNameOffset);
	*file = 'x';
	ASSERT_EQ(0, QueryTraceW(self->session, NULL, p));
	EXPECT_EQ(0, memcmp(u"rules", q.name, 12));
	EXPECT_EQ(0, *file);
	EXPECT_EQ(buffers, p->NumberOfBuffers);
	EXPECT_EQ(buffers, p->FreeBuffers);
	EXPECT_EQ(0, p->EventsLost | p->BuffersWritten | p->LogBuffersLost |
		     p->RealTimeBuffersLost);
	ASSERT_EQ(0, vl_write(self->reg, 1, 1, 1, 1));
	ASSERT_EQ(0, QueryTraceW(self->session, NULL, p));
	EXPECT_EQ(buffers - 1, p->FreeBuffers);
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_FLUSH));
	ASSERT_EQ(0, QueryTraceW(self->session, NULL, p));
	EXPECT_EQ(1, p->BuffersWritten);
	EXPECT_EQ(0, (uintptr_t)p->LoggerThreadId);	/* no thread does only that */
	for (i = 0; i < 2000; i++)
		failed += vl_write(self->reg, 1, 1, 1, i) != 0;
	ASSERT_EQ(0, QueryTraceW(self->session, NULL, p));
	EXPECT_LT(0, failed);
	EXPECT_EQ(failed, p->EventsLost);
	EXPECT_EQ(0, p->FreeBuffers);
}

/* B131, B132: without room for its name a session is stopped all the same. */
TEST_F(rules, no_room_for_the_name)
{
	struct vl_props q = vl_props();

	ASSERT_EQ(0, start(self));
	q.p.Wnode.BufferSize = sizeof(q.p) + 5;
	EXPECT_EQ(ERROR_MORE_DATA, QueryTraceA(self->session, NULL, &q.p));
	EXPECT_EQ(self->session, q.p.Wnode.HistoricalContext);
	EXPECT_TRUE(EventProviderEnabled(self->reg, 0, 0));
	EXPECT_EQ(ERROR_MORE_DATA, StopTraceA(self->session, NULL, &q.p));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 0, 0));
	q = vl_props();
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, StopTraceA(self->session, NULL, &q.p));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, QueryTraceA(0, "rules", &q.p));
}

/* Write some events, and query; how many were written by now. */
static ULONG write_some(FIXTURE_DATA(rules) *self, struct vl_props *q)
{
	static ULONG tried;
	int i;

	for (i = 0; i < 100; i++)
		vl_write(self->reg, 1, 1, 1, tried++);
	*q = vl_props();
	return QueryTraceA(self->session, NULL, &q->p) ? 0 : tried;
}

/* A thread that repeats one control code until the session is not found. */
struct caller {
	pthread_t thread;
	const atomic_bool *stopping;	/* it may stop by now */
	TRACEHANDLE session;
	ULONG code;
	atomic_uint good;
	ULONG wrong;			/* an unexpected result, 0: none */
};

static void *call_it(void *arg)
{
	ULONG ret, last = 0;
	struct caller *c = arg;

	do {
		ret = vl_control(c->session, c->code);
		if (!ret && !last)
			atomic_fetch_add(&c->good, 1);
		else if (ret == ERROR_ACTIVE_CONNECTIONS && !last && atomic_load(c->stopping) &&
			 c->code != EVENT_TRACE_CONTROL_QUERY)
			last = ret;	/* It had found the session before that stopped. */
		else if (ret != ERROR_WMI_INSTANCE_NOT_FOUND || !atomic_load(c->stopping))
			c->wrong = ret ? ret : ~0U;
	} while (ret != ERROR_WMI_INSTANCE_NOT_FOUND && !c->wrong);
	return NULL;
}

static void *stop_it(void *arg)
{
	struct caller *c = arg;

	c->wrong = vl_control(c->session, EVENT_TRACE_CONTROL_STOP);
	return NULL;
}

static const ULONG codes[] = { EVENT_TRACE_CONTROL_QUERY, EVENT_TRACE_CONTROL_UPDATE,
			       EVENT_TRACE_CONTROL_FLUSH, EVENT_TRACE_CONTROL_STOP };

/*
 * B132, B133: it is stopped once; later calls do not find it, and an UPDATE or FLUSH that had
 * found it may fail once because it stops.
 */
TEST_F(rules, used_while_it_stops)
{
	struct caller c[5];
	atomic_bool stopping;
	unsigned int i, round;

	for (round = 0; round < 20; round++) {
		self->props = vl_props();
		ASSERT_EQ(0, start(self));
		atomic_init(&stopping, false);
		for (i = 0; i < 5; i++)
			c[i] = (struct caller){ .stopping = &stopping, .session = self->session,
						.code = codes[i < 3 ? i : 3] };
		for (i = 0; i < 3; i++)
			ASSERT_EQ(0, vl_thread_on(&c[i].thread, i & 1, call_it, &c[i]));
		for (i = 0; i < 3; i++)
			EXPECT_TRUE(vm_until(atomic_load(&c[i].good) || c[i].wrong));
		atomic_store(&stopping, true);
		for (; i < 5; i++)
			ASSERT_EQ(0, vl_thread_on(&c[i].thread, i & 1, stop_it, &c[i]));
		for (i = 0; i < 5; i++)
			pthread_join(c[i].thread, NULL);
		EXPECT_EQ(0, c[0].wrong | c[1].wrong | c[2].wrong)
			TH_LOG("results %u %u %u", c[0].wrong, c[1].wrong, c[2].wrong);
		EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, c[3].wrong | c[4].wrong);
		EXPECT_EQ(0, c[3].wrong & c[4].wrong);
	}
}

/* B133: a reader that is left keeps neither its name nor its handle in use. */
TEST_F(rules, stopped_and_still_read)
{
	struct vl_reader *r;
	TRACEHANDLE old;
	unsigned int i;

	ASSERT_EQ(0, start(self));
	old = self->session;
	r = vl_read("rules");
	ASSERT_NE(NULL, r);
	ASSERT_EQ(0, vl_write(self->reg, 1, 1, 1, 1));
	ASSERT_EQ(0, vl_control(old, EVENT_TRACE_CONTROL_STOP));
	for (i = 0; i < 4; i++) {
		struct vl_props p = vl_props();

		EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, vl_control(old, codes[i]));
		EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND,
			  ControlTraceA(0, "rules", &p.p, codes[i]));
	}
	self->props = vl_props();
	ASSERT_EQ(0, start(self));
	EXPECT_NE(old, self->session);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, vl_control(old, codes[i]));
	EXPECT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(1, vl_end(r));
	free(r);
}

/* B145: a consumer that does not read loses buffers; these do not count as lost events. */
TEST_F(rules, real_time_buffers_lost)
{
	EVENT_TRACE_LOGFILEA logfile = {
		.LoggerName = (char *)"rules",
		.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME |
				    PROCESS_TRACE_MODE_EVENT_RECORD,
		.EventRecordCallback = vl_keep,
	};
	struct vl_props q = vl_props();
	struct etw_session_stat st;
	TRACEHANDLE consumer;
	ULONG tried;

	self->props.p.BufferSize = 4;
	self->props.p.MinimumBuffers = self->props.p.MaximumBuffers = 8;
	ASSERT_EQ(0, start(self));
	consumer = OpenTraceA(&logfile);
	ASSERT_NE(INVALID_PROCESSTRACE_HANDLE, consumer);
	ASSERT_TRUE(vm_until((tried = write_some(self, &q)) == 0 ||
			     q.p.RealTimeBuffersLost >= 5));
	EXPECT_LE(5, q.p.RealTimeBuffersLost);
	EXPECT_EQ(0, q.p.LogBuffersLost);
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(q.p.EventsLost, vm_dropped(&st));
	EXPECT_EQ(tried, st.written + vm_dropped(&st));
	EXPECT_EQ(0, CloseTrace(consumer));
}

/* B146: the pool keeps its size when all of its buffers are free again. */
TEST_F(rules, pool_does_not_shrink)
{
	struct vl_props q = vl_props();
	struct vl_reader *r;

	self->props.p.BufferSize = 4;
	self->props.p.MaximumBuffers = 40;
	ASSERT_EQ(0, start(self));
	EXPECT_LT(self->props.p.NumberOfBuffers, 40);
	ASSERT_TRUE(vm_until(!write_some(self, &q) || q.p.NumberOfBuffers == 40));
	EXPECT_EQ(40, q.p.NumberOfBuffers);
	r = vl_read("rules");
	ASSERT_NE(NULL, r);
	/* All of it is delivered, and the flush timer runs out with nothing to do. */
	ASSERT_TRUE(vm_until(!vl_control(self->session, EVENT_TRACE_CONTROL_FLUSH) &&
			     !QueryTraceA(self->session, NULL, &q.p) && q.p.FreeBuffers > 30));
	ASSERT_TRUE(vm_flush_timer(self->fd, 2));
	ASSERT_EQ(0, QueryTraceA(self->session, NULL, &q.p));
	/* Buffers that a consumer holds may be added. */
	EXPECT_LE(40, q.p.NumberOfBuffers);
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	EXPECT_LT(0, vl_end(r));
}

/* ---------------------------------------------------------------- clocks */

#define EVENTS	8

static LONGLONG raw[EVENTS];
static atomic_uint raw_count;

static void keep_raw(PEVENT_RECORD record)
{
	unsigned int n = atomic_load(&raw_count);

	if (vl_is_header(record))
		return;
	if (n < EVENTS)
		raw[n] = record->EventHeader.TimeStamp.QuadPart;
	atomic_store(&raw_count, n + 1);
}

/* As Microsoft's page on WNODE_HEADER has it: 100 ns for each tick */
static double scale(const TRACE_LOGFILE_HEADER *head)
{
	if (head->ReservedFlags == 1)
		return 1e7 / head->PerfFreq.QuadPart;
	return head->ReservedFlags == 2 ? 1 : 10.0 / head->CpuSpeedInMHz;
}

/* Write the events, and note the time before each and after the last. */
static ULONG write_timed(FIXTURE_DATA(rules) *self, LONGLONG now[EVENTS + 1])
{
	ULONG i, failed = 0;

	for (i = 0; i < EVENTS; i++) {
		now[i] = vm_filetime();
		failed += vl_write(self->reg, i, 1, 1, i) != 0;
		/* Time is what this is about. */
		usleep(20000);
	}
	now[EVENTS] = vm_filetime();
	return failed;
}

static void clock_test(struct __test_metadata *_metadata, FIXTURE_DATA(rules) *self,
		       ULONG asked, ULONG used)
{
	EVENT_TRACE_LOGFILEA logfile = {
		.LoggerName = (char *)"rules",
		.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME | PROCESS_TRACE_MODE_EVENT_RECORD |
				    PROCESS_TRACE_MODE_RAW_TIMESTAMP,
		.EventRecordCallback = keep_raw,
	};
	LONGLONG now[EVENTS + 1], time, first, slack, formula;
	bool wall = asked == 2 || (asked == 3 && !vm_tsc_trusted());
	TRACEHANDLE consumer;
	struct vl_reader *r;
	int i;

	self->props.p.Wnode.ClientContext = asked;
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(used, self->props.p.Wnode.ClientContext);
	r = vl_read("rules");
	consumer = OpenTraceA(&logfile);
	ASSERT_TRUE(r && consumer != INVALID_PROCESSTRACE_HANDLE);
	EXPECT_EQ(used, logfile.LogfileHeader.ReservedFlags);
	EXPECT_EQ(wall, logfile.LogfileHeader.PerfFreq.QuadPart == VM_WALL_FREQ);
	ASSERT_EQ(0, write_timed(self, now));
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	ASSERT_EQ(0, ProcessTrace(&consumer, 1, NULL, NULL));
	ASSERT_EQ(EVENTS, atomic_load(&raw_count));
	ASSERT_EQ(EVENTS, vl_end(r));
	first = r->events[0].header.TimeStamp.QuadPart;
	/* An emulated TSC may be off its nominal rate by some parts in 100. */
	slack = SLACK + (now[EVENTS] - now[0]) / 10;
	for (i = 0; i < EVENTS; i++) {
		time = r->events[i].header.TimeStamp.QuadPart;
		EXPECT_LE(now[i] - slack, time);
		EXPECT_GE(now[i + 1] + slack, time);
		EXPECT_LE(i ? raw[i - 1] : 0, raw[i]);
		/* The raw one, converted by the page's formula */
		formula = (raw[i] - raw[0]) * scale(&logfile.LogfileHeader);
		EXPECT_LE(time - slack, first + formula);
		EXPECT_GE(time + slack, first + formula);
		if (wall)
			EXPECT_TRUE(raw[i] >= now[i] - slack && raw[i] <= now[i + 1] + slack);
	}
	CloseTrace(consumer);
}

/* B170, B171: none asked for is the performance counter. */
TEST_F(rules, clock_by_default)
{
	clock_test(_metadata, self, 0, 1);
}

/* B170, B171 */
TEST_F(rules, clock_qpc)
{
	clock_test(_metadata, self, 1, 1);
}

/* B170, B171: raw times of the system's clock are FILETIMEs. */
TEST_F(rules, clock_system)
{
	clock_test(_metadata, self, 2, 2);
}

/* B170 to B172: where cycles cannot be trusted they are the system's clock. */
TEST_F(rules, clock_cycles)
{
	clock_test(_metadata, self, 3, 3);
}

/* B170 */
TEST_F(rules, clock_unknown)
{
	static const ULONG bad[] = { 4, 5, 255, 0x80000001, 0xFFFFFFFF };
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		self->props = vl_props();
		self->props.p.Wnode.ClientContext = bad[i];
		EXPECT_EQ(ERROR_INVALID_PARAMETER, start(self));
		EXPECT_EQ(0, self->session);
	}
}

TEST_HARNESS_MAIN
