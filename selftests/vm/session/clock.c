// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock - the wall clock is set, and slewed, while events are written
 *
 * That does not affect a session's clock, unless it is the wall clock: then its times jump
 * as well, and the order of events stays.  These clocks cannot show whether the machine was
 * suspended, and that cannot be tried here: neither CLOCK_MONOTONIC nor CLOCK_BOOTTIME can
 * be set.
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_clock.h"
#include "lib/driver/vm_kmod.h"

#include <pthread.h>
#include <sys/timex.h>

#define CPUS	2
#define HOUR	3600LL
#define NOTES	64
#define TICKS	10000000LL	/* of the wall clock, in a second */
#define EVENTS	50		/* that a writer writes while something is done */

/* Of one flush: what complete_through promised. */
struct note {
	uint64_t through, sequence;
};

struct bufs {			/* earliest time of a buffer */
	uint64_t sequence;
	int64_t first;
};

FIXTURE(clock) {
	int fd;
	int slot;
	struct etw_session s;
	struct vm_reader r;
	pthread_t writer[CPUS];
	uint32_t written[CPUS];
	uint32_t quota;			/* that each writer may have written by now */
	bool over;
	bool wall;			/* the session's clock is the wall clock */
	long long shift;		/* seconds that it is off */
	int64_t slack;			/* ticks that the clock itself may step back; see slewed */
	unsigned int steps_back, steps_on;
	struct note notes[NOTES];
	unsigned int note_count;
	/* what was read */
	int64_t last[CPUS];
	uint32_t next[CPUS];
	unsigned int back[CPUS], on[CPUS], small_back, disordered;
	struct bufs *bufs;
	unsigned int buf_count;
};

FIXTURE_VARIANT(clock) {
	uint32_t type;
};

FIXTURE_VARIANT_ADD(clock, qpc) { .type = ETW_CLOCK_QPC };
FIXTURE_VARIANT_ADD(clock, system) { .type = ETW_CLOCK_SYSTEM };
FIXTURE_VARIANT_ADD(clock, cycles) { .type = ETW_CLOCK_CYCLES };

FIXTURE_SETUP(clock)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->s = vm_session("t-clock");
	self->s.clock = variant->type;
	self->s.flush_ms = 600000;
	self->s.min_buffers = self->s.max_buffers = 256;
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	ASSERT_EQ(variant->type, self->s.clock);
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	/* Cycles are the wall clock's where the TSC cannot be trusted. */
	self->wall = variant->type == ETW_CLOCK_SYSTEM ||
		     (variant->type == ETW_CLOCK_CYCLES && !vm_tsc_trusted());
	EXPECT_EQ(self->wall, self->s.clock_freq == TICKS);
	self->bufs = calloc(100000, sizeof(*self->bufs));
	ASSERT_NE(NULL, self->bufs);
}

/* Move the wall clock by this many seconds. */
static bool set_by(FIXTURE_DATA(clock) *self, long long seconds)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += seconds;
	self->shift += seconds;
	self->steps_back += seconds < 0;
	self->steps_on += seconds > 0;
	return !clock_settime(CLOCK_REALTIME, &ts);
}

FIXTURE_TEARDOWN(clock)
{
	if (self->shift)
		set_by(self, -self->shift);
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
	free(self->bufs);
}

/* ------------------------------------------------------------ write and read */

struct event {
	uint32_t cpu;
	uint32_t number;
};

static FIXTURE_DATA(clock) *all;	/* for the threads */

