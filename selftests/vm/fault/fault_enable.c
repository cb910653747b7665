// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_enable - every failure of enabling, disabling and requesting state
 *
 * An enabling shows in three places: in the answer of PROVIDER_QUERY, in the enable area of
 * a process, and in the static key of a kernel's provider.
 *
 * TIMEOUT: 900
 */
#include "lib/vm.h"
#include "lib/fault/vm_fault.h"

FAULT_FIXTURE

static void enable_arg(struct fault_env *e, struct etw_guid guid, uint32_t control)
{
	e->arg.enable = vm_enable_arg(e->base, guid);
	e->arg.enable.control = control;
	e->arg.enable.level = 5;
}

static int do_enable(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_ENABLE, &e->arg.enable);
}

static bool query_tells(struct fault_env *e, bool enabled)
{
	struct etw_provider_enable pe = { 0 };
	struct etw_provider_query q = {
		.size = sizeof(q), .provider = e->arg.enable.provider,
		.enables = VM_PTR(&pe), .enable_cap = 1 };
	int ret = vm_ioctl(e->fd, ETW_IOC_PROVIDER_QUERY, &q);

	if (!enabled)
		return ret == -ESRCH || (!ret && !q.enable_count);
	return !ret && q.enable_count == 1 && pe.session == e->base && pe.level == 5;
}

static void undo_enable(struct fault_env *e)
{
	vm_disable(e->fd, e->base, e->arg.enable.provider);
	fault_no_notices(e);
}

/* -------------------------------------------------------------- new to enable */

static void before_nobody(struct fault_env *e)
{
	enable_arg(e, vm_guid(9), ETW_CONTROL_ENABLE);
}

static bool nobody_enabled(struct fault_env *e)
{
	return query_tells(e, true);
}

static void before_user(struct fault_env *e)
{
	enable_arg(e, vm_guid(1), ETW_CONTROL_ENABLE);
}

static bool user_enabled(struct fault_env *e)
{
	return query_tells(e, true) && e->area[e->slot].enabled &&
	       e->area[e->slot2].enabled && e->area[e->slot].level == 5 &&
	       fault_polls(e->fd, POLLIN);
}

static void before_kernel(struct fault_env *e)
{
	enable_arg(e, fault_kguid, ETW_CONTROL_ENABLE);
}

static bool kernel_enabled(struct fault_env *e)
{
	struct etw_test_enabled key = { .level = 1, .keyword = 1 };

	return query_tells(e, true) && !vm_ioctl(e->kfd, ETW_TEST_ENABLED, &key) &&
	       key.inline_test && key.event_enabled;
}

/* No registration has a callback, so the call does not wait. */
static void before_waiting(struct fault_env *e)
{
	before_kernel(e);
	e->arg.enable.timeout_ms = 60000;
}

static void before_filtered(struct fault_env *e)
{
	struct etw_filter *f = (void *)e->room;

	before_user(e);
	e->pid = getpid();
	f[0] = (struct etw_filter){ .type = ETW_FILTER_NONE };
	f[1] = (struct etw_filter){ .ptr = VM_PTR(&e->pid), .len = sizeof(uint32_t),
				    .type = ETW_FILTER_PID };
	e->arg.enable.filters = VM_PTR(f);
	e->arg.enable.filter_count = 2;
}

/* Filters of every type, and every item. */
static void before_all_filters(struct fault_env *e)
{
	static const struct etw_filter_level_kw level = { .level = 3, .in = 1 };
	static const struct etw_filter_event_id ids = { .in = 1, .count = 2, .ids = { 1, 2 } };
	struct etw_filter *f = (void *)e->room;

	before_user(e);
	f[0] = (struct etw_filter){ VM_PTR("fault_enable"), 12, ETW_FILTER_EXECUTABLE_NAME };
	f[1] = (struct etw_filter){ VM_PTR("/"), 1, ETW_FILTER_CONTAINER };
	f[2] = (struct etw_filter){ VM_PTR(&ids), 8, ETW_FILTER_EVENT_ID };
	f[3] = (struct etw_filter){ VM_PTR(&ids), 8, ETW_FILTER_STACKWALK };
	f[4] = (struct etw_filter){ VM_PTR(&level), sizeof(level), ETW_FILTER_STACKWALK_LEVEL_KW };
	e->arg.enable.filters = VM_PTR(f);
	e->arg.enable.filter_count = 5;
	e->arg.enable.property = ETW_ENABLE_SID | ETW_ENABLE_STACK_TRACE | ETW_ENABLE_CONTAINER;
}

