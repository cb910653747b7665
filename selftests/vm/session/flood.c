// SPDX-License-Identifier: GPL-2.0-only
/*
 * flood - who loses events when a process writes more than a session can take
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/vm_buf.h"
#include "lib/driver/vm_kmod.h"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <etw/format.h>

#include "kmod/etw_test/etw_test.h"

#define EVENTS		10000
#define FEW_EVENTS	2000	/* where each takes a buffer and a turn of the reader */
#define LARGE		65000	/* bytes of payload: close to the largest event */
#define SMALL		40
#define CAROL		1002
#define EACH		100	/* events of each of many users */
#define ALONE		2000	/* bytes of payload: the only one in a buffer of 4 KB */
#define AHEAD		6	/* events that a quiet user writes before they are read */
#define SMALL_AHEAD	500	/* the same of small ones: about a buffer of 64 KB */

static const struct etw_guid driver_guid = ETW_TEST_GUID;

/* What a child did; shared with it. */
struct tally {
	volatile uint64_t ok;
	volatile uint64_t failed;
	volatile uint64_t read;		/* how many the consumer has got, of vm_guid(2) */
	volatile int error;		/* of a write that failed for another reason */
};

struct counts {
	uint64_t records[4];		/* by number of vm_guid(); 0: the driver */
	uint64_t others;
	struct tally *quiet;		/* of the writer of vm_guid(2), or NULL */
};

FIXTURE(flood) {
	int fd, kfd;
	struct etw_session s;
	struct vm_reader r;
	pthread_t reader;
	bool reading;
	struct counts seen;
	struct tally *tally;		/* of up to 32 children */
	pid_t child[32];
	unsigned int children;
};

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct counts *c = ctx;
	struct etw_guid g;
	unsigned int i;

	(void)b;
	if (!memcmp(&r->head->provider, &driver_guid, sizeof(driver_guid))) {
		c->records[0]++;
		return;
	}
	for (i = 1; i < ARRAY_SIZE(c->records); i++) {
		g = vm_guid(i);
		if (!memcmp(&r->head->provider, &g, sizeof(g))) {
			c->records[i]++;
			if (i == 2 && c->quiet)
				c->quiet->read++;
			return;
		}
	}
	c->others++;
}

static uint64_t lost_for_size;

static void see_loss(const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct etw_loss_payload loss;

	(void)b;
	memcpy(&loss, r->data, sizeof(loss));
	if (loss.code == ETW_DROP_BUFFER_SIZE)
		lost_for_size += loss.events;
}

FIXTURE_SETUP(flood)
{
	lost_for_size = 0;
	self->r.fd = -1;
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->kfd = vm_test_provider();
	ASSERT_LE(0, self->kfd);
	self->tally = mmap(NULL, sizeof(struct tally) * ARRAY_SIZE(self->child),
			   PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->tally);
	self->s = vm_session("t-flood");
	self->s.buffer_kb = 128;
	self->s.max_buffers = 100;
}

static void end_children(FIXTURE_DATA(flood) *self)
{
	unsigned int i;

	for (i = 0; i < self->children; i++) {
		if (self->child[i] <= 0)
			continue;
		kill(self->child[i], SIGKILL);
		vm_reap(self->child[i]);
		self->child[i] = 0;
	}
}

FIXTURE_TEARDOWN(flood)
{
	end_children(self);
	vm_stop_all(self->fd);
	if (self->reading)
		pthread_join(self->reader, NULL);
	vm_reader_close(&self->r);
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	close(self->fd);
	munmap(self->tally, sizeof(struct tally) * ARRAY_SIZE(self->child));
}

/* Start the session and enable the driver and three GUIDs. */
static int begin(FIXTURE_DATA(flood) *self)
{
	int i, ret = vm_start(self->fd, &self->s);

	ret = ret ?: vm_enable(self->fd, self->s.handle, driver_guid, 0, 0, 0);
	for (i = 1; i <= 3; i++)
		ret = ret ?: vm_enable(self->fd, self->s.handle, vm_guid(i), 0, 0, 0);
	return ret;
}

