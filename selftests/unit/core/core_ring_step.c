// SPDX-License-Identifier: GPL-2.0-only
/*
 * core_ring_step.c - a write, interrupted before each of its instructions
 *
 * The processor's single-step flag raises a signal after every instruction of one write.
 * At the chosen instruction the handler does what an interrupt may do to the ring: write,
 * flush, and, because another CPU may do so during a long interrupt, read delivered
 * buffers and return them.  The test repeats this with the next instruction, until the
 * write ends before the chosen one.
 */
#define _GNU_SOURCE	/* registers in ucontext.h */
#include <signal.h>
#include <ucontext.h>

/*
 * Most single steps would be in the sanitizers' instructions, so the ring is compiled
 * here without them, under other names.
 */
#define TEST_RING_PLAIN	__attribute__((__no_sanitize__("address", "undefined")))
#define etw_pool_push	plain_pool_push
#define etw_pool_pop	plain_pool_pop
#define etw_pool_pop_above	plain_pool_pop_above
#define etw_ring_close	plain_ring_close
#define etw_ring_switch	plain_ring_switch
#define etw_fifo_init	plain_fifo_init
#define etw_fifo_empty	plain_fifo_empty
#define etw_fifo_push	plain_fifo_push
#define etw_fifo_pop	plain_fifo_pop
#include "core_ring.h"
#include "lib/tap.h"

TEST_RING_PLAIN void etw_pool_push(struct etw_pool *pool, u32 index);
TEST_RING_PLAIN u32 etw_pool_pop_above(struct etw_pool *pool, u32 node, u32 keep, u32 *left);
TEST_RING_PLAIN static u32 node_pop(struct etw_pool *pool, struct etw_pool_node *node);
TEST_RING_PLAIN bool etw_ring_close(enum etw_use use, struct etw_ring *ring,
				    struct etw_ring_cpu *rc, u64 cur);
TEST_RING_PLAIN int etw_ring_switch(enum etw_use use, struct etw_ring *ring,
				    struct etw_ring_cpu *rc, u64 cur,
				    const struct etw_ring_asker *asker);
#include "core/pool.c"
#include "core/ring.c"

#ifdef __x86_64__

#define RECORD	(ETW_EVENT_HEADER_SIZE + RING_PAYLOAD)
#define ROOM	3	/* records per buffer */
#define SIZE	(ETW_BUFFER_HEADER_SIZE + ROOM * RECORD)
#define BUFFERS	3
#define TRAP_FLAG 0x100

static struct test_ring test;
static struct etw_buf *delivered[BUFFERS + 1];	/* by index */

static void deliver(struct etw_ring *ring, struct etw_buf *buf)
{
	(void)ring;
	if (delivered[buf->index])
		test_ring_fault(&test, "a buffer delivered twice");
	delivered[buf->index] = buf;
}

static u32 evict(struct etw_ring *ring, const struct etw_ring_asker *asker)
{
	(void)asker;
	(void)ring;
	return 0;
}

static void prepare(struct etw_ring *ring, struct etw_buf *buf)
{
	(void)ring;
	if (buf->data[ETW_BUFFER_HEADER_SIZE] != RING_POISON)
		test_ring_fault(&test, "a buffer in use was prepared");
}

static void installed(struct etw_ring *ring)
{
	(void)ring;
	__atomic_add_fetch(&test.installed, 1, __ATOMIC_RELAXED);
}

static const struct etw_ring_ops ops = {
	.deliver = deliver, .evict = evict, .prepare = prepare, .installed = installed,
	.now = test_now,
};

/* Read the delivered buffers in order, and return them. */
static void consume(void)
{
	struct etw_buf *buf;
	u32 i = 1;

	while (i <= BUFFERS) {
		buf = delivered[i];
		if (!buf || buf->generation != (u16)(test.generation + 1)) {
			i++;
			continue;
		}
		delivered[i] = NULL;
		test_ring_read(&test, buf);
		i = 1;
	}
}

static void write_many(u32 source, u32 count)
{
	while (count--)
		test_ring_write(&test, source, RING_PAYLOAD);
}

/* The state of the ring at the start of the write */
static void begin_fresh(void)
{
}

static void begin_room(void)
{
	write_many(0, 1);
}

static void begin_last(void)
{
	write_many(0, ROOM - 1);
}

static void begin_full(void)
{
	write_many(0, ROOM);
}

