// SPDX-License-Identifier: GPL-2.0-only
/*
 * modes - logging modes of sessions without a file, at the ABI and by libetw
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

#define EVENTS	3000	/* of each writer */

struct writer {
	REGHANDLE reg;
	USHORT id;
	ULONG failed;
};

FIXTURE(modes) {
	int fd;
	struct vl_props props;
	TRACEHANDLE session;
	REGHANDLE reg;
};

FIXTURE_SETUP(modes)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->props = vl_props();
	self->reg = vl_register(1);
	ASSERT_NE(0, self->reg);
}

FIXTURE_TEARDOWN(modes)
{
	EventUnregister(self->reg);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* B120: what excludes one another is refused by the kernel too */
TEST_F(modes, exclusive_at_the_device)
{
	static const uint32_t bad[] = {
		0, ETW_MODE_NO_PER_PROCESSOR, ETW_MODE_LOCAL_SEQUENCE,
		ETW_MODE_REAL_TIME | ETW_MODE_BUFFERING,
		ETW_MODE_REAL_TIME | ETW_MODE_LOCAL_SEQUENCE | ETW_MODE_GLOBAL_SEQUENCE,
		ETW_MODE_BUFFERING | ETW_MODE_LOCAL_SEQUENCE | ETW_MODE_GLOBAL_SEQUENCE,
		ETW_MODE_REAL_TIME | EVENT_TRACE_NONSTOPPABLE_MODE,
		ETW_MODE_REAL_TIME | EVENT_TRACE_FILE_MODE_CIRCULAR,
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct etw_session s = vm_session("bad");

		s.mode = bad[i];
		EXPECT_EQ(-EINVAL, vm_start(self->fd, &s));
	}
}

/* B141: a session that cannot be stopped can only start at boot */
TEST_F(modes, no_session_without_end)
{
	self->props.p.LogFileMode |= EVENT_TRACE_NONSTOPPABLE_MODE;
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  StartTraceA(&self->session, "for ever", &self->props.p));
	EXPECT_EQ(0, self->session);
}

/* B122: two buffers at least where all CPUs share one, two per CPU elsewhere */
TEST_F(modes, sizes_are_corrected)
{
	ULONG cpus = sysconf(_SC_NPROCESSORS_ONLN), streams = 0;
	struct vl_props p = vl_props();

	p.p.MinimumBuffers = 1;
	p.p.MaximumBuffers = 1;
	p.p.BufferSize = 1;
	ASSERT_EQ(0, StartTraceA(&self->session, "usual", &p.p));
	EXPECT_EQ(2 * cpus, p.p.MinimumBuffers);
	EXPECT_EQ(2 * cpus, p.p.MaximumBuffers);
	EXPECT_EQ(4, p.p.BufferSize);
	EXPECT_EQ(0, TraceQueryInformation(self->session, TraceStreamCount, &streams,
					   sizeof(streams), NULL));
	EXPECT_EQ((ULONG)sysconf(_SC_NPROCESSORS_CONF), streams);
	p = vl_props();
	p.p.LogFileMode |= EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING;
	p.p.MinimumBuffers = 1;
	ASSERT_EQ(0, StartTraceA(&self->session, "shared", &p.p));
	EXPECT_EQ(2, p.p.MinimumBuffers);
	EXPECT_EQ(22, p.p.MaximumBuffers);
	EXPECT_EQ(EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING,
		  p.p.LogFileMode);
	EXPECT_EQ(0, TraceQueryInformation(self->session, TraceStreamCount, &streams,
					   sizeof(streams), NULL));
	EXPECT_EQ(1, streams);
}

/* B139: the limit that can be asked for is the one that is in force */
TEST_F(modes, limit_of_sessions)
{
	TRACEHANDLE handle;
	ULONG limit = 0, i;
	char name[16];

	ASSERT_EQ(0, TraceQueryInformation(0, TraceMaxLoggersQuery, &limit, sizeof(limit), NULL));
	ASSERT_EQ(64, limit);
	for (i = 0; i < limit; i++) {
		struct vl_props p = vl_props();

		p.p.BufferSize = 4;
		snprintf(name, sizeof(name), "s%u", i);
		ASSERT_EQ(0, StartTraceA(&handle, name, &p.p));
	}
	self->props.p.BufferSize = 4;
	EXPECT_EQ(ERROR_NO_SYSTEM_RESOURCES, StartTraceA(&handle, "more", &self->props.p));
}

