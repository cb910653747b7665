// SPDX-License-Identifier: GPL-2.0-only
/*
 * groups_more - provider groups: disallow lists, limits, looking at them
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
	EXPECT_TRUE(told_times(self, variant->which, 2, &call));
	ASSERT_EQ(0, vm_disallow(self->fd, self->session[0], list, 3));
	EXPECT_TRUE(told_once(self, variant->which, &call));
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
	EXPECT_TRUE(told_once(self, variant->which, &call));
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

/* The sessions of the provider's registration with this GUID, by logger id. */
static uint64_t sessions_of(int fd, struct etw_guid guid)
{
	struct etw_provider_reg reg = { 0 };
	struct etw_provider_query q = { .size = sizeof(q), .provider = guid,
					.regs = VM_PTR(&reg), .reg_cap = 1 };

	return vm_ioctl(fd, ETW_IOC_PROVIDER_QUERY, &q) ? 0 : reg.sessions;
}

#define BIT_OF(i)	(1ull << (self->logger[i] - 1))

/*
 * B20: eight sessions have the provider at most.  One that would have it by its
 * group waits for a place.
 */
TEST_F(groups, nine_sessions)
{
	uint64_t before;
	int i;

	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, ENABLE(0, 0, 0));
	ASSERT_EQ(0, ENABLE(9, 0, 0));
	EXPECT_EQ(BIT_OF(0) | BIT_OF(9), sessions_of(self->fd, GUID));
	for (i = 1; i < 9; i++)
		ASSERT_EQ(0, vm_enable(self->fd, self->session[i], GUID, 0, 0, 0));
	EXPECT_EQ(0, sessions_of(self->fd, GUID) & (BIT_OF(0) | BIT_OF(9)));
	ASSERT_EQ(0, WRITE(1, 1));
	for (i = 0; i < 10; i++)
		EXPECT_EQ(i > 0 && i < 9, written(self, i));
	ASSERT_EQ(0, vm_disable(self->fd, self->session[3], GUID));
	before = written(self, 0) + written(self, 9);
	ASSERT_EQ(0, WRITE(1, 1));
	EXPECT_EQ(before + 1, written(self, 0) + written(self, 9));
	ASSERT_EQ(0, vm_stop(self->fd, self->session[4]));
	EXPECT_EQ(BIT_OF(0) | BIT_OF(9), sessions_of(self->fd, GUID) & (BIT_OF(0) | BIT_OF(9)));
	/* As many may have a group. */
	for (i = 1; i < 8; i++)
		if (i != 4)
			ASSERT_EQ(0, ENABLE(i, 0, 0));
	EXPECT_EQ(-ENOSPC, ENABLE(8, 0, 0));
}

/* The enable area and the snapshot agree about sessions that come by a group. */
TEST_F(groups, enable_area)
{
	const struct etw_enable_entry *entry = &self->area[self->two.slot];

	if (variant->which)
		SKIP(return, "a kernel's provider has no area");
	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, ENABLE(0, 3, 0));
	EXPECT_EQ(1, entry->enabled);
	EXPECT_EQ(3, entry->level);
	EXPECT_EQ(1, entry->sessions);
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], GUID, 5, 0, 0));
	EXPECT_EQ(5, entry->level);
	EXPECT_EQ(1, entry->sessions);
	ASSERT_EQ(0, vm_enable(self->fd, self->session[1], GUID, 4, 0, 0));
	EXPECT_EQ(3, entry->sessions);
	ASSERT_EQ(0, vm_disable(self->fd, self->session[0], GUID));
	EXPECT_EQ(3, entry->sessions);
	EXPECT_EQ(4, entry->level);
	ASSERT_EQ(0, DISABLE(0));
	EXPECT_EQ(2, entry->sessions);
	ASSERT_EQ(0, vm_disable(self->fd, self->session[1], GUID));
	EXPECT_EQ(0, entry->enabled);
}

/* Querying groups: they exist while they have members or are enabled. */
TEST_F(groups, query)
{
	struct etw_provider_enable enable = { 0 };
	struct etw_group_member member = { .reg.pid = ~0u };
	struct etw_guid guids[2] = { { 0 } };
	struct etw_group_query q = { .size = sizeof(q), .group = self->group,
				     .members = VM_PTR(&member), .member_cap = 1,
				     .enables = VM_PTR(&enable), .enable_cap = 1 };
	struct etw_provider_enum all = { .size = sizeof(all), .guids = VM_PTR(guids),
					 .capacity = 2 };
	struct etw_test_register reg = { .index = 0 };

	EXPECT_EQ(-ESRCH, vm_ioctl(self->fd, ETW_IOC_GROUP_QUERY, &q));
	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, ENABLE(0, 3, 6));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_GROUP_ENUM, &all));
	EXPECT_EQ(1, all.count);
	EXPECT_EQ(0, memcmp(&guids[0], &self->group, sizeof(guids[0])));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_GROUP_QUERY, &q));
	EXPECT_EQ(1, q.member_count);
	EXPECT_EQ(0, memcmp(&member.provider, &GUID, sizeof(member.provider)));
	EXPECT_EQ(0, memcmp(&member.reg.group, &self->group, sizeof(self->group)));
	EXPECT_EQ(BIT_OF(0), member.reg.sessions);
	EXPECT_EQ(variant->which ? 0 : getpid(), member.reg.pid);
	EXPECT_EQ(1, q.enable_count);
	EXPECT_EQ(self->session[0], enable.session);
	EXPECT_EQ(6, enable.any);
	EXPECT_EQ(ETW_ENABLE_PROVIDER_GROUP, enable.property);
	ASSERT_EQ(0, variant->which ? vm_ioctl(self->two.kfd, ETW_TEST_UNREGISTER, &reg) :
				      vm_unregister(self->fd, self->two.slot));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_GROUP_QUERY, &q));
	EXPECT_EQ(0, q.member_count);
	ASSERT_EQ(0, DISABLE(0));
	EXPECT_EQ(-ESRCH, vm_ioctl(self->fd, ETW_IOC_GROUP_QUERY, &q));
}

/* All of this requires control of sessions; every provider may join. */
TEST_F(groups, rights)
{
	struct etw_disallow d = { .size = sizeof(d), .session = self->session[0] };
	struct etw_provider_enum all = { .size = sizeof(all) };
	struct etw_group_query q = { .size = sizeof(q), .group = self->group };
	int status, fd, slot;
	pid_t pid = fork();

	if (!pid) {
		if (setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
			_exit(1);
		if (ENABLE(0, 0, 0) != -EPERM || vm_ioctl(self->fd, ETW_IOC_DISALLOW_SET, &d) != -EPERM ||
		    vm_ioctl(self->fd, ETW_IOC_DISALLOW_QUERY, &d) != -EPERM)
			_exit(2);
		if (vm_ioctl(self->fd, ETW_IOC_GROUP_ENUM, &all) != -EPERM ||
		    vm_ioctl(self->fd, ETW_IOC_GROUP_QUERY, &q) != -EPERM)
			_exit(3);
		fd = vm_open();
		slot = vm_register(fd, vm_guid(42));
		_exit(slot < 0 || vm_set_slot(fd, slot, ETW_SET_TRAITS, self->traits.bytes,
					      self->traits.len, 0) ? 4 : 0);
	}
	status = vm_reap(pid);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST_HARNESS_MAIN
