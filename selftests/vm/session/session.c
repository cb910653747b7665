// SPDX-License-Identifier: GPL-2.0-only
/*
 * session - the life of sessions: start, query, update, stop
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/driver/vm_kmod.h"

#include <sys/sysinfo.h>

FIXTURE(session) {
	int fd;
	struct etw_session s;
};

FIXTURE_SETUP(session)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->s = vm_session("t-one");
}

FIXTURE_TEARDOWN(session)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

static unsigned int possible_cpus(void)
{
	unsigned int first, last = 0;
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");

	if (!f || fscanf(f, "%u-%u", &first, &last) < 1)
		last = 0;
	if (f)
		fclose(f);
	return last + 1;
}

TEST_F(session, sizes_are_corrected)
{
	static const struct { uint32_t asked, got; } kb[] = {
		{ 0, 64 }, { 1, 4 }, { 4, 4 }, { 5, 8 }, { 63, 64 }, { 1024, 1024 } };
	unsigned int i, least = 2 * possible_cpus();

	for (i = 0; i < ARRAY_SIZE(kb); i++) {
		self->s = vm_session("t-one");
		self->s.buffer_kb = kb[i].asked;
		ASSERT_EQ(0, vm_start(self->fd, &self->s));
		EXPECT_EQ(kb[i].got, self->s.buffer_kb);
		EXPECT_LE(least, self->s.min_buffers);
		EXPECT_LE(self->s.min_buffers, self->s.max_buffers);
		EXPECT_EQ(self->s.min_buffers, self->s.buffers);
		ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	}
}

TEST_F(session, largest_buffer)
{
	struct sysinfo si;
	uint64_t need = 2ULL * possible_cpus() * ETW_BUFFER_KB_MAX * 1024;

	ASSERT_EQ(0, sysinfo(&si));
	if ((uint64_t)si.totalram * si.mem_unit / 8 < need)
		SKIP(return, "needs more memory");
	self->s.buffer_kb = 20000;
	self->s.max_buffers = 1;
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	EXPECT_EQ(ETW_BUFFER_KB_MAX, self->s.buffer_kb);
	EXPECT_EQ(self->s.min_buffers, self->s.max_buffers);
}

TEST_F(session, numbers_asked_for_are_kept)
{
	self->s.min_buffers = 40;
	self->s.max_buffers = 50;
	self->s.flush_ms = 3000;
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	EXPECT_EQ(40, self->s.min_buffers);
	EXPECT_EQ(50, self->s.max_buffers);
	EXPECT_EQ(40, self->s.buffers);
	EXPECT_EQ(3000, self->s.flush_ms);
	EXPECT_EQ(ETW_CLOCK_QPC, self->s.clock);
	EXPECT_EQ(ETW_MODE_REAL_TIME, self->s.mode);
	EXPECT_LE(1, self->s.logger_id);
	EXPECT_GE(ETW_SESSIONS_MAX, self->s.logger_id);
}

/* B142 */
TEST_F(session, flush_time_of_nothing_is_a_second)
{
	self->s.flush_ms = 0;
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	EXPECT_EQ(1000, self->s.flush_ms);
}

static void count_event(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	++*(int *)ctx;
}

/* Write so many events and wait for each; how soon the quickest came, in ms, or -1. */
static long long quickest(FIXTURE_DATA(session) *self, int slot, struct vm_reader *r, int events)
{
	long long begin, took, best = -1;
	int i, seen;

	for (i = 0; i < events; i++) {
		begin = vm_ms();
		if (vm_write(self->fd, slot, 1, 1, 1, &i, sizeof(i)))
			return -1;
		for (seen = 0; !seen; )
			if (vm_read_one(r, count_event, &seen) != 1)
				return -1;
		took = vm_ms() - begin;
		best = best < 0 || took < best ? took : best;
	}
	return best;
}

