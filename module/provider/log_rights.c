// SPDX-License-Identifier: GPL-2.0-only
/*
 * log_rights.c - who may write to SECURE sessions
 *
 * A registration whose owner has no right to log to a SECURE session is not in that
 * session's scope, so no write has to ask.  When an access list changes, the scopes
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

/* May events of this registration go to the session?  Asks for its owner, not the caller. */
bool etw_may_log(const struct etw_enabler *session, const struct etw_registration *reg)
{
	if (!session->secure || !etw_is_user(reg))
		return true;
	return etw_access_granted_to(reg->cred, &session->guid, ETW_RIGHT_LOG_EVENT);
}

/*
 * The slots of the entry that may enable reg by the present lists.  A classic
 * registration has one session; losing it does not give it another one before the
 * next enabling.  Sets *notify if the callback is to hear about a difference.
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
		/* What a PID filter selected is no longer known. */
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

/* Prepare other scopes for reg, of its own entry and of its group. */
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

/* Put what was prepared into force, or none of it if there was an error. */
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

/* An access list has changed: apply it to all registrations, or to none: -ENOMEM. */
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
