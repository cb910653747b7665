// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_end - events of BPF programs in a ring buffer when a session, the provider or its loader ends:
 * all are written, or their loss is counted
 *
 * KERNEL: every
 * TIMEOUT: 900
 */
#define _GNU_SOURCE
#include "bpf/ring.h"

#include <stdatomic.h>

#include "lib/command/vm_cli.h"

static unsigned int programs(const char *name)
{
	struct bpf_prog_info info;
	unsigned int count = 0;
	__u32 id = 0, size;
	int fd;

	while (!bpf_prog_get_next_id(id, &id)) {
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			continue;
		memset(&info, 0, sizeof(info));
		size = sizeof(info);
		if (!bpf_obj_get_info_by_fd(fd, &info, &size))
			count += !strcmp(info.name, name);
		close(fd);
	}
	return count;
}

static unsigned int links(void)
{
	unsigned int count = 0;
	__u32 id = 0;

	while (!bpf_link_get_next_id(id, &id))
		count++;
	return count;
}

/* Stop the loader, and put this many events into the ring, or more than it holds. */
static bool fill(FIXTURE_DATA(ring) *self, unsigned int events)
{
	if (!freeze(self))
		return false;
	call(events);
	return true;
}

/* What the ring has, and what it has lost, is known when the command returns. */
TEST_F(ring, disabled)
{
	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	ASSERT_TRUE(fill(self, CALLS));
	ASSERT_EQ(0, kill(self->pid, SIGCONT));
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
	ASSERT_TRUE(collect(self));
	EXPECT_LT(0, self->drain);
	EXPECT_EQ(self->drain, self->dropped);
	EXPECT_EQ(CALLS, self->count + self->dropped);
	EXPECT_EQ(0, unload(self));
}

TEST_F(ring, flushed)
{
	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	ASSERT_TRUE(fill(self, CALLS));
	ASSERT_EQ(0, kill(self->pid, SIGCONT));
	ASSERT_TRUE(collect(self));
	EXPECT_LT(0, self->drain);
	EXPECT_EQ(CALLS, self->count + self->dropped);
	EXPECT_EQ(0, unload(self));
}

TEST_F(ring, session_stopped)
{
	struct etw_session out;
	int ret;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	ASSERT_TRUE(fill(self, CALLS));
	ASSERT_EQ(0, kill(self->pid, SIGCONT));
	ASSERT_EQ(0, vm_session_op(self->fd, ETW_IOC_SESSION_STOP, self->session, &out));
	ret = vm_drain(&self->r, take, self);
	EXPECT_TRUE(!ret || ret == -EAGAIN);
	EXPECT_LT(0, out.events_lost);
	EXPECT_EQ(CALLS, self->count + out.events_lost);
	EXPECT_EQ(0, unload(self));
}

/* The session does not wait for ever, and knows that it does not know. */
TEST_F(ring, frozen)
{
	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	ASSERT_TRUE(fill(self, 50));
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
	ASSERT_EQ(0, kill(self->pid, SIGCONT));
	EXPECT_EQ(0, unload(self));
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(0, self->count);
	EXPECT_EQ(1, self->drain);
}

/* The file of a session says what is missing. */
TEST_F(ring, file_of_a_killed_one)
{
	static struct vc_run run;
	unsigned int i;

	NEED_TYPES();
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(load(self, "ring"));
		ASSERT_EQ(0, vc_run(&run, "start", "t-ring-file", "--file", "/tmp/end.etl", NULL));
		ASSERT_EQ(0, vc_run(&run, "enable", "t-ring-file", "-p", "*Test-Bpf", NULL)) {
			TH_LOG("%s", run.err);
		}
		call(100);
		if (i) {
			ASSERT_EQ(0, kill(self->pid, SIGKILL));
			EXPECT_EQ(SIGKILL, vm_reap(self->pid));
			self->pid = 0;
			close(self->end);
		} else {
			EXPECT_EQ(0, unload(self));
		}
		ASSERT_EQ(0, vc_run(&run, "stop", "t-ring-file", NULL));
		EXPECT_EQ(i ? 3 : 0, vc_run(&run, "verify", "/tmp/end.etl", NULL)) {
			TH_LOG("%s", run.out);
		}
		EXPECT_EQ(i, !!strstr(run.out, "some events")) TH_LOG("%s", run.out);
		EXPECT_EQ(i, !!strstr(run.out, "process could not write")) TH_LOG("%s", run.out);
		ASSERT_TRUE(vm_until(!bpf_test_registered(self->fd, self->guid)));
	}
}

/* What was written stays; nothing else does. */
TEST_F(ring, killed)
{
	const unsigned int before = links();

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	EXPECT_EQ(1, programs("on_syscall"));
	EXPECT_EQ(before + ARRAY_SIZE(attached), links());
	call(100);
	ASSERT_TRUE(collect_until(self, 100));
	call(50);
	ASSERT_EQ(0, kill(self->pid, SIGKILL));
	EXPECT_EQ(SIGKILL, vm_reap(self->pid));
	self->pid = 0;
	EXPECT_TRUE(vm_until(links() == before));
	/* The test's own mapping of the variable is not the program. */
	EXPECT_TRUE(vm_until(!programs("on_syscall")));
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
	EXPECT_TRUE(vm_until(!bpf_test_registered(self->fd, self->guid)));
	ASSERT_TRUE(collect(self));
	EXPECT_LE(100, self->count);
	EXPECT_GE(150, self->count);
	EXPECT_EQ(self->count, self->in_order);
	EXPECT_EQ(1, self->drain);
}

/* What the ring holds is written when the provider ends in order. */
TEST_F(ring, ends)
{
	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	ASSERT_TRUE(fill(self, 200));
	close(self->end);
	ASSERT_EQ(0, kill(self->pid, SIGCONT));
	EXPECT_EQ(0, vm_reap(self->pid));
	self->pid = 0;
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(200, self->count);
	EXPECT_EQ(200, self->in_order);
}

static _Atomic bool calling;

static void *call_on(void *context)
{
	(void)context;
	while (calling)
		syscall(SYS_getppid);
	return NULL;
}

/* It ends, and nothing is lost without being counted, though the programs still write. */
TEST_F(ring, ends_while_they_write)
{
	uint64_t sent;
	pthread_t thread;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	calling = true;
	ASSERT_EQ(0, pthread_create(&thread, NULL, call_on, NULL));
	ASSERT_TRUE(vm_until(self->control->enabled > 1000));
	EXPECT_EQ(0, unload(self));
	calling = false;
	pthread_join(thread, NULL);
	ASSERT_TRUE(collect(self));
	sent = self->control->enabled;
	/* The last one may have seen that it is wanted, and then that it is not. */
	EXPECT_LE(sent - 1, self->count + self->dropped);
	EXPECT_GE(sent, self->count + self->dropped);
}

/* A child of the loader has the same memory and descriptors. */
TEST_F(ring, child_closes)
{
	NEED_TYPES();
	loader_forks = true;
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	call(10);
	EXPECT_TRUE(collect_until(self, 10));
	EXPECT_EQ(0, unload(self));
}

TEST_HARNESS_MAIN
