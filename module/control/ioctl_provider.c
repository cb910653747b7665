// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl_provider.c - enabling providers, and looking at them
 */
#include <linux/capability.h>
#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access/access.h"
#include "alloc.h"
#include "provider/groups.h"
#include "ioctl.h"
#include "write/extended_items.h"
#include "provider/process.h"
#include "provider/provider.h"
#include "session/session.h"

#define ENABLE_PROPERTIES	(ETW_ENABLE_ITEMS | ETW_ENABLE_IGNORE_KEYWORD_0 |	\
				 ETW_ENABLE_EXCLUDE_INPRIVATE | ETW_ENABLE_PROVIDER_GROUP)

/* Not of a group: its members have nothing in common that these could judge. */
#define NOT_OF_GROUPS		((ETW_FILTER_EVENT_ID | ETW_FILTER_EVENT_NAME |	\
				  ETW_FILTER_PAYLOAD) & 0xffff)

/* ------------------------------------------------------------------- enable */

/*
 * Wait, and give the waiter away.  After a signal the file keeps it, so that one
 * can go on without having told the callbacks once more.
 */
static long wait_for(struct etw_process *p, struct etw_waiter *waiter, u32 timeout_ms)
{
	long err = etw_waiter_wait(waiter, timeout_ms);

	if (err == -EINTR)
		waiter = etw_process_keep(p, waiter);
	etw_waiter_put(waiter);
	return err;
}

/* ETW_CONTROL_WAIT */
static long wait_on(struct etw_process *p, const struct etw_enable *e)
{
	const struct etw_enable only = {
		.size = e->size, .control = ETW_CONTROL_WAIT, .timeout_ms = e->timeout_ms };
	struct etw_waiter *waiter;

	if (memcmp(e, &only, sizeof(only)))
		return -EINVAL;
	waiter = etw_process_keep(p, NULL);
	return waiter ? wait_for(p, waiter, e->timeout_ms) : -ENOENT;
}

/* Run a checked request under etw_control, then wait for callbacks if asked. */
static long run_request(struct etw_process *p, struct etw_enable_request *req, u64 handle,
			u32 timeout_ms)
{
	struct etw_waiter *waiter = NULL;
	long err;

	if (timeout_ms) {
		waiter = etw_waiter_alloc();
		if (!waiter)
			return -ENOMEM;
	}
	mutex_lock(&etw_control);
	req->session = etw_access_session(handle, NULL, 0, ETW_RIGHT_CREATE_REALTIME);
	err = PTR_ERR_OR_ZERO(req->session);
	if (!err)
		err = etw_filter_data_bind(req);
	if (!err)
		err = etw_provider_enable(req, waiter);
	mutex_unlock(&etw_control);
	if (err || !waiter) {
		etw_waiter_put(waiter);
		return err;
	}
	etw_waiter_done(waiter);
	return wait_for(p, waiter, timeout_ms);
}

/*
 * A stack has return addresses of the kernel and of everybody's processes, which
 * undo the randomisation of both: no list gives that, as perf does not either.
 */
static bool may_see_stacks(const struct etw_enable *e)
{
	return e->control != ETW_CONTROL_ENABLE || !(e->property & ETW_ENABLE_STACK_TRACE) ||
	       perfmon_capable();
}

long etw_ioctl_enable(struct file *file, void *arg)
{
	const struct etw_enable *e = arg;
	struct etw_enable_request req = {
		.provider = e->provider,
		.source = e->source,
		.control = e->control,
		.property = e->property,
		.any = e->any,
		.all = e->all,
		.level = e->level,
	};
	long err;

	if (e->control == ETW_CONTROL_WAIT)
		return wait_on(file->private_data, e);
	if (e->flags || memchr_inv(e->reserved, 0, sizeof(e->reserved)) ||
	    e->control > ETW_CONTROL_CAPTURE || e->property & ~ENABLE_PROPERTIES ||
	    etw_guid_is_null(&e->provider))
		return -EINVAL;
	if (!etw_access_may(&e->provider, ETW_RIGHT_GUID_ENABLE) || !may_see_stacks(e))
		return -EPERM;
	err = etw_filters_read(&req, e->filters, e->filter_count);
	if (!err && e->property & ETW_ENABLE_PROVIDER_GROUP && req.filters & NOT_OF_GROUPS)
		err = -EINVAL;
	if (!err)
		err = run_request(file->private_data, &req, e->session, e->timeout_ms);
	etw_filters_free(&req);
	return err;
}

