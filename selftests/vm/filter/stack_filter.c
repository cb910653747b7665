// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack_filter - filters that choose the events whose stacks a session gets
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

FIXTURE(stacks) {
	int fd;
	int kfd;		/* of the driver; -1: this program writes */
	int slot;
	struct etw_guid guid;
	uint64_t session;
	struct vm_reader r;
	struct vm_events *events;
	struct etw_event_write w;
};

FIXTURE_VARIANT(stacks) {
	bool driver;
};

FIXTURE_VARIANT_ADD(stacks, of_a_program) { false };
FIXTURE_VARIANT_ADD(stacks, of_a_driver) { true };

FIXTURE_SETUP(stacks)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->guid = variant->driver ? (struct etw_guid)ETW_TEST_GUID : vm_guid(1);
	self->kfd = variant->driver ? vm_test_provider() : -1;
	ASSERT_LE(variant->driver ? 0 : -1, self->kfd);
	self->session = vm_start_named(self->fd, "t-stacks");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	self->events = calloc(1, sizeof(*self->events));
	ASSERT_NE(NULL, self->events);
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session, self->guid,
				    ETW_ENABLE_STACK_TRACE, NULL, 0));
	self->w = (struct etw_event_write){ .size = sizeof(self->w), .slot = self->slot };
}

FIXTURE_TEARDOWN(stacks)
{
	vm_reader_close(&self->r);
	free(self->events);
	if (self->kfd >= 0) {
		close(self->kfd);
		EXPECT_EQ(0, vm_rmmod("etw_test"));
	}
	vm_stop_all(self->fd);
	close(self->fd);
}

static int collect(FIXTURE_DATA(stacks) *self)
{
	return vm_collect(self->fd, self->session, &self->r, self->events);
}

static int write_event(FIXTURE_DATA(stacks) *self)
{
	struct etw_test_write k = { .count = 1, .size = 8, .descriptors = 1, .desc = self->w.desc };

	if (self->kfd < 0)
		return vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w);
	return vm_ioctl(self->kfd, ETW_TEST_WRITE, &k) ?: k.ok != 1;
}

/*
 * Events 0 to 4 with levels 1 to 5 and keywords 1, 3, 6, 12 and 24: bit i if
 * the one with id i has a stack.
 */
static int stacks(FIXTURE_DATA(stacks) *self)
{
	unsigned int i, mask = 0;

	for (i = 0; i < 5; i++) {
		self->w.desc.id = i;
		self->w.desc.level = i + 1;
		self->w.desc.keyword = 3u << i >> 1;
		if (write_event(self))
			return -1;
	}
	if (collect(self) != 5)
		return -1;
	for (i = 0; i < 5; i++)
		if (vm_items(&self->events->list[i], ETW_EXT_STACK_TRACE64, NULL) == 1)
			mask |= 1u << self->events->list[i].head.desc.id;
	return mask;
}

static int ask(FIXTURE_DATA(stacks) *self, uint32_t property, const struct etw_filter *f, int n)
{
	return vm_enable_with(self->fd, self->session, self->guid, property, f, n);
}

/* B57 to B59: they only take stacks away, and every event comes. */
TEST_F(stacks, by_id_and_level)
{
	struct etw_filter_level_kw level = { .level = 3, .in = 1 };
	struct etw_filter_event_id data;
	struct etw_filter f[2];

	EXPECT_EQ(31, stacks(self));
	f[0] = vm_id_filter(&data, ETW_FILTER_STACKWALK, true, VM_IDS(1, 3));
	ASSERT_EQ(0, ask(self, ETW_ENABLE_STACK_TRACE, f, 1));
	EXPECT_EQ(1 << 1 | 1 << 3, stacks(self));
	ASSERT_EQ(0, ask(self, 0, f, 1));
	EXPECT_EQ(0, stacks(self));
	data.in = 0;
	ASSERT_EQ(0, ask(self, ETW_ENABLE_STACK_TRACE, f, 1));
	EXPECT_EQ(31 & ~(1 << 1 | 1 << 3), stacks(self));
	f[1] = (struct etw_filter){ .ptr = VM_PTR(&level), .len = sizeof(level),
				    .type = ETW_FILTER_STACKWALK_LEVEL_KW };
	ASSERT_EQ(0, ask(self, ETW_ENABLE_STACK_TRACE, f, 2));
	EXPECT_EQ(1 << 0 | 1 << 2, stacks(self));
	ASSERT_EQ(0, ask(self, ETW_ENABLE_STACK_TRACE, f + 1, 1));
	EXPECT_EQ(7, stacks(self));
	level.in = 0;
	ASSERT_EQ(0, ask(self, ETW_ENABLE_STACK_TRACE, f + 1, 1));
	EXPECT_EQ(31 & ~7, stacks(self));
}

/* B59: any keyword of MatchAny, every one of MatchAll, or none of such events */
TEST_F(stacks, by_keyword)
{
	static const struct {
		uint64_t any, all;
		unsigned int stacks;	/* of the events that match */
	} rules[] = {
		{ 0, 0, 31 }, { 1, 0, 1 << 0 | 1 << 1 }, { 6, 0, 1 << 1 | 1 << 2 | 1 << 3 },
		{ 0, 2, 1 << 1 | 1 << 2 }, { 0, 6, 1 << 2 }, { 8, 4, 1 << 3 },
		{ 2, 4, 1 << 2 }, { 0, 9, 0 }, { 6, 32, 0 }, { 32, 0, 0 },
	};
	struct etw_filter_level_kw level;
	struct etw_filter f = { .ptr = VM_PTR(&level), .len = sizeof(level),
				.type = ETW_FILTER_STACKWALK_LEVEL_KW };
	unsigned int i, in;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		for (in = 0; in < 2; in++) {
			level = (struct etw_filter_level_kw){
				.in = in, .any = rules[i].any, .all = rules[i].all };
			ASSERT_EQ(0, ask(self, ETW_ENABLE_STACK_TRACE, &f, 1));
			EXPECT_EQ(in ? rules[i].stacks : 31 & ~rules[i].stacks, stacks(self))
				TH_LOG("rule %u, in %u", i, in);
		}
	}
	level = (struct etw_filter_level_kw){ .in = 1, .level = 3, .any = 6, .all = 4 };
	ASSERT_EQ(0, ask(self, ETW_ENABLE_STACK_TRACE, &f, 1));
	EXPECT_EQ(1 << 2, stacks(self));
}

TEST_HARNESS_MAIN
