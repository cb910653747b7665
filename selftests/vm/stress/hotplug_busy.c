// SPDX-License-Identifier: GPL-2.0-only
/*
 * hotplug_busy - a CPU goes offline and online while everything else goes on
 *
 * Events come from threads, timers and NMIs of all CPUs into a real-time and a BUFFERING
 * session.  While CPU 1 goes offline and comes back, both are flushed without a pause, a
 * third session starts and stops, a kernel's provider is enabled and disabled (static keys
 * and CPU hotplug share a lock) and a process registers and unregisters.  Each buffer is
 * delivered, in order, and lost events are counted.
 *
 * TIMEOUT: 600
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_stress/etw_stress.h"

#include <pthread.h>

#define CYCLES	6
#define EVENTS	150	/* between two changes of CPU 1 */

static const struct etw_guid provider = ETW_STRESS_GUID;

/* One session and what its reader found. */
struct view {
	uint64_t handle;
	struct vm_reader r;
	int64_t last_time[ETW_STRESS_CPUS];
	uint64_t next[ETW_STRESS_SOURCES][ETW_STRESS_CPUS];
	uint64_t on_cpu1, backwards, disordered, torn;
	int end;
	pthread_t thread;
};

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	const struct etw_stress_event *e = (const void *)r->data;
	struct view *v = ctx;

	if (r->len < sizeof(*e) || e->source >= ETW_STRESS_SOURCES ||
	    e->cpu >= ETW_STRESS_CPUS || b->processor >= ETW_STRESS_CPUS ||
	    r->len != sizeof(*e) + e->fill || e->check != etw_stress_check(e)) {
		v->torn++;
		return;
	}
	v->on_cpu1 += b->processor == 1;
	v->backwards += r->head->timestamp < v->last_time[b->processor];
	v->last_time[b->processor] = r->head->timestamp;
	/* A thread that loses its CPU writes on another one for a moment. */
	if (e->source != ETW_STRESS_THREAD)
		v->disordered += e->number < v->next[e->source][e->cpu];
	v->next[e->source][e->cpu] = e->number + 1;
}

static void *reader(void *arg)
{
	struct view *v = arg;

	v->end = vm_drain(&v->r, see, v);
	return NULL;
}

FIXTURE(busy) {
	int fd;
	int kfd;
	struct view view[2];	/* real-time, BUFFERING */
	pthread_t thread[3];
	volatile bool over;
	unsigned int flushes, sessions, registrations;
	int error;
};

/* For the threads, which have no use for the rest of the harness. */
static FIXTURE_DATA(busy) *all;

static void failed(const char *what, int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "# %s: %s\n", what, strerror(-ret));
	all->error = ret;
}

static void *flusher(void *arg)
{
	int i;

	(void)arg;
	while (!all->over) {
		for (i = 0; i < 2; i++)
			failed("flush", vm_flush(all->fd, all->view[i].handle));
		all->flushes++;
	}
	return NULL;
}

static void *controller(void *arg)
{
	struct etw_session s;

	(void)arg;
	while (!all->over) {
		s = vm_session("t-busy-third");
		s.buffer_kb = 4;
		s.mode |= ETW_MODE_INDEPENDENT;
		s.clock = 1 + all->sessions % 3;
		failed("start", vm_start(all->fd, &s));
		failed("enable", vm_enable(all->fd, s.handle, provider, 0, 0, 0));
		if (all->sessions % 2)
			failed("disable", vm_disable(all->fd, s.handle, provider));
		failed("stop", vm_stop(all->fd, s.handle));
		all->sessions++;
	}
	return NULL;
}

static void *provide(void *arg)
{
	int slot, ret;

	(void)arg;
	while (!all->over) {
		slot = vm_register(all->fd, provider);
		failed("register", slot < 0 ? slot : 0);
		ret = vm_write(all->fd, slot, ETW_STRESS_SOURCES, 1, 0, "x", 1);
		failed("write", ret == -ENOBUFS ? 0 : ret);
		failed("unregister", vm_unregister(all->fd, slot));
		all->registrations++;
	}
	return NULL;
}

static int begin(struct view *v, int fd, const char *name, uint32_t mode)
{
	struct etw_session s = vm_session(name);
	int ret;

	s.buffer_kb = 4;
	s.min_buffers = 64;
	s.max_buffers = 128;
	s.mode = mode;
	ret = vm_start(fd, &s);
	v->handle = s.handle;
	ret = ret ? ret : vm_enable(fd, s.handle, provider, 0, 0, 0);
	ret = ret ? ret : vm_reader_open(&v->r, fd, s.handle, 0);
	return ret ? ret : -pthread_create(&v->thread, NULL, reader, v);
}

