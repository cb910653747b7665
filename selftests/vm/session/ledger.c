// SPDX-License-Identifier: GPL-2.0-only
/*
 * ledger - losses are in the trace: how many events of which CPU and provider each cause
 * cost, from when to when, against the writers' own tally
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_clock.h"

#include <pthread.h>
#include <sched.h>

#define LOSSES_MAX	4096

static struct recorded {
	struct etw_loss_payload loss;
	int64_t timestamp;
	char cause[32];
	char session[64];
} recorded[LOSSES_MAX];
static uint32_t recorded_count;
static bool told_bad;

static void take_loss(const struct etw_buffer_header *b, const struct vm_record *r)
{
	const char *cause = (const char *)r->data + sizeof(recorded[0].loss), *session;
	struct recorded *t = &recorded[recorded_count];
	size_t len;

	if (recorded_count == LOSSES_MAX || r->len < sizeof(t->loss) + 2 || r->data[r->len - 1] ||
	    r->head->desc.channel != ETW_CHANNEL_TRACELOGGING || !r->ext || b->sequence < 0) {
		told_bad = true;
		return;
	}
	len = strlen(cause);
	session = cause + len + 1;
	if (session > (const char *)r->data + r->len - 1 || len >= sizeof(t->cause) ||
	    strlen(session) >= sizeof(t->session)) {
		told_bad = true;
		return;
	}
	memcpy(&t->loss, r->data, sizeof(t->loss));
	t->timestamp = r->head->timestamp;
	strcpy(t->cause, cause);
	strcpy(t->session, session);
	told_bad |= t->loss.first > t->loss.last || t->loss.events <= 0;
	recorded_count++;
}

FIXTURE(ledger) {
	int fd, slot;
	struct etw_session s;
	struct vm_reader r;
};

FIXTURE_SETUP(ledger)
{
	recorded_count = 0;
	told_bad = false;
	vm_loss_fn = take_loss;
	self->r.fd = -1;
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(ledger)
{
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
	EXPECT_FALSE(told_bad);
}

/* A session of small buffers, with no flush but those of the test */
static int start(FIXTURE_DATA(ledger) *self, uint32_t mode, uint32_t buffers)
{
	int ret;

	self->s = vm_session("t-ledger");
	self->s.mode = mode;
	self->s.buffer_kb = 4;
	self->s.min_buffers = buffers;
	self->s.max_buffers = buffers;
	self->s.flush_ms = 3600 * 1000;
	ret = vm_start(self->fd, &self->s);
	if (!ret)
		ret = vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK);
	return ret ? ret : vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0);
}

/* Write events of this payload size; returns how many the session refused. */
static uint32_t attempt(FIXTURE_DATA(ledger) *self, int slot, uint32_t n, uint32_t size)
{
	static char payload[8192];
	uint32_t lost = 0;

	while (n--)
		lost += vm_write(self->fd, slot, 1, 1, 1, payload, size) != 0;
	return lost;
}

static uint64_t sum(uint32_t code, int cpu)
{
	uint64_t events = 0;
	uint32_t i;

	for (i = 0; i < recorded_count; i++)
		if (recorded[i].loss.code == code && (cpu < 0 || recorded[i].loss.cpu == cpu))
			events += recorded[i].loss.events;
	return events;
}

/* Flush, and read what there is. */
static bool deliver(FIXTURE_DATA(ledger) *self)
{
	return !vm_flush(self->fd, self->s.handle) && vm_drain(&self->r, NULL, NULL) == -EAGAIN;
}

TEST_F(ledger, nothing_lost)
{
	ASSERT_EQ(0, start(self, ETW_MODE_REAL_TIME, 8));
	EXPECT_EQ(0, attempt(self, self->slot, 10, 100));
	ASSERT_TRUE(deliver(self));
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_EQ(0, vm_drain(&self->r, NULL, NULL));
	EXPECT_EQ(10, self->r.events);
	EXPECT_EQ(1, self->r.buffers);
	EXPECT_EQ(0, recorded_count);
}

