// SPDX-License-Identifier: GPL-2.0-only
/*
 * isolated - an isolated CPU is not interrupted
 *
 * For a machine that was booted with "nohz_full=1 isolcpus=domain,managed_irq,1
 * rcu_nocbs=1".  While CPU 1 runs a program that computes, or idles, CPU 0 writes, and
 * sessions are flushed, queried and stopped: CPU 1 gets no interrupt for that.  When it
 * holds records it gets one for each flush, which shows that the counting notices
 * interrupts.
 *
 * TIMEOUT: 600
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"

#define FLUSHES		60
#define STOPS		60
#define STRAY		20	/* interrupts that others caused */
#define TIMED		ETW_PROVIDER_SESSIONS	/* sessions that the timer flushes */
#define TIMES		30			/* ... so often, once in a second */

/* Function calls, irq_works, reschedules; and timers, which may be ours too. */
static const char *const kinds[] = { "CAL:", "IWI:", "RES:", "LOC:" };

/* The number of each for CPU 1; false: unknown. */
static bool interrupts(uint64_t count[ARRAY_SIZE(kinds)])
{
	FILE *f = fopen("/proc/interrupts", "re");
	unsigned int i, found = 0;
	char line[1024], name[64];
	unsigned long long on1;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, " %63s %*u %llu", name, &on1) != 2)
			continue;
		for (i = 0; i < ARRAY_SIZE(kinds); i++)
			if (!strcmp(name, kinds[i])) {
				count[i] = on1;
				found++;
			}
	}
	if (f)
		fclose(f);
	return found == ARRAY_SIZE(kinds);
}

/* Is CPU 1 in a list that the kernel gives, such as "1" or "1-3,5"? */
static bool lists_cpu1(const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned int first, last;
	bool found = false;
	char part[64];

	while (f && !found && fscanf(f, "%63[^,\n],", part) == 1) {
		if (sscanf(part, "%u-%u", &first, &last) == 2)
			found = first <= 1 && last >= 1;
		else
			found = sscanf(part, "%u", &first) == 1 && first == 1;
	}
	if (f)
		fclose(f);
	return found;
}

/* Shared with the program on CPU 1. */
struct shared {
	uint32_t ready;
	uint32_t wanted;	/* events that it has to write */
	uint32_t written;
	uint32_t failed;
};

#define ROUNDS		1000000	/* of its loop, a fraction of a second */
#define SEE(p)		__atomic_load_n(&(p), __ATOMIC_ACQUIRE)
#define PUBLISH(p, v)	__atomic_store_n(&(p), (v), __ATOMIC_RELEASE)

/*
 * It makes hardly any system call but to write what it is asked for.  Without
 * any, the kernel complains if CPU 0, whose tick keeps this CPU's accounts, was
 * late by 3 seconds, as it may be in an emulated machine.
 */
static void on_cpu1(struct shared *sh)
{
	unsigned int rounds = 0;
	int fd, slot;

	vm_pin(1);
	fd = vm_open();
	slot = vm_register(fd, vm_guid(1));
	if (slot < 0)
		_exit(1);
	PUBLISH(sh->ready, 1);
	for (;;) {
		if (++rounds % ROUNDS == 0)
			sched_yield();
		if (SEE(sh->wanted) == sh->written)
			continue;
		if (vm_write(fd, slot, 2, 1, 0, "CPU1", 4))
			PUBLISH(sh->failed, sh->failed + 1);
		PUBLISH(sh->written, sh->written + 1);
	}
}

FIXTURE(isolated) {
	int fd;
	int slot;
	uint64_t session;
	struct vm_reader r;
	struct shared *sh;
	pid_t pid;
};

static int start(FIXTURE_DATA(isolated) *self)
{
	struct etw_session s = vm_session("t-isolated");
	int ret;

	s.flush_ms = 1000;
	ret = vm_start(self->fd, &s);
	self->session = s.handle;
	ret = ret ? ret : vm_enable(self->fd, s.handle, vm_guid(1), 0, 0, 0);
	return ret ? ret : vm_reader_open(&self->r, self->fd, s.handle, O_NONBLOCK);
}

FIXTURE_SETUP(isolated)
{
	self->r.fd = -1;
	self->fd = -1;
	if (!lists_cpu1("/sys/devices/system/cpu/nohz_full") ||
	    !lists_cpu1("/sys/devices/system/cpu/isolated"))
		SKIP(return, "CPU 1 is not isolated (nohz_full=1 isolcpus=domain,managed_irq,1)");
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, start(self));
	self->sh = mmap(NULL, sizeof(*self->sh), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->sh);
}