/* ------------------------------------------------------------------ looking */

/*
 * The entries of a table, etw_guids or etw_groups.  May sleep between them, as
 * they are under etw_control.
 */
#define table_for_each(table, bucket, entry)				\
	for (bucket = 0; bucket < 1 << ETW_GUID_BITS; bucket++, cond_resched())	\
		hlist_for_each_entry(entry, &(table)[bucket], node)

/* Fill guids with those that the caller may query; how many there are. */
static u32 list_visible(const struct hlist_head *table, const struct etw_access_scan *scan,
			struct etw_guid *guids, u32 room)
{
	struct etw_guid_entry *entry;
	u32 n = 0, seen = 0;
	int bucket;

	lockdep_assert_held(&etw_control);
	table_for_each(table, bucket, entry) {
		if (!(++seen % 256))
			cond_resched();
		if (!etw_access_scan_grants(scan, &entry->guid))
			continue;
		if (n < room)
			guids[n] = entry->guid;
		n++;
	}
	return n;
}

/* The array's room and the number are the caller's to use after etw_control. */
static long collect_guids(const struct hlist_head *table, struct etw_provider_enum *e,
			  struct etw_guid **guids)
{
	struct etw_access_scan scan;
	struct etw_guid_entry *entry;
	u32 n = 0, room;
	int bucket;

	lockdep_assert_held(&etw_control);
	etw_access_scan(&scan, ETW_RIGHT_QUERY);
	if (!etw_access_scan_any(&scan))
		return -EPERM;
	table_for_each(table, bucket, entry)
		n++;
	room = min(e->capacity, n);
	*guids = kvcalloc(room ?: 1, sizeof(**guids), ETW_GFP);
	if (!*guids)
		return -ENOMEM;
	e->count = list_visible(table, &scan, *guids, room);
	return e->count || scan.others ? 0 : -EPERM;
}

/* PROVIDER_ENUM or GROUP_ENUM. */
long etw_enum_guids(const struct hlist_head *table, struct etw_provider_enum *e)
{
	struct etw_guid *guids = NULL;
	long err;
	u32 n;

	if (e->flags)
		return -EINVAL;
	mutex_lock(&etw_control);
	err = collect_guids(table, e, &guids);
	mutex_unlock(&etw_control);
	n = err ? 0 : min(e->capacity, e->count);
	if (n && copy_to_user(u64_to_user_ptr(e->guids), guids, n * sizeof(*guids)))
		err = -EFAULT;
	kvfree(guids);
	return err;
}

long etw_ioctl_provider_enum(struct file *file, void *arg)
{
	return etw_enum_guids(etw_guids, arg);
}

/* What PROVIDER_QUERY collects under etw_control and copies out after. */
struct query {
	struct etw_provider_reg *regs;
	struct etw_provider_enable enables[ETW_PROVIDER_SESSIONS];
	char *name;
	u32 reg_room;
};

/* visible: of etw_access_visible(), the sessions that may be told of. */
void etw_describe_reg(struct etw_provider_reg *out, const struct etw_registration *reg,
		      u64 visible)
{
	out->pid = reg->process ? pid_vnr(reg->tgid) : 0;
	out->flags = reg->flags | (reg->process ? 0 : ETW_REG_KERNEL) |
		     (reg->traits ? ETW_REG_TRAITS : 0);
	out->sessions = etw_registration_sessions(reg) & visible;
	memcpy(out->module, reg->module, sizeof(out->module));
	if (reg->group)
		out->group = reg->group->guid;
}