/* One record, complete in all its parts, behind the events of the buffer */
TEST_F(ledger, one_cause)
{
	struct etw_guid provider = vm_guid(1);
	struct etw_consumer_info info;
	int64_t before, after;

	ASSERT_EQ(0, start(self, ETW_MODE_REAL_TIME, 8));
	EXPECT_EQ(0, attempt(self, self->slot, 3, 100));
	before = vm_filetime();
	EXPECT_EQ(5, attempt(self, self->slot, 5, 5000));
	after = vm_filetime();
	EXPECT_EQ(0, attempt(self, self->slot, 3, 100));
	ASSERT_TRUE(deliver(self));
	ASSERT_EQ(1, recorded_count);
	EXPECT_EQ(ETW_DROP_BUFFER_SIZE, recorded[0].loss.code);
	EXPECT_EQ(0, recorded[0].loss.cpu);
	EXPECT_EQ(5, recorded[0].loss.events);
	EXPECT_EQ(0, recorded[0].loss.buffers);
	EXPECT_EQ(0, memcmp(&provider, &recorded[0].loss.provider, sizeof(provider)));
	EXPECT_STREQ("buffer_size", recorded[0].cause);
	EXPECT_STREQ("t-ledger", recorded[0].session);
	EXPECT_LE(before - VM_FILETIME_SLACK, recorded[0].loss.first);
	EXPECT_GE(after + VM_FILETIME_SLACK, recorded[0].loss.last);
	EXPECT_LT(recorded[0].loss.first, recorded[0].loss.last);
	EXPECT_LE(recorded[0].loss.last, recorded[0].loss.noted);
	/* It is no event to any counter. */
	EXPECT_EQ(6, self->r.events);
	ASSERT_EQ(0, vm_consumer_info(self->r.fd, &info));
	EXPECT_EQ(6, info.events);
	/* It is recorded once. */
	EXPECT_EQ(0, attempt(self, self->slot, 3, 100));
	ASSERT_TRUE(deliver(self));
	EXPECT_EQ(1, recorded_count);
}

/* Events of two providers: no provider is named. */
TEST_F(ledger, two_providers)
{
	int other = vm_register(self->fd, vm_guid(2));
	struct etw_guid provider = vm_guid(2);

	ASSERT_LE(0, other);
	ASSERT_EQ(0, start(self, ETW_MODE_REAL_TIME, 8));
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(2), 0, 0, 0));
	EXPECT_EQ(2, attempt(self, self->slot, 2, 5000));
	EXPECT_EQ(2, attempt(self, other, 2, 5000));
	ASSERT_TRUE(deliver(self));
	ASSERT_EQ(1, recorded_count);
	EXPECT_EQ(4, recorded[0].loss.events);
	EXPECT_TRUE(vm_guid_zero(&recorded[0].loss.provider));
	EXPECT_EQ(1, attempt(self, other, 1, 5000));
	ASSERT_TRUE(deliver(self));
	ASSERT_EQ(2, recorded_count);
	EXPECT_EQ(0, memcmp(&provider, &recorded[1].loss.provider, sizeof(provider)));
}

static int missed(FIXTURE_DATA(ledger) *self, uint32_t flags, uint64_t count)
{
	struct etw_session_missed m = { .size = sizeof(m), .flags = flags, .handle = self->s.handle,
					.provider = vm_guid(1), .events = count };

	return vm_ioctl(self->fd, ETW_IOC_SESSION_MISSED, &m);
}

static uint64_t dropped(FIXTURE_DATA(ledger) *self)
{
	struct etw_session_stat st;

	return vm_stat(self->fd, self->s.handle, &st) ? UINT64_MAX : vm_dropped(&st);
}

#define FOUR_BILLION	(1ULL << 32)

/*
 * A command reports what the kernel missed of a probe as a count, which grows while the session has
 * the provider enabled.
 */
