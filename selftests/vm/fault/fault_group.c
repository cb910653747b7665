// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_group - every failure of setting traits, of enabling groups, of disallow
 * lists, of filters by event names, and of events that have a schema
 *
 * TIMEOUT: 900
 */
#include "lib/vm.h"
#include "lib/fault/vm_fault.h"
#include "lib/vm_traits.h"

FAULT_FIXTURE

#define GROUP	vm_guid(9)

/* A registration of vm_guid(1) for one try, with notices. */
static void another(struct fault_env *e)
{
	e->tmp = vm_register_flags(e->fd, vm_guid(1), ETW_REGISTER_NOTIFY, 0x53);
	fault_no_notices(e);
}

static void forget_another(struct fault_env *e)
{
	vm_unregister(e->fd, e->tmp);
	e->tmp = -1;
	vm_disable(e->fd, e->base, vm_guid(1));
	vm_group_disable(e->fd, e->base, GROUP);
	vm_disallow(e->fd, e->base, NULL, 0);
	fault_no_notices(e);
}

/* The number of the group's members, -1: the group does not exist. */
static int members(struct fault_env *e, struct etw_group_member *member)
{
	struct etw_group_query q = { .size = sizeof(q), .group = GROUP,
				     .members = VM_PTR(member), .member_cap = 1 };

	return vm_ioctl(e->fd, ETW_IOC_GROUP_QUERY, &q) ? -1 : (int)q.member_count;
}

/* ------------------------------------------------------------------ traits */

static void traits_arg(struct fault_env *e)
{
	struct vm_blob traits = vm_group_traits("Faulty", GROUP);

	another(e);
	memcpy(e->room, traits.bytes, traits.len);
	e->arg.set = (struct etw_provider_set){
		.size = sizeof(e->arg.set), .slot = e->tmp, .flags = ETW_SET_TRAITS,
		.traits = VM_PTR(e->room), .traits_len = traits.len };
}

static void before_traits(struct fault_env *e)
{
	traits_arg(e);
}

/* Enabled by its own GUID and, as soon as it is a member, by the group. */
static void before_traits_enabled(struct fault_env *e)
{
	vm_enable(e->fd, e->base, vm_guid(1), 2, 0, 0);
	vm_group_enable(e->fd, e->base, GROUP, 5, 0);
	traits_arg(e);
	fault_no_notices(e);
}

static int do_set(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_PROVIDER_SET, &e->arg.set);
}

static bool is_member(struct fault_env *e)
{
	struct etw_group_member member;

	return members(e, &member) == 1 && member.reg.flags & ETW_REG_TRAITS;
}

static bool is_enabled_member(struct fault_env *e)
{
	return is_member(e) && e->area[e->tmp].level == 5 && fault_polls(e->fd, POLLIN);
}

static void before_types(struct fault_env *e)
{
	vm_enable(e->fd, e->base, vm_guid(1), 2, 0, 0);
	another(e);
	e->arg.set = (struct etw_provider_set){ .size = sizeof(e->arg.set), .slot = e->tmp,
						.flags = ETW_SET_TYPES, .types = 1 };
}

static const struct fault_op set_ops[] = {
	{ .name = "PROVIDER_SET, traits", .prepare = before_traits, .call = do_set,
	  .done = is_member, .clean = forget_another, .once = true, .enomem = 3, .efault = 2 },
	{ .name = "PROVIDER_SET, traits, enabled", .prepare = before_traits_enabled,
	  .call = do_set, .done = is_enabled_member, .clean = forget_another, .once = true,
	  .enomem = 3, .efault = 2 },
	{ .name = "PROVIDER_SET, types", .prepare = before_types, .call = do_set,
	  .clean = forget_another, .once = true, .enomem = 1, .efault = 1 },
};

/* ------------------------------------------------------------------ groups */

static void a_member(struct fault_env *e)
{
	traits_arg(e);
	do_set(e);
	fault_no_notices(e);
}

static void before_group(struct fault_env *e)
{
	a_member(e);
	e->arg.enable = vm_enable_arg(e->base, GROUP);
	e->arg.enable.property = ETW_ENABLE_PROVIDER_GROUP;
	e->arg.enable.level = 5;
}

static int do_enable(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_ENABLE, &e->arg.enable);
}

static bool group_enabled(struct fault_env *e)
{
	return e->area[e->tmp].enabled && e->area[e->tmp].level == 5 &&
	       !e->area[e->slot].enabled && fault_polls(e->fd, POLLIN);
}

static void before_disallow(struct fault_env *e)
{
	struct etw_guid list[2] = { vm_guid(1), vm_guid(2) };

	a_member(e);
	vm_group_enable(e->fd, e->base, GROUP, 5, 0);
	fault_no_notices(e);
	memcpy(e->room, list, sizeof(list));
	e->arg.disallow = (struct etw_disallow){ .size = sizeof(e->arg.disallow),
						 .session = e->base, .count = 2,
						 .guids = VM_PTR(e->room) };
}

static int do_disallow(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_DISALLOW_SET, &e->arg.disallow);
}

static bool is_disallowed(struct fault_env *e)
{
	return !e->area[e->tmp].enabled && fault_polls(e->fd, POLLIN);
}

