// SPDX-License-Identifier: GPL-2.0-only
/*
 * periodic - periodic requests for the state of providers
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

FIXTURE(periodic) {
	int fd, slot, second;	/* registrations of vm_guid(1) and vm_guid(2) */
	TRACEHANDLE session;
};

FIXTURE_SETUP(periodic)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vl_start("periodic");
	ASSERT_NE(0, self->session);
	self->slot = vm_register_flags(self->fd, vm_guid(1), ETW_REGISTER_NOTIFY, 1);
	ASSERT_LE(0, self->slot);
	self->second = vm_register_flags(self->fd, vm_guid(2), ETW_REGISTER_NOTIFY, 2);
	ASSERT_LE(0, self->second);
}

FIXTURE_TEARDOWN(periodic)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

static int capture(int fd, TRACEHANDLE session, uint32_t flags, struct etw_guid *guids,
		   uint32_t *count, uint32_t *period)
{
	struct etw_session_capture c = {
		.size = sizeof(c), .flags = flags, .handle = session, .guids = VM_PTR(guids),
		.count = *count, .period_s = *period };
	int ret = vm_ioctl(fd, ETW_IOC_SESSION_CAPTURE, &c);

	*count = c.count;
	*period = c.period_s;
	return ret;
}

static int set(int fd, TRACEHANDLE session, unsigned int guid, uint32_t count, uint32_t period)
{
	struct etw_guid guids[ETW_CAPTURE_MAX + 1];
	unsigned int i;

	for (i = 0; i <= ETW_CAPTURE_MAX; i++)
		guids[i] = vm_guid(guid + i);
	return capture(fd, session, ETW_CAPTURE_SET, guids, &count, &period);
}

/* Take one notice; true if it asks this registration for its state. */
static bool asks_slot(int fd, uint32_t slot, unsigned int *others)
{
	struct etw_notify n = { .size = sizeof(n) };

	if (vm_ioctl(fd, ETW_IOC_NOTIFY, &n))
		return false;
	*others += n.slot != slot;
	return n.slot == slot && n.control == ETW_CONTROL_CAPTURE && vm_guid_zero(&n.source);
}

/*
 * Take notices until that many of them ask a registration for its state; others counts
 * notices for other registrations.
 */
static bool asked(int fd, uint32_t slot, unsigned int times, unsigned int *others)
{
	unsigned int got = 0;

	*others = 0;
	return vm_until((got += asks_slot(fd, slot, others)) >= times);
}

/* B36: enabled providers are asked periodically, until that ends */
TEST_F(periodic, asks)
{
	TRACEHANDLE other = vl_start("other");
	unsigned int others;

	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, set(self->fd, self->session, 1, 1, 1));
	EXPECT_TRUE(asked(self->fd, self->slot, 3, &others));
	ASSERT_EQ(0, set(self->fd, self->session, 1, 0, 0));
	/* Another session, which starts to ask now, shows that time passes. */
	ASSERT_EQ(0, vm_enable(self->fd, other, vm_guid(2), 0, 0, 0));
	ASSERT_EQ(0, set(self->fd, other, 2, 1, 1));
	EXPECT_TRUE(asked(self->fd, self->second, 1, &others));
	EXPECT_TRUE(asked(self->fd, self->second, 3, &others));
	EXPECT_EQ(0, others);
}

/* The session asks those of the listed providers that it has enabled. */
TEST_F(periodic, only_what_is_enabled)
{
	struct etw_notify n = { .size = sizeof(n) };
	TRACEHANDLE other = vl_start("other");
	unsigned int others;

	ASSERT_EQ(0, vm_enable(self->fd, other, vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(2), 0, 0, 0));
	ASSERT_EQ(0, set(self->fd, self->session, 1, 2, 1));
	EXPECT_TRUE(asked(self->fd, self->second, 3, &others));
	EXPECT_EQ(0, others);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 0, 0, 0));
	EXPECT_TRUE(asked(self->fd, self->slot, 1, &others));
}

TEST_F(periodic, returns_what_is_set)
{
	struct etw_guid guids[3] = { { 0 } }, second = vm_guid(6);
	uint32_t count = 0, period = 99;

	ASSERT_EQ(0, capture(self->fd, self->session, 0, NULL, &count, &period));
	EXPECT_EQ(0, count);
	EXPECT_EQ(0, period);
	ASSERT_EQ(0, set(self->fd, self->session, 5, 2, 3600));
	count = 3;
	ASSERT_EQ(0, capture(self->fd, self->session, 0, guids, &count, &period));
	EXPECT_EQ(2, count);
	EXPECT_EQ(3600, period);
	EXPECT_EQ(0, memcmp(&guids[1], &second, sizeof(second)));
	count = 1;
	memset(guids, 0, sizeof(guids));
	ASSERT_EQ(0, capture(self->fd, self->session, 0, guids, &count, &period));
	EXPECT_EQ(2, count);
	EXPECT_TRUE(vm_guid_zero(&guids[1]));
}

/* Bad input leaves what was set. */
TEST_F(periodic, refused)
{
	struct etw_guid zero = { 0 };
	uint32_t count = 1, period = 1;

	ASSERT_EQ(0, set(self->fd, self->session, 5, 2, 3600));
	EXPECT_EQ(-EINVAL, set(self->fd, self->session, 5, ETW_CAPTURE_MAX + 1, 1));
	EXPECT_EQ(-EINVAL, set(self->fd, self->session, 5, 0xffffffff, 1));
	EXPECT_EQ(-EINVAL, set(self->fd, self->session, 5, 1, 0));
	EXPECT_EQ(-ENOENT, set(self->fd, 12345, 5, 1, 1));
	EXPECT_EQ(-EINVAL, capture(self->fd, self->session, ETW_CAPTURE_SET, &zero, &count,
				   &period));
	count = period = 1;
	EXPECT_EQ(-EFAULT, capture(self->fd, self->session, ETW_CAPTURE_SET, (void *)8, &count,
				   &period));
	count = period = 1;
	EXPECT_EQ(-EFAULT, capture(self->fd, self->session, 0, (void *)8, &count, &period));
	count = period = 0;
	EXPECT_EQ(-EINVAL, capture(self->fd, self->session, 2, NULL, &count, &period));
	EXPECT_EQ(-ENOENT, capture(self->fd, 12345, 0, NULL, &count, &period));
	ASSERT_EQ(0, capture(self->fd, self->session, 0, NULL, &count, &period));
	EXPECT_EQ(2, count);
	EXPECT_EQ(3600, period);
	EXPECT_EQ(0, set(self->fd, self->session, 5, ETW_CAPTURE_MAX, 0xffffffff));
}

/* A session may stop at any time during its period. */
TEST_F(periodic, stops_meanwhile)
{
	int i;

	for (i = 0; i < 20; i++) {
		TRACEHANDLE s = vl_start("short");

		ASSERT_NE(0, s);
		ASSERT_EQ(0, vm_enable(self->fd, s, vm_guid(1), 0, 0, 0));
		ASSERT_EQ(0, set(self->fd, s, 1, 1, 1));
		/* Time is what this is about: around the end of the period. */
		usleep(990000 + 1000 * i);
		ASSERT_EQ(0, vl_control(s, EVENT_TRACE_CONTROL_STOP));
	}
}

TEST_HARNESS_MAIN