FIXTURE_TEARDOWN(isolated)
{
	if (self->fd < 0)
		return;
	if (self->pid) {
		EXPECT_EQ(0, kill(self->pid, SIGKILL));
		EXPECT_TRUE(WIFSIGNALED(vm_reap(self->pid)));
	}
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Let the program run on CPU 1; false if it cannot. */
static bool occupy(FIXTURE_DATA(isolated) *self)
{
	self->pid = fork();
	if (!self->pid)
		on_cpu1(self->sh);
	return self->pid > 0 && vm_until(SEE(self->sh->ready));
}

/* Let CPU 1 write an event. */
static bool write_there(FIXTURE_DATA(isolated) *self)
{
	uint32_t n = self->sh->wanted + 1;

	PUBLISH(self->sh->wanted, n);
	return vm_until(SEE(self->sh->written) == n) && !SEE(self->sh->failed);
}

/* One event here, then flush, query and read; false if something is wrong. */
static bool round_trip(FIXTURE_DATA(isolated) *self, unsigned int events)
{
	uint64_t before = self->r.events;
	struct etw_session_stat st;
	struct etw_session q;

	return !vm_write(self->fd, self->slot, 1, 1, 0, "CPU0", 4) &&
	       !vm_flush(self->fd, self->session) && !vm_query(self->fd, self->session, &q) &&
	       !vm_stat(self->fd, self->session, &st) &&
	       vm_drain(&self->r, NULL, NULL) == -EAGAIN && self->r.events == before + events;
}

/* The interrupts of CPU 1 at some time, to compare with later. */
struct mark {
	uint64_t count[ARRAY_SIZE(kinds)];
	long long ms;
};

static bool mark(struct mark *m)
{
	m->ms = vm_ms();
	return interrupts(m->count);
}

/* Interrupts of CPU 1 since then; says which. */
static uint64_t growth(struct __test_metadata *_metadata, const struct mark *since,
		       const char *what)
{
	struct mark now = { .ms = 0 };
	uint64_t sum = 0;
	unsigned int i;

	EXPECT_TRUE(mark(&now));
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		now.count[i] -= since->count[i];
		sum += now.count[i];
	}
	TH_LOG("%s: CPU 1 had %llu calls, %llu irq_works, %llu reschedules, %llu timers", what,
	       (unsigned long long)now.count[0], (unsigned long long)now.count[1],
	       (unsigned long long)now.count[2], (unsigned long long)now.count[3]);
	return sum;
}

/*
 * Has CPU 1 been left alone since then?  The kernel itself disturbs it now and
 * then: what it had is compared with as long a time without any flush.
 */
static void left_alone(struct __test_metadata *_metadata, const struct mark *since,
		       const char *what)
{
	uint64_t had = growth(_metadata, since, what);
	struct mark from;

	if (had <= STRAY)
		return;
	ASSERT_TRUE(mark(&from));
	while (vm_ms() - from.ms < from.ms - since->ms)
		usleep(10000);
	EXPECT_GE(STRAY + 2 * growth(_metadata, &from, "as long a time"), had);
}

static void flush_many(struct __test_metadata *_metadata, FIXTURE_DATA(isolated) *self)
{
	struct mark from;
	int i;

	ASSERT_TRUE(round_trip(self, 1));
	ASSERT_TRUE(mark(&from));
	for (i = 0; i < FLUSHES; i++)
		ASSERT_TRUE(round_trip(self, 1));
	left_alone(_metadata, &from, "flushes");
}

TEST_F(isolated, flush_beside_a_program)
{
	if (self->fd < 0)
		return;
	ASSERT_TRUE(occupy(self));
	flush_many(_metadata, self);
}

TEST_F(isolated, flush_beside_an_idle_cpu)
{
	if (self->fd < 0)
		return;
	flush_many(_metadata, self);
}

/* The control: with records on CPU 1 each flush has to interrupt it. */
TEST_F(isolated, flush_of_its_records)
{
	struct mark from;
	int i;

	if (self->fd < 0)
		return;
	ASSERT_TRUE(occupy(self));
	ASSERT_TRUE(round_trip(self, 1));
	ASSERT_TRUE(mark(&from));
	for (i = 0; i < FLUSHES; i++) {
		ASSERT_TRUE(write_there(self));
		ASSERT_TRUE(round_trip(self, 2));
	}
	EXPECT_LE(FLUSHES, growth(_metadata, &from, "flushes of its records"));
	/* Once they are delivered it is left alone again. */
	flush_many(_metadata, self);
}

/* All of the sessions have delivered that many events. */
static bool delivered(int fd, const uint64_t session[TIMED], uint64_t events)
{
	struct etw_session_stat st;
	int i;

	for (i = 0; i < TIMED; i++)
		if (vm_stat(fd, session[i], &st) || st.events_delivered != events)
			return false;
	return true;
}

/* Only the timers flush the sessions that CPU 0 writes to. */
TEST_F(isolated, flush_timers)
{
	uint64_t session[TIMED];
	struct etw_session s;
	struct mark from;
	char name[16];
	int slot, i;

	if (self->fd < 0)
		return;
	slot = vm_register(self->fd, vm_guid(2));
	ASSERT_LE(0, slot);
	for (i = 0; i < TIMED; i++) {
		snprintf(name, sizeof(name), "t-timed-%d", i);
		s = vm_session(name);
		s.max_buffers = 2 * TIMES;	/* no reader */
		ASSERT_EQ(0, vm_start(self->fd, &s));
		session[i] = s.handle;
		ASSERT_EQ(0, vm_enable(self->fd, session[i], vm_guid(2), 0, 0, 0));
	}
	ASSERT_TRUE(occupy(self));
	ASSERT_TRUE(mark(&from));
	for (i = 1; i <= TIMES; i++) {
		ASSERT_EQ(0, vm_write(self->fd, slot, 1, 1, 0, "CPU0", 4));
		ASSERT_TRUE(vm_until(delivered(self->fd, session, i)));
	}
	left_alone(_metadata, &from, "flushes by timers");
}

/* Memory that is freed may cost all CPUs an interrupt, but not each time. */
TEST_F(isolated, stop)
{
	struct mark from;
	int i;

	if (self->fd < 0)
		return;
	ASSERT_TRUE(occupy(self));
	ASSERT_TRUE(mark(&from));
	for (i = 0; i < STOPS; i++) {
		ASSERT_TRUE(round_trip(self, 1));
		ASSERT_EQ(0, vm_stop(self->fd, self->session));
		ASSERT_EQ(0, vm_drain(&self->r, NULL, NULL));
		vm_reader_close(&self->r);
		ASSERT_EQ(0, start(self));
	}
	left_alone(_metadata, &from, "starts and stops");
}

TEST_HARNESS_MAIN
