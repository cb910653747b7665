// SPDX-License-Identifier: GPL-2.0-only
/*
 * context - task, softirq, hardirq or NMI: which of them wrote an event, and how deep each may
 * nest
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_items.h"
#include "lib/vm_tally.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

static const struct etw_guid kguid = ETW_TEST_GUID, stress_guid = ETW_STRESS_GUID;

#define NESTING_MAX	"/sys/module/etw/parameters/nesting_max"
#define NESTING_DEFAULT	"8"

FIXTURE(context) {
	int fd;
	int kfd;			/* etw_test */
	int sfd;			/* etw_stress, or -1 */
	int slot;
	uint64_t session;
	struct vm_reader r;
	struct vm_events *events;
};

static int enable(FIXTURE_DATA(context) *self, struct etw_guid guid)
{
	return vm_enable_with(self->fd, self->session, guid, ETW_ENABLE_CONTEXT, NULL, 0);
}

FIXTURE_SETUP(context)
{
	self->sfd = -1;
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->kfd = vm_test_provider();
	ASSERT_LE(0, self->kfd);
	self->session = vm_start_named(self->fd, "t-context");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	self->events = calloc(1, sizeof(*self->events));
	ASSERT_NE(NULL, self->events);
	ASSERT_EQ(0, enable(self, vm_guid(1)));
	ASSERT_EQ(0, enable(self, kguid));
}

FIXTURE_TEARDOWN(context)
{
	EXPECT_TRUE(vm_write_text(NESTING_MAX, NESTING_DEFAULT));
	vm_reader_close(&self->r);
	free(self->events);
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	EXPECT_EQ(0, vm_stress_end(self->sfd));
	vm_stop_all(self->fd);
	close(self->fd);
}

/* The context of the only event since the last time; its context is 255 if it has none. */
static struct etw_ext_context collect(FIXTURE_DATA(context) *self)
{
	struct etw_ext_context found = { .context = 255 };
	const void *data = NULL;
	uint16_t len = 0;

	if (vm_collect(self->fd, self->session, &self->r, self->events) == 1)
		data = vm_item(&self->events->list[0], ETW_EXT_CONTEXT, &len);
	if (data && len == sizeof(found))
		memcpy(&found, data, sizeof(found));
	return found;
}

static struct etw_ext_context kernel_event(FIXTURE_DATA(context) *self, uint32_t context)
{
	struct etw_test_write w = { .count = 1, .size = 9, .descriptors = 1, .context = context,
				    .desc = { .id = 1, .level = 1, .keyword = 1 } };

	if (vm_ioctl(self->kfd, ETW_TEST_WRITE, &w) || w.ok != 1)
		return (struct etw_ext_context){ .context = 255 };
	return collect(self);
}

TEST_F(context, of_processes)
{
	struct etw_ext_context c;

	ASSERT_EQ(0, vm_write(self->fd, self->slot, 1, 1, 1, "x", 1));
	c = collect(self);
	EXPECT_EQ(ETW_CONTEXT_TASK, c.context);
	EXPECT_EQ(0, c.flags);
	EXPECT_EQ(0, c.preempt_depth);
	EXPECT_EQ(0, c.reserved);
}

#define ANY_DEPTH	0xffff	/* what an interrupt interrupted is not known */

/* Each context of a driver, and each thing that it can disable. */
TEST_F(context, of_drivers)
{
	static const struct {
		uint32_t from;
		uint8_t context, flags;
		uint16_t preempt_depth;
	} each[] = {
		{ ETW_TEST_PROCESS, ETW_CONTEXT_TASK, 0, 0 },
		{ ETW_TEST_IRQS_OFF, ETW_CONTEXT_TASK, ETW_CONTEXT_IRQS_OFF, 0 },
		{ ETW_TEST_BH_OFF, ETW_CONTEXT_TASK, ETW_CONTEXT_BH_OFF, 0 },
		{ ETW_TEST_PREEMPT_OFF, ETW_CONTEXT_TASK, 0, 2 },
		{ ETW_TEST_SOFTIRQ, ETW_CONTEXT_SOFTIRQ, 0, ANY_DEPTH },
		{ ETW_TEST_HARDIRQ, ETW_CONTEXT_HARDIRQ, ETW_CONTEXT_IRQS_OFF, ANY_DEPTH },
	};
	struct etw_test_activity activity = { .control = 2, .id = vm_guid(41) };
	struct etw_ext_context c;
	unsigned int i, round;

	/* The second time the task has an activity id. */
	for (round = 0; round < 2; round++) {
		for (i = 0; i < ARRAY_SIZE(each); i++) {
			c = kernel_event(self, each[i].from);
			EXPECT_EQ(each[i].context, c.context);
			EXPECT_EQ(each[i].flags, c.flags & ~(each[i].from == ETW_TEST_HARDIRQ ?
							     ETW_CONTEXT_BH_OFF : 0))
				TH_LOG("%u: flags %#x", each[i].from, c.flags);
			if (each[i].preempt_depth != ANY_DEPTH)
				EXPECT_EQ(each[i].preempt_depth, c.preempt_depth);
			EXPECT_EQ(0, c.reserved);
		}
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_ACTIVITY, &activity));
		ASSERT_EQ(0, activity.result);
	}
}

/* --------------------------------------------- interrupts of each other */

struct seen {
	uint64_t of[ETW_STRESS_SOURCES];
	uint64_t over_hardirq;		/* NMIs that interrupted one */
	uint64_t wrong;
};

