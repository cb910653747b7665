// SPDX-License-Identifier: GPL-2.0-only
/*
 * abi_perm - rights at the device
 *
 * Every user may register providers and write; only those with CAP_PERFMON (or
 * CAP_SYS_ADMIN) in the initial user namespace control and consume sessions.  A registration
 * belongs to the process that made it.
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_state.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/syscall.h>

FIXTURE(perm) {
	int fd;
	int slot;
	uint64_t base;
	struct vm_state *was;
};

FIXTURE_SETUP(perm)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->was = vm_state_base(self->fd, 0, 0, &self->base);
	ASSERT_NE(NULL, self->was);
}

FIXTURE_TEARDOWN(perm)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Become a user without rights; 0, or the step that failed. */
static int drop_rights(void)
{
	if (setgroups(0, NULL))
		return 1;
	if (setresgid(1000, 1000, 1000))
		return 2;
	return setresuid(1000, 1000, 1000) ? 3 : 0;
}

/* Stay root with every capability, but in a new user namespace. */
static int own_namespace(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (unshare(CLONE_NEWUSER))
		return 1;
	if (syscall(SYS_capget, &head, caps))
		return 2;
	return caps[0].effective != UINT32_MAX ||
	       !(caps[1].effective & CAP_TO_MASK(CAP_PERFMON)) ? 3 : 0;
}

/*
 * Run fn in a child that has changed its user, and see what it returns.  Its exit status is
 * -ret, so results are 0 or a negative errno.
 */
static int as(int (*become)(void), FIXTURE_DATA(perm) *self,
	      int (*fn)(int fd, FIXTURE_DATA(perm) *self))
{
	int status, ret;
	pid_t pid = fork();

	if (!pid) {
		ret = become() ? 255 : -fn(self->fd, self);
		_exit(ret);
	}
	status = vm_reap(pid);
	return status < 0 || !WIFEXITED(status) ? -254 : -WEXITSTATUS(status);
}

static int as_user(FIXTURE_DATA(perm) *self, int (*fn)(int fd, FIXTURE_DATA(perm) *self))
{
	return as(drop_rights, self, fn);
}

static int user_start(int fd, FIXTURE_DATA(perm) *self)
{
	struct etw_session s = vm_session("t-user");

	(void)self;
	return vm_start(fd, &s);
}

static int user_stop(int fd, FIXTURE_DATA(perm) *self)
{
	return vm_stop(fd, self->base);
}

static int user_update(int fd, FIXTURE_DATA(perm) *self)
{
	return vm_session_op(fd, ETW_IOC_SESSION_UPDATE, self->base, NULL);
}

static int user_flush(int fd, FIXTURE_DATA(perm) *self)
{
	return vm_flush(fd, self->base);
}

static int user_enable(int fd, FIXTURE_DATA(perm) *self)
{
	return vm_enable(fd, self->base, vm_guid(1), 1, 1, 1);
}

static int user_disable(int fd, FIXTURE_DATA(perm) *self)
{
	return vm_disable(fd, self->base, vm_guid(1));
}

static int user_consume(int fd, FIXTURE_DATA(perm) *self)
{
	return vm_consume(fd, self->base, 0, NULL);
}

static int user_stop_unknown(int fd, FIXTURE_DATA(perm) *self)
{
	return vm_stop(fd, self->base + 1);
}

TEST_F(perm, user_may_not_start)
{
	EXPECT_EQ(-EPERM, as_user(self, user_start));
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
}

TEST_F(perm, user_may_not_stop)
{
	EXPECT_EQ(-EPERM, as_user(self, user_stop));
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
}

TEST_F(perm, user_may_not_update)
{
	EXPECT_EQ(-EPERM, as_user(self, user_update));
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
}

TEST_F(perm, user_may_not_flush)
{
	EXPECT_EQ(-EPERM, as_user(self, user_flush));
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
}

TEST_F(perm, user_may_not_enable)
{
	EXPECT_EQ(-EPERM, as_user(self, user_enable));
	EXPECT_EQ(-EPERM, as_user(self, user_disable));
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
}

TEST_F(perm, user_may_not_consume)
{
	EXPECT_EQ(-EPERM, as_user(self, user_consume));
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
}

/* Nor do error codes reveal which sessions exist. */
TEST_F(perm, user_learns_nothing_from_a_handle)
{
	EXPECT_EQ(-EPERM, as_user(self, user_stop_unknown));
}

static int user_write(int fd, FIXTURE_DATA(perm) *self)
{
	int slot;

	(void)fd;
	(void)self;
	fd = vm_open();
	if (fd < 0)
		return fd;
	slot = vm_register(fd, vm_guid(1));
	return slot < 0 ? slot : vm_write(fd, slot, 9, 1, 1, "user", 5);
}

/* The device is open to all: its node says so even without the udev rule. */
TEST_F(perm, user_may_register_and_write)
{
	struct etw_session_stat st;

	EXPECT_EQ(0, as_user(self, user_write));
	ASSERT_EQ(0, vm_stat(self->fd, self->base, &st));
	EXPECT_EQ(1, st.written);
}

/* Capabilities count in the initial user namespace only. */
TEST_F(perm, root_of_a_namespace_may_not_control)
{
	static int (*const fns[])(int, FIXTURE_DATA(perm) *) = {
		user_start, user_stop, user_update, user_flush, user_enable, user_disable,
		user_consume, user_stop_unknown };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		EXPECT_EQ(-EPERM, as(own_namespace, self, fns[i]))
			TH_LOG("call %u", i);
	}
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
}

