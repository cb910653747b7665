// SPDX-License-Identifier: GPL-2.0-only
/*
 * access.c - the access lists, and callers judged by them
 *
 * Lists, and everything here, are under etw_control: a right is asked for where
 * that is held anyway, to find what it is asked for.  A list is never changed
 * but replaced.  Nothing of this is on the way of an event: a registration that
 * may not write to a SECURE session is not in that session's scope (enable.c).
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uidgid.h>

#include "access.h"
#include "core/access.h"
#include "alloc.h"
#include "provider/provider.h"
#include "session/session.h"

struct access_list {
	struct hlist_node node;
	struct etw_guid guid;
	u32 count;
	struct etw_access_entry entries[];
};

const struct etw_guid etw_access_default = ETW_ACCESS_DEFAULT_GUID;

static DEFINE_HASHTABLE(lists, 6);
static u32 list_count;

static u32 hash(const struct etw_guid *guid)
{
	return jhash(guid, sizeof(*guid), 0);
}

static struct access_list *find(const struct etw_guid *guid)
{
	struct access_list *list;

	lockdep_assert_held(&etw_control);
	hash_for_each_possible(lists, list, node, hash(guid))
		if (!memcmp(&list->guid, guid, sizeof(*guid)))
			return list;
	return NULL;
}

/* The entries by which the GUID goes; own: they are its own. */
const struct etw_access_entry *etw_access_list(const struct etw_guid *guid, u32 *count,
					       bool *own)
{
	struct access_list *list = find(guid);

	*own = list;
	if (!list)
		list = find(&etw_access_default);
	*count = list ? list->count : ETW_ACCESS_BUILTIN;
	return list ? list->entries : etw_access_builtin;
}

/* ----------------------------------------------------------------- judging */

/* Whom the entry names, is that the current task as it acts at the moment? */
static bool is_current(const struct etw_access_entry *entry, const void *unused)
{
	switch (entry->who) {
	case ETW_ACCESS_EVERYONE:
		return true;
	case ETW_ACCESS_USER:
		return uid_eq(current_euid(), make_kuid(&init_user_ns, entry->id));
	case ETW_ACCESS_GROUP:
		return in_egroup_p(make_kgid(&init_user_ns, entry->id));
	case ETW_ACCESS_CAPABILITY:
		return cap_valid(entry->id) && ns_capable_noaudit(&init_user_ns, entry->id);
	default:
		return false;
	}
}

/* Has the caller all of these rights on the GUID? */
bool etw_access_granted(const struct etw_guid *guid, u32 rights)
{
	const struct etw_access_entry *entries;
	u32 count;
	bool own;

	entries = etw_access_list(guid, &count, &own);
	return etw_access_grants(entries, count, rights, is_current, NULL) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

void etw_access_scan(struct etw_access_scan *scan, u32 rights)
{
	scan->rights = rights;
	scan->all = ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
	scan->others = scan->all || etw_access_granted(&etw_access_default, rights);
}

static bool own_grants(const struct etw_access_scan *scan, const struct access_list *list)
{
	return etw_access_grants(list->entries, list->count, scan->rights, is_current, NULL);
}

/* As etw_access_granted(). */
bool etw_access_scan_grants(const struct etw_access_scan *scan, const struct etw_guid *guid)
{
	const struct access_list *list;

	if (scan->all)
		return true;
	list = find(guid);
	return list ? own_grants(scan, list) : scan->others;
}

/* Might there be a GUID on which the caller has the rights?  May sleep. */
bool etw_access_scan_any(const struct etw_access_scan *scan)
{
	const struct access_list *list;
	bool any = scan->others;
	int bucket;

	for (bucket = 0; !any && bucket < HASH_SIZE(lists); bucket++) {
		hlist_for_each_entry(list, &lists[bucket], node)
			any = any || own_grants(scan, list);
		cond_resched();
	}
	return any;
}

/* The sessions that the caller may query: bit i is the one with logger id i + 1. */
u64 etw_access_visible(void)
{
	const struct etw_trace_session *s;
	struct etw_access_scan scan;
	u64 visible = 0;

	etw_access_scan(&scan, ETW_RIGHT_QUERY);
	list_for_each_entry(s, &etw_sessions, node)
		if (etw_access_scan_grants(&scan, &s->guid))
			visible |= BIT_ULL(s->logger_id - 1);
	return visible;
}

/* As etw_access_granted(), for callers that do not hold etw_control. */
bool etw_access_may(const struct etw_guid *guid, u32 rights)
{
	bool may;

	mutex_lock(&etw_control);
	may = etw_access_granted(guid, rights);
	mutex_unlock(&etw_control);
	return may;
}

/* May events of this registration go to the session?  Judges who made it. */
bool etw_access_may_log(const struct etw_trace_session *s, const struct etw_registration *reg)
{
	const struct cred *saved;
	bool may;

	if (!s->secure || !reg->process)
		return true;
	saved = override_creds(reg->cred);
	may = etw_access_granted(&s->guid, ETW_RIGHT_LOG_EVENT);
	revert_creds(saved);
	return may;
}

/*
 * The running session of that name or handle, if the caller has these rights
 * on it.  -ENOENT only for those who might have had one with the default list.
 */
struct etw_trace_session *etw_access_session(u64 handle, const char *name, u32 name_len,
					     u32 rights)
{
	struct etw_trace_session *s = etw_session_find(handle, name, name_len);
	const struct etw_guid *guid = s ? &s->guid : &etw_access_default;

	/* Who controls a session that is nothing but a file needs the right to that. */
	if (s && rights & ETW_RIGHT_CREATE_REALTIME && s->log &&
	    !(READ_ONCE(s->mode) & ETW_MODE_REAL_TIME))
		rights ^= ETW_RIGHT_CREATE_REALTIME | ETW_RIGHT_CREATE_ONDISK;
	/* Who may read all its events may know what the session is like. */
	if (!etw_access_granted(guid, rights) &&
	    (rights != ETW_RIGHT_QUERY || !etw_access_granted(guid, ETW_RIGHT_ACCESS_REALTIME)))
		return ERR_PTR(-EPERM);
	return s ?: ERR_PTR(-ENOENT);
}

/* ---------------------------------------------------------------- changing */

/*
 * The bits of the entry's sessions in the scope of reg as the lists are now.  A
 * classic one has one session, which no list but only the next enabling changes
 * for another.  Sets *told if the provider is to hear of a difference.
 */
static u8 scope_now(const struct etw_guid_entry *entry, const struct etw_registration *reg,
		    bool *told)
{
	const struct etw_enablement *slot = entry->slots;
	u8 old = etw_entry_scope(entry, reg), scope = old;
	int i;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++, slot++) {
		if (!slot->session || !slot->session->secure)
			continue;
		/* Whom a PID filter selected is not known any more. */
		if (!etw_access_may_log(slot->session, reg))
			scope &= ~BIT(i);
		else if (!etw_is_classic(reg) && !slot->pid_filtered &&
			 etw_scope_selects(slot->scope, reg))
			scope |= BIT(i);
		if ((scope ^ old) & BIT(i) &&
		    !(entry->is_group && etw_group_disallowed(slot->session, reg)))
			*told = true;
	}
	return scope;
}

