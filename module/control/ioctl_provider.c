// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl_provider.c - the commands on providers: register, enable, query
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access/access.h"
#include "access/user_limits.h"
#include "alloc.h"
#include "handlers.h"
#include "ioctl.h"
#include "ioctl_provider.h"
#include "provider/capture.h"
#include "provider/change.h"
#include "provider/enable.h"
#include "provider/enable_snapshot.h"
#include "provider/filter_data.h"
#include "provider/filter_parse.h"
#include "provider/guid_table.h"
#include "provider/notice.h"
#include "provider/process.h"
#include "provider/registration.h"
#include "provider/scope_filter.h"
#include "provider/traits.h"
#include "session/session.h"
#include "system/process_events.h"
#include "write/extended_items.h"
#include "write/fair.h"

/* Registrations of processes so far.  Those of a user take turns at the parts of the share. */
static atomic_t registrations;

#define ENABLE_PROPERTIES	(ETW_ENABLE_ITEMS | ETW_ENABLE_IGNORE_KEYWORD_0 |	\
				 ETW_ENABLE_EXCLUDE_INPRIVATE | ETW_ENABLE_PROVIDER_GROUP | \
				 ETW_ENABLE_READERS)

/* Not for groups: these filters depend on the events of one provider. */
#define NOT_OF_GROUPS		((ETW_FILTER_EVENT_ID | ETW_FILTER_EVENT_NAME |	\
				  ETW_FILTER_PAYLOAD) & 0xffff)

/* --------------------------------------------------------------- registering */

static bool register_flags_are_right(u32 flags)
{
	if (flags & ETW_REGISTER_FORWARDS)
		return flags == (ETW_REGISTER_FORWARDS | ETW_REGISTER_NOTIFY);
	return !(flags & ~(ETW_REGISTER_NOTIFY | ETW_REGISTER_CLASSIC));
}

long etw_ioctl_register(struct file *file, void *arg)
{
	struct etw_register *r = arg;
	struct etw_registration *reg;
	char comm[TASK_COMM_LEN];
	struct etw_user *user;
	char *name = NULL;
	int err;

	if (!register_flags_are_right(r->flags) || etw_guid_is_null(&r->provider))
		return -EINVAL;
	/* Whoever stops a session waits for it. */
	if (r->flags & ETW_REGISTER_FORWARDS && !perfmon_capable())
		return -EPERM;
	if (r->name_len) {
		err = etw_ioctl_name_in(r->name, r->name_len, &name);
		if (err)
			return err;
	}
	reg = etw_registration_alloc(name, r->name_len);
	if (!reg) {
		kfree(name);
		return -ENOMEM;
	}
	reg->hot.own.guid = r->provider;
	reg->hot.flags = r->flags;
	reg->cookie = r->cookie;
	reg->cred = etw_access_cred(current_cred());
	get_task_comm(comm, current->group_leader);
	strscpy(reg->module, comm, sizeof(reg->module));
	etw_scope_executable(reg->executable);

	user = etw_user_charge(ETW_USER_REGISTRATIONS, 1, true);
	if (IS_ERR(user)) {
		kfree(name);
		etw_registration_free(reg);
		return PTR_ERR(user);
	}
	reg->user = user;
	reg->hot.payer = ETW_PAYER(etw_user_number(user),
				   (u32)atomic_inc_return(&registrations) % ETW_FAIR_PARTS);
	err = r->flags & ETW_REGISTER_NOTIFY ? etw_notices_alloc(reg) : 0;
	if (!err)
		err = etw_process_register(etw_process_of(file), reg, &r->slot);
	if (err)
		etw_registration_free(reg);
	else if (name)
		etw_process_events_provider(&r->provider, name);
	kfree(name);
	return err;
}

long etw_ioctl_unregister(struct file *file, void *arg)
{
	struct etw_unregister *u = arg;

	return etw_process_unregister(etw_process_of(file), u->slot, NULL);
}

/* The slot could not be copied to the caller. */
void etw_ioctl_register_undo(struct file *file, void *arg)
{
	struct etw_register *r = arg;

	etw_process_unregister(etw_process_of(file), r->slot, r);
}