static void *read_all(void *arg)
{
	FIXTURE_DATA(flood) *self = arg;
	const struct sched_param first = { .sched_priority = 1 };

	/* It reads whenever there is something, however many write. */
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		return NULL;
	vm_drain(&self->r, see, &self->seen);
	return NULL;
}

static int begin_reading(FIXTURE_DATA(flood) *self)
{
	int ret = vm_reader_open(&self->r, self->fd, self->s.handle, 0);

	self->reading = !ret && !pthread_create(&self->reader, NULL, read_all, self);
	return ret;
}

/* Stop the session, and read what it still has. */
static void stop_and_read(struct __test_metadata *_metadata, FIXTURE_DATA(flood) *self)
{
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	pthread_join(self->reader, NULL);
	self->reading = false;
}

/* ------------------------------------------------------------------ children */

struct writer {
	int fd, slot;
	uint32_t size;
	uint32_t count;			/* events; 0: without end */
	struct tally *tally;
	uint32_t ahead;			/* of the consumer; 0: does not matter */
};

/* Wait until the consumer has got most of what was written. */
static void wait_read(const struct writer *w)
{
	while (w->tally->ok - w->tally->read >= w->ahead)
		sched_yield();
}

static void *write_events(void *arg)
{
	struct writer *w = arg;
	static char data[LARGE];
	uint32_t i;
	int ret;

	for (i = 0; !w->count || i < w->count; i++) {
		if (w->ahead)
			wait_read(w);
		ret = vm_write(w->fd, w->slot, 1, 4, 1, data, w->size);
		if (!ret)
			__atomic_add_fetch(&w->tally->ok, 1, __ATOMIC_RELAXED);
		else if (ret == -ENOBUFS)
			__atomic_add_fetch(&w->tally->failed, 1, __ATOMIC_RELAXED);
		else
			w->tally->error = ret;
	}
	return NULL;
}

static void child_main(unsigned int uid, struct writer *w, struct etw_guid guid, int threads)
{
	const struct vm_who who = { .uid = uid, .gid = uid };
	pthread_t second;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (uid && vm_become(&who))
		_exit(1);
	w->fd = vm_open();
	w->slot = vm_register(w->fd, guid);
	if (w->slot < 0)
		_exit(2);
	if (threads > 1 && pthread_create(&second, NULL, write_events, w))
		_exit(3);
	write_events(w);
	_exit(0);
}

/* A user's process that writes as w says.  Returns its tally. */
static struct tally *writer_fork(FIXTURE_DATA(flood) *self, unsigned int uid, unsigned int guid,
				 struct writer w, int threads)
{
	struct tally *t = w.tally = &self->tally[self->children];
	pid_t pid = fork();

	if (!pid)
		child_main(uid, &w, vm_guid(guid), threads);
	self->child[self->children++] = pid;
	return t;
}

/* A user's process that writes count events; 0: without end.  Returns its tally. */
static struct tally *writer_start(FIXTURE_DATA(flood) *self, unsigned int uid, unsigned int guid,
				  uint32_t size, uint32_t count, int threads)
{
	return writer_fork(self, uid, guid, (struct writer){ .size = size, .count = count },
			   threads);
}

/* One user floods the session from two threads, without end. */
static struct tally *flood_start(FIXTURE_DATA(flood) *self, uint32_t size)
{
	return writer_start(self, VM_ALICE, 1, size, 0, 2);
}

/* Start the session and a consumer, and flood it. */
static struct tally *flood_reader(struct __test_metadata *_metadata, FIXTURE_DATA(flood) *self,
				  uint32_t size)
{
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, begin_reading(self));
	return flood_start(self, size);
}

static int writer_wait(FIXTURE_DATA(flood) *self, const struct tally *t)
{
	unsigned int i = t - self->tally;
	int status = vm_reap(self->child[i]);

	self->child[i] = 0;
	return status;
}

/* The session takes all of a user's events. */
static void user_writes(struct __test_metadata *_metadata, FIXTURE_DATA(flood) *self,
			unsigned int uid, unsigned int guid, uint32_t size, uint32_t count)
{
	struct tally *t = writer_start(self, uid, guid, size, count, 1);

	EXPECT_EQ(0, writer_wait(self, t));
	EXPECT_EQ(count, t->ok);
}