FIXTURE_SETUP(busy)
{
	if (access(VM_CPU1_ONLINE, W_OK))
		SKIP(return, "CPU 1 cannot go offline");
	all = self;
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_cpu1_online(true);
	vm_rmmod_try("etw_stress");
	ASSERT_EQ(0, vm_insmod("etw_stress"));
	self->kfd = vm_kmod_open("etw_stress");
	ASSERT_LE(0, self->kfd);
	ASSERT_EQ(0, begin(&self->view[0], self->fd, "t-busy", ETW_MODE_REAL_TIME));
	ASSERT_EQ(0, begin(&self->view[1], self->fd, "t-busy-ring", ETW_MODE_BUFFERING));
}

FIXTURE_TEARDOWN(busy)
{
	if (_metadata->skip)
		return;
	self->over = true;
	vm_cpu1_online(true);
	ioctl(self->kfd, ETW_STRESS_STOP_IOC);
	close(self->kfd);
	vm_stop_all(self->fd);
	EXPECT_EQ(0, vm_rmmod("etw_stress"));
	close(self->fd);
}

/* Events attempted by the module so far. */
static uint64_t attempted(FIXTURE_DATA(busy) *self)
{
	static struct etw_stress_tallies t;
	uint64_t sum = 0;
	int i, cpu;

	if (vm_ioctl(self->kfd, ETW_STRESS_TALLY_IOC, &t))
		return 0;
	for (i = 0; i < ETW_STRESS_SOURCES; i++)
		for (cpu = 0; cpu < ETW_STRESS_CPUS; cpu++)
			sum += t.t[i][cpu].attempted;
	return sum;
}

static bool some_more(FIXTURE_DATA(busy) *self)
{
	uint64_t before = attempted(self);

	return vm_until(attempted(self) >= before + EVENTS);
}

/* The account of one session, after the last write. */
static void check(struct __test_metadata *_metadata, FIXTURE_DATA(busy) *self, int i)
{
	struct view *v = &self->view[i];
	struct etw_consumer_info info;
	struct etw_session_stat st;

	ASSERT_EQ(0, vm_flush(self->fd, v->handle));
	ASSERT_EQ(0, vm_stat(self->fd, v->handle, &st));
	ASSERT_EQ(0, vm_stop(self->fd, v->handle));
	ASSERT_EQ(0, pthread_join(v->thread, NULL));
	ASSERT_EQ(0, vm_consumer_info(v->r.fd, &info));
	TH_LOG("session %d: %llu written, %llu dropped, %llu overwritten, %llu read, %llu lost by the reader",
	       i, (unsigned long long)st.written, (unsigned long long)vm_dropped(&st),
	       (unsigned long long)st.overwritten_events, (unsigned long long)v->r.events,
	       (unsigned long long)info.events_lost);
	EXPECT_EQ(0, v->end);
	EXPECT_EQ(NULL, v->r.error);
	EXPECT_EQ(0, v->backwards);
	EXPECT_EQ(0, v->disordered);
	EXPECT_LT(0, v->on_cpu1);
	EXPECT_EQ(attempted(self) + self->registrations, st.written + vm_dropped(&st));
	EXPECT_EQ(vm_dropped(&st), st.dropped[ETW_DROP_NO_BUFFER]);
	EXPECT_EQ(st.written, v->r.events + info.events_lost + st.overwritten_events);
	EXPECT_EQ(st.written, st.events_delivered + st.overwritten_events);
	/* The process' events are the ones that are no stress events. */
	EXPECT_GE(self->registrations, v->torn);
	vm_reader_close(&v->r);
}

TEST_F(busy, goes_and_comes)
{
	static void *(*const work[])(void *) = { flusher, controller, provide };
	static const struct etw_stress_start start = {
		.pause_us = 5000, .burst = 10, .timer_us = 20000, .nmi_us = 5000,
		.limit = UINT64_MAX };
	unsigned int i;

	if (_metadata->skip)
		return;
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_STRESS_START_IOC, (void *)&start));
	for (i = 0; i < ARRAY_SIZE(work); i++)
		ASSERT_EQ(0, pthread_create(&self->thread[i], NULL, work[i], NULL));
	for (i = 0; i < CYCLES && !self->error; i++) {
		ASSERT_TRUE(vm_cpu1_online(false));
		EXPECT_TRUE(some_more(self));
		ASSERT_TRUE(vm_cpu1_online(true));
		EXPECT_TRUE(some_more(self));
	}
	self->over = true;
	for (i = 0; i < ARRAY_SIZE(work); i++)
		ASSERT_EQ(0, pthread_join(self->thread[i], NULL));
	ASSERT_EQ(0, ioctl(self->kfd, ETW_STRESS_STOP_IOC));
	EXPECT_EQ(0, self->error);
	TH_LOG("%u flushes, %u sessions, %u registrations", self->flushes, self->sessions,
	       self->registrations);
	EXPECT_LE(CYCLES, self->flushes);
	EXPECT_LE(CYCLES, self->sessions);
	EXPECT_LE(CYCLES, self->registrations);
	check(_metadata, self, 0);
	check(_metadata, self, 1);
}

TEST_HARNESS_MAIN
