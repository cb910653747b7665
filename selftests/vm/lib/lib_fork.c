// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib_fork - the events of children, by fork() and vfork(), arrive or are counted as lost
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "lib/vm.h"
#include "lib/vm_lib.h"

#define EVENTS	400

FIXTURE(forks) {
	struct vl_fixture f;
};

FIXTURE_SETUP(forks)
{
	ASSERT_TRUE(vl_set_up(&self->f, "lib-fork", 0));
	ASSERT_EQ(0, vl_enable(self->f.session, 1, 0, 0, 0));
}

FIXTURE_TEARDOWN(forks)
{
	EXPECT_TRUE(vl_tear_down(&self->f));
}

/* What a child runs: its exit status. */
typedef int child_fn(void *);

static int ended(pid_t pid)
{
	int status;

	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
	       WEXITSTATUS(status) : -1;
}

static int in_child(child_fn *fn, void *arg)
{
	pid_t pid = fork();

	if (!pid)
		_exit(fn(arg));
	return ended(pid);
}

static int in_vfork_child(child_fn *fn, void *arg)
{
	static char stack[1 << 16] __attribute__((__aligned__(16)));

	return ended(clone(fn, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, arg));
}

static int write_all(void *arg)
{
	const REGHANDLE *reg = arg;
	int i;

	for (i = 0; i < EVENTS; i++)
		if (vl_write(*reg, i, 0, 0, i))
			return 1;
	return 0;
}

/* Every write fails. */
static int lose_all(void *arg)
{
	const REGHANDLE *reg = arg;
	struct rlimit none = { 0, 0 };
	int i;

	setrlimit(RLIMIT_NOFILE, &none);
	for (i = 0; i < EVENTS; i++)
		if (vl_write(*reg, i, 0, 0, i) != ERROR_NOT_ENOUGH_MEMORY)
			return 1;
	return 0;
}

/* As daemons do that separate privileges: the device has no path any more. */
static int lose_in_chroot(void *arg)
{
	const REGHANDLE *reg = arg;
	int i;

	if (chroot("/sys") || chdir("/"))
		return 2;
	for (i = 0; i < EVENTS; i++)
		if (vl_write(*reg, i, 0, 0, i) != ERROR_NOT_ENOUGH_MEMORY)
			return 1;
	return 0;
}

/* As daemon(3) of some systems does: the device gets a number that was its parent's. */
static int write_all_closed(void *arg)
{
	int fd;

	for (fd = 3; fd < 1024; fd++)
		close(fd);
	return write_all(arg);
}

static uint64_t lost(const struct vl_fixture *f)
{
	struct etw_session_stat st;

	return vm_stat(f->fd, f->session, &st) || vm_dropped(&st) != st.dropped[ETW_DROP_DRAIN] ?
	       UINT64_MAX : st.dropped[ETW_DROP_DRAIN];
}

TEST_F(forks, vfork_child_writes)
{
	const struct vl_event *e = self->f.r->events;
	int i, own = 0;

	ASSERT_EQ(0, in_vfork_child(write_all, &self->f.reg));
	EXPECT_EQ(0, write_all(&self->f.reg));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 2 * EVENTS));
	EXPECT_EQ(0, lost(&self->f));
	for (i = 0; i < 2 * EVENTS; i++)
		own += e[i].header.ProcessId == (ULONG)getpid();
	EXPECT_EQ(EVENTS, own);
}

TEST_F(forks, child_without_descriptor_counts)
{
	EXPECT_EQ(0, in_child(lose_all, &self->f.reg));
	EXPECT_EQ(EVENTS, lost(&self->f));
	EXPECT_EQ(0, in_vfork_child(lose_all, &self->f.reg));
	EXPECT_EQ(2 * EVENTS, lost(&self->f));
}

TEST_F(forks, child_in_chroot_counts)
{
	EXPECT_EQ(0, in_child(lose_in_chroot, &self->f.reg));
	EXPECT_EQ(EVENTS, lost(&self->f));
}

TEST_F(forks, child_that_closed_all_writes)
{
	EXPECT_EQ(0, in_child(write_all_closed, &self->f.reg));
	EXPECT_TRUE(vl_got(self->f.r, self->f.session, EVENTS));
	EXPECT_EQ(0, lost(&self->f));
}

/* As daemon() does: the child writes first when its parent has ended. */
static int leave_child(void *arg)
{
	const REGHANDLE *reg = arg;
	pid_t self = getpid();

	if (vl_write(*reg, 0, 0, 0, 0))
		return 1;
	if (!fork()) {
		while (getppid() == self)
			usleep(1000);
		_exit(write_all(arg));
	}
	return 0;
}

TEST_F(forks, daemon_writes)
{
	ASSERT_EQ(0, in_child(leave_child, &self->f.reg));
	EXPECT_TRUE(vl_got(self->f.r, self->f.session, 1 + EVENTS));
}

struct classic {
	_Atomic TRACEHANDLE logger;
	ULONG expected;
};

static ULONG WINAPI on_control(WMIDPREQUESTCODE code, PVOID context, ULONG *size, PVOID buffer)
{
	struct classic *c = context;

	(void)size;
	atomic_store(&c->logger, code == WMI_ENABLE_EVENTS ? GetTraceLoggerHandle(buffer) : 0);
	return ERROR_SUCCESS;
}

static int write_classic(void *arg)
{
	struct classic *c = arg;
	struct rlimit none = { 0, 0 };
	EVENT_TRACE_HEADER event = { .Size = sizeof(event), .Guid = vl_guid(7),
				     .Flags = WNODE_FLAG_TRACED_GUID };

	if (c->expected)
		setrlimit(RLIMIT_NOFILE, &none);
	return TraceEvent(c->logger, &event) != c->expected;
}

TEST_F(forks, classic_provider)
{
	GUID control = vl_guid(2), class = vl_guid(7);
	TRACE_GUID_REGISTRATION classes = { .Guid = &class };
	struct classic c = { .expected = 0 };
	TRACEHANDLE reg;

	ASSERT_EQ(0, RegisterTraceGuidsA(on_control, &c, &control, 1, &classes, NULL, NULL, &reg));
	ASSERT_EQ(0, vl_enable(self->f.session, 2, 0, 0, 0));
	ASSERT_TRUE(vm_until(atomic_load(&c.logger)));
	EXPECT_EQ(0, in_vfork_child(write_classic, &c));
	EXPECT_TRUE(vl_got(self->f.r, self->f.session, 1));
	c.expected = ERROR_NOT_ENOUGH_MEMORY;
	EXPECT_EQ(0, in_vfork_child(write_classic, &c));
	EXPECT_EQ(0, in_child(write_classic, &c));
	EXPECT_EQ(2, lost(&self->f));
	EXPECT_EQ(0, UnregisterTraceGuids(reg));
}

/* A registration that only the parent ends */
TEST_F(forks, parent_unregisters)
{
	int fds[2];
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(fds));
	pid = fork();
	if (!pid)
		_exit(read(fds[0], &byte, 1) != 1 || write_all(&self->f.reg));
	EXPECT_EQ(0, EventUnregister(self->f.reg));
	EXPECT_EQ(1, write(fds[1], "", 1));
	EXPECT_EQ(0, ended(pid));
	EXPECT_TRUE(vl_got(self->f.r, self->f.session, EVENTS));
	self->f.reg = 0;
}

TEST_HARNESS_MAIN