/*
 * The driver writes its events, some at a time, and never more than ahead before they are
 * read; the session takes all.
 */
static void driver_writes(struct __test_metadata *_metadata, FIXTURE_DATA(flood) *self,
			  uint32_t count, uint32_t ahead)
{
	struct etw_test_write w = { .count = 100, .size = SMALL, .descriptors = 1,
				    .desc = { .id = 5, .level = 4, .keyword = 1 } };
	uint32_t i, ok = 0;

	for (i = 0; i < count; i += w.count) {
		w.ok = 0;
		ASSERT_TRUE(vm_until(i + w.count <= ahead +
				     __atomic_load_n(&self->seen.records[0], __ATOMIC_RELAXED)));
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &w));
		ok += w.ok;
	}
	EXPECT_EQ(count, ok);
}

static uint64_t dropped_for(FIXTURE_DATA(flood) *self, uint32_t cause)
{
	struct etw_session_stat st;

	return vm_stat(self->fd, self->s.handle, &st) ? 0 : etw_stat_dropped(&st, cause);
}

/* Has the session grown to its maximum, and the reserve with it? */
static bool is_grown(FIXTURE_DATA(flood) *self, struct etw_session *q)
{
	return !vm_query(self->fd, self->s.handle, q) && q->buffers >= q->max_buffers;
}

/* Is nothing but the reserve free then? */
static bool is_full(FIXTURE_DATA(flood) *self, struct etw_session *q)
{
	return is_grown(self, q) && !q->free_buffers;
}

/* --------------------------------------------------------------------- tests */

/*
 * One user floods, from two threads, with events of the largest size.  All events of a driver
 * and of another user arrive, and the flood's losses have their cause.  Both wait for the
 * reader: a machine that does not run it, or the session's worker, for long is not what the
 * test is about.
 */
TEST_F(flood, others_lose_nothing)
{
	struct tally *flood, *bob;
	struct etw_session_stat st;

	/* Until somebody reads, the flood loses events on the fastest machine, too. */
	ASSERT_EQ(0, begin(self));
	flood = flood_start(self, LARGE);
	ASSERT_TRUE(vm_until(flood->failed > 50));
	self->seen.quiet = &self->tally[1];
	ASSERT_EQ(0, begin_reading(self));
	bob = writer_fork(self, VM_BOB, 2, (struct writer){ .size = SMALL, .count = EVENTS,
							    .ahead = SMALL_AHEAD }, 1);
	ASSERT_EQ(self->seen.quiet, bob);
	driver_writes(_metadata, self, EVENTS, SMALL_AHEAD);
	EXPECT_EQ(0, writer_wait(self, bob));
	EXPECT_EQ(EVENTS, bob->ok);
	EXPECT_EQ(0, bob->failed);
	EXPECT_EQ(0, bob->error);
	EXPECT_EQ(0, flood->error);
	EXPECT_LT(0, flood->ok);
	end_children(self);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	/* A child that was killed may have written without counting it. */
	EXPECT_LE(flood->failed, vm_dropped(&st));
	EXPECT_GE(flood->failed + 2, vm_dropped(&st));
	/* Whoever is alone at that moment has filled the session by himself. */
	EXPECT_EQ(vm_dropped(&st), etw_stat_dropped(&st, ETW_DROP_FAIR_SHARE) +
		  etw_stat_dropped(&st, ETW_DROP_NO_BUFFER));
	stop_and_read(_metadata, self);
	EXPECT_EQ(EVENTS, self->seen.records[0]);
	EXPECT_EQ(EVENTS, self->seen.records[2]);
	EXPECT_EQ(0, self->seen.others);
	EXPECT_EQ(NULL, self->r.error);
}

