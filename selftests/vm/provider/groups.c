// SPDX-License-Identifier: GPL-2.0-only
/*
 * groups - provider groups: members by their traits, enabled together; for a
 * process's provider and a kernel module's
 */
#include "lib/vm.h"
#include "lib/vm_groups.h"

/* B84: existing members when the group is enabled. */
TEST_F(groups, present_members)
{
	struct etw_test_call call;

	ASSERT_EQ(0, JOIN());
	EXPECT_EQ(0, GETS(1, 1));
	EXPECT_EQ(0, calls_since(self, variant->which, &call));
	ASSERT_EQ(0, ENABLE(0, 3, 0xf));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	EXPECT_EQ(ETW_CONTROL_ENABLE, call.control);
	EXPECT_EQ(3, call.level);
	EXPECT_EQ(0xf, call.any);
	EXPECT_EQ(1, GETS(3, 1));
	EXPECT_EQ(0, GETS(4, 1));
	EXPECT_EQ(0, GETS(3, 0x10));
	/* B17: the next call replaces the settings. */
	ASSERT_EQ(0, ENABLE(0, 5, 0x10));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	EXPECT_EQ(0x10, call.any);
	EXPECT_EQ(0, GETS(3, 1));
	EXPECT_EQ(1, GETS(5, 0x10));
	ASSERT_EQ(0, DISABLE(0));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	EXPECT_EQ(ETW_CONTROL_DISABLE, call.control);
	EXPECT_EQ(0, GETS(3, 0x10));
	EXPECT_EQ(0, DISABLE(0));
}

/* B84: a provider that joins later, by its traits. */
TEST_F(groups, future_members)
{
	struct etw_guid zero = { 0 };
	struct etw_test_call call;

	ASSERT_EQ(0, ENABLE(0, 3, 0xf));
	EXPECT_EQ(0, GETS(1, 1));
	ASSERT_EQ(0, JOIN());
	EXPECT_TRUE(called_once(self, variant->which, &call));
	EXPECT_EQ(ETW_CONTROL_ENABLE, call.control);
	EXPECT_EQ(3, call.level);
	EXPECT_EQ(0, memcmp(&zero, &call.source, sizeof(zero)));
	EXPECT_EQ(1, GETS(3, 1));
	EXPECT_EQ(0, GETS(4, 1));
	/* B23: until the session stops. */
	ASSERT_EQ(0, vm_stop(self->fd, self->session[0]));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	EXPECT_EQ(ETW_CONTROL_DISABLE, call.control);
	EXPECT_EQ(0, WRITE(1, 1));
}

/* B84: all of them at once, and no other provider. */
TEST_F(groups, all_members)
{
	struct vm_blob other = vm_group_traits("Other", vm_guid(71));
	int slot = vm_register(self->fd, vm_guid(41));
	int i;

	ASSERT_LE(0, slot);
	ASSERT_EQ(0, vm_set_slot(self->fd, slot, ETW_SET_TRAITS, other.bytes, other.len, 0));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, vm_two_traits(&self->two, i, &self->traits));
	ASSERT_EQ(0, ENABLE(0, 0, 0));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, write_one(self, i, 5, 1));
	EXPECT_EQ(0, vm_write(self->fd, slot, 1, 5, 1, "x", 1));
	EXPECT_EQ(2, written(self, 0));
	/* A GUID is either that of a provider or that of a group. */
	ASSERT_EQ(0, DISABLE(0));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], self->group, 0, 0, 0));
	ASSERT_EQ(0, vm_group_enable(self->fd, self->session[0], GUID, 0, 0));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, write_one(self, i, 5, 1));
	EXPECT_EQ(2, written(self, 0));
}

/* B85: what either takes, and once. */
TEST_F(groups, own_and_group)
{
	struct etw_test_call call;

	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], GUID, 2, 1, 0));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	ASSERT_EQ(0, ENABLE(0, 5, 2));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	EXPECT_EQ(5, call.level);
	EXPECT_EQ(3, call.any);
	EXPECT_EQ(1, GETS(2, 1));	/* its own */
	EXPECT_EQ(1, GETS(5, 2));	/* the group's */
	EXPECT_EQ(1, GETS(2, 3));	/* both */
	EXPECT_EQ(0, GETS(5, 1));	/* neither, though the composite lets it pass */
	EXPECT_EQ(0, GETS(5, 4));
	ASSERT_EQ(0, vm_disable(self->fd, self->session[0], GUID));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	EXPECT_EQ(ETW_CONTROL_ENABLE, call.control);
	EXPECT_EQ(2, call.any);
	EXPECT_EQ(0, GETS(2, 1));
	EXPECT_EQ(1, GETS(5, 2));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], GUID, 2, 1, 0));
	ASSERT_EQ(0, DISABLE(0));
	EXPECT_EQ(1, GETS(2, 1));
	EXPECT_EQ(0, GETS(5, 2));
}

