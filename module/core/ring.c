// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ring.c - close and install buffers, off the fast path
 */
#include "core/ring.h"

/*
 * Close the buffer named by cur, a sampled value of rc->cur.  False if cur names none, or
 * if rc->cur has changed since: another context reserved a slot or closed the buffer.
 */
bool etw_ring_close(enum etw_use use, struct etw_ring *ring,
		    struct etw_ring_cpu *rc, u64 cur)
{
	u32 final = ETW_CUR_OFFSET(cur);
	struct etw_buf *buf;
	u64 done, now;

	if (!ETW_CUR_INDEX(cur))
		return false;
	/* Before the exchange: if cur is still the same then, no record of buf is later. */
	now = ring->ops->now(ring);
	if (!etw_word_cmpxchg(use, &rc->cur, cur,
			      ETW_CUR_NONE(ETW_CUR_GENERATION(cur))))
		return false;
	/* Only one close can succeed, so the addition below cannot happen twice. */
	buf = etw_pool_buf(&ring->pool, ETW_CUR_INDEX(cur));
	buf->used = final;
	buf->closed = now;
	done = etw_word_add(use, &buf->commit, ETW_COMMIT_BIAS - final);
	if (ETW_COMMIT_DONE(done))
		ring->ops->deliver(ring, buf);
	return true;
}

/*
 * The buffer named by cur has no room: close it and install another one.  0: sample cur
 * again and retry; -ENOBUFS: there is no free buffer for this asker (NULL: for anybody).
 *
 * An interrupt, or another CPU if the buffer is shared, may do the same at any point of
 * this function; the context whose compare-exchange comes second gives its buffer back
 * and uses the other one.
 */
int etw_ring_switch(enum etw_use use, struct etw_ring *ring,
		    struct etw_ring_cpu *rc, u64 cur, const struct etw_ring_asker *asker)
{
	u32 index, left, keep = asker ? asker->keep : 0;
	u16 generation, node = READ_ONCE(rc->node);
	struct etw_buf *buf;

	if (keep && etw_pool_free(&ring->pool) <= keep) {
		ring->ops->evict(ring, asker);
		return etw_word_read(&rc->cur) == cur ? -ENOBUFS : 0;
	}
	if (ETW_CUR_INDEX(cur))
		etw_ring_close(use, ring, rc, cur);
	cur = etw_word_read(&rc->cur);
	if (ETW_CUR_INDEX(cur))
		return 0;

	index = etw_pool_pop_above(&ring->pool, node, keep, &left);
	if (!index) {
		index = ring->ops->evict(ring, asker);
		left = 0;
	}
	if (!index)
		return etw_word_read(&rc->cur) == cur ? -ENOBUFS : 0;

	buf = etw_pool_buf(&ring->pool, index);
	if (unlikely(buf->node != node))
		WRITE_ONCE(ring->pool.short_of, node);
	generation = ETW_CUR_GENERATION(cur) + 1;
	buf->generation = generation;
	buf->cpu = rc->id;
	buf->rc = rc;
	buf->used = 0;
	WRITE_ONCE(buf->left, left);
	buf->payer = asker ? asker->payer : 0;
	etw_word_set(&buf->paid, 0);
	etw_word_set(&buf->commit, ETW_BUFFER_HEADER_SIZE);
	ring->ops->prepare(ring, buf);
	if (!etw_word_cmpxchg(use, &rc->cur, cur,
			      ETW_CUR(generation, index, ETW_BUFFER_HEADER_SIZE))) {
		etw_pool_push(&ring->pool, index);
		return 0;
	}
	ring->ops->installed(ring);
	return 0;
}