/* The same with a flood of small events, which write into buffers that others installed. */
TEST_F(flood, of_small_events)
{
	struct tally *flood, *bob;

	self->s.buffer_kb = 64;
	self->seen.quiet = &self->tally[1];
	flood = flood_reader(_metadata, self, SMALL);
	ASSERT_TRUE(vm_until(flood->ok > 1000));
	bob = writer_fork(self, VM_BOB, 2, (struct writer){ .size = SMALL, .count = EVENTS,
							    .ahead = SMALL_AHEAD }, 1);
	ASSERT_EQ(self->seen.quiet, bob);
	driver_writes(_metadata, self, EVENTS, SMALL_AHEAD);
	EXPECT_EQ(0, writer_wait(self, bob));
	EXPECT_EQ(EVENTS, bob->ok);
	end_children(self);
	stop_and_read(_metadata, self);
	EXPECT_EQ(EVENTS, self->seen.records[0]);
	EXPECT_EQ(EVENTS, self->seen.records[2]);
}

/*
 * A flood takes every buffer above the reserve as soon as it is free, and each event of another
 * user needs a buffer: they get it, whoever was faster.
 */
TEST_F(flood, quiet_user_changes_buffers)
{
	struct tally *flood, *bob;
	struct etw_session q;

	self->s.buffer_kb = 4;
	self->seen.quiet = &self->tally[1];
	/* A reader that keeps up would leave the flood all it wants. */
	ASSERT_EQ(0, begin(self));
	flood = flood_start(self, ALONE);
	ASSERT_TRUE(vm_until(flood->failed > 50 && is_grown(self, &q)));
	ASSERT_EQ(0, begin_reading(self));
	bob = writer_fork(self, VM_BOB, 2, (struct writer){ .size = ALONE, .count = FEW_EVENTS,
							    .ahead = AHEAD }, 1);
	ASSERT_EQ(self->seen.quiet, bob);
	EXPECT_EQ(0, writer_wait(self, bob));
	EXPECT_EQ(FEW_EVENTS, bob->ok);
	EXPECT_EQ(0, bob->failed);
	TH_LOG("flood: %llu, and %llu lost", (unsigned long long)flood->ok,
	       (unsigned long long)flood->failed);
	end_children(self);
	stop_and_read(_metadata, self);
	EXPECT_EQ(FEW_EVENTS, self->seen.records[2]);
}

/* Nobody reads: what is kept for others is there for them when the flood has taken the rest. */
TEST_F(flood, leaves_a_reserve)
{
	struct etw_session_stat st;
	struct tally *flood;
	struct etw_session q;

	self->s.flush_ms = 600000;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_LT(0, q.reserve_buffers);
	EXPECT_EQ(q.min_buffers, q.buffers);
	flood = flood_start(self, LARGE);
	ASSERT_TRUE(vm_until(is_full(self, &q) && flood->failed > 50));
	EXPECT_LE(self->s.max_buffers, flood->ok);
	/* Alone, they have filled the session: nobody else's share was in the way. */
	EXPECT_EQ(0, dropped_for(self, ETW_DROP_FAIR_SHARE));

	/* Another registration of theirs, another user, and the driver */
	user_writes(_metadata, self, VM_ALICE, 3, SMALL, 100);
	user_writes(_metadata, self, VM_BOB, 2, SMALL, 1000);
	driver_writes(_metadata, self, 1000, 1000);
	end_children(self);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_LE(flood->failed, vm_dropped(&st));
	EXPECT_GE(flood->failed + 2, vm_dropped(&st));

	/* All of it is there for a reader. */
	ASSERT_EQ(0, begin_reading(self));
	stop_and_read(_metadata, self);
	EXPECT_EQ(1000, self->seen.records[0]);
	EXPECT_EQ(1000, self->seen.records[2]);
	EXPECT_EQ(100, self->seen.records[3]);
}

/* Change the own name without end. */
static void rename_child(void)
{
	const struct vm_who who = { .uid = VM_ALICE, .gid = VM_ALICE };
	uint32_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (vm_become(&who))
		_exit(1);
	for (i = 0;; i++)
		prctl(PR_SET_NAME, i & 1 ? "one" : "two");
}

static bool is_full_and_loses(FIXTURE_DATA(flood) *self)
{
	struct etw_session_stat st;
	struct etw_session q;

	return is_full(self, &q) && !vm_stat(self->fd, self->s.handle, &st) &&
	       vm_dropped(&st) > 50;
}

