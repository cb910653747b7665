// SPDX-License-Identifier: GPL-2.0-only
/*
 * kill - controllers, providers and consumers die by SIGKILL at any moment
 *
 * Four kinds of processes run and are killed at random points, hundreds of times in all,
 * while one consumer survives.  The providers record the result of each event in shared
 * memory: a number is marked before the call and marked again with its result, so a kill in
 * between leaves at most one event with an unknown result.  At the end the accounts must
 * agree: the events that the survivor read, and those that it learned it lost, are the
 * events that the session took; then the module is removed, and nothing of it is left.
 *
 * ETW_SEED repeats a run (as far as the scheduler lets it).
 *
 * TIMEOUT: 900
 * KERNEL: every
 */
#include "lib/pick.h"
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/driver/vm_kmod.h"

#include <pthread.h>

#define KILLS		400
#define PROVIDERS	2		/* running at the same time */
#define LIVES		(KILLS + PROVIDERS)
#define EVENTS		4000		/* of one life at most */
#define GUESTS		3		/* sessions of controllers that live on */

/* What became of an event. */
enum { NONE, TRIED, WRITTEN, REFUSED };

struct life {
	uint32_t count;			/* numbers used */
	uint32_t pid;
	uint8_t outcome[EVENTS];
};

/* Survives all processes that write to it. */
struct tally {
	uint32_t controllers;		/* rounds that controllers completed */
	uint32_t consumers;		/* buffers that victims read */
	uint32_t strange;		/* unexpected results */
	int32_t strange_error;
	struct life life[LIVES];
};

struct event {
	uint32_t life;
	uint32_t number;
	uint8_t bytes[120];
};

struct books {
	struct vm_reader r;
	struct tally *tally;
	uint8_t (*seen)[EVENTS];
	uint64_t foreign, torn, twice, unwritten;
	int end;
};

static const struct etw_guid provider_guid = ETW_GUID(0x7e570fff, 0x5e1f, 0x4e57, 0x80,
						      0, 0, 0, 0, 0, 0, 1);

