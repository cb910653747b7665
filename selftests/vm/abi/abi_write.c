// SPDX-License-Identifier: GPL-2.0-only
/*
 * abi_write - events that cannot be written
 *
 * A refused argument is an error and no loss: no counter changes.  An event that a session
 * cannot take is an error and is counted there, by its cause.  In either case no reader sees
 * a part of it.
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/vm_buf.h"
#include "lib/vm_state.h"

#include <stddef.h>

#define HEADS	(ETW_BUFFER_HEADER_SIZE + ETW_EVENT_HEADER_SIZE)

FIXTURE(write) {
	int fd;
	int slot;
	uint64_t base;
	struct etw_event_write w;
	struct etw_data_descriptor d[ETW_DATA_MAX + 1];
	struct vm_state *was;
	uint8_t *pages;		/* one that can be read, one that cannot */
	size_t page;
	uint8_t *large;
};

FIXTURE_SETUP(write)
{
	struct etw_session s = vm_session("t-base");

	vm_pin(0);
	self->page = sysconf(_SC_PAGESIZE);
	self->pages = mmap(NULL, 2 * self->page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->pages);
	ASSERT_EQ(0, mprotect(self->pages + self->page, self->page, PROT_NONE));
	self->large = calloc(1, 1 << 20);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	s.buffer_kb = 128;
	s.flush_ms = VM_STATE_FLUSH_MS;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->base = s.handle;
	self->slot = vm_register(self->fd, vm_guid(1));
	ASSERT_LE(0, self->slot);
	ASSERT_EQ(0, vm_enable(self->fd, self->base, vm_guid(1), 0, 0, 0));
	self->w = (struct etw_event_write){
		.size = sizeof(self->w), .slot = self->slot, .data = VM_PTR(self->d),
		.data_count = 1, .desc = { .id = 7, .level = 4, .keyword = 1 } };
	self->d[0].ptr = VM_PTR("abc");
	self->d[0].size = 4;
	self->was = vm_state_get(self->fd);
	ASSERT_NE(NULL, self->was);
}

FIXTURE_TEARDOWN(write)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

static int put(FIXTURE_DATA(write) *self)
{
	return vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w);
}

struct seen {
	unsigned int records;
	uint32_t len;
	uint16_t size;
};

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct seen *s = ctx;

	(void)b;
	s->records++;
	s->len = r->len;
	s->size = r->head->size;
}

/* Stop the session and check its contents: intact buffers with this number of events. */
static const char *left(FIXTURE_DATA(write) *self, uint64_t handle, struct seen *s)
{
	struct vm_reader r;
	const char *error;

	*s = (struct seen){ 0 };
	if (vm_reader_open(&r, self->fd, handle, 0) || vm_stop(self->fd, handle))
		return "cannot consume";
	error = vm_drain(&r, see, s) ? "read failed" : r.error;
	vm_reader_close(&r);
	return error;
}

/* A loss adds one to the count of its cause, and changes nothing else. */
static bool lost_one(FIXTURE_DATA(write) *self, uint64_t handle, int cause)
{
	struct etw_session_stat st;
	struct etw_session q;

	return !vm_stat(self->fd, handle, &st) && !vm_query(self->fd, handle, &q) &&
	       !st.written && vm_dropped(&st) == 1 && st.dropped[cause] == 1 &&
	       q.events_lost == 1;
}

/* B90 */
TEST_F(write, descriptors_128_work)
{
	struct seen s;
	int i;

	for (i = 0; i < ETW_DATA_MAX; i++)
		self->d[i] = self->d[0];
	self->w.data_count = ETW_DATA_MAX;
	EXPECT_EQ(0, put(self));
	EXPECT_EQ(NULL, left(self, self->base, &s));
	EXPECT_EQ(1, s.records);
	EXPECT_EQ(4 * ETW_DATA_MAX, s.len);
}

TEST_F(write, descriptors_none_work)
{
	struct seen s;

	self->w.data_count = 0;
	self->w.data = 0;
	EXPECT_EQ(0, put(self));
	EXPECT_EQ(NULL, left(self, self->base, &s));
	EXPECT_EQ(1, s.records);
	EXPECT_EQ(0, s.len);
}

/* B90 */
TEST_F(write, descriptors_too_many)
{
	self->w.data_count = ETW_DATA_MAX + 1;
	EXPECT_EQ(-EINVAL, put(self));
	self->w.data_count = 0xFFFFFFFF;
	EXPECT_EQ(-EINVAL, put(self));
	self->w.data_count = 0x10000000;
	EXPECT_EQ(-EINVAL, put(self));
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
}

TEST_F(write, flags_unknown)
{
	const uint32_t known = ETW_WRITE_STRING_ONLY | ETW_WRITE_INPRIVATE |
			       ETW_WRITE_ACTIVITY | ETW_WRITE_RELATED | ETW_WRITE_CAN_WALK |
			       ETW_WRITE_LOST;
	int bit;

	for (bit = 0; bit < 32; bit++) {
		self->w.flags = 1u << bit;
		if (!(self->w.flags & known))
			EXPECT_EQ(-EINVAL, put(self));
	}
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
}

