// SPDX-License-Identifier: GPL-2.0-only
/*
 * registration.c - registrations, and the API for kernel modules
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "access/user_limits.h"
#include "alloc.h"
#include "callback_kernel.h"
#include "change.h"
#include "enable.h"
#include "guid_table.h"
#include "log_rights.h"
#include "notice.h"
#include "registration.h"
#include "traits.h"

LIST_HEAD(etw_forwarders);

struct etw_registration *etw_registration_alloc(const char *name, u32 name_len)
{
	struct etw_registration *reg = kzalloc(sizeof(*reg), ETW_GFP);

	if (!reg)
		return NULL;
	if (name_len) {
		reg->name = kmemdup_nul(name, name_len, ETW_GFP);
		if (!reg->name) {
			kfree(reg);
			return NULL;
		}
		reg->name_len = name_len;
	}
	reg->provider = &reg->hot.own;
	INIT_LIST_HEAD(&reg->key_node);
	INIT_LIST_HEAD(&reg->forward_node);
	etw_callback_init(reg);
	return reg;
}

/* No writer is left. */
static void registration_free_rcu(struct rcu_head *rcu)
{
	struct etw_registration *reg = container_of(rcu, struct etw_registration, rcu);

	etw_traits_left(reg->traits);
	etw_user_left(reg->user, ETW_USER_REGISTRATIONS, 1);
	kfree(reg);
}

/*
 * The registration ends, or cannot be used any more and will end soon: its user's charges are
 * about to be given back.  Once, and not while its traits may be set.
 */
void etw_registration_leaves(struct etw_registration *reg)
{
	if (reg->leaving)
		return;
	reg->leaving = true;
	etw_user_leaves(reg->user, ETW_USER_REGISTRATIONS, 1);
	if (reg->traits)
		etw_user_leaves(reg->traits->user, ETW_USER_TRAIT_BYTES, reg->traits->len);
}

/* Free one that is not registered.  Takes NULL.  Unloading the module waits for RCU. */
void etw_registration_free(struct etw_registration *reg)
{
	if (!reg)
		return;
	etw_registration_leaves(reg);
	put_pid(reg->hot.tgid);
	put_cred(reg->cred);
	if (!reg->name_in_traits)
		kfree(reg->name);
	kfree(reg->notice_memory);
	call_rcu(&reg->rcu, registration_free_rcu);
}

/* Add reg under reg->provider->guid; existing enablements apply to it.  0 or -EAGAIN. */
int etw_registration_add(struct etw_registration *reg, struct etw_memory *memory)
{
	int err;

	lockdep_assert_held(&etw_control);
	reg->entry = etw_guid_get(&reg->provider->guid, memory);
	if (!reg->entry)
		return -EAGAIN;
	list_add_tail(&reg->node, &reg->entry->regs);
	err = etw_enable_registration(reg, memory);
	if (err) {
		list_del(&reg->node);
		etw_guid_put(reg->entry);
		return err;
	}
	if (reg->hot.flags & ETW_REGISTER_FORWARDS)
		list_add_tail(&reg->forward_node, &etw_forwarders);
	reg->registered = true;
	return 0;
}

/* A write that begins after this reaches no session. */
void etw_registration_remove(struct etw_registration *reg)
{
	lockdep_assert_held(&etw_control);
	etw_disable_registration(reg);
	list_del(&reg->node);
	list_del_init(&reg->forward_node);
	etw_guid_put(reg->entry);
	if (reg->group) {
		list_del(&reg->group_node);
		etw_guid_put(reg->group);
	}
	reg->registered = false;
}

/* --------------------------------------------------------- for kernel modules */

static LIST_HEAD(kernel_registrations);	/* under etw_control */

/*
 * The first module holds the GUID, or the last one does not any more.  Returns whether that
 * refuses or admits registrations of processes.  Without etw_control.
 */