TEST_F(ledger, missed_of_a_probe)
{
	ASSERT_EQ(0, start(self, ETW_MODE_REAL_TIME, 8));
	ASSERT_EQ(0, vm_disable(self->fd, self->s.handle, vm_guid(1)));
	EXPECT_EQ(-ENOENT, missed(self, ETW_MISSED_BEGIN, 100));
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0));
	EXPECT_EQ(-ENOENT, missed(self, ETW_MISSED_SINCE, 100));
	EXPECT_EQ(0, missed(self, ETW_MISSED_BEGIN, 100));
	EXPECT_EQ(0, missed(self, ETW_MISSED_SINCE, 103));
	EXPECT_EQ(3, dropped(self));
	/* It goes on, also where the session changes what it wants of the provider. */
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 4, 0, 0));
	EXPECT_EQ(0, missed(self, ETW_MISSED_BEGIN, 200));
	EXPECT_EQ(0, missed(self, ETW_MISSED_SINCE, 104));
	EXPECT_EQ(0, missed(self, ETW_MISSED_SINCE, 104));
	EXPECT_EQ(4, dropped(self));
	/* A probe that was made anew counts from 0. */
	EXPECT_EQ(0, missed(self, ETW_MISSED_SINCE, 1));
	EXPECT_EQ(0, missed(self, ETW_MISSED_SINCE, 2));
	EXPECT_EQ(5, dropped(self));
	/* What is too much for one call is counted by the next ones. */
	EXPECT_EQ(0, missed(self, ETW_MISSED_SINCE, 2 + FOUR_BILLION));
	EXPECT_EQ(0, missed(self, ETW_MISSED_SINCE, 2 + FOUR_BILLION));
	EXPECT_EQ(0, missed(self, ETW_MISSED_SINCE, 2 + FOUR_BILLION));
	EXPECT_EQ(5 + FOUR_BILLION, dropped(self));
	ASSERT_EQ(0, vm_disable(self->fd, self->s.handle, vm_guid(1)));
	EXPECT_EQ(-ENOENT, missed(self, ETW_MISSED_SINCE, 9));
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0));
	EXPECT_EQ(-ENOENT, missed(self, ETW_MISSED_SINCE, 9));
	EXPECT_EQ(5 + FOUR_BILLION, dropped(self));
}

/* No buffer with events follows: at a flush and at the stop losses get buffers of their own. */
TEST_F(ledger, nothing_but_losses)
{
	ASSERT_EQ(0, start(self, ETW_MODE_REAL_TIME, 8));
	EXPECT_EQ(7, attempt(self, self->slot, 7, 5000));
	ASSERT_TRUE(deliver(self));
	EXPECT_EQ(1, recorded_count);
	EXPECT_EQ(7, sum(ETW_DROP_BUFFER_SIZE, 0));
	EXPECT_EQ(0, attempt(self, self->slot, 3, 100));
	EXPECT_EQ(-EFAULT, vm_write(self->fd, self->slot, 1, 1, 1, (void *)16, 100));
	ASSERT_TRUE(deliver(self));
	EXPECT_EQ(1, sum(ETW_DROP_COPY_FAULT, 0));
	EXPECT_EQ(4, attempt(self, self->slot, 4, 5000));
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_EQ(0, vm_drain(&self->r, NULL, NULL));
	EXPECT_EQ(3, self->r.events);
	EXPECT_EQ(11, sum(ETW_DROP_BUFFER_SIZE, 0));
	EXPECT_EQ(1, sum(ETW_DROP_COPY_FAULT, -1));
}

/* Bursts that exhaust the buffers on both CPUs: each CPU's tally is in the trace. */
static bool bursts(FIXTURE_DATA(ledger) *self, uint64_t lost[2], uint64_t *attempted)
{
	int i, cpu;

	for (i = 0; i < 20; i++) {
		for (cpu = 0; cpu < 2; cpu++) {
			vm_pin(cpu);
			lost[cpu] += attempt(self, self->slot, 500, 100);
			*attempted += 500;
		}
		vm_pin(0);
		if (i % 4 == 3 && !deliver(self))
			return false;
	}
	return true;
}

