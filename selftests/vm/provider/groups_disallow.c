// SPDX-License-Identifier: GPL-2.0-only
/*
 * groups_disallow - providers that a session excludes from its groups
 */
#include "lib/vm.h"
#include "lib/vm_groups.h"

/* B85: a disallow list excludes providers from one session, at any time. */
TEST_F(groups, disallow_list)
{
	struct etw_guid list[3] = { vm_guid(1), GUID, vm_guid(2) };
	struct etw_test_call call;

	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, ENABLE(0, 0, 0));
	ASSERT_EQ(0, ENABLE(1, 2, 0));
	EXPECT_TRUE(called_times(self, variant->which, 2, &call));
	ASSERT_EQ(0, vm_disallow(self->fd, self->session[0], list, 3));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	EXPECT_EQ(ETW_CONTROL_ENABLE, call.control);
	EXPECT_EQ(2, call.level);
	EXPECT_EQ(0, GETS(1, 1));
	EXPECT_EQ(1, written(self, 1));		/* the other session has its own list */
	/* Nothing changes for this provider: its callback does not run. */
	ASSERT_EQ(0, vm_disallow(self->fd, self->session[0], &GUID, 1));
	ASSERT_EQ(0, vm_disallow(self->fd, self->session[0], list, 2));
	ASSERT_EQ(0, ENABLE(0, 0, 0));
	EXPECT_EQ(0, GETS(1, 1));
	/* B17: enabling the provider itself works as before. */
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], GUID, 1, 0, 0));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	EXPECT_EQ(1, GETS(1, 1));
	EXPECT_EQ(0, GETS(2, 1));
	ASSERT_EQ(0, vm_disable(self->fd, self->session[0], GUID));
	ASSERT_EQ(0, vm_disallow(self->fd, self->session[0], NULL, 0));
	EXPECT_EQ(1, GETS(5, 1));
}

/* The list applies to later members, and to groups that are enabled later. */
TEST_F(groups, disallow_list_first)
{
	struct etw_test_call call;

	ASSERT_EQ(0, vm_disallow(self->fd, self->session[0], &GUID, 1));
	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, ENABLE(0, 0, 0));
	EXPECT_EQ(0, GETS(1, 1));
	EXPECT_EQ(0, calls_since(self, variant->which, &call));
	ASSERT_EQ(0, vm_group_control(self->fd, self->session[0], self->group,
				      ETW_CONTROL_CAPTURE, 0, 0));
	EXPECT_EQ(0, calls_since(self, variant->which, &call));
	ASSERT_EQ(0, vm_disallow(self->fd, self->session[0], NULL, 0));
	EXPECT_EQ(1, GETS(1, 1));
}

TEST_F(groups, disallow_query)
{
	struct etw_guid list[1025], out[3] = { { 0 } };
	struct etw_disallow d = { .size = sizeof(d), .session = self->session[0],
				  .guids = VM_PTR(out), .capacity = 2 };
	int i;

	for (i = 0; i < 1025; i++)
		list[i] = vm_guid(100 + i);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_DISALLOW_QUERY, &d));
	EXPECT_EQ(0, d.count);
	EXPECT_EQ(-EINVAL, vm_disallow(self->fd, self->session[0], list, 1025));
	EXPECT_EQ(0, vm_disallow(self->fd, self->session[0], list, 1024));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_DISALLOW_QUERY, &d));
	EXPECT_EQ(1024, d.count);
	EXPECT_EQ(0, memcmp(out, list, 2 * sizeof(*list)));
	EXPECT_TRUE(vm_guid_zero(&out[2]));
	EXPECT_EQ(-EFAULT, vm_disallow(self->fd, self->session[0], (void *)8, 2));
	EXPECT_EQ(-ENOENT, vm_disallow(self->fd, 0x7777777777777777, list, 2));
	d.capacity = 0;
	d.guids = 8;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_DISALLOW_QUERY, &d));
	EXPECT_EQ(1024, d.count);
	d.capacity = 1;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_DISALLOW_QUERY, &d));
}

TEST_HARNESS_MAIN
