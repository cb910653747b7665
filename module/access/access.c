// SPDX-License-Identifier: GPL-2.0-only
/*
 * access.c - the access lists, and checking callers against them
 *
 * Everything here is under etw_control, which callers hold anyway to find the object
 * whose access they check.  A list never changes; a new one replaces it.  No event
 * comes here: a registration that may not write to a SECURE session is not in that
 * session's scope (provider/log_rights.c).
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
#include "alloc.h"
#include "control_lock.h"
#include "core/access.h"
#include "guid.h"

struct etw_access_list {
	struct hlist_node node;
	struct etw_guid guid;
	u32 count;
	struct etw_access_entry entries[];
};

const struct etw_guid etw_access_default = ETW_ACCESS_DEFAULT_GUID;

static DEFINE_HASHTABLE(lists, 6);
static u32 list_count;

static u32 access_hash(const struct etw_guid *guid)
{
	return jhash(guid, sizeof(*guid), 0);
}

static struct etw_access_list *access_find(const struct etw_guid *guid)
{
	struct etw_access_list *list;

	lockdep_assert_held(&etw_control);
	hash_for_each_possible(lists, list, node, access_hash(guid))
		if (etw_guid_equal(&list->guid, guid))
			return list;
	return NULL;
}

/* The entries that apply to the GUID; *own: they are its own, not the default. */
const struct etw_access_entry *etw_access_list(const struct etw_guid *guid, u32 *count,
					       bool *own)
{
	struct etw_access_list *list = access_find(guid);

	*own = list;
	if (!list)
		list = access_find(&etw_access_default);
	*count = list ? list->count : ETW_ACCESS_BUILTIN;
	return list ? list->entries : etw_access_builtin;
}

/* ---------------------------------------------------------------- checking */

/*
 * Does the entry name the current task, by its effective ids and capabilities?  *audited: a
 * capability that decides counts as used.
 */
static bool access_names_current(const struct etw_access_entry *entry, const void *audited)
{
	switch (entry->who) {
	case ETW_ACCESS_EVERYONE:
		return true;
	case ETW_ACCESS_USER:
		return uid_eq(current_euid(), make_kuid(&init_user_ns, entry->id));
	case ETW_ACCESS_GROUP:
		return in_egroup_p(make_kgid(&init_user_ns, entry->id));
	case ETW_ACCESS_CAPABILITY:
		return cap_valid(entry->id) && ns_capable_noaudit(&init_user_ns, entry->id) &&
		       (!*(const bool *)audited || ns_capable(&init_user_ns, entry->id));
	default:
		return false;
	}
}

/* Has the caller all of these rights on the GUID? */
static bool access_check(const struct etw_guid *guid, u32 rights, bool audited)
{
	const struct etw_access_entry *entries;
	u32 count;
	bool own;

	entries = etw_access_list(guid, &count, &own);
	return etw_access_grants(entries, count, rights, access_names_current, &audited) ||
	       (audited ? ns_capable(&init_user_ns, CAP_SYS_ADMIN) :
			  ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN));
}

/*
 * Has the caller all of these rights on the GUID?  A refusal is audited, and so is the use
 * of a capability.  For decisions, not for filtering lists.
 */
bool etw_access_granted(const struct etw_guid *guid, u32 rights)
{
	return access_check(guid, rights, true);
}

void etw_access_scan(struct etw_access_scan *scan, u32 rights)
{
	scan->rights = rights;
	scan->all = ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
	scan->others = scan->all || access_check(&etw_access_default, rights, false);
}

static bool access_list_grants(const struct etw_access_scan *scan,
			       const struct etw_access_list *list)
{
	static const bool audited;

	return etw_access_grants(list->entries, list->count, scan->rights,
				 access_names_current, &audited);
}

/* Like etw_access_granted(), but not audited. */
bool etw_access_scan_grants(const struct etw_access_scan *scan, const struct etw_guid *guid)
{
	const struct etw_access_list *list;

	if (scan->all)
		return true;
	list = access_find(guid);
	return list ? access_list_grants(scan, list) : scan->others;
}

