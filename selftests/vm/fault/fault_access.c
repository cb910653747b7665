// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_access - every failure of changing and querying access lists
 *
 * The session is SECURE, so a changed list decides whether the process' two registrations
 * are enabled: both change, or neither.
 *
 * TIMEOUT: 900
 */
#include "lib/vm.h"
#include "lib/fault/vm_fault.h"
#include "lib/vm_access.h"

FAULT_FIXTURE

static struct etw_access access_arg;
static struct etw_access_entry access_room[ETW_ACCESS_ENTRIES_MAX];
static struct etw_guid session_guid;

static int do_set(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_ACCESS_SET, &access_arg);
}

static int do_query(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_ACCESS_QUERY, &access_arg);
}

static int do_remove(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_ACCESS_REMOVE, &access_arg);
}

/*
 * No list excludes root, who runs this test, so another user makes the registrations: the test
 * becomes that user meanwhile.
 */
static int register_as_user(struct fault_env *e)
{
	int slot;

	if (seteuid(VM_ALICE))
		return -1;
	slot = vm_register(e->fd, vm_guid(1));
	return seteuid(0) ? -1 : slot;
}

static int listed(struct fault_env *e, struct etw_guid guid)
{
	uint32_t own = 0;
	int n = vm_access_query(e->fd, &guid, 0, access_room, ETW_ACCESS_ENTRIES_MAX, &own);

	return n < 0 ? n : own ? n : -ENOENT;
}

/* A list of the maximum length for a GUID without a provider. */
static void before_plain(struct fault_env *e)
{
	unsigned int i;

	for (i = 0; i < ETW_ACCESS_ENTRIES_MAX; i++)
		access_room[i] = (struct etw_access_entry)VM_ALLOW(USER, i, 1);
	access_arg = (struct etw_access){ .size = sizeof(access_arg), .guid = vm_guid(8),
					  .entries = VM_PTR(access_room),
					  .count = ETW_ACCESS_ENTRIES_MAX };
	(void)e;
}

static bool plain_set(struct fault_env *e)
{
	return listed(e, vm_guid(8)) == ETW_ACCESS_ENTRIES_MAX;
}

static bool plain_not_set(struct fault_env *e, const struct fault_state *was, int ret)
{
	(void)ret;
	return listed(e, vm_guid(8)) == -ENOENT && fault_same(e, was, true, false);
}

static void undo_plain(struct fault_env *e)
{
	vm_access_remove(e->fd, vm_guid(8));
}

static void before_query(struct fault_env *e)
{
	before_plain(e);
	vm_access_set(e->fd, vm_guid(8), access_room, 64);
	memset(access_room, 0, sizeof(access_room));
	access_arg = (struct etw_access){ .size = sizeof(access_arg), .guid = vm_guid(8),
					  .entries = VM_PTR(access_room), .capacity = 64 };
}

static bool query_told(struct fault_env *e)
{
	(void)e;
	return access_arg.count == 64 && access_arg.own == 1 && access_room[63].id == 63;
}

static const struct fault_op plain_ops[] = {
	{ .name = "ACCESS_SET", .prepare = before_plain, .call = do_set, .done = plain_set,
	  .judge = plain_not_set, .undo = undo_plain, .enomem = 2, .efault = 2 },
	{ .name = "ACCESS_QUERY", .prepare = before_query, .call = do_query, .done = query_told,
	  .clean = undo_plain, .enomem = 1, .efault = 3 },
};

/* ------------------------------------------------ with writers that it is about */

static void secure_session(struct fault_env *e)
{
	struct etw_session s = vm_session("t-secure");

	s.guid = session_guid = vm_guid(0x102);
	s.mode |= ETW_MODE_SECURE;
	s.flush_ms = 600000;
	if (vm_start(e->fd, &s))
		abort();
	e->handle = s.handle;
	e->tmp = register_as_user(e);
	e->pid = register_as_user(e);
	if (e->tmp < 0 || e->pid < 0 || vm_enable(e->fd, e->handle, vm_guid(1), 3, 0, 0))
		abort();
	fault_no_notices(e);
}

static void no_session(struct fault_env *e)
{
	vm_unregister(e->fd, e->tmp);
	vm_unregister(e->fd, e->pid);
	e->tmp = -1;
	vm_stop(e->fd, e->handle);
	vm_access_remove(e->fd, session_guid);
	fault_no_notices(e);
}

static bool users_enabled(struct fault_env *e, bool enabled)
{
	return e->area[e->tmp].enabled == enabled && e->area[e->pid].enabled == enabled;
}

static void before_revoke(struct fault_env *e)
{
	secure_session(e);
	access_arg = (struct etw_access){ .size = sizeof(access_arg), .guid = session_guid };
}

static bool revoked(struct fault_env *e)
{
	return listed(e, session_guid) == 0 && users_enabled(e, false) &&
	       e->area[e->slot].enabled;
}

static bool not_revoked(struct fault_env *e, const struct fault_state *was, int ret)
{
	(void)ret;
	return listed(e, session_guid) == -ENOENT && users_enabled(e, true) &&
	       fault_same(e, was, true, false);
}

static void before_grant(struct fault_env *e)
{
	secure_session(e);
	if (vm_access_set(e->fd, session_guid, NULL, 0) || !users_enabled(e, false))
		abort();
	fault_no_notices(e);
	access_arg = (struct etw_access){ .size = sizeof(access_arg), .guid = session_guid };
}

static bool granted(struct fault_env *e)
{
	return listed(e, session_guid) == -ENOENT && users_enabled(e, true);
}

static bool not_granted(struct fault_env *e, const struct fault_state *was, int ret)
{
	(void)ret;
	return listed(e, session_guid) == 0 && users_enabled(e, false) &&
	       fault_same(e, was, true, false);
}

static const struct fault_op writer_ops[] = {
	{ .name = "ACCESS_SET that takes writers out", .prepare = before_revoke, .call = do_set,
	  .done = revoked, .judge = not_revoked, .clean = no_session, .once = true, .enomem = 2,
	  .efault = 1 },
	{ .name = "ACCESS_REMOVE that lets them in", .prepare = before_grant, .call = do_remove,
	  .done = granted, .judge = not_granted, .clean = no_session, .once = true, .enomem = 1,
	  .efault = 1 },
};

FAULT_TEST(lists, plain_ops)
FAULT_TEST(writers, writer_ops)

TEST_HARNESS_MAIN