static void strange(struct tally *t, int error)
{
	t->strange_error = error;
	__atomic_add_fetch(&t->strange, 1, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- victims */

static void be_provider(struct tally *t, uint32_t life)
{
	struct life *me = &t->life[life];
	struct event e = { .life = life };
	int ret, fd = vm_open(), slot = vm_register(fd, provider_guid);
	uint32_t n;

	me->pid = getpid();
	if (slot < 0)
		strange(t, slot);
	for (n = 0; n < EVENTS && slot >= 0; n++) {
		e.number = n;
		memset(e.bytes, n, sizeof(e.bytes));
		__atomic_store_n(&me->outcome[n], TRIED, __ATOMIC_RELEASE);
		__atomic_store_n(&me->count, n + 1, __ATOMIC_RELEASE);
		ret = vm_write(fd, slot, 1, 1 + n % 5, 1, &e, 8 + n % sizeof(e.bytes));
		__atomic_store_n(&me->outcome[n], ret ? REFUSED : WRITTEN, __ATOMIC_RELEASE);
		if (ret && ret != -ENOBUFS)
			strange(t, ret);
		if (n % 16 == 0)
			usleep(1000);
	}
	pause();
}

/* Starts a session of its own, uses it in every way, leaves it or stops it. */
static void be_controller(struct tally *t, uint32_t guest)
{
	int fd = vm_open(), i, ret;
	struct etw_session s;
	char name[32];

	for (i = 0;; i++) {
		snprintf(name, sizeof(name), "t-guest-%u", guest);
		s = vm_session(name);
		s.buffer_kb = 4;
		s.mode = i % 3 ? ETW_MODE_REAL_TIME : ETW_MODE_BUFFERING;
		s.mode |= ETW_MODE_INDEPENDENT;
		ret = vm_start(fd, &s);
		if (ret == -EEXIST) {
			s = vm_session(name);
			ret = vm_ioctl(fd, ETW_IOC_SESSION_QUERY, &s);
		}
		if (!ret)
			ret = vm_enable(fd, s.handle, provider_guid, 1 + i % 5, 0, 0);
		if (!ret)
			ret = vm_flush(fd, s.handle);
		if (!ret && i % 2)
			ret = vm_session_op(fd, ETW_IOC_SESSION_UPDATE, s.handle, NULL);
		if (!ret && i % 4 == 1)
			ret = vm_disable(fd, s.handle, provider_guid);
		if (!ret)
			ret = vm_stop(fd, s.handle);
		if (ret && ret != -ENOENT && ret != -ESHUTDOWN)
			strange(t, ret);
		__atomic_add_fetch(&t->controllers, 1, __ATOMIC_RELAXED);
	}
}

static void be_consumer(struct tally *t, uint64_t session, uint32_t seed)
{
	int fd = vm_open(), held = 0;
	struct etw_consumer_open o = { 0 };
	struct etw_buffer_take take;
	struct pollfd p = { .events = POLLIN };
	uint8_t *room, *map;

	p.fd = vm_consume(fd, session, O_NONBLOCK, &o);
	if (p.fd < 0)
		strange(t, p.fd);
	room = malloc(o.buffer_size);
	while (p.fd >= 0 && room) {
		poll(&p, 1, 50);
		if (seed++ % 3) {
			if (read(p.fd, room, o.buffer_size) > 0)
				__atomic_add_fetch(&t->consumers, 1, __ATOMIC_RELAXED);
			continue;
		}
		if (held < 2 && !vm_take(p.fd, &take)) {
			held++;
			map = mmap(NULL, o.buffer_size, PROT_READ, MAP_SHARED, p.fd,
				   (off_t)take.index * o.buffer_size);
			if (map == MAP_FAILED || map[0] == 0xff)
				strange(t, -errno);
			__atomic_add_fetch(&t->consumers, 1, __ATOMIC_RELAXED);
			if (seed % 2 && !vm_give(p.fd, take.index))
				held--;
		}
	}
	pause();
}

/* --------------------------------------------------------------- survivor */

static void enter(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	const struct event *e = (const void *)r->data;
	struct books *books = ctx;
	uint32_t i;

	(void)b;
	if (r->len < 8 || e->life >= LIVES || e->number >= EVENTS ||
	    memcmp(&r->head->provider, &provider_guid, sizeof(provider_guid))) {
		books->foreign++;
		return;
	}
	for (i = 0; i < r->len - 8; i++)
		if (e->bytes[i] != (uint8_t)e->number)
			break;
	if (i != r->len - 8 || i != e->number % sizeof(e->bytes))
		books->torn++;
	if (books->seen[e->life][e->number]++)
		books->twice++;
}

static void *survive(void *arg)
{
	struct books *books = arg;

	books->end = vm_drain(&books->r, enter, books);
	return NULL;
}

/* ------------------------------------------------------------------ a run */

FIXTURE(killing) {
	int fd;
	uint64_t session;
	uint32_t next_life;
	struct tally *tally;
	struct books books;
	pthread_t survivor;
	pid_t provider[PROVIDERS];
	pid_t controller[GUESTS];
	pid_t consumer[2];
	int vmallocs;
};

/* The session too is started by a process that is killed at once. */
static uint64_t orphan_session(void)
{
	struct etw_session q = vm_session("t-main");
	pid_t pid = fork();
	int fd;

	if (!pid) {
		struct etw_session s = vm_session("t-main");

		fd = vm_open();
		s.buffer_kb = 8;
		s.min_buffers = 64;
		s.max_buffers = 256;
		if (!vm_start(fd, &s))
			vm_enable(fd, s.handle, provider_guid, 0, 0, 0);
		kill(getpid(), SIGKILL);
	}
	vm_reap(pid);
	fd = vm_open();
	if (vm_ioctl(fd, ETW_IOC_SESSION_QUERY, &q))
		q.handle = 0;
	close(fd);
	return q.handle;
}

FIXTURE_SETUP(killing)
{
	const char *seed = getenv("ETW_SEED");

	pick_seed = seed ? strtoul(seed, NULL, 0) : (uint32_t)time(NULL);
	pick_seed = pick_seed ? pick_seed : 1;
	TH_LOG("ETW_SEED=%u", (uint32_t)pick_seed);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->vmallocs = vm_count_lines("/proc/vmallocinfo", "[etw]");
	self->tally = mmap(NULL, sizeof(*self->tally), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->tally);
	self->books.tally = self->tally;
	self->books.seen = calloc(LIVES, EVENTS);
	ASSERT_NE(NULL, self->books.seen);
	self->session = orphan_session();
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->books.r, self->fd, self->session, 0));
	/* Nothing is inherited that a victim would keep open: exec is not used,
	 * so each victim opens what it needs and the files here stay ours. */
	ASSERT_EQ(0, pthread_create(&self->survivor, NULL, survive, &self->books));
}

