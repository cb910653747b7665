// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack - stacks of writers as extended items, and the filters for them
 */
#include "vm_items.h"
#include "vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

#define NESTED	__attribute__((__noinline__, __optimize__("no-omit-frame-pointer", \
						      "no-optimize-sibling-calls")))

static const struct etw_guid kguid = ETW_TEST_GUID;

FIXTURE(stack) {
	int fd;
	int kfd;
	int slot;
	uint64_t session;
	struct vm_reader r;
	struct vm_events *events;
	struct etw_event_write w;
	struct etw_test_write k;
};

FIXTURE_SETUP(stack)
{
	struct etw_test_register reg = { .index = 0 };

	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	vm_rmmod_try("etw_test");
	ASSERT_EQ(0, vm_insmod("etw_test"));
	self->kfd = vm_kmod_open("etw_test");
	ASSERT_LE(0, self->kfd);
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_REGISTER, &reg));
	self->session = vm_start_named(self->fd, "t-stack");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	self->events = calloc(1, sizeof(*self->events));
	ASSERT_NE(NULL, self->events);
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session, vm_guid(1),
				    ETW_ENABLE_STACK_TRACE, NULL, 0));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session, kguid, ETW_ENABLE_STACK_TRACE,
				    NULL, 0));
	self->w = (struct etw_event_write){ .size = sizeof(self->w), .slot = self->slot,
					    .desc = { .id = 1, .level = 1, .keyword = 1 } };
	self->k = (struct etw_test_write){ .count = 1, .size = 8, .descriptors = 1,
					   .desc = { .id = 1, .level = 1, .keyword = 1 } };
}

FIXTURE_TEARDOWN(stack)
{
	vm_reader_close(&self->r);
	free(self->events);
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	vm_stop_all(self->fd);
	close(self->fd);
}

static int collect(FIXTURE_DATA(stack) *self)
{
	int ret = vm_flush(self->fd, self->session);

	memset(self->events, 0, sizeof(*self->events));
	ret = ret ?: vm_drain(&self->r, vm_keep, self->events);
	return ret == -EAGAIN ? 0 : ret;
}

/* The frames of event i, and how many; 0: it has no stack. */
static unsigned int frames_of(FIXTURE_DATA(stack) *self, unsigned int i, const uint64_t **frames)
{
	uint16_t len = 0;
	const uint64_t *data = vm_item(&self->events->list[i], ETW_EXT_STACK_TRACE64, &len);

	if (!data || len < 8 || len % 8 || data[0])
		return 0;	/* MatchId is 0: nothing else belongs to it */
	*frames = data + 1;
	return len / 8 - 1;
}

/* --------------------------------------------------------- of a process, walked */

static uint64_t returns[3];

#define RETURN_HERE(i)	(returns[i] = (uintptr_t)__builtin_return_address(0))

static NESTED int inner(FIXTURE_DATA(stack) *self)
{
	RETURN_HERE(0);
	return vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w);
}

static NESTED int middle(FIXTURE_DATA(stack) *self)
{
	RETURN_HERE(1);
	return inner(self);
}

static NESTED int outer(FIXTURE_DATA(stack) *self)
{
	RETURN_HERE(2);
	return middle(self);
}

static NESTED int deeper(FIXTURE_DATA(stack) *self, int depth)
{
	return depth ? deeper(self, depth - 1) : outer(self);
}

/* The kernel follows frame pointers; libc's own frame has none. */
TEST_F(stack, frame_pointers)
{
	const uint64_t *frames;
	unsigned int n, i, found = 0;

	ASSERT_EQ(0, outer(self));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(1, self->events->count);
	n = frames_of(self, 0, &frames);
	ASSERT_LE(4, n);
	for (i = 0; i < n && found < 3; i++)
		found += frames[i] == returns[found];
	EXPECT_EQ(3, found);
	/* None of the kernel's. */
	for (i = 0; i < n; i++)
		EXPECT_GT(1ull << 47, frames[i]);
}

/* B60: of a deep stack the innermost frames are kept. */
TEST_F(stack, the_deepest)
{
	const uint64_t *frames;
	unsigned int n, i, found = 0;

	ASSERT_EQ(0, deeper(self, 400));
	ASSERT_EQ(0, collect(self));
	n = frames_of(self, 0, &frames);
	EXPECT_EQ(ETW_STACK_MAX, n);
	for (i = 0; i < n && found < 3; i++)
		found += frames[i] == returns[found];
	EXPECT_EQ(3, found);
}

/* A frame pointer may be anything: the walk ends there. */
static NESTED int with_frame_pointer(FIXTURE_DATA(stack) *self, uint64_t value)
{
	long ret;

	asm volatile("push %%rbp; mov %[bp], %%rbp; syscall; pop %%rbp"
		     : "=a"(ret)
		     : "a"(16L), "D"((long)self->fd), "S"((long)ETW_IOC_WRITE), "d"(&self->w),
		       [bp] "r"(value)
		     : "rcx", "r11", "memory");
	return ret;
}

TEST_F(stack, bad_frame_pointers)
{
	static uint64_t loop[4] __attribute__((aligned(16)));
	const uint64_t *frames;
	uint64_t values[] = { 0, 1, 8, 0x1000, 0x7ffffffffff8, 0x800000000000,
			      0xffff888000000000, 0xffffffffffffffff, 0xfffffffffffffff8, 0, 0 };
	unsigned int i;

	loop[0] = (uintptr_t)loop;	/* leads to itself */
	loop[1] = 0x1234;
	values[9] = (uintptr_t)loop;
	values[10] = (uintptr_t)loop + 1;
	for (i = 0; i < ARRAY_SIZE(values); i++)
		ASSERT_EQ(0, with_frame_pointer(self, values[i]));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(ARRAY_SIZE(values), self->events->count);
	for (i = 0; i < ARRAY_SIZE(values); i++)
		EXPECT_EQ(i == 9 ? 2 : 1, frames_of(self, i, &frames));
}

