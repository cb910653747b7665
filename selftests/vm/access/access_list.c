// SPDX-License-Identifier: GPL-2.0-only
/*
 * access_list - the commands on access lists: rights, refused arguments, limits
 *
 * TIMEOUT: 900
 */
#include "lib/vm.h"
#include "lib/vm_access.h"

#include <pthread.h>

static const struct vm_who alice = { VM_ALICE, VM_ALICE, 0, 0, false };
static const struct vm_who monitor = { VM_ALICE, VM_ALICE, 0, 38, false };
static const struct vm_who inside = { VM_ALICE, VM_ALICE, 0, 0, true };

FIXTURE(list) {
	int fd;
	struct etw_access_entry room[ETW_ACCESS_ENTRIES_MAX + 1];
	uint32_t own;
};

FIXTURE_SETUP(list)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_access_clear(self->fd);
}

FIXTURE_TEARDOWN(list)
{
	vm_access_clear(self->fd);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* The number of entries in force for the GUID; they are in self->room. */
static int look(FIXTURE_DATA(list) *self, struct etw_guid guid)
{
	memset(self->room, 0xee, sizeof(self->room));
	return vm_access_query(self->fd, &guid, 0, self->room, ARRAY_SIZE(self->room), &self->own);
}

/* B158: the built-in list. */
TEST_F(list, built_in)
{
	static const struct etw_access_entry want[] = {
		VM_ALLOW(EVERYONE, 0, 0x1a00), VM_ALLOW(CAPABILITY, 38, 0x1fff) };

	ASSERT_EQ(2, look(self, vm_guid(1)));
	EXPECT_EQ(0, self->own);
	EXPECT_EQ(0, memcmp(self->room, want, sizeof(want)));
	ASSERT_EQ(2, look(self, vm_default));
	EXPECT_EQ(0, self->own);
}

/* B163: setting a list replaces the previous one. */
TEST_F(list, set_replaces)
{
	ASSERT_EQ(0, vm_access(self->fd, vm_guid(1), VM_ALLOW(USER, 1, 1), VM_DENY(USER, 2, 2)));
	ASSERT_EQ(2, look(self, vm_guid(1)));
	EXPECT_EQ(1, self->own);
	ASSERT_EQ(0, vm_access(self->fd, vm_guid(1), VM_DENY(GROUP, 3, 4)));
	ASSERT_EQ(1, look(self, vm_guid(1)));
	EXPECT_EQ(ETW_ACCESS_DENY, self->room[0].type);
	EXPECT_EQ(3, self->room[0].id);
	ASSERT_EQ(0, vm_access_set(self->fd, vm_guid(1), NULL, 0));
	EXPECT_EQ(0, look(self, vm_guid(1)));
	EXPECT_EQ(1, self->own);
}

/* No more entries are written than fit, and all are counted. */
TEST_F(list, room)
{
	struct etw_access_entry room[3];
	struct etw_guid guid = vm_guid(1);

	ASSERT_EQ(0, vm_access(self->fd, guid, VM_ALLOW(USER, 1, 1), VM_ALLOW(USER, 2, 1),
			       VM_ALLOW(USER, 3, 1)));
	memset(room, 0xee, sizeof(room));
	EXPECT_EQ(3, vm_access_query(self->fd, &guid, 0, room, 2, NULL));
	EXPECT_EQ(2, room[1].id);
	EXPECT_EQ(0xeeeeeeee, room[2].id);
	EXPECT_EQ(3, vm_access_query(self->fd, &guid, 0, NULL, 0, NULL));
	EXPECT_EQ(-EFAULT, vm_access_query(self->fd, &guid, 0, NULL, 1, NULL));
}

/* In the order of their bytes, each once. */
TEST_F(list, next)
{
	static const unsigned int numbers[] = { 9, 0x100, 1, 0x300, 0xff };
	static const unsigned int order[] = { 0x100, 0x300, 1, 9, 0xff };
	struct etw_guid guid = { 0 };
	unsigned int i;

	EXPECT_EQ(-ESRCH, vm_access_query(self->fd, &guid, ETW_ACCESS_NEXT, NULL, 0, NULL));
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		ASSERT_EQ(0, vm_access(self->fd, vm_guid(numbers[i]),
				       VM_ALLOW(USER, numbers[i], 1)));
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		ASSERT_EQ(1, vm_access_query(self->fd, &guid, ETW_ACCESS_NEXT, self->room, 1,
					     NULL));
		EXPECT_EQ(order[i], self->room[0].id);
	}
	EXPECT_EQ(-ESRCH, vm_access_query(self->fd, &guid, ETW_ACCESS_NEXT, NULL, 0, NULL));
}

