// SPDX-License-Identifier: GPL-2.0-only
/*
 * core_ring.c - reserve, commit, close and switch, step by step
 *
 * One thread; interrupts are calls from the ring's own callbacks, or actions of the test
 * between two steps.  See core_ring_step.c and core_ring_stress.c for real interrupts.
 */
#include "core_ring.h"
#include "lib/tap.h"

#define LEN	96
#define ROOM	4
#define SIZE	(ETW_BUFFER_HEADER_SIZE + ROOM * LEN)
#define BUFFERS	3

static struct test_ring test;
static u32 deliveries, evictions, evict_gives;
static struct etw_buf *last;
/* The interrupt's action in that callback, once */
static const struct etw_ring_asker *evict_asked;
static void (*in_deliver)(void), (*in_evict)(void), (*in_prepare)(void),
	(*in_installed)(void);

static void call_once(void (**hook)(void))
{
	void (*run)(void) = *hook;

	*hook = NULL;
	if (run)
		run();
}

static void deliver(struct etw_ring *ring, struct etw_buf *buf)
{
	(void)ring;
	deliveries++;
	last = buf;
	call_once(&in_deliver);
}

static u32 evict(struct etw_ring *ring, const struct etw_ring_asker *asker)
{
	evict_asked = asker;
	(void)ring;
	evictions++;
	call_once(&in_evict);
	return evict_gives;
}

static void prepare(struct etw_ring *ring, struct etw_buf *buf)
{
	(void)ring;
	(void)buf;
	call_once(&in_prepare);
}

static void installed(struct etw_ring *ring)
{
	(void)ring;
	test.installed++;
	call_once(&in_installed);
}

static const struct etw_ring_ops ops = {
	.deliver = deliver, .evict = evict, .prepare = prepare, .installed = installed,
	.now = test_now,
};

static void setup(u32 buffers)
{
	test_ring_init(&test, &ops, buffers, SIZE, 64);
	deliveries = 0;
	evictions = 0;
	evict_gives = 0;
	last = NULL;
}

static void teardown(void)
{
	test_ring_free(&test);
}

static u64 cur(void)
{
	return etw_word_read(&test.rc.cur);
}

static u8 *reserve(u64 sampled, struct etw_buf **buf)
{
	return etw_ring_reserve(ETW_LOCAL, &test.ring, &test.rc, sampled, LEN, buf);
}

static void commit(struct etw_buf *buf)
{
	etw_ring_commit(ETW_LOCAL, &test.ring, buf, LEN);
}

static int change(void)
{
	return etw_ring_switch(ETW_LOCAL, &test.ring, &test.rc, cur(), NULL);
}

static bool shut(void)
{
	return etw_ring_close(ETW_LOCAL, &test.ring, &test.rc, cur());
}

static void put(u32 count)
{
	struct etw_buf *buf;

	while (count--) {
		reserve(cur(), &buf);
		commit(buf);
	}
}

static void test_words(void)
{
	u64 word = ETW_CUR(0xFFFE, 0xFFFD, 0xFFFFFFF8);

	ok(ETW_CUR_GENERATION(word) == 0xFFFE && ETW_CUR_INDEX(word) == 0xFFFD &&
	   ETW_CUR_OFFSET(word) == 0xFFFFFFF8, "cur holds generation, index and offset");
	is(ETW_CUR_GENERATION(ETW_CUR(0x10000, 0, 0)), 0, "a generation has 16 bits");
	is(ETW_CUR_INDEX(ETW_CUR(0, 0x10000, 0)), 0, "and so has an index");
	word = ETW_CUR_NONE(5);
	ok(ETW_CUR_GENERATION(word) == 5 && ETW_CUR_INDEX(word) == 0,
	   "NONE keeps the generation");

	setup(1);
	test.ring.size = 16 << 20;
	ok(!etw_ring_room(test.ring.size, word, 8) && !etw_ring_room(test.ring.size, word, 65536),
	   "NONE has no room even in the largest buffers");
	ok(etw_ring_fits(&test.ring, (16 << 20) - 72) &&
	   !etw_ring_fits(&test.ring, (16 << 20) - 71), "the largest record that fits a buffer");
	test.ring.size = 4096;
	ok(etw_ring_fits(&test.ring, 4024) && !etw_ring_fits(&test.ring, 4032) &&
	   !etw_ring_fits(&test.ring, 65536), "and a small one");
	teardown();
}