/* From the first event on, and after a change from and to a time that a tick can measure. */
TEST_F(session, events_come_after_a_short_flush_time)
{
	struct etw_session update = { .size = sizeof(update) };
	struct vm_reader r;
	long long ms;
	int slot;

	self->s.flush_ms = 1;
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	EXPECT_EQ(1, self->s.flush_ms);
	slot = vm_register(self->fd, vm_guid(1));
	ASSERT_LE(0, slot);
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, vm_reader_open(&r, self->fd, self->s.handle, 0));
	ms = quickest(self, slot, &r, 20);
	TH_LOG("an event after %lld ms", ms);
	EXPECT_LE(0, ms);
	EXPECT_GT(50, ms);
	update.handle = self->s.handle;
	update.flush_ms = 200;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE, &update));
	EXPECT_EQ(200, update.flush_ms);
	ASSERT_LE(0, quickest(self, slot, &r, 1));	/* may be with the end of the short time */
	EXPECT_LE(150, quickest(self, slot, &r, 3));
	update.flush_ms = 2;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE, &update));
	ms = quickest(self, slot, &r, 20);
	EXPECT_LE(0, ms);
	EXPECT_GT(50, ms);
	vm_reader_close(&r);
}

/* B113 */
TEST_F(session, guid_is_made_or_kept)
{
	struct etw_guid want = vm_guid(5);
	struct etw_session other = vm_session("t-two");

	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	EXPECT_FALSE(vm_guid_zero(&self->s.guid));
	other.guid = want;
	ASSERT_EQ(0, vm_start(self->fd, &other));
	EXPECT_EQ(0, memcmp(&want, &other.guid, sizeof(want)));
	EXPECT_NE(self->s.handle, other.handle);
	EXPECT_NE(self->s.logger_id, other.logger_id);
	EXPECT_NE(0, memcmp(&want, &self->s.guid, sizeof(want)));
}

TEST_F(session, query_returns_what_start_did)
{
	char name[16] = "";
	struct etw_session q = vm_session("T-ONE");

	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	q.name_out = VM_PTR(name);
	q.name_cap = sizeof(name);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_QUERY, &q));
	EXPECT_STREQ("t-one", name);
	EXPECT_EQ(5, q.name_out_len);
	q.name = self->s.name;
	q.name_out = 0;
	q.name_cap = 0;
	q.name_out_len = self->s.name_out_len = 0;
	q.name_len = self->s.name_len = 0;
	EXPECT_EQ(0, memcmp(&q, &self->s, sizeof(q)));
}

/* B138: the name decides when both are given. */
TEST_F(session, name_goes_before_handle)
{
	struct etw_session q = vm_session("t-one");
	uint64_t other = vm_start_named(self->fd, "t-two");

	ASSERT_NE(0, other);
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	q.handle = other;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_QUERY, &q));
	EXPECT_EQ(self->s.handle, q.handle);
}

/* B114: 1,024 bytes are not too long */
TEST_F(session, longest_name)
{
	char name[ETW_NAME_MAX + 1], out[ETW_NAME_MAX] = "";

	memset(name, 'L', ETW_NAME_MAX);
	name[ETW_NAME_MAX] = 0;
	self->s = vm_session(name);
	self->s.name_out = VM_PTR(out);
	self->s.name_cap = sizeof(out);
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	EXPECT_EQ(ETW_NAME_MAX, self->s.name_out_len);
	EXPECT_EQ(0, memcmp(out, name, ETW_NAME_MAX));
}

/* Only the case of ASCII letters is ignored. */
TEST_F(session, name_case)
{
	self->s = vm_session("s\xc3\xa9s");
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	self->s = vm_session("S\xc3\xa9S");
	EXPECT_EQ(-EEXIST, vm_start(self->fd, &self->s));
	self->s = vm_session("s\xc3\x89s");
	EXPECT_EQ(0, vm_start(self->fd, &self->s));
}

TEST_F(session, name_is_free_after_stop)
{
	uint64_t handle;
	int i;

	for (i = 0; i < 50; i++) {
		handle = vm_start_named(self->fd, "t-again");
		ASSERT_NE(0, handle);
		ASSERT_EQ(0, vm_stop(self->fd, handle));
		EXPECT_EQ(-ENOENT, vm_query(self->fd, handle, NULL));
	}
}

