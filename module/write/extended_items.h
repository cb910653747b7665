/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * extended_items.h - the extended items that sessions ask for with enable properties
 */
#ifndef ETW_WRITE_EXTENDED_ITEMS_H
#define ETW_WRITE_EXTENDED_ITEMS_H

#include <linux/types.h>
#include <etw/abi.h>

#include "core/record.h"

struct etw_write_opts;

#define ETW_NESTING_LIMIT	16	/* of the module parameter nesting_max */
#define ETW_NESTING_OWN		2	/* more, for each of softirqs, hardirqs and NMIs */
/* The depth of the innermost writer: each context may also have one about to give up. */
#define ETW_NESTING_LEVELS	(ETW_NESTING_LIMIT + 3 * ETW_NESTING_OWN + 3)

/* Properties that each ask for an item. */
#define ETW_ENABLE_ITEMS	(ETW_ENABLE_SID | ETW_ENABLE_TS_ID | ETW_ENABLE_STACK_TRACE | \
				 ETW_ENABLE_PSM_KEY | ETW_ENABLE_PROCESS_START_KEY |	\
				 ETW_ENABLE_EVENT_KEY | ETW_ENABLE_CONTAINER |	\
				 ETW_ENABLE_CONTEXT | ETW_ENABLE_USER_STACK)

struct etw_items;
struct task_struct;

int etw_items_prepare(u32 properties);
void etw_items_init(void);
void etw_items_exit(void);
const struct etw_items *etw_items_build(u32 properties, unsigned int depth,
					const struct etw_record_source *source,
					const struct etw_write_opts *opts);
u64 etw_process_start_key(const struct task_struct *leader);
void etw_items_select(struct etw_record_items *to, const struct etw_items *from,
		      u32 properties);

#endif /* ETW_WRITE_EXTENDED_ITEMS_H */
