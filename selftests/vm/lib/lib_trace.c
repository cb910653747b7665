// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib_trace - libetw's controllers and consumers on the real module
 *
 * A and W forms control the same sessions; callbacks may end ProcessTrace().
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

#define NAME8	"Gr\xc3\xbc\xc3\x9f" "e-\xe6\x97\xa5\xe6\x9c\xac"
#define NAME16	u"Gr\u00fc\u00dfe-\u65e5\u672c"
#define EVENTS	50

FIXTURE(trace) {
	int fd;
	TRACEHANDLE session;
	REGHANDLE reg;
	struct vl_props props;
};

FIXTURE_SETUP(trace)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->props = vl_props();
	self->props.p.FlushTimer = 600;
	ASSERT_EQ(0, StartTraceW(&self->session, NAME16, &self->props.p));
	self->reg = vl_register(1);
	ASSERT_NE(0, self->reg);
	ASSERT_EQ(0, vl_enable(self->session, 1, 0, 0, 0));
}

FIXTURE_TEARDOWN(trace)
{
	EventUnregister(self->reg);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* ---------------------------------------------------------- controllers */

/* B113, B115, B170 */
TEST_F(trace, start_returns_the_settings)
{
	EVENT_TRACE_PROPERTIES *p = &self->props.p;
	GUID none = { 0 };

	EXPECT_NE(0, self->session);
	EXPECT_EQ(self->session, p->Wnode.HistoricalContext);
	EXPECT_FALSE(vl_same_guid(&none, &p->Wnode.Guid));
	EXPECT_EQ(1, p->Wnode.ClientContext);
	EXPECT_EQ(64, p->BufferSize);
	EXPECT_LE(4, p->MinimumBuffers);
	EXPECT_LE(p->MinimumBuffers, p->MaximumBuffers);
	EXPECT_LE(p->MinimumBuffers, p->NumberOfBuffers);
	EXPECT_EQ(EVENT_TRACE_REAL_TIME_MODE, p->LogFileMode);
	EXPECT_EQ(600, p->FlushTimer);
	EXPECT_EQ(0, memcmp(NAME16, self->props.name, sizeof(NAME16)));
}

/* B138 */
TEST_F(trace, query_in_both_forms)
{
	struct vl_props a = vl_props(), w = vl_props();

	ASSERT_EQ(0, ControlTraceA(0, NAME8, &a.p, EVENT_TRACE_CONTROL_QUERY));
	EXPECT_STREQ(NAME8, (char *)a.name);
	EXPECT_EQ(self->session, a.p.Wnode.HistoricalContext);
	ASSERT_EQ(0, ControlTraceW(0, NAME16, &w.p, EVENT_TRACE_CONTROL_QUERY));
	EXPECT_EQ(0, memcmp(NAME16, w.name, sizeof(NAME16)));
	EXPECT_EQ(self->session, w.p.Wnode.HistoricalContext);
	EXPECT_TRUE(vl_same_guid(&a.p.Wnode.Guid, &w.p.Wnode.Guid));
	w = vl_props();
	ASSERT_EQ(0, QueryTraceW(self->session, NULL, &w.p));
	EXPECT_EQ(0, memcmp(NAME16, w.name, sizeof(NAME16)));
	/* The case of ASCII letters does not count, that of others does. */
	EXPECT_EQ(0, QueryTraceA(0, "gR\xc3\xbc\xc3\x9f" "E-\xe6\x97\xa5\xe6\x9c\xac", &a.p));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND,
		  QueryTraceA(0, "GR\xc3\x9c\xc3\x9f" "E-\xe6\x97\xa5\xe6\x9c\xac", &a.p));
	/* The name decides, not the handle. */
	EXPECT_EQ(0, QueryTraceW(~0ULL, NAME16, &w.p));
}

