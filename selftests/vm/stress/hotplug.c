// SPDX-License-Identifier: GPL-2.0-only
/*
 * hotplug - events of a CPU that has gone offline
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"

/* Which CPUs' buffers the events came in; events are numbered by their id. */
struct seen {
	unsigned int records;
	unsigned int on[2];
	uint16_t last_id;
};

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct seen *s = ctx;

	s->records++;
	if (b->processor < 2)
		s->on[b->processor]++;
	s->last_id = r->head->desc.id;
}

FIXTURE(hotplug) {
	int fd;
	int slot;
	struct etw_session s;
	struct vm_reader r;
	struct seen seen;
};

FIXTURE_SETUP(hotplug)
{
	if (access(VM_CPU1_ONLINE, W_OK))
		SKIP(return, "CPU 1 cannot go offline");
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_cpu1_online(true);
	self->slot = vm_register(self->fd, vm_guid(1));
	ASSERT_LE(0, self->slot);
	self->s = vm_session("t-hotplug");
	self->s.flush_ms = 600000;
}

FIXTURE_TEARDOWN(hotplug)
{
	if (_metadata->skip)
		return;
	vm_cpu1_online(true);
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

static int begin(FIXTURE_DATA(hotplug) *self)
{
	int ret = vm_start(self->fd, &self->s);

	ret = ret ? ret : vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0);
	return ret ? ret : vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK);
}

/* One event on that CPU. */
static int put(FIXTURE_DATA(hotplug) *self, int cpu, uint16_t id)
{
	vm_pin(cpu);
	return vm_write(self->fd, self->slot, id, 1, 1, "hotplug", 8);
}

/* Flush, and read what that gives. */
static int look(FIXTURE_DATA(hotplug) *self)
{
	int ret = vm_flush(self->fd, self->s.handle);

	return ret ? ret : vm_drain(&self->r, see, &self->seen);
}

TEST_F(hotplug, offline_cpu_is_flushed)
{
	if (_metadata->skip)
		return;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, put(self, 1, 1));
	ASSERT_EQ(0, put(self, 0, 2));
	ASSERT_TRUE(vm_cpu1_online(false));
	EXPECT_EQ(-EAGAIN, look(self));
	EXPECT_EQ(1, self->seen.on[0]);
	EXPECT_EQ(1, self->seen.on[1]);
	EXPECT_EQ(2, self->seen.records);
}

TEST_F(hotplug, cpu_comes_back)
{
	unsigned int i;

	if (_metadata->skip)
		return;
	ASSERT_EQ(0, begin(self));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, put(self, 1, 2 * i));
		vm_pin(0);
		ASSERT_TRUE(vm_cpu1_online(false));
		ASSERT_TRUE(vm_cpu1_online(true));
		ASSERT_EQ(0, put(self, 1, 2 * i + 1));
		vm_pin(0);
		EXPECT_EQ(-EAGAIN, look(self));
		EXPECT_EQ(2 * (i + 1), self->seen.records);
		EXPECT_EQ(2 * i + 1, self->seen.last_id);
	}
	EXPECT_EQ(10, self->seen.on[1]);
}

TEST_F(hotplug, session_stops_while_offline)
{
	if (_metadata->skip)
		return;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, put(self, 1, 1));
	vm_pin(0);
	ASSERT_TRUE(vm_cpu1_online(false));
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_EQ(0, vm_drain(&self->r, see, &self->seen));
	EXPECT_EQ(1, self->seen.on[1]);
}

TEST_F(hotplug, session_starts_while_offline)
{
	if (_metadata->skip)
		return;
	vm_pin(0);
	ASSERT_TRUE(vm_cpu1_online(false));
	ASSERT_EQ(0, begin(self));
	ASSERT_TRUE(vm_cpu1_online(true));
	ASSERT_EQ(0, put(self, 1, 1));
	vm_pin(0);
	EXPECT_EQ(-EAGAIN, look(self));
	EXPECT_EQ(1, self->seen.on[1]);
}

TEST_F(hotplug, snapshot_has_the_offline_cpu)
{
	if (_metadata->skip)
		return;
	self->s.mode = ETW_MODE_BUFFERING;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(0, put(self, 1, 1));
	ASSERT_EQ(0, put(self, 0, 2));
	ASSERT_TRUE(vm_cpu1_online(false));
	EXPECT_EQ(-EAGAIN, look(self));
	EXPECT_EQ(1, self->seen.on[0]);
	EXPECT_EQ(1, self->seen.on[1]);
}

