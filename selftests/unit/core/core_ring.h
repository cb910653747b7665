/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * core_ring.h - a ring with one CPU's state, its writers and its consumer, for tests
 *
 * Every part of a record can be checked: the writer (source), the writer's record number,
 * and a payload derived from both.  Memory that no record was committed to holds
 * RING_POISON.
 */
#ifndef ETW_CORE_RING_TEST_H
#define ETW_CORE_RING_TEST_H

#include <stdlib.h>

#include "core/record.h"
#include "core/ring.h"

#define RING_BUFFERS	16	/* at most */
#define RING_SOURCES	3
#define RING_RECORDS	0x200000	/* of one source, at most */
#define RING_POISON	0xEE
#define RING_PAYLOAD	8	/* bytes at least: source, number */

/* What became of a record */
enum { RING_NOTHING, RING_READ, RING_LOST };

struct test_ring {
	struct etw_ring ring;
	struct etw_ring_cpu rc;
	struct etw_buf bufs[RING_BUFFERS + 1];
	struct etw_buf *table[RING_BUFFERS + 1];
	struct etw_pool_node node;
	u32 buffers;

	/* writers */
	void (*edge)(void);		/* called before and after a write's ring operations */
	u64 clock;			/* the last time returned */
	u32 written[RING_SOURCES];	/* next number */
	u8 *fate[RING_SOURCES];		/* RING_*, by number */
	u32 installed;

	/* consumer */
	u16 generation;			/* of the buffer read last */
	u64 last;			/* timestamp of the record read last */
	u32 read;
	u32 buffers_read;
	const char *fault;		/* the first error */
};

/* Set up count buffers of size bytes; zero the struct between tests. */
static inline void test_ring_init(struct test_ring *t, const struct etw_ring_ops *ops,
				  u32 count, u32 size, u32 records)
{
	u32 i;

	memset(t, 0, sizeof(*t));
	t->ring.size = size;
	t->ring.ops = ops;
	t->ring.pool.table = t->table;
	t->ring.pool.nodes = &t->node;
	t->ring.pool.node_count = 1;
	t->buffers = count;
	etw_ring_cpu_init(&t->rc, 7, 0);
	for (i = 1; i <= count; i++) {
		t->bufs[i].index = i;
		t->bufs[i].data = aligned_alloc(8, size);
		memset(t->bufs[i].data, RING_POISON, size);
		t->table[i] = &t->bufs[i];
	}
	/* The lowest index on top */
	for (i = count; i >= 1; i--)
		etw_pool_push(&t->ring.pool, i);
	for (i = 0; i < RING_SOURCES; i++)
		t->fate[i] = calloc(1, records);
}

static inline void test_ring_free(struct test_ring *t)
{
	u32 i;

	for (i = 1; i <= t->buffers; i++)
		free(t->bufs[i].data);
	for (i = 0; i < RING_SOURCES; i++)
		free(t->fate[i]);
}

static inline u8 test_ring_byte(u32 source, u32 number, u32 at)
{
	return number * 31 + source * 7 + at;
}

/* Each time is later than all before, even in nested interrupts. */
static __always_inline u64 test_ring_now(struct test_ring *t)
{
	return __atomic_add_fetch(&t->clock, 1, __ATOMIC_RELAXED);
}

static __always_inline void test_ring_edge(struct test_ring *t)
{
	if (t->edge)
		t->edge();
}

/* A test that single-steps keeps the sanitizers' instructions out of the write. */
#ifndef TEST_RING_PLAIN
#define TEST_RING_PLAIN
#endif

TEST_RING_PLAIN
static inline u64 test_now(struct etw_ring *ring)
{
	return test_ring_now((struct test_ring *)((u8 *)ring - offsetof(struct test_ring, ring)));
}

/* The write path, as in the module. 0 or -ENOBUFS. */
TEST_RING_PLAIN
static inline int test_ring_write(struct test_ring *t, u32 source, u32 len)
{
	u8 payload[256];
	const struct etw_data_descriptor data = {
		.ptr = (unsigned long)payload, .size = len,
	};
	static const struct etw_guid provider;
	const struct etw_event_descriptor desc = { .id = source };
	struct etw_record_source record = {
		.provider = &provider, .desc = &desc, .data = &data, .count = 1,
		.type = ETW_TYPE_EVENT64,
	};
	u32 number = t->written[source]++, slot_len, i;
	struct etw_buf *buf;
	u64 cur, now;
	int err = 0;
	u8 *slot;

	memcpy(payload, &source, 4);
	memcpy(payload + 4, &number, 4);
	for (i = RING_PAYLOAD; i < len; i++)
		payload[i] = test_ring_byte(source, number, i);
	etw_record_measure(&record);
	slot_len = etw_record_slot(record.size);

	test_ring_edge(t);
	for (;;) {
		cur = etw_word_read(&t->rc.cur);
		if (!etw_ring_room(t->ring.size, cur, slot_len)) {
			if (!etw_ring_switch(ETW_LOCAL, &t->ring, &t->rc, cur, NULL))
				continue;
			t->fate[source][number] = RING_LOST;
			err = -ENOBUFS;
			break;
		}
		now = test_ring_now(t);
		slot = etw_ring_reserve(ETW_LOCAL, &t->ring, &t->rc, cur, slot_len, &buf);
		if (slot) {
			test_ring_edge(t);
			etw_record_write(slot, &record, now);
			test_ring_edge(t);
			etw_ring_commit(ETW_LOCAL, &t->ring, buf, slot_len);
			break;
		}
	}
	test_ring_edge(t);
	return err;
}

