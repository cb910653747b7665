// SPDX-License-Identifier: GPL-2.0-only
/*
 * access_see - what a caller can see with certain rights, and what they cannot
 *
 * TIMEOUT: 900
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/vm_items.h"

#include <etw/format.h>

static const struct vm_who alice = { VM_ALICE, VM_ALICE, 0, 0, false };
static const struct vm_who bob = { VM_BOB, VM_BOB, 0, 0, false };
static const struct vm_who monitor = { VM_ALICE, VM_ALICE, 0, 38, false };
static const struct vm_who inside = { VM_ALICE, VM_ALICE, 0, 0, true };

/* Two sessions, 0x110 and 0x111, that have one provider, GUID 1, enabled. */
FIXTURE(see) {
	int fd, slot;
	struct etw_session s[2];
	struct etw_guid pguid;
};

FIXTURE_SETUP(see)
{
	int i;

	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_access_clear(self->fd);
	self->pguid = vm_guid(1);
	self->slot = vm_register_flags(self->fd, self->pguid, ETW_REGISTER_NOTIFY, 1);
	ASSERT_LE(0, self->slot);
	for (i = 0; i < 2; i++) {
		self->s[i] = vm_session(i ? "t-see-1" : "t-see-0");
		self->s[i].guid = vm_guid(0x110 + i);
		ASSERT_EQ(0, vm_start(self->fd, &self->s[i]));
		ASSERT_EQ(0, vm_enable(self->fd, self->s[i].handle, self->pguid, 0, 0, 0));
	}
}

FIXTURE_TEARDOWN(see)
{
	vm_access_clear(self->fd);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* The argument of ENABLE, for the first session. */
static int let_alice_enable(FIXTURE_DATA(see) *self)
{
	return vm_access(self->fd, self->pguid,
			 VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_GUID_ENABLE)) ?:
	       vm_access(self->fd, self->s[0].guid,
			 VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_CREATE_REALTIME));
}

/* ------------------------------------------------------------------ stacks */

static int enable_stacks(void *arg)
{
	FIXTURE_DATA(see) *self = arg;

	return vm_enable_with(self->fd, self->s[0].handle, self->pguid,
			      ETW_ENABLE_STACK_TRACE | ETW_ENABLE_SID, NULL, 0);
}

static int enable_copies(void *arg)
{
	FIXTURE_DATA(see) *self = arg;

	return vm_enable_with(self->fd, self->s[0].handle, self->pguid, ETW_ENABLE_USER_STACK, NULL, 0);
}

static int enable_users(void *arg)
{
	FIXTURE_DATA(see) *self = arg;

	return vm_enable_with(self->fd, self->s[0].handle, self->pguid, ETW_ENABLE_SID, NULL, 0);
}

static int disable(void *arg)
{
	FIXTURE_DATA(see) *self = arg;
	struct etw_enable e = vm_enable_arg(self->s[0].handle, self->pguid);

	e.control = ETW_CONTROL_DISABLE;
	e.property = ETW_ENABLE_STACK_TRACE;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

/* The properties that the first session requested, or a negative errno. */
static int property(FIXTURE_DATA(see) *self)
{
	struct etw_provider_enable enables[2] = { 0 };
	struct etw_provider_query q = { .size = sizeof(q), .provider = self->pguid,
					.enables = VM_PTR(enables), .enable_cap = 2 };
	int ret = vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q);

	if (ret)
		return ret;
	return enables[enables[0].session != self->s[0].handle].property;
}