static bool balanced(FIXTURE_DATA(ledger) *self, const uint64_t lost[2], uint64_t attempted)
{
	struct etw_session_stat st;
	struct etw_consumer_info info;
	int i;

	if (vm_stat(self->fd, self->s.handle, &st) || vm_stop(self->fd, self->s.handle) ||
	    vm_drain(&self->r, NULL, NULL) || vm_consumer_info(self->r.fd, &info))
		return false;
	printf("# %llu attempted, %llu read, %llu and %llu lost by CPU; %u records\n",
	       (unsigned long long)attempted, (unsigned long long)self->r.events,
	       (unsigned long long)lost[0], (unsigned long long)lost[1], recorded_count);
	for (i = 0; i < ETW_DROP_CAUSES; i++)
		if (sum(i, -1) != etw_stat_dropped(&st, i))
			return false;
	return self->r.events + info.events_lost + sum(ETW_DROP_NO_BUFFER, -1) == attempted &&
	       sum(ETW_DROP_NO_BUFFER, 0) == lost[0] && sum(ETW_DROP_NO_BUFFER, 1) == lost[1] &&
	       lost[0] + lost[1];
}

TEST_F(ledger, no_buffer)
{
	uint64_t lost[2] = { 0 }, attempted = 0;

	ASSERT_EQ(0, start(self, ETW_MODE_REAL_TIME, 8));
	ASSERT_TRUE(bursts(self, lost, &attempted));
	EXPECT_TRUE(balanced(self, lost, attempted));
}

TEST_F(ledger, no_buffer_shared)
{
	uint64_t lost[2] = { 0 }, attempted = 0;

	ASSERT_EQ(0, start(self, ETW_MODE_REAL_TIME | ETW_MODE_NO_PER_PROCESSOR, 8));
	ASSERT_TRUE(bursts(self, lost, &attempted));
	EXPECT_TRUE(balanced(self, lost, attempted));
}

/* A snapshot records what its session lost before. */
TEST_F(ledger, buffering)
{
	ASSERT_EQ(0, start(self, ETW_MODE_BUFFERING, 8));
	EXPECT_EQ(0, attempt(self, self->slot, 5, 100));
	EXPECT_EQ(6, attempt(self, self->slot, 6, 5000));
	ASSERT_TRUE(deliver(self));
	EXPECT_EQ(5, self->r.events);
	EXPECT_EQ(6, sum(ETW_DROP_BUFFER_SIZE, 0));
	EXPECT_EQ(1, recorded_count);
}

/* ----------------------------------------------------- what one consumer loses */

/*
 * Read all there is; each buffer that tells of lost ones stands where they are missing: it
 * has the number of the last of them, and its record their count.
 */
static bool read_gaps(struct vm_reader *r, uint32_t *gaps)
{
	const struct etw_buffer_header *b = (const void *)r->buf;
	int64_t next = r->last_sequence + 1, missing;
	uint32_t before;
	int ret;

	for (;;) {
		before = recorded_count;
		ret = vm_read_one(r, NULL, NULL);
		if (ret != 1)
			return !ret || ret == -EAGAIN;
		missing = 0;
		for (; before < recorded_count; before++)
			if (recorded[before].loss.code == ETW_LOSS_CONSUMER)
				missing += recorded[before].loss.buffers;
		if (!missing != !(b->flags & ETW_BUFFER_BUFFER_LOST) ||
		    b->sequence != next + (missing ? missing - 1 : 0)) {
			printf("# buffer %lld after %lld tells of %lld missing\n",
			       (long long)b->sequence, (long long)next - 1, (long long)missing);
			return false;
		}
		*gaps += missing > 0;
		next = b->sequence + 1;
	}
}

/* Bursts that overrun a consumer which reads nothing until the end, besides one that does */
static bool overrun(FIXTURE_DATA(ledger) *self, struct vm_reader *fast, uint64_t *refused,
		    uint64_t *attempted)
{
	int i;

	for (i = 0; i < 40; i++) {
		*refused += attempt(self, self->slot, 100, 100);
		*attempted += 100;
		if (vm_flush(self->fd, self->s.handle) ||
		    (fast && vm_drain(fast, NULL, NULL) != -EAGAIN))
			return false;
	}
	return true;
}

