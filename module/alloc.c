// SPDX-License-Identifier: GPL-2.0-only
/*
 * alloc.c - memory for a change that is made under etw_control
 *
 * How much a change takes is only known under etw_control, where nobody may wait for memory:
 * the caller's cgroup may be full, and others would wait with it.  So a change takes what is
 * there at once.  If that is not enough it goes on, to count all that it wants, and fails
 * with -EAGAIN, without effect.  Its caller then releases etw_control, allocates all of that,
 * and tries again:
 *
 *	struct etw_memory memory = { };
 *
 *	do {
 *		mutex_lock(&etw_control);
 *		err = change(&memory);
 *		mutex_unlock(&etw_control);
 *	} while (etw_memory_again(&memory, &err, ETW_GFP));
 *	etw_memory_free(&memory);
 *
 * The next attempt lacks nothing unless it wants more than this one.  To allocate only what
 * was lacking is not enough: a failed attempt frees what it took, which may be just the room
 * for that in a full cgroup, and the next attempt would lack as much again.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "alloc.h"

#define CLASS_SHIFT	5		/* the smallest class, as bits of its size */

/*
 * Zeroed memory, or NULL, which counts as lacking.  Freed with kvfree(), or with kfree() up to
 * a page.
 */
void *etw_memory_take(struct etw_memory *memory, size_t size)
{
	u32 class = max_t(u32, order_base_2(size), CLASS_SHIFT) - CLASS_SHIFT;
	void *item;

	if (WARN_ON_ONCE(class >= ETW_MEMORY_CLASSES)) {
		memory->lacks = memory->too_large = true;
		return NULL;
	}
	memory->wanted[class]++;
	item = llist_del_first(&memory->items[class]);
	if (item) {
		memory->ready[class]--;
		return memset(item, 0, size);
	}
	item = kzalloc(size, GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN);
	memory->lacks |= !item;
	return item;
}

static int memory_fetch(struct etw_memory *memory, u32 class, gfp_t gfp)
{
	void *item;

	for (; memory->ready[class] < memory->wanted[class]; memory->ready[class]++) {
		if (!(gfp & __GFP_NOFAIL) && fatal_signal_pending(current))
			return -EINTR;
		item = kvmalloc(1UL << (class + CLASS_SHIFT), gfp);
		if (!item)
			return -ENOMEM;
		llist_add(item, &memory->items[class]);
		cond_resched();
	}
	memory->wanted[class] = 0;
	return 0;
}

/*
 * After a change that returned *err: shall it be tried again?  Then what it wanted has been
 * allocated.  *err becomes -ENOMEM if that failed, or -EINTR if the task is being killed; not
 * with __GFP_NOFAIL.  Without etw_control; sleeps.
 */
bool etw_memory_again(struct etw_memory *memory, int *err, gfp_t gfp)
{
	u32 class;

	if (*err != -EAGAIN)
		return false;
	*err = memory->too_large ? -ENOMEM : 0;
	for (class = 0; class < ETW_MEMORY_CLASSES && !*err; class++)
		*err = memory_fetch(memory, class, gfp);
	memory->lacks = false;
	return !*err;
}

void etw_memory_free(struct etw_memory *memory)
{
	struct llist_node *item, *tmp;
	u32 class;

	for (class = 0; class < ETW_MEMORY_CLASSES; class++)
		llist_for_each_safe(item, tmp, llist_del_all(&memory->items[class]))
			kvfree(item);
}
