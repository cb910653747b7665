// SPDX-License-Identifier: GPL-2.0-only
/*
 * recursion - events written while an event is being written
 *
 * The module etw_test sets a trap: a kprobe on an instruction of the write path, a tracer of a
 * function that it calls, or the tracepoints of page faults.  A writer that meets it first
 * writes another event, into the same session.  At the end each session has every event it
 * should have exactly once, or has counted it as lost, and in a CPU's buffers no event is
 * older than the one before it.
 *
 * TIMEOUT: 1200
 * RUN: in turn
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/driver/vm_kmod.h"
#include "lib/vm_clock.h"
#include "lib/vm_items.h"
#include "lib/vm_tally.h"

#include <inttypes.h>
#include <sys/utsname.h>

/* Functions that begin an event, and that switch, take and return buffers. */
static const char *functions[] = {
	"write_plain", "etw_hotpath_write_driver", "etw_ring_switch", "etw_ring_close",
	"etw_pool_pop_above", "etw_pool_push",
};

/* Takes everything; takes the trap's; in one test, takes everything but the trap's. */
enum { ALL, TRAPPED, ALSO, SESSIONS };

FIXTURE(recursion) {
	int fd;
	int kfd;
	int sfd;			/* etw_stress */
	int slot;			/* a process's provider */
	struct tally_view view[SESSIONS];
	struct tally tally;
	struct etw_test_trap trap;
	struct etw_test_write w;
};

static int start(FIXTURE_DATA(recursion) *self, int i, const char *name)
{
	uint32_t trap = 1 << TALLY_TRAP, streams = i == ALL ? ~0 : i == TRAPPED ? trap : ~trap;
	struct etw_session s = vm_session(name);
	int ret;

	s.buffer_kb = 4;
	s.min_buffers = 256;
	s.max_buffers = 512;
	ret = vm_start(self->fd, &s);
	ret = ret ? ret : tally_open(&self->view[i], self->fd, s.handle, streams);
	return ret || i == ALSO ? ret : vm_enable(self->fd, s.handle, vm_guid(1), 0, 0, 0);
}

static bool drain(FIXTURE_DATA(recursion) *self)
{
	return tally_drain(&self->view[ALL]) && tally_drain(&self->view[TRAPPED]) &&
	       (!self->view[ALSO].session || tally_drain(&self->view[ALSO]));
}

FIXTURE_SETUP(recursion)
{
	static const struct etw_guid writer = ETW_TEST_GUID;
	unsigned int i;

	self->sfd = -1;
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->slot = vm_register(self->fd, vm_guid(2));
	ASSERT_LE(0, self->slot);
	self->kfd = vm_kmod_fresh("etw_test");
	ASSERT_LE(0, self->kfd);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, vm_test_register(self->kfd, i, vm_guid(1), 0));
	ASSERT_EQ(0, start(self, ALL, "t-all"));
	ASSERT_EQ(0, start(self, TRAPPED, "t-trapped"));
	ASSERT_EQ(0, vm_enable(self->fd, self->view[ALL].session, writer, 0, 0, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->view[ALL].session, vm_guid(2), 0, 0, 0));
	/* A session whose clock is not the TSC takes the other way. */
	functions[0] = vm_tsc_trusted() ? "write_plain" : "write_filtered";
	self->w = (struct etw_test_write){ .numbered = 1, .descriptors = 3, .size = 30,
					   .desc = { .id = 5, .level = 1, .keyword = 1 } };
}

static int trap(FIXTURE_DATA(recursion) *self, uint32_t kind)
{
	int ret;

	self->trap.index = 1;
	self->trap.kind = kind;
	ret = vm_ioctl(self->kfd, ETW_TEST_TRAP, &self->trap);
	return ret ? ret : self->trap.result;
}

/* Take the trap away and add up what it wrote. */
static int release(FIXTURE_DATA(recursion) *self)
{
	uint32_t first = self->tally.attempted[TALLY_TRAP];
	int ret = trap(self, ETW_TEST_TRAP_REMOVE);

	self->tally.attempted[TALLY_TRAP] = self->trap.number;
	self->tally.failed += self->trap.failed;
	if (self->trap.ok + self->trap.failed != self->trap.number - first)
		return -EBADMSG;
	return ret;
}

