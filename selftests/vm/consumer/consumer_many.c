// SPDX-License-Identifier: GPL-2.0-only
/*
 * consumer_many - several consumers of one session, fast, stalled and dead
 *
 * Each gets every buffer.  One that stalls loses only buffers of its own backlog, and learns
 * exactly how many; another one beside it loses nothing.
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"

#define ROUND	200		/* events between two looks of the fast consumer */

struct event {
	uint32_t number;
	char fill[100];
};

/* How often each event came; they are numbered from 0. */
struct seen {
	uint8_t *count;
	uint32_t room;
	uint64_t records;
	uint64_t twice;
};

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	const struct event *e = (const void *)r->data;
	struct seen *s = ctx;

	(void)b;
	s->records++;
	if (e->number < s->room && s->count[e->number]++)
		s->twice++;
}

FIXTURE(many) {
	int fd;
	int slot;
	struct etw_session s;
	uint32_t next;
	uint32_t lost;
};

FIXTURE_SETUP(many)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->s = vm_session("t-many");
	self->s.buffer_kb = 4;
	self->s.min_buffers = self->s.max_buffers = 64;
	self->s.flush_ms = 600000;
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0));
}

FIXTURE_TEARDOWN(many)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Write count events; -1 if an error other than a loss came. */
static int put(FIXTURE_DATA(many) *self, unsigned int count)
{
	struct event e = { 0 };
	int ret;

	while (count--) {
		e.number = self->next;
		ret = vm_write(self->fd, self->slot, 1, 4, 1, &e, sizeof(e));
		if (!ret)
			self->next++;
		else if (ret == -ENOBUFS)
			self->lost++;
		else
			return -1;
	}
	return 0;
}

static struct seen make_seen(uint32_t room)
{
	return (struct seen){ .count = calloc(room, 1), .room = room };
}

TEST_F(many, all_get_everything)
{
	struct vm_reader r[4];
	struct seen seen[4];
	int i, round;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, vm_reader_open(&r[i], self->fd, self->s.handle, O_NONBLOCK));
		seen[i] = make_seen(20 * ROUND);
	}
	for (round = 0; round < 20; round++) {
		ASSERT_EQ(0, put(self, ROUND));
		ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
		for (i = 0; i < 4; i++)
			EXPECT_EQ(-EAGAIN, vm_drain(&r[i], see, &seen[i]));
	}
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_EQ(0, self->lost);
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(0, vm_drain(&r[i], see, &seen[i]));
		EXPECT_EQ(20 * ROUND, seen[i].records);
		EXPECT_EQ(0, seen[i].twice);
		vm_reader_close(&r[i]);
	}
}

/* One consumer's view must add up: got + lost is what was delivered to it. */
static void adds_up(struct __test_metadata *_metadata, FIXTURE_DATA(many) *self,
		    struct vm_reader *r, struct seen *seen, uint64_t delivered)
{
	struct etw_consumer_info info;

	ASSERT_EQ(0, vm_consumer_info(r->fd, &info));
	EXPECT_EQ(seen->records, info.events);
	EXPECT_EQ(r->buffers, info.buffers);
	EXPECT_EQ(delivered, info.events + info.events_lost);
	EXPECT_EQ(0, info.backlog);
	EXPECT_EQ(0, seen->twice);
	EXPECT_EQ(!info.events_lost, !info.buffers_lost);
	(void)self;
}

#define ROUND_BUFFERS	15	/* that a round may take */

/* The pool grows for its consumers in a work, for which a busy machine may have no time. */
static bool has_room(FIXTURE_DATA(many) *self)
{
	struct etw_session q;

	return !vm_query(self->fd, self->s.handle, &q) && q.free_buffers >= ROUND_BUFFERS;
}

TEST_F(many, stalled_one_loses_its_own)
{
	struct vm_reader fast, slow;
	struct seen quick = make_seen(100 * ROUND), late = make_seen(100 * ROUND);
	struct etw_consumer_info info;
	struct etw_session_stat st;
	struct etw_session q;
	int round;

	ASSERT_EQ(0, vm_reader_open(&fast, self->fd, self->s.handle, O_NONBLOCK));
	ASSERT_EQ(0, vm_reader_open(&slow, self->fd, self->s.handle, O_NONBLOCK));
	for (round = 0; round < 100; round++) {
		ASSERT_TRUE(vm_until(has_room(self)));
		ASSERT_EQ(0, put(self, ROUND));
		ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
		EXPECT_EQ(-EAGAIN, vm_drain(&fast, see, &quick));
	}
	EXPECT_EQ(0, self->lost);
	EXPECT_EQ(self->next, quick.records);
	ASSERT_EQ(0, vm_consumer_info(fast.fd, &info));
	EXPECT_EQ(0, info.events_lost);
	ASSERT_EQ(0, vm_consumer_info(slow.fd, &info));
	EXPECT_LT(0, info.buffers_lost);
	EXPECT_LT(0, info.backlog);
	EXPECT_EQ(-EAGAIN, vm_drain(&slow, see, &late));
	EXPECT_LT(0, late.records);
	/* It lost the oldest: the newest is there. */
	EXPECT_EQ(1, late.count[self->next - 1]);
	EXPECT_EQ(0, late.count[0]);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(self->next, st.written);
	EXPECT_EQ(self->next, st.events_delivered);
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_EQ(0, q.events_lost);
	EXPECT_EQ(info.buffers_lost, q.rt_buffers_lost);
	adds_up(_metadata, self, &fast, &quick, st.events_delivered);
	adds_up(_metadata, self, &slow, &late, st.events_delivered);
	vm_reader_close(&fast);
	vm_reader_close(&slow);
}