/* Only lists that the caller may query, possibly none. */
static int next_of_three(void *arg)
{
	FIXTURE_DATA(list) *self = arg;
	struct etw_guid guid = { 0 };
	int n = vm_access_query(self->fd, &guid, ETW_ACCESS_NEXT, self->room, 1, NULL);

	if (n < 0)
		return n;
	if (self->room[0].id != VM_ALICE)
		return -EPROTO;
	return vm_access_query(self->fd, &guid, ETW_ACCESS_NEXT, NULL, 0, NULL);
}

TEST_F(list, next_if_visible)
{
	ASSERT_EQ(0, vm_access(self->fd, vm_guid(1), VM_ALLOW(USER, 0, 1)));
	ASSERT_EQ(0, vm_access(self->fd, vm_guid(3), VM_ALLOW(USER, 0, 1)));
	EXPECT_EQ(-EPERM, vm_as(&alice, next_of_three, self));
	ASSERT_EQ(0, vm_access(self->fd, vm_guid(2), VM_ALLOW(USER, VM_ALICE, 1)));
	/* First its own, then no other. */
	EXPECT_EQ(-EPERM, vm_as(&alice, next_of_three, self));
	ASSERT_EQ(0, vm_access(self->fd, vm_default, VM_ALLOW(USER, VM_ALICE, 1)));
	EXPECT_EQ(0, vm_access_remove(self->fd, vm_guid(2)));
	EXPECT_EQ(-ESRCH, vm_as(&alice, next_of_three, self));
}

static int try_set(void *arg)
{
	FIXTURE_DATA(list) *self = arg;

	return vm_access(self->fd, vm_guid(1), VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_ALL));
}

static int try_remove(void *arg)
{
	FIXTURE_DATA(list) *self = arg;

	return vm_access_remove(self->fd, vm_guid(1));
}

/*
 * Changing lists requires CAP_SYS_ADMIN in the initial user namespace, whatever the lists say.
 */
TEST_F(list, right_to_change)
{
	static const struct vm_who *const who[] = { &alice, &monitor, &inside };
	unsigned int i;

	ASSERT_EQ(0, vm_access(self->fd, vm_guid(1), VM_ALLOW(EVERYONE, 0, ETW_RIGHT_ALL)));
	for (i = 0; i < ARRAY_SIZE(who); i++) {
		EXPECT_EQ(-EPERM, vm_as(who[i], try_set, self));
		EXPECT_EQ(-EPERM, vm_as(who[i], try_remove, self));
	}
	ASSERT_EQ(1, look(self, vm_guid(1)));
	EXPECT_EQ(ETW_ACCESS_EVERYONE, self->room[0].who);
}

TEST_F(list, bad_entries)
{
	static const struct etw_access_entry bad[] = {
		{ 2, ETW_ACCESS_EVERYONE, 0, 0, 1 }, { 0, 4, 0, 0, 1 },
		{ 0, ETW_ACCESS_EVERYONE, 1, 0, 1 }, { 0, ETW_ACCESS_EVERYONE, 0, 1, 1 },
		{ 0, ETW_ACCESS_USER, 0, UINT32_MAX, 1 }, { 0, ETW_ACCESS_GROUP, 0, UINT32_MAX, 1 },
		{ 0, ETW_ACCESS_CAPABILITY, 0, 63, 1 }, { 0, ETW_ACCESS_CAPABILITY, 0, 64, 1 },
		{ 0, ETW_ACCESS_EVERYONE, 0, 0, 0 }, { 0, ETW_ACCESS_EVERYONE, 0, 0, 0x4000 },
	};
	struct etw_access a;
	unsigned int i;

	ASSERT_EQ(0, vm_access(self->fd, vm_guid(1), VM_ALLOW(USER, 7, 1)));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, vm_access(self->fd, vm_guid(1), VM_ALLOW(EVERYONE, 0, 1), bad[i]))
			TH_LOG("entry %u", i);
	EXPECT_EQ(-EFAULT, vm_access_set(self->fd, vm_guid(1), NULL, 1));
	EXPECT_EQ(-EINVAL, vm_access_set(self->fd, (struct etw_guid){ 0 }, NULL, 0));
	EXPECT_EQ(-EINVAL, vm_access_remove(self->fd, (struct etw_guid){ 0 }));
	for (i = 24; i < sizeof(a); i += 4) {
		a = (struct etw_access){ .size = sizeof(a), .guid = vm_guid(1) };
		((uint8_t *)&a)[i] = 1;
		EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_ACCESS_REMOVE, &a))
			TH_LOG("member at %u", i);
	}
	ASSERT_EQ(1, look(self, vm_guid(1)));
	EXPECT_EQ(7, self->room[0].id);
}