FIXTURE_TEARDOWN(recursion)
{
	trap(self, ETW_TEST_TRAP_REMOVE);
	tally_close(&self->view[ALL]);
	tally_close(&self->view[TRAPPED]);
	if (self->view[ALSO].session)
		tally_close(&self->view[ALSO]);
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	EXPECT_EQ(0, vm_stress_end(self->sfd));
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Let the module write numbered events; how many failed, or a negative errno. */
static int put(FIXTURE_DATA(recursion) *self, uint32_t context, uint32_t count)
{
	uint32_t failed = self->w.failed;
	int ret;

	self->w.context = context;
	self->w.count = count;
	ret = vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->w);
	self->tally.attempted[TALLY_WRITER] = self->w.number;
	if (!ret && self->w.ok + self->w.failed != self->w.number)
		ret = -EBADMSG;
	self->tally.failed += self->w.failed - failed;
	return ret ? ret : (int)(self->w.failed - failed);
}

/* Compare both sessions with the tally; lossless: all events fit. */
static void judge(struct __test_metadata *_metadata, FIXTURE_DATA(recursion) *self, bool lossless)
{
	const struct tally *t = &self->tally;
	uint64_t all = 0, trapped = 0, also = 0;

	EXPECT_EQ(NULL, tally_check(&self->view[ALL], self->fd, t, &all));
	EXPECT_EQ(NULL, tally_check(&self->view[TRAPPED], self->fd, t, &trapped));
	if (self->view[ALSO].session)
		EXPECT_EQ(NULL, tally_check(&self->view[ALSO], self->fd, t, &also));
	/* A write fails if one session or both did not get the event. */
	EXPECT_LE(all > trapped ? all : trapped, t->failed);
	EXPECT_LE(also, t->failed);
	EXPECT_GE(all + trapped + also, t->failed);
	if (lossless)
		EXPECT_EQ(0, all + trapped + also);
}

/* ---------------------------------------------------------------- kprobes */

static int plant_kind(FIXTURE_DATA(recursion) *self, uint32_t kind, const char *function,
		      uint32_t offset, uint32_t most)
{
	snprintf(self->trap.function, sizeof(self->trap.function), "%s", function);
	self->trap.offset = offset;
	self->trap.most = most;
	return trap(self, kind);
}

static int plant(FIXTURE_DATA(recursion) *self, const char *function, uint32_t offset,
		 uint32_t most)
{
	return plant_kind(self, ETW_TEST_TRAP_KPROBE, function, offset, most);
}

static uint64_t hits(FIXTURE_DATA(recursion) *self)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < ETW_TEST_HITS; i++)
		sum += self->trap.hits[i];
	return sum;
}

/* In a kernel without kprobes no instruction can be probed. */
#define PLANT_OR_SKIP(function, most)					\
do {									\
	int _ret = plant(self, function, 0, most);			\
									\
	if (_ret == -EOPNOTSUPP)					\
		SKIP(return, "this kernel has no kprobes");		\
	ASSERT_EQ(0, _ret);						\
} while (0)

/*
 * At the beginning of each of these functions, from each context, and while
 * the session is flushed.
 */
TEST_F(recursion, functions)
{
	uint32_t context;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		PLANT_OR_SKIP(functions[i], 2);
		for (context = ETW_TEST_PROCESS; context <= ETW_TEST_HARDIRQ; context++) {
			ASSERT_EQ(0, put(self, context, 200));
			ASSERT_EQ(0, vm_flush(self->fd, self->view[ALL].session));
			ASSERT_TRUE(drain(self));
			ASSERT_EQ(0, vm_flush(self->fd, self->view[TRAPPED].session));
			ASSERT_TRUE(drain(self));
		}
		ASSERT_EQ(0, release(self));
		TH_LOG("%s: %llu in tasks, %llu in softirq, %llu in hardirq, %llu events",
		       functions[i], (unsigned long long)self->trap.hits[ETW_TEST_HIT_TASK],
		       (unsigned long long)self->trap.hits[ETW_TEST_HIT_SOFTIRQ],
		       (unsigned long long)self->trap.hits[ETW_TEST_HIT_HARDIRQ],
		       (unsigned long long)self->trap.ok);
		EXPECT_LT(0, self->trap.hits[ETW_TEST_HIT_TASK]);
		EXPECT_LT(0, self->trap.ok);
		/* Each event of the writer meets this one exactly once. */
		if (!i) {
			EXPECT_EQ(200, self->trap.hits[ETW_TEST_HIT_TASK]);
			EXPECT_EQ(200, self->trap.hits[ETW_TEST_HIT_SOFTIRQ]);
			EXPECT_EQ(200, self->trap.hits[ETW_TEST_HIT_HARDIRQ]);
			EXPECT_EQ(600, self->trap.ok);
		}
	}
	judge(_metadata, self, true);
}