static bool registration_guid_changed(const struct etw_guid *guid)
{
	struct etw_memory memory = { };
	bool any;
	int err;

	do {
		mutex_lock(&etw_control);
		err = etw_log_rights_guid_changed(guid, &memory, &any);
		mutex_unlock(&etw_control);
	} while (etw_memory_again(&memory, &err, ETW_GFP | __GFP_NOFAIL));
	etw_memory_free(&memory);
	return any;
}

static void registration_end_kernel(struct etw_registration *reg)
{
	lockdep_assert_held(&etw_control);
	reg->was_last = !--reg->entry->kernel_regs;
	etw_registration_remove(reg);
	etw_callback_drop(reg);
	list_del(&reg->kernel_node);
	reg->provider->reg = NULL;
}

/* After registration_end_kernel() and before a grace period.  Without etw_control. */
static void registration_ended_kernel(struct etw_registration *reg)
{
	if (reg->was_last)
		registration_guid_changed(&reg->provider->guid);
	etw_static_keys_settle();
	etw_callback_cancel(reg);
}

/* *first: of modules' for its GUID. */
static int kernel_add(struct etw_provider *provider, struct etw_registration *reg, bool *first)
{
	struct etw_memory memory = { };
	int err;

	do {
		mutex_lock(&etw_control);
		err = provider->reg ? -EBUSY : etw_registration_add(reg, &memory);
		if (!err) {
			provider->reg = reg;
			list_add_tail(&reg->kernel_node, &kernel_registrations);
			*first = !reg->entry->kernel_regs++;
		}
		mutex_unlock(&etw_control);
	} while (etw_memory_again(&memory, &err, ETW_GFP));
	etw_memory_free(&memory);
	return err;
}

/*
 * Traits are in place before a writer can find reg, and in every snapshot built for it.
 * Its name and its group follow afterwards; the group may enable it as well.  When this
 * returns, no process writes under its GUID any more.
 */
static int kernel_register(struct etw_provider *provider, struct etw_registration *reg,
			   struct module *owner, etw_enable_fn callback, void *context)
{
	bool first;
	int err;

	reg->owner = owner;
	strscpy(reg->module, owner ? module_name(owner) : "kernel",
		sizeof(reg->module));
	reg->provider = provider;
	reg->callback = callback;
	reg->context = context;
	reg->hot.types = reg->traits;
	err = callback ? etw_notices_alloc(reg) : 0;
	if (!err)
		err = kernel_add(provider, reg, &first);
	if (err)
		return err;
	if (reg->traits)
		err = etw_traits_set_kernel(provider, reg->traits, NULL);
	if (err) {
		mutex_lock(&etw_control);
		registration_end_kernel(reg);
		mutex_unlock(&etw_control);
		registration_ended_kernel(reg);
		return err;
	}
	etw_static_keys_settle();
	if (first && registration_guid_changed(&provider->guid))
		synchronize_rcu();
	return 0;
}

