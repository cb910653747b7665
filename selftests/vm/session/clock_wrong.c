// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock_wrong - the TSC turns out to be wrong while events are written
 *
 * Sessions that count its ticks go on counting by another clock: no time runs backwards, and
 * a record in each session says from when to when its times may be doubted.  Later sessions
 * do not use the TSC.  A machine's TSC does not become good again: run this program as one
 * of the last of a machine, with ETW_CLOCK_WRONG=1.
 *
 * TIMEOUT: 600
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/fault/vm_epoch.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

#define SOURCE	"/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define IDLE_ROUNDS 4	/* of VM_LIMIT_MS each */
#define WRAP_MS	4687	/* of the 24 bits of acpi_pm */
#define POWER	"/sys/power/"
#define DELAY	"/sys/module/suspend/parameters/pm_test_delay"

FIXTURE(wrong) {
	int test;
	struct vm_epoch e, ring, wall;
};

FIXTURE_SETUP(wrong)
{
	if (!getenv("ETW_CLOCK_WRONG"))
		SKIP(return, "ETW_CLOCK_WRONG=1 runs it");
	/* A new module trusts the TSC again, unless the kernel does not. */
	ASSERT_EQ(0, vm_rmmod("etw"));
	ASSERT_EQ(0, vm_insmod_with("etw", "trust_tsc=1"));
	self->test = vm_kmod_fresh("etw_test");
	ASSERT_LE(0, self->test);
	if (!vm_tsc_trusted())
		SKIP(return, "the TSC is already unstable");
	ASSERT_EQ(0, vm_epoch_begin(&self->e, "t-wrong", ETW_CLOCK_QPC, ETW_MODE_REAL_TIME));
	ASSERT_EQ(0, vm_epoch_begin(&self->ring, "t-wrong-ring", ETW_CLOCK_CYCLES,
				    ETW_MODE_BUFFERING));
	ASSERT_EQ(0, vm_epoch_begin(&self->wall, "t-wrong-wall", ETW_CLOCK_SYSTEM,
				    ETW_MODE_REAL_TIME));
	EXPECT_NE(VM_MONO_FREQ, self->e.s.clock_freq);
	EXPECT_NE(VM_WALL_FREQ, self->ring.s.clock_freq);
}

FIXTURE_TEARDOWN(wrong)
{
	if (_metadata->skip)
		return;
	close(self->test);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
}

static bool go_on(FIXTURE_DATA(wrong) *self)
{
	return vm_epoch_go_on(&self->e) && vm_epoch_go_on(&self->ring) &&
	       vm_epoch_go_on(&self->wall);
}

/* The clock of a session that starts now. */
static uint64_t new_frequency(int fd)
{
	struct etw_session s = vm_session("t-wrong-new");

	s.clock = ETW_CLOCK_QPC;
	if (vm_start(fd, &s) || vm_stop(fd, s.handle))
		return 0;
	return s.clock_freq;
}

static void check(struct __test_metadata *_metadata, struct vm_epoch *e, const char *cause)
{
	const struct vm_change *c = &e->change[0];
	struct etw_session q;
	double clock, mono;

	ASSERT_EQ(1, e->changes);
	TH_LOG("%s, %s, %llu to %llu", c->cause, c->clock, (unsigned long long)c->from,
	       (unsigned long long)c->to);
	EXPECT_STREQ(cause, c->cause);
	EXPECT_LT(c->from, c->to);
	EXPECT_LE(c->to, (uint64_t)c->timestamp);
	EXPECT_EQ(0, c->asleep_ns);
	/* It still counts, at its old rate. */
	ASSERT_EQ(0, vm_query(e->fd, e->s.handle, &q));
	EXPECT_EQ(e->s.clock_freq, q.clock_freq);
	clock = (double)(q.sync_clock - c->to) / q.clock_freq;
	mono = (double)(q.sync_wall - c->to_time) / VM_WALL_FREQ;
	EXPECT_LT(clock, mono * 1.02 + 0.1);
	EXPECT_LT(mono, clock * 1.02 + 0.1);
}

/* End all sessions; 0: nothing was lost, and no time ran backwards. */
static int end_all(FIXTURE_DATA(wrong) *self)
{
	int ret = vm_epoch_end(&self->e);

	ret = vm_epoch_end(&self->ring) ?: ret;
	return vm_epoch_end(&self->wall) ?: ret;
}

static void go_through(struct __test_metadata *_metadata, FIXTURE_DATA(wrong) *self,
		       const char *cause)
{
	/* One flush finds out, for all sessions. */
	ASSERT_EQ(0, vm_epoch_read(&self->e));
	ASSERT_TRUE(go_on(self));
	ASSERT_EQ(0, vm_epoch_read(&self->e));
	ASSERT_EQ(0, vm_epoch_read(&self->ring));
	check(_metadata, &self->e, cause);
	check(_metadata, &self->ring, cause);
	EXPECT_EQ(VM_MONO_FREQ, new_frequency(self->e.fd));
	EXPECT_EQ(0, end_all(self));
	EXPECT_EQ(0, self->wall.changes);
}

