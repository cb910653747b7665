// SPDX-License-Identifier: GPL-2.0-only
/*
 * core_pool.c - the pool of free buffers and the queue of full ones
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "core/pool.h"
#include "lib/tap.h"

#define BUFFERS		8
#define NODES		2
#define THREADS		4
#define ROUNDS		60000

static struct etw_buf bufs[BUFFERS + 1];
static struct etw_buf *table[BUFFERS + 1];
static struct etw_pool_node nodes[NODES];
static struct etw_pool pool;

static void pool_setup(u32 count)
{
	u32 i;

	memset(&pool, 0, sizeof(pool));
	memset(bufs, 0, sizeof(bufs));
	memset(nodes, 0, sizeof(nodes));
	pool.table = table;
	pool.nodes = nodes;
	pool.node_count = NODES;
	for (i = 1; i <= BUFFERS; i++) {
		bufs[i].index = i;
		table[i] = &bufs[i];
	}
	for (i = 1; i <= count; i++)
		etw_pool_push(&pool, i);
}

static void test_pool(void)
{
	u64 head;
	u32 left;

	pool_setup(0);
	is(etw_pool_pop(&pool), 0, "an empty pool gives nothing");
	is(etw_pool_free(&pool), 0, "and has nothing");
	pool_setup(3);
	is(etw_pool_free(&pool), 3, "three free");
	is(etw_pool_pop(&pool), 3, "last in");
	is(etw_pool_pop(&pool), 2, "first out");
	is(etw_pool_free(&pool), 1, "one left");
	etw_pool_push(&pool, 3);
	is(etw_pool_pop(&pool), 3, "given back, taken again");
	is(etw_pool_pop(&pool), 1, "the first one is the last");
	is(etw_pool_pop(&pool), 0, "empty again");

	/* An interrupted pop sees the same top and count again, with another buffer below. */
	pool_setup(2);
	head = etw_word_read(&nodes[0].head);
	etw_pool_pop(&pool);
	etw_pool_pop(&pool);
	etw_pool_push(&pool, 3);
	etw_pool_push(&pool, 2);
	ok(ETW_POOL_INDEX(head) == ETW_POOL_INDEX(etw_word_read(&nodes[0].head)) &&
	   ETW_POOL_FREE(head) == ETW_POOL_FREE(etw_word_read(&nodes[0].head)) &&
	   head != etw_word_read(&nodes[0].head), "the same top has another tag");

	pool_setup(0);
	etw_word_set(&nodes[0].head, 0xFFFFFFFFULL << 32);
	etw_pool_push(&pool, 5);
	is(etw_word_read(&nodes[0].head), ETW_POOL_HEAD(0, 1, 5),
	   "the tag wraps and leaves the rest alone");
	is(etw_pool_pop(&pool), 5, "and the pool still works");

	pool_setup(4);
	is(etw_pool_pop_above(&pool, 0, 4, &left), 0, "all are kept for others");
	is(etw_pool_pop_above(&pool, 0, 2, &left), 4, "two are kept");
	is(left, 3, "three are left");
	is(etw_pool_pop_above(&pool, 0, 2, &left), 3, "the last one of the others");
	is(etw_pool_pop_above(&pool, 0, 2, &left), 0, "no more than that");
	is(etw_pool_pop(&pool), 2, "but for one who keeps none");
}

/* Buffers 1 to 4 are on node 0, the others on node 1. */
static void test_nodes(void)
{
	u32 left, i;

	pool_setup(0);
	for (i = 1; i <= BUFFERS; i++) {
		bufs[i].node = i > 4;
		etw_pool_push(&pool, i);
	}
	is(etw_pool_free_on(&pool, 1), 4, "a buffer is free on its node");
	is(etw_pool_pop_above(&pool, 1, 0, &left), 8, "a CPU takes one of its node");
	is(left, 7, "those of all nodes are left");
	for (i = 0; i < 3; i++)
		etw_pool_pop_above(&pool, 1, 0, &left);
	is(etw_pool_pop_above(&pool, 1, 0, &left), 4, "one of another node if its own has none");
	is(etw_pool_pop_above(&pool, 1, 3, &left), 0, "what is kept is kept on all nodes together");
	etw_pool_push(&pool, 4);
	is(etw_pool_free_on(&pool, 0), 4, "it goes back to its node");
	is(etw_pool_free_on(&pool, 1), 0, "and not to that of the CPU");
}

static u8 held[BUFFERS + 1];
static u32 doubles, empties;

