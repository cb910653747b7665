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

#define CELL(position, index)	((u64)(u32)(position) << 32 | (index))
#define CELL_POSITION(cell)	((u32)((cell) >> 32))
#define CELL_INDEX(cell)	((u32)(cell))

/* As if each cell had been pushed, and popped, one round ago. */
void etw_fifo_init(struct etw_fifo *fifo, etw_word *cells, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		etw_word_set(&cells[i], CELL(i - count, 0));
	fifo->cells = cells;
	fifo->mask = count - 1;
	etw_word_set(&fifo->head, 0);
	etw_word_set(&fifo->tail, 0);
}

/*
 * False: the queue is full. An exchange of a cell succeeds by mistake only if this call is
 * interrupted for 2^32 pushes.
 */
bool etw_fifo_push(struct etw_fifo *fifo, u32 index)
{
	u32 count = fifo->mask + 1;
	etw_word *cell;
	u64 at, old;

	for (;;) {
		/* Acquire: head is as new as tail, so a queue with room never looks full. */
		at = etw_word_read_acquire(&fifo->tail);
		cell = &fifo->cells[at & fifo->mask];
		old = etw_word_read(cell);
		if (CELL_POSITION(old) == (u32)at) {
			etw_word_cmpxchg(ETW_SHARED, &fifo->tail, at, at + 1);
			continue;
		}
		/* Otherwise tail has moved since it was read. */
		if (CELL_POSITION(old) != (u32)at - count)
			continue;
		if ((s64)(at - etw_word_read(&fifo->head)) >= (s64)count)
			return false;
		/* C of ring.h */
		if (etw_word_cmpxchg(ETW_SHARED, cell, old, CELL(at, index)))
			break;
	}
	etw_word_cmpxchg(ETW_SHARED, &fifo->tail, at, at + 1);
	return true;
}

/* Read the cell at head.  If its position is not *at, the queue was empty. */
static u64 oldest(const struct etw_fifo *fifo, u64 *at)
{
	u64 entry;

	do {
		*at = etw_word_read(&fifo->head);
		/* C of ring.h */
		entry = etw_word_read_acquire(&fifo->cells[*at & fifo->mask]);
	} while (CELL_POSITION(entry) != (u32)*at && etw_word_read(&fifo->head) != *at);
	return entry;
}

bool etw_fifo_empty(const struct etw_fifo *fifo)
{
	u64 at, entry = oldest(fifo, &at);

	return CELL_POSITION(entry) != (u32)at;
}

/*
 * The oldest entry; 0: the queue is empty. Nobody pushes to the cell before head has moved, so
 * what was read from it is still there when the exchange succeeds.
 */
u32 etw_fifo_pop(struct etw_fifo *fifo)
{
	u64 at, entry;

	do {
		entry = oldest(fifo, &at);
		if (CELL_POSITION(entry) != (u32)at)
			return 0;
	} while (!etw_word_cmpxchg(ETW_SHARED, &fifo->head, at, at + 1));
	return CELL_INDEX(entry);
}