static void begin_empty_pool(void)
{
	write_many(0, BUFFERS * ROOM);
}

static void begin_none(void)
{
	write_many(0, BUFFERS * ROOM);
	test_ring_flush(&test);
}

/* The interrupt's action */
static void act_write(void)
{
	write_many(1, 1);
}

static void act_flush(void)
{
	test_ring_flush(&test);
}

static void act_consume(void)
{
	consume();
}

static void act_fill(void)
{
	write_many(1, ROOM + 1);
}

static void act_recycle(void)
{
	test_ring_flush(&test);
	consume();
	write_many(1, 1);
}

/* Bring back the same buffer at the same offset, with later records in it. */
static void act_look_alike(void)
{
	u64 cur = etw_word_read(&test.rc.cur);

	if (!ETW_CUR_INDEX(cur) || ETW_CUR_OFFSET(cur) == ETW_BUFFER_HEADER_SIZE)
		return;
	test_ring_flush(&test);
	consume();
	write_many(1, (ETW_CUR_OFFSET(cur) - ETW_BUFFER_HEADER_SIZE) / RECORD);
}

/* The pool's top comes back, while the buffer that was below it is in use. */
static void act_use_next(void)
{
	write_many(1, 1);
	test_ring_flush(&test);
	write_many(1, 1);
	consume();
}

static const struct {
	const char *name;
	void (*run)(void);
} begins[] = {
	{ "no buffer yet", begin_fresh },
	{ "room in the buffer", begin_room },
	{ "room for one", begin_last },
	{ "the buffer full", begin_full },
	{ "buffer full, pool empty", begin_empty_pool },
	{ "no buffer, pool empty", begin_none },
}, acts[] = {
	{ "write", act_write },
	{ "flush", act_flush },
	{ "read", act_consume },
	{ "fill", act_fill },
	{ "flush, read, write", act_recycle },
	{ "make a look-alike", act_look_alike },
	{ "use the next buffer, give back the first", act_use_next },
};

/* The chosen instruction, and the number of instructions passed */
static u32 turn, passed;
static bool stepping, acted;
static void (*act)(void);

/* Breakpoints start and stop stepping. */
static void on_trap(int number, siginfo_t *info, void *context)
{
	greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

	(void)number;
	if (info->si_code != TRAP_TRACE) {
		stepping = !stepping && !acted;
	} else if (stepping && passed++ == turn) {
		stepping = false;
		acted = true;
		test.edge = NULL;
		act();
	}
	if (stepping)
		*flags |= TRAP_FLAG;
	else
		*flags &= ~(greg_t)TRAP_FLAG;
}

static void edge(void)
{
	__asm__ volatile("int3" : : : "memory");
}

/* One write, interrupted at the chosen instruction. False: it ended before. */
static bool interrupted_write(void (*begin)(void), const char **fault)
{
	u32 i;

	memset(delivered, 0, sizeof(delivered));
	test_ring_init(&test, &ops, BUFFERS, SIZE, 64);
	begin();
	passed = 0;
	acted = false;
	test.edge = edge;
	write_many(0, 1);
	test.edge = NULL;

	write_many(2, 1);
	etw_ring_close(ETW_LOCAL, &test.ring, &test.rc, etw_word_read(&test.rc.cur));
	consume();
	*fault = test_ring_settle(&test);
	for (i = 1; i <= BUFFERS; i++)
		if (delivered[i] && !*fault)
			*fault = "a delivered buffer had no turn";
	test_ring_free(&test);
	return acted;
}

static void test_every_instruction(u32 b, u32 a)
{
	const char *fault = NULL;

	act = acts[a].run;
	for (turn = 0; !fault; turn++)
		if (!interrupted_write(begins[b].run, &fault))
			break;
	ok(!fault && turn > 20, "%s, %s: %u instructions%s%s", begins[b].name,
	   acts[a].name, turn, fault ? ", " : "", fault ? fault : "");
}

int main(void)
{
	struct sigaction action = {
		.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO,
	};
	u32 b, a;

	sigaction(SIGTRAP, &action, NULL);
	for (b = 0; b < sizeof(begins) / sizeof(begins[0]); b++)
		for (a = 0; a < sizeof(acts) / sizeof(acts[0]); a++)
			test_every_instruction(b, a);
	return done_testing();
}

#else

int main(void)
{
	skip("single steps are known for x86-64 only");
	return done_testing();
}

#endif
