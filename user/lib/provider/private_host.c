// SPDX-License-Identifier: MIT
/*
 * private_host.c - private sessions change what is enabled: show it to writers, and have
 * the callbacks run
 *
 * Callbacks run on the thread that runs those of the device's notifications, which exists
 * then even if there is no device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "callback.h"
#include "guard.h"
#include "private_host.h"

static bool is_of(const struct etw_reg *reg, const struct etw_guid *guid)
{
	return atomic_load(&reg->handle) && !memcmp(&reg->guid, guid, sizeof(*guid));
}

/* A classic provider is enabled by one session at a time; others see what all want together. */
static void set_state(struct etw_notify *n, const struct etw_reg *reg,
		      const struct etw_private_provider *p)
{
	const struct etw_enable_entry *entry = &p->composite;

	if (reg->classic && p->owner) {
		entry = &p->entry[p->owner - 1].filter;
		n->logger_id = ETW_PRIVATE_LOGGER_ID(p->owner - 1);
	}
	n->control = entry->enabled ? EVENT_CONTROL_CODE_ENABLE_PROVIDER :
				      EVENT_CONTROL_CODE_DISABLE_PROVIDER;
	n->level = entry->enabled ? entry->level : 0;
	n->any = entry->any;
	n->all = entry->all;
}

/* Queue the callback of a registration that has one; returns its number. */
static uint64_t notify(struct etw_fork_state *proc, const struct etw_reg *reg,
		       const struct etw_private_provider *p, const struct etw_private_change *change)
{
	struct etw_private_notice *notice;

	notice = malloc(sizeof(*notice) + ETW_FILTER_CHAIN_MAX);
	if (!notice)
		return proc->noticed;
	memset(notice, 0, sizeof(*notice));
	notice->n.cookie = atomic_load(&reg->handle);
	notice->n.logger_id = ETW_PRIVATE_LOGGER_ID(change->slot);
	notice->n.source = change->source;
	set_state(&notice->n, reg, p);
	/* As the caller gave them, for one that tests them itself */
	if (reg->classic && change->control == ETW_CONTROL_ENABLE) {
		notice->n.level = change->level;
		notice->n.any = change->any;
	}
	if (change->control == ETW_CONTROL_CAPTURE)
		notice->n.control = ETW_CONTROL_CAPTURE;
	notice->n.filter = (uintptr_t)notice->data;
	notice->n.filter_len = etw_private_chain(p, notice->data);
	notice->n.filter_type = notice->n.filter_len ? ETW_FILTER_SCHEMATIZED : ETW_FILTER_NONE;
	return etw_callback_queue(proc, notice);
}

/* Does this registration see the change? A classic one does not if another session has it. */
static bool sees(const struct etw_reg *reg, const struct etw_private_change *change,
		 uint32_t owner)
{
	return reg->callback && (!reg->classic || change->control != ETW_CONTROL_DISABLE ||
				 owner == change->slot + 1);
}

/* Apply the change to all registrations; -errno, or 0 and *number: the last callback queued. */
static int apply(struct etw_fork_state *proc, struct etw_private_change *change,
		 uint64_t *number)
{
	struct etw_private_provider *p = etw_private_find(&change->guid);
	uint32_t owner = p ? p->owner : 0, i;
	int err;

	if (change->control == ETW_CONTROL_DISABLE &&
	    (!p || !(atomic_load(&p->sessions) >> change->slot & 1)))
		return 0;
	err = etw_private_apply(change, &p);
	if (err)
		return err;
	for (i = 0; i < ETW_REGISTRATIONS_MAX; i++) {
		struct etw_reg *reg = &etw_regs[i];

		if (!is_of(reg, &change->guid))
			continue;
		atomic_store(&reg->private, p);
		etw_reg_show(reg);
		if (!change->quiet && sees(reg, change, owner))
			*number = notify(proc, reg, p, change);
	}
	return 0;
}

/* New writers do not find the old filter: wait for those that have found it. */
static void drain(struct etw_private_provider *p, struct etw_private_change *change)
{
	if (!change->events || etw_guard_drain(&p->guard))
		return;
	etw_private_filter_keep(change->events);
	change->events = NULL;
}

static int wait_for(struct etw_fork_state *proc, uint64_t number, uint32_t timeout_ms)
{
	struct etw_fork_state_saved saved;
	bool done;

	if (!number || !timeout_ms)
		return 0;
	etw_fork_state_lock(proc, &saved);
	done = etw_callback_wait_queued(proc, number, timeout_ms);
	etw_fork_state_unlock(proc, &saved);
	return done ? 0 : -ETIMEDOUT;
}

static int host_change(struct etw_private_change *change)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	struct etw_private_provider *p;
	struct etw_fork_state_saved saved;
	uint64_t number = 0;
	int err;

	if (!proc)
		return -ENOMEM;
	if (etw_is_guest(proc))
		return -EOPNOTSUPP;
	etw_fork_state_lock(proc, &saved);
	err = apply(proc, change, &number);
	p = etw_private_find(&change->guid);
	etw_fork_state_unlock(proc, &saved);
	if (err)
		return err;
	drain(p, change);
	return wait_for(proc, number, change->timeout_ms);
}

static int host_capture(const struct etw_private_change *change)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	struct etw_private_provider *p;
	struct etw_fork_state_saved saved;
	uint64_t number = 0;
	uint32_t i;

	if (!proc)
		return -ENOMEM;
	etw_fork_state_lock(proc, &saved);
	p = etw_private_find(&change->guid);
	if (p && atomic_load(&p->sessions) >> change->slot & 1)
		for (i = 0; i < ETW_REGISTRATIONS_MAX; i++)
			if (is_of(&etw_regs[i], &change->guid) && etw_regs[i].callback)
				number = notify(proc, &etw_regs[i], p, change);
	etw_fork_state_unlock(proc, &saved);
	return wait_for(proc, number, change->timeout_ms);
}

static bool host_enabled(uint32_t slot, struct etw_guid *guid)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	struct etw_fork_state_saved saved;
	bool enabled;

	if (!proc)
		return false;
	etw_fork_state_lock(proc, &saved);
	enabled = etw_private_enabled(slot, guid);
	etw_fork_state_unlock(proc, &saved);
	return enabled;
}

void etw_private_host_forget(struct etw_fork_state *proc)
{
	uint32_t i;

	if (proc->forgot)
		return;
	proc->forgot = true;
	etw_private_forget();
	for (i = 0; i < ETW_REGISTRATIONS_MAX; i++)
		if (atomic_load(&etw_regs[i].handle) && atomic_load(&etw_regs[i].private))
			etw_reg_show(&etw_regs[i]);
}

static void host_inherit(void)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	struct etw_fork_state_saved saved;

	if (!proc)
		return;
	etw_fork_state_lock(proc, &saved);
	etw_private_host_forget(proc);
	etw_fork_state_unlock(proc, &saved);
}

static const struct etw_private_host host = {
	.change = host_change,
	.capture = host_capture,
	.enabled = host_enabled,
	.inherit = host_inherit,
};

void etw_private_host_set(void)
{
	atomic_store(&etw_private_host, &host);
}

void etw_private_host_registered(struct etw_fork_state *proc, uint64_t handle)
{
	static const struct etw_private_change none = { .control = ETW_CONTROL_DISABLE };
	struct etw_reg *reg = etw_reg_find(handle);
	const struct etw_private_provider *p = reg ? atomic_load(&reg->private) : NULL;

	if (p && p->composite.enabled)
		etw_callback_wait_queued(proc, notify(proc, reg, p, &none), UINT32_MAX);
}
