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

struct etw_ring_cpu;

/* Control block of one buffer; never in memory that user space can see. */
struct etw_buf {
	etw_word commit;	/* see ring.h */
	u8 *data;
	u32 index;		/* in the table, from 1 */
	u32 node;		/* that data was allocated for */
	u32 next;		/* free buffer below this one, 0: none */
	u32 used;		/* final offset, set by the close */
	u64 closed;		/* time of the close: not before its records, nor after later ones */
	u16 generation;		/* of its CPU, when it was installed */
	u16 cpu;
	u32 left;		/* free buffers in the pool when it was taken, or what the
				 * ring's owner stores when it prepares the buffer
				 */
	struct etw_ring_cpu *rc;	/* that it was installed for */
	u64 payer;		/* of the writer that installed it, see ring.h */
	etw_word paid;		/* records of that payer; counted by the ring's owner */
};

/*
 * The free buffers of a memory node: a stack of indices.  head := tag (32) | free buffers (16) |
 * index (16); the tag changes with every operation, so a pop fails if the buffer whose next it
 * read was popped and pushed back in between.  Control blocks are freed only with the whole
 * pool, so reading next of a buffer that another context has popped is harmless.
 */
struct etw_pool_node {
	etw_word head;
} ETW_OWN_LINE;

/*
 * The free pool.  A pop first claims one of the free buffers and then looks for it, from its own
 * node on; a push puts the buffer on its stack before it counts it as free.  So the stacks hold
 * at least as many buffers as are free or claimed.  A pop finds every stack empty only if others
 * move buffers while it looks; it looks again, and waits for nobody.
 */
struct etw_pool {
	struct etw_buf **table;	/* by index; grows by replacement, see buffer.c */
	struct etw_pool_node *nodes;
	u32 node_count;

	etw_word free ETW_OWN_LINE;
	u32 short_of;		/* node of the CPU that last had to take another node's buffer */
};

#define ETW_POOL_HEAD(tag, free, index) \
	((u64)(u32)(tag) << 32 | (u64)(u16)(free) << 16 | (u64)(u16)(index))
#define ETW_POOL_TAG(head)	((u32)((head) >> 32))
#define ETW_POOL_FREE(head)	((u32)(u16)((head) >> 16))
#define ETW_POOL_INDEX(head)	((u32)(u16)(head))

static __always_inline struct etw_buf *etw_pool_buf(const struct etw_pool *pool,
						    u32 index)
{
	return READ_ONCE(pool->table)[index];
}

void etw_pool_push(struct etw_pool *pool, u32 index);
u32 etw_pool_pop_above(struct etw_pool *pool, u32 node, u32 keep, u32 *left);

/* A free buffer's index, or 0. */
static inline u32 etw_pool_pop(struct etw_pool *pool)
{
	u32 left;

	return etw_pool_pop_above(pool, 0, 0, &left);
}

static inline u32 etw_pool_free(const struct etw_pool *pool)
{
	return etw_word_read(&pool->free);
}

/* The free buffers whose memory is on that node, including those that are claimed. */
static inline u32 etw_pool_free_on(const struct etw_pool *pool, u32 node)
{
	return ETW_POOL_FREE(etw_word_read(&pool->nodes[node].head));
}

/*
 * A bounded first-in first-out queue of buffer indices. Each operation takes effect with one
 * exchange, so one that is interrupted anywhere keeps no other from going on.
 *
 * A cell holds the index and the low half of the position at which it was pushed; the next
 * one for that cell is one round later. A push that was interrupted before it moved tail has
 * pushed all the same: the next one moves it.
 */
struct etw_fifo {
	etw_word *cells;
	u32 mask;		/* number of cells - 1; a power of two, at least 2 */
	etw_word head;		/* next to pop */
	etw_word tail;		/* next to push, or the last one pushed */
};

void etw_fifo_init(struct etw_fifo *fifo, etw_word *cells, u32 count);
bool etw_fifo_empty(const struct etw_fifo *fifo);
bool etw_fifo_push(struct etw_fifo *fifo, u32 index);
u32 etw_fifo_pop(struct etw_fifo *fifo);

#endif /* ETW_CORE_POOL_H */