/* Also while a consumer still reads events of the stopped session. */
TEST_F(session, name_is_free_while_a_consumer_drains)
{
	uint64_t handle = vm_start_named(self->fd, "t-again");
	struct vm_reader r;
	int slot = vm_register(self->fd, vm_guid(1));

	ASSERT_LE(0, slot);
	ASSERT_EQ(0, vm_reader_open(&r, self->fd, handle, 0));
	ASSERT_EQ(0, vm_enable(self->fd, handle, vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, vm_write(self->fd, slot, 1, 1, 1, "old", 4));
	ASSERT_EQ(0, vm_stop(self->fd, handle));
	handle = vm_start_named(self->fd, "t-again");
	ASSERT_NE(0, handle);
	/* The new session does not inherit the providers of the old one. */
	ASSERT_EQ(0, vm_write(self->fd, slot, 2, 1, 1, "new", 4));
	EXPECT_EQ(0, vm_drain(&r, NULL, NULL));
	EXPECT_EQ(1, r.events);
	vm_reader_close(&r);
}

static int stop_status(int fd, uint64_t handle)
{
	return vm_stop(fd, handle);
}

/* B132: the handle stays invalid, even if another session has the name */
TEST_F(session, handle_of_a_stopped_session)
{
	struct etw_session_stat st;
	uint64_t handle, next;

	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	handle = self->s.handle;
	ASSERT_EQ(0, vm_stop(self->fd, handle));
	next = vm_start_named(self->fd, "t-one");
	ASSERT_NE(0, next);
	EXPECT_NE(handle, next);
	EXPECT_EQ(-ENOENT, stop_status(self->fd, handle));
	EXPECT_EQ(-ENOENT, vm_flush(self->fd, handle));
	EXPECT_EQ(-ENOENT, vm_stat(self->fd, handle, &st));
	EXPECT_EQ(-ENOENT, vm_enable(self->fd, handle, vm_guid(1), 0, 0, 0));
	EXPECT_EQ(-ENOENT, vm_consume(self->fd, handle, 0, NULL));
	EXPECT_EQ(0, vm_query(self->fd, next, NULL));
}

/* B22, B140: its controller is killed, and the session continues with its providers */
TEST_F(session, outlives_its_controller)
{
	struct etw_session q = vm_session("t-orphan");
	int slot = vm_register(self->fd, vm_guid(1));
	struct etw_session_stat st;
	int status, fd;
	pid_t pid = fork();

	if (!pid) {
		uint64_t handle;

		fd = vm_open();
		handle = vm_start_named(fd, "t-orphan");
		if (!handle || vm_enable(fd, handle, vm_guid(1), 0, 0, 0))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	status = vm_reap(pid);
	ASSERT_TRUE(WIFSIGNALED(status));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_QUERY, &q));
	EXPECT_EQ(0, vm_write(self->fd, slot, 1, 1, 1, "x", 1));
	ASSERT_EQ(0, vm_stat(self->fd, q.handle, &st));
	EXPECT_EQ(1, st.written);
	EXPECT_EQ(0, vm_stop(self->fd, q.handle));
}

TEST_F(session, update)
{
	struct etw_session u = { .size = sizeof(u) }, q;

	self->s.min_buffers = 10;
	self->s.max_buffers = 12;
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	u.handle = self->s.handle;
	u.max_buffers = 30;
	u.flush_ms = 4000;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE, &u));
	EXPECT_EQ(30, u.max_buffers);
	EXPECT_EQ(4000, u.flush_ms);
	/* 0 leaves a value alone; what cannot be changed is ignored. */
	u = (struct etw_session){ .size = sizeof(u), .handle = self->s.handle,
				  .buffer_kb = 4, .min_buffers = 99, .clock = 2 };
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE, &u));
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_EQ(30, q.max_buffers);
	EXPECT_EQ(4000, q.flush_ms);
	EXPECT_EQ(10, q.min_buffers);
	EXPECT_EQ(64, q.buffer_kb);
	EXPECT_EQ(ETW_CLOCK_QPC, q.clock);
}

