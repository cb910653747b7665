/* SPDX-License-Identifier: MIT */
/*
 * filter.h - a private session's filters by event id, name and payload
 */
#ifndef ETW_LIB_PRIVATE_FILTER_H
#define ETW_LIB_PRIVATE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/record.h"
#include "core/traits.h"

struct etw_private_filter;
struct etw_filter;

/*
 * Compile the filters that judge events; *out is NULL if there are none. -EINVAL: malformed,
 * or one that chooses among processes, of which there is only this one.
 */
int etw_private_filter_read(const struct etw_filter *filters, uint32_t count,
			    struct etw_private_filter **out);
void etw_private_filter_free(struct etw_private_filter *filter);	/* NULL is fine */

/* Does a measured event, without items, pass? typed: NULL if its descriptors have no types. */
bool etw_private_filter_pass(const struct etw_private_filter *filter,
			     const struct etw_record_source *source, const struct etw_typed *typed);

#endif /* ETW_LIB_PRIVATE_FILTER_H */
