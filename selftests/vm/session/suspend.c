// SPDX-License-Identifier: GPL-2.0-only
/*
 * suspend - the machine sleeps while events are written, with its memory on or on a disk
 *
 * The kernel's own tests of suspend and hibernation end it at a certain step: "freezer" after the
 * programs are frozen, "core" after the clocks have stopped.  The clocks of all sessions go on in
 * the sleep, no time runs backwards, and a record in each session says when the machine slept.
 *
 * TIMEOUT: 600
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/fault/vm_epoch.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

#define POWER		"/sys/power/"
#define DELAY		"/sys/module/suspend/parameters/pm_test_delay"
#define SESSIONS	4
#define CORE_NS		250000000	/* at least, of the two seconds that a test sleeps */
#define LOG		"/tmp/suspend.etl"

FIXTURE(suspend) {
	struct vm_epoch e[SESSIONS];
};

FIXTURE_VARIANT(suspend) {
	const char *level;
	const char *parameter;	/* of etw.ko */
	const char *state;	/* how the machine sleeps, and what the record calls it */
	const char *cause;
};

FIXTURE_VARIANT_ADD(suspend, freezer) { "freezer", "trust_tsc=1", "mem", "suspend" };
FIXTURE_VARIANT_ADD(suspend, core) { "core", "trust_tsc=1", "mem", "suspend" };
FIXTURE_VARIANT_ADD(suspend, core_without_tsc) { "core", "trust_tsc=0", "mem", "suspend" };
FIXTURE_VARIANT_ADD(suspend, hibernation) { "freezer", "trust_tsc=1", "disk", "hibernation" };

/* Is the word among those in the file? */
static bool offers(const char *path, const char *word)
{
	char words[128];
	FILE *f = fopen(path, "re");
	bool found = f && fgets(words, sizeof(words), f) && strstr(words, word);

	if (f)
		fclose(f);
	return found;
}

static int64_t ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Accurate to 100 us: again if something came between the two clocks. */
static int64_t slept(void)
{
	int64_t before, boot, after;

	do {
		before = ns(CLOCK_MONOTONIC);
		boot = ns(CLOCK_BOOTTIME);
		after = ns(CLOCK_MONOTONIC);
	} while (after - before > 100000);
	return boot - before;
}

FIXTURE_SETUP(suspend)
{
	struct etw_test_machine m = { .what = ETW_TEST_MACHINE_DEVICES };
	int fd;

	if (!offers(POWER "state", variant->state) ||
	    !vm_write_text(POWER "pm_test", variant->level))
		SKIP(return, "this kernel cannot try to sleep");
	/*
	 * The kernel measures the sleep by the RTC, which counts seconds, and from which its own
	 * clock differs by half a second: of two seconds it sees at least a half.
	 */
	vm_write_text(DELAY, strcmp(variant->level, "core") ? "0" : "2");
	vm_write_text(POWER "mem_sleep", "deep");
	ASSERT_EQ(0, vm_rmmod("etw"));
	ASSERT_EQ(0, vm_insmod_with("etw", variant->parameter));
	fd = vm_kmod_fresh("etw_test");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, vm_ioctl(fd, ETW_TEST_MACHINE, &m));
	close(fd);
	ASSERT_EQ(0, vm_rmmod("etw_test"));
}

FIXTURE_TEARDOWN(suspend)
{
	if (!_metadata->skip)
		vm_write_text(POWER "pm_test", "none");
}

/* What the record says, and what the times of the events say. */
static void check(struct __test_metadata *_metadata, const struct vm_epoch *e, const char *cause,
		  int64_t sleep, int64_t from_time, int64_t to_time)
{
	const struct vm_change *c = &e->change[0];
	double seconds, wall;

	TH_LOG("%s: %s, %s, %llu to %llu, %.3f s asleep", e->s.clock == ETW_CLOCK_SYSTEM ?
	       "system" : "ticks", c->cause, c->clock, (unsigned long long)c->from,
	       (unsigned long long)c->to, (double)c->asleep_ns / 1e9);
	ASSERT_EQ(1, e->changes);
	EXPECT_STREQ(cause, c->cause);
	EXPECT_LT(c->from, c->to);
	EXPECT_LE(c->to, (uint64_t)c->timestamp);
	EXPECT_LT(llabs((int64_t)c->asleep_ns - sleep), 1000000);
	EXPECT_LE(from_time, (int64_t)c->from_time);
	EXPECT_LE((int64_t)c->from_time, (int64_t)c->to_time);
	EXPECT_LE((int64_t)c->to_time, to_time);
	/* The session's clock went on as the wall clock did. */
	seconds = (double)(c->to - c->from) / e->s.clock_freq;
	wall = (double)(c->to_time - c->from_time) / VM_WALL_FREQ;
	EXPECT_LT(seconds, wall * 1.02 + 0.1);
	EXPECT_LT(wall, seconds * 1.02 + 0.1);
}

