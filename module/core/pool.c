// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pool.c - the free pool and the queue of full buffers
 */
#include "core/pool.h"

void etw_pool_push(struct etw_pool *pool, u32 index)
{
	struct etw_buf *buf = etw_pool_buf(pool, index);
	struct etw_pool_node *node = &pool->nodes[buf->node];
	u64 head;

	do {
		head = etw_word_read(&node->head);
		WRITE_ONCE(buf->next, ETW_POOL_INDEX(head));
		/* A of ring.h */
	} while (!etw_word_cmpxchg(ETW_SHARED, &node->head, head,
				   ETW_POOL_HEAD(ETW_POOL_TAG(head) + 1,
						 ETW_POOL_FREE(head) + 1, index)));
	etw_word_add(ETW_SHARED, &pool->free, 1);
}

/* A buffer of the node, or 0. */
static u32 node_pop(struct etw_pool *pool, struct etw_pool_node *node)
{
	u64 head;
	u32 next;

	do {
		head = etw_word_read(&node->head);
		if (!ETW_POOL_INDEX(head))
			return 0;
		next = READ_ONCE(etw_pool_buf(pool, ETW_POOL_INDEX(head))->next);
		/* A of ring.h */
	} while (!etw_word_cmpxchg(ETW_SHARED, &node->head, head,
				   ETW_POOL_HEAD(ETW_POOL_TAG(head) + 1,
						 ETW_POOL_FREE(head) - 1, next)));
	return ETW_POOL_INDEX(head);
}

/*
 * A free buffer's index, if possible of that node, or 0: no more than keep are free.  *left: how
 * many are free after the pop.
 */
u32 etw_pool_pop_above(struct etw_pool *pool, u32 node, u32 keep, u32 *left)
{
	u32 at = node, index;
	u64 free;

	do {
		free = etw_word_read(&pool->free);
		*left = free - 1;
		if (free <= keep)
			return 0;
	} while (!etw_word_cmpxchg(ETW_SHARED, &pool->free, free, free - 1));
	while (!(index = node_pop(pool, &pool->nodes[at])))
		at = at + 1 < pool->node_count ? at + 1 : 0;
	return index;
}

/*
 * cells[i].turn == position: free for the push at that position;
 * == position + 1: holds the entry for the pop at that position.
 */
void etw_fifo_init(struct etw_fifo *fifo, struct etw_fifo_cell *cells, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		cells[i].turn = i;
		cells[i].index = 0;
	}
	fifo->cells = cells;
	fifo->mask = count - 1;
	etw_word_set(&fifo->head, 0);
	etw_word_set(&fifo->tail, 0);
}

/* False if the queue is full, or if an interrupted pop still holds the next cell. */
bool etw_fifo_push(struct etw_fifo *fifo, u32 index)
{
	struct etw_fifo_cell *cell;
	u64 at, turn;

	for (;;) {
		at = etw_word_read(&fifo->tail);
		cell = &fifo->cells[at & fifo->mask];
		turn = etw_load_acquire(&cell->turn); /* C of ring.h */
		if ((s64)(turn - at) < 0)
			return false;
		if (turn == at &&
		    etw_word_cmpxchg(ETW_SHARED, &fifo->tail, at, at + 1))
			break;
	}
	WRITE_ONCE(cell->index, index);
	etw_store_release(&cell->turn, at + 1); /* C of ring.h */
	return true;
}

/* The oldest entry, or 0: the queue is empty, or the oldest entry is still being stored. */
u32 etw_fifo_pop(struct etw_fifo *fifo)
{
	struct etw_fifo_cell *cell;
	u64 at, turn;
	u32 index;

	for (;;) {
		at = etw_word_read(&fifo->head);
		cell = &fifo->cells[at & fifo->mask];
		turn = etw_load_acquire(&cell->turn); /* C of ring.h */
		if ((s64)(turn - (at + 1)) < 0)
			return 0;
		if (turn == at + 1 &&
		    etw_word_cmpxchg(ETW_SHARED, &fifo->head, at, at + 1))
			break;
	}
	index = READ_ONCE(cell->index);
	etw_store_release(&cell->turn, at + fifo->mask + 1); /* C of ring.h */
	return index;
}