TEST_F(trace, update)
{
	struct vl_props u = vl_props(), q = vl_props();
	ULONG min = self->props.p.MinimumBuffers;

	u.p.MaximumBuffers = min + 7;
	ASSERT_EQ(0, ControlTraceA(0, NAME8, &u.p, EVENT_TRACE_CONTROL_UPDATE));
	ASSERT_EQ(0, QueryTraceW(self->session, NULL, &q.p));
	EXPECT_EQ(min + 7, q.p.MaximumBuffers);
	EXPECT_EQ(600, q.p.FlushTimer);
	u = vl_props();
	u.p.FlushTimer = 33;
	ASSERT_EQ(0, UpdateTraceW(0, NAME16, &u.p));
	ASSERT_EQ(0, QueryTraceA(self->session, NULL, &q.p));
	EXPECT_EQ(min + 7, q.p.MaximumBuffers);
	EXPECT_EQ(33, q.p.FlushTimer);
	EXPECT_EQ(min, q.p.MinimumBuffers);
}

/* B23, B132 */
TEST_F(trace, flush_and_stop)
{
	struct vl_props p = vl_props();

	ASSERT_EQ(0, vl_write(self->reg, 1, 1, 1, 0));
	ASSERT_EQ(0, QueryTraceW(self->session, NULL, &p.p));
	EXPECT_EQ(0, p.p.BuffersWritten);
	ASSERT_EQ(0, ControlTraceW(0, NAME16, &p.p, EVENT_TRACE_CONTROL_FLUSH));
	EXPECT_EQ(1, p.p.BuffersWritten);
	ASSERT_EQ(0, vl_write(self->reg, 2, 1, 1, 0));
	ASSERT_EQ(0, FlushTraceA(self->session, NULL, &p.p));
	EXPECT_EQ(2, p.p.BuffersWritten);
	ASSERT_EQ(0, ControlTraceA(0, NAME8, &p.p, EVENT_TRACE_CONTROL_STOP));
	EXPECT_STREQ(NAME8, (char *)p.name);
	EXPECT_FALSE(EventProviderEnabled(self->reg, 0, 0));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, StopTraceW(0, NAME16, &p.p));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, QueryTraceA(self->session, NULL, &p.p));
	/* The name is free at once. */
	EXPECT_EQ(0, StartTraceA(&self->session, NAME8, &p.p));
}

/* B144 */
TEST_F(trace, query_all)
{
	struct vl_props props[3] = { vl_props(), vl_props(), vl_props() };
	EVENT_TRACE_PROPERTIES *list[3] = { &props[0].p, &props[1].p, &props[2].p };
	TRACEHANDLE other = vl_start("lib-plain");
	ULONG count = 99;
	int mine;

	ASSERT_NE(0, other);
	ASSERT_EQ(0, QueryAllTracesW(list, 3, &count));
	ASSERT_EQ(2, count);
	mine = props[0].p.Wnode.HistoricalContext == self->session ? 0 : 1;
	EXPECT_EQ(self->session, props[mine].p.Wnode.HistoricalContext);
	EXPECT_EQ(other, props[!mine].p.Wnode.HistoricalContext);
	EXPECT_EQ(0, memcmp(NAME16, props[mine].name, sizeof(NAME16)));
	EXPECT_EQ(0, memcmp(u"lib-plain", props[!mine].name, 20));
	EXPECT_EQ(0, props[2].p.Wnode.HistoricalContext);
	ASSERT_EQ(0, QueryAllTracesA(list, 2, &count));
	ASSERT_EQ(2, count);
	EXPECT_STREQ(NAME8, (char *)props[mine].name);
	EXPECT_STREQ("lib-plain", (char *)props[!mine].name);
	count = 0;
	EXPECT_EQ(ERROR_MORE_DATA, QueryAllTracesW(list, 1, &count));
	EXPECT_EQ(2, count);
}

/* ------------------------------------------------------------ consumers */

/* The record of a consumer's callbacks, and what they have to do */
struct seen {
	TRACEHANDLE handle;
	pthread_t thread;
	bool wrong;		/* a callback got what it should not */
	bool close;		/* at the first event */
	ULONG close_result, close_again;
	unsigned int cancel_at;	/* buffer, 0: never */
	unsigned int heads, events, buffers;
	unsigned int classic;	/* bytes */
};

static struct seen seen;

static void on_event(PEVENT_RECORD record)
{
	if (vl_is_header(record)) {
		seen.heads++;
		seen.wrong |= seen.events || record->UserDataLength < sizeof(TRACE_LOGFILE_HEADER);
		return;
	}
	seen.events++;
	seen.wrong |= !pthread_equal(seen.thread, pthread_self()) ||
			     record->UserContext != &seen;
	if (!seen.close)
		return;
	seen.close = false;
	seen.close_result = CloseTrace(seen.handle);
	seen.close_again = CloseTrace(seen.handle);
}