/* Take a few buffers, check that no other thread has them, return them. */
static void *pool_user(void *arg)
{
	u32 mine[6], count, i, round, want, left;
	u32 node = (unsigned long)arg % NODES;
	unsigned int state = (unsigned long)arg + 1;

	for (round = 0; round < ROUNDS; round++) {
		want = 1 + rand_r(&state) % 6;
		for (count = 0; count < want; count++) {
			mine[count] = etw_pool_pop_above(&pool, node, 0, &left);
			if (!mine[count]) {
				__atomic_add_fetch(&empties, 1, __ATOMIC_RELAXED);
				break;
			}
			if (__atomic_exchange_n(&held[mine[count]], 1, __ATOMIC_RELAXED))
				__atomic_add_fetch(&doubles, 1, __ATOMIC_RELAXED);
			/* Plain accesses: the pool must order them (A of ring.h). */
			bufs[mine[count]].used++;
		}
		if (round % 16 == 0)
			sched_yield();
		for (i = 0; i < count; i++) {
			bufs[mine[i]].used--;
			__atomic_store_n(&held[mine[i]], 0, __ATOMIC_RELAXED);
			etw_pool_push(&pool, mine[i]);
		}
	}
	return NULL;
}

static void test_pool_threads(void)
{
	u8 found[BUFFERS + 1] = { 0 };
	pthread_t threads[THREADS];
	u32 i, index, count = 0, wrong = 0;

	pool_setup(0);
	for (i = 1; i <= BUFFERS; i++) {
		bufs[i].node = i % NODES;
		etw_pool_push(&pool, i);
	}
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, pool_user, (void *)(unsigned long)i);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	is(etw_pool_free(&pool), BUFFERS, "all were counted back in");
	while (count <= BUFFERS && (index = etw_pool_pop(&pool))) {
		wrong += found[index]++ || bufs[index].used;
		count++;
	}
	is(doubles, 0, "no buffer was in two hands");
	is(count, BUFFERS, "every buffer is in the pool");
	is(wrong, 0, "once, with its last user's data");
	printf("# the pool was empty %u times\n", empties);
}

#define CELLS	8

static etw_word cells[CELLS];
static struct etw_fifo fifo;

static void test_fifo(void)
{
	u32 i, wrong = 0;

	etw_fifo_init(&fifo, cells, CELLS);
	is(etw_fifo_pop(&fifo), 0, "an empty queue gives nothing");
	for (i = 1; i <= CELLS; i++)
		wrong += !etw_fifo_push(&fifo, i);
	is(wrong, 0, "as many as it has cells");
	ok(!etw_fifo_push(&fifo, 99), "and no more");
	for (i = 1; i <= CELLS; i++)
		wrong += etw_fifo_pop(&fifo) != i;
	is(wrong, 0, "first in, first out");
	is(etw_fifo_pop(&fifo), 0, "empty again");

	for (i = 1; i < 1000; i++) {
		wrong += !etw_fifo_push(&fifo, i) || !etw_fifo_push(&fifo, i + 1);
		wrong += etw_fifo_pop(&fifo) != i || etw_fifo_pop(&fifo) != i + 1;
	}
	is(wrong, 0, "round and round");

	etw_fifo_init(&fifo, cells, 2);
	ok(etw_fifo_push(&fifo, 7) && etw_fifo_push(&fifo, 8) &&
	   !etw_fifo_push(&fifo, 9) && etw_fifo_pop(&fifo) == 7 &&
	   etw_fifo_push(&fifo, 9) && etw_fifo_pop(&fifo) == 8 &&
	   etw_fifo_pop(&fifo) == 9 && etw_fifo_pop(&fifo) == 0,
	   "a queue of two cells");
}

/* A push that was interrupted before it moved tail keeps nobody from going on. */
static void test_fifo_interrupted(void)
{
	u64 at;
	u32 i;

	etw_fifo_init(&fifo, cells, CELLS);
	etw_fifo_push(&fifo, 1);
	at = etw_word_read(&fifo.tail);
	etw_fifo_push(&fifo, 2);
	etw_word_set(&fifo.tail, at);
	ok(etw_fifo_push(&fifo, 3), "another push goes past it");
	is(etw_word_read(&fifo.tail), at + 2, "and moves tail for both");
	etw_word_set(&fifo.tail, at + 1);
	ok(etw_fifo_pop(&fifo) == 1 && etw_fifo_pop(&fifo) == 2 && etw_fifo_pop(&fifo) == 3,
	   "pops find all of them, the last one beyond tail");
	ok(etw_fifo_empty(&fifo) && !etw_fifo_pop(&fifo), "then the queue is empty");
	for (i = 1; i <= CELLS; i++)
		ok(etw_fifo_push(&fifo, i), "push %u of a whole round", i);
	etw_word_set(&fifo.tail, etw_word_read(&fifo.tail) - 1);
	ok(!etw_fifo_push(&fifo, 9), "a full queue takes no more, wherever tail is");
	is(etw_fifo_pop(&fifo), 1, "and gives its oldest entry");
}