static void *write_events(void *arg)
{
	struct writer *w = arg;
	ULONG i;

	for (i = 0; i < EVENTS; i++)
		if (vl_write(w->reg, w->id, 1, 1, i))
			w->failed++;
	return NULL;
}

/* Both CPUs write at once; how many of their writes failed. */
static ULONG write_from_both(REGHANDLE reg)
{
	struct writer w[2] = { { .reg = reg, .id = 1 }, { .reg = reg, .id = 2 } };
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++)
		if (vl_thread_on(&threads[i], i, write_events, &w[i]))
			return ~0U;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return w[0].failed + w[1].failed;
}

/* Each writer's events in order, all in the order of their time; how many. */
static ULONG check_order(const struct vl_reader *r, unsigned int count, bool *shared)
{
	ULONG next[3] = { 0 }, bad = 0, value;
	LONGLONG last = 0;
	unsigned int i;

	*shared = true;
	for (i = 0; i < count; i++) {
		const struct vl_event *e = &r->events[i];
		USHORT id = e->header.EventDescriptor.Id;

		memcpy(&value, e->data, sizeof(value));
		if (id < 1 || id > 2 || value < next[id] || e->header.TimeStamp.QuadPart < last)
			bad++;
		else
			next[id] = value + 1;
		last = e->header.TimeStamp.QuadPart;
		*shared &= e->context.ProcessorIndex == 0;
	}
	return bad;
}

/*
 * B147: the CPUs share a buffer, no processor number is recorded, and the one
 * stream is in order; a session beside it has its buffers per CPU
 */
TEST_F(modes, one_buffer_for_all)
{
	struct vl_props shared = vl_props(), usual = vl_props();
	TRACEHANDLE one, other;
	struct vl_reader *a, *b;
	ULONG failed;
	bool zero;
	int n;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs");
	shared.p.LogFileMode |= EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING;
	/* Everything fits: no writer depends on the growth of the pool. */
	shared.p.MinimumBuffers = usual.p.MinimumBuffers = 64;
	ASSERT_EQ(0, StartTraceA(&one, "shared", &shared.p));
	ASSERT_EQ(0, StartTraceA(&other, "usual", &usual.p));
	ASSERT_EQ(0, vl_enable(one, 1, 0, 0, 0));
	ASSERT_EQ(0, vl_enable(other, 1, 0, 0, 0));
	a = vl_read("shared");
	b = vl_read("usual");
	ASSERT_NE(NULL, a);
	ASSERT_NE(NULL, b);
	failed = write_from_both(self->reg);
	EXPECT_EQ(0, failed);
	vl_control(one, EVENT_TRACE_CONTROL_STOP);
	vl_control(other, EVENT_TRACE_CONTROL_STOP);
	n = vl_end(a);
	EXPECT_EQ(2 * EVENTS, n);
	EXPECT_EQ(2 * EVENTS, vl_end(b));
	/* The reader keeps the last VL_EVENTS, in a ring: the first of them here. */
	EXPECT_EQ(0, check_order(a, 2 * EVENTS - VL_EVENTS, &zero));
	EXPECT_TRUE(zero);
	free(a);
	free(b);
}

/* A shared session that is too small loses events, and counts each of them */
TEST_F(modes, shared_losses_are_counted)
{
	struct etw_session s = vm_session("small");
	struct etw_session_stat st;
	ULONG failed;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs");
	s.mode |= ETW_MODE_NO_PER_PROCESSOR;
	s.buffer_kb = 4;
	s.max_buffers = 2;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	EXPECT_EQ(2, s.buffers);
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, vm_guid(1), 0, 0, 0));
	failed = write_from_both(self->reg);
	EXPECT_LT(0, failed);
	ASSERT_EQ(0, vm_stat(self->fd, s.handle, &st));
	EXPECT_EQ(failed, vm_dropped(&st));
	EXPECT_EQ(2 * EVENTS, st.written + vm_dropped(&st));
	EXPECT_EQ(0, st.dropped[ETW_DROP_NESTING]);
}

