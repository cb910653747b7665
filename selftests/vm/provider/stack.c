// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack - stacks of writers as extended items, and events that they make too large
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"

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
	bool kernel;		/* deeper() has the kernel write k, instead of w itself */
};

FIXTURE_SETUP(stack)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->kfd = vm_test_provider();
	ASSERT_LE(0, self->kfd);
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

/* The number of events that came since the last time. */
static int collect(FIXTURE_DATA(stack) *self)
{
	return vm_collect(self->fd, self->session, &self->r, self->events);
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
	return self->kernel ? vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->k) :
			      vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w);
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
	ASSERT_EQ(1, collect(self));
	n = frames_of(self, 0, &frames);
	ASSERT_LE(4, n);
	for (i = 0; i < n && found < 3; i++)
		found += frames[i] == returns[found];
	EXPECT_EQ(3, found);
	/* None of the kernel's. */
	for (i = 0; i < n; i++)
		EXPECT_GT(1ull << 47, frames[i]);
}

/* B60: the innermost frames of a deep stack are kept. */
TEST_F(stack, the_deepest)
{
	const uint64_t *frames;
	unsigned int n, i, found = 0;

	ASSERT_EQ(0, deeper(self, 400));
	ASSERT_EQ(1, collect(self));
	n = frames_of(self, 0, &frames);
	EXPECT_EQ(ETW_STACK_MAX, n);
	for (i = 0; i < n && found < 3; i++)
		found += frames[i] == returns[found];
	EXPECT_EQ(3, found);
}

/* A frame pointer may have any value: the walk ends there. */
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
	ASSERT_EQ(ARRAY_SIZE(values), collect(self));
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
	ASSERT_EQ(2, collect(self));
	ASSERT_EQ(1, frames_of(self, 0, &frames));
	EXPECT_EQ(0x1000, frames[0]);
	ASSERT_EQ(ETW_STACK_MAX, frames_of(self, 1, &frames));
	EXPECT_EQ(0, memcmp(own, frames, ETW_STACK_MAX * sizeof(own[0])));
	self->w.stack_count = ETW_STACK_MAX + 1;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	self->w.stack_count = 1;
	self->w.lost = 1;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	self->w.lost = 0;
	self->w.stack = 8;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(2, st.written);
	EXPECT_EQ(1, st.dropped[ETW_DROP_COPY_FAULT]);
}

/* The stack is walked only if a session takes the event, and its stack. */
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
	ASSERT_EQ(2, collect(self));
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

/* From the module's function that wrote to the program's function that caused it. */
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
		ASSERT_EQ(1, collect(self));
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

/*
 * B60: the innermost frames of a deep kernel stack are kept, here those of the test module,
 * and no frame of the program follows the cut.
 */
TEST_F(stack, the_deepest_of_the_kernel)
{
	uint64_t text = section("etw_test");
	const uint64_t *frames;
	unsigned int n, i;

	ASSERT_NE(0, text);
	self->k.depth = ETW_STACK_MAX + 8;
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->k));
	ASSERT_EQ(1, self->k.ok);
	ASSERT_EQ(1, collect(self));
	n = frames_of(self, 0, &frames);
	EXPECT_EQ(ETW_STACK_MAX, n);
	for (i = 0; i < n; i++) {
		EXPECT_TRUE(frames[i] >= text && frames[i] < text + 65536)
			TH_LOG("frame %u of %u", i, n);
	}
}

/* B60: the frames of the kernel and of the program are 192 together. */
TEST_F(stack, the_deepest_of_both)
{
	uint64_t text = section("etw_test");
	unsigned int n, i, kernel = 0, found = 0;
	const uint64_t *frames;

	self->kernel = true;
	ASSERT_EQ(0, deeper(self, 400));
	ASSERT_EQ(1, self->k.ok);
	ASSERT_EQ(1, collect(self));
	n = frames_of(self, 0, &frames);
	ASSERT_EQ(ETW_STACK_MAX, n);
	EXPECT_TRUE(frames[0] >= text && frames[0] < text + 65536);
	while (kernel < n && frames[kernel] >= 1ull << 47)
		kernel++;
	for (i = kernel; i < n && found < 3; i++)
		found += frames[i] == returns[found];
	EXPECT_EQ(3, found);
	for (i = kernel; i < n; i++)
		EXPECT_GT(1ull << 47, frames[i]);
}

/* ------------------------------------------------------------------ what it costs */

