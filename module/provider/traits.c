// SPDX-License-Identifier: GPL-2.0-only
/*
 * traits.c - the traits of a registration, and whether its data descriptors have types
 *
 * Writers see both in their snapshot; a registration that is not enabled has no
 * snapshot.  Traits are set once and freed with the registration, a grace period later.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "access/access.h"
#include "access/user_limits.h"
#include "alloc.h"
#include "change.h"
#include "core/traits.h"
#include "enable.h"
#include "enable_snapshot.h"
#include "guid_table.h"
#include "log_rights.h"
#include "traits.h"

/* Allocate memory for len bytes of traits; -EINVAL: too many. */
static struct etw_traits *traits_alloc(u32 len)
{
	struct etw_traits *traits;

	if (len > U16_MAX)
		return ERR_PTR(-EINVAL);
	traits = kvmalloc(struct_size(traits, blob, len), ETW_GFP);
	if (!traits)
		return ERR_PTR(-ENOMEM);
	memset(traits, 0, sizeof(*traits));
	traits->len = len;
	return traits;
}

/* Free traits that no registration owns.  Takes NULL. */
void etw_traits_free(struct etw_traits *traits)
{
	if (!traits)
		return;
	etw_user_uncharge(traits->user, ETW_USER_TRAIT_BYTES, traits->len);
	kvfree(traits);
}

/* Free the traits of a registration, which has announced that to the user.  Takes NULL. */
void etw_traits_left(struct etw_traits *traits)
{
	if (!traits)
		return;
	etw_user_left(traits->user, ETW_USER_TRAIT_BYTES, traits->len);
	kvfree(traits);
}

/* Parse the blob; -EINVAL: it is malformed. */
static int traits_parse(struct etw_traits *traits)
{
	struct etw_traits_view view;
	int err = etw_traits_parse(traits->blob, traits->len, &view);

	if (err)
		return err;
	traits->has_group = view.group;
	if (view.group)
		memcpy(&traits->group, view.group, sizeof(traits->group));
	traits->has_decode = view.decode;
	if (view.decode)
		memcpy(&traits->decode, view.decode, sizeof(traits->decode));
	return 0;
}

/* Copy a kernel module's traits; -EINVAL: they are malformed. */
struct etw_traits *etw_traits_copy(const void *blob, u32 len)
{
	struct etw_traits *traits = traits_alloc(len);
	int err;

	if (IS_ERR(traits))
		return traits;
	memcpy(traits->blob, blob, len);
	err = traits_parse(traits);
	if (!err)
		return traits;
	etw_traits_free(traits);
	return ERR_PTR(err);
}

/* Read the traits of a process, which is charged for them, and check them. */
struct etw_traits *etw_traits_read(u64 ptr, u32 len)
{
	struct etw_traits *traits;
	struct etw_user *user;
	int err = 0;

	if (len > U16_MAX)
		return ERR_PTR(-EINVAL);
	user = etw_user_charge(ETW_USER_TRAIT_BYTES, len, true);
	if (IS_ERR(user))
		return ERR_CAST(user);
	traits = traits_alloc(len);
	if (IS_ERR(traits)) {
		etw_user_uncharge(user, ETW_USER_TRAIT_BYTES, len);
		return traits;
	}
	traits->user = user;
	if (copy_from_user(traits->blob, u64_to_user_ptr(ptr), traits->len))
		err = -EFAULT;
	if (!err)
		err = traits_parse(traits);
	if (!err)
		return traits;
	etw_traits_free(traits);
	return ERR_PTR(err);
}

/* A registration without a name gets that in its traits, which live as long as it. */
static void traits_name(struct etw_registration *reg, const struct etw_traits *traits)
{
	u32 len = strlen(traits->blob + 2);

	if (reg->name || !len)
		return;
	reg->name = traits->blob + 2;
	reg->name_len = min_t(u32, len, ETW_NAME_MAX);
	reg->name_in_traits = true;
}

/* Apply the change; nothing can fail any more. */
static void traits_set(struct list_head *updates, struct etw_registration *reg,
		       struct etw_traits *traits, struct etw_guid_entry *group)
{
	struct etw_update *u = list_first_entry(updates, struct etw_update, node);

	if (traits) {
		reg->traits = traits;
		traits_name(reg, traits);
	}
	if (group) {
		reg->group = group;
		list_add_tail(&reg->group_node, &group->regs);
	}
	WRITE_ONCE(reg->hot.types, u->types);
	etw_updates_apply(updates, NULL, NULL);
}

