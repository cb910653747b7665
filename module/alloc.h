/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alloc.h - how this module allocates memory
 *
 * All memory is charged to the cgroup of the task on whose behalf it is allocated.  The
 * caller gets an error if there is none; a user's request must not fill the kernel log
 * with stack traces.
 */
#ifndef ETW_ALLOC_H
#define ETW_ALLOC_H

#include <linux/gfp.h>
#include <linux/llist.h>
#include <linux/types.h>

#define ETW_GFP		(GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

#define ETW_MEMORY_CLASSES	10	/* 32 bytes to 16 KB */

/* Memory for a change under etw_control, see alloc.c.  Zeroed on its maker's stack. */
struct etw_memory {
	struct llist_head items[ETW_MEMORY_CLASSES];
	u32 ready[ETW_MEMORY_CLASSES];		/* items on these lists */
	u32 wanted[ETW_MEMORY_CLASSES];		/* by this attempt */
	bool lacks;
	bool too_large;				/* no class has the size of something it wanted */
};

void *etw_memory_take(struct etw_memory *memory, size_t size);
bool etw_memory_again(struct etw_memory *memory, int *err, gfp_t gfp);
void etw_memory_free(struct etw_memory *memory);

#endif /* ETW_ALLOC_H */