/* A user floods with events that the kernel writes about their processes: they pay for them. */
TEST_F(flood, of_process_events)
{
	static const struct etw_guid process_guid = ETW_PROCESS_GUID;
	pid_t pid;

	self->s.flush_ms = 600000;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, process_guid, 4, 0, 0));
	pid = fork();
	if (!pid)
		rename_child();
	self->child[self->children++] = pid;
	ASSERT_TRUE(vm_until(is_full_and_loses(self)));
	user_writes(_metadata, self, VM_BOB, 2, SMALL, 1000);
	driver_writes(_metadata, self, 1000, 1000);
	end_children(self);
}

/* Nobody reads, and the flood's losses are recorded again and again: not in the reserve. */
TEST_F(flood, losses_leave_the_reserve)
{
	struct tally *flood;
	struct etw_session q;
	uint64_t failed;
	uint32_t i;

	self->s.flush_ms = 600000;
	ASSERT_EQ(0, begin(self));
	flood = flood_start(self, LARGE);
	ASSERT_TRUE(vm_until(is_full(self, &q)));
	for (i = 0; i < 2 * q.reserve_buffers; i++) {
		failed = flood->failed;
		ASSERT_TRUE(vm_until(flood->failed > failed));
		ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	}
	user_writes(_metadata, self, VM_BOB, 2, SMALL, 100);
	driver_writes(_metadata, self, 1000, 1000);
}

/*
 * A consumer does not read.  A buffer of losses is the oldest one, and then all is full: a
 * flood's own backlog makes room for its later events, and the losses are told.
 */
TEST_F(flood, losses_before_the_backlog)
{
	static char data[LARGE];
	struct tally *flood;
	struct etw_session q;
	int slot;

	self->s.buffer_kb = 32;
	self->s.flush_ms = 600000;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	slot = vm_register(self->fd, vm_guid(1));
	ASSERT_LE(0, slot);
	/* Larger than a buffer */
	EXPECT_GT(0, vm_write(self->fd, slot, 1, 4, 1, data, LARGE));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	flood = flood_start(self, LARGE / 3);
	EXPECT_TRUE(vm_until(flood->ok > 3 * self->s.max_buffers));
	end_children(self);
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_LT(0, q.rt_buffers_lost);
	TH_LOG("flood: %llu, %llu failed; %u of %u buffers free, reserve %u, %u lost",
	       (unsigned long long)flood->ok, (unsigned long long)flood->failed, q.free_buffers,
	       q.buffers, q.reserve_buffers, q.rt_buffers_lost);
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	vm_loss_fn = see_loss;
	EXPECT_EQ(-EAGAIN, vm_drain(&self->r, see, &self->seen));
	vm_loss_fn = NULL;
	EXPECT_EQ(1, lost_for_size);
	EXPECT_EQ(NULL, self->r.error);
}

/*
 * The same if each CPU has a buffer with room that a user above their share may not use: their
 * events need no other buffer, and still their backlog makes room for them.
 */
TEST_F(flood, open_buffers_of_the_reserve)
{
	struct etw_test_write w = { .count = 1, .size = SMALL, .descriptors = 1,
				    .desc = { .id = 5, .level = 4, .keyword = 1 } };
	struct tally *alice;
	struct etw_session q;
	int cpu;

	self->s.buffer_kb = 4;
	self->s.min_buffers = self->s.max_buffers = 32;
	self->s.flush_ms = 600000;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	/* One event after the other, until all buffers but the reserve are taken */
	alice = writer_fork(self, VM_ALICE, 1, (struct writer){ .size = ALONE, .ahead = 1 }, 1);
	do {
		ASSERT_TRUE(vm_until(alice->ok == alice->read + 1));
	} while (!is_full(self, &q) && ++alice->read);
	ASSERT_EQ(0, alice->failed);
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	for (cpu = 0; cpu < 2; cpu++) {
		vm_pin(cpu);
		w.ok = 0;
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &w));
		ASSERT_EQ(1, w.ok);
	}
	alice->read++;
	EXPECT_TRUE(vm_until(alice->ok == alice->read + 1));
	EXPECT_LT(0, alice->failed);
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_LT(0, q.rt_buffers_lost);
}

