// SPDX-License-Identifier: GPL-2.0-only
/*
 * nodes - buffers are on the memory node of the CPU that writes them
 *
 * For a machine with two memory nodes, of which each has a CPU: scripts/vm --nodes.
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"

#include <sys/syscall.h>

#define SIZE	4096		/* of a buffer; an event fills one */

FIXTURE(nodes) {
	int fd;
	int slot;
	int cfd;
	struct etw_session s;
	uint32_t node[2];	/* of each CPU */
	uint64_t local, remote;	/* buffers that were taken, by where they were */
	uint64_t events;
};

static uint32_t node_of_cpu(int cpu)
{
	unsigned int node;

	vm_pin(cpu);
	return syscall(SYS_getcpu, NULL, &node, NULL) ? UINT32_MAX : node;
}

FIXTURE_SETUP(nodes)
{
	self->fd = self->cfd = -1;
	self->node[0] = node_of_cpu(0);
	self->node[1] = node_of_cpu(1);
	if (self->node[0] == self->node[1])
		SKIP(return, "this machine has one memory node");
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(nodes)
{
	if (self->cfd >= 0)
		close(self->cfd);
	if (self->fd < 0)
		return;
	vm_stop_all(self->fd);
	close(self->fd);
}

static int begin(FIXTURE_DATA(nodes) *self, uint32_t buffers, uint32_t most)
{
	int ret;

	self->s = vm_session("t-nodes");
	self->s.buffer_kb = SIZE / 1024;
	self->s.min_buffers = buffers;
	self->s.max_buffers = most;
	self->s.flush_ms = 600000;
	/* Not the CPU whose memory most of this takes. */
	vm_pin(0);
	ret = vm_start(self->fd, &self->s);
	ret = ret ? ret : vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0);
	if (ret)
		return ret;
	self->cfd = vm_consume(self->fd, self->s.handle, O_NONBLOCK, NULL);
	return self->cfd < 0 ? self->cfd : 0;
}

static int fill(FIXTURE_DATA(nodes) *self, int cpu, uint32_t buffers)
{
	static const char event[SIZE - 512];
	int ret = 0;

	vm_pin(cpu);
	for (; buffers && !ret; buffers--)
		ret = vm_write(self->fd, self->slot, 1, 1, 1, event, sizeof(event));
	return ret;
}

/* The node of a buffer's memory, or a negative errno. */
static int node_of_buffer(FIXTURE_DATA(nodes) *self, uint32_t index)
{
	void *p = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, self->cfd, (off_t)index * SIZE);
	int node = -ENOENT;

	if (p == MAP_FAILED)
		return -errno;
	if (syscall(SYS_move_pages, 0, 1UL, &p, NULL, &node, 0))
		node = -errno;
	munmap(p, SIZE);
	return node;
}

/* Take all that was written on that CPU. */
static int take(FIXTURE_DATA(nodes) *self, int cpu)
{
	struct etw_buffer_take t;
	int ret, node;

	ret = vm_flush(self->fd, self->s.handle);
	if (ret)
		return ret;
	while (!(ret = vm_take(self->cfd, &t))) {
		node = node_of_buffer(self, t.index);
		if (node < 0)
			return node;
		self->local += node == (int)self->node[cpu];
		self->remote += node != (int)self->node[cpu];
		self->events += t.events;
		vm_give(self->cfd, t.index);
	}
	return ret == -EAGAIN ? 0 : ret;
}

TEST_F(nodes, each_cpu_has_its_own)
{
	int cpu, i;

	if (_metadata->skip)
		return;
	ASSERT_EQ(0, begin(self, 32, 32));
	for (i = 0; i < 10; i++)
		for (cpu = 0; cpu < 2; cpu++) {
			ASSERT_EQ(0, fill(self, cpu, 8));
			ASSERT_EQ(0, take(self, cpu));
		}
	EXPECT_EQ(160, self->events);
	EXPECT_EQ(160, self->local);
	EXPECT_EQ(0, self->remote);
}

/* One CPU gets the buffers of both nodes, and nothing is lost. */
TEST_F(nodes, one_cpu_may_have_all)
{
	struct etw_session_stat st;

	if (_metadata->skip)
		return;
	ASSERT_EQ(0, begin(self, 32, 32));
	ASSERT_EQ(0, fill(self, 1, 32));
	ASSERT_EQ(0, take(self, 1));
	EXPECT_EQ(32, self->events);
	EXPECT_LE(10, self->remote);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(0, vm_dropped(&st));
	ASSERT_EQ(0, fill(self, 0, 8));
	ASSERT_EQ(0, take(self, 0));
	EXPECT_EQ(40, self->events);
}

/* Fill a buffer, as soon as the session has grown. */
static int fill_later(FIXTURE_DATA(nodes) *self, int cpu)
{
	int tries, ret = -ENOBUFS;

	for (tries = 0; ret == -ENOBUFS && tries < 1000; tries++) {
		if (tries)
			usleep(10000);
		ret = fill(self, cpu, 1);
	}
	return ret;
}

/* A session grows where buffers are missing. */
TEST_F(nodes, grows_where_it_lacks)
{
	uint64_t first, i;

	if (_metadata->skip)
		return;
	ASSERT_EQ(0, begin(self, 4, 200));
	first = self->s.buffers + self->s.reserve_buffers;
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, fill_later(self, 1));
		/* Delivered, so the session's worker has seen what is missing. */
		ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	}
	ASSERT_EQ(0, take(self, 1));
	EXPECT_EQ(100, self->events);
	EXPECT_LE(100 - first, self->local);
}

TEST_HARNESS_MAIN