/*
 * Set the registration's traits, or NULL; on success it owns them.  *types: whether its data
 * descriptors have types, or NULL.  Traits imply types.  For a registration made with
 * traits, the caller passes the same traits again to set its name and group.  -EEXIST: it
 * has other traits; -EPERM: the caller may not join their group; -EACCES: a kernel module
 * holds their decode GUID; -EINVAL: it is classic,
 * and classic events have no room for traits or types; -EAGAIN: memory lacks something.
 */
int etw_registration_set(struct etw_registration *reg, struct etw_traits *traits,
			 const bool *types, struct etw_memory *memory)
{
	struct etw_guid_entry *group = NULL;
	struct etw_update *u;
	LIST_HEAD(updates);
	u8 scope = 0;

	lockdep_assert_held(&etw_control);
	if (etw_is_classic(reg))
		return -EINVAL;
	if (traits && reg->traits && reg->traits != traits)
		return -EEXIST;
	if (traits && traits->has_decode && etw_is_user(reg) &&
	    etw_guid_reserved(&traits->decode, reg->cred))
		return -EACCES;
	if (traits && traits->has_group) {
		if (etw_is_user(reg) && !etw_access_may_join(&traits->group))
			return -EPERM;
		group = etw_group_get(&traits->group, memory);
		if (!group)
			return -EAGAIN;
		scope = etw_entry_new_scope(group, reg);
	}
	u = etw_update_add(&updates, reg, scope);
	if (traits) {
		u->traits = traits;
		u->types = true;
		u->group = group;
		u->group_scope = scope;
	}
	if (types)
		u->types = *types;
	etw_snapshot_build(&updates, u, memory);
	if (memory->lacks) {
		etw_updates_free(&updates);
		if (group)
			etw_guid_put(group);
		return -EAGAIN;
	}
	traits_set(&updates, reg, traits, group);
	return 0;
}

/* --------------------------------------------------------- for kernel modules */

/* Without etw_control. */
int etw_traits_set_kernel(struct etw_provider *provider, struct etw_traits *traits,
			  const bool *types)
{
	struct etw_memory memory = { };
	int err;

	do {
		mutex_lock(&etw_control);
		err = provider->reg ?
		      etw_registration_set(provider->reg, traits, types, &memory) : -EBADF;
		mutex_unlock(&etw_control);
	} while (etw_memory_again(&memory, &err, ETW_GFP));
	etw_memory_free(&memory);
	etw_static_keys_settle();
	return err;
}

/**
 * etw_set_traits() - set the traits of a provider, once
 * @provider: a registered provider
 * @traits: its traits, copied: their size in bytes as a u16, a name with its
 *	NUL, and chunks of u16 size (of the whole chunk), u8 type and data.
 *	Type 1: GUID of the group that it joins; type 2: GUID by which its events
 *	are decoded
 * @len: bytes at @traits, at most 65535; every event has a copy of them
 *
 * Every event carries them as an item while the provider is registered.  Afterwards
 * data descriptors have types, see etw_use_descriptor_types().  A provider that
 * joins a group is enabled like the group when this returns, and its callback is
 * called.  A provider registered without a name gets the name in its traits.
 *
 * Process context, may sleep; not under cpus_read_lock().
 *
 * Source: EtwSetInformation's EventProviderSetTraits; Microsoft's "Provider
 * Traits" page.
 *
 * Return: 0; -EINVAL: @traits is malformed; -EEXIST: @provider has traits; -EBADF: it
 * is not registered; -ENOMEM.
 */
int etw_set_traits(struct etw_provider *provider, const void *traits, u32 len)
{
	struct etw_traits *copy = etw_traits_copy(traits, len);
	int err;

	if (IS_ERR(copy))
		return PTR_ERR(copy);
	err = etw_traits_set_kernel(provider, copy, NULL);
	if (err)
		etw_traits_free(copy);
	return err;
}
EXPORT_SYMBOL_GPL(etw_set_traits);

/**
 * etw_use_descriptor_types() - give data descriptors types, or take them away
 * @provider: a registered provider
 * @use: whether the low byte of &struct etw_data_descriptor.reserved is a type,
 *	one of ETW_DATA_*, or is ignored, which is the default
 *
 * Process context, may sleep.
 *
 * Source: EtwSetInformation's EventProviderUseDescriptorType.
 *
 * Return: 0; -EBADF: it is not registered; -ENOMEM.
 */
int etw_use_descriptor_types(struct etw_provider *provider, bool use)
{
	return etw_traits_set_kernel(provider, NULL, &use);
}
EXPORT_SYMBOL_GPL(etw_use_descriptor_types);