/* A number of events without LOST is none; with it so many are counted, in one call. */
TEST_F(write, number_of_lost)
{
	struct etw_session_stat st;

	self->w.lost = 1;
	EXPECT_EQ(-EINVAL, put(self));
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
	self->w.flags = ETW_WRITE_LOST;
	self->w.lost = 0;
	EXPECT_EQ(-ENOMEM, put(self));
	self->w.lost = 1000000;
	EXPECT_EQ(-ENOMEM, put(self));
	ASSERT_EQ(0, vm_stat(self->fd, self->base, &st));
	EXPECT_EQ(1000001, st.dropped[ETW_DROP_DRAIN]);
	EXPECT_EQ(1000001, vm_dropped(&st));
	EXPECT_EQ(0, st.written);
}

/* Returns what the writes of one and of two lost events do. */
static int lose_one(void *arg)
{
	FIXTURE_DATA(write) *self = arg;

	self->w.lost = 1;
	return put(self);
}

static int lose_two(void *arg)
{
	FIXTURE_DATA(write) *self = arg;

	self->w.lost = 2;
	return put(self);
}

/* Only one that may trace counts several losses by one call; others could pretend billions. */
TEST_F(write, number_of_lost_needs_a_capability)
{
	const struct vm_who nobody = { VM_BOB, VM_BOB, 0, 0, false };
	const struct vm_who inside = { VM_BOB, VM_BOB, 0, 0, true };
	const struct vm_who tracer = { VM_BOB, VM_BOB, 0, CAP_PERFMON, false };
	struct etw_session_stat st;

	self->w.flags = ETW_WRITE_LOST;
	EXPECT_EQ(-EPERM, vm_as(&nobody, lose_two, self));
	EXPECT_EQ(-EPERM, vm_as(&inside, lose_two, self));
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
	EXPECT_EQ(-ENOMEM, vm_as(&nobody, lose_one, self));
	EXPECT_EQ(-ENOMEM, vm_as(&tracer, lose_two, self));
	ASSERT_EQ(0, vm_stat(self->fd, self->base, &st));
	EXPECT_EQ(3, st.dropped[ETW_DROP_DRAIN]);
	EXPECT_EQ(3, vm_dropped(&st));
}

TEST_F(write, slot_bad)
{
	static const uint32_t slots[] = { 1, 1023, 1024, 0x7FFFFFFF, 0xFFFFFFFE };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		self->w.slot = self->slot + slots[i];
		EXPECT_EQ(-EBADF, put(self));
	}
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
}

/* B101 */
TEST_F(write, slot_unregistered)
{
	int slot = vm_register(self->fd, vm_guid(2));

	ASSERT_LE(0, slot);
	self->w.slot = slot;
	EXPECT_EQ(0, put(self));
	EXPECT_EQ(0, vm_unregister(self->fd, slot));
	EXPECT_EQ(-EBADF, put(self));
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
}

static void fault(struct __test_metadata *_metadata, FIXTURE_DATA(write) *self)
{
	struct seen s;

	EXPECT_EQ(-EFAULT, put(self));
	EXPECT_TRUE(lost_one(self, self->base, ETW_DROP_COPY_FAULT));
	EXPECT_EQ(NULL, left(self, self->base, &s));
	EXPECT_EQ(0, s.records);
}

TEST_F(write, data_nowhere)
{
	self->d[0].ptr = VM_PTR(self->pages + self->page);
	fault(_metadata, self);
}

TEST_F(write, data_null)
{
	self->d[0].ptr = 0;
	fault(_metadata, self);
}

TEST_F(write, data_of_the_kernel)
{
	self->d[0].ptr = 0xffffffff81000000;
	fault(_metadata, self);
}

TEST_F(write, data_half_way)
{
	self->d[0].ptr = VM_PTR(self->pages + self->page - 100);
	self->d[0].size = 200;
	fault(_metadata, self);
}

TEST_F(write, data_of_a_later_descriptor)
{
	int i;

	for (i = 1; i < 10; i++)
		self->d[i] = self->d[0];
	self->d[9].ptr = VM_PTR(self->pages + self->page - 1);
	self->w.data_count = 10;
	fault(_metadata, self);
}

/* The list itself cannot be read: the argument is bad. */
TEST_F(write, descriptors_nowhere)
{
	struct etw_data_descriptor *list;

	self->w.data = VM_PTR(self->pages + self->page);
	EXPECT_EQ(-EFAULT, put(self));
	self->w.data = 0xffff888000000000;
	EXPECT_EQ(-EFAULT, put(self));
	list = (void *)(self->pages + self->page - 3 * sizeof(*list) / 2);
	list[0] = self->d[0];
	self->w.data = VM_PTR(list);
	self->w.data_count = 2;
	EXPECT_EQ(-EFAULT, put(self));
}