/* ------------------------------------------------------- CPUs that the session's start did not see */

/* Set all CPUs but the first, and return how many there are. */
static unsigned int set_others(bool on)
{
	unsigned int cpu = 1;
	char path[64];

	for (;; cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
		if (access(path, W_OK) || !vm_write_text(path, on ? "1" : "0"))
			return cpu;
	}
}

static bool has_buffers(FIXTURE_DATA(hotplug) *self, unsigned int least)
{
	struct etw_session q;

	return !vm_query(self->fd, self->s.handle, &q) && q.max_buffers >= least &&
	       (!(self->s.mode & ETW_MODE_BUFFERING) || q.buffers >= least);
}

static void come_later(struct __test_metadata *_metadata, FIXTURE_DATA(hotplug) *self)
{
	unsigned int cpus, cpu;
	struct etw_session_stat st;

	vm_pin(0);
	cpus = set_others(false);
	self->s.min_buffers = 1;
	self->s.max_buffers = 1;
	ASSERT_EQ(0, begin(self));
	EXPECT_EQ(2, self->s.max_buffers);
	ASSERT_EQ(cpus, set_others(true));
	EXPECT_TRUE(vm_until(has_buffers(self, 2 * cpus)));
	for (cpu = 0; cpu < cpus; cpu++)
		EXPECT_EQ(0, put(self, cpu, cpu));
	vm_pin(0);
	EXPECT_EQ(-EAGAIN, look(self));
	EXPECT_EQ(cpus, self->seen.records);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(0, st.overwritten_events);
	EXPECT_EQ(0, vm_dropped(&st));
}

TEST_F(hotplug, cpus_come_later)
{
	if (!_metadata->skip)
		come_later(_metadata, self);
}

TEST_F(hotplug, cpus_come_later_to_a_ring)
{
	if (_metadata->skip)
		return;
	self->s.mode = ETW_MODE_BUFFERING;
	come_later(_metadata, self);
}

static bool has_reserve(FIXTURE_DATA(hotplug) *self, uint32_t least)
{
	struct etw_session q;

	return !vm_query(self->fd, self->s.handle, &q) && q.reserve_buffers >= least;
}

static bool reserve_becomes(FIXTURE_DATA(hotplug) *self, uint32_t least)
{
	int i;

	for (i = 0; i < 20; i++)
		put(self, 0, i);
	return has_reserve(self, least);
}

/* The kernel's part of the reserve has a buffer for each CPU, also where there are enough besides. */
TEST_F(hotplug, cpus_that_come_later_have_a_reserve)
{
	unsigned int cpus;

	if (_metadata->skip)
		return;
	vm_pin(0);
	cpus = set_others(false);
	self->s.buffer_kb = 4;
	self->s.max_buffers = 4 * cpus;
	ASSERT_EQ(0, begin(self));
	ASSERT_EQ(cpus, set_others(true));
	EXPECT_TRUE(vm_until(reserve_becomes(self, cpus + 4)));
}

#define READER_BUFFERS	2	/* that there may be besides */

/* There are all buffers that there may be, without the reserve. */
static bool is_full_grown(FIXTURE_DATA(hotplug) *self)
{
	struct etw_session q;
	int i;

	for (i = 0; i < 20; i++)
		put(self, 0, i);
	return !vm_query(self->fd, self->s.handle, &q) && q.buffers >= q.max_buffers + READER_BUFFERS;
}

/* It grows to that, too, when nothing else grows any more; to one for each CPU at once. */
TEST_F(hotplug, cpus_that_come_to_a_full_session_have_a_reserve)
{
	struct etw_session q;
	unsigned int cpus;

	if (_metadata->skip)
		return;
	vm_pin(0);
	cpus = set_others(false);
	self->s.buffer_kb = 4;
	self->s.max_buffers = 4 * cpus;
	ASSERT_EQ(0, begin(self));
	EXPECT_TRUE(vm_until(is_full_grown(self)));
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_GT(cpus + 4, q.reserve_buffers);
	ASSERT_EQ(cpus, set_others(true));
	EXPECT_TRUE(vm_until(has_reserve(self, cpus)));
	EXPECT_TRUE(vm_until(reserve_becomes(self, cpus + 4)));
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_EQ(4 * cpus + READER_BUFFERS, q.buffers);
	EXPECT_EQ(4 * cpus, q.max_buffers);
}

TEST_HARNESS_MAIN