/* The length of a function of etw.ko's, up to the next one. */
static uint32_t length(const char *function)
{
	uint64_t at, start = 0, next = UINT64_MAX;
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[256], name[128];
	int round;

	for (round = 0; f && round < 2; round++) {
		rewind(f);
		while (fgets(line, sizeof(line), f)) {
			if (!strstr(line, "[etw]") ||
			    sscanf(line, "%" SCNx64 " %*c %127s", &at, name) != 2)
				continue;
			if (!round && !strcmp(name, function))
				start = at;
			if (round && at > start && at < next)
				next = at;
		}
	}
	if (f)
		fclose(f);
	return start && next != UINT64_MAX ? next - start : 0;
}

/*
 * Every offset of the first function, which most events take, and of a short one; of the others
 * every third, on each kernel other ones; with ETW_WHOLE=1 every one.  With lockdep a probe takes
 * ten times as long: every sixth of all but the short one.
 */
static bool chosen(const char *function, uint32_t at)
{
	struct utsname name;
	unsigned int minor = 0;

	if (!strcmp(function, "__etw_commit") || getenv("ETW_WHOLE"))
		return true;
	if (!access("/proc/lockdep_stats", F_OK))
		return at % 6 == 0;
	if (function == functions[0])
		return true;
	uname(&name);
	sscanf(name.release, "%*u.%u", &minor);
	return at % 3 == minor % 3;
}

/*
 * At the chosen offsets in turn; of all instructions one is the first after the place was
 * sampled, one the last before the slot is taken, one between that and commit.
 */
static void sweep(struct __test_metadata *_metadata, FIXTURE_DATA(recursion) *self,
		  const char *function)
{
	uint32_t at, size = length(function), tried = 0, planted = 0, hit = 0;
	int ret;

	ASSERT_LT(0, size);
	self->w.size = 900;	/* four fill a buffer */
	for (at = 0; at < size; at++) {
		if (!chosen(function, at))
			continue;
		tried++;
		ret = plant(self, function, at, 1);
		/* In the middle of an instruction, on one that is patched, or a jump by memory */
		if (ret == -EILSEQ || ret == -EINVAL || ret == -EOPNOTSUPP)
			continue;
		ASSERT_EQ(0, ret)
			TH_LOG("%s+%#x", function, at);
		/* So that one session's buffer is full when the other's is not. */
		if (self->view[ALSO].session)
			ASSERT_EQ(0, vm_flush(self->fd, self->view[ALL].session));
		ASSERT_EQ(0, put(self, planted % 3, 9));
		ASSERT_TRUE(drain(self));
		ASSERT_EQ(0, release(self));
		planted++;
		hit += !!hits(self);
	}
	TH_LOG("%s: %u instructions, %u of them run", function, planted, hit);
	EXPECT_LT(tried / 10, planted);
	EXPECT_LT(planted / 4, hit);
}

TEST_F_TIMEOUT(recursion, instructions, 1100)
{
	unsigned int i;

	PLANT_OR_SKIP(functions[0], 1);
	ASSERT_EQ(0, release(self));
	for (i = 0; i < ARRAY_SIZE(functions) - 1; i++)
		sweep(_metadata, self, functions[i]);
	judge(_metadata, self, true);
}

/* Two sessions take the writer's events, so one gets a copy of the other's record. */
TEST_F_TIMEOUT(recursion, instructions_of_copies, 1100)
{
	static const struct etw_guid writer = ETW_TEST_GUID;

	PLANT_OR_SKIP(functions[0], 1);
	ASSERT_EQ(0, release(self));
	ASSERT_EQ(0, start(self, ALSO, "t-also"));
	ASSERT_EQ(0, vm_enable(self->fd, self->view[ALSO].session, writer, 0, 0, 0));
	sweep(_metadata, self, "write_several");
	sweep(_metadata, self, "copy_counted");
	judge(_metadata, self, true);
}

