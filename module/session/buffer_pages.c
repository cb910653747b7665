// SPDX-License-Identifier: GPL-2.0-only
/*
 * buffer_pages.c - memory for buffers, on the nodes of the CPUs that write
 *
 * Each node with CPUs has a stack of free buffers in the session's pool.  New buffers go where
 * there are the fewest for each CPU.  A CPU takes a buffer of its own node, or of another one if
 * that has none; the next new buffer is then its node's.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "buffer_pages.h"

int etw_buffer_nodes_init(struct etw_pool *pool)
{
	/* So many that each of them begins a cache line. */
	pool->nodes = kcalloc(roundup_pow_of_two(nr_node_ids), sizeof(*pool->nodes), ETW_GFP);
	pool->node_count = nr_node_ids;
	return pool->nodes ? 0 : -ENOMEM;
}

void etw_buffer_nodes_exit(struct etw_pool *pool)
{
	kfree(pool->nodes);
}

/* The node where the next buffer is needed most */
u32 etw_buffer_node_choose(const struct etw_pool *pool)
{
	u32 best = READ_ONCE(pool->short_of), free, n;
	int node;

	if (!node_state(best, N_CPU))
		best = first_node(node_states[N_CPU]);
	free = etw_pool_free_on(pool, best);
	for_each_node_state(node, N_CPU) {
		n = etw_pool_free_on(pool, node);
		if (n * nr_cpus_node(best) < free * nr_cpus_node(node)) {
			best = node;
			free = n;
		}
	}
	return best;
}

static void pages_free(struct page **pages, u32 count)
{
	while (count--) {
		__free_page(pages[count]);
		cond_resched();
	}
	kvfree(pages);
}

/*
 * Give the buffer zeroed memory, if possible on that node.  False: there is none, or the task is
 * being killed.  Sleeps.  The kernel exports no vmalloc() that takes both a node and flags; and
 * the buffer keeps its pages, because kernels before 6.12.7 count wrongly if vfree() frees them.
 */
bool etw_buffer_pages_alloc(struct etw_buffer *b, u32 size, u32 node)
{
	u32 i, count = size >> PAGE_SHIFT;
	struct page **pages = kvmalloc_array(count, sizeof(*pages), ETW_BUFFER_GFP);

	if (!pages)
		return false;
	for (i = 0; i < count; i++) {
		cond_resched();
		pages[i] = fatal_signal_pending(current) ? NULL :
			   alloc_pages_node(node, ETW_BUFFER_GFP | __GFP_ZERO, 0);
		if (!pages[i])
			goto err;
	}
	b->buf.data = vmap(pages, count, VM_MAP, PAGE_KERNEL);
	if (!b->buf.data)
		goto err;
	b->buf.node = node;
	b->pages = pages;
	return true;

err:
	pages_free(pages, i);
	return false;
}

/* Give a buffer without memory that of another one. */
void etw_buffer_pages_move(struct etw_buffer *to, struct etw_buffer *from)
{
	to->buf.data = from->buf.data;
	to->buf.node = from->buf.node;
	to->pages = from->pages;
	from->buf.data = NULL;
	from->pages = NULL;
}

/* Free the buffer's memory if it has any.  Mappings of it keep their pages.  Sleeps. */
void etw_buffer_pages_free(struct etw_buffer *b, u32 size)
{
	if (!b->buf.data)
		return;
	vunmap(b->buf.data);
	b->buf.data = NULL;
	pages_free(b->pages, size >> PAGE_SHIFT);
	b->pages = NULL;
}