static void test_fill(void)
{
	struct etw_buf *buf, *first;
	u64 sampled;
	u8 *slot;
	u32 i;

	setup(BUFFERS);
	ok(!etw_ring_room(test.ring.size, cur(), LEN) && !shut(),
	   "no buffer at first, and none to close");
	is(change(), 0, "the first is installed");
	ok(cur() == ETW_CUR(1, 1, 72) && test.installed == 1 && deliveries == 0,
	   "generation 1, the pool's first, after the header");
	is(etw_pool_free(&test.ring.pool), BUFFERS - 1, "it came from the pool");
	first = &test.bufs[1];
	ok(first->generation == 1 && first->cpu == 7 && etw_word_read(&first->commit) == 72,
	   "its control block is ready");

	for (i = 0; i < ROOM; i++) {
		sampled = cur();
		ok(etw_ring_room(test.ring.size, sampled, LEN), "room for record %u", i + 1);
		slot = reserve(sampled, &buf);
		ok(buf == first && slot == first->data + 72 + i * LEN &&
		   cur() == sampled + LEN, "its slot is the next one");
		ok(!reserve(sampled, &buf) && cur() == sampled + LEN,
		   "the old sample reserves nothing");
		commit(first);
	}
	ok(!etw_ring_room(test.ring.size, cur(), 8), "then the buffer is full to the byte");
	is(deliveries, 0, "and not delivered before it is closed");
	is(change(), 0, "the next buffer");
	ok(deliveries == 1 && last == first && first->used == SIZE,
	   "closes and delivers the full one");
	is(etw_word_read(&first->commit), ETW_COMMIT_BIAS + ROOM * ETW_COMMIT_RECORD,
	   "its commit word is BIAS and the count");
	is(cur(), ETW_CUR(2, 2, 72), "generation 2");
	teardown();
}

static void test_order_of_commits(void)
{
	struct etw_buf *a, *b;

	setup(BUFFERS);
	change();
	reserve(cur(), &a);
	reserve(cur(), &b);
	ok(shut(), "closed with two records under way");
	ok(!ETW_CUR_INDEX(cur()) && deliveries == 0, "nothing to deliver yet");
	commit(b);
	is(deliveries, 0, "nor after the second record's commit");
	is(change(), 0, "a new buffer meanwhile");
	put(ROOM);
	change();
	ok(deliveries == 1 && last == &test.bufs[2] && last->generation == 2,
	   "which may be delivered first");
	commit(a);
	ok(deliveries == 2 && last == a && a->generation == 1 && a->used == 72 + 2 * LEN,
	   "the last commit delivers");
	is(ETW_COMMIT_COUNT(etw_word_read(&a->commit)), 2, "two records");
	teardown();
}

static void test_close(void)
{
	u64 sampled;

	setup(BUFFERS);
	change();
	sampled = cur();
	put(1);
	ok(!etw_ring_close(ETW_LOCAL, &test.ring, &test.rc, sampled) &&
	   deliveries == 0 && ETW_CUR_OFFSET(cur()) == 72 + LEN,
	   "a stale sample closes nothing");
	sampled = cur();
	ok(shut() && deliveries == 1 && last->used == 72 + LEN,
	   "half full is closed at once");
	is(cur(), ETW_CUR_NONE(1), "NONE, with the generation kept");
	ok(!etw_ring_close(ETW_LOCAL, &test.ring, &test.rc, sampled) && !shut() &&
	   deliveries == 1, "closing twice does nothing");
	change();
	ok(shut() && deliveries == 2 && last->used == 72 &&
	   etw_word_read(&last->commit) == ETW_COMMIT_BIAS,
	   "an empty buffer is delivered with no records");

	etw_word_set(&test.rc.cur, ETW_CUR_NONE(0xFFFF));
	change();
	is(ETW_CUR_GENERATION(cur()), 0, "the generation wraps");
	is(test.bufs[ETW_CUR_INDEX(cur())].generation, 0, "in the buffer too");
	teardown();
}

/* A record that does not fit the rest of a buffer goes into the next one. */
static void test_rest(void)
{
	setup(BUFFERS);
	change();
	put(ROOM - 1);
	ok(etw_ring_room(test.ring.size, cur(), LEN) &&
	   !etw_ring_room(test.ring.size, cur(), LEN + 8), "larger than the rest");
	is(change(), 0, "the next buffer");
	ok(deliveries == 1 && last->used == 72 + (ROOM - 1) * LEN,
	   "the rest stays unused");
	ok(etw_ring_room(test.ring.size, cur(), LEN + 8), "and it fits");
	teardown();
}

static void test_dry(void)
{
	setup(2);
	change();
	put(ROOM);
	change();
	put(ROOM);
	is(change(), -ENOBUFS, "no third buffer");
	ok(deliveries == 2 && evictions == 1, "the full one was closed, eviction tried");
	is(cur(), ETW_CUR_NONE(2), "no buffer");
	is(change(), -ENOBUFS, "still none");
	is(test.installed, 2, "none installed");
	etw_pool_push(&test.ring.pool, 1);
	is(change(), 0, "one given back");
	is(cur(), ETW_CUR(3, 1, 72), "is generation 3: losses leave no gap");
	put(ROOM);
	evict_gives = 2;
	is(change(), 0, "an evicted buffer");
	is(cur(), ETW_CUR(4, 2, 72), "is used when the pool is empty");
	ok(test.bufs[2].used == 0 && etw_word_read(&test.bufs[2].commit) == 72,
	   "and starts afresh");
	teardown();
}

