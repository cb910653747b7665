// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_scope - the kernel's own events while sessions begin and end to select some processes
 *
 * TIMEOUT: 300
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "lib/vm.h"
#include "lib/vm_tracefs.h"

#define ROUNDS		5000
#define ENOUGH_MS	20000

/* Many: while they are gathered, the sessions have been asked and nothing is written. */
static struct etw_trace_piece pieces[ETW_TRACE_PIECES_MAX];

FIXTURE(scope) {
	int fd;
	uint64_t all, one;	/* sessions */
};

/* Enough for some events, of which the newest stay. */
static uint64_t start(int fd, const char *name)
{
	struct etw_session s = vm_session(name);

	s.mode = ETW_MODE_BUFFERING;
	return vm_start(fd, &s) ? 0 : s.handle;
}

FIXTURE_SETUP(scope)
{
	struct etw_trace_event e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pieces); i++)
		pieces[i] = (struct etw_trace_piece){ .size = 8, .kind = ETW_TRACE_COPY };
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	e = vm_trace_event(vm_guid(1), "syscalls/sys_enter_getppid");
	e.pieces = VM_PTR(pieces);
	e.piece_count = ARRAY_SIZE(pieces);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	self->all = start(self->fd, "t-all");
	self->one = start(self->fd, "t-one");
	ASSERT_TRUE(self->all && self->one);
}

FIXTURE_TEARDOWN(scope)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

static int enable(int fd, uint64_t session, uint32_t pid, uint32_t timeout_ms)
{
	struct etw_filter f = { .ptr = VM_PTR(&pid), .len = sizeof(pid), .type = ETW_FILTER_PID };
	struct etw_enable e = vm_enable_arg(session, vm_guid(1));

	e.filters = pid ? VM_PTR(&f) : 0;
	e.filter_count = pid ? 1 : 0;
	e.timeout_ms = timeout_ms;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}

static uint64_t written(int fd, uint64_t session)
{
	struct etw_session_stat st;

	return vm_stat(fd, session, &st) ? UINT64_MAX : st.written;
}

static pid_t caller(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		syscall(SYS_getppid);
}

/* Another process causes events at the moment at which a session that selects this one begins. */
TEST_F(scope, begins_with_its_process_only)
{
	const long long begin = vm_ms();
	uint64_t before;
	unsigned int i;
	pid_t pid;

	ASSERT_EQ(0, enable(self->fd, self->all, 0, 0xFFFFFFFF));
	pid = caller();
	ASSERT_LT(0, pid);
	before = written(self->fd, self->all);
	for (i = 0; i < ROUNDS && vm_ms() - begin < ENOUGH_MS; i++) {
		ASSERT_EQ(0, enable(self->fd, self->one, getpid(), 0));
		ASSERT_EQ(0, vm_disable(self->fd, self->one, vm_guid(1)));
	}
	/* All the while the other process was traced. A kernel that looks for races is slow at that. */
	EXPECT_LT(before + i / 10, written(self->fd, self->all));
	TH_LOG("%u times", i);
	EXPECT_EQ(0, written(self->fd, self->one));
	/* And the one that is selected is seen. */
	ASSERT_EQ(0, enable(self->fd, self->one, getpid(), 0xFFFFFFFF));
	syscall(SYS_getppid);
	EXPECT_EQ(1, written(self->fd, self->one));
	kill(pid, SIGKILL);
	vm_reap(pid);
}

TEST_HARNESS_MAIN
