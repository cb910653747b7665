// SPDX-License-Identifier: GPL-2.0-only
/*
 * log_rights.c - check which registrations may write, and to which SECURE sessions
 *
 * A registration whose owner has no right to log to a SECURE session is not in that
 * session's scope, so no write needs a check.  When an access list changes, the scopes
 * change with it.
 *
 * A process's registration is refused if a kernel module holds its GUID, or the GUID that
 * decodes its events, unless an access list grants the owner REGISTER_KERNEL on it.  It is
 * then in no session's scope.
 *
 * All under etw_control.
 */
#include <linux/sched.h>

#include "access/access.h"
#include "alloc.h"
#include "change.h"
#include "enable_snapshot.h"
#include "guid_table.h"
#include "log_rights.h"
#include "scope_filter.h"

/* Does a kernel module hold the GUID, and may this process not use it all the same? */
bool etw_guid_reserved(const struct etw_guid *guid, const struct cred *cred)
{
	const struct etw_guid_entry *entry = etw_guid_find(guid);

	return entry && entry->kernel_regs &&
	       !etw_access_granted_to(cred, guid, ETW_RIGHT_REGISTER_KERNEL);
}

static bool refused_now(const struct etw_registration *reg)
{
	const struct etw_traits *traits = reg->traits;

	if (!etw_is_user(reg))
		return false;
	return etw_guid_reserved(&reg->hot.own.guid, reg->cred) ||
	       (traits && traits->has_decode && etw_guid_reserved(&traits->decode, reg->cred));
}

static bool session_grants(const struct etw_enabler *session,
			   const struct etw_registration *reg)
{
	if (!session->secure || !etw_is_user(reg))
		return true;
	return etw_access_granted_to(reg->cred, &session->guid, ETW_RIGHT_LOG_EVENT);
}

/* May the registration write to the session?  Checks its owner's rights, not the caller's. */
bool etw_may_log(const struct etw_enabler *session, const struct etw_registration *reg)
{
	return !reg->hot.refused && session_grants(session, reg);
}

/*
 * Return the slots of the entry that may enable reg by the present access lists.  A classic
 * registration has one session; if it loses that, it gets another one only when a session
 * next enables it.  Sets *notify if the callback must be called for a difference.
 */
static u8 scope_now(const struct etw_guid_entry *entry, const struct etw_registration *reg,
		    bool refused, bool *notify)
{
	const struct etw_enablement *slot = entry->slots;
	u8 old = etw_entry_scope(entry, reg), scope = old;
	int i;

	if (refused)
		return 0;
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++, slot++) {
		if (!slot->session || !(slot->session->secure || reg->hot.refused))
			continue;
		/* The selection of a PID filter was not recorded, so never add it back. */
		if (!session_grants(slot->session, reg))
			scope &= ~BIT(i);
		else if (!etw_is_classic(reg) && etw_scope_selects_new(slot, reg))
			scope |= BIT(i);
		if ((scope ^ old) & BIT(i) &&
		    !(entry->is_group && etw_group_disallowed(slot->session, reg)))
			*notify = true;
	}
	return scope;
}

/* Prepare the change of reg to new scopes, for its own entry and for its group. */
static void log_rights_prepare(struct list_head *updates, struct etw_registration *reg,
			       struct etw_memory *memory)
{
	bool notify = false, refused = refused_now(reg);
	u8 scope = scope_now(reg->entry, reg, refused, &notify);
	u8 group_scope = reg->group ? scope_now(reg->group, reg, refused, &notify) : 0;
	struct etw_update *u;

	if (scope == reg->scope && group_scope == reg->group_scope && refused == reg->hot.refused)
		return;
	u = etw_update_add(updates, reg, notify);
	u->refused = refused;
	u->scope = scope;
	u->group_scope = group_scope;
	etw_snapshot_build(updates, u, memory);
}

/* Apply the prepared changes, or none of them: -EAGAIN. */
static int scope_commit(struct list_head *updates, const struct etw_memory *memory)
{
	if (memory->lacks) {
		etw_updates_free(updates);
		return -EAGAIN;
	}
	etw_updates_apply(updates, NULL, NULL);
	return 0;
}

static bool log_rights_concern(const struct etw_registration *reg, const struct etw_guid *guid)
{
	return etw_is_user(reg) &&
	       (etw_guid_equal(&reg->hot.own.guid, guid) ||
		(reg->traits && reg->traits->has_decode &&
		 etw_guid_equal(&reg->traits->decode, guid)));
}

/* Ask anew for the registrations that the GUID concerns, with NULL for all. */
static int log_rights_change(const struct etw_guid *guid, struct etw_memory *memory, bool *any)
{
	struct etw_guid_entry *entry;
	struct etw_registration *reg;
	LIST_HEAD(updates);
	int bucket;

	lockdep_assert_held(&etw_control);
	etw_guid_for_each(bucket, entry)
		list_for_each_entry(reg, &entry->regs, node) {
			if (!guid || log_rights_concern(reg, guid))
				log_rights_prepare(&updates, reg, memory);
			cond_resched();
		}
	*any = !list_empty(&updates);
	return scope_commit(&updates, memory);
}

/* Apply a changed access list to all registrations; -EAGAIN: it applies to none. */
int etw_log_rights_apply(struct etw_memory *memory)
{
	bool any;

	return log_rights_change(NULL, memory, &any);
}

/*
 * A kernel module holds the GUID now, or does not any more: change the registrations of
 * processes that this refuses or admits.  *any: there were some.  -EAGAIN: none was changed.
 */
int etw_log_rights_guid_changed(const struct etw_guid *guid, struct etw_memory *memory,
				bool *any)
{
	return log_rights_change(guid, memory, any);
}
