// SPDX-License-Identifier: GPL-2.0-only
/*
 * session_policy - what happens to events when buffers fill, age or wait
 *
 * Every test numbers its events and compares the events that come out with those written.
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_clock.h"

struct event {
	uint32_t number;	/* first, for vm_see() */
	char fill[60];
};

FIXTURE(policy) {
	int fd;
	int slot;
	struct etw_session s;
	struct vm_reader r;
	uint32_t next;
	uint32_t failed;
};

FIXTURE_SETUP(policy)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->s = vm_session("t-policy");
	self->s.buffer_kb = 4;
	self->s.flush_ms = 600000;
	self->r.fd = -1;
}

FIXTURE_TEARDOWN(policy)
{
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

static int begin(FIXTURE_DATA(policy) *self)
{
	int ret = vm_start(self->fd, &self->s);

	return ret ? ret : vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0);
}

/* Write the next event; counts it as failed if no buffer was free. */
static int put(FIXTURE_DATA(policy) *self)
{
	struct event e = { .number = self->next };
	int ret = vm_write(self->fd, self->slot, 1, 4, 1, &e, sizeof(e));

	if (ret == -ENOBUFS)
		self->failed++;
	else if (!ret)
		self->next++;
	return ret == -ENOBUFS ? 0 : ret;
}

/* B94, B145: no consumer, no buffer free: the new event is refused and counted. */
TEST_F(policy, real_time_discards_new)
{
	struct etw_consumer_info info;
	struct etw_session_stat st;
	struct etw_session q;
	struct vm_seen seen = { 0 };

	self->s.min_buffers = self->s.max_buffers = 4;
	ASSERT_EQ(0, begin(self));
	while (self->failed < 500)
		ASSERT_EQ(0, put(self));
	EXPECT_LT(50, self->next);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(self->next, st.written);
	EXPECT_EQ(self->failed, st.dropped[ETW_DROP_NO_BUFFER]);
	EXPECT_EQ(self->failed, vm_dropped(&st));
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_EQ(self->failed, q.events_lost);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, 0));
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_EQ(0, vm_drain(&self->r, vm_see, &seen));
	/* If buffers are short, a new consumer may lose some old ones at once. */
	ASSERT_EQ(0, vm_consumer_info(self->r.fd, &info));
	EXPECT_EQ(self->next, seen.records + info.events_lost);
	EXPECT_EQ(info.events_lost, seen.first);
	EXPECT_TRUE(seen.ordered);
}

/* After the backlog was read, buffers are free again. */
TEST_F(policy, real_time_goes_on_after_a_loss)
{
	struct etw_consumer_info info;
	struct vm_seen seen = { 0 };
	uint32_t failed;

	ASSERT_EQ(0, begin(self));
	while (!self->failed)
		ASSERT_EQ(0, put(self));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	EXPECT_EQ(-EAGAIN, vm_drain(&self->r, vm_see, &seen));
	failed = self->failed;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(failed, self->failed);
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_EQ(0, vm_drain(&self->r, vm_see, &seen));
	ASSERT_EQ(0, vm_consumer_info(self->r.fd, &info));
	EXPECT_EQ(self->next, seen.records + info.events_lost);
	EXPECT_EQ(self->next - 1, seen.last);
	EXPECT_TRUE(seen.ordered);
}

static const char big[8192];	/* does not fit into a buffer */

/* Counts the buffers that are flagged, and those that are not. */
struct flags {
	unsigned int losses, none;
};

static void see_flags(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct flags *f = ctx;

	(void)r;
	if (b->flags & ETW_BUFFER_EVENTS_LOST)
		f->losses++;
	else
		f->none++;
}

/* The first buffer that is delivered after a loss is flagged, once for each series. */
TEST_F(policy, buffers_after_losses_are_flagged)
{
	struct flags f = { 0 };
	int i;

	vm_pin(0);
	self->s.min_buffers = self->s.max_buffers = 4;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	for (i = 1; i <= 3; i++) {
		/* Larger than a buffer: lost, and one series for each round */
		ASSERT_EQ(-EMSGSIZE, vm_write(self->fd, self->slot, 1, 4, 1, big, sizeof(big)));
		ASSERT_EQ(-EMSGSIZE, vm_write(self->fd, self->slot, 1, 4, 1, big, sizeof(big)));
		ASSERT_EQ(0, put(self));
		ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
		EXPECT_EQ(-EAGAIN, vm_drain(&self->r, see_flags, &f));
		EXPECT_EQ(i, f.losses);
		EXPECT_EQ(i - 1, f.none);
		ASSERT_EQ(0, put(self));
		ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
		EXPECT_EQ(-EAGAIN, vm_drain(&self->r, see_flags, &f));
		EXPECT_EQ(i, f.losses);
		EXPECT_EQ(i, f.none);
	}
}