TEST_F_TIMEOUT(recursion, instructions_of_objects, 1100)
{
	if (!vm_tsc_trusted())
		SKIP(return, "objects are written by the straight way only with the TSC");
	PLANT_OR_SKIP("__etw_reserve", 1);
	ASSERT_EQ(0, release(self));
	self->w.transfer = ETW_TEST_FIXED;
	sweep(_metadata, self, "__etw_reserve");
	sweep(_metadata, self, "__etw_commit");
	judge(_metadata, self, true);
}

TEST_F_TIMEOUT(recursion, instructions_of_objects_for_two, 1100)
{
	static const struct etw_guid writer = ETW_TEST_GUID;

	if (!vm_tsc_trusted())
		SKIP(return, "objects are written by the straight way only with the TSC");
	PLANT_OR_SKIP("reserve_all", 1);
	ASSERT_EQ(0, release(self));
	self->w.transfer = ETW_TEST_FIXED;
	ASSERT_EQ(0, start(self, ALSO, "t-also"));
	ASSERT_EQ(0, vm_enable(self->fd, self->view[ALSO].session, writer, 0, 0, 0));
	sweep(_metadata, self, "reserve_all");
	sweep(_metadata, self, "reserve_first");
	sweep(_metadata, self, "__etw_end_several");
	/* Without a keyword, each session is asked. */
	self->w.desc.keyword = 0;
	sweep(_metadata, self, "reserve_chosen");
	judge(_metadata, self, true);
}

TEST_F_TIMEOUT(recursion, instructions_of_objects_by_id, 1100)
{
	static const struct etw_guid writer = ETW_TEST_GUID;
	struct etw_filter_event_id ids;
	struct etw_filter others;

	if (!vm_tsc_trusted())
		SKIP(return, "objects are written by the straight way only with the TSC");
	PLANT_OR_SKIP("reserve_ids", 1);
	ASSERT_EQ(0, release(self));
	self->w.transfer = ETW_TEST_FIXED;
	others = vm_id_filter(&ids, ETW_FILTER_EVENT_ID, false, VM_IDS(6));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->view[ALL].session, writer, 0, &others, 1));
	sweep(_metadata, self, "reserve_ids");
	sweep(_metadata, self, "reserve_tsc");
	judge(_metadata, self, true);
}

#define INSATIABLE	1000	/* a trap is met this often if no write gives up */

/*
 * What reads the clock between the place and the slot writes an event itself:
 * each try comes too late.  In the end the event is lost, and counted.
 */
TEST_F(recursion, every_try)
{
	struct etw_session s = vm_session("t-clock");
	static const struct etw_guid writer = ETW_TEST_GUID;
	struct etw_session_stat st;

	s.clock = ETW_CLOCK_SYSTEM;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, writer, 0, 0, 0));
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, vm_guid(1), 0, 0, 0));
	PLANT_OR_SKIP("ktime_get_real_fast_ns", INSATIABLE);
	EXPECT_EQ(3, put(self, ETW_TEST_PROCESS, 3));
	ASSERT_EQ(0, release(self));
	TH_LOG("%llu tries", (unsigned long long)hits(self));
	EXPECT_LT(3, hits(self));
	EXPECT_GT(INSATIABLE, hits(self));
	ASSERT_EQ(0, vm_stat(self->fd, s.handle, &st));
	EXPECT_EQ(3, st.dropped[ETW_DROP_NESTING]);
	EXPECT_EQ(3, vm_dropped(&st));
	EXPECT_EQ(self->trap.number, st.written);
	self->tally.failed -= 3;	/* of a session that is not in the tally */
	judge(_metadata, self, true);
}

/* Each try of a flush to close a buffer finds one event more in it. */
TEST_F(recursion, every_close)
{
	PLANT_OR_SKIP("etw_ring_close", INSATIABLE);
	ASSERT_EQ(0, put(self, ETW_TEST_PROCESS, 1));
	ASSERT_EQ(0, vm_flush(self->fd, self->view[ALL].session));
	ASSERT_EQ(0, trap(self, ETW_TEST_TRAP_LOOK));
	TH_LOG("%llu tries", (unsigned long long)hits(self));
	EXPECT_LT(0, hits(self));
	EXPECT_GT(INSATIABLE, hits(self));
	ASSERT_EQ(0, release(self));
	judge(_metadata, self, true);
}

