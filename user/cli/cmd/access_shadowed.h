/* SPDX-License-Identifier: MIT */
/*
 * access_shadowed.h - find deny entries that an earlier allow entry overrides
 */
#ifndef ETW_CLI_ACCESS_VAIN_H
#define ETW_CLI_ACCESS_VAIN_H

#include "lib/access/conf.h"

uint32_t access_shadowed(const struct etw_access_list *list, uint32_t n, uint32_t *by);

#endif /* ETW_CLI_ACCESS_VAIN_H */
