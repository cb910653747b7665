/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool.h - the free buffers of a ring, and a queue of full ones
 *
 * All CPUs share both and use them in any context, NMI included: no operation waits for
 * another one that was interrupted.
 */
#ifndef ETW_CORE_POOL_H
#define ETW_CORE_POOL_H

#include "core/port.h"

/* Control block of one buffer; never in memory that user space can see. */
struct etw_buf {
	etw_word commit;	/* see ring.h */
	u8 *data;
	u32 index;		/* in the table, from 1 */
	u32 next;		/* free buffer below this one, 0: none */
	u32 used;		/* final offset, set by the close */
	u16 generation;		/* of its CPU, when it was installed */
	u16 cpu;
};

/*
 * The free pool: a stack of indices.  head := tag (32) | index (32); the tag changes with
 * every operation, so a pop fails if the buffer whose next it read was popped and pushed
 * back in between.  Buffers are freed only with the whole pool, so reading next of a
 * buffer that another context has popped is harmless.
 */
struct etw_pool {
	struct etw_buf **table;	/* by index; grows by replacement, see buffer.c */

	etw_word head ETW_OWN_LINE;
	etw_word free;		/* entries, for watermarks and statistics */
};

static __always_inline struct etw_buf *etw_pool_buf(const struct etw_pool *pool,
						    u32 index)
{
	return READ_ONCE(pool->table)[index];
}

void etw_pool_push(struct etw_pool *pool, u32 index);
u32 etw_pool_pop(struct etw_pool *pool);

static inline u32 etw_pool_free(const struct etw_pool *pool)
{
	s64 n = etw_word_read(&pool->free);

	/* Updated after each push and pop, so it may be off by a few for a moment. */
	return n > 0 ? n : 0;
}

/*
 * A bounded first-in first-out queue of buffer indices (the cells-with-turns
 * scheme of Vyukov's queue).  A cell whose user was interrupted makes push or
 * pop fail rather than wait.
 */
struct etw_fifo_cell {
	u64 turn;
	u32 index;
	u32 unused;
};

struct etw_fifo {
	struct etw_fifo_cell *cells;
	u32 mask;		/* number of cells - 1; a power of two, at least 2 */
	etw_word head;		/* next to pop */
	etw_word tail;		/* next to push */
};

void etw_fifo_init(struct etw_fifo *fifo, struct etw_fifo_cell *cells, u32 count);
static inline bool etw_fifo_empty(const struct etw_fifo *fifo)
{
	return etw_word_read(&fifo->head) == etw_word_read(&fifo->tail);
}

bool etw_fifo_push(struct etw_fifo *fifo, u32 index);
u32 etw_fifo_pop(struct etw_fifo *fifo);

#endif /* ETW_CORE_POOL_H */