/* A ring of the newest events that both CPUs write: a snapshot is in order */
TEST_F(modes, shared_and_buffering)
{
	struct vl_props p = vl_props();
	struct vl_reader *r;
	bool zero;
	int n;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs");
	p.p.LogFileMode = EVENT_TRACE_BUFFERING_MODE | EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING;
	p.p.BufferSize = 4;
	p.p.MinimumBuffers = 6;
	ASSERT_EQ(0, StartTraceA(&self->session, "ring", &p.p));
	ASSERT_EQ(0, vl_enable(self->session, 1, 0, 0, 0));
	r = vl_read("ring");
	ASSERT_NE(NULL, r);
	EXPECT_EQ(0, write_from_both(self->reg));
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_FLUSH));
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	n = vl_end(r);
	EXPECT_LT(30, n);
	EXPECT_GE(6 * 45, n);
	EXPECT_EQ(0, check_order(r, n, &zero));
	EXPECT_TRUE(zero);
	free(r);
}

/* B136: real time cannot be added to a session that keeps a ring in memory */
TEST_F(modes, update_of_the_mode)
{
	struct vl_props p = vl_props();

	p.p.LogFileMode = EVENT_TRACE_BUFFERING_MODE;
	ASSERT_EQ(0, StartTraceA(&self->session, "ring", &p.p));
	p = vl_props();
	EXPECT_EQ(ERROR_INVALID_PARAMETER, UpdateTraceA(self->session, NULL, &p.p));
	p.p.LogFileMode = 0;
	EXPECT_EQ(0, UpdateTraceA(self->session, NULL, &p.p));
	EXPECT_EQ(EVENT_TRACE_BUFFERING_MODE, p.p.LogFileMode);
	p.p.EnableFlags = EVENT_TRACE_FLAG_PROCESS;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, UpdateTraceA(self->session, NULL, &p.p));
}

/* B136: an update without real time does not end it: the events still come. */
TEST_F(modes, update_without_real_time)
{
	struct vl_props p = vl_props();
	struct vl_reader *before, *after;

	ASSERT_EQ(0, StartTraceA(&self->session, "live", &p.p));
	ASSERT_EQ(0, vl_enable(self->session, 1, 0, 0, 0));
	before = vl_read("live");
	ASSERT_NE(NULL, before);
	EXPECT_EQ(0, vl_write(self->reg, 1, 1, 1, 1));
	EXPECT_TRUE(vl_got(before, self->session, 1));
	p = vl_props();
	p.p.LogFileMode = 0;
	p.p.FlushTimer = 600;
	EXPECT_EQ(0, UpdateTraceA(self->session, NULL, &p.p));
	EXPECT_EQ(EVENT_TRACE_REAL_TIME_MODE, p.p.LogFileMode);
	EXPECT_EQ(600, p.p.FlushTimer);		/* the rest of it holds */
	p = vl_props();
	EXPECT_EQ(0, QueryTraceA(self->session, NULL, &p.p));
	EXPECT_EQ(EVENT_TRACE_REAL_TIME_MODE, p.p.LogFileMode);
	/* For the reader that is there, and for one that comes */
	after = vl_read("live");
	ASSERT_NE(NULL, after);
	EXPECT_EQ(0, vl_write(self->reg, 2, 1, 1, 2));
	EXPECT_TRUE(vl_got(before, self->session, 2));
	EXPECT_TRUE(vl_got(after, self->session, 1));
	/* With real time it is what it was, too. */
	p = vl_props();
	EXPECT_EQ(0, UpdateTraceA(self->session, NULL, &p.p));
	EXPECT_EQ(EVENT_TRACE_REAL_TIME_MODE, p.p.LogFileMode);
	EXPECT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(2, vl_end(before));
	EXPECT_EQ(1, vl_end(after));
	free(before);
	free(after);
}

/* B137: codes for sessions with a file do not change one without */
TEST_F(modes, codes_for_files)
{
	TRACEHANDLE session = vl_start("no file");
	struct vl_props p = vl_props();

	ASSERT_NE(0, session);
	EXPECT_EQ(ERROR_INVALID_PARAMETER, vl_control(session, EVENT_TRACE_CONTROL_INCREMENT_FILE));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  vl_control(session, EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND,
		  vl_control(12345, EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME));
	EXPECT_EQ(0, QueryTraceA(session, NULL, &p.p));
	EXPECT_EQ(EVENT_TRACE_REAL_TIME_MODE, p.p.LogFileMode);
}

TEST_HARNESS_MAIN