/* B85: items and filters come from the enabling that accepted the event. */
TEST_F(groups, own_and_group_items)
{
	struct etw_enable e = vm_enable_arg(self->session[0], self->group);
	struct vm_events *events = calloc(1, sizeof(*events));
	struct etw_filter_event_id ids;
	struct etw_filter f = vm_id_filter(&ids, ETW_FILTER_EVENT_ID, true, VM_IDS(77));
	struct vm_reader r;
	int i;

	ASSERT_EQ(0, JOIN());
	e.property = ETW_ENABLE_PROVIDER_GROUP | ETW_ENABLE_EVENT_KEY;
	e.level = 3;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session[0], GUID, ETW_ENABLE_SID, &f, 1));
	ASSERT_EQ(0, vm_reader_open(&r, self->fd, self->session[0], O_NONBLOCK));
	EXPECT_EQ(1, GETS(3, 1));	/* id 1: the group's only */
	EXPECT_EQ(0, GETS(4, 1));	/* not its level */
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session[0], GUID, ETW_ENABLE_SID, NULL, 0));
	EXPECT_EQ(1, GETS(4, 1));	/* its own only */
	EXPECT_EQ(1, GETS(3, 1));	/* both */
	ASSERT_EQ(3, vm_collect(self->fd, self->session[0], &r, events));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(i > 0, vm_item(&events->list[i], ETW_EXT_SID, NULL) != NULL);
		EXPECT_EQ(i != 1, vm_item(&events->list[i], ETW_EXT_EVENT_KEY, NULL) != NULL);
	}
	vm_reader_close(&r);
	free(events);
}

/* B87: filters that only make sense for one provider are refused. */
TEST_F(groups, filters_refused)
{
	struct etw_filter_event_id ids;
	struct etw_filter_event_name name = { .in = 1, .count = 1, .names = { 'a' } };
	struct etw_filter f[2] = {
		vm_id_filter(&ids, ETW_FILTER_EVENT_ID, true, VM_IDS(1)),
		{ .ptr = VM_PTR(&name), .len = sizeof(name), .type = ETW_FILTER_EVENT_NAME } };
	struct vm_state *was;
	int i;

	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, ENABLE(0, 3, 0));
	was = vm_state_get(self->fd);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(-EINVAL, vm_enable_with(self->fd, self->session[0], self->group,
						  ETW_ENABLE_PROVIDER_GROUP, &f[i], 1));
	EXPECT_TRUE(vm_state_same(self->fd, was));
	free(was);
	EXPECT_EQ(1, GETS(3, 1));
	f[0].type = ETW_FILTER_STACKWALK;
	EXPECT_EQ(0, vm_enable_with(self->fd, self->session[0], self->group,
				    ETW_ENABLE_PROVIDER_GROUP, &f[0], 1));
}

/* B47, B48: a filter of processes selects among the members there are. */
TEST_F(groups, scope_filters)
{
	uint32_t pids[2] = { getpid(), 1 };
	struct etw_filter f = { .ptr = VM_PTR(pids), .len = 8, .type = ETW_FILTER_PID };

	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session[0], self->group,
				    ETW_ENABLE_PROVIDER_GROUP, &f, 1));
	EXPECT_EQ(!variant->which, GETS(3, 1));
	ASSERT_EQ(0, vm_two_traits(&self->two, !variant->which, &self->traits));
	EXPECT_EQ(0, gets(self, !variant->which, 3, 1));
}

/* B36: capture reaches the members that are enabled by the group, once each. */
TEST_F(groups, capture)
{
	struct etw_test_call call;

	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], GUID, 2, 0, 0));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	ASSERT_EQ(0, vm_group_control(self->fd, self->session[0], self->group,
				      ETW_CONTROL_CAPTURE, 0, 0));
	EXPECT_EQ(0, calls_since(self, variant->which, &call));
	ASSERT_EQ(0, ENABLE(0, 0, 0));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	ASSERT_EQ(0, vm_group_control(self->fd, self->session[0], self->group,
				      ETW_CONTROL_CAPTURE, 0, 0));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	EXPECT_EQ(ETW_CONTROL_CAPTURE, call.control);
}

static int capture_own(FIXTURE_DATA(groups) *self, int which)
{
	struct etw_enable e = vm_enable_arg(self->session[0], self->two.guid[which]);

	e.control = ETW_CONTROL_CAPTURE;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

/* B36: and one of them by its own GUID, once, however it is enabled. */
TEST_F(groups, capture_of_one)
{
	struct etw_test_call call;

	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, capture_own(self, variant->which));
	EXPECT_EQ(0, calls_since(self, variant->which, &call));
	ASSERT_EQ(0, ENABLE(0, 0, 0));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	ASSERT_EQ(0, capture_own(self, variant->which));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	EXPECT_EQ(ETW_CONTROL_CAPTURE, call.control);
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], GUID, 2, 0, 0));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	ASSERT_EQ(0, capture_own(self, variant->which));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	/* The session disallows it in the group, but enables the provider itself. */
	ASSERT_EQ(0, vm_disallow(self->fd, self->session[0], &GUID, 1));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	ASSERT_EQ(0, capture_own(self, variant->which));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	ASSERT_EQ(0, vm_disable(self->fd, self->session[0], GUID));
	EXPECT_TRUE(called_once(self, variant->which, &call));
	ASSERT_EQ(0, capture_own(self, variant->which));
	EXPECT_EQ(0, calls_since(self, variant->which, &call));
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
	ASSERT_EQ(0, variant->which ? vm_test_unregister(self->two.kfd, 0) :
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
