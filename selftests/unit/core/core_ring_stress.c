// SPDX-License-Identifier: GPL-2.0-only
/*
 * core_ring_stress.c - writers that interrupt each other, and a consumer
 *
 * The main thread is a CPU.  Two timers send it signals, whose handlers write
 * as interrupts do; the second interrupts the first, as an NMI does.  Another
 * thread reads the delivered buffers and gives them back, at times slowly, so
 * that the pool runs dry.
 */
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "core_ring.h"
#include "lib/tap.h"

#define SIZE		1024
#define CELLS		32
#define WRITES_MIN	200000
#define WRITES_MAX	1500000
#define WAITS_MAX	20000	/* limit of waits for a buffer, in seconds */
#define NESTED_WANTED	4000	/* handler runs that interrupted a write */
#define TWICE_WANTED	100	/* handler runs that interrupted such a handler */

static struct test_ring test;
static etw_word cells[CELLS];
static struct etw_fifo fifo;
static bool finished;
static const struct timespec breath = { .tv_nsec = 1000 };

/* Is a writer of this level within a write? How often was it interrupted there? */
static volatile sig_atomic_t writing[RING_SOURCES];
static volatile sig_atomic_t nested[RING_SOURCES], twice;
static bool refused, stuck;

static void deliver(struct etw_ring *ring, struct etw_buf *buf)
{
	(void)ring;
	/* There are more cells than buffers: the queue is never full. */
	if (!etw_fifo_push(&fifo, buf->index))
		refused = true;
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
	memset(buf->data, 0, ETW_BUFFER_HEADER_SIZE);
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

static void write_some(u32 level, u32 count)
{
	u32 i, waits = 0;
	int err;

	for (i = 0; i < count && test.written[level] < RING_RECORDS; i++) {
		writing[level] = 1;
		err = test_ring_write(&test, level, RING_PAYLOAD +
				      test.written[level] * 13 % (level ? 60 : 150));
		writing[level] = 0;
		/* Some losses are wanted, but writes should prevail. */
		while (err && !level && !stuck && !etw_pool_free(&test.ring.pool)) {
			nanosleep(&breath, NULL);
			stuck = ++waits > WAITS_MAX;
		}
	}
}

static void interrupt(u32 level)
{
	bool long_stay;

	if (writing[0]) {
		nested[level]++;
		if (level == 2 && writing[1])
			twice++;
	}
	/* Sometimes the first handler runs long enough for the second to interrupt it. */
	long_stay = level == 1 && writing[0] && nested[1] % 4 == 0;
	write_some(level, long_stay ? 80 : 1 + test.written[level] % 9);
	if (level == 1 && test.written[level] % 3 == 0)
		test_ring_flush(&test);
}

static void on_first(int number)
{
	(void)number;
	interrupt(1);
}

static void on_second(int number)
{
	(void)number;
	interrupt(2);
}

static timer_t start_timer(int number, void (*handler)(int), int masked, long ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = number };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct itimerspec every = {
		.it_interval.tv_nsec = ns, .it_value.tv_nsec = ns,
	};
	timer_t timer;

	sigemptyset(&action.sa_mask);
	if (masked)
		sigaddset(&action.sa_mask, masked);
	sigaction(number, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &every, NULL);
	return timer;
}

/* The worker: reads the CPU's buffers in the order of their generation. */
static void *consumer(void *arg)
{
	struct etw_buf *waiting[32] = { NULL }, *buf;
	const struct timespec pause = { .tv_nsec = 300000 };
	const u32 slots = 32;	/* more than there are buffers, and a divisor of 65536 */
	u32 index, at;
	bool last;

	(void)arg;
	for (;;) {
		last = __atomic_load_n(&finished, __ATOMIC_ACQUIRE);
		index = etw_fifo_pop(&fifo);
		if (index) {
			buf = &test.bufs[index];
			at = buf->generation % slots;
			if (waiting[at])
				test_ring_fault(&test, "a buffer delivered twice");
			waiting[at] = buf;
		} else if (last) {
			return NULL;
		} else {
			nanosleep(&breath, NULL);
		}
		while ((buf = waiting[(u16)(test.generation + 1) % slots])) {
			waiting[(u16)(test.generation + 1) % slots] = NULL;
			test_ring_read(&test, buf);
			if (test.buffers_read % 200 == 0)
				nanosleep(&pause, NULL);
		}
	}
}

static void block_both(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(how, &set, NULL);
}

static bool enough(void)
{
	if (stuck)
		return true;
	if (test.written[0] < WRITES_MIN)
		return false;
	return (nested[1] >= NESTED_WANTED && nested[2] >= NESTED_WANTED &&
		twice >= TWICE_WANTED) || test.written[0] >= WRITES_MAX;
}

static void run(void)
{
	timer_t first, second;
	pthread_t thread;

	etw_fifo_init(&fifo, cells, CELLS);
	block_both(SIG_BLOCK);
	pthread_create(&thread, NULL, consumer, NULL);
	block_both(SIG_UNBLOCK);
	/* The first handler blocks its own signal; the "NMI" also blocks the first. */
	first = start_timer(SIGALRM, on_first, 0, 31000);
	second = start_timer(SIGUSR1, on_second, SIGALRM, 23000);
	while (!enough())
		write_some(0, 50);
	timer_delete(first);
	timer_delete(second);
	block_both(SIG_BLOCK);

	etw_ring_close(ETW_LOCAL, &test.ring, &test.rc, etw_word_read(&test.rc.cur));
	__atomic_store_n(&finished, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

int main(void)
{
	u32 lost = 0, attempted = 0, i, n;
	const char *fault;

	test_ring_init(&test, &ops, RING_BUFFERS, SIZE, RING_RECORDS);
	run();
	for (i = 0; i < RING_SOURCES; i++) {
		attempted += test.written[i];
		for (n = 0; n < test.written[i]; n++)
			lost += test.fate[i][n] == RING_LOST;
	}
	fault = test_ring_settle(&test);
	ok(!fault, "every record once or counted, whole, in order: %s",
	   fault ? fault : "yes");
	is(test.read + lost, attempted, "attempted = read + lost");
	ok(!stuck, "buffers came back");
	ok(!refused, "no delivery was refused");
	ok(nested[1] >= 100 && nested[2] >= 100,
	   "writes were interrupted %d times by one, %d times by the other signal",
	   nested[1], nested[2]);
	ok(twice >= 1, "%d times both at once", (int)twice);
	ok(lost > 0 && test.read > attempted / 20, "%u records read, %u lost",
	   test.read, lost);
	ok(test.buffers_read > 1000, "%u buffers", test.buffers_read);
	test_ring_free(&test);
	return done_testing();
}