FIXTURE_TEARDOWN(killing)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

static void spawn(FIXTURE_DATA(killing) *self, pid_t *pid)
{
	uint32_t life = 0, seed = pick(1000);
	bool provides = pid >= self->provider && pid < self->provider + PROVIDERS;

	if (provides)
		life = self->next_life++;
	*pid = fork();
	if (*pid)
		return;
	close(self->books.r.fd);
	close(self->fd);
	if (provides)
		be_provider(self->tally, life);
	else if (pid >= self->controller && pid < self->controller + GUESTS)
		be_controller(self->tally, pid - self->controller);
	else
		be_consumer(self->tally, self->session, seed);
	_exit(0);
}

static pid_t *victim(FIXTURE_DATA(killing) *self)
{
	uint32_t n = pick(PROVIDERS + GUESTS + 2);

	if (n < PROVIDERS)
		return &self->provider[n];
	n -= PROVIDERS;
	return n < GUESTS ? &self->controller[n] : &self->consumer[n - GUESTS];
}

static bool murder(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	status = vm_reap(pid);
	return status != -1 && WIFSIGNALED(status);
}

/* Start all, then kill KILLS of them; false if one hangs. */
static bool massacre(FIXTURE_DATA(killing) *self)
{
	pid_t *all[] = { &self->provider[0], &self->provider[1], &self->controller[0],
			 &self->controller[1], &self->controller[2], &self->consumer[0],
			 &self->consumer[1] };
	unsigned int i;
	pid_t *one;
	bool ok = true;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		spawn(self, all[i]);
	for (i = 0; ok && i < KILLS; i++) {
		usleep(pick(40) * pick(40) * 20);
		one = victim(self);
		ok = murder(*one);
		if (i % 16 == 0)
			ok = ok && !vm_flush(self->fd, self->session);
		spawn(self, one);
	}
	for (i = 0; i < ARRAY_SIZE(all); i++)
		ok = murder(*all[i]) && ok;
	return ok;
}

struct sums {
	uint64_t written, refused, unknown, unknown_seen, wrong;
};

static void add_up(FIXTURE_DATA(killing) *self, struct sums *s)
{
	uint32_t life, n, outcome, seen;

	for (life = 0; life < self->next_life; life++)
		for (n = 0; n < self->tally->life[life].count; n++) {
			outcome = self->tally->life[life].outcome[n];
			seen = self->books.seen[life][n];
			s->written += outcome == WRITTEN;
			s->refused += outcome == REFUSED;
			s->unknown += outcome == TRIED;
			s->unknown_seen += outcome == TRIED && seen;
			s->wrong += outcome == REFUSED && seen;
		}
}

