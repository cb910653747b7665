// SPDX-License-Identifier: GPL-2.0-only
/*
 * log_rights.c - check which registrations may write to SECURE sessions
 *
 * A registration whose owner has no right to log to a SECURE session is not in that
 * session's scope, so no write needs a check.  When an access list changes, the scopes
 * change with it.
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

/* May the registration write to the session?  Checks its owner's rights, not the caller's. */
bool etw_may_log(const struct etw_enabler *session, const struct etw_registration *reg)
{
	if (!session->secure || !etw_is_user(reg))
		return true;
	return etw_access_granted_to(reg->cred, &session->guid, ETW_RIGHT_LOG_EVENT);
}

/*
 * Return the slots of the entry that may enable reg by the present access lists.  A classic
 * registration has one session; if it loses that, it gets another one only when a session
 * next enables it.  Sets *notify if the callback must be called for a difference.
 */
static u8 scope_now(const struct etw_guid_entry *entry, const struct etw_registration *reg,
		    bool *notify)
{
	const struct etw_enablement *slot = entry->slots;
	u8 old = etw_entry_scope(entry, reg), scope = old;
	int i;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++, slot++) {
		if (!slot->session || !slot->session->secure)
			continue;
		/* The selection of a PID filter was not recorded, so never add it back. */
		if (!etw_may_log(slot->session, reg))
			scope &= ~BIT(i);
		else if (!etw_is_classic(reg) && !slot->pid_filtered &&
			 etw_scope_selects(slot->scope, reg))
			scope |= BIT(i);
		if ((scope ^ old) & BIT(i) &&
		    !(entry->is_group && etw_group_disallowed(slot->session, reg)))
			*notify = true;
	}
	return scope;
}

/* Prepare the change of reg to new scopes, for its own entry and for its group. */
static int scope_prepare(struct list_head *updates, struct etw_registration *reg, u8 scope,
			 u8 group_scope, bool notify)
{
	struct etw_update *u = etw_update_add(updates, reg, notify, ETW_GFP);

	if (!u)
		return -ENOMEM;
	u->scope = scope;
	u->group_scope = group_scope;
	return etw_snapshot_build(updates, u, ETW_GFP);
}

/* Apply the prepared changes, or none of them if there was an error. */
static void scope_commit(struct list_head *updates, int err)
{
	if (err)
		etw_updates_free(updates);
	else
		etw_updates_apply(updates, NULL, NULL);
}

static int log_rights_prepare(struct list_head *updates, struct etw_registration *reg)
{
	bool notify = false;
	u8 scope = scope_now(reg->entry, reg, &notify);
	u8 group_scope = reg->group ? scope_now(reg->group, reg, &notify) : 0;

	if (scope == reg->scope && group_scope == reg->group_scope)
		return 0;
	return scope_prepare(updates, reg, scope, group_scope, notify);
}

/* Apply a changed access list to all registrations; -ENOMEM: it applies to none. */
int etw_log_rights_apply(void)
{
	struct etw_guid_entry *entry;
	struct etw_registration *reg;
	LIST_HEAD(updates);
	int bucket, err = 0;

	lockdep_assert_held(&etw_control);
	etw_guid_for_each(bucket, entry)
		list_for_each_entry(reg, &entry->regs, node) {
			if (!err)
				err = log_rights_prepare(&updates, reg);
			cond_resched();
		}
	scope_commit(&updates, err);
	return err;
}
