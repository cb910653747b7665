/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ring.h - reserve and commit in per-CPU buffers
 *
 * A ring is a pool of buffers of equal size and, for each CPU, one word with the position
 * of the next record:
 *
 *	cur := buffer index (16) | generation (16) | offset (32)
 *
 * Index 0 means that the CPU has no buffer; the offset is then so large that the test for
 * "does not fit" catches that case too.  Only its own CPU changes cur, by a
 * compare-exchange without the lock prefix: only an interrupt or NMI on the same CPU can
 * interfere, and it finishes before the interrupted code continues.  (Another CPU closes
 * the buffer of a dead CPU, and those of all CPUs once no writer is left.)
 *
 * reserve: cur -> cur + length.  The slot in between belongs to the writer alone.
 * commit:  add 1 to the high half of the buffer's commit word, which counts records, then
 *	    length to the low half.
 * undo:    cur + length -> cur, instead of a commit, if nobody has changed cur since.
 *	    Not in buffers that CPUs share: one that sampled cur + length, then read the
 *	    clock, could reserve there after a third CPU that read a later time.
 * close:   cur -> none, then add BIAS - final offset to the commit word.
 *
 * The context whose addition makes the low half of the commit word exactly BIAS, its highest
 * bit, is the last user of the buffer and delivers it; no writer touches it afterwards.
 *
 * The generation counts the buffers that a CPU has installed.  It makes a
 * compare-exchange fail if cur was sampled before an interrupt closed, recycled and
 * reinstalled the same buffer.  It also gives the delivery worker the order of the CPU's
 * buffers, since a newer buffer can be complete before an older one whose writer was
 * interrupted.
 *
 * Barriers between the writing CPU and others, by their labels in the code:
 *	A  etw_pool_push() before etw_pool_pop(): cmpxchg of a node's head, full
 *	   barrier: the consumer's last read is before the next writer's first store, and
 *	   next and the table's entry are visible before the index
 *	B  ops->deliver() before the worker's read: llist_add()/llist_del_all(),
 *	   full barriers: records and control fields are seen complete
 *	C  etw_fifo_push() before etw_fifo_pop(): cmpxchg of the cell, full barrier, and
 *	   acquire: a full buffer's content is seen by whoever takes it
 * and in the module, outside the core:
 *	D  flush_wanted and flush_armed cleared, then a grace period, then the look for
 *	   buffers; ring_installed(): the buffer installed, then flush_armed read
 *	E  entries of a new pool->table before its pointer; etw_pool_buf(): the
 *	   entry's address depends on the pointer.  A grace period before the
 *	   old table is freed and before the first index that only the new one has
 *	F  a provider's snapshot before its pointer; etw_hotpath_write().  A grace
 *	   period after the session is out of all snapshots and before it closes
 *	G  a process's slots before their pointer, a registration before its
 *	   slot; etw_process_find()
 *	H  a note of losses cleared before its slot is used again; drops: the note's
 *	   address depends on the slot.  A grace period before the old note is taken
 *	I  scratch memory for extended items zeroed before its pointer, in
 *	   etw_items_prepare(); etw_items_build()
 * No barrier is needed between reserve and commit: all writers of a buffer, and the context
 * that delivers it, run on one CPU, which sees its own stores in order.
 *
 * Models, run by selftests/unit/core/ring_model.sh: ring.pml (this file and pool.c), pool.pml
 * (memory nodes), ring_deliver.pml (flush, CPU hotplug, stop), consumer.pml, fifo.pml,
 * ring_wrap.pml (counters that wrap), ring_order.pml and ring_order_rcu.pml (A to G; none has
 * H and I).
 */
#ifndef ETW_CORE_RING_H
#define ETW_CORE_RING_H

#include "core/pool.h"
#include "core/port.h"
#include <etw/format.h>

#define ETW_CUR_OFFSET(cur)	((u32)(cur))
#define ETW_CUR_INDEX(cur)	((u32)((cur) >> 48))
#define ETW_CUR_GENERATION(cur)	((u16)((cur) >> 32))
#define ETW_CUR_NO_OFFSET	0x40000000U
#define ETW_CUR(gen, index, offset) \
	((u64)(u16)(index) << 48 | (u64)(u16)(gen) << 32 | (u32)(offset))
#define ETW_CUR_NONE(gen)	ETW_CUR(gen, 0, ETW_CUR_NO_OFFSET)

#define ETW_COMMIT_BIAS		(1ULL << 31)
#define ETW_COMMIT_RECORD	(1ULL << 32)
#define ETW_COMMIT_DONE(c)	((u32)(c) == (u32)ETW_COMMIT_BIAS)
#define ETW_COMMIT_COUNT(c)	((u32)((c) >> 32))

struct etw_ring;

/*
 * Who asks for a buffer; NULL: one that keeps none, and that nobody pays for.  keep: free
 * buffers that must be left for others; level, payer: for the owner of the ring.  Without a
 * buffer a writer that keeps some does not close the present one either: others may use its
 * room.
 */
struct etw_ring_asker {
	u32 keep;
	u32 level;
	u64 payer;
};