/* B91 */
TEST_F(write, descriptor_empty_works_anywhere)
{
	struct seen s;

	self->d[1].ptr = 0x10;
	self->d[1].size = 0;
	self->w.data_count = 2;
	EXPECT_EQ(0, put(self));
	EXPECT_EQ(NULL, left(self, self->base, &s));
	EXPECT_EQ(1, s.records);
	EXPECT_EQ(4, s.len);
}

/* B92 */
TEST_F(write, largest_event_works)
{
	struct seen s;

	self->d[0].ptr = VM_PTR(self->large);
	self->d[0].size = ETW_RECORD_MAX - ETW_EVENT_HEADER_SIZE;
	EXPECT_EQ(0, put(self));
	EXPECT_EQ(NULL, left(self, self->base, &s));
	EXPECT_EQ(1, s.records);
	EXPECT_EQ(ETW_RECORD_MAX, s.size);
}

static void too_large(struct __test_metadata *_metadata, FIXTURE_DATA(write) *self)
{
	struct seen s;

	EXPECT_EQ(-EOVERFLOW, put(self));
	EXPECT_TRUE(lost_one(self, self->base, ETW_DROP_EVENT_SIZE));
	EXPECT_EQ(NULL, left(self, self->base, &s));
	EXPECT_EQ(0, s.records);
}

/* B92 */
TEST_F(write, event_over_64k)
{
	self->d[0].ptr = VM_PTR(self->large);
	self->d[0].size = ETW_RECORD_MAX - ETW_EVENT_HEADER_SIZE + 1;
	too_large(_metadata, self);
}

TEST_F(write, event_of_4g)
{
	self->d[0].ptr = VM_PTR(self->large);
	self->d[0].size = 0xFFFFFFFF;
	too_large(_metadata, self);
}

/* The sum of the sizes is a small number modulo 2^32. */
TEST_F(write, event_whose_size_wraps)
{
	int i;

	for (i = 0; i < 4; i++) {
		self->d[i].ptr = VM_PTR(self->large);
		self->d[i].size = 0x40000001;
	}
	self->w.data_count = 4;
	too_large(_metadata, self);
}

/* B92: with the related id the record is 24 bytes longer. */
TEST_F(write, event_over_64k_by_its_item)
{
	self->w.flags = ETW_WRITE_RELATED;
	self->w.related = vm_guid(9);
	self->d[0].ptr = VM_PTR(self->large);
	self->d[0].size = ETW_RECORD_MAX - ETW_EVENT_HEADER_SIZE - 23;
	too_large(_metadata, self);
}

/* B12 */
TEST_F(write, succeeds_without_a_session)
{
	ASSERT_EQ(0, vm_disable(self->fd, self->base, vm_guid(1)));
	EXPECT_EQ(0, put(self));
}

/* A session of 4 KB buffers beside the one of 128 KB. */
static uint64_t small_session(FIXTURE_DATA(write) *self, uint32_t mode)
{
	struct etw_session s = vm_session("t-small");

	s.buffer_kb = 4;
	s.mode |= mode;
	if (vm_start(self->fd, &s) ||
	    vm_enable(self->fd, s.handle, vm_guid(1), 0, 0, 0))
		return 0;
	self->d[0].ptr = VM_PTR(self->large);
	return s.handle;
}

TEST_F(write, event_fills_a_buffer)
{
	uint64_t small = small_session(self, 0);
	struct seen s;

	ASSERT_NE(0, small);
	self->d[0].size = 4096 - HEADS;
	EXPECT_EQ(0, put(self));
	EXPECT_EQ(NULL, left(self, small, &s));
	EXPECT_EQ(1, s.records);
	EXPECT_EQ(4096 - HEADS, s.len);
}

/* B93, B95: the other session gets the event, the writer gets the error */
TEST_F(write, event_over_the_buffer)
{
	uint64_t small = small_session(self, 0);
	struct seen s;

	ASSERT_NE(0, small);
	self->d[0].size = 4096 - HEADS + 1;
	EXPECT_EQ(-EMSGSIZE, put(self));
	EXPECT_TRUE(lost_one(self, small, ETW_DROP_BUFFER_SIZE));
	EXPECT_EQ(NULL, left(self, small, &s));
	EXPECT_EQ(0, s.records);
	/* The session in which it fits gets it nevertheless. */
	EXPECT_EQ(NULL, left(self, self->base, &s));
	EXPECT_EQ(1, s.records);
}

/* B93, B95: the other session gets the event, the writer gets no error */
TEST_F(write, event_over_the_buffer_of_an_independent_session)
{
	uint64_t small = small_session(self, ETW_MODE_INDEPENDENT);
	struct seen s;

	ASSERT_NE(0, small);
	self->d[0].size = 8192;
	EXPECT_EQ(0, put(self));
	EXPECT_TRUE(lost_one(self, small, ETW_DROP_BUFFER_SIZE));
	EXPECT_EQ(NULL, left(self, self->base, &s));
	EXPECT_EQ(1, s.records);
}

TEST_HARNESS_MAIN
