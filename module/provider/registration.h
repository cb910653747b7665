/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * registration.h - make, add, remove and free registrations
 */
#ifndef ETW_PROVIDER_REGISTRATION_H
#define ETW_PROVIDER_REGISTRATION_H

#include "provider.h"

#include <etw/kernel.h>

struct etw_memory;
struct module;

/* Those with ETW_REGISTER_FORWARDS, by forward_node; under etw_control */
extern struct list_head etw_forwarders;

struct etw_registration *etw_registration_alloc(const char *name, u32 name_len);
void etw_registration_leaves(struct etw_registration *reg);
void etw_registration_free(struct etw_registration *reg);
int etw_registration_add(struct etw_registration *reg, struct etw_memory *memory);
void etw_registration_remove(struct etw_registration *reg);
int etw_registration_of_kernel(const struct etw_guid *guid, const char *name, bool one_event,
			       etw_enable_fn callback, void *context,
			       struct etw_provider **handle);
int etw_registration_of_kernel_traits(struct etw_provider *provider, const void *traits, u32 len,
				      etw_enable_fn callback, void *context);
void etw_registration_disable_handle(struct etw_provider *handle);
void etw_registration_end_handles(struct etw_provider **handles, unsigned int count);
bool etw_registration_of_module(const struct etw_guid *guid, etw_enable_fn but);
void etw_registration_adopt(const struct module *module);
void etw_registration_end_left(const struct module *module);

#endif /* ETW_PROVIDER_REGISTRATION_H */