static void on_classic(PEVENT_TRACE event)
{
	if (vl_is_head(&event->Header.Guid, event->Header.Class.Type)) {
		seen.heads++;
		return;
	}
	seen.events++;
	seen.classic += event->MofLength;
}

static ULONG on_buffer_a(PEVENT_TRACE_LOGFILEA logfile)
{
	seen.buffers++;
	seen.wrong |= logfile->Context != &seen ||
			     strcmp(logfile->LoggerName, NAME8) != 0 ||
			     logfile->BuffersRead != seen.buffers;
	return seen.buffers != seen.cancel_at;
}

static ULONG on_buffer_w(PEVENT_TRACE_LOGFILEW logfile)
{
	seen.buffers++;
	seen.wrong |= logfile->Context != &seen ||
			     memcmp(logfile->LoggerName, NAME16, sizeof(NAME16)) != 0 ||
			     logfile->BuffersRead != seen.buffers;
	return seen.buffers != seen.cancel_at;
}

static TRACEHANDLE open_a(void)
{
	char name[] = NAME8;
	EVENT_TRACE_LOGFILEA logfile = {
		.LoggerName = name,
		.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME |
				    PROCESS_TRACE_MODE_EVENT_RECORD,
		.EventRecordCallback = on_event,
		.BufferCallback = on_buffer_a,
		.Context = &seen,
	};
	TRACEHANDLE handle = OpenTraceA(&logfile);

	/* Struct and name may be freed after the call. */
	memset(name, 'x', sizeof(name));
	memset(&logfile, 0xff, sizeof(logfile));
	seen.handle = handle;
	seen.thread = pthread_self();
	return handle;
}

static TRACEHANDLE open_w(EVENT_TRACE_LOGFILEW *logfile)
{
	memset(logfile, 0, sizeof(*logfile));
	logfile->LoggerName = NAME16;
	logfile->ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME |
				    PROCESS_TRACE_MODE_EVENT_RECORD;
	logfile->EventRecordCallback = on_event;
	logfile->BufferCallback = on_buffer_w;
	logfile->Context = &seen;
	seen.handle = OpenTraceW(logfile);
	seen.thread = pthread_self();
	return seen.handle;
}

/* Events in that many buffers, delivered. */
static bool fill(FIXTURE_DATA(trace) *self, unsigned int buffers)
{
	unsigned int i, failed = 0;

	while (buffers--) {
		for (i = 0; i < EVENTS; i++)
			failed += vl_write(self->reg, i, 1, 1, i) != 0;
		failed += vl_control(self->session, EVENT_TRACE_CONTROL_FLUSH) != 0;
	}
	return !failed;
}

TEST_F(trace, open_returns_the_session)
{
	EVENT_TRACE_LOGFILEW logfile;
	LONGLONG now = vm_filetime();

	ASSERT_NE(INVALID_PROCESSTRACE_HANDLE, open_w(&logfile));
	EXPECT_EQ(64 * 1024, logfile.LogfileHeader.BufferSize);
	EXPECT_EQ(64 * 1024, logfile.BufferSize);
	EXPECT_EQ(8, logfile.LogfileHeader.PointerSize);
	EXPECT_LE(2, logfile.LogfileHeader.NumberOfProcessors);
	EXPECT_LT(0, logfile.LogfileHeader.PerfFreq.QuadPart);
	EXPECT_GE(now, logfile.LogfileHeader.StartTime.QuadPart);
	EXPECT_LE(now - 600 * 10000000LL, logfile.LogfileHeader.StartTime.QuadPart);
	EXPECT_GT(logfile.LogfileHeader.StartTime.QuadPart,
		  logfile.LogfileHeader.BootTime.QuadPart);
	EXPECT_EQ(0, logfile.LogfileHeader.EndTime.QuadPart);
	EXPECT_EQ(0, CloseTrace(seen.handle));
	EXPECT_EQ(ERROR_INVALID_HANDLE, CloseTrace(seen.handle));
	EXPECT_EQ(ERROR_INVALID_HANDLE, ProcessTrace(&seen.handle, 1, NULL, NULL));
}