long etw_ioctl_provider_set(struct file *file, void *arg)
{
	const struct etw_provider_set *set = arg;
	struct etw_traits *traits = NULL;
	struct etw_registration *reg;
	struct etw_memory memory = { };
	bool types = set->types;
	int err;

	if (!set->flags || set->flags & ~(ETW_SET_TRAITS | ETW_SET_TYPES) || set->reserved ||
	    set->types > (set->flags & ETW_SET_TYPES ? 1 : 0))
		return -EINVAL;
	if (set->flags & ETW_SET_TRAITS) {
		traits = etw_traits_read(set->traits, set->traits_len);
		if (IS_ERR(traits))
			return PTR_ERR(traits);
	}
	do {
		mutex_lock(&etw_control);
		reg = etw_process_registration(etw_process_of(file), set->slot);
		if (IS_ERR(reg))
			err = PTR_ERR(reg);
		else
			err = etw_registration_set(reg, traits, set->flags & ETW_SET_TYPES ?
						   &types : NULL, &memory);
		/* Until it is unlocked, nobody takes the registration away. */
		if (!err && !IS_ERR(reg) && traits)
			etw_process_events_provider(&reg->hot.own.guid, traits->blob + 2);
		mutex_unlock(&etw_control);
	} while (etw_memory_again(&memory, &err, ETW_GFP));
	etw_memory_free(&memory);
	if (err)
		etw_traits_free(traits);
	return err;
}

/* -------------------------------------------------------------- notifications */

long etw_ioctl_notify(struct file *file, void *arg)
{
	struct etw_process *p = etw_process_of(file);
	struct etw_filter_data *data = NULL;
	struct etw_notify *n = arg;
	int err;

	if (n->logger_id || n->reserved2)
		return -EINVAL;
	if (!etw_process_is_owner(p))
		return READ_ONCE(p->tgid) ? -ESTALE : -EAGAIN;
	err = etw_callback_queue_fetch(&p->queue, n, &data);
	if (err)
		return err;
	err = etw_filter_data_copy_out(data, n);
	etw_filter_data_put(data);
	if (err)
		etw_ioctl_notify_undo(file, n);
	return err;
}

void etw_ioctl_notify_undo(struct file *file, void *arg)
{
	struct etw_process *p = etw_process_of(file);

	etw_callback_queue_unfetch(&p->queue, &p->hot, arg);
}

/* ------------------------------------------------------------------- enable */

/*
 * Wait, and put the waiter.  After a signal the file keeps it, so that the caller can
 * go on waiting without calling the callbacks again.
 */
static long wait_for(struct etw_process *p, struct etw_waiter *waiter, u32 timeout_ms)
{
	long err = etw_waiter_wait(waiter, timeout_ms);

	if (err == -EINTR)
		waiter = etw_callback_queue_keep(&p->queue, waiter);
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
	waiter = etw_callback_queue_keep(&p->queue, NULL);
	return waiter ? wait_for(p, waiter, e->timeout_ms) : -ENOENT;
}

/*
 * Now that the session is known, complete the request's data for callbacks.  -ENOENT: a
 * handle in it is no session's; -EPERM: the caller may not query that session.
 */
static int bind_data(struct etw_enable_request *req)
{
	const struct etw_filter_data *data = req->data;

	if (data && data->type == ETW_FILTER_TRACEHANDLE)
		return PTR_ERR_OR_ZERO(etw_session_lookup(data->words[0], NULL, 0,
							  ETW_RIGHT_QUERY));
	etw_filter_data_bind(req);
	return 0;
}

static int request_locked(struct etw_enable_request *req, u64 handle, struct etw_waiter *waiter,
			  struct etw_memory *memory)
{
	struct etw_trace_session *s;
	int err;

	s = etw_session_lookup(handle, NULL, 0, ETW_RIGHT_CREATE_REALTIME);
	if (IS_ERR(s))
		return PTR_ERR(s);
	req->session = &s->enabler;
	err = bind_data(req);
	return err ?: etw_provider_enable(req, waiter, memory);
}