static void *write_on(void *arg)
{
	struct event e = { .cpu = (uint32_t)(uintptr_t)arg };

	vm_pin(e.cpu);
	while (!__atomic_load_n(&all->over, __ATOMIC_RELAXED)) {
		if (e.number == __atomic_load_n(&all->quota, __ATOMIC_RELAXED))
			usleep(1000);
		else if (!vm_write(all->fd, all->slot, 1, 1, 1, &e, sizeof(e)))
			__atomic_store_n(&all->written[e.cpu], ++e.number, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Every writer may write some more. */
static void go_on(FIXTURE_DATA(clock) *self)
{
	__atomic_fetch_add(&self->quota, EVENTS, __ATOMIC_RELAXED);
}

/* Every writer has written all that it may. */
static bool written(FIXTURE_DATA(clock) *self)
{
	return vm_until(__atomic_load_n(&self->written[0], __ATOMIC_RELAXED) == self->quota &&
			__atomic_load_n(&self->written[1], __ATOMIC_RELAXED) == self->quota);
}

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	FIXTURE_DATA(clock) *self = ctx;
	int64_t time = r->head->timestamp, step;
	struct bufs *buf;
	struct event e;

	memcpy(&e, r->data, sizeof(e));
	if (!self->buf_count ||
	    (uint64_t)b->sequence != self->bufs[self->buf_count - 1].sequence)
		self->bufs[self->buf_count++] = (struct bufs){
			.sequence = b->sequence, .first = time };
	buf = &self->bufs[self->buf_count - 1];
	if (time < buf->first)
		buf->first = time;
	if (e.cpu >= CPUS || e.cpu != b->processor || e.number != self->next[e.cpu]) {
		self->disordered++;
		return;
	}
	self->next[e.cpu]++;
	step = self->last[e.cpu] ? time - self->last[e.cpu] : 0;
	self->last[e.cpu] = time;
	if (step < -HOUR / 2 * TICKS && self->wall)
		self->back[e.cpu]++;
	else if (step < -self->slack)
		self->small_back++;
	else if (step > HOUR / 2 * TICKS && self->wall)
		self->on[e.cpu]++;
}

/* Flush, keep what complete_through says, and read. */
static bool flush(FIXTURE_DATA(clock) *self)
{
	struct etw_buffer_take t = { .size = sizeof(t), .flags = ETW_TAKE_PEEK };

	if (vm_flush(self->fd, self->s.handle) ||
	    vm_ioctl(self->r.fd, ETW_IOC_BUFFER_TAKE, &t) || self->note_count == NOTES)
		return false;
	self->notes[self->note_count++] = (struct note){ t.complete_through,
							 t.complete_sequence };
	return vm_drain(&self->r, see, self) == -EAGAIN;
}

/* ------------------------------------------------------------------- judging */

/* The three clocks of the last flush belong to one moment, which is now. */
static void check_sync(struct __test_metadata *_metadata, FIXTURE_DATA(clock) *self)
{
	double clock, mono;
	struct etw_session q;
	int64_t wall;

	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	wall = vm_filetime();
	EXPECT_LE((int64_t)q.sync_wall, wall);
	EXPECT_LT(wall - (int64_t)q.sync_wall, 60 * TICKS);
	EXPECT_EQ(self->s.start_wall, q.start_wall);
	EXPECT_EQ(self->s.start_mono, q.start_mono);
	EXPECT_EQ(self->s.start_clock, q.start_clock);
	EXPECT_LT(q.start_mono, q.sync_mono);
	if (self->wall) {
		EXPECT_LT(llabs((int64_t)(q.sync_clock - q.sync_wall)), TICKS / 10);
		return;
	}
	clock = (double)(q.sync_clock - q.start_clock) / q.clock_freq;
	mono = (double)(q.sync_mono - q.start_mono) / 1e9;
	EXPECT_LT(clock, mono * 1.02 + 0.01);
	EXPECT_LT(mono, clock * 1.02 + 0.01);
}

/* No event up to a promised time came in a buffer after the promise. */
static unsigned int broken_promises(FIXTURE_DATA(clock) *self)
{
	unsigned int i, j, n = 0;

	for (i = 0; i < self->note_count; i++)
		for (j = 0; j < self->buf_count; j++)
			n += self->bufs[j].sequence >= self->notes[i].sequence &&
			     self->bufs[j].first + self->slack <= (int64_t)self->notes[i].through;
	return n;
}

static void begin(struct __test_metadata *_metadata, FIXTURE_DATA(clock) *self)
{
	uintptr_t cpu;

	all = self;
	for (cpu = 0; cpu < CPUS; cpu++)
		ASSERT_EQ(0, pthread_create(&self->writer[cpu], NULL, write_on, (void *)cpu));
	go_on(self);
	ASSERT_TRUE(written(self));
	go_on(self);
	ASSERT_TRUE(flush(self));
}

static void end(struct __test_metadata *_metadata, FIXTURE_DATA(clock) *self)
{
	struct etw_session_stat st;
	uint64_t through = 0;
	unsigned int i;

	EXPECT_TRUE(written(self));
	__atomic_store_n(&self->over, true, __ATOMIC_RELAXED);
	for (i = 0; i < CPUS; i++)
		ASSERT_EQ(0, pthread_join(self->writer[i], NULL));
	ASSERT_TRUE(flush(self));
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(0, vm_dropped(&st));
	EXPECT_EQ(st.written, self->r.events);
	EXPECT_EQ(NULL, self->r.error);
	EXPECT_EQ(0, self->disordered);
	EXPECT_EQ(0, self->small_back);
	EXPECT_EQ(self->written[0], self->next[0]);
	EXPECT_EQ(self->written[1], self->next[1]);
	for (i = 0; i < CPUS; i++) {
		EXPECT_EQ(self->wall ? self->steps_back : 0, self->back[i]);
		EXPECT_EQ(self->wall ? self->steps_on : 0, self->on[i]);
	}
	if (self->wall && self->steps_back)
		return;		/* the promise does not hold then */
	EXPECT_EQ(0, broken_promises(self));
	for (i = 0; i < self->note_count; i++) {
		EXPECT_LT(through, self->notes[i].through + self->slack);
		through = self->notes[i].through;
	}
}

/* Set the clock, and flush, while events are written. */
static void set_amid(struct __test_metadata *_metadata, FIXTURE_DATA(clock) *self,
		     long long seconds)
{
	go_on(self);
	ASSERT_TRUE(set_by(self, seconds));
	go_on(self);
	ASSERT_TRUE(written(self));
	go_on(self);
	ASSERT_TRUE(flush(self));
	check_sync(_metadata, self);
}

/* B102, B172: the times of a CPU step only where the clock was set that they are of. */
TEST_F(clock, set_forward)
{
	int i;

	begin(_metadata, self);
	for (i = 0; i < 3; i++)
		set_amid(_metadata, self, HOUR);
	end(_metadata, self);
}

/* B172 */
TEST_F(clock, set_back_and_forward)
{
	static const long long hours[] = { 2, -4, 1, 24 * 365, -24 * 365, 1 };
	unsigned int i;

	begin(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(hours); i++)
		set_amid(_metadata, self, hours[i] * HOUR);
	end(_metadata, self);
}

/*
 * The kernel's time runs faster and slower, by as much as it allows. If the host holds up the CPU
 * that changes the kernel's clock in the midst of that, the others read the old clock meanwhile,
 * and a new one that is behind by a fifth of the delay afterwards.
 */
TEST_F(clock, slewed)
{
	struct timex t = { .modes = ADJ_FREQUENCY | ADJ_TICK };
	int i;

	if (self->wall || !vm_tsc_trusted())
		self->slack = self->s.clock_freq / 10;
	begin(_metadata, self);
	for (i = 0; i < 20; i++) {
		t.modes = ADJ_FREQUENCY | ADJ_TICK;
		t.freq = (i % 2 ? 500 : -500) << 16;
		t.tick = i % 2 ? 11000 : 9000;
		go_on(self);
		ASSERT_LE(0, adjtimex(&t));
		go_on(self);
		ASSERT_TRUE(written(self));
		go_on(self);
		ASSERT_TRUE(flush(self));
	}
	t.modes = ADJ_FREQUENCY | ADJ_TICK;
	t.freq = 0;
	t.tick = 10000;
	ASSERT_LE(0, adjtimex(&t));
	end(_metadata, self);
}

/* ------------------------------------------------------------- which it is */

/* Was it read between the two?  The last two are read with coarser means. */
static bool between(uint64_t before, uint64_t at, uint64_t after, uint64_t slack)
{
	return at >= before - slack && at <= after + slack;
}

/* Does the start time of a session of that type come from the right clock? */
static void check_source(struct __test_metadata *_metadata, int fd, uint32_t type, bool trusted)
{
	struct etw_session s = vm_session("t-source");
	struct vm_clocks before, after;
	bool tsc, mono, wall;

	s.clock = type;
	before = vm_clocks();
	ASSERT_EQ(0, vm_start(fd, &s));
	after = vm_clocks();
	EXPECT_EQ(type, s.clock);
	tsc = between(before.tsc, s.start_clock, after.tsc, 0) &&
	      s.clock_freq != VM_WALL_FREQ && s.clock_freq != VM_MONO_FREQ;
	mono = between(before.mono, s.start_clock, after.mono, VM_MONO_FREQ) &&
	       s.clock_freq == VM_MONO_FREQ;
	wall = between(before.wall, s.start_clock, after.wall, TICKS) &&
	       s.clock_freq == VM_WALL_FREQ;
	EXPECT_EQ(trusted && type != ETW_CLOCK_SYSTEM, tsc);
	EXPECT_EQ(!trusted && type == ETW_CLOCK_QPC, mono);
	EXPECT_EQ(type == ETW_CLOCK_SYSTEM || (!trusted && type == ETW_CLOCK_CYCLES), wall);
	EXPECT_EQ(0, vm_stop(fd, s.handle));
}

/*
 * B172: the counter is the TSC if and only if the CPU says that it is invariant,
 * or the administrator that it may be trusted, and the kernel has not found it
 * unstable; else cycles are the system's clock.
 */
TEST(cycles_where_they_may_be)
{
	static const char *const params[] = { "trust_tsc=0", "trust_tsc=1", NULL };
	const char *usual = getenv("ETW_MODULE_ARGS");
	uint32_t type;
	int i, fd;

	vm_pin(0);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, vm_rmmod("etw"));
		ASSERT_EQ(0, vm_insmod_with("etw", params[i] ?: usual ?: ""));
		ASSERT_TRUE(vm_until((fd = vm_open()) >= 0));
		if (i == 1)
			EXPECT_EQ(!vm_tsc_unstable(), vm_tsc_trusted());
		for (type = ETW_CLOCK_QPC; type <= ETW_CLOCK_CYCLES; type++)
			check_source(_metadata, fd, type, vm_tsc_trusted());
		close(fd);
	}
}

TEST_HARNESS_MAIN