/*
 * The functions that a ring's owner supplies.  All may be called in any context that
 * writes, NMI included, and may interrupt each other.
 */
struct etw_ring_ops {
	/* buf is complete and belongs to the callee */
	void (*deliver)(struct etw_ring *ring, struct etw_buf *buf);
	/* asker (may be NULL) finds no free buffer: another buffer's index, or 0 */
	u32 (*evict)(struct etw_ring *ring, const struct etw_ring_asker *asker);
	/* buf is about to be installed: fill its buffer header */
	void (*prepare)(struct etw_ring *ring, struct etw_buf *buf);
	/* a buffer was installed */
	void (*installed)(struct etw_ring *ring);
	/* the time that writers give their records */
	u64 (*now)(struct etw_ring *ring);
};

struct etw_ring {
	u32 size;			/* bytes of each buffer */
	const struct etw_ring_ops *ops;
	struct etw_pool pool;
};

/* The position of one CPU (or thread) in a ring. */
struct etw_ring_cpu {
	etw_word cur;
	u16 id;				/* of the CPU */
	u16 node;			/* whose memory it prefers */
};

static inline void etw_ring_cpu_init(struct etw_ring_cpu *rc, u16 id, u16 node)
{
	etw_word_set(&rc->cur, ETW_CUR_NONE(0));
	rc->id = id;
	rc->node = node;
}

/* Does a record of this slot length fit into an empty buffer at all? */
static __always_inline bool etw_ring_fits(const struct etw_ring *ring, u32 len)
{
	return len <= ring->size - ETW_BUFFER_HEADER_SIZE;
}

/*
 * Does the buffer that cur names, of size bytes, have room for len bytes?  False also if there
 * is no buffer.  If false, call etw_ring_switch().
 */
static __always_inline bool etw_ring_room(u32 size, u64 cur, u64 len)
{
	const u64 next = cur + len;

	return ETW_CUR_OFFSET(next) <= size;
}

/*
 * Reserve len bytes at *cur, a sampled value of rc->cur for which etw_ring_room() holds.
 * false: rc->cur has changed since, so a clock value read in between is stale as well.
 * *cur is rc->cur before this, whatever the result; the compiler has it in a register.
 */
static __always_inline bool etw_ring_claim(enum etw_use use, struct etw_ring_cpu *rc, u64 *cur,
					   u64 len)
{
	return likely(etw_word_try_cmpxchg(use, &rc->cur, cur, *cur + len));
}

/* The slot after a claim at cur, and its buffer. */
static __always_inline u8 *etw_ring_claimed(const struct etw_ring *ring, u64 cur,
					    struct etw_buf **buf)
{
	*buf = etw_pool_buf(&ring->pool, ETW_CUR_INDEX(cur));
	return (*buf)->data + ETW_CUR_OFFSET(cur);
}

/* Both; NULL: rc->cur has changed. */
static __always_inline u8 *etw_ring_reserve(enum etw_use use,
					    struct etw_ring *ring,
					    struct etw_ring_cpu *rc, u64 cur,
					    u32 len, struct etw_buf **buf)
{
	return etw_ring_claim(use, rc, &cur, len) ? etw_ring_claimed(ring, cur, buf) : NULL;
}

/* Commit len bytes that were reserved and filled, but do not count as a record. */
static __always_inline void etw_ring_commit_uncounted(enum etw_use use,
						      struct etw_ring *ring,
						      struct etw_buf *buf, u64 len)
{
	u64 done = etw_word_add(use, &buf->commit, len);

	if (unlikely(ETW_COMMIT_DONE(done)))
		ring->ops->deliver(ring, buf);
}

/* Commit len bytes that were reserved and filled.  true: the caller must deliver the buffer. */
static __always_inline bool etw_ring_complete(enum etw_use use, struct etw_buf *buf, u32 len)
{
	/* The low half reaches BIAS, but never exceeds it. */
	return unlikely(etw_word_add_halves(use, &buf->commit, len));
}

/* As etw_ring_complete(), and deliver the buffer. */
static __always_inline void etw_ring_commit(enum etw_use use,
					    struct etw_ring *ring,
					    struct etw_buf *buf, u32 len)
{
	if (etw_ring_complete(use, buf, len))
		ring->ops->deliver(ring, buf);
}

/*
 * Give back the slot of len bytes at offset, which is not committed.  False: another
 * context has reserved a slot behind it or closed the buffer, so it must be committed.
 * Only for buffers of one CPU.
 */
static inline bool etw_ring_undo(struct etw_ring_cpu *rc, const struct etw_buf *buf,
				 u32 offset, u32 len)
{
	u64 after = ETW_CUR(buf->generation, buf->index, offset + len);

	return etw_word_cmpxchg(ETW_LOCAL, &rc->cur, after, after - len);
}

bool etw_ring_close(enum etw_use use, struct etw_ring *ring,
		    struct etw_ring_cpu *rc, u64 cur);
int etw_ring_switch(enum etw_use use, struct etw_ring *ring,
		    struct etw_ring_cpu *rc, u64 cur, const struct etw_ring_asker *asker);

#endif /* ETW_CORE_RING_H */