/* Two buffers held for ever are extra to the pool. */
TEST_F(many, holder_harms_no_other_reader)
{
	struct etw_buffer_take t[2];
	struct vm_reader fast;
	struct seen quick = make_seen(50 * ROUND);
	int round, holder = vm_consume(self->fd, self->s.handle, O_NONBLOCK, NULL);

	ASSERT_LE(0, holder);
	ASSERT_EQ(0, vm_reader_open(&fast, self->fd, self->s.handle, O_NONBLOCK));
	ASSERT_EQ(0, put(self, ROUND));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_EQ(0, vm_take(holder, &t[0]));
	ASSERT_EQ(0, vm_take(holder, &t[1]));
	for (round = 1; round < 50; round++) {
		EXPECT_EQ(-EAGAIN, vm_drain(&fast, see, &quick));
		ASSERT_TRUE(vm_until(has_room(self)));
		ASSERT_EQ(0, put(self, ROUND));
		ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	}
	EXPECT_EQ(-EAGAIN, vm_drain(&fast, see, &quick));
	EXPECT_EQ(0, self->lost);
	EXPECT_EQ(50 * ROUND, quick.records);
	/* They are what they were. */
	EXPECT_EQ(0, vm_give(holder, t[0].index));
	EXPECT_EQ(0, vm_give(holder, t[1].index));
	close(holder);
	vm_reader_close(&fast);
}

static void die_holding(FIXTURE_DATA(many) *self)
{
	struct etw_buffer_take t;
	int cfd = vm_consume(self->fd, self->s.handle, O_NONBLOCK, NULL);

	if (cfd < 0 || put(self, 100) || vm_flush(self->fd, self->s.handle))
		_exit(1);
	if (vm_take(cfd, &t) || vm_take(cfd, &t))
		_exit(2);
	kill(getpid(), SIGKILL);
}

/* A hundred consumers die with two buffers each: the pool is whole after it.  B191 */
TEST_F(many, holders_die)
{
	struct etw_session before, now;
	struct etw_session_stat st;
	struct vm_reader fast;
	int i, status, other = vm_open();
	pid_t pid;

	ASSERT_EQ(0, vm_reader_open(&fast, self->fd, self->s.handle, O_NONBLOCK));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &before));
	for (i = 0; i < 100; i++) {
		pid = fork();
		if (!pid) {
			self->fd = vm_open();
			self->slot = vm_register(self->fd, vm_guid(1));
			die_holding(self);
		}
		status = vm_reap(pid);
		ASSERT_TRUE(WIFSIGNALED(status));
		EXPECT_EQ(-EAGAIN, vm_drain(&fast, NULL, NULL));
	}
	EXPECT_EQ(100 * 100, fast.events);
	ASSERT_EQ(0, vm_stat(other, self->s.handle, &st));
	EXPECT_EQ(1, st.consumer_count);
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	EXPECT_EQ(-EAGAIN, vm_drain(&fast, NULL, NULL));
	ASSERT_TRUE(vm_until(!vm_query(self->fd, self->s.handle, &now) &&
			     now.free_buffers >= before.free_buffers));
	EXPECT_LE(now.buffers, before.buffers + 2 * ETW_CONSUMERS_MAX);
	vm_reader_close(&fast);
	close(other);
}

/* Consumers come and go while events flow; the one that stays misses nothing. */
TEST_F(many, coming_and_going)
{
	struct vm_reader stays, guest[3] = { { .fd = -1 }, { .fd = -1 }, { .fd = -1 } };
	struct seen all = make_seen(300 * 50);
	int round;

	ASSERT_EQ(0, vm_reader_open(&stays, self->fd, self->s.handle, O_NONBLOCK));
	for (round = 0; round < 300; round++) {
		struct vm_reader *g = &guest[round % 3];

		ASSERT_EQ(0, put(self, 50));
		if (g->fd >= 0) {
			if (round % 2)
				vm_drain(g, NULL, NULL);
			EXPECT_EQ(NULL, g->error);
			vm_reader_close(g);
		}
		ASSERT_EQ(0, vm_reader_open(g, self->fd, self->s.handle, O_NONBLOCK));
		if (round % 5 == 0)
			ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
		EXPECT_NE(-EBADMSG, vm_drain(&stays, see, &all));
	}
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_EQ(0, vm_drain(&stays, see, &all));
	EXPECT_EQ(0, self->lost);
	EXPECT_EQ(300 * 50, all.records);
	EXPECT_EQ(0, all.twice);
	vm_reader_close(&stays);
}

/* Buffers that were not taken before the last consumer left are counted. */
TEST_F(many, last_one_leaves_its_backlog)
{
	struct etw_session_stat st;
	struct vm_reader r;

	ASSERT_EQ(0, vm_reader_open(&r, self->fd, self->s.handle, O_NONBLOCK));
	ASSERT_EQ(0, put(self, 200));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_EQ(1, vm_read_one(&r, NULL, NULL));
	vm_reader_close(&r);
	ASSERT_EQ(0, vm_reader_open(&r, self->fd, self->s.handle, O_NONBLOCK));
	EXPECT_NE(-EBADMSG, vm_drain(&r, NULL, NULL));
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(200, st.written);
	EXPECT_LE(r.events + st.discarded_events, 200);
	vm_reader_close(&r);
}

TEST_HARNESS_MAIN