/* ----------------------------------------------------------------- ftrace */

/* Called for each buffer that a writer takes. */
#define CALLED	"ktime_get_real_fast_ns"

/* Nothing that a write runs before it counts its depth can be traced, nor the rest of etw's. */
TEST_F(recursion, not_traced)
{
	static const char *const others[] = {
		"__etw_write", "__etw_reserve", "__etw_examine", "__etw_commit", "__etw_end_several",
		"__etw_cancel", "write_general",
		"etw_hotpath_write", "etw_write_transfer",
		"etw_write_ex", "etw_write_string", "etw_hotpath_drop", "etw_match_sessions",
		"etw_items_build", "etw_reserve_write", "etw_payload_pass",
		"etw_record_put_items", "ring_deliver", "ring_installed" };
	unsigned int i;
	int ret;

	ret = plant_kind(self, ETW_TEST_TRAP_FTRACE, CALLED, 0, 0);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "this kernel has no ftrace");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, release(self));
	for (i = 0; i < ARRAY_SIZE(functions) + ARRAY_SIZE(others); i++) {
		const char *name = i < ARRAY_SIZE(functions) ? functions[i] :
				   others[i - ARRAY_SIZE(functions)];

		ret = plant_kind(self, ETW_TEST_TRAP_FTRACE, name, 0, 0);
		EXPECT_EQ(-EINVAL, ret)
			TH_LOG("%s can be traced", name);
		if (!ret)
			ASSERT_EQ(0, release(self));
	}
}

/*
 * A tracer without any guard writes an event in a function that writing calls: each event may
 * cause another, until there are too many writers.
 */
TEST_F(recursion, tracer)
{
	uint32_t context, i;
	int ret;

	self->w.size = 900;
	ret = plant_kind(self, ETW_TEST_TRAP_FTRACE, CALLED, 0, 0);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "this kernel has no ftrace");
	ASSERT_EQ(0, ret);
	for (context = ETW_TEST_PROCESS; context <= ETW_TEST_HARDIRQ; context++) {
		for (i = 0; i < 20; i++) {
			ASSERT_LE(0, put(self, context, 20));
			ASSERT_TRUE(drain(self));
		}
	}
	ASSERT_EQ(0, release(self));
	TH_LOG("%llu traced, %llu events", (unsigned long long)hits(self),
	       (unsigned long long)self->trap.ok);
	EXPECT_LT(60, self->trap.ok);
	judge(_metadata, self, false);
}

/* Write classic records to the session, however they end; how many. */
static uint32_t put_classic(FIXTURE_DATA(recursion) *self, uint64_t session, uint32_t count)
{
	struct etw_classic_write w = { .size = sizeof(w), .kind = ETW_CLASSIC_EVENT,
				       .guid = vm_guid(9), .level = 1 };
	int slot = vm_register_flags(self->fd, vm_guid(9), ETW_REGISTER_CLASSIC, 0);
	struct etw_session s;
	uint32_t i;

	if (slot < 0 || vm_query(self->fd, session, &s) ||
	    vm_enable(self->fd, session, vm_guid(9), 0, 0, 0))
		return 0;
	w.slot = slot;
	w.logger_id = s.logger_id;
	for (i = 0; i < count; i++)
		vm_ioctl(self->fd, ETW_IOC_CLASSIC, &w);
	return i;
}

/*
 * The same with a session whose every reading of the clock calls that function: each try of a
 * writer causes events, and so does the loss of one if its time is read.
 */