/* The books of the providers, of the session and of the survivor. */
static void audit(struct __test_metadata *_metadata, FIXTURE_DATA(killing) *self,
		  const struct etw_session_stat *st, const struct etw_consumer_info *info)
{
	struct sums s = { 0 };
	uint64_t got = self->books.r.events;

	add_up(self, &s);
	TH_LOG("%u lives: %llu written, %llu refused, %llu unknown; session %llu + %llu",
	       self->next_life, (unsigned long long)s.written, (unsigned long long)s.refused,
	       (unsigned long long)s.unknown, (unsigned long long)st->written,
	       (unsigned long long)vm_dropped(st));
	TH_LOG("survivor %llu + %llu lost; controllers %u rounds, other consumers %u buffers",
	       (unsigned long long)got, (unsigned long long)info->events_lost,
	       self->tally->controllers, self->tally->consumers);
	EXPECT_EQ(0, self->books.foreign);
	EXPECT_EQ(0, self->books.torn);
	EXPECT_EQ(0, self->books.twice);
	EXPECT_EQ(0, s.wrong);
	EXPECT_GE(self->next_life, s.unknown);
	EXPECT_EQ(0, self->tally->strange)
		TH_LOG("last strange result: %d", self->tally->strange_error);
	/*
	 * The session took all writes that succeeded, and perhaps some with an unknown result.
	 */
	EXPECT_LE(s.written + s.unknown_seen, st->written);
	EXPECT_GE(s.written + s.unknown, st->written);
	EXPECT_LE(s.refused, vm_dropped(st));
	EXPECT_GE(s.written + s.refused + s.unknown, st->written + vm_dropped(st));
	EXPECT_EQ(st->written, got + info->events_lost);
	EXPECT_EQ(info->events, got);
	EXPECT_LT(0, got);
	EXPECT_LT(0, self->tally->controllers);
	EXPECT_LT(0, self->tally->consumers);
}

static int leftovers(FIXTURE_DATA(killing) *self)
{
	static struct etw_guid guids[ETW_REGISTRATIONS_MAX];

	return vm_providers(self->fd, guids, ARRAY_SIZE(guids));
}

TEST_F_TIMEOUT(killing, four_hundred_times, 800)
{
	struct etw_session_stat st;
	struct etw_consumer_info info;

	EXPECT_TRUE(massacre(self));
	/* Only the survivor reads; guests of dead controllers are still there. */
	ASSERT_TRUE(vm_until(!vm_stat(self->fd, self->session, &st) &&
			     st.consumer_count == 1));
	ASSERT_EQ(0, vm_flush(self->fd, self->session));
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(st.written, st.events_delivered);
	ASSERT_EQ(0, vm_stop(self->fd, self->session));
	ASSERT_EQ(0, pthread_join(self->survivor, NULL));
	EXPECT_EQ(0, self->books.end);
	EXPECT_EQ(NULL, self->books.r.error);
	ASSERT_EQ(0, vm_consumer_info(self->books.r.fd, &info));
	audit(_metadata, self, &st, &info);
	vm_reader_close(&self->books.r);
	vm_stop_all(self->fd);
	EXPECT_EQ(0, vm_sessions(self->fd, NULL, 0));
	EXPECT_TRUE(vm_until(leftovers(self) == 0));
	EXPECT_TRUE(vm_until(vm_count_lines("/proc/vmallocinfo", "[etw]") <= self->vmallocs));
	close(self->fd);
	EXPECT_EQ(0, vm_rmmod("etw"));
	EXPECT_NE(0, access(ETW_DEVICE_PATH, F_OK));
	EXPECT_EQ(0, vm_count_lines("/proc/modules", "etw "));
	/* And it can come back. */
	EXPECT_EQ(0, vm_insmod("etw"));
	ASSERT_TRUE(vm_until((self->fd = vm_open()) >= 0));
	EXPECT_EQ(0, vm_sessions(self->fd, NULL, 0));
	EXPECT_EQ(0, leftovers(self));
}

TEST_HARNESS_MAIN