/* Let the kernel's clock have a source that wraps.  False: the test is skipped. */
static bool may_jump(struct __test_metadata *_metadata, FIXTURE_DATA(wrong) *self)
{
	if (_metadata->skip)
		return false;
	if (!vm_write_text(SOURCE, "acpi_pm")) {
		end_all(self);
		SKIP(return false, "this machine has no clock source that wraps");
	}
	EXPECT_TRUE(go_on(self));
	EXPECT_EQ(0, vm_epoch_read(&self->e));
	EXPECT_EQ(0, self->e.changes);
	return true;
}

/*
 * The kernel's clock does not advance with the TSC: its source wraps while no tick counts
 * that.  So it is after a migration to a machine whose TSC is ahead.  It must not wrap again;
 * the time that it lost stays lost.
 */
static void jump(struct __test_metadata *_metadata, const FIXTURE_DATA(wrong) *self)
{
	struct etw_test_machine m = {
		.what = ETW_TEST_MACHINE_STALL, .ms = WRAP_MS * 9 / 8, .wrap_ms = WRAP_MS,
	};

	ASSERT_EQ(0, vm_ioctl(self->test, ETW_TEST_MACHINE, &m));
	ASSERT_TRUE(vm_write_text(SOURCE, "tsc"));
}

TEST_F_TIMEOUT(wrong, a_jumps, 120)
{
	if (!may_jump(_metadata, self))
		return;
	jump(_metadata, self);
	ASSERT_TRUE(go_on(self));
	go_through(_metadata, self, "the TSC has jumped");
}

/* Nobody has looked since: STOP does, while the session can still have the record. */
TEST_F_TIMEOUT(wrong, a_stops, 120)
{
	const struct vm_change *c = &self->e.change[0];

	if (!may_jump(_metadata, self))
		return;
	jump(_metadata, self);
	ASSERT_TRUE(go_on(self));
	EXPECT_EQ(0, vm_epoch_stop(&self->e));
	EXPECT_EQ(1, self->e.changes);
	EXPECT_STREQ("the TSC has jumped", c->cause);
	EXPECT_LT(c->from, c->to);
	EXPECT_LE(c->to, (uint64_t)c->timestamp);
	EXPECT_EQ(0, vm_epoch_end(&self->ring));
	EXPECT_EQ(1, self->ring.changes);
	EXPECT_EQ(0, vm_epoch_end(&self->wall));
}

/* Nobody has looked since, and the machine sleeps: that must not hide it. */
TEST_F_TIMEOUT(wrong, a_sleeps, 120)
{
	if (_metadata->skip)
		return;
	if (!vm_write_text(POWER "pm_test", "freezer")) {
		end_all(self);
		SKIP(return, "this kernel cannot try to sleep");
	}
	if (!may_jump(_metadata, self))
		return;
	jump(_metadata, self);
	vm_write_text(DELAY, "1");
	ASSERT_TRUE(vm_write_text(POWER "state", "mem"));
	EXPECT_TRUE(vm_write_text(POWER "pm_test", "none"));
	ASSERT_TRUE(go_on(self));
	EXPECT_EQ(0, end_all(self));
	EXPECT_EQ(2, self->e.changes);
	EXPECT_STREQ("the TSC has jumped", self->e.change[0].cause);
	EXPECT_STREQ("suspend", self->e.change[1].cause);
	EXPECT_LE(self->e.change[0].to, self->e.change[1].from);
	EXPECT_EQ(2, self->ring.changes);
	EXPECT_EQ(1, self->wall.changes);
}

/* No event, delivery, flush or stop looks; the module does so by itself, once a minute. */
TEST_F_TIMEOUT(wrong, a_idle, 500)
{
	int rounds;

	if (!may_jump(_metadata, self))
		return;
	ASSERT_EQ(0, vm_epoch_quiet(&self->e));
	ASSERT_EQ(0, vm_epoch_quiet(&self->ring));
	ASSERT_EQ(0, vm_epoch_quiet(&self->wall));
	jump(_metadata, self);
	for (rounds = 0; rounds < IDLE_ROUNDS && !self->e.changes; rounds++)
		vm_until(vm_epoch_take(&self->e) || self->e.changes);
	EXPECT_EQ(1, self->e.changes);
	EXPECT_STREQ("the TSC has jumped", self->e.change[0].cause);
	EXPECT_EQ(0, end_all(self));
}

TEST_F(wrong, b_unstable)
{
	struct etw_test_machine m = { .what = ETW_TEST_MACHINE_TSC };

	if (_metadata->skip)
		return;
	ASSERT_TRUE(go_on(self));
	ASSERT_EQ(0, vm_ioctl(self->test, ETW_TEST_MACHINE, &m));
	ASSERT_TRUE(go_on(self));
	go_through(_metadata, self, "the TSC is unstable");
}

TEST_HARNESS_MAIN