TEST_F(session, update_is_corrected)
{
	struct etw_session u = { .size = sizeof(u), .max_buffers = 1, .flush_ms = 0 };

	self->s.min_buffers = 10;
	self->s.max_buffers = 12;
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	u.handle = self->s.handle;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE, &u));
	EXPECT_EQ(10, u.max_buffers);
	EXPECT_EQ(1000, u.flush_ms);
}

/* B130 */
TEST_F(session, query_counts)
{
	struct etw_session q;
	struct etw_session_stat st;
	int slot = vm_register(self->fd, vm_guid(1));
	int i;

	self->s.flush_ms = 600000;
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, vm_write(self->fd, slot, 1, 1, 1, "x", 1));
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_EQ(q.buffers - 1, q.free_buffers);
	EXPECT_EQ(0, q.buffers_written);
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_EQ(1, q.buffers_written);
	EXPECT_EQ(0, q.events_lost);
	EXPECT_LE(q.start_clock, q.sync_clock);
	EXPECT_LT(q.start_mono, q.sync_mono);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(5, st.written);
	EXPECT_EQ(0, vm_dropped(&st));
	EXPECT_EQ(1, st.buffers_delivered);
	EXPECT_EQ(5, st.events_delivered);
	EXPECT_EQ(0, st.discarded_events);
}

/* B139 */
TEST_F(session, sixty_four_at_once)
{
	uint64_t handles[ETW_SESSIONS_MAX], seen[ETW_SESSIONS_MAX], ids = 0;
	struct etw_session s;
	char name[32];
	int i;

	for (i = 0; i < ETW_SESSIONS_MAX; i++) {
		snprintf(name, sizeof(name), "t-%d", i);
		s = vm_session(name);
		s.buffer_kb = 4;
		ASSERT_EQ(0, vm_start(self->fd, &s));
		handles[i] = s.handle;
		EXPECT_EQ(0, ids >> (s.logger_id - 1) & 1);
		ids |= 1ULL << (s.logger_id - 1);
	}
	EXPECT_EQ(UINT64_MAX, ids);
	EXPECT_EQ(ETW_SESSIONS_MAX, vm_sessions(self->fd, seen, ETW_SESSIONS_MAX));
	/* With less space the count is still that of all sessions. */
	EXPECT_EQ(ETW_SESSIONS_MAX, vm_sessions(self->fd, seen, 3));
	for (i = 0; i < ETW_SESSIONS_MAX; i++)
		EXPECT_EQ(0, vm_stop(self->fd, handles[i]));
	EXPECT_EQ(0, vm_sessions(self->fd, NULL, 0));
}

/* A running session and an open file keep the module loaded. */
TEST_F(session, pins_the_module)
{
	int ret;

	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	close(self->fd);
	ret = vm_rmmod_try("etw");
	EXPECT_TRUE(ret == -EBUSY || ret == -EAGAIN);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(0, vm_stop(self->fd, self->s.handle));
	ret = vm_rmmod_try("etw");
	EXPECT_TRUE(ret == -EBUSY || ret == -EAGAIN);
}

/* 300 sessions of 2 MB each, used and stopped: the memory comes back. */
TEST_F(session, leaves_no_memory)
{
	int slot = vm_register(self->fd, vm_guid(1));
	int i, areas = vm_count_lines("/proc/vmallocinfo", "[etw]");

	for (i = 0; i < 300; i++) {
		self->s = vm_session("t-memory");
		self->s.buffer_kb = 256;
		self->s.min_buffers = self->s.max_buffers = 8;
		ASSERT_EQ(0, vm_start(self->fd, &self->s));
		ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0));
		ASSERT_EQ(0, vm_write(self->fd, slot, 1, 1, 1, "x", 1));
		ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	}
	/* Freed after a grace period, so not at once. */
	EXPECT_TRUE(vm_until(vm_count_lines("/proc/vmallocinfo", "[etw]") <= areas));
}

TEST_HARNESS_MAIN