/* After a sleep the three clocks of a flush still belong together. */
static void check_sync(struct __test_metadata *_metadata, const struct vm_epoch *e)
{
	double clock, mono, real;
	struct etw_session q;

	ASSERT_EQ(0, vm_query(e->fd, e->s.handle, &q));
	clock = (double)(q.sync_clock - q.start_clock) / q.clock_freq;
	mono = (double)(q.sync_mono - q.start_mono) / 1e9;
	real = (double)(q.sync_wall - q.start_wall) / VM_WALL_FREQ;
	EXPECT_LT(clock, mono * 1.02 + 0.1);
	EXPECT_LT(mono, clock * 1.02 + 0.1);
	EXPECT_LT(real, mono * 1.02 + 0.1);
	EXPECT_LT(mono, real * 1.02 + 0.1);
}

/* A log file has the record, too, which decodes like any TraceLogging event. */
static void check_file(struct __test_metadata *_metadata, const char *cause)
{
	static struct vc_run r;

	ASSERT_EQ(0, vc_run(&r, "stop", "t-suspend-file", NULL));
	ASSERT_EQ(0, vc_run(&r, "dump", LOG, NULL));
	EXPECT_TRUE(vc_printed(&r, "Etw-Clock"));
	EXPECT_TRUE(vc_printed(&r, "ClockChange"));
	EXPECT_TRUE(vc_printed(&r, cause));
	EXPECT_TRUE(vc_printed(&r, "AsleepNs"));
}

TEST_F(suspend, sleeps)
{
	static const struct {
		const char *name;
		uint32_t clock, mode;
	} all[SESSIONS] = {
		{ "t-suspend-qpc", ETW_CLOCK_QPC, ETW_MODE_REAL_TIME },
		{ "t-suspend-system", ETW_CLOCK_SYSTEM, ETW_MODE_REAL_TIME },
		{ "t-suspend-cycles", ETW_CLOCK_CYCLES, ETW_MODE_REAL_TIME },
		{ "t-suspend-ring", ETW_CLOCK_QPC, ETW_MODE_BUFFERING },
	};
	static struct vc_run r;
	int64_t sleep, from, to;
	int i;

	if (_metadata->skip)
		return;
	unlink(LOG);
	ASSERT_EQ(0, vc_run(&r, "start", "t-suspend-file", "--file", LOG, NULL));
	for (i = 0; i < SESSIONS; i++)
		ASSERT_EQ(0, vm_epoch_begin(&self->e[i], all[i].name, all[i].clock, all[i].mode));
	for (i = 0; i < SESSIONS; i++)
		ASSERT_TRUE(vm_epoch_go_on(&self->e[i]));
	sleep = slept();
	from = vm_filetime();
	ASSERT_TRUE(vm_write_text(POWER "state", variant->state));
	sleep = slept() - sleep;
	TH_LOG("%.3f s asleep", (double)sleep / 1e9);
	if (!strcmp(variant->level, "core"))
		EXPECT_LT(CORE_NS, sleep);
	for (i = 0; i < SESSIONS; i++)
		ASSERT_TRUE(vm_epoch_go_on(&self->e[i]));
	for (i = 0; i < SESSIONS; i++) {
		ASSERT_EQ(0, vm_epoch_read(&self->e[i]));
		to = vm_filetime();
		check(_metadata, &self->e[i], variant->cause, sleep, from, to);
		check_sync(_metadata, &self->e[i]);
		EXPECT_EQ(0, vm_epoch_end(&self->e[i]));
	}
	check_file(_metadata, variant->cause);
}

TEST_HARNESS_MAIN