static int judge_writer(struct list_head *updates, struct etw_registration *reg)
{
	bool told = false;
	u8 scope = scope_now(reg->entry, reg, &told);
	u8 group_scope = reg->group ? scope_now(reg->group, reg, &told) : 0;

	if (scope == reg->scope && group_scope == reg->group_scope)
		return 0;
	return etw_enable_rescope(updates, reg, scope, group_scope, told);
}

/* Let SECURE sessions have whom they may have now: all of them, or -ENOMEM. */
static int judge_writers(void)
{
	struct etw_guid_entry *entry;
	struct etw_registration *reg;
	LIST_HEAD(updates);
	int bucket, err = 0;

	etw_guid_for_each(bucket, entry)
		list_for_each_entry(reg, &entry->regs, node) {
			if (!err)
				err = judge_writer(&updates, reg);
			cond_resched();
		}
	etw_enable_rescoped(&updates, err);
	return err;
}

/* Put new, or with NULL none, in old's place, or leave everything as it was. */
static int replace(struct access_list *old, struct access_list *new)
{
	int err;

	if (old)
		hash_del(&old->node);
	if (new)
		hash_add(lists, &new->node, hash(&new->guid));
	err = judge_writers();
	if (err) {
		swap(old, new);
		if (old)
			hash_del(&old->node);
		if (new)
			hash_add(lists, &new->node, hash(&new->guid));
	} else {
		list_count += !!new - !!old;
	}
	kfree(old);
	return err;
}

/* The entries are checked; nobody is asked for a right. */
int etw_access_set(const struct etw_guid *guid, const struct etw_access_entry *entries,
		   u32 count)
{
	struct access_list *old = find(guid), *new;

	if (!old && list_count >= ETW_ACCESS_LISTS_MAX)
		return -ENOSPC;
	new = kmalloc(struct_size(new, entries, count), ETW_GFP);
	if (!new)
		return -ENOMEM;
	new->guid = *guid;
	new->count = count;
	memcpy(new->entries, entries, count * sizeof(*entries));
	return replace(old, new);
}

/* A GUID without its own list is left alone. */
int etw_access_remove(const struct etw_guid *guid)
{
	struct access_list *old = find(guid);

	return old ? replace(old, NULL) : 0;
}

/* Is list behind the GUID, and before next, if there is one? */
static bool is_nearer(const struct access_list *list, const struct etw_guid *guid,
		      const struct etw_guid *next)
{
	return memcmp(&list->guid, guid, sizeof(*guid)) > 0 &&
	       (!next || memcmp(&list->guid, next, sizeof(*next)) < 0);
}

/*
 * The next GUID that has its own list and that the scan grants, or NULL.  May
 * sleep.
 */
const struct etw_guid *etw_access_next(const struct etw_access_scan *scan,
				       const struct etw_guid *guid)
{
	const struct etw_guid *next = NULL;
	struct access_list *list;
	int bucket;

	lockdep_assert_held(&etw_control);
	for (bucket = 0; bucket < HASH_SIZE(lists); bucket++) {
		hlist_for_each_entry(list, &lists[bucket], node)
			if (is_nearer(list, guid, next) &&
			    (scan->all || own_grants(scan, list)))
				next = &list->guid;
		cond_resched();
	}
	return next;
}

/* Nobody is left who could ask. */
void etw_access_exit(void)
{
	struct access_list *list;
	struct hlist_node *tmp;
	int bucket;

	hash_for_each_safe(lists, bucket, tmp, list, node) {
		hash_del(&list->node);
		kfree(list);
	}
}
