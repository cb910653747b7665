/* SPDX-License-Identifier: MIT */
/*
 * cfi_cache.h - the rules of addresses that were looked up lately
 */
#ifndef ETW_SYMBOLS_CFI_CACHE_H
#define ETW_SYMBOLS_CFI_CACHE_H

#include "cfi.h"

#define CFI_CACHE_ENTRIES	16384u	/* of 168 bytes: 2.6 MB */

struct cfi_cache;

struct cfi_cache *cfi_cache_new(void);	/* NULL: no memory */
void cfi_cache_free(struct cfi_cache *cache);	/* NULL is fine */
/* As cfi_find(), until the next call */
const struct cfi_rules *cfi_cache_find(struct cfi_cache *cache, const struct cfi_table *table,
				       uint64_t address);

#endif /* ETW_SYMBOLS_CFI_CACHE_H */
