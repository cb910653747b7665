// SPDX-License-Identifier: GPL-2.0-only
/*
 * pid_filter - enabling a provider in some processes only
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

FIXTURE(pid) {
	int fd;
	int slot;
	uint64_t session;
	const struct etw_enable_entry *area;
};

FIXTURE_SETUP(pid)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->area);
	self->session = vm_start_named(self->fd, "t-pid");
	ASSERT_NE(0, self->session);
}

FIXTURE_TEARDOWN(pid)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

static int enable_pids(int fd, uint64_t session, struct etw_guid provider,
		       const uint32_t *pids, unsigned int count)
{
	struct etw_filter f = { .ptr = VM_PTR(pids), .len = 4 * count,
				.type = ETW_FILTER_PID };
	struct etw_enable e = vm_enable_arg(session, provider);

	e.filters = VM_PTR(&f);
	e.filter_count = 1;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}

static uint64_t written(FIXTURE_DATA(pid) *self)
{
	struct etw_session_stat st;

	return vm_stat(self->fd, self->session, &st) ? UINT64_MAX : st.written;
}

/* Write with a registration of its own. */
static int serve_events(int in, int out, const void *provider)
{
	int fd = vm_open(), slot = vm_register(fd, *(const struct etw_guid *)provider), ret = 0;

	if (slot < 0)
		return slot;
	while (!ret && vm_helper_next(in, out))
		ret = vm_write(fd, slot, 1, 1, 1, "peer", 5);
	return ret;
}

/* B47 and B51: a registration belongs to the process that made it. */
TEST_F(pid, only_the_process_named)
{
	const struct etw_guid provider = vm_guid(1);
	uint32_t own = getpid(), other;
	struct vm_helper peer;

	ASSERT_EQ(0, vm_helper_start(&peer, serve_events, &provider));
	other = peer.pid;
	ASSERT_EQ(0, enable_pids(self->fd, self->session, vm_guid(1), &own, 1));
	EXPECT_EQ(1, self->area[self->slot].enabled);
	EXPECT_TRUE(vm_helper_ask(&peer));
	EXPECT_EQ(0, written(self));
	EXPECT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, "x", 1));
	EXPECT_EQ(1, written(self));
	ASSERT_EQ(0, enable_pids(self->fd, self->session, vm_guid(1), &other, 1));
	EXPECT_EQ(0, self->area[self->slot].enabled);
	EXPECT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, "x", 1));
	EXPECT_EQ(1, written(self));
	EXPECT_TRUE(vm_helper_ask(&peer));
	EXPECT_EQ(2, written(self));
	EXPECT_EQ(0, vm_helper_end(&peer));
}

/* B45: 8 are allowed. */
TEST_F(pid, eight_processes)
{
	uint32_t pids[8] = { 1, 2, 3, 4, 5, 6, 7, getpid() };

	ASSERT_EQ(0, enable_pids(self->fd, self->session, vm_guid(1), pids, 8));
	EXPECT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, "x", 1));
	EXPECT_EQ(1, written(self));
}

/* B47: a filter holds for the registrations that exist at the call. */
TEST_F(pid, later_registrations_are_not_enabled)
{
	uint32_t own = getpid();
	int slot;

	ASSERT_EQ(0, enable_pids(self->fd, self->session, vm_guid(1), &own, 1));
	slot = vm_register(self->fd, vm_guid(1));
	ASSERT_LE(0, slot);
	EXPECT_EQ(0, self->area[slot].enabled);
	EXPECT_EQ(0, vm_write(self->fd, slot, 1, 1, 1, "x", 1));
	EXPECT_EQ(0, written(self));
}

TEST_F(pid, no_such_process)
{
	uint32_t none = 0x3ffffffe;

	ASSERT_EQ(0, enable_pids(self->fd, self->session, vm_guid(1), &none, 1));
	EXPECT_EQ(0, self->area[self->slot].enabled);
	EXPECT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, "x", 1));
	EXPECT_EQ(0, written(self));
}

