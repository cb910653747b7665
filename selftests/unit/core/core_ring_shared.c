// SPDX-License-Identifier: GPL-2.0-only
/*
 * core_ring_shared.c - one buffer for all CPUs (ETW_SHARED): threads that write to one
 * buffer, a consumer, and a flush
 *
 * core_tsan.sh also runs it under the thread sanitizer: only the ring's own barriers
 * order the writers' stores before the consumer's loads.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "core/record.h"
#include "core/ring.h"
#include "lib/tap.h"

#define WRITERS		4
#define BUFFERS		12
#define SIZE		2048
#define CELLS		16

#ifdef __SANITIZE_THREAD__
#define WRITES		100000
#else
#define WRITES		1000000
#endif

static struct etw_ring ring;
static struct etw_ring_cpu place;
static struct etw_buf bufs[BUFFERS + 1];
static struct etw_buf *table[BUFFERS + 1];
static struct etw_pool_node node;
static etw_word cells[CELLS];
static struct etw_fifo fifo;
static u64 ticks;
static int changing, running = WRITERS;
static bool refused;
static u32 lost[WRITERS], spurious;

/* of the consumer */
static u32 next[WRITERS], records, buffers_read;
static u64 last;
static const char *fault;

static void deliver(struct etw_ring *r, struct etw_buf *buf)
{
	(void)r;
	/* There are more cells than buffers: the queue is never full. */
	if (!etw_fifo_push(&fifo, buf->index))
		__atomic_store_n(&refused, true, __ATOMIC_RELAXED);
}

static u32 evict(struct etw_ring *r, const struct etw_ring_asker *asker)
{
	(void)asker;
	(void)r;
	return 0;
}

static void prepare(struct etw_ring *r, struct etw_buf *buf)
{
	(void)r;
	memset(buf->data, 0, ETW_BUFFER_HEADER_SIZE);
}

static void installed(struct etw_ring *r)
{
	(void)r;
}

static u64 test_now(struct etw_ring *r)
{
	(void)r;
	return __atomic_add_fetch(&ticks, 1, __ATOMIC_SEQ_CST);
}

static const struct etw_ring_ops ops = {
	.deliver = deliver, .evict = evict, .prepare = prepare, .installed = installed,
	.now = test_now,
};

/* Like change_buffer() of the module. */
static int change_buffer(u64 cur)
{
	int err, others;

	__atomic_add_fetch(&changing, 1, __ATOMIC_SEQ_CST);
	err = etw_ring_switch(ETW_SHARED, &ring, &place, cur, NULL);
	others = __atomic_sub_fetch(&changing, 1, __ATOMIC_SEQ_CST);
	if (!err || (!others && etw_word_read(&place.cur) == cur))
		return err;
	__atomic_add_fetch(&spurious, 1, __ATOMIC_RELAXED);
	return 0;
}

/* 0 or -ENOBUFS. */
static int write_one(u32 writer, u32 number)
{
	const struct etw_event_descriptor desc = { .id = writer };
	u32 payload[8] = { number, number ^ ~0u, writer, number, number, number, number, number };
	const struct etw_data_descriptor data = {
		.ptr = (unsigned long)payload, .size = 8 + number % 25,
	};
	static const struct etw_guid provider;
	struct etw_record_source source = {
		.provider = &provider, .desc = &desc, .data = &data, .count = 1,
		.type = ETW_TYPE_EVENT64,
	};
	struct etw_buf *buf;
	u64 cur, now;
	u32 len;
	u8 *at;

	etw_record_measure(&source);
	len = etw_record_slot(source.size);
	for (;;) {
		cur = etw_word_read(&place.cur);
		now = __atomic_add_fetch(&ticks, 1, __ATOMIC_SEQ_CST);
		if (!etw_ring_room(ring.size, cur, len)) {
			if (change_buffer(cur))
				return -ENOBUFS;
			continue;
		}
		at = etw_ring_reserve(ETW_SHARED, &ring, &place, cur, len, &buf);
		if (at)
			break;
	}
	etw_record_write(at, &source, now);
	etw_ring_commit(ETW_SHARED, &ring, buf, len);
	return 0;
}