#define HEAD	80	/* bytes of a record without items and payload */
#define BLOCK	72	/* the head of a buffer */

/* Start a session of such buffers, with stacks or without. */
static int start(FIXTURE_DATA(stack) *self, const char *name, uint32_t kb, bool stacks,
		 uint64_t *handle)
{
	uint32_t property = stacks ? ETW_ENABLE_STACK_TRACE : 0;
	struct etw_session s = vm_session(name);
	int ret;

	s.buffer_kb = kb;
	ret = vm_start(self->fd, &s);
	*handle = s.handle;
	ret = ret ?: vm_enable_with(self->fd, s.handle, vm_guid(1), property, NULL, 0);
	return ret ?: vm_enable_with(self->fd, s.handle, kguid, property, NULL, 0);
}

/* The session's counts: events written, and events lost because of their size. */
static bool has(FIXTURE_DATA(stack) *self, uint64_t session, uint64_t written,
		uint64_t event_size, uint64_t buffer_size)
{
	struct etw_session_stat st;

	return !vm_stat(self->fd, session, &st) && st.written == written &&
	       st.dropped[ETW_DROP_EVENT_SIZE] == event_size &&
	       st.dropped[ETW_DROP_BUFFER_SIZE] == buffer_size &&
	       vm_dropped(&st) == event_size + buffer_size;
}

/* Write an event of this size with a stack of this many frames. */
static int write_sized(FIXTURE_DATA(stack) *self, uint32_t size, uint32_t frames)
{
	static uint64_t own[ETW_STACK_MAX] = { [0 ... ETW_STACK_MAX - 1] = 0x1000 };
	static char payload[65536];
	struct etw_data_descriptor d = { .ptr = VM_PTR(payload), .size = size };

	self->w.data = VM_PTR(&d);
	self->w.data_count = 1;
	self->w.stack = VM_PTR(own);
	self->w.stack_count = frames;
	return vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w);
}

/*
 * B60: an event that its stack makes larger than 64 KB is lost, by that cause, in sessions
 * that ask for stacks, and in no other; with one byte less it is not.
 */
TEST_F(stack, over_64_kb)
{
	const uint32_t most = 65535 - HEAD - (8 + 8 + 8 * ETW_STACK_MAX);
	uint64_t with, without;

	ASSERT_EQ(0, vm_stop(self->fd, self->session));
	ASSERT_EQ(0, start(self, "t-with", 128, true, &with));
	ASSERT_EQ(0, start(self, "t-without", 128, false, &without));
	EXPECT_EQ(0, write_sized(self, most, ETW_STACK_MAX));
	EXPECT_TRUE(has(self, with, 1, 0, 0));
	EXPECT_EQ(-EOVERFLOW, write_sized(self, most + 1, ETW_STACK_MAX));
	EXPECT_TRUE(has(self, with, 1, 1, 0));
	EXPECT_TRUE(has(self, without, 2, 0, 0));
	/* A smaller stack leaves room. */
	EXPECT_EQ(0, write_sized(self, most + 8, ETW_STACK_MAX - 1));
	EXPECT_TRUE(has(self, with, 2, 1, 0));
	/* The same for an event of the kernel, which walks its own stack. */
	self->k.size = 65535 - HEAD;
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->k));
	EXPECT_EQ(1, self->k.failed);
	EXPECT_EQ(-EOVERFLOW, self->k.result);
	EXPECT_TRUE(has(self, with, 2, 2, 0));
	EXPECT_TRUE(has(self, without, 4, 0, 0));
}

/* B60: likewise an event that its stack makes larger than a buffer, by another cause. */
TEST_F(stack, over_the_buffer)
{
	const uint32_t most = 4096 - BLOCK - HEAD - (8 + 8 + 8 * ETW_STACK_MAX);
	uint64_t with, without;

	ASSERT_EQ(0, vm_stop(self->fd, self->session));
	ASSERT_EQ(0, start(self, "t-with", 4, true, &with));
	ASSERT_EQ(0, start(self, "t-without", 4, false, &without));
	EXPECT_EQ(0, write_sized(self, most, ETW_STACK_MAX));
	EXPECT_TRUE(has(self, with, 1, 0, 0));
	EXPECT_EQ(-EMSGSIZE, write_sized(self, most + 1, ETW_STACK_MAX));
	EXPECT_TRUE(has(self, with, 1, 0, 1));
	EXPECT_TRUE(has(self, without, 2, 0, 0));
}

TEST_HARNESS_MAIN