/* B160: stacks show the kernel's and others' addresses: no list gives them. */
TEST_F(see, stacks)
{
	ASSERT_EQ(0, let_alice_enable(self));
	EXPECT_EQ(0, vm_as(&alice, enable_users, self));
	EXPECT_EQ(-EPERM, vm_as(&alice, enable_stacks, self));
	EXPECT_EQ(-EPERM, vm_as(&alice, enable_copies, self));
	EXPECT_EQ(-EPERM, vm_as(&inside, enable_stacks, self));
	EXPECT_EQ(ETW_ENABLE_SID, property(self));
	/* CAP_PERFMON is enough to ask for them; disabling needs no such right. */
	EXPECT_EQ(0, vm_as(&monitor, enable_stacks, self));
	EXPECT_EQ(ETW_ENABLE_STACK_TRACE | ETW_ENABLE_SID, property(self));
	EXPECT_EQ(0, vm_as(&alice, disable, self));
	EXPECT_EQ(0, enable_stacks(self));
	EXPECT_EQ(ETW_ENABLE_STACK_TRACE | ETW_ENABLE_SID, property(self));
}

static int enable_images(void *arg)
{
	FIXTURE_DATA(see) *self = arg;

	return vm_enable_with(self->fd, self->s[0].handle, (struct etw_guid)ETW_IMAGE_GUID, 0,
			      NULL, 0);
}

/* How many sessions have them, or a negative errno */
static int enabled_images(FIXTURE_DATA(see) *self)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = ETW_IMAGE_GUID };
	int ret = vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q);

	return ret ?: (int)q.enable_count;
}

/* Nor the addresses at which others have mapped their programs. */
TEST_F(see, images)
{
	ASSERT_EQ(0, let_alice_enable(self));
	ASSERT_EQ(0, vm_access(self->fd, (struct etw_guid)ETW_IMAGE_GUID,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_GUID_ENABLE)));
	/* Her lists do what they can. */
	EXPECT_EQ(0, vm_as(&alice, enable_users, self));
	EXPECT_EQ(-EPERM, vm_as(&alice, enable_images, self));
	EXPECT_EQ(-EPERM, vm_as(&inside, enable_images, self));
	EXPECT_EQ(0, enabled_images(self));
	EXPECT_EQ(0, enable_images(self));
	EXPECT_EQ(-EPERM, vm_as(&alice, enable_images, self));
	EXPECT_EQ(1, enabled_images(self));
	EXPECT_EQ(0, vm_as(&monitor, enable_images, self));
}

/* -------------------------------------------------------- sessions of others */

/* Which of the two sessions a query of the provider lists, as bits. */
static int told_of(FIXTURE_DATA(see) *self, uint64_t *mask)
{
	struct etw_provider_enable enables[ETW_PROVIDER_SESSIONS];
	struct etw_provider_reg reg;
	struct etw_provider_query q = { .size = sizeof(q), .provider = self->pguid,
					.enables = VM_PTR(enables),
					.enable_cap = ETW_PROVIDER_SESSIONS,
					.regs = VM_PTR(&reg), .reg_cap = 1 };
	int ret = vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q);
	unsigned int i;

	for (i = 0; !ret && i < q.enable_count; i++)
		*mask |= 1 << (enables[i].session == self->s[1].handle);
	/* The registration's sessions are the same ones. */
	for (i = 0; !ret && i < 2; i++)
		if ((reg.sessions >> (self->s[i].logger_id - 1) & 1) != (*mask >> i & 1))
			ret = -EILSEQ;
	return ret;
}

static int sees_none(void *arg)
{
	uint64_t mask = 0;

	return told_of(arg, &mask) ?: mask ? -EPROTO : 0;
}

static int sees_second(void *arg)
{
	uint64_t mask = 0;

	return told_of(arg, &mask) ?: mask != 2 ? -EPROTO : 0;
}

static int sees_both(void *arg)
{
	uint64_t mask = 0;

	return told_of(arg, &mask) ?: mask != 3 ? -EPROTO : 0;
}

/* B160: a caller who may query the provider does not see sessions that they may not query. */
TEST_F(see, sessions_of_a_provider)
{
	EXPECT_EQ(0, sees_both(self));
	ASSERT_EQ(0, vm_access(self->fd, self->pguid, VM_ALLOW(EVERYONE, 0, ETW_RIGHT_QUERY)));
	EXPECT_EQ(0, vm_as(&alice, sees_none, self));
	ASSERT_EQ(0, vm_access(self->fd, self->s[1].guid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_QUERY)));
	EXPECT_EQ(0, vm_as(&alice, sees_second, self));
	EXPECT_EQ(0, vm_as(&bob, sees_none, self));
	EXPECT_EQ(0, sees_both(self));
}