/*
 * Run a checked request, then wait for callbacks if asked to.  To disable never fails for lack
 * of memory.
 */
static long run_request(struct etw_process *p, struct etw_enable_request *req, u64 handle,
			u32 timeout_ms)
{
	const gfp_t must = req->control == ETW_CONTROL_DISABLE ? __GFP_NOFAIL : 0;
	struct etw_waiter *waiter = NULL;
	struct etw_memory memory = { };
	int err;

	if (timeout_ms) {
		waiter = etw_waiter_alloc();
		if (!waiter)
			return -ENOMEM;
	}
	do {
		mutex_lock(&etw_control);
		err = request_locked(req, handle, waiter, &memory);
		mutex_unlock(&etw_control);
	} while (etw_memory_again(&memory, &err, ETW_GFP | must));
	etw_memory_free(&memory);
	etw_static_keys_settle();
	if (err || !waiter) {
		etw_waiter_put(waiter);
		return err;
	}
	etw_waiter_done(waiter);
	return wait_for(p, waiter, timeout_ms);
}

/* The session gets what is yet to be forwarded to it, before it wants less, or nothing. */
void etw_ioctl_capture(u64 session, struct etw_forwarders which)
{
	struct etw_trace_session *s = etw_session_get(session, NULL, 0, ETW_RIGHT_CREATE_REALTIME);

	if (IS_ERR(s))
		return;		/* and the command says why */
	etw_capture_forwarded(&s->enabler, which, true);
	etw_session_put(s);
}

/*
 * Return addresses of the kernel and of everybody's processes defeat the randomisation of both.
 * No access list grants them; perf does not either.  Lockdown refuses them to all, stacks also
 * to those who were allowed before (etw_stack_look()).
 */
bool etw_may_see_addresses(void)
{
	return perfmon_capable() && !security_locked_down(LOCKDOWN_PERF);
}

static bool may_see_stacks(const struct etw_enable *e)
{
	return e->control != ETW_CONTROL_ENABLE ||
	       !(e->property & (ETW_ENABLE_STACK_TRACE | ETW_ENABLE_USER_STACK)) ||
	       etw_may_see_addresses();
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
		return wait_on(etw_process_of(file), e);
	if (e->flags || memchr_inv(e->reserved, 0, sizeof(e->reserved)) ||
	    e->control > ETW_CONTROL_CAPTURE || e->property & ~ENABLE_PROPERTIES ||
	    etw_guid_is_null(&e->provider))
		return -EINVAL;
	if (!etw_access_may(&e->provider, ETW_RIGHT_GUID_ENABLE) || !may_see_stacks(e))
		return -EPERM;
	err = etw_filters_read(&req, e->filters, e->filter_count);
	if (!err && e->property & ETW_ENABLE_PROVIDER_GROUP && req.filters & NOT_OF_GROUPS)
		err = -EINVAL;
	req.sees_addresses = etw_may_see_addresses();
	if (!err && e->control == ETW_CONTROL_ENABLE && e->property & ETW_ENABLE_ITEMS)
		err = etw_items_prepare(e->property);
	if (!err && e->control != ETW_CONTROL_CAPTURE)
		etw_ioctl_capture(e->session, (struct etw_forwarders){ .guid = &e->provider });
	if (!err)
		err = run_request(etw_process_of(file), &req, e->session, e->timeout_ms);
	etw_filters_free(&req);
	return err;
}

/* ------------------------------------------------------------------- query */

/*
 * After a query that returned *err: shall it be tried again?  Then the array was replaced by
 * one with room for some more items than want, because there may be more by then.  *err
 * becomes -ENOMEM if that failed.  Without etw_control.
 */
bool etw_query_array_again(struct etw_query_array *array, long *err, u32 want, size_t size)
{
	if (*err != -EAGAIN)
		return false;
	kvfree(array->items);
	array->room = want + want / 8;
	array->items = kvcalloc(array->room, size, ETW_GFP);
	*err = array->items ? 0 : -ENOMEM;
	return !*err;
}