TEST_F(recursion, tracer_of_the_clock)
{
	static const struct etw_guid writer = ETW_TEST_GUID;
	struct etw_session s = vm_session("t-clock");
	struct etw_session_stat st;
	uint64_t written, *attempted = self->tally.attempted;
	uint32_t context, classic;
	int ret;

	s.clock = ETW_CLOCK_SYSTEM;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, writer, 0, 0, 0));
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, vm_guid(1), 0, 0, 0));
	ret = plant_kind(self, ETW_TEST_TRAP_FTRACE, CALLED, 0, 0);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "this kernel has no ftrace");
	ASSERT_EQ(0, ret);
	for (context = ETW_TEST_PROCESS; context <= ETW_TEST_HARDIRQ; context++) {
		ASSERT_LE(0, put(self, context, 20));
		ASSERT_TRUE(drain(self));
	}
	classic = put_classic(self, s.handle, 20);
	EXPECT_EQ(20, classic);
	ASSERT_EQ(0, release(self));
	ASSERT_EQ(0, vm_stat(self->fd, s.handle, &st));
	written = attempted[TALLY_WRITER] + attempted[TALLY_TRAP] + classic;
	TH_LOG("%llu events, %llu of them lost", (unsigned long long)written,
	       (unsigned long long)vm_dropped(&st));
	EXPECT_LT(0, st.dropped[ETW_DROP_NESTING]);
	EXPECT_EQ(written, st.written + vm_dropped(&st));
	EXPECT_GT(1000000, written);
}

/* --------------------------------------------------------- beside a storm */

static bool stormy(FIXTURE_DATA(recursion) *self)
{
	static const uint64_t enough[ETW_TEST_HITS] = {
		[ETW_TEST_HIT_TASK] = 200, [ETW_TEST_HIT_SOFTIRQ] = 20,
		[ETW_TEST_HIT_HARDIRQ] = 200, [ETW_TEST_HIT_NMI] = 20 };
	int i;

	if (trap(self, ETW_TEST_TRAP_LOOK))
		return false;
	for (i = 0; i < ETW_TEST_HITS; i++)
		if (self->trap.hits[i] < enough[i])
			return false;
	return true;
}

/*
 * Threads, timers and NMIs of both CPUs write and meet the trap.  It is at the
 * beginning of a function that can be traced, so no breakpoint is needed: an NMI that meets
 * a breakpoint while another one is being handled is more than kprobes can do.
 */
TEST_F(recursion, storm)
{
	static const struct etw_guid stress = ETW_STRESS_GUID;
	static const struct etw_stress_start config = {
		.pause_us = 3000, .burst = 10, .timer_us = 5000, .nmi_us = 2000,
		.limit = TALLY_LIMIT };
	struct etw_stress_tallies t;
	struct etw_stress_tally *st;
	int i, cpu;

	vm_rmmod_try("etw_stress");
	ASSERT_EQ(0, vm_insmod("etw_stress"));
	self->sfd = vm_kmod_open("etw_stress");
	ASSERT_LE(0, self->sfd);
	ASSERT_EQ(0, vm_enable(self->fd, self->view[ALL].session, stress, 0, 0, 0));
	PLANT_OR_SKIP(CALLED, 0);
	ASSERT_EQ(0, vm_ioctl(self->sfd, ETW_STRESS_START_IOC, (void *)&config));
	for (i = 0; !stormy(self) && i < TALLY_LIMIT / 20; i++) {
		ASSERT_LE(0, put(self, ETW_TEST_SOFTIRQ, 20));
		ASSERT_TRUE(drain(self));
	}
	EXPECT_TRUE(stormy(self));
	ASSERT_EQ(0, ioctl(self->sfd, ETW_STRESS_STOP_IOC));
	ASSERT_EQ(0, vm_ioctl(self->sfd, ETW_STRESS_TALLY_IOC, &t));
	ASSERT_EQ(0, release(self));
	for (i = 0; i < ETW_STRESS_SOURCES; i++)
		for (cpu = 0; cpu < TALLY_CPUS; cpu++) {
			st = &t.t[i][cpu];
			self->tally.attempted[TALLY_STRESS + i * TALLY_CPUS + cpu] = st->attempted;
			self->tally.failed += st->failed;
			ASSERT_EQ(0, st->rejected);
		}
	TH_LOG("met in tasks %llu, softirq %llu, hardirq %llu, NMI %llu; %llu events of the trap",
	       (unsigned long long)self->trap.hits[ETW_TEST_HIT_TASK],
	       (unsigned long long)self->trap.hits[ETW_TEST_HIT_SOFTIRQ],
	       (unsigned long long)self->trap.hits[ETW_TEST_HIT_HARDIRQ],
	       (unsigned long long)self->trap.hits[ETW_TEST_HIT_NMI],
	       (unsigned long long)self->tally.attempted[TALLY_TRAP]);
	judge(_metadata, self, false);
}