/* An enable call without the filter removes it. */
TEST_F(pid, filter_is_replaced)
{
	uint32_t none = 0x3ffffffe;

	ASSERT_EQ(0, enable_pids(self->fd, self->session, vm_guid(1), &none, 1));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 0, 0, 0));
	EXPECT_EQ(1, self->area[self->slot].enabled);
	EXPECT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, "x", 1));
	EXPECT_EQ(1, written(self));
}

/* Each session has its own choice of processes. */
TEST_F(pid, other_sessions_are_not_filtered)
{
	uint32_t none = 0x3ffffffe;
	struct etw_session_stat st;
	uint64_t other = vm_start_named(self->fd, "t-other");

	ASSERT_EQ(0, vm_enable(self->fd, other, vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, enable_pids(self->fd, self->session, vm_guid(1), &none, 1));
	EXPECT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, "x", 1));
	EXPECT_EQ(0, written(self));
	ASSERT_EQ(0, vm_stat(self->fd, other, &st));
	EXPECT_EQ(1, st.written);
}

static int in_namespace(FIXTURE_DATA(pid) *self)
{
	uint32_t own = getpid();
	int slot, fd = vm_open();

	slot = vm_register(fd, vm_guid(1));
	if (own != 1 || enable_pids(fd, self->session, vm_guid(1), &own, 1))
		return 2;
	return slot < 0 || vm_write(fd, slot, 1, 1, 1, "x", 1);
}

/* PIDs are those of the caller's namespace. */
TEST_F(pid, namespace_of_the_caller)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(77);
		pid = fork();
		if (!pid)
			_exit(in_namespace(self));
		status = vm_reap(pid);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
	}
	status = vm_reap(pid);
	ASSERT_TRUE(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		SKIP(return, "no PID namespaces here");
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_EQ(1, written(self));
}

/* B48: no PID selects the registration of a module. */
TEST_F(pid, kernel_registrations_are_never_selected)
{
	static const struct etw_guid guid = ETW_TEST_GUID;
	struct etw_test_enabled en = { .index = 0, .level = 1, .keyword = 1 };
	uint32_t pids[3] = { 0, 1, getpid() };
	int kfd, slot = vm_register(self->fd, guid);

	ASSERT_LE(0, slot);
	kfd = vm_test_provider();
	ASSERT_LE(0, kfd);
	ASSERT_EQ(0, enable_pids(self->fd, self->session, guid, pids, 3));
	EXPECT_EQ(1, self->area[slot].enabled);
	ASSERT_EQ(0, vm_ioctl(kfd, ETW_TEST_ENABLED, &en));
	EXPECT_EQ(0, en.inline_test);
	EXPECT_EQ(0, en.provider_enabled);
	EXPECT_EQ(0, en.event_enabled);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, guid, 0, 0, 0));
	ASSERT_EQ(0, vm_ioctl(kfd, ETW_TEST_ENABLED, &en));
	EXPECT_EQ(1, en.inline_test);
	EXPECT_EQ(1, en.provider_enabled);
	close(kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
}

TEST_F(pid, shown_by_the_query)
{
	uint32_t own = getpid();
	struct etw_provider_enable en[2];
	struct etw_provider_reg reg[4];
	struct etw_provider_query q = {
		.size = sizeof(q), .provider = vm_guid(1), .enables = VM_PTR(en),
		.enable_cap = 2, .regs = VM_PTR(reg), .reg_cap = 4 };
	int slot;

	ASSERT_EQ(0, enable_pids(self->fd, self->session, vm_guid(1), &own, 1));
	slot = vm_register(self->fd, vm_guid(1));
	ASSERT_LE(0, slot);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	EXPECT_EQ(1, q.enable_count);
	EXPECT_EQ(1, en[0].pid_filtered);
	EXPECT_EQ(self->session, en[0].session);
	ASSERT_EQ(2, q.reg_count);
	EXPECT_EQ(own, reg[0].pid);
	EXPECT_EQ(own, reg[1].pid);
	EXPECT_EQ(1, !!reg[0].sessions + !!reg[1].sessions);
	EXPECT_EQ(0, strncmp(reg[0].module, "pid_filter", 10));
}

TEST_HARNESS_MAIN