/* --------------------------------------------------------- of a process, given */

TEST_F(stack, given_by_the_writer)
{
	static uint64_t own[ETW_STACK_MAX + 1];
	struct etw_session_stat st;
	const uint64_t *frames;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(own); i++)
		own[i] = 0x1000 + i;
	self->w.stack = VM_PTR(own);
	self->w.stack_count = 1;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	self->w.stack_count = ETW_STACK_MAX;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(2, self->events->count);
	ASSERT_EQ(1, frames_of(self, 0, &frames));
	EXPECT_EQ(0x1000, frames[0]);
	ASSERT_EQ(ETW_STACK_MAX, frames_of(self, 1, &frames));
	EXPECT_EQ(0, memcmp(own, frames, ETW_STACK_MAX * sizeof(own[0])));
	self->w.stack_count = ETW_STACK_MAX + 1;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	self->w.stack_count = 1;
	self->w.reserved = 1;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	self->w.reserved = 0;
	self->w.stack = 8;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(2, st.written);
	EXPECT_EQ(1, st.dropped[ETW_DROP_COPY_FAULT]);
}

/* Asked for only where a session has the event, and its stack. */
TEST_F(stack, given_when_asked_for)
{
	static uint64_t own = 0x1234;
	struct etw_filter_event_id data;
	struct etw_session_stat st;
	const uint64_t *frames;
	struct etw_filter f;

	self->w.flags |= ETW_WRITE_CAN_WALK;
	EXPECT_EQ(-ENODATA, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(0, st.written);
	self->w.stack = VM_PTR(&own);
	self->w.stack_count = 1;
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	self->w.stack_count = 0;
	self->w.filter = ~0ull;
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	self->w.filter = 0;
	f = vm_id_filter(&data, ETW_FILTER_STACKWALK, false, VM_IDS(self->w.desc.id));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session, vm_guid(1),
				    ETW_ENABLE_STACK_TRACE, &f, 1));
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	f = vm_id_filter(&data, ETW_FILTER_EVENT_ID, false, VM_IDS(self->w.desc.id));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session, vm_guid(1),
				    ETW_ENABLE_STACK_TRACE, &f, 1));
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(2, self->events->count);
	ASSERT_EQ(1, frames_of(self, 0, &frames));
	EXPECT_EQ(own, frames[0]);
	EXPECT_EQ(0, frames_of(self, 1, &frames));
}

/* ---------------------------------------------------------------- of the kernel */

/* Where the test module's text begins, and the program's own. */
static uint64_t section(const char *module)
{
	char path[128];
	uint64_t at = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s/sections/.text", module);
	f = fopen(path, "re");
	if (f && fscanf(f, "%lx", &at) != 1)
		at = 0;
	if (f)
		fclose(f);
	return at;
}

/* From the module that wrote, out to the program that made it. */
TEST_F(stack, kernel_and_user)
{
	uint64_t text = section("etw_test"), etw = section("etw");
	unsigned int n, i, context, user;
	const uint64_t *frames;

	ASSERT_NE(0, text);
	for (context = 0; context < 3; context++) {
		self->k.context = context;
		self->k.ok = 0;
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->k));
		ASSERT_EQ(1, self->k.ok);
		ASSERT_EQ(0, collect(self));
		n = frames_of(self, 0, &frames);
		ASSERT_LE(2, n);
		EXPECT_LE(text, frames[0]);
		EXPECT_GT(text + 65536, frames[0]);
		for (i = 0, user = 0; i < n; i++) {
			EXPECT_FALSE(frames[i] >= etw && frames[i] < etw + 65536 &&
				     !(frames[i] >= text && frames[i] < text + 65536));
			user += frames[i] < 1ull << 47;
		}
		/* An interrupt may have come in a kernel thread or the idle loop. */
		if (context == ETW_TEST_PROCESS)
			EXPECT_LE(1, user);
	}
}

/* ---------------------------------------------------------------------- filters */

/* Events 0 to 4 with levels 1 to 5: bit i if the one with id i has a stack. */
static int stacks(FIXTURE_DATA(stack) *self)
{
	const uint64_t *frames;
	unsigned int i, mask = 0;

	for (i = 0; i < 5; i++) {
		self->w.desc.id = i;
		self->w.desc.level = i + 1;
		self->w.desc.keyword = 1u << i;
		if (vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w))
			return -1;
	}
	if (collect(self) || self->events->count != 5)
		return -1;
	for (i = 0; i < 5; i++)
		if (frames_of(self, i, &frames))
			mask |= 1u << self->events->list[i].head.desc.id;
	return mask;
}

static int ask(FIXTURE_DATA(stack) *self, uint32_t property, const struct etw_filter *f, int n)
{
	return vm_enable_with(self->fd, self->session, vm_guid(1), property, f, n);
}

/* B57 to B59: they only take stacks away, and every event comes. */
TEST_F(stack, filters)
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
	level = (struct etw_filter_level_kw){ .in = 1, .any = 6 };
	ASSERT_EQ(0, ask(self, ETW_ENABLE_STACK_TRACE, f + 1, 1));
	EXPECT_EQ(6, stacks(self));
}

TEST_HARNESS_MAIN