static uint64_t sum_buffers(uint32_t code)
{
	uint64_t buffers = 0;
	uint32_t i;

	for (i = 0; i < recorded_count; i++)
		if (recorded[i].loss.code == code)
			buffers += recorded[i].loss.buffers;
	return buffers;
}

TEST_F(ledger, slow_consumer)
{
	uint64_t refused = 0, attempted = 0;
	struct etw_consumer_info info;
	struct etw_session_stat st;
	uint32_t gaps = 0;

	ASSERT_EQ(0, start(self, ETW_MODE_REAL_TIME, 8));
	ASSERT_TRUE(overrun(self, NULL, &refused, &attempted));
	ASSERT_TRUE(read_gaps(&self->r, &gaps));
	EXPECT_EQ(1, gaps);
	/* In the middle of what it reads, and at the end */
	ASSERT_TRUE(overrun(self, NULL, &refused, &attempted));
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	ASSERT_TRUE(read_gaps(&self->r, &gaps));
	EXPECT_EQ(2, gaps);
	ASSERT_EQ(0, vm_consumer_info(self->r.fd, &info));
	EXPECT_LT(0, info.buffers_lost);
	EXPECT_EQ(info.buffers_lost, sum_buffers(ETW_LOSS_CONSUMER));
	EXPECT_EQ(info.events_lost, sum(ETW_LOSS_CONSUMER, -1));
	EXPECT_EQ(info.buffers, self->r.buffers);
	EXPECT_EQ(gaps, self->r.stand_ins);
	EXPECT_EQ(attempted, self->r.events + info.events_lost + refused);
}

/* What the session lost is told although the buffer that recorded it was dropped. */
TEST_F(ledger, dropped_records)
{
	uint64_t lost = 0, attempted = 0;
	struct etw_session_stat st;
	struct etw_guid provider = vm_guid(1);
	uint32_t gaps = 0, i;

	ASSERT_EQ(0, start(self, ETW_MODE_REAL_TIME, 8));
	EXPECT_EQ(0, attempt(self, self->slot, 3, 100));
	EXPECT_EQ(7, attempt(self, self->slot, 7, 5000));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_TRUE(overrun(self, NULL, &lost, &attempted));
	EXPECT_EQ(5, attempt(self, self->slot, 5, 5000));
	ASSERT_TRUE(overrun(self, NULL, &lost, &attempted));
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	ASSERT_TRUE(read_gaps(&self->r, &gaps));
	EXPECT_EQ(1, gaps);
	EXPECT_EQ(12, sum(ETW_DROP_BUFFER_SIZE, 0));
	for (i = 0; i < ETW_DROP_CAUSES; i++)
		EXPECT_EQ(etw_stat_dropped(&st, i), sum(i, -1));
	for (i = 0; i < recorded_count; i++)
		if (recorded[i].loss.code == ETW_DROP_BUFFER_SIZE)
			EXPECT_EQ(0, memcmp(&provider, &recorded[i].loss.provider, sizeof(provider)));
}

/* Only the stream that lost something has the record. */
TEST_F(ledger, two_consumers)
{
	uint64_t refused = 0, attempted = 0;
	struct etw_consumer_info info;
	struct vm_reader fast;
	uint32_t gaps = 0, seen;

	ASSERT_EQ(0, start(self, ETW_MODE_REAL_TIME, 8));
	ASSERT_EQ(0, vm_reader_open(&fast, self->fd, self->s.handle, O_NONBLOCK));
	ASSERT_TRUE(overrun(self, &fast, &refused, &attempted));
	EXPECT_EQ(0, sum(ETW_LOSS_CONSUMER, -1));
	EXPECT_EQ(attempted, fast.events + refused);
	seen = recorded_count;
	ASSERT_TRUE(read_gaps(&self->r, &gaps));
	EXPECT_EQ(1, gaps);
	EXPECT_LT(seen, recorded_count);
	ASSERT_EQ(0, vm_consumer_info(self->r.fd, &info));
	EXPECT_EQ(info.events_lost, sum(ETW_LOSS_CONSUMER, -1));
	vm_reader_close(&fast);
}

