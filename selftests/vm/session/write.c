// SPDX-License-Identifier: GPL-2.0-only
/*
 * write - the form of an event of a user-mode provider in a buffer
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct seen {
	unsigned int records;
	struct etw_event_header head;
	uint8_t ext[64];
	uint32_t ext_len;
	uint8_t data[512];
	uint32_t len;
};

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct seen *s = ctx;

	(void)b;
	s->records++;
	s->head = *r->head;
	s->ext_len = r->ext ? r->data - r->ext : 0;
	if (s->ext_len <= sizeof(s->ext) && r->ext)
		memcpy(s->ext, r->ext, s->ext_len);
	s->len = r->len;
	if (r->len <= sizeof(s->data))
		memcpy(s->data, r->data, r->len);
}

FIXTURE(write) {
	int fd;
	int slot;
	uint64_t session;
	struct vm_reader r;
	struct seen seen;
	struct etw_data_descriptor d[10];
	struct etw_event_write w;
};

FIXTURE_SETUP(write)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vm_start_named(self->fd, "t-write");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	self->slot = vm_register(self->fd, vm_guid(1));
	ASSERT_LE(0, self->slot);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 0, 0, 0));
	self->w = (struct etw_event_write){
		.size = sizeof(self->w), .slot = self->slot, .data = VM_PTR(self->d),
		.desc = { .id = 0x1234, .version = 2, .channel = 3, .level = 4, .opcode = 5,
			  .task = 0x6789, .keyword = 0x8000000000000001 } };
}

FIXTURE_TEARDOWN(write)
{
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Write the event and read it; 0 if there is exactly one. */
static int put(FIXTURE_DATA(write) *self)
{
	int ret = vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w);

	self->seen.records = 0;
	ret = ret ? ret : vm_flush(self->fd, self->session);
	ret = ret ? ret : vm_drain(&self->r, see, &self->seen);
	return ret == -EAGAIN && self->seen.records == 1 ? 0 : ret ? ret : -ENOMSG;
}

/* B100 */
TEST_F(write, header)
{
	struct etw_guid guid = vm_guid(1);
	struct etw_session q;

	ASSERT_EQ(0, put(self));
	EXPECT_EQ(ETW_EVENT_HEADER_SIZE, self->seen.head.size);
	EXPECT_EQ(ETW_TYPE_EVENT64, self->seen.head.type);
	EXPECT_EQ(ETW_EVENT_NO_CPUTIME | ETW_EVENT_USER_MODE, self->seen.head.flags);
	EXPECT_EQ(getpid(), self->seen.head.process_id);
	EXPECT_EQ(getpid(), self->seen.head.thread_id);
	EXPECT_EQ(0, memcmp(&guid, &self->seen.head.provider, sizeof(guid)));
	EXPECT_EQ(0, memcmp(&self->w.desc, &self->seen.head.desc, sizeof(self->w.desc)));
	EXPECT_TRUE(vm_guid_zero(&self->seen.head.activity));
	ASSERT_EQ(0, vm_query(self->fd, self->session, &q));
	EXPECT_LE(q.start_clock, self->seen.head.timestamp);
	EXPECT_GE(q.sync_clock, self->seen.head.timestamp);
}

/* B91: the pieces follow one another without a gap. */
TEST_F(write, payload)
{
	static const char text[] = "one, two and three";

	self->d[0] = (struct etw_data_descriptor){ VM_PTR(text), 3, 0 };
	self->d[1] = (struct etw_data_descriptor){ VM_PTR(text + 3), 0, 0 };
	self->d[2] = (struct etw_data_descriptor){ VM_PTR(text + 3), 7, 0 };
	self->d[3] = (struct etw_data_descriptor){ VM_PTR(text + 10), sizeof(text) - 10, 0 };
	self->w.data_count = 4;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(sizeof(text), self->seen.len);
	EXPECT_EQ(0, memcmp(text, self->seen.data, sizeof(text)));
}

#define MOST	450	/* bytes; some of these events are too large for the straight way */

/* Write len bytes, which memory that cannot be read follows, in pieces; do they arrive? */
static bool arrives(FIXTURE_DATA(write) *self, const uint8_t *end, uint32_t len, uint32_t pieces)
{
	const uint8_t *from = end - len;
	uint32_t i, each = len / pieces;

	for (i = 0; i < pieces; i++, from += each)
		self->d[i] = (struct etw_data_descriptor){ VM_PTR(from), each, 0 };
	self->d[pieces - 1].size += len % pieces;
	self->w.data_count = pieces;
	return !put(self) && self->seen.len == len && !memcmp(end - len, self->seen.data, len) &&
	       self->seen.head.size == ETW_EVENT_HEADER_SIZE + len &&
	       !memcmp(&self->w.activity, &self->seen.head.activity, 16);
}

