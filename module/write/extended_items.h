/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * extended_items.h - the extended items that sessions ask for with enable properties
 */
#ifndef ETW_ITEMS_H
#define ETW_ITEMS_H

#include <linux/types.h>
#include <etw/abi.h>

#include "core/record.h"

struct etw_trace_how;
struct task_struct;

#define ETW_NESTING_LIMIT	16	/* of the module parameter nesting_max */
#define ETW_CGROUP_DEPTH	32	/* groups of a path */
#define ETW_CGROUP_PATH		512	/* bytes of one, the NUL included */

/* Properties that ask for an item each. */
#define ETW_ENABLE_ITEMS	(ETW_ENABLE_SID | ETW_ENABLE_TS_ID | ETW_ENABLE_STACK_TRACE | \
				 ETW_ENABLE_PSM_KEY | ETW_ENABLE_PROCESS_START_KEY |	\
				 ETW_ENABLE_EVENT_KEY | ETW_ENABLE_CONTAINER)

struct etw_items;

/* extended_items.c */
int etw_items_prepare(void);
void etw_items_init(void);
void etw_items_exit(void);
const struct etw_items *etw_items_build(u32 properties, unsigned int depth,
					const struct etw_record_source *source,
					const struct etw_trace_how *how);
void etw_items_select(struct etw_record_items *to, const struct etw_items *from,
		      u32 properties);

/* cgroup.c */
u32 etw_cgroup_path(struct task_struct *task, char *path, u32 size);

/* stack.c */
#define ETW_STACK_OWN	16	/* room for frames of this module, which are left out */

u32 etw_stack_kernel(u64 *frames, u32 room, bool *whole);
u32 etw_stack_user(u64 *frames, u32 room);

#endif /* ETW_ITEMS_H */