/* ------------------------------------------- events of probes, while the session stops */

#define MISSED_ROUNDS	150
#define MISSED_HOLD_MS	300

/* Two threads on CPU 1; the second one can interrupt the first one anywhere in its call. */
struct missed {
	int fd;
	uint64_t session;
	uint64_t counted;	/* calls that said so */
	int error;		/* what ended them */
	bool hold, held, stopped;
	unsigned int in_time;	/* rounds in which the session stopped while the CPU was held */
};

static void *report_missed(void *arg)
{
	struct missed *m = arg;
	struct etw_session_missed missed = {
		.size = sizeof(missed), .handle = m->session, .provider = vm_guid(1), .events = 3 };

	vm_pin(1);
	while (!(m->error = vm_ioctl(m->fd, ETW_IOC_SESSION_MISSED, &missed)))
		__atomic_add_fetch(&m->counted, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Takes the CPU away while the session stops, but not for ever: a stop may wait for the other. */
static void *hold_cpu(void *arg)
{
	const struct sched_param urgent = { .sched_priority = 1 };
	struct missed *m = arg;
	long long end;

	vm_pin(1);
	sched_setscheduler(0, SCHED_FIFO, &urgent);
	while (!__atomic_load_n(&m->hold, __ATOMIC_ACQUIRE))
		usleep(100);
	__atomic_store_n(&m->held, true, __ATOMIC_RELEASE);
	end = vm_ms() + MISSED_HOLD_MS;
	while (!__atomic_load_n(&m->stopped, __ATOMIC_ACQUIRE) && vm_ms() < end)
		;
	m->in_time += m->stopped;
	return NULL;
}

/*
 * What a call has counted is in the record and in the header, whatever moment of the stop it
 * meets.  Only a kernel that may interrupt a call anywhere (preempt=full) shows the difference.
 */
TEST_F(ledger, missed_while_stopping)
{
	struct etw_session out;
	struct missed m = { };
	pthread_t caller, holder;
	int i, stop;

	for (i = 0; i < MISSED_ROUNDS; i++) {
		ASSERT_EQ(0, start(self, ETW_MODE_REAL_TIME, 8));
		recorded_count = 0;
		m = (struct missed){ .fd = self->fd, .session = self->s.handle,
				     .in_time = m.in_time };
		ASSERT_EQ(0, pthread_create(&holder, NULL, hold_cpu, &m));
		ASSERT_EQ(0, pthread_create(&caller, NULL, report_missed, &m));
		EXPECT_TRUE(vm_until(__atomic_load_n(&m.counted, __ATOMIC_RELAXED) > 20));
		__atomic_store_n(&m.hold, true, __ATOMIC_RELEASE);
		while (!__atomic_load_n(&m.held, __ATOMIC_ACQUIRE))
			;
		stop = vm_session_op(self->fd, ETW_IOC_SESSION_STOP, m.session, &out);
		__atomic_store_n(&m.stopped, true, __ATOMIC_RELEASE);
		pthread_join(caller, NULL);
		pthread_join(holder, NULL);
		ASSERT_EQ(0, stop);
		EXPECT_TRUE(m.error == -ESHUTDOWN || m.error == -ENOENT);
		EXPECT_EQ(0, vm_drain(&self->r, NULL, NULL));
		EXPECT_EQ(3 * m.counted, out.events_lost);
		EXPECT_EQ(3 * m.counted, sum(ETW_DROP_PROBE, -1));
		vm_reader_close(&self->r);
	}
	TH_LOG("stopped while the call was interrupted: %u of %u", m.in_time, MISSED_ROUNDS);
	EXPECT_LT(0, m.in_time);
}

TEST_HARNESS_MAIN