/* B132: what was not flushed comes before the end.  B173, B185: of header and session. */
TEST_F(trace, ends_when_the_session_stops)
{
	ASSERT_NE(INVALID_PROCESSTRACE_HANDLE, open_a());
	ASSERT_TRUE(fill(self, 3));
	ASSERT_EQ(0, vl_write(self->reg, 1, 1, 1, 1));
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(0, ProcessTrace(&seen.handle, 1, NULL, NULL));
	EXPECT_EQ(1, seen.heads);
	EXPECT_EQ(3 * EVENTS + 1, seen.events);
	EXPECT_EQ(4, seen.buffers);
	EXPECT_FALSE(seen.wrong);
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, ProcessTrace(&seen.handle, 1, NULL, NULL));
	EXPECT_EQ(0, CloseTrace(seen.handle));
}

TEST_F(trace, buffer_callback_cancels)
{
	EVENT_TRACE_LOGFILEW logfile;

	ASSERT_NE(INVALID_PROCESSTRACE_HANDLE, open_w(&logfile));
	ASSERT_TRUE(fill(self, 4));
	seen.cancel_at = 2;
	EXPECT_EQ(ERROR_CANCELLED, ProcessTrace(&seen.handle, 1, NULL, NULL));
	EXPECT_EQ(2, seen.buffers);
	EXPECT_EQ(2 * EVENTS, seen.events);
	EXPECT_FALSE(seen.wrong);
	/* Processing can continue where it stopped. */
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(0, ProcessTrace(&seen.handle, 1, NULL, NULL));
	EXPECT_EQ(4, seen.buffers);
	EXPECT_EQ(4 * EVENTS, seen.events);
	EXPECT_EQ(1, seen.heads);
	EXPECT_EQ(0, CloseTrace(seen.handle));
}

TEST_F(trace, buffer_callback_cancels_a)
{
	ASSERT_NE(INVALID_PROCESSTRACE_HANDLE, open_a());
	ASSERT_TRUE(fill(self, 2));
	seen.cancel_at = 1;
	EXPECT_EQ(ERROR_CANCELLED, ProcessTrace(&seen.handle, 1, NULL, NULL));
	EXPECT_EQ(EVENTS, seen.events);
	EXPECT_FALSE(seen.wrong);
	EXPECT_EQ(0, CloseTrace(seen.handle));
}

TEST_F(trace, closed_by_a_callback)
{
	ASSERT_NE(INVALID_PROCESSTRACE_HANDLE, open_a());
	ASSERT_TRUE(fill(self, 2));
	seen.close = true;
	EXPECT_EQ(0, ProcessTrace(&seen.handle, 1, NULL, NULL));
	EXPECT_EQ(ERROR_CTX_CLOSE_PENDING, seen.close_result);
	EXPECT_EQ(ERROR_INVALID_HANDLE, seen.close_again);
	/* What it held has been delivered. */
	EXPECT_EQ(2 * EVENTS, seen.events);
	EXPECT_EQ(ERROR_INVALID_HANDLE, CloseTrace(seen.handle));
	EXPECT_EQ(ERROR_INVALID_HANDLE, ProcessTrace(&seen.handle, 1, NULL, NULL));
	/* The session has no reader left, and continues. */
	EXPECT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_QUERY));
}

TEST_F(trace, closed_by_another)
{
	struct vl_reader *r = vl_read(NAME8);
	ULONG ret;

	ASSERT_NE(NULL, r);
	ASSERT_EQ(0, vl_write(self->reg, 1, 1, 1, 1));
	/* Once an event has come, ProcessTrace() is certain to run. */
	ASSERT_TRUE(vl_got(r, self->session, 1));
	ret = CloseTrace(r->handle);
	EXPECT_EQ(ERROR_CTX_CLOSE_PENDING, ret);
	ASSERT_TRUE(vm_until(atomic_load(&r->done)));
	EXPECT_EQ(0, r->result);
	pthread_join(r->thread, NULL);
}