static void *writer(void *arg)
{
	u32 id = (unsigned long)arg, i;

	for (i = 0; i < WRITES; i++) {
		if (write_one(id, i))
			lost[id]++;
		/* Let the consumer keep up with the writers, or few records are read. */
		while (!etw_pool_free(&ring.pool) && i % 3)
			sched_yield();
	}
	__atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void check_record(const struct etw_record_view *view)
{
	u32 id = view->header->desc.id, number, inverse;

	if (id >= WRITERS || view->data_len < 8) {
		fault = "a record without a writer";
		return;
	}
	memcpy(&number, view->data, 4);
	memcpy(&inverse, (const u8 *)view->data + 4, 4);
	if (number != ~inverse || view->data_len != 8 + number % 25)
		fault = "a torn record";
	if (number < next[id])
		fault = "a writer's records out of order, or twice";
	if ((u64)view->header->timestamp <= last)
		fault = "time runs backwards";
	next[id] = number + 1;
	last = view->header->timestamp;
	records++;
}

static void read_buffer(struct etw_buf *buf)
{
	u32 offset = ETW_BUFFER_HEADER_SIZE, n = 0;
	struct etw_record_view view;
	int got;

	while ((got = etw_record_next(buf->data, buf->used, &offset, &view)) == 1) {
		check_record(&view);
		n++;
	}
	if (got || n != ETW_COMMIT_COUNT(etw_word_read(&buf->commit)))
		fault = "a buffer with other records than were committed";
	/* A slot that is committed but not written must be detected. */
	memset(buf->data, 0xEE, SIZE);
	buffers_read++;
	etw_pool_push(&ring.pool, buf->index);
}

/* Buffers complete in any order: read them in the order of installation. */
static void *consumer(void *arg)
{
	struct etw_buf *waiting[32] = { NULL };
	u16 turn = 1;
	bool over;
	u32 index;

	(void)arg;
	for (;;) {
		over = !__atomic_load_n(&running, __ATOMIC_SEQ_CST);
		/* The flush: sometimes close the current buffer. */
		if (over || buffers_read % 64 == 5)
			etw_ring_close(ETW_SHARED, &ring, &place, etw_word_read(&place.cur));
		index = etw_fifo_pop(&fifo);
		if (index)
			waiting[bufs[index].generation % 32] = &bufs[index];
		else if (over)
			return NULL;
		else
			sched_yield();
		while (waiting[turn % 32]) {
			read_buffer(waiting[turn % 32]);
			waiting[turn % 32] = NULL;
			turn++;
		}
	}
}

static void set_up(void)
{
	u32 i;

	ring.size = SIZE;
	ring.ops = &ops;
	ring.pool.table = table;
	ring.pool.nodes = &node;
	ring.pool.node_count = 1;
	etw_ring_cpu_init(&place, 0, 0);
	etw_fifo_init(&fifo, cells, CELLS);
	for (i = 1; i <= BUFFERS; i++) {
		bufs[i].index = i;
		bufs[i].data = aligned_alloc(8, SIZE);
		memset(bufs[i].data, 0xEE, SIZE);
		table[i] = &bufs[i];
		etw_pool_push(&ring.pool, i);
	}
}

int main(void)
{
	pthread_t threads[WRITERS], reader;
	u32 all_lost = 0, i;
	unsigned long n;

	set_up();
	pthread_create(&reader, NULL, consumer, NULL);
	for (n = 0; n < WRITERS; n++)
		pthread_create(&threads[n], NULL, writer, (void *)n);
	for (n = 0; n < WRITERS; n++)
		pthread_join(threads[n], NULL);
	pthread_join(reader, NULL);
	for (i = 0; i < WRITERS; i++)
		all_lost += lost[i];
	ok(!fault, "every record once, whole, in the order of its time: %s",
	   fault ? fault : "yes");
	is(records + all_lost, WRITERS * WRITES, "written = read + lost");
	ok(records > WRITES / 4, "%u read, %u lost, %u buffers, %u times another CPU had the last",
	   records, all_lost, buffers_read, spurious);
	is(etw_pool_free(&ring.pool), BUFFERS, "every buffer is free again");
	for (i = 1; i <= BUFFERS; i++)
		free(bufs[i].data);
	return done_testing();
}