/* The reserve is in proportion to the buffers that the session has, not to those it may have. */
TEST_F(flood, reserve_grows)
{
	struct etw_session u = vm_session(NULL);
	struct etw_session q;

	self->s.flush_ms = 600000;
	self->s.min_buffers = 8;
	self->s.max_buffers = 120;
	self->s.buffer_kb = 64;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_EQ(8, q.buffers);
	EXPECT_LE(2, q.reserve_buffers);
	EXPECT_GE(8, q.reserve_buffers);
	flood_start(self, SMALL);
	ASSERT_TRUE(vm_until(is_full(self, &q)));
	EXPECT_LE(120 / 5, q.reserve_buffers);
	EXPECT_GE(120 / 4, q.reserve_buffers);
	u.handle = self->s.handle;
	u.max_buffers = 240;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE, &u));
	ASSERT_TRUE(vm_until(is_full(self, &q) && q.max_buffers == 240));
	EXPECT_LE(240 / 5, q.reserve_buffers);
	EXPECT_GE(240 / 4, q.reserve_buffers);
	user_writes(_metadata, self, VM_BOB, 2, SMALL, 1000);
	driver_writes(_metadata, self, EVENTS, EVENTS);
}

/* More users than have shares of their own: the kernel's part is still there. */
TEST_F(flood, of_many_users)
{
	struct etw_session_stat st;
	uint64_t written = 0, failed = 0;
	struct tally *t[24];
	unsigned int i;

	self->s.flush_ms = 600000;
	ASSERT_EQ(0, begin(self));
	for (i = 0; i < ARRAY_SIZE(t); i++)
		t[i] = writer_start(self, 3000 + i, 1, LARGE, EACH, 1);
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		EXPECT_EQ(0, writer_wait(self, t[i]));
		written += t[i]->ok;
		failed += t[i]->failed;
	}
	EXPECT_EQ(EACH * ARRAY_SIZE(t), written + failed);
	driver_writes(_metadata, self, 1000, 1000);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(written + 1000, st.written);
	EXPECT_EQ(failed, vm_dropped(&st));
	EXPECT_LT(0, etw_stat_dropped(&st, ETW_DROP_FAIR_SHARE));
}

/* The budget holds for each user, in each second; not for the kernel. */
TEST_F(flood, budget)
{
	struct etw_session u = vm_session(NULL);
	struct tally *alice, *carol;
	struct etw_session q;
	long long begin_ms;

	self->s.user_budget_kb = 64;
	self->s.min_buffers = self->s.max_buffers = 200;
	self->s.buffer_kb = 64;
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(64, self->s.user_budget_kb);
	begin_ms = vm_ms();
	alice = writer_start(self, VM_ALICE, 1, 1000, 0, 1);
	ASSERT_TRUE(vm_until(alice->failed > 50));
	user_writes(_metadata, self, VM_BOB, 2, SMALL, 100);
	driver_writes(_metadata, self, 1000, 1000);
	/* 64 KB are 60 events of 1,080 bytes, in every second that has begun. */
	EXPECT_LE(60, alice->ok);
	EXPECT_GE(60 * ((vm_ms() - begin_ms) / 1000 + 2), (long long)alice->ok);
	EXPECT_LE(50, dropped_for(self, ETW_DROP_BUDGET));
	EXPECT_EQ(0, dropped_for(self, ETW_DROP_FAIR_SHARE));
	EXPECT_EQ(0, dropped_for(self, ETW_DROP_NO_BUFFER));
	end_children(self);

	/* 0 keeps it, another value replaces it, and it can be ended. */
	u.handle = self->s.handle;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE, &u));
	EXPECT_EQ(64, u.user_budget_kb);
	u.user_budget_kb = 1;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE, &u));
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_EQ(1, q.user_budget_kb);
	carol = writer_start(self, CAROL, 3, 1000, 1, 1);
	EXPECT_EQ(0, writer_wait(self, carol));
	EXPECT_EQ(1, carol->failed);	/* one event is more than the budget */
	u.user_budget_kb = ETW_BUDGET_NONE;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE, &u));
	EXPECT_EQ(0, u.user_budget_kb);
	user_writes(_metadata, self, CAROL, 3, 1000, 1000);
}

TEST_HARNESS_MAIN