/* B146: more buffers are allocated as they are needed, up to the maximum. */
TEST_F(policy, pool_grows)
{
	struct etw_session q;
	uint32_t least;

	self->s.max_buffers = 100;
	ASSERT_EQ(0, begin(self));
	least = self->s.min_buffers;
	ASSERT_LT(least, 100);
	ASSERT_TRUE(vm_until(put(self) || vm_query(self->fd, self->s.handle, &q) ||
			     q.buffers == 100));
	EXPECT_EQ(100, q.buffers);
	while (self->failed < 100000 && q.free_buffers) {
		ASSERT_EQ(0, put(self));
		ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	}
	EXPECT_EQ(100, q.buffers);
}

TEST_F(policy, buffering_overwrites_the_oldest)
{
	struct etw_session_stat st;
	struct vm_seen seen = { 0 };
	int i;

	self->s.mode = ETW_MODE_BUFFERING;
	self->s.min_buffers = self->s.max_buffers = 8;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	for (i = 0; i < 5000; i++)
		ASSERT_EQ(0, put(self));
	EXPECT_EQ(0, self->failed);
	/* Nothing is delivered before the flush. */
	EXPECT_EQ(-EAGAIN, vm_drain(&self->r, vm_see, &seen));
	EXPECT_EQ(0, seen.records);
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	EXPECT_EQ(-EAGAIN, vm_drain(&self->r, vm_see, &seen));
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(5000, st.written);
	EXPECT_EQ(0, vm_dropped(&st));
	EXPECT_LT(0, st.overwritten_buffers);
	EXPECT_EQ(5000, seen.records + st.overwritten_events);
	EXPECT_EQ(4999, seen.last);
	EXPECT_TRUE(seen.ordered);
	EXPECT_EQ(seen.records, st.events_delivered);
	EXPECT_LT(2 * 4096 / sizeof(struct event) / 3, seen.records);
}

TEST_F(policy, buffering_goes_on_after_a_snapshot)
{
	struct vm_seen seen = { 0 };
	int i, round;

	self->s.mode = ETW_MODE_BUFFERING;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	for (round = 1; round <= 20; round++) {
		for (i = 0; i < 100 * round; i++)
			ASSERT_EQ(0, put(self));
		ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
		seen.records = 0;
		EXPECT_EQ(-EAGAIN, vm_drain(&self->r, vm_see, &seen));
		EXPECT_EQ(self->next - 1, seen.last);
		EXPECT_TRUE(seen.ordered);
		EXPECT_LT(0, seen.records);
	}
	EXPECT_EQ(0, self->failed);
}

/* B142 */
TEST_F(policy, flush_timer)
{
	struct pollfd p = { .events = POLLIN };
	struct vm_seen seen = { 0 };

	self->s.flush_ms = 100;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	p.fd = self->r.fd;
	while (self->next < 3) {
		ASSERT_EQ(0, put(self));
		ASSERT_EQ(1, poll(&p, 1, VM_LIMIT_MS));
		EXPECT_EQ(POLLIN, p.revents);
		EXPECT_EQ(-EAGAIN, vm_drain(&self->r, vm_see, &seen));
		EXPECT_EQ(self->next, seen.records);
	}
}

/* The flush returns after what was written before it can be read. */
TEST_F(policy, flush_waits)
{
	struct vm_seen seen = { 0 };

	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	while (self->next < 200) {
		ASSERT_EQ(0, put(self));
		ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
		EXPECT_EQ(-EAGAIN, vm_drain(&self->r, vm_see, &seen));
		EXPECT_EQ(self->next, seen.records);
	}
	EXPECT_TRUE(seen.ordered);
}