/* Positions whose low halves wrap */
static void test_fifo_wrapped(void)
{
	u64 start = (1ULL << 32) - 3;
	u32 i, wrong = 0;

	etw_fifo_init(&fifo, cells, CELLS);
	for (i = 0; i < CELLS; i++)
		etw_word_set(&cells[(start + i) & fifo.mask], (u64)(u32)(start + i - CELLS) << 32);
	etw_word_set(&fifo.head, start);
	etw_word_set(&fifo.tail, start);
	ok(etw_fifo_empty(&fifo), "a queue after 2^32 - 3 pushes is empty");
	for (i = 1; i <= 3 * CELLS; i++)
		wrong += !etw_fifo_push(&fifo, i) || etw_fifo_empty(&fifo) ||
			 etw_fifo_pop(&fifo) != i;
	is(wrong, 0, "and goes on");
}

#define ENTRY(producer, i)	((u32)(producer) << 24 | ((i) + 1))

struct taker {
	pthread_t thread;
	u32 last[THREADS];	/* of each producer */
	u32 misordered;
};

/*
 * The data of an entry: plain memory, like a buffer's, which only the queue's barriers
 * make safe to read.  The thread sanitizer watches it.
 */
static u32 content[THREADS][ROUNDS];
static u8 taken[THREADS][ROUNDS];
static u32 taken_count, fulls, to_take;

static void *fifo_producer(void *arg)
{
	u32 i, producer = (unsigned long)arg;

	for (i = 0; i < ROUNDS; i++) {
		content[producer][i] = ENTRY(producer, i);
		while (!etw_fifo_push(&fifo, ENTRY(producer, i))) {
			__atomic_add_fetch(&fulls, 1, __ATOMIC_RELAXED);
			sched_yield();
		}
	}
	return NULL;
}

static void *fifo_taker(void *arg)
{
	struct taker *taker = arg;
	u32 entry, producer, i;

	while (__atomic_load_n(&taken_count, __ATOMIC_RELAXED) < to_take) {
		entry = etw_fifo_pop(&fifo);
		if (!entry) {
			sched_yield();
			continue;
		}
		producer = entry >> 24;
		i = (entry & 0xFFFFFF) - 1;
		__atomic_add_fetch(&taken_count, 1, __ATOMIC_RELAXED);
		if (producer >= THREADS || i >= ROUNDS) {
			taker->misordered++;
			continue;
		}
		__atomic_add_fetch(&taken[producer][i], 1, __ATOMIC_RELAXED);
		if (i + 1 <= taker->last[producer] || content[producer][i] != entry)
			taker->misordered++;
		content[producer][i] = 0;
		taker->last[producer] = i + 1;
	}
	return NULL;
}

static void test_fifo_threads(u32 producers, u32 takers)
{
	pthread_t threads[THREADS];
	struct taker taker[THREADS];
	u32 i, p, wrong = 0, misordered = 0;

	memset(content, 0, sizeof(content));
	memset(taken, 0, sizeof(taken));
	memset(taker, 0, sizeof(taker));
	taken_count = 0;
	fulls = 0;
	to_take = producers * ROUNDS;
	etw_fifo_init(&fifo, cells, CELLS);
	for (i = 0; i < takers; i++)
		pthread_create(&taker[i].thread, NULL, fifo_taker, &taker[i]);
	for (i = 0; i < producers; i++)
		pthread_create(&threads[i], NULL, fifo_producer, (void *)(unsigned long)i);
	for (i = 0; i < producers; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < takers; i++) {
		pthread_join(taker[i].thread, NULL);
		misordered += taker[i].misordered;
	}
	for (p = 0; p < producers; p++)
		for (i = 0; i < ROUNDS; i++)
			wrong += taken[p][i] != 1;
	ok(!wrong, "%u to %u threads: each entry exactly once", producers, takers);
	ok(!misordered, "%u to %u threads: in each producer's order, and whole", producers, takers);
	is(etw_fifo_pop(&fifo), 0, "nothing left");
	printf("# the queue was full %u times\n", fulls);
}

int main(void)
{
	test_pool();
	test_nodes();
	test_fifo();
	test_fifo_interrupted();
	test_fifo_wrapped();
	test_pool_threads();
	test_fifo_threads(3, 1);
	test_fifo_threads(2, 2);
	test_fifo_threads(1, 3);
	return done_testing();
}
