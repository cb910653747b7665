// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel_string - the events of a driver that are a string
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

static const struct etw_guid static_guid = ETW_TEST_GUID;

struct seen {
	unsigned int records;
	uint32_t len;
	struct etw_event_header head;
	uint8_t data[65536];
};

FIXTURE(string) {
	int fd;
	int kfd;
	uint64_t session;
	struct vm_reader r;
	struct seen seen;
	struct etw_test_write w;
};

FIXTURE_SETUP(string)
{
	struct etw_session s = vm_session("t-string");

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->kfd = vm_test_provider();
	ASSERT_LE(0, self->kfd);
	s.buffer_kb = 128;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->session = s.handle;
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, s.handle, O_NONBLOCK));
	ASSERT_EQ(0, vm_test_register(self->kfd, 1, vm_guid(1), 0));
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, static_guid, 4, 0xff, 0));
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, vm_guid(1), 4, 0xff, 0));
	/* Only level and keyword of the descriptor reach the event. */
	self->w = (struct etw_test_write){
		.count = 1, .size = 28, .descriptors = 1, .transfer = ETW_TEST_STRING,
		.desc = { .id = 5, .version = 2, .channel = 3, .level = 4, .opcode = 6,
			  .task = 7, .keyword = 0x81 } };
}

FIXTURE_TEARDOWN(string)
{
	vm_reader_close(&self->r);
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	vm_stop_all(self->fd);
	close(self->fd);
}

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct seen *s = ctx;

	(void)b;
	s->records++;
	s->head = *r->head;
	s->len = r->len;
	memcpy(s->data, r->data, r->len);
}

/* Let the module write, and read the result. */
static int put(FIXTURE_DATA(string) *self, uint32_t index)
{
	int ret;

	self->seen.records = 0;
	self->w.index = index;
	self->w.ok = self->w.failed = self->w.tested = 0;
	ret = vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->w);
	ret = ret ? ret : vm_flush(self->fd, self->session);
	ret = ret ? ret : vm_drain(&self->r, see, &self->seen);
	return ret == -EAGAIN ? 0 : ret;
}

/* This many bytes of the module's pattern, and a NUL. */
static bool is_string(const struct seen *s, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		if (s->data[i] != 0x5a)
			return false;
	return s->len == size + 2 && !s->data[size] && !s->data[size + 1];
}

/* B99, B103: from a process and from interrupts */
TEST_F(string, in_every_context)
{
	const struct etw_event_descriptor want = { .level = 4, .keyword = 0x81 };
	struct etw_guid guid;
	uint32_t i, index;

	for (i = 0; i < 6; i++) {
		index = i & 1;
		guid = index ? vm_guid(1) : static_guid;
		self->w.context = i / 2;
		ASSERT_EQ(0, put(self, index));
		EXPECT_EQ(1, self->w.ok);
		EXPECT_EQ(1, self->seen.records);
		EXPECT_EQ(ETW_TYPE_EVENT64, self->seen.head.type);
		EXPECT_EQ(ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE | ETW_EVENT_STRING_ONLY,
			  self->seen.head.flags);
		EXPECT_EQ(0, memcmp(&want, &self->seen.head.desc, sizeof(want)));
		EXPECT_EQ(0, memcmp(&guid, &self->seen.head.provider, sizeof(guid)));
		EXPECT_TRUE(is_string(&self->seen, 28));
	}
}

/* B97, B99: the task's activity id, or the given one */
TEST_F(string, activity)
{
	struct etw_test_activity a = { .control = 2, .id = vm_guid(41) };
	struct etw_guid none = { 0 }, task = a.id;

	ASSERT_EQ(0, put(self, 1));
	EXPECT_EQ(0, memcmp(&none, &self->seen.head.activity, 16));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_ACTIVITY, &a));
	ASSERT_EQ(0, put(self, 1));
	EXPECT_EQ(0, memcmp(&task, &self->seen.head.activity, 16));
	self->w.transfer |= ETW_TEST_TRANSFER;
	self->w.activity = vm_guid(42);
	ASSERT_EQ(0, put(self, 1));
	EXPECT_EQ(0, memcmp(&self->w.activity, &self->seen.head.activity, 16));
	EXPECT_EQ(0, self->seen.head.flags & ETW_EVENT_EXTENDED_INFO);
	EXPECT_TRUE(is_string(&self->seen, 28));
}

/* B12, B99: by level and keyword, as any event */
TEST_F(string, filtered)
{
	self->w.desc.level = 5;
	ASSERT_EQ(0, put(self, 1));
	EXPECT_EQ(1, self->w.ok);
	EXPECT_EQ(0, self->seen.records);
	self->w.desc.level = 4;
	self->w.desc.keyword = 0x100;
	ASSERT_EQ(0, put(self, 1));
	EXPECT_EQ(1, self->w.ok);
	EXPECT_EQ(0, self->seen.records);
	self->w.transfer |= ETW_TEST_NOTHING;
	ASSERT_EQ(0, put(self, 1));
	EXPECT_EQ(-EINVAL, self->w.result);
}

/* B92, B99: none, as much as fits, and more, which is lost */
TEST_F(string, sizes)
{
	static const uint32_t most = (ETW_RECORD_MAX - ETW_EVENT_HEADER_SIZE) / 2 * 2 - 2;
	static const uint32_t over[] = { most + 2, 65534, 65536, 128 * 1024 };
	struct etw_session_stat st;
	unsigned int i;

	self->w.size = 0;
	ASSERT_EQ(0, put(self, 0));
	EXPECT_TRUE(is_string(&self->seen, 0));
	self->w.size = most;
	ASSERT_EQ(0, put(self, 0));
	EXPECT_EQ(1, self->w.ok);
	EXPECT_TRUE(is_string(&self->seen, most));
	for (i = 0; i < 4; i++) {
		self->w.size = over[i];
		ASSERT_EQ(0, put(self, 0));
		EXPECT_EQ(-EOVERFLOW, self->w.result);
		EXPECT_EQ(0, self->seen.records);
		ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
		EXPECT_EQ(2, st.written);
		EXPECT_EQ(i + 1, st.dropped[ETW_DROP_EVENT_SIZE]);
		EXPECT_EQ(i + 1, vm_dropped(&st));
	}
}

TEST_HARNESS_MAIN