/* Payloads of every size in one to ten pieces, for one session and for two */
TEST_F(write, every_size)
{
	const uint32_t page = getpagesize();
	uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0), *end = pages + page;
	struct etw_session_stat st;
	uint32_t len, pieces;
	uint64_t also;

	ASSERT_NE(MAP_FAILED, pages);
	ASSERT_EQ(0, mprotect(end, page, PROT_NONE));
	for (len = 0; len < page; len++)
		pages[len] = len * 7 + len / 256;
	self->w.flags = ETW_WRITE_ACTIVITY;
	self->w.activity = vm_guid(21);
	for (len = 0; len <= MOST; len++)
		ASSERT_TRUE(arrives(self, end, len, len % 10 + 1))
			TH_LOG("%u bytes in %u pieces", len, len % 10 + 1);
	also = vm_start_named(self->fd, "t-also");
	ASSERT_NE(0, also);
	ASSERT_EQ(0, vm_enable(self->fd, also, vm_guid(1), 0, 0, 0));
	for (len = 0; len <= MOST; len += 7)
		for (pieces = 1; pieces <= 10; pieces += 3)
			ASSERT_TRUE(arrives(self, end, len, pieces))
				TH_LOG("%u bytes in %u pieces", len, pieces);
	ASSERT_EQ(0, vm_stat(self->fd, also, &st));
	EXPECT_EQ((MOST / 7 + 1) * 4, st.written);
	EXPECT_EQ(0, vm_dropped(&st));
	ASSERT_EQ(0, vm_stop(self->fd, also));
	/* A piece that runs into the next page is lost, and counted, whatever its size. */
	self->w.data_count = 1;
	for (len = 1; len <= MOST; len += 13) {
		self->d[0] = (struct etw_data_descriptor){ VM_PTR(end - len), len + 1, 0 };
		EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_WRITE, &self->w));
	}
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ((MOST - 1) / 13 + 1, st.dropped[ETW_DROP_COPY_FAULT]);
	munmap(pages, 2 * page);
}

/* Reserved members of a descriptor mean nothing until traits are set. */
TEST_F(write, descriptor_type_is_ignored)
{
	self->d[0] = (struct etw_data_descriptor){ VM_PTR("typed"), 6, 0xFFFFFFFF };
	self->w.data_count = 1;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(0, memcmp("typed", self->seen.data, 6));
}

TEST_F(write, activity)
{
	self->w.activity = vm_guid(21);
	ASSERT_EQ(0, put(self));
	EXPECT_TRUE(vm_guid_zero(&self->seen.head.activity));	/* not set by a flag */
	self->w.flags = ETW_WRITE_ACTIVITY;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(0, memcmp(&self->w.activity, &self->seen.head.activity, 16));
	EXPECT_EQ(0, self->seen.ext_len);
}

/* B98 */
TEST_F(write, related)
{
	const struct etw_ext_item *item = (const void *)self->seen.ext;

	self->w.flags = ETW_WRITE_ACTIVITY | ETW_WRITE_RELATED;
	self->w.activity = vm_guid(21);
	self->w.related = vm_guid(22);
	self->d[0] = (struct etw_data_descriptor){ VM_PTR("data"), 5, 0 };
	self->w.data_count = 1;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(ETW_EVENT_NO_CPUTIME | ETW_EVENT_USER_MODE | ETW_EVENT_EXTENDED_INFO,
		  self->seen.head.flags);
	ASSERT_EQ(24, self->seen.ext_len);
	EXPECT_EQ(24, item->size);
	EXPECT_EQ(ETW_EXT_RELATED_ACTIVITY, item->type);
	EXPECT_EQ(0, item->linkage);
	EXPECT_EQ(16, item->data_size);
	EXPECT_EQ(0, memcmp(&self->w.related, item + 1, 16));
	EXPECT_EQ(5, self->seen.len);
	EXPECT_EQ(0, memcmp("data", self->seen.data, 5));
	EXPECT_EQ(ETW_EVENT_HEADER_SIZE + 24 + 5, self->seen.head.size);
}

TEST_F(write, string)
{
	static const uint16_t text[] = { 'H', 0xe9, 0 };

	self->w.flags = ETW_WRITE_STRING_ONLY;
	self->d[0] = (struct etw_data_descriptor){ VM_PTR(text), sizeof(text), 0 };
	self->w.data_count = 1;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(ETW_EVENT_NO_CPUTIME | ETW_EVENT_USER_MODE | ETW_EVENT_STRING_ONLY,
		  self->seen.head.flags);
	EXPECT_EQ(0, memcmp(text, self->seen.data, sizeof(text)));
}

/* No session excludes them yet, so the flag has no effect. */
TEST_F(write, inprivate)
{
	self->w.flags = ETW_WRITE_INPRIVATE;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(ETW_EVENT_NO_CPUTIME | ETW_EVENT_USER_MODE, self->seen.head.flags);
}

static void *write_there(void *arg)
{
	FIXTURE_DATA(write) * self = arg;

	return (void *)(intptr_t)(put(self) ? -1 : syscall(SYS_gettid));
}

/* B100: the thread's own id, beside its process's */
TEST_F(write, thread)
{
	pthread_t thread;
	void *tid;

	ASSERT_EQ(0, pthread_create(&thread, NULL, write_there, self));
	ASSERT_EQ(0, pthread_join(thread, &tid));
	EXPECT_EQ(getpid(), self->seen.head.process_id);
	EXPECT_EQ((intptr_t)tid, self->seen.head.thread_id);
	EXPECT_NE(getpid(), self->seen.head.thread_id);
}

/* Closing the file ends the registrations made on it, and nothing else. */
TEST_F(write, registration_dies_with_its_file)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = vm_guid(2) };
	int fd = vm_open(), other = vm_open();

	ASSERT_LE(0, vm_register(fd, vm_guid(2)));
	ASSERT_LE(0, vm_register(other, vm_guid(2)));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	EXPECT_EQ(2, q.reg_count);
	close(fd);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	EXPECT_EQ(1, q.reg_count);
	close(other);
	EXPECT_EQ(-ESRCH, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	EXPECT_EQ(0, put(self));
}

TEST_HARNESS_MAIN
