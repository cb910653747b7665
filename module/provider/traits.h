/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * traits.h - provider traits and typed data descriptors
 */
#ifndef ETW_PROVIDER_TRAITS_H
#define ETW_PROVIDER_TRAITS_H

#include "provider.h"

struct etw_memory;

int etw_registration_set(struct etw_registration *reg, struct etw_traits *traits,
			 const bool *types, struct etw_memory *memory);
int etw_traits_set_kernel(struct etw_provider *provider, struct etw_traits *traits,
			  const bool *types);
void etw_traits_free(struct etw_traits *traits);
void etw_traits_left(struct etw_traits *traits);
struct etw_traits *etw_traits_copy(const void *blob, u32 len);
struct etw_traits *etw_traits_read(u64 ptr, u32 len);

#endif /* ETW_PROVIDER_TRAITS_H */