TEST_F(list, entries_max)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(self->room); i++)
		self->room[i] = (struct etw_access_entry)VM_ALLOW(USER, i, 1);
	EXPECT_EQ(0, vm_access_set(self->fd, vm_guid(1), self->room, ETW_ACCESS_ENTRIES_MAX));
	EXPECT_EQ(-ENOSPC, vm_access_set(self->fd, vm_guid(1), self->room,
					 ETW_ACCESS_ENTRIES_MAX + 1));
	EXPECT_EQ(-ENOSPC, vm_access_set(self->fd, vm_guid(1), self->room, UINT32_MAX));
	ASSERT_EQ(ETW_ACCESS_ENTRIES_MAX, look(self, vm_guid(1)));
	EXPECT_EQ(63, self->room[63].id);
}

TEST_F(list, lists_max)
{
	unsigned int i, bad = 0;

	for (i = 0; i < ETW_ACCESS_LISTS_MAX; i++)
		bad += vm_access_set(self->fd, vm_guid(i), NULL, 0) != 0;
	EXPECT_EQ(0, bad);
	EXPECT_EQ(-ENOSPC, vm_access_set(self->fd, vm_guid(i), NULL, 0));
	/* An existing list can still be changed. */
	EXPECT_EQ(0, vm_access(self->fd, vm_guid(5), VM_ALLOW(USER, 1, 1)));
	EXPECT_EQ(0, vm_access_remove(self->fd, vm_guid(5)));
	EXPECT_EQ(0, vm_access_set(self->fd, vm_guid(i), NULL, 0));
	for (i = 0; i <= ETW_ACCESS_LISTS_MAX; i++)
		bad += vm_access_remove(self->fd, vm_guid(i)) != 0;
	EXPECT_EQ(0, bad);
}

/* -------------------------------------------------------------- all at once */

#define ROUNDS	100

static void *change_lists(void *arg)
{
	int *fd = arg;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		vm_access(*fd, vm_guid(0x103), VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_LOG_EVENT));
		vm_access_remove(*fd, vm_guid(0x103));
	}
	return NULL;
}

static void *look_at_lists(void *arg)
{
	struct etw_guid guid;
	int *fd = arg;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		guid = (struct etw_guid){ 0 };
		vm_access_query(*fd, &guid, ETW_ACCESS_NEXT, NULL, 0, NULL);
	}
	return NULL;
}

static void *enable_and_disable(void *arg)
{
	uint64_t handles[1];
	int *fd = arg;
	int i;

	if (vm_sessions(*fd, handles, 1) != 1)
		return arg;
	for (i = 0; i < ROUNDS; i++) {
		vm_enable(*fd, handles[0], vm_guid(2), 0, 0, 0);
		vm_disable(*fd, handles[0], vm_guid(2));
	}
	return NULL;
}

/* A user that registers, writes and unregisters in a loop. */
static int come_and_go(void *arg)
{
	int fd = vm_open(), i, slot;

	(void)arg;
	for (i = 0; i < ROUNDS; i++) {
		slot = vm_register(fd, vm_guid(2));
		if (slot < 0 || vm_write(fd, slot, 1, 1, 1, "x", 1) || vm_unregister(fd, slot))
			return -EPROTO;
	}
	return 0;
}

TEST_F(list, all_at_once)
{
	static void *(*const fns[])(void *) = { change_lists, change_lists, look_at_lists,
						enable_and_disable };
	struct etw_session s = vm_session("t-race");
	struct etw_session_stat st;
	pthread_t threads[ARRAY_SIZE(fns)];
	void *failed = NULL;
	unsigned int i;

	s.guid = vm_guid(0x103);
	s.mode |= ETW_MODE_SECURE | ETW_MODE_INDEPENDENT;
	/* No consumer reads: the pool has a buffer for each event. */
	s.buffer_kb = 4;
	s.min_buffers = ROUNDS + 16;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	for (i = 0; i < ARRAY_SIZE(fns); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, fns[i], &self->fd));
	EXPECT_EQ(0, vm_as(&alice, come_and_go, NULL));
	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		pthread_join(threads[i], &failed);
		EXPECT_EQ(NULL, failed);
	}
	ASSERT_EQ(0, vm_stat(self->fd, s.handle, &st));
	EXPECT_GE(ROUNDS, st.written);
	EXPECT_EQ(0, vm_dropped(&st));
}

TEST_HARNESS_MAIN