static void describe_enable(struct etw_provider_enable *out,
			    const struct etw_enablement *slot)
{
	out->session = slot->session->handle;
	out->any = slot->any;
	out->all = slot->all;
	out->property = slot->property;
	out->logger_id = slot->session->logger_id;
	out->level = slot->level;
	out->pid_filtered = slot->pid_filtered;
	out->filters = slot->filters;
}

/*
 * The registration that names the provider, or NULL.  Anybody may register a
 * GUID with a name, so where a module has it registered only modules name it.
 * May sleep.
 */
static const struct etw_registration *namer(const struct etw_guid_entry *entry)
{
	const struct etw_registration *reg, *named = NULL;
	bool kernel = false;

	list_for_each_entry(reg, &entry->regs, node) {
		cond_resched();
		if (!reg->process && !kernel) {
			kernel = true;
			named = NULL;
		}
		if (reg->name && !named && kernel == !reg->process)
			named = reg;
	}
	return named;
}

/* Those slots in use whose sessions may be told of; how many. */
u32 etw_describe_enables(struct etw_provider_enable *out, const struct etw_guid_entry *entry,
			 u64 visible)
{
	const struct etw_enablement *slot = entry->slots;
	u32 n = 0;

	for (; slot < entry->slots + ETW_PROVIDER_SESSIONS; slot++)
		if (slot->session && visible & BIT_ULL(slot->session->logger_id - 1))
			describe_enable(&out[n++], slot);
	return n;
}

static int collect(struct etw_provider_query *q, struct query *c,
		   const struct etw_guid_entry *entry)
{
	const u64 visible = etw_access_visible();
	const struct etw_registration *reg;
	u32 n = 0;

	list_for_each_entry(reg, &entry->regs, node) {
		n++;
		cond_resched();
	}
	q->reg_count = n;
	c->reg_room = min(n, q->reg_cap);
	c->regs = kvcalloc(c->reg_room ?: 1, sizeof(*c->regs), ETW_GFP);
	if (!c->regs)
		return -ENOMEM;
	n = 0;
	list_for_each_entry(reg, &entry->regs, node) {
		if (n == c->reg_room)
			break;
		etw_describe_reg(&c->regs[n++], reg, visible);
		cond_resched();
	}
	reg = namer(entry);
	if (reg) {
		c->name = kmemdup_nul(reg->name, reg->name_len, ETW_GFP);
		if (!c->name)
			return -ENOMEM;
		q->name_len = reg->name_len;
	}
	q->enable_count = etw_describe_enables(c->enables, entry, visible);
	return 0;
}

static int copy_out(const struct etw_provider_query *q, const struct query *c)
{
	u32 n = min(q->enable_cap, q->enable_count);

	if (c->reg_room && copy_to_user(u64_to_user_ptr(q->regs), c->regs,
					c->reg_room * sizeof(*c->regs)))
		return -EFAULT;
	if (n && copy_to_user(u64_to_user_ptr(q->enables), c->enables,
			      n * sizeof(*c->enables)))
		return -EFAULT;
	return etw_ioctl_name_out(q->name_out, q->name_cap, c->name, q->name_len);
}

long etw_ioctl_provider_query(struct file *file, void *arg)
{
	struct etw_provider_query *q = arg;
	struct etw_guid_entry *entry;
	struct query *c;
	long err;

	if (q->flags)
		return -EINVAL;
	if (!etw_access_may(&q->provider, ETW_RIGHT_QUERY))
		return -EPERM;
	c = kzalloc(sizeof(*c), ETW_GFP);
	if (!c)
		return -ENOMEM;
	q->name_len = 0;
	mutex_lock(&etw_control);
	entry = etw_guid_find(&q->provider);
	err = entry ? collect(q, c, entry) : -ESRCH;
	mutex_unlock(&etw_control);
	if (!err)
		err = copy_out(q, c);
	kvfree(c->regs);
	kfree(c->name);
	kfree(c);
	return err;
}