/* A registration for a kernel module with this GUID and name (or NULL). */
static struct etw_registration *kernel_registration(const struct etw_guid *guid,
						    const char *name, unsigned long caller)
{
	size_t len = name ? strlen(name) : 0;
	struct etw_registration *reg;

	if (etw_guid_is_null(guid))
		return ERR_PTR(-EINVAL);
	if (len > ETW_NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	reg = etw_registration_alloc(name, len);
	if (!reg)
		return ERR_PTR(-ENOMEM);
	reg->caller = caller;
	return reg;
}

/**
 * __etw_register() - register a static provider
 * @provider: object of ETW_DEFINE_PROVIDER()
 * @owner: THIS_MODULE of the caller; etw_register() fills it in
 * @name: name shown by "etw list", up to 1024 bytes, or NULL
 * @callback: called whenever sessions change what they have enabled, or NULL
 * @context: passed to @callback
 *
 * If sessions have the provider's GUID enabled already, it is enabled when this
 * returns, and a call of @callback with a zero SourceId is queued.  Several
 * registrations of one GUID are independent of each other.
 *
 * Process context, may sleep; not from a CPU hotplug callback or under
 * cpus_read_lock(), which static keys take.
 *
 * Return: 0; -EBUSY if @provider is registered; -EINVAL: its GUID is zero;
 * -ENAMETOOLONG; -ENOMEM.
 */
int __etw_register(struct etw_provider *provider, struct module *owner,
		   const char *name, etw_enable_fn callback, void *context)
{
	struct etw_registration *reg;
	int err;

	reg = kernel_registration(&provider->guid, name, _RET_IP_);
	if (IS_ERR(reg))
		return PTR_ERR(reg);
	err = kernel_register(provider, reg, owner, callback, context);
	if (err)
		etw_registration_free(reg);
	return err;
}
EXPORT_SYMBOL_GPL(__etw_register);

static int register_traits(struct etw_provider *provider, struct module *owner,
			   const void *traits, u32 len, etw_enable_fn callback, void *context,
			   bool of_system, unsigned long caller)
{
	struct etw_traits *copy = etw_traits_copy(traits, len);
	struct etw_registration *reg;
	int err;

	if (IS_ERR(copy))
		return PTR_ERR(copy);
	reg = kernel_registration(&provider->guid, NULL, caller);
	if (IS_ERR(reg)) {
		etw_traits_free(copy);
		return PTR_ERR(reg);
	}
	reg->of_system = of_system;
	reg->traits = copy;
	err = kernel_register(provider, reg, owner, callback, context);
	if (err) {
		synchronize_rcu();	/* it may have been enabled for a while */
		etw_registration_free(reg);
	}
	return err;
}

/**
 * __etw_register_traits() - register a static provider with traits
 * @provider: object of ETW_DEFINE_PROVIDER() or of TRACELOGGING_DEFINE_PROVIDER()
 * @owner: THIS_MODULE of the caller
 * @traits: its traits, including its name; copied, see etw_set_traits()
 * @len: bytes at @traits, at most 65535
 * @callback: as for __etw_register()
 * @context: passed to @callback
 *
 * Like __etw_register() and etw_set_traits() in one step: no event is written without
 * the traits, not even by @callback.
 *
 * Process context, may sleep; not under cpus_read_lock().
 *
 * Return: 0; -EBUSY if @provider is registered; -EINVAL: its GUID is zero or its
 * traits are malformed; -ENOMEM.
 */
int __etw_register_traits(struct etw_provider *provider, struct module *owner,
			  const void *traits, u32 len, etw_enable_fn callback, void *context)
{
	return register_traits(provider, owner, traits, len, callback, context, false, _RET_IP_);
}
EXPORT_SYMBOL_GPL(__etw_register_traits);

static int register_handle(const struct etw_guid *guid, struct module *owner, const char *name,
			   etw_enable_fn callback, void *context, bool of_system,
			   bool one_event, unsigned long caller, struct etw_provider **handle)
{
	struct etw_registration *reg = kernel_registration(guid, name, caller);
	int err;

	if (IS_ERR(reg))
		return PTR_ERR(reg);
	reg->of_system = of_system;
	reg->one_event = one_event;
	reg->hot.own.guid = *guid;
	err = kernel_register(&reg->hot.own, reg, owner, callback, context);
	if (err) {
		etw_registration_free(reg);
		return err;
	}
	*handle = &reg->hot.own;
	return 0;
}

/**
 * __etw_register_handle() - register a provider whose GUID is known at run time only
 * @guid: identity
 * @owner: THIS_MODULE of the caller; etw_register_handle() fills it in
 * @name: name shown by "etw list", up to 1024 bytes, or NULL
 * @callback: as for __etw_register()
 * @context: passed to @callback
 * @handle: set to the new provider; unchanged on failure
 *
 * The handle has no static key: test it with ETW_HANDLE_ENABLED().  End it with
 * etw_unregister_handle().
 *
 * Process context, may sleep.
 *
 * Return: 0; -EINVAL: @guid is zero; -ENAMETOOLONG; -ENOMEM.
 */
int __etw_register_handle(const struct etw_guid *guid, struct module *owner,
			  const char *name, etw_enable_fn callback,
			  void *context, struct etw_provider **handle)
{
	return register_handle(guid, owner, name, callback, context, false, false, _RET_IP_,
			       handle);
}
EXPORT_SYMBOL_GPL(__etw_register_handle);

/*
 * The same for the kernel's own events.  They show its addresses, so only callers who may see those
 * enable it; and they come from all processes, so their writer must leave out the sessions that
 * scope.h excludes.  one_event: it has only one, of id and version 0, whatever its channel.
 */
int etw_registration_of_kernel(const struct etw_guid *guid, const char *name, bool one_event,
			       etw_enable_fn callback, void *context,
			       struct etw_provider **handle)
{
	return register_handle(guid, THIS_MODULE, name, callback, context, true, one_event,
			       _RET_IP_, handle);
}

/* A static one with traits of the same kind */
int etw_registration_of_kernel_traits(struct etw_provider *provider, const void *traits, u32 len,
				      etw_enable_fn callback, void *context)
{
	return register_traits(provider, THIS_MODULE, traits, len, callback, context, true,
			       _RET_IP_);
}

/**
 * etw_unregister() - end a registration made by etw_register()
 * @provider: the provider; nothing happens if it is not registered
 *
 * Waits until no writer uses the registration any more, and for the callback, so the caller may
 * be unloaded when this returns 0; events that are written later go nowhere.  Waiting
 * notifications are dropped, and callers that wait for them continue.  One call at a time for a
 * provider: a second one returns at once.
 *
 * Process context, sleeps; not under cpus_read_lock().
 *
 * Return: 0; -EDEADLK, with nothing done, from the provider's own callback.
 */
int etw_unregister(struct etw_provider *provider)
{
	struct etw_registration *reg;

	mutex_lock(&etw_control);
	reg = provider->reg;
	if (reg && READ_ONCE(reg->running) == current) {
		mutex_unlock(&etw_control);
		return -EDEADLK;
	}
	if (reg)
		registration_end_kernel(reg);
	mutex_unlock(&etw_control);
	if (!reg)
		return 0;
	registration_ended_kernel(reg);
	synchronize_rcu_expedited();
	etw_registration_free(reg);
	return 0;
}
EXPORT_SYMBOL_GPL(etw_unregister);

/**
 * etw_unregister_handle() - end a registration made by etw_register_handle()
 * @handle: freed when this returns 0; may be NULL
 *
 * Like etw_unregister(), but since the handle is freed, no write with it may begin once this
 * was called: the driver stops its own writers first, as before it frees anything else.
 *
 * Return: 0; -EDEADLK, with nothing done, from the provider's own callback.
 */
int etw_unregister_handle(struct etw_provider *handle)
{
	return handle ? etw_unregister(handle) : 0;
}
EXPORT_SYMBOL_GPL(etw_unregister_handle);

/* Has a kernel module registered the GUID with another callback than this?  Without etw_control. */
bool etw_registration_of_module(const struct etw_guid *guid, etw_enable_fn but)
{
	const struct etw_guid_entry *entry;
	const struct etw_registration *reg;
	bool found = false;

	mutex_lock(&etw_control);
	entry = etw_guid_find(guid);
	if (entry && entry->kernel_regs)
		list_for_each_entry(reg, &entry->regs, node)
			found |= !etw_is_user(reg) && reg->callback != but;
	mutex_unlock(&etw_control);
	return found;
}

/*
 * No write that begins after this reaches a session, not even one that enables the GUID later.  It
 * stays registered until it is ended.
 */
void etw_registration_disable_handle(struct etw_provider *handle)
{
	mutex_lock(&etw_control);
	handle->reg->ending = true;
	etw_disable_registration(handle->reg);
	mutex_unlock(&etw_control);
}

/*
 * End registrations of handles, each with its callback, of which none may run this.  Like
 * etw_unregister_handle() for each, but they wait for a grace period together.
 */
void etw_registration_end_handles(struct etw_provider **handles, unsigned int count)
{
	struct etw_registration *reg, *tmp;
	LIST_HEAD(ended);
	unsigned int i;

	for (i = 0; i < count; i++) {
		mutex_lock(&etw_control);
		reg = handles[i]->reg;
		registration_end_kernel(reg);
		mutex_unlock(&etw_control);
		list_add_tail(&reg->kernel_node, &ended);
	}
	list_for_each_entry(reg, &ended, kernel_node)
		registration_ended_kernel(reg);
	synchronize_rcu_expedited();
	list_for_each_entry_safe(reg, tmp, &ended, kernel_node)
		etw_registration_free(reg);
}

static bool registration_owned_by(const struct etw_registration *reg,
				  const struct module *module)
{
	return reg->owner == module ||
	       within_module((unsigned long)reg->callback, module) ||
	       within_module((unsigned long)reg->provider, module) ||
	       (!reg->owner && within_module(reg->caller, module));
}

/*
 * Give the module its registrations that name no owner, while the code of its init
 * function, which made them, is still there.
 */
void etw_registration_adopt(const struct module *module)
{
	struct etw_registration *reg;

	mutex_lock(&etw_control);
	list_for_each_entry(reg, &kernel_registrations, kernel_node)
		if (!reg->owner && within_module(reg->caller, module))
			reg->owner = module;
	mutex_unlock(&etw_control);
}

/*
 * The module ends, and its code and data are still there: end the registrations that it
 * left.  When this returns, its callbacks do not run any more.
 */
void etw_registration_end_left(const struct module *module)
{
	struct etw_registration *reg, *tmp;
	LIST_HEAD(left);

	mutex_lock(&etw_control);
	list_for_each_entry_safe(reg, tmp, &kernel_registrations, kernel_node) {
		if (!registration_owned_by(reg, module))
			continue;
		registration_end_kernel(reg);
		list_add_tail(&reg->kernel_node, &left);
	}
	mutex_unlock(&etw_control);
	if (list_empty(&left))
		return;
	reg = list_first_entry(&left, struct etw_registration, kernel_node);
	pr_warn("etw: module %s ended without unregistering provider %s {%pUl}%s\n",
		module->name, reg->name ?: "(unnamed)", &reg->provider->guid,
		list_is_singular(&left) ? "" : " and others");
	list_for_each_entry(reg, &left, kernel_node)
		registration_ended_kernel(reg);
	synchronize_rcu_expedited();
	list_for_each_entry_safe(reg, tmp, &left, kernel_node)
		etw_registration_free(reg);
}

/**
 * etw_event_enabled() - would some session take this event?
 * @provider: a provider, registered or not
 * @desc: the event's descriptor
 *
 * ETW_EVENT_ENABLED() and ETW_HANDLE_ENABLED() are cheaper.  True does not promise
 * that a session gets the event.  Any context.
 */
bool etw_event_enabled(const struct etw_provider *provider,
		       const struct etw_event_descriptor *desc)
{
	return etw_entry_wants(&provider->enable, desc->level, desc->keyword);
}
EXPORT_SYMBOL_GPL(etw_event_enabled);

/**
 * etw_provider_enabled() - would some session take such events?
 * @provider: a provider, registered or not
 * @level: level of the events
 * @keyword: keyword of the events
 *
 * Level 0 with keyword 0 asks whether any session has the provider enabled.
 * Any context.
 */
bool etw_provider_enabled(const struct etw_provider *provider, u8 level,
			  u64 keyword)
{
	if (!level && !keyword)
		return READ_ONCE(provider->enable.enabled);
	return etw_entry_wants(&provider->enable, level, keyword);
}
EXPORT_SYMBOL_GPL(etw_provider_enabled);