/* Has the entry a session, or a registration that has not left?  May sleep. */
bool etw_entry_in_use(const struct etw_guid_entry *entry)
{
	const struct etw_registration *reg;
	int i;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (entry->slots[i].session)
			return true;
	etw_entry_for_each(reg, entry) {
		if (!etw_registration_has_left(reg))
			return true;
		cond_resched();
	}
	return false;
}

/*
 * The entries of a table, etw_guids or etw_groups.  It may sleep between them, because
 * they are under etw_control.
 */
#define table_for_each(table, bucket, entry)				\
	for (bucket = 0; bucket < 1 << ETW_GUID_BITS; bucket++, cond_resched())	\
		hlist_for_each_entry(entry, &(table)[bucket], node)

/* Fill guids with those that the caller may query and return their number. */
static u32 provider_list(const struct hlist_head *table, const struct etw_access_scan *scan,
			 struct etw_guid *guids, u32 room)
{
	struct etw_guid_entry *entry;
	u32 n = 0, seen = 0;
	int bucket;

	lockdep_assert_held(&etw_control);
	table_for_each(table, bucket, entry) {
		if (!(++seen % 256))
			cond_resched();
		if (!etw_access_scan_grants(scan, &entry->guid) || !etw_entry_in_use(entry))
			continue;
		if (n < room)
			guids[n] = entry->guid;
		n++;
	}
	return n;
}

/* Collect what fits of the GUIDs; -EAGAIN: the caller has room for more than the array. */
static long collect_guids(const struct hlist_head *table, struct etw_provider_enum *e,
			  const struct etw_query_array *guids)
{
	struct etw_access_scan scan;

	lockdep_assert_held(&etw_control);
	etw_access_scan(&scan, ETW_RIGHT_QUERY);
	if (!etw_access_scan_any(&scan))
		return -EPERM;
	e->count = provider_list(table, &scan, guids->items, guids->room);
	if (!e->count && !scan.others)
		return -EPERM;
	return min(e->capacity, e->count) > guids->room ? -EAGAIN : 0;
}

/* PROVIDER_ENUM or GROUP_ENUM. */
long etw_enum_guids(const struct hlist_head *table, struct etw_provider_enum *e)
{
	const size_t size = sizeof(struct etw_guid);
	struct etw_query_array guids = { };
	long err;
	u32 n;

	if (e->flags)
		return -EINVAL;
	do {
		mutex_lock(&etw_control);
		err = collect_guids(table, e, &guids);
		mutex_unlock(&etw_control);
		n = min(e->capacity, e->count);
	} while (etw_query_array_again(&guids, &err, n, size));
	if (!err && n && copy_to_user(u64_to_user_ptr(e->guids), guids.items, n * size))
		err = -EFAULT;
	kvfree(guids.items);
	return err;
}

long etw_ioctl_provider_enum(struct file *file, void *arg)
{
	return etw_enum_guids(etw_guids, arg);
}

/* What PROVIDER_QUERY collects under etw_control and copies out afterwards. */
struct provider_query {
	struct etw_query_array regs;	/* struct etw_provider_reg */
	struct etw_provider_enable enables[ETW_PROVIDER_SESSIONS];
	char name[ETW_NAME_MAX];
};

/* visible: the sessions that may be named, see etw_sessions_visible(). */
void etw_describe_reg(struct etw_provider_reg *out, const struct etw_registration *reg,
		      u64 visible)
{
	out->pid = etw_is_user(reg) ? pid_vnr(reg->hot.tgid) : 0;
	out->flags = reg->hot.flags | (etw_is_user(reg) ? 0 : ETW_REG_KERNEL) |
		     (reg->traits ? ETW_REG_TRAITS : 0) |
		     (reg->hot.refused ? ETW_REG_REFUSED : 0) |
		     (reg->of_system ? ETW_REG_SYSTEM : 0);
	out->sessions = etw_registration_sessions(reg) & visible;
	memcpy(out->module, reg->module, sizeof(out->module));
	if (reg->group)
		out->group = reg->group->guid;
	out->refused = atomic64_read(&reg->hot.refusals);
}