/* Can there be a GUID on which the caller has the rights?  May sleep. */
bool etw_access_scan_any(const struct etw_access_scan *scan)
{
	const struct etw_access_list *list;
	bool any = scan->others;
	int bucket;

	for (bucket = 0; !any && bucket < HASH_SIZE(lists); bucket++) {
		hlist_for_each_entry(list, &lists[bucket], node)
			any = any || access_list_grants(scan, list);
		cond_resched();
	}
	return any;
}

/* Like etw_access_granted(), for callers that do not hold etw_control. */
bool etw_access_may(const struct etw_guid *guid, u32 rights)
{
	bool may;

	mutex_lock(&etw_control);
	may = etw_access_granted(guid, rights);
	mutex_unlock(&etw_control);
	return may;
}

/* Has the task with these credentials all of these rights on the GUID?  Not audited. */
bool etw_access_granted_to(const struct cred *cred, const struct etw_guid *guid, u32 rights)
{
	const struct cred *saved = override_creds(cred);
	bool granted = access_check(guid, rights, false);

	revert_creds(saved);
	return granted;
}

/* ---------------------------------------------------------------- changing */

/* Replace old by new, each of which may be NULL. */
static void access_replace(struct etw_access_list *old, struct etw_access_list *new)
{
	if (old)
		hash_del(&old->node);
	if (new)
		hash_add(lists, &new->node, access_hash(&new->guid));
	list_count += !!new - !!old;
}

/* A list of these entries, which are valid.  NULL: no memory.  Without etw_control. */
struct etw_access_list *etw_access_alloc(const struct etw_guid *guid,
					 const struct etw_access_entry *entries, u32 count)
{
	struct etw_access_list *list = kmalloc(struct_size(list, entries, count), ETW_GFP);

	if (!list)
		return NULL;
	list->guid = *guid;
	list->count = count;
	memcpy(list->entries, entries, count * sizeof(*entries));
	return list;
}

/*
 * Give the GUID that list; checks no rights.  *old is the list that it had, or NULL.  Then
 * either etw_access_free(*old) or etw_access_restore(), after which the caller owns list again.
 */
int etw_access_set(struct etw_access_list *list, struct etw_access_list **old)
{
	*old = access_find(&list->guid);
	if (!*old && list_count >= ETW_ACCESS_LISTS_MAX)
		return -ENOSPC;
	access_replace(*old, list);
	return 0;
}

/* Take the GUID's own list away and return it; NULL: it has none. */
struct etw_access_list *etw_access_take(const struct etw_guid *guid)
{
	struct etw_access_list *old = access_find(guid);

	if (old)
		access_replace(old, NULL);
	return old;
}

/* Undo etw_access_set() or etw_access_take(), which returned old. */
void etw_access_restore(const struct etw_guid *guid, struct etw_access_list *old)
{
	access_replace(access_find(guid), old);
}

/* A list that was replaced, or never set.  Takes NULL. */
void etw_access_free(struct etw_access_list *list)
{
	kfree(list);
}

/* Does list come after the GUID, and before next, if there is one? */
static bool access_is_nearer(const struct etw_access_list *list, const struct etw_guid *guid,
			     const struct etw_guid *next)
{
	return memcmp(&list->guid, guid, sizeof(*guid)) > 0 &&
	       (!next || memcmp(&list->guid, next, sizeof(*next)) < 0);
}

/*
 * The next GUID with its own list on which the scan grants its rights, or NULL.  May
 * sleep.
 */
const struct etw_guid *etw_access_next(const struct etw_access_scan *scan,
				       const struct etw_guid *guid)
{
	const struct etw_guid *next = NULL;
	struct etw_access_list *list;
	int bucket;

	lockdep_assert_held(&etw_control);
	for (bucket = 0; bucket < HASH_SIZE(lists); bucket++) {
		hlist_for_each_entry(list, &lists[bucket], node)
			if (access_is_nearer(list, guid, next) &&
			    (scan->all || access_list_grants(scan, list)))
				next = &list->guid;
		cond_resched();
	}
	return next;
}

/* At module exit. */
void etw_access_exit(void)
{
	struct etw_access_list *list;
	struct hlist_node *tmp;
	int bucket;

	hash_for_each_safe(lists, bucket, tmp, list, node) {
		hash_del(&list->node);
		kfree(list);
	}
}