static const struct fault_op enable_ops[] = {
	{ .name = "ENABLE of an unregistered provider", .prepare = before_nobody, .call = do_enable,
	  .done = nobody_enabled, .undo = undo_enable, .enomem = 1, .efault = 1 },
	{ .name = "ENABLE of two registrations", .prepare = before_user, .call = do_enable,
	  .done = user_enabled, .undo = undo_enable, .enomem = 2, .efault = 1 },
	{ .name = "ENABLE of a kernel's provider", .prepare = before_kernel,
	  .call = do_enable, .done = kernel_enabled, .undo = undo_enable, .enomem = 1,
	  .efault = 1 },
	{ .name = "ENABLE with a timeout", .prepare = before_waiting, .call = do_enable,
	  .done = kernel_enabled, .undo = undo_enable, .enomem = 2, .efault = 1 },
	{ .name = "ENABLE with a PID filter", .prepare = before_filtered, .call = do_enable,
	  .done = user_enabled, .undo = undo_enable, .enomem = 2, .efault = 3 },
	/* The first call allocates memory for the items, which stays. */
	{ .name = "ENABLE with items and filters", .prepare = before_all_filters,
	  .call = do_enable, .done = user_enabled, .clean = undo_enable, .once = true,
	  .enomem = 6, .efault = 6 },
	{ .name = "ENABLE with them again", .prepare = before_all_filters, .call = do_enable,
	  .done = user_enabled, .undo = undo_enable, .enomem = 6, .efault = 6 },
};

/* ------------------------------------------------------------ enabled already */

static void enabled_before(struct fault_env *e)
{
	vm_enable(e->fd, e->base, vm_guid(1), 1, 0, 0);
	fault_no_notices(e);
}

static void before_change(struct fault_env *e)
{
	enabled_before(e);
	enable_arg(e, vm_guid(1), ETW_CONTROL_ENABLE);
}

static void undo_change(struct fault_env *e)
{
	vm_enable(e->fd, e->base, vm_guid(1), 1, 0, 0);
	fault_no_notices(e);
}

static void before_disable(struct fault_env *e)
{
	enabled_before(e);
	enable_arg(e, vm_guid(1), ETW_CONTROL_DISABLE);
}

static bool user_disabled(struct fault_env *e)
{
	return query_tells(e, false) && !e->area[e->slot].enabled &&
	       !e->area[e->slot2].enabled && fault_polls(e->fd, POLLIN);
}

static void before_kernel_disable(struct fault_env *e)
{
	vm_enable(e->fd, e->base, fault_kguid, 1, 0, 0);
	enable_arg(e, fault_kguid, ETW_CONTROL_DISABLE);
}

static bool kernel_disabled(struct fault_env *e)
{
	struct etw_test_enabled key = { .level = 1, .keyword = 1 };

	return query_tells(e, false) && !vm_ioctl(e->kfd, ETW_TEST_ENABLED, &key) &&
	       !key.inline_test && !key.event_enabled;
}

/* Two registrations get a notification, so that the second one can fail. */
static void before_capture(struct fault_env *e)
{
	e->tmp = vm_register_flags(e->fd, vm_guid(1), ETW_REGISTER_NOTIFY, 0x53);
	enabled_before(e);
	enable_arg(e, vm_guid(1), ETW_CONTROL_CAPTURE);
}

static int notices(struct fault_env *e, uint32_t control)
{
	struct etw_notify n = { .size = sizeof(n) };
	int sum = 0;

	while (!vm_ioctl(e->fd, ETW_IOC_NOTIFY, &n))
		sum += n.control == control;
	return sum;
}

static bool both_told(struct fault_env *e)
{
	return notices(e, ETW_CONTROL_CAPTURE) == 2;
}

static void after_capture(struct fault_env *e)
{
	vm_unregister(e->fd, e->tmp);
	e->tmp = -1;
	undo_enable(e);
}

static const struct fault_op change_ops[] = {
	{ .name = "ENABLE again", .prepare = before_change, .call = do_enable,
	  .done = user_enabled, .undo = undo_change, .clean = undo_enable, .enomem = 2,
	  .efault = 1 },
	{ .name = "DISABLE", .prepare = before_disable, .call = do_enable,
	  .done = user_disabled, .clean = undo_enable, .once = true, .efault = 1 },
	{ .name = "DISABLE of a kernel's provider", .prepare = before_kernel_disable,
	  .call = do_enable, .done = kernel_disabled, .clean = undo_enable, .once = true,
	  .efault = 1 },
	{ .name = "CAPTURE", .prepare = before_capture, .call = do_enable,
	  .done = both_told, .clean = after_capture, .efault = 1 },
};

FAULT_TEST(enabling, enable_ops)
FAULT_TEST(changing, change_ops)

TEST_HARNESS_MAIN
