/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scope_filter.h - match registrations against a session's scope filters
 */
#ifndef ETW_PROVIDER_SCOPE_FILTER_H
#define ETW_PROVIDER_SCOPE_FILTER_H

#include "provider.h"

void etw_scope_free(struct etw_scope *scope);
bool etw_scope_selects(const struct etw_scope *scope, bool sees_addresses,
		       const struct etw_registration *reg);
bool etw_scope_selects_new(const struct etw_enablement *slot, const struct etw_registration *reg);
void etw_scope_executable(char *name);

#endif /* ETW_PROVIDER_SCOPE_FILTER_H */