/* ------------------------------------------------------------- page faults */

/* Pages of a file, which keep what is in them when they are unmapped. */
static uint8_t *pages(size_t size)
{
	int fd = memfd_create("t-recursion", MFD_CLOEXEC);
	uint8_t *p = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, size))
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/*
 * An event whose parts have to be faulted in one by one: a fault maps pages
 * around it too, but none so far away.
 */
#define APART	(1UL << 20)

static int put_absent(FIXTURE_DATA(recursion) *self, uint8_t *mem, uint32_t len)
{
	struct etw_event_write *w = (void *)mem;
	struct etw_data_descriptor *d = (void *)(mem + APART);
	uint8_t *payload = mem + 2 * APART;
	uint32_t number = self->tally.attempted[TALLY_USER]++;
	int ret;

	memset(payload, 0x5a, len);
	memcpy(payload, &number, sizeof(number));
	d[0] = (struct etw_data_descriptor){ .ptr = VM_PTR(payload), .size = len / 3 };
	d[1] = (struct etw_data_descriptor){ .ptr = VM_PTR(payload + len / 3),
					     .size = len - len / 3 };
	*w = (struct etw_event_write){ .size = sizeof(*w), .slot = self->slot, .data_count = 2,
				       .data = VM_PTR(d), .desc = { .id = 7, .level = 1 } };
	if (madvise(mem, 3 * APART, MADV_DONTNEED))
		return -errno;
	ret = vm_ioctl(self->fd, ETW_IOC_WRITE, w);
	self->tally.failed += ret == -ENOBUFS;
	return ret;
}

/*
 * The write itself copies the process's memory and faults; each fault writes an event before
 * it is handled.
 */
TEST_F(recursion, page_faults)
{
	uint8_t *mem = pages(3 * APART);
	uint64_t faults = 0;
	uint32_t i, len;

	ASSERT_NE(NULL, mem);
	self->trap.most = 0;
	ASSERT_EQ(0, trap(self, ETW_TEST_TRAP_FAULT));
	for (i = 0; i < 500; i++) {
		len = 8 + i * 61 % 3500;
		ASSERT_EQ(0, put_absent(self, mem, len));
		ASSERT_EQ(0, trap(self, ETW_TEST_TRAP_LOOK));
		/* The event, its descriptors, its payload. */
		ASSERT_LE(faults + 3, self->trap.faults);
		faults = self->trap.faults;
		if (i % 20 == 19)
			ASSERT_TRUE(drain(self));
	}
	ASSERT_EQ(0, release(self));
	TH_LOG("%llu faults in the kernel, %llu events of the trap", (unsigned long long)faults,
	       (unsigned long long)self->tally.attempted[TALLY_TRAP]);
	judge(_metadata, self, true);
	munmap(mem, 3 * APART);
}

/* A fault that cannot be handled: that event is lost and counted, the trap's is not. */
TEST_F(recursion, bad_address)
{
	struct etw_session_stat st;
	uint8_t *mem = pages(3 * APART);
	uint32_t i;

	ASSERT_NE(NULL, mem);
	self->trap.most = 0;
	ASSERT_EQ(0, trap(self, ETW_TEST_TRAP_FAULT));
	for (i = 0; i < 50; i++)
		ASSERT_EQ(0, put_absent(self, mem, 100));
	ASSERT_TRUE(drain(self));
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(-EFAULT, vm_write(self->fd, self->slot, 7, 1, 0, (void *)0x8000, 100));
		self->tally.attempted[TALLY_USER]++;
		self->tally.failed++;
	}
	ASSERT_EQ(0, release(self));
	EXPECT_LE(4 * 50, self->trap.faults);
	ASSERT_EQ(0, vm_stat(self->fd, self->view[ALL].session, &st));
	EXPECT_EQ(50, st.dropped[ETW_DROP_COPY_FAULT]);
	EXPECT_EQ(50, vm_dropped(&st));
	judge(_metadata, self, false);
	munmap(mem, 3 * APART);
}

TEST_HARNESS_MAIN