TEST_F(trace, classic_and_raw)
{
	EVENT_TRACE_LOGFILEA logfile = {
		.LoggerName = NAME8,
		.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME |
				    PROCESS_TRACE_MODE_RAW_TIMESTAMP,
		.EventCallback = on_classic,
	};
	TRACEHANDLE handle = OpenTraceA(&logfile);

	ASSERT_NE(INVALID_PROCESSTRACE_HANDLE, handle);
	ASSERT_TRUE(fill(self, 1));
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(0, ProcessTrace(&handle, 1, NULL, NULL));
	EXPECT_EQ(EVENTS, seen.events);
	EXPECT_EQ(4 * EVENTS, seen.classic);
	EXPECT_EQ(0, CloseTrace(handle));
}

/* Buffers of a session on their way to another reader */
static struct {
	PROCESSTRACE_HANDLE stream;
	unsigned int buffers, refused, done;
	LONGLONG times[8 * EVENTS], last[8 * EVENTS];
	unsigned int count, last_count;
} passed;

static void keep_time(PEVENT_RECORD record)
{
	if (!vl_is_header(record) && passed.count < 8 * EVENTS)
		passed.times[passed.count++] = record->EventHeader.TimeStamp.QuadPart;
}

static BOOL pass_on(const ETW_BUFFER_HEADER *buffer, ULONG size,
		    const ETW_BUFFER_CALLBACK_INFORMATION *info, void *context)
{
	void *copy = malloc(size);

	(void)info;
	(void)context;
	if (!copy)
		return FALSE;
	memcpy(copy, buffer, size);
	passed.buffers++;
	passed.refused += ProcessTraceAddBufferToBufferStream(passed.stream, copy, size) != 0;
	return TRUE;
}

static void when_done(const ETW_BUFFER_HEADER *buffer, void *context)
{
	(void)context;
	passed.done++;
	free((void *)buffer);
}

static BOOL close_stream(const ETW_BUFFER_HEADER *buffer, ULONG size,
			 const ETW_BUFFER_CALLBACK_INFORMATION *info, void *context)
{
	(void)buffer;
	(void)size;
	(void)context;
	if (info->BuffersRead == 1)
		CloseTrace(info->TraceHandle);
	return TRUE;
}

/* B199: the buffers that one reader has processed give another reader the same events */
TEST_F(trace, buffers_passed_on)
{
	ETW_OPEN_TRACE_OPTIONS here = { .EventCallback = keep_time, .BufferCallback = pass_on };
	ETW_OPEN_TRACE_OPTIONS there = { .EventCallback = keep_time,
					 .BufferCallback = close_stream };
	TRACE_LOGFILE_HEADER head;
	PROCESSTRACE_HANDLE handle;
	ULONG len;

	memset(&passed, 0, sizeof(passed));
	passed.stream = OpenTraceFromBufferStream(&there, when_done, NULL);
	handle = OpenTraceFromRealTimeLogger(NAME16, &here, &head);
	ASSERT_NE(INVALID_PROCESSTRACE_HANDLE, passed.stream);
	ASSERT_NE(INVALID_PROCESSTRACE_HANDLE, handle);
	EXPECT_EQ(64 * 1024, head.BufferSize);
	ASSERT_TRUE(fill(self, 4));
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(0, ProcessTrace(&handle, 1, NULL, NULL));
	EXPECT_EQ(0, QueryTraceProcessingHandle(handle, EtwQueryLogFileHeader, NULL, 0, &head,
						sizeof(head), &len));
	EXPECT_EQ(passed.buffers, head.BuffersWritten);
	EXPECT_EQ(0, CloseTrace(handle));
	EXPECT_EQ(0, passed.refused);
	EXPECT_EQ(4 * EVENTS, passed.count);
	memcpy(passed.last, passed.times, sizeof(passed.last));
	passed.last_count = passed.count;
	passed.count = 0;
	EXPECT_EQ(0, ProcessTrace(&passed.stream, 1, NULL, NULL));
	EXPECT_EQ(passed.last_count, passed.count);
	EXPECT_EQ(passed.buffers, passed.done);
	for (len = 0; len < passed.count; len++) {
		LONGLONG off = passed.times[len] - passed.last[len];

		/*
		 * Flushes decide the order of one, the times in the buffers that of the other.
		 */
		EXPECT_TRUE(off < 2000000 && off > -2000000);
		EXPECT_TRUE(!len || passed.times[len] >= passed.times[len - 1]);
	}
}

TEST_HARNESS_MAIN