/* An empty session has nothing to flush. */
TEST_F(policy, flush_of_nothing)
{
	struct vm_seen seen = { 0 };

	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	EXPECT_EQ(-EAGAIN, vm_drain(&self->r, vm_see, &seen));
	EXPECT_EQ(0, self->r.buffers);
}

/* B189, B190 */
TEST_F(policy, backlog_goes_to_the_first_consumer)
{
	struct vm_reader second;
	struct vm_seen one = { 0 }, two = { 0 };
	int i;

	self->s.buffer_kb = 64;
	ASSERT_EQ(0, begin(self));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, put(self));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, 0));
	ASSERT_EQ(0, vm_reader_open(&second, self->fd, self->s.handle, 0));
	ASSERT_EQ(0, put(self));
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_EQ(0, vm_drain(&self->r, vm_see, &one));
	EXPECT_EQ(0, vm_drain(&second, vm_see, &two));
	EXPECT_EQ(4, one.records);
	EXPECT_EQ(1, two.records);
	EXPECT_EQ(3, two.first);
	vm_reader_close(&second);
}

/* B95: the failure of an INDEPENDENT session is not returned to the writer. */
TEST_F(policy, independent_session_fails_silently)
{
	struct etw_session_stat st;
	int i;

	self->s.mode |= ETW_MODE_INDEPENDENT;
	self->s.min_buffers = self->s.max_buffers = 4;
	ASSERT_EQ(0, begin(self));
	for (i = 0; i < 2000; i++)
		ASSERT_EQ(0, put(self));
	EXPECT_EQ(0, self->failed);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(2000, st.written + st.dropped[ETW_DROP_NO_BUFFER]);
	EXPECT_LT(0, st.dropped[ETW_DROP_NO_BUFFER]);
}

/* ---------------------------------------------------------------- clocks */

struct span {
	long long first, last;
	uint64_t clock;
	long long reference;
	bool backwards;
};

static void stamp(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct span *s = ctx;

	if (!s->first)
		s->first = r->head->timestamp;
	if (r->head->timestamp < s->last)
		s->backwards = true;
	s->last = r->head->timestamp;
	s->clock = b->clock;
	s->reference = b->ref_time;
}

/* Wall clock of a timestamp, by the pair of the session's start. */
static long long to_wall(const struct etw_session *s, long long clock)
{
	return s->start_wall +
	       (long long)((double)(clock - (long long)s->start_clock) * 1e7 / s->clock_freq);
}

static void clock_test(struct __test_metadata *_metadata, FIXTURE_DATA(policy) *self,
		       uint32_t clock)
{
	struct span span = { 0 };
	long long before, after, slack;
	int i;

	self->s.clock = clock;
	self->s.buffer_kb = 64;
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(clock, self->s.clock);
	EXPECT_EQ(clock == ETW_CLOCK_SYSTEM || (clock == ETW_CLOCK_CYCLES && !vm_tsc_trusted()),
		  self->s.clock_freq == VM_WALL_FREQ);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, 0));
	before = vm_filetime();
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, put(self));
		usleep(1000);
	}
	after = vm_filetime();
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	ASSERT_EQ(0, vm_drain(&self->r, stamp, &span));
	EXPECT_FALSE(span.backwards);
	EXPECT_EQ(self->s.clock, span.clock & ETW_CLOCK_TYPE_MASK);
	EXPECT_EQ(self->s.clock_freq, span.clock >> ETW_CLOCK_FREQ_SHIFT);
	/* An emulated TSC may be off its nominal rate by some parts in 100. */
	slack = 2000000 + (after - before) / 10;
	EXPECT_LE(before - slack, to_wall(&self->s, span.first));
	EXPECT_LE(span.first, span.last);
	EXPECT_GE(after + slack, to_wall(&self->s, span.last));
	EXPECT_LE(self->s.start_wall, span.reference);
	EXPECT_GE(after + slack, span.reference);
}

/* B170 */
TEST_F(policy, clock_qpc)
{
	clock_test(_metadata, self, ETW_CLOCK_QPC);
}

/* B170 */
TEST_F(policy, clock_system)
{
	clock_test(_metadata, self, ETW_CLOCK_SYSTEM);
}

/* B170, B172: cycles, or the clock that replaces them */
TEST_F(policy, clock_cycles)
{
	clock_test(_metadata, self, ETW_CLOCK_CYCLES);
}

TEST_HARNESS_MAIN