/* The owner learns who found no buffer, whether one was free for others or none at all. */
static void test_dry_asker(void)
{
	struct etw_ring_asker asker = { .keep = 2, .level = 3, .payer = 4 };

	setup(2);
	is(etw_ring_switch(ETW_LOCAL, &test.ring, &test.rc, cur(), &asker), -ENOBUFS,
	   "two free buffers are kept");
	ok(evictions == 1 && evict_asked == &asker, "for others than this one");
	asker.keep = 1;
	is(etw_ring_switch(ETW_LOCAL, &test.ring, &test.rc, cur(), &asker), 0, "one is kept");
	put(ROOM);
	asker.keep = 0;
	etw_pool_pop(&test.ring.pool);
	is(etw_ring_switch(ETW_LOCAL, &test.ring, &test.rc, cur(), &asker), -ENOBUFS,
	   "none is free");
	ok(evictions == 2 && evict_asked == &asker, "for this one either");
	teardown();
}

static void write_nested(void)
{
	test_ring_write(&test, 1, RING_PAYLOAD);
}

static void fill_nested(void)
{
	while (ETW_CUR_INDEX(cur()))
		etw_ring_close(ETW_LOCAL, &test.ring, &test.rc, cur());
}

static void give_back_and_write(void)
{
	etw_pool_push(&test.ring.pool, 1);
	write_nested();
}

/* Interrupts inside the switch */
static void test_nested_switch(void)
{
	setup(BUFFERS);
	in_prepare = write_nested;
	is(change(), 0, "an interrupt installs while we prepare");
	is(cur(), ETW_CUR(1, 2, 72 + 88), "its buffer stays, with its record");
	is(etw_pool_free(&test.ring.pool), BUFFERS - 1, "our buffer was returned");
	is(test.installed, 1, "one buffer installed");
	is(etw_pool_pop(&test.ring.pool), 1, "it was our buffer");
	teardown();

	setup(BUFFERS);
	change();
	put(ROOM);
	in_deliver = write_nested;
	is(change(), 0, "an interrupt installs while we deliver");
	is(cur(), ETW_CUR(2, 2, 72 + 88), "its buffer is used");
	is(etw_pool_free(&test.ring.pool), BUFFERS - 2, "and no other buffer was taken");
	teardown();

	setup(BUFFERS);
	in_installed = fill_nested;
	is(change(), 0, "an interrupt closes the buffer just installed");
	is(cur(), ETW_CUR_NONE(1), "then there is none; the caller tries again");
	is(change(), 0, "again");
	is(cur(), ETW_CUR(2, 2, 72), "generation 2");
	teardown();

	setup(1);
	change();
	put(ROOM);
	in_evict = give_back_and_write;
	is(change(), 0, "no buffer, but an interrupt finds one: try again");
	is(cur(), ETW_CUR(2, 1, 72 + 88), "room in its buffer");
	teardown();
}

/* The same buffer at the same offset again, with another writer's records in it */
static void test_look_alike(void)
{
	struct etw_buf *buf;
	u64 sampled;

	setup(BUFFERS);
	change();
	put(2);
	sampled = cur();
	shut();
	etw_pool_push(&test.ring.pool, last->index);
	change();
	put(2);
	ok(ETW_CUR_INDEX(sampled) == ETW_CUR_INDEX(cur()) &&
	   ETW_CUR_OFFSET(sampled) == ETW_CUR_OFFSET(cur()),
	   "index and offset are as they were");
	ok(!reserve(sampled, &buf), "but the old sample reserves nothing");
	ok(!etw_ring_close(ETW_LOCAL, &test.ring, &test.rc, sampled),
	   "and closes nothing");
	teardown();
}

/* The whole path with checked records, using the harness of the other tests */
static void read_last(void)
{
	test_ring_read(&test, last);
}

static void test_whole(void)
{
	const char *fault;
	u32 i;

	setup(BUFFERS);
	for (i = 0; i < 60; i++) {
		u32 before = deliveries;

		test_ring_write(&test, i % 3, RING_PAYLOAD + i % 40);
		if (deliveries != before)
			read_last();
	}
	shut();
	read_last();
	fault = test_ring_settle(&test);
	ok(!fault, "sixty records there and back: %s", fault ? fault : "all right");
	is(test.read, 60, "sixty");
	teardown();
}

int main(void)
{
	test_words();
	test_fill();
	test_order_of_commits();
	test_close();
	test_rest();
	test_dry();
	test_dry_asker();
	test_nested_switch();
	test_look_alike();
	test_whole();
	return done_testing();
}