TEST_F(perm, root_of_a_namespace_may_register_and_write)
{
	struct etw_session_stat st;

	EXPECT_EQ(0, as(own_namespace, self, user_write));
	ASSERT_EQ(0, vm_stat(self->fd, self->base, &st));
	EXPECT_EQ(1, st.written);
}

static int child_writes(int fd, FIXTURE_DATA(perm) *self)
{
	return vm_write(fd, self->slot, 9, 1, 1, "child", 6);
}

static int child_unregisters(int fd, FIXTURE_DATA(perm) *self)
{
	return vm_unregister(fd, self->slot);
}

TEST_F(perm, registration_is_stale_after_fork)
{
	struct etw_session_stat st;

	EXPECT_EQ(-ESTALE, as_user(self, child_writes));
	EXPECT_EQ(-ESTALE, as_user(self, child_unregisters));
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
	/*
	 * The registration still belongs to the parent; the child has only closed its copy of
	 * the file.
	 */
	EXPECT_EQ(0, vm_write(self->fd, self->slot, 9, 1, 1, "parent", 7));
	ASSERT_EQ(0, vm_stat(self->fd, self->base, &st));
	EXPECT_EQ(1, st.written);
}

static int child_registers(int fd, FIXTURE_DATA(perm) *self)
{
	int own = vm_open();
	int slot = vm_register(own, vm_guid(1));
	int ret = slot < 0 ? slot : vm_write(own, slot, 9, 1, 1, "child", 6);

	(void)fd;
	(void)self;
	if (!ret)
		ret = vm_unregister(own, slot);
	return ret;
}

TEST_F(perm, child_registers_for_itself)
{
	struct etw_session_stat st;

	EXPECT_EQ(0, as_user(self, child_registers));
	ASSERT_EQ(0, vm_stat(self->fd, self->base, &st));
	EXPECT_EQ(1, st.written);
}

/* The right to read was checked when the consumer was opened. */
TEST_F(perm, consumer_works_without_rights)
{
	struct vm_reader r;
	int status;
	pid_t pid;

	ASSERT_EQ(0, vm_reader_open(&r, self->fd, self->base, 0));
	ASSERT_EQ(0, vm_write(self->fd, self->slot, 9, 1, 1, "x", 1));
	ASSERT_EQ(0, vm_stop(self->fd, self->base));
	pid = fork();
	if (!pid)
		_exit(drop_rights() || vm_drain(&r, NULL, NULL) || r.events != 1);
	status = vm_reap(pid);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	vm_reader_close(&r);
}

#define TRACING		"/sys/kernel/tracing/"
#define PROBE		TRACING "events/kprobes/etw_capable/"

/* Trace the checks of capabilities that are audited: options are 0. */
static bool trace_capabilities(void)
{
	mount("tracefs", TRACING, "tracefs", 0, NULL);
	return vm_write_text(TRACING "kprobe_events",
			  "p:etw_capable security_capable options=%cx:u32") &&
	       vm_write_text(PROBE "filter", "options == 0") && vm_write_text(PROBE "enable", "1");
}

static void trace_end(void)
{
	vm_write_text(PROBE "enable", "0");
	vm_write_text(TRACING "kprobe_events", "-:etw_capable");
}

/* The audited checks of this task so far */
static int audited(void)
{
	FILE *f = fopen(TRACING "trace", "re");
	char line[512], pid[32];
	int n = 0;

	snprintf(pid, sizeof(pid), "-%d ", getpid());
	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, "etw_capable:") && strstr(line, pid);
	if (f)
		fclose(f);
	return n;
}

static int query_session(int fd, FIXTURE_DATA(perm) *self)
{
	struct etw_session s = { .size = sizeof(s), .handle = self->base };
	int before = audited();

	vm_ioctl(fd, ETW_IOC_SESSION_QUERY, &s);
	return before - audited();
}

static int list_sessions(int fd, FIXTURE_DATA(perm) *self)
{
	struct etw_session_enum e = { .size = sizeof(e) };
	int before = audited();

	(void)self;
	vm_ioctl(fd, ETW_IOC_SESSION_ENUM, &e);
	return before - audited();
}

static int stay(void)
{
	return 0;
}

/* Give up the capabilities that control sessions, but not those to read a trace. */
static int drop_control(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { 0 };

	caps[0].effective = CAP_TO_MASK(CAP_DAC_OVERRIDE) | CAP_TO_MASK(CAP_DAC_READ_SEARCH);
	caps[0].permitted = caps[0].effective;
	return syscall(SYS_capset, &head, caps) ? 1 : 0;
}

/* A decision by capability is audited, granted or refused; filtering a list is not. */
TEST_F(perm, decisions_are_audited)
{
	if (!trace_capabilities())
		SKIP(return, "no kprobe on security_capable()");
	EXPECT_GT(0, as(stay, self, query_session));
	EXPECT_EQ(0, as(stay, self, list_sessions));
	EXPECT_GT(0, as(drop_control, self, query_session));
	EXPECT_EQ(0, as(drop_control, self, list_sessions));
	trace_end();
}

TEST_HARNESS_MAIN
