// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl_group.c - the commands on provider groups and disallow lists
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access/access.h"
#include "alloc.h"
#include "handlers.h"
#include "ioctl_provider.h"
#include "provider/change.h"
#include "provider/groups.h"
#include "provider/guid_table.h"
#include "provider/process.h"
#include "session/session.h"

long etw_ioctl_disallow_set(struct file *file, void *arg)
{
	struct etw_disallowed *list = NULL;
	const struct etw_disallow *d = arg;
	struct etw_trace_session *s;
	struct etw_memory memory = { };
	int err;

	if (d->flags || d->capacity || d->count > ETW_DISALLOW_MAX)
		return -EINVAL;
	if (d->count) {
		list = kvmalloc(struct_size(list, guids, d->count), ETW_GFP);
		if (!list)
			return -ENOMEM;
		list->count = d->count;
		if (copy_from_user(list->guids, u64_to_user_ptr(d->guids),
				   d->count * sizeof(list->guids[0]))) {
			kvfree(list);
			return -EFAULT;
		}
	}
	if (list)
		etw_ioctl_capture(d->session, (struct etw_forwarders){ .list = list });
	do {
		mutex_lock(&etw_control);
		s = etw_session_lookup(d->session, NULL, 0, ETW_RIGHT_CREATE_REALTIME);
		err = PTR_ERR_OR_ZERO(s);
		if (!err)
			err = etw_group_disallow(&s->enabler, &list, &memory);
		mutex_unlock(&etw_control);
	} while (etw_memory_again(&memory, &err, ETW_GFP));
	etw_memory_free(&memory);
	etw_static_keys_settle();
	kvfree(list);
	return err;
}

long etw_ioctl_disallow_query(struct file *file, void *arg)
{
	struct etw_disallow *d = arg;
	u32 room = min_t(u32, d->capacity, ETW_DISALLOW_MAX), n = 0;
	struct etw_guid *guids = NULL;
	struct etw_trace_session *s;
	long err = 0;

	if (d->flags)
		return -EINVAL;
	if (room) {
		guids = kvmalloc_array(room, sizeof(*guids), ETW_GFP);
		if (!guids)
			return -ENOMEM;
	}
	mutex_lock(&etw_control);
	s = etw_session_lookup(d->session, NULL, 0, ETW_RIGHT_QUERY);
	if (IS_ERR(s))
		err = PTR_ERR(s);
	else if (s->enabler.disallowed)
		n = s->enabler.disallowed->count;
	room = min(n, room);
	if (room)
		memcpy(guids, s->enabler.disallowed->guids, room * sizeof(*guids));
	mutex_unlock(&etw_control);
	d->count = n;
	if (!err && room && copy_to_user(u64_to_user_ptr(d->guids), guids, room * sizeof(*guids)))
		err = -EFAULT;
	kvfree(guids);
	return err;
}

long etw_ioctl_group_enum(struct file *file, void *arg)
{
	return etw_enum_guids(etw_groups, arg);
}

/* What GROUP_QUERY collects under etw_control and copies out afterwards. */
struct group_query {
	struct etw_query_array members;	/* struct etw_group_member */
	struct etw_provider_enable enables[ETW_PROVIDER_SESSIONS];
};

static void describe_member(struct etw_group_member *member,
			    const struct etw_registration *reg, u64 visible)
{
	member->provider = reg->provider->guid;
	etw_describe_reg(&member->reg, reg, visible);
}

/*
 * Collect the members whose providers the caller may query; -EAGAIN: the caller has room for
 * more than the array.
 */
static int group_collect(struct etw_group_query *q, struct group_query *c,
			 const struct etw_guid_entry *group)
{
	const u64 visible = etw_sessions_visible();
	struct etw_group_member *members = c->members.items;
	const struct etw_registration *reg;
	struct etw_access_scan scan;
	u32 n = 0;

	if (!etw_entry_in_use(group))
		return -ESRCH;
	etw_access_scan(&scan, ETW_RIGHT_QUERY);
	etw_entry_for_each(reg, group) {
		cond_resched();
		if (etw_registration_has_left(reg) ||
		    !etw_access_scan_grants(&scan, &reg->provider->guid))
			continue;
		if (n < c->members.room)
			describe_member(&members[n], reg, visible);
		n++;
	}
	q->member_count = n;
	if (min(n, q->member_cap) > c->members.room)
		return -EAGAIN;
	q->enable_count = etw_describe_enables(c->enables, group, visible);
	return 0;
}

long etw_ioctl_group_query(struct file *file, void *arg)
{
	struct etw_group_query *q = arg;
	struct etw_guid_entry *group;
	struct group_query *c;
	long err;
	u32 n;

	if (q->flags)
		return -EINVAL;
	if (!etw_access_may(&q->group, ETW_RIGHT_QUERY))
		return -EPERM;
	c = kzalloc(sizeof(*c), ETW_GFP);
	if (!c)
		return -ENOMEM;
	do {
		mutex_lock(&etw_control);
		group = etw_group_find(&q->group);
		err = group ? group_collect(q, c, group) : -ESRCH;
		mutex_unlock(&etw_control);
		n = min(q->member_cap, q->member_count);
	} while (etw_query_array_again(&c->members, &err, n, sizeof(struct etw_group_member)));
	if (!err && n && copy_to_user(u64_to_user_ptr(q->members), c->members.items,
				      n * sizeof(struct etw_group_member)))
		err = -EFAULT;
	n = min(q->enable_cap, q->enable_count);
	if (!err && n && copy_to_user(u64_to_user_ptr(q->enables), c->enables,
				      n * sizeof(*c->enables)))
		err = -EFAULT;
	kvfree(c->members.items);
	kfree(c);
	return err;
}