/* The flush, as it runs on the CPU itself. */
static inline void test_ring_flush(struct test_ring *t)
{
	u64 cur;

	do {
		cur = etw_word_read(&t->rc.cur);
		if (!ETW_CUR_INDEX(cur))
			return;
	} while (!etw_ring_close(ETW_LOCAL, &t->ring, &t->rc, cur));
}

static inline void test_ring_fault(struct test_ring *t, const char *fault)
{
	if (!t->fault)
		t->fault = fault;
}

static inline void test_ring_read_record(struct test_ring *t,
					 const struct etw_record_view *view)
{
	const u8 *data = view->data;
	u32 source, number, i;

	memcpy(&source, data, 4);
	memcpy(&number, data + 4, 4);
	if (view->data_len < RING_PAYLOAD || source >= RING_SOURCES ||
	    view->header->desc.id != source ||
	    number >= __atomic_load_n(&t->written[source], __ATOMIC_RELAXED)) {
		test_ring_fault(t, "a record without a writer");
		return;
	}
	for (i = RING_PAYLOAD; i < view->data_len; i++)
		if (data[i] != test_ring_byte(source, number, i))
			test_ring_fault(t, "a torn record");
	if (t->fate[source][number] != RING_NOTHING)
		test_ring_fault(t, "a record read twice, or read and lost");
	t->fate[source][number] = RING_READ;
	if ((u64)view->header->timestamp <= t->last)
		test_ring_fault(t, "time went backwards");
	t->last = view->header->timestamp;
	t->read++;
}

/* Read a delivered buffer in order, and return it to the pool. */
static inline void test_ring_read(struct test_ring *t, struct etw_buf *buf)
{
	u64 commit = etw_word_read(&buf->commit);
	u32 offset = ETW_BUFFER_HEADER_SIZE, count = 0, i;
	struct etw_record_view view;
	int got;

	if (buf->generation != (u16)(t->generation + 1))
		test_ring_fault(t, "a generation is missing");
	t->generation = buf->generation;
	if (!ETW_COMMIT_DONE(commit))
		test_ring_fault(t, "delivered though not complete");
	if (buf->cpu != t->rc.id)
		test_ring_fault(t, "another CPU's buffer");
	while ((got = etw_record_next(buf->data, buf->used, &offset, &view)) == 1) {
		test_ring_read_record(t, &view);
		count++;
	}
	if (buf->closed <= t->last)
		test_ring_fault(t, "closed before its last record");
	t->last = buf->closed;
	if (got || offset != buf->used)
		test_ring_fault(t, "a slot that was not filled");
	if (count != ETW_COMMIT_COUNT(commit))
		test_ring_fault(t, "the count of records is wrong");
	for (i = buf->used; i < t->ring.size; i++)
		if (buf->data[i] != RING_POISON)
			test_ring_fault(t, "written beyond the end");
	memset(buf->data + ETW_BUFFER_HEADER_SIZE, RING_POISON,
	       t->ring.size - ETW_BUFFER_HEADER_SIZE);
	t->buffers_read++;
	etw_pool_push(&t->ring.pool, buf->index);
}

/* After all buffers were read: each record was read or lost, all buffers are free. */
static inline const char *test_ring_settle(struct test_ring *t)
{
	u8 seen[RING_BUFFERS + 1] = { 0 };
	u32 i, n, index;

	for (i = 0; i < RING_SOURCES; i++)
		for (n = 0; n < t->written[i]; n++)
			if (t->fate[i][n] == RING_NOTHING)
				test_ring_fault(t, "a record is missing");
	if (etw_pool_free(&t->ring.pool) != t->buffers)
		test_ring_fault(t, "the number of free buffers is wrong");
	for (i = 0; i < t->buffers; i++) {
		index = etw_pool_pop(&t->ring.pool);
		if (!index || index > t->buffers || seen[index]++)
			test_ring_fault(t, "a buffer is missing or free twice");
	}
	if (etw_pool_pop(&t->ring.pool))
		test_ring_fault(t, "one buffer too many");
	if (t->generation != ETW_CUR_GENERATION(etw_word_read(&t->rc.cur)) ||
	    t->buffers_read != t->installed)
		test_ring_fault(t, "a buffer was not delivered");
	return t->fault;
}

#endif /* ETW_CORE_RING_TEST_H */