static const struct fault_op group_ops[] = {
	{ .name = "ENABLE of a group", .prepare = before_group, .call = do_enable,
	  .done = group_enabled, .clean = forget_another, .once = true, .enomem = 1,
	  .efault = 1 },
	{ .name = "DISALLOW_SET", .prepare = before_disallow, .call = do_disallow,
	  .done = is_disallowed, .clean = forget_another, .once = true, .enomem = 1,
	  .efault = 2 },
};

/* ------------------------------------------------------------------ looking */

static void before_looking(struct fault_env *e)
{
	before_disallow(e);
	do_disallow(e);
	fault_no_notices(e);
}

static void before_list(struct fault_env *e)
{
	before_looking(e);
	e->arg.disallow.count = 0;
	e->arg.disallow.capacity = 2;
}

static int do_list(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_DISALLOW_QUERY, &e->arg.disallow);
}

static void before_enum(struct fault_env *e)
{
	before_looking(e);
	e->arg.provider_enum = (struct etw_provider_enum){
		.size = sizeof(e->arg.provider_enum), .guids = VM_PTR(e->room), .capacity = 2 };
}

static int do_enum(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_GROUP_ENUM, &e->arg.provider_enum);
}

static void before_query(struct fault_env *e)
{
	before_looking(e);
	e->arg.group = (struct etw_group_query){
		.size = sizeof(e->arg.group), .group = GROUP, .members = VM_PTR(e->room),
		.member_cap = 2, .enables = VM_PTR(e->room + 4096), .enable_cap = 2 };
}

static int do_query(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_GROUP_QUERY, &e->arg.group);
}

static const struct fault_op look_ops[] = {
	{ .name = "DISALLOW_QUERY", .prepare = before_list, .call = do_list,
	  .clean = forget_another, .enomem = 1, .efault = 4 },
	{ .name = "GROUP_ENUM", .prepare = before_enum, .call = do_enum,
	  .clean = forget_another, .enomem = 1, .efault = 4 },
	{ .name = "GROUP_QUERY", .prepare = before_query, .call = do_query,
	  .clean = forget_another, .enomem = 2, .efault = 5 },
};

/* ------------------------------------------------------------------ events */

static void before_names(struct fault_env *e)
{
	static struct etw_filter_event_name name = { .in = 1, .count = 1, .names = "Evt" };
	struct etw_filter *f = (void *)e->room;

	f[0] = (struct etw_filter){ VM_PTR(&name), sizeof(name), ETW_FILTER_EVENT_NAME };
	f[1] = (struct etw_filter){ VM_PTR(&name), sizeof(name), ETW_FILTER_STACKWALK_NAME };
	another(e);
	e->arg.enable = vm_enable_arg(e->base, vm_guid(1));
	e->arg.enable.filters = VM_PTR(f);
	e->arg.enable.filter_count = 2;
}

static bool names_enabled(struct fault_env *e)
{
	return e->area[e->tmp].enabled;
}

/* An event with a schema and traits, too large for the stack of the kernel. */
static void before_event(struct fault_env *e)
{
	struct vm_blob schema = vm_schema("Evt");

	traits_arg(e);
	do_set(e);
	vm_enable(e->fd, e->base, vm_guid(1), 0, 0, 0);
	fault_no_notices(e);
	memcpy(e->room, schema.bytes, schema.len);
	e->data[0] = (struct etw_data_descriptor){ VM_PTR(e->room), schema.len,
						   ETW_DATA_EVENT_METADATA };
	e->data[1] = (struct etw_data_descriptor){ VM_PTR(e->room), 3000, 0 };
	e->arg.write = (struct etw_event_write){
		.size = sizeof(e->arg.write), .slot = e->tmp, .data_count = 2,
		.data = VM_PTR(e->data), .desc = { .id = 3, .level = 1, .keyword = 1 } };
	vm_flush(e->fd, e->base);
	vm_stat(e->fd, e->base, &e->before);
}

static int do_write(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_WRITE, &e->arg.write);
}

static bool is_written(struct fault_env *e)
{
	struct etw_session_stat st;

	return !vm_stat(e->fd, e->base, &st) && st.written == e->before.written + 1 &&
	       vm_dropped(&st) == vm_dropped(&e->before);
}

/* As for any event: it is lost and counted by its cause, or was not read at all. */
static bool is_counted(struct fault_env *e, const struct fault_state *was, int ret)
{
	uint32_t cause = ret == -ENOMEM ? ETW_DROP_NO_BUFFER : ETW_DROP_COPY_FAULT;
	struct etw_session_stat st;
	uint64_t more;

	(void)was;
	if (vm_stat(e->fd, e->base, &st) || st.written != e->before.written)
		return false;
	more = vm_dropped(&st) - vm_dropped(&e->before);
	return more == st.dropped[cause] - e->before.dropped[cause] && more <= 1 &&
	       (more || ret == -EFAULT);
}

static const struct fault_op event_ops[] = {
	{ .name = "ENABLE with names", .prepare = before_names, .call = do_enable,
	  .done = names_enabled, .clean = forget_another, .once = true, .enomem = 5,
	  .efault = 4 },
	{ .name = "WRITE with a schema", .prepare = before_event, .call = do_write,
	  .done = is_written, .judge = is_counted, .clean = forget_another, .once = true,
	  .enomem = 1, .efault = 3 },
};

FAULT_TEST(setting, set_ops)
FAULT_TEST(groups, group_ops)
FAULT_TEST(looking, look_ops)
FAULT_TEST(events, event_ops)

TEST_HARNESS_MAIN