static int capture_for(FIXTURE_DATA(see) *self, uint64_t handle)
{
	struct etw_filter f = { VM_PTR(&handle), sizeof(handle), ETW_FILTER_TRACEHANDLE };
	struct etw_enable e = vm_enable_arg(self->s[0].handle, self->pguid);

	e.control = ETW_CONTROL_CAPTURE;
	e.filters = VM_PTR(&f);
	e.filter_count = 1;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static int capture_second(void *arg)
{
	FIXTURE_DATA(see) *self = arg;

	return capture_for(self, self->s[1].handle);
}

static int capture_unknown(void *arg)
{
	return capture_for(arg, UINT64_MAX);
}

/* B61: a handle in a filter reveals nothing about a session that the caller may not query. */
TEST_F(see, trace_handle)
{
	ASSERT_EQ(0, let_alice_enable(self));
	EXPECT_EQ(-EPERM, vm_as(&alice, capture_second, self));
	EXPECT_EQ(-EPERM, vm_as(&alice, capture_unknown, self));
	ASSERT_EQ(0, vm_access(self->fd, self->s[1].guid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_QUERY)));
	EXPECT_EQ(0, vm_as(&alice, capture_second, self));
	EXPECT_EQ(0, capture_second(self));
	EXPECT_EQ(-ENOENT, capture_unknown(self));
}

/* ------------------------------------------------------------- enumerations */

#define GUIDS	600	/* more than one batch of the kernel */

/* The number of this test's providers that the caller sees, or a negative errno. */
static int providers(int fd)
{
	static struct etw_guid guids[GUIDS + 64];

	return vm_providers(fd, guids, ARRAY_SIZE(guids));
}

/* The caller sees exactly this one. */
static int sees_one_provider(void *arg)
{
	FIXTURE_DATA(see) *self = arg;
	int n = providers(self->fd);

	return n < 0 ? n : n == 1 ? 0 : -EPROTO;
}

static int sees_all_but_one(void *arg)
{
	FIXTURE_DATA(see) *self = arg;
	int n = providers(self->fd);

	return n < 0 ? n : n == GUIDS ? 0 : -EPROTO;
}

/* B160: each list of its own decides for its provider, the default list for all others. */
TEST_F(see, providers)
{
	unsigned int i;
	int fd = vm_open();

	for (i = 0; i < GUIDS; i++)
		ASSERT_LE(0, vm_register(fd, vm_guid(0x200 + i)));
	EXPECT_EQ(GUIDS + 1, providers(self->fd));
	EXPECT_EQ(-EPERM, vm_as(&alice, sees_one_provider, self));
	/* A list that gives the right, but not on a provider. */
	ASSERT_EQ(0, vm_access(self->fd, vm_guid(0x1000),
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_QUERY)));
	EXPECT_EQ(-EPERM, vm_as(&alice, sees_one_provider, self));
	ASSERT_EQ(0, vm_access(self->fd, vm_guid(0x300),
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_QUERY)));
	EXPECT_EQ(0, vm_as(&alice, sees_one_provider, self));
	EXPECT_EQ(-EPERM, vm_as(&bob, sees_one_provider, self));
	/* CAP_PERFMON has the right by default, but not on that one. */
	ASSERT_EQ(0, vm_access_set(self->fd, vm_guid(0x300), NULL, 0));
	EXPECT_EQ(0, vm_as(&monitor, sees_all_but_one, self));
	ASSERT_EQ(0, vm_access(self->fd, vm_default, VM_ALLOW(USER, VM_BOB, ETW_RIGHT_QUERY)));
	EXPECT_EQ(0, vm_as(&bob, sees_all_but_one, self));
	EXPECT_EQ(-EPERM, vm_as(&monitor, sees_one_provider, self));
	EXPECT_EQ(GUIDS + 1, providers(self->fd));
	close(fd);
}

TEST_HARNESS_MAIN