/* A vm_record_fn: is the context that of the event's source? */
static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	static const uint8_t contexts[ETW_STRESS_SOURCES] = {
		[ETW_STRESS_THREAD] = ETW_CONTEXT_TASK,
		[ETW_STRESS_TIMER] = ETW_CONTEXT_HARDIRQ,
		[ETW_STRESS_NMI] = ETW_CONTEXT_NMI,
	};
	const struct etw_ext_item *item = (const void *)r->ext;
	struct seen *seen = ctx;
	struct etw_ext_context c;
	uint32_t source;

	(void)b;
	memcpy(&source, r->data, sizeof(source));
	if (!item || item->type != ETW_EXT_CONTEXT || source >= ETW_STRESS_SOURCES) {
		seen->wrong++;
		return;
	}
	memcpy(&c, item + 1, sizeof(c));
	seen->of[source]++;
	seen->wrong += c.context != contexts[source];
	seen->wrong += source != ETW_STRESS_THREAD && !(c.flags & ETW_CONTEXT_IRQS_OFF);
	seen->wrong += source != ETW_STRESS_NMI && c.flags & ETW_CONTEXT_IN_HARDIRQ;
	seen->over_hardirq += !!(c.flags & ETW_CONTEXT_IN_HARDIRQ);
}

#define STORM_MS	120000	/* the longest, on a machine that is slow */

static int storm(FIXTURE_DATA(context) *self)
{
	static const struct etw_stress_start config = {
		.pause_us = 500, .burst = 10, .timer_us = 1000, .nmi_us = 500,
		.limit = UINT64_MAX };
	int ret;

	vm_rmmod_try("etw_stress");
	ret = vm_insmod("etw_stress");
	if (ret)
		return ret;
	self->sfd = vm_kmod_open("etw_stress");
	ret = self->sfd < 0 ? self->sfd : enable(self, stress_guid);
	return ret ? ret : vm_ioctl(self->sfd, ETW_STRESS_START_IOC, (void *)&config);
}

/* Threads, hard timers and NMIs of all CPUs: an NMI can interrupt both others. */
TEST_F(context, of_nmis)
{
	const long long begin = vm_ms();
	struct seen seen = { .wrong = 0 };

	ASSERT_EQ(0, storm(self));
	while (vm_ms() - begin < STORM_MS) {
		ASSERT_EQ(0, vm_flush(self->fd, self->session));
		ASSERT_EQ(-EAGAIN, vm_drain(&self->r, see, &seen));
		if (seen.of[ETW_STRESS_NMI] > 500 && seen.over_hardirq > 5)
			break;
	}
	TH_LOG("%llu by threads, %llu by timers, %llu by NMIs, %llu of them in timers",
	       (unsigned long long)seen.of[ETW_STRESS_THREAD],
	       (unsigned long long)seen.of[ETW_STRESS_TIMER],
	       (unsigned long long)seen.of[ETW_STRESS_NMI], (unsigned long long)seen.over_hardirq);
	EXPECT_EQ(0, seen.wrong);
	EXPECT_LT(0, seen.of[ETW_STRESS_THREAD]);
	EXPECT_LT(0, seen.of[ETW_STRESS_TIMER]);
	EXPECT_LT(500, seen.of[ETW_STRESS_NMI]);
	EXPECT_LT(0, seen.over_hardirq);
}

/* ---------------------------------------------------------------- nesting */

/*
 * A task may take all levels there are: here one.  A timer that interrupts its write, and an
 * NMI that interrupts either, have levels of their own.
 */
TEST_F(context, levels_of_their_own)
{
	struct etw_stress_tallies t;
	struct seen seen = { .wrong = 0 };
	uint64_t nested[ETW_STRESS_SOURCES] = { 0 };
	struct etw_session_stat st;
	const long long begin = vm_ms();
	int cpu, source;

	ASSERT_TRUE(vm_write_text(NESTING_MAX, "1"));
	ASSERT_EQ(0, storm(self));
	while (vm_ms() - begin < STORM_MS) {
		ASSERT_EQ(0, vm_flush(self->fd, self->session));
		ASSERT_EQ(-EAGAIN, vm_drain(&self->r, see, &seen));
		ASSERT_EQ(0, vm_ioctl(self->sfd, ETW_STRESS_TALLY_IOC, &t));
		memset(nested, 0, sizeof(nested));
		for (source = 0; source < ETW_STRESS_SOURCES; source++)
			for (cpu = 0; cpu < ETW_STRESS_CPUS; cpu++)
				nested[source] += t.t[source][cpu].nested;
		if (nested[ETW_STRESS_TIMER] > 100 && nested[ETW_STRESS_NMI] > 30)
			break;
	}
	TH_LOG("%llu timers and %llu NMIs interrupted a write of a thread",
	       (unsigned long long)nested[ETW_STRESS_TIMER],
	       (unsigned long long)nested[ETW_STRESS_NMI]);
	EXPECT_LT(100, nested[ETW_STRESS_TIMER]);
	EXPECT_LT(30, nested[ETW_STRESS_NMI]);
	ASSERT_EQ(0, ioctl(self->sfd, ETW_STRESS_STOP_IOC));
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(0, st.dropped[ETW_DROP_NESTING]);
	EXPECT_EQ(0, seen.wrong);
}

TEST_HARNESS_MAIN