static void describe_enable(struct etw_provider_enable *out,
			    const struct etw_enablement *slot)
{
	out->session = etw_session_of(slot->session)->handle;
	out->any = slot->any;
	out->all = slot->all;
	out->property = slot->property;
	out->logger_id = slot->session->hot->logger_id;
	out->level = slot->level;
	out->pid_filtered = slot->scope && slot->scope->by_pid;
	out->filters = slot->filters;
}

/*
 * The registration that names the provider, or NULL.  Everybody may register a GUID with
 * a name, so if a kernel module has registered it, only modules name it.  May sleep.
 */
static const struct etw_registration *naming_registration(const struct etw_guid_entry *entry)
{
	const struct etw_registration *reg, *named = NULL;
	bool kernel = false;

	list_for_each_entry(reg, &entry->regs, node) {
		cond_resched();
		if (etw_registration_has_left(reg))
			continue;
		if (!etw_is_user(reg) && !kernel) {
			kernel = true;
			named = NULL;
		}
		if (reg->name && !named && kernel == !etw_is_user(reg))
			named = reg;
	}
	return named;
}

/* Describe the used slots whose sessions are visible, and return their number. */
u32 etw_describe_enables(struct etw_provider_enable *out, const struct etw_guid_entry *entry,
			 u64 visible)
{
	const struct etw_enablement *slot = entry->slots;
	u32 n = 0;

	for (; slot < entry->slots + ETW_PROVIDER_SESSIONS; slot++)
		if (slot->session && visible & BIT_ULL(slot->session->hot->logger_id - 1))
			describe_enable(&out[n++], slot);
	return n;
}

/* -EAGAIN: the caller has room for more registrations than the array. */
static int provider_collect(struct etw_provider_query *q, struct provider_query *c,
			    const struct etw_guid_entry *entry)
{
	const u64 visible = etw_sessions_visible();
	struct etw_provider_reg *regs = c->regs.items;
	const struct etw_registration *reg;
	u32 n = 0;

	if (!etw_entry_in_use(entry))
		return -ESRCH;
	list_for_each_entry(reg, &entry->regs, node) {
		cond_resched();
		if (etw_registration_has_left(reg))
			continue;
		if (n < c->regs.room)
			etw_describe_reg(&regs[n], reg, visible);
		n++;
	}
	q->reg_count = n;
	if (min(n, q->reg_cap) > c->regs.room)
		return -EAGAIN;
	q->name_len = 0;
	reg = naming_registration(entry);
	if (reg) {
		q->name_len = reg->name_len;
		memcpy(c->name, reg->name, reg->name_len);
	}
	q->enable_count = etw_describe_enables(c->enables, entry, visible);
	return 0;
}

static int copy_out(const struct etw_provider_query *q, const struct provider_query *c)
{
	u32 n = min(q->reg_cap, q->reg_count);

	if (n && copy_to_user(u64_to_user_ptr(q->regs), c->regs.items,
			      n * sizeof(struct etw_provider_reg)))
		return -EFAULT;
	n = min(q->enable_cap, q->enable_count);
	if (n && copy_to_user(u64_to_user_ptr(q->enables), c->enables,
			      n * sizeof(*c->enables)))
		return -EFAULT;
	return etw_ioctl_name_out(q->name_out, q->name_cap, c->name, q->name_len);
}

long etw_ioctl_provider_query(struct file *file, void *arg)
{
	struct etw_provider_query *q = arg;
	struct etw_guid_entry *entry;
	struct provider_query *c;
	long err;

	if (q->flags)
		return -EINVAL;
	if (!etw_access_may(&q->provider, ETW_RIGHT_QUERY))
		return -EPERM;
	c = kzalloc(sizeof(*c), ETW_GFP);
	if (!c)
		return -ENOMEM;
	do {
		mutex_lock(&etw_control);
		entry = etw_guid_find(&q->provider);
		err = entry ? provider_collect(q, c, entry) : -ESRCH;
		mutex_unlock(&etw_control);
	} while (etw_query_array_again(&c->regs, &err, min(q->reg_cap, q->reg_count),
				       sizeof(struct etw_provider_reg)));
	if (!err)
		err = copy_out(q, c);
	kvfree(c->regs.items);
	kfree(c);
	return err;
}
