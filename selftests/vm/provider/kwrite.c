// SPDX-License-Identifier: GPL-2.0-only
/*
 * kwrite - events of kernel modules: from every context, of every size
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

#define NESTING_MAX	"/sys/module/etw/parameters/nesting_max"
#define NESTING_DEFAULT	"8"

static const struct etw_guid guid = ETW_TEST_GUID;

struct seen {
	uint64_t records;
	uint64_t wrong;		/* bytes of payload that are not 0x5a */
	uint32_t len;
	struct etw_event_header head;
	uint8_t ext[64];
	uint8_t data[64];
};

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct seen *s = ctx;
	uint32_t i;

	(void)b;
	s->records++;
	s->len = r->len;
	s->head = *r->head;
	if (r->ext)
		memcpy(s->ext, r->ext, r->data - r->ext < 64 ? r->data - r->ext : 64);
	memcpy(s->data, r->data, r->len < 64 ? r->len : 64);
	for (i = 0; i < r->len; i++)
		s->wrong += r->data[i] != 0x5a;
}

FIXTURE(kwrite) {
	int fd;
	int kfd;
	uint64_t session;
	struct vm_reader r;
	struct seen seen;
	struct etw_test_write w;
};

FIXTURE_SETUP(kwrite)
{
	struct etw_session s = vm_session("t-kwrite");

	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->kfd = vm_test_provider();
	ASSERT_LE(0, self->kfd);
	s.buffer_kb = 256;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->session = s.handle;
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, s.handle, O_NONBLOCK));
	ASSERT_EQ(0, vm_test_register(self->kfd, 1, vm_guid(1), 0));
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, guid, 4, 0xff, 0));
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, vm_guid(1), 4, 0xff, 0));
	self->w = (struct etw_test_write){
		.count = 1, .size = 28, .descriptors = 3,
		.desc = { .id = 5, .version = 2, .channel = 3, .level = 4, .opcode = 6,
			  .task = 7, .keyword = 0x81 } };
}

FIXTURE_TEARDOWN(kwrite)
{
	EXPECT_TRUE(vm_write_text(NESTING_MAX, NESTING_DEFAULT));
	vm_reader_close(&self->r);
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Let the module write, and read the result. */
static int put(FIXTURE_DATA(kwrite) *self)
{
	int ret = vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->w);

	ret = ret ? ret : vm_flush(self->fd, self->session);
	ret = ret ? ret : vm_drain(&self->r, see, &self->seen);
	return ret == -EAGAIN ? 0 : ret;
}

/* B97, B100: the thread that called the driver, without an activity id */
TEST_F(kwrite, header)
{
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(1, self->w.ok);
	EXPECT_EQ(1, self->seen.records);
	EXPECT_EQ(0, self->seen.wrong);
	EXPECT_EQ(28, self->seen.len);
	EXPECT_EQ(ETW_TYPE_EVENT64, self->seen.head.type);
	EXPECT_EQ(ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE, self->seen.head.flags);
	EXPECT_EQ(0, memcmp(&guid, &self->seen.head.provider, sizeof(guid)));
	EXPECT_EQ(0, memcmp(&self->w.desc, &self->seen.head.desc, sizeof(self->w.desc)));
	/* The writer is the process that called the module. */
	EXPECT_EQ(getpid(), self->seen.head.process_id);
	EXPECT_EQ(getpid(), self->seen.head.thread_id);
	EXPECT_TRUE(vm_guid_zero(&self->seen.head.activity));
}

static void from_context(struct __test_metadata *_metadata, FIXTURE_DATA(kwrite) *self,
			 uint32_t context)
{
	uint32_t index;

	for (index = 0; index < 2; index++) {
		self->w.index = index;
		self->w.context = context;
		self->w.count = 500;
		self->w.ok = 0;
		self->seen.records = 0;
		ASSERT_EQ(0, put(self));
		EXPECT_EQ(500, self->w.ok);
		EXPECT_EQ(0, self->w.failed);
		EXPECT_EQ(500, self->seen.records);
		EXPECT_EQ(0, self->seen.wrong);
	}
}

TEST_F(kwrite, from_a_process)
{
	from_context(_metadata, self, ETW_TEST_PROCESS);
}

/* B103 */
TEST_F(kwrite, from_a_softirq)
{
	from_context(_metadata, self, ETW_TEST_SOFTIRQ);
}

/* B103 */
TEST_F(kwrite, from_a_hardirq)
{
	from_context(_metadata, self, ETW_TEST_HARDIRQ);
}

/* B12: no session enables it, which is no failure */
TEST_F(kwrite, filtered)
{
	self->w.desc.level = 5;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(1, self->w.tested);
	EXPECT_EQ(0, self->seen.records);
	/* Without the inline test the write itself decides, and succeeds. */
	self->w.index = 1;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(1, self->w.ok);
	EXPECT_EQ(0, self->seen.records);
}

/* B91: in up to nine pieces, empty ones too */
TEST_F(kwrite, every_size)
{
	uint32_t size;

	for (size = 0; size < 200; size++) {
		self->w.size = size;
		self->w.descriptors = 1 + size % 9;
		ASSERT_EQ(0, put(self));
		EXPECT_EQ(size, self->seen.len);
	}
	EXPECT_EQ(200, self->seen.records);
	EXPECT_EQ(0, self->seen.wrong);
}

/* B90 */
TEST_F(kwrite, descriptors_128)
{
	self->w.descriptors = 128;
	self->w.size = 1000;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(1, self->w.ok);
	EXPECT_EQ(1000, self->seen.len);
}

/* B90: nothing written, nothing lost */
TEST_F(kwrite, descriptors_too_many)
{
	struct etw_session_stat st;

	self->w.descriptors = 129;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(-EINVAL, self->w.result);
	EXPECT_EQ(0, self->seen.records);
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(0, vm_dropped(&st));
}

/* B92 */
TEST_F(kwrite, largest)
{
	self->w.size = ETW_RECORD_MAX - ETW_EVENT_HEADER_SIZE;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(1, self->w.ok);
	EXPECT_EQ(ETW_RECORD_MAX, self->seen.head.size);
	EXPECT_EQ(0, self->seen.wrong);
}

/* B92: refused, and counted */
TEST_F(kwrite, over_64k)
{
	struct etw_session_stat st;

	self->w.size = ETW_RECORD_MAX - ETW_EVENT_HEADER_SIZE + 1;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(-EOVERFLOW, self->w.result);
	EXPECT_EQ(0, self->seen.records);
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(1, st.dropped[ETW_DROP_EVENT_SIZE]);
	EXPECT_EQ(1, vm_dropped(&st));
}

/* If no nesting is allowed, every writer that counts exceeds the limit. */
TEST_F(kwrite, nested_too_deep)
{
	struct etw_session_stat st;
	uint32_t index, dropped = 0;

	self->w.transfer = ETW_TEST_EX;

	ASSERT_TRUE(vm_write_text(NESTING_MAX, "0"));
	self->w.count = 10;
	for (index = 0; index < 2; index++) {
		self->w.index = index;
		self->w.failed = 0;
		ASSERT_EQ(0, put(self));
		EXPECT_EQ(0, self->w.ok);
		EXPECT_EQ(10, self->w.failed);
		EXPECT_EQ(-ENOBUFS, self->w.result);
		EXPECT_EQ(0, self->seen.records);
		dropped += 10;
		ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
		EXPECT_EQ(0, st.written);
		EXPECT_EQ(dropped, st.dropped[ETW_DROP_NESTING]);
		EXPECT_EQ(dropped, vm_dropped(&st));
	}
	ASSERT_TRUE(vm_write_text(NESTING_MAX, NESTING_DEFAULT));
	self->w.failed = 0;
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(10, self->w.ok);
	EXPECT_EQ(0, self->w.failed);
	EXPECT_EQ(10, self->seen.records);
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(10, st.written);
	EXPECT_EQ(dropped, st.dropped[ETW_DROP_NESTING]);
}

/* The driver fills the slot itself, alone and for two sessions, whatever their clocks. */
TEST_F(kwrite, pieces_of_known_size)
{
	static const uint32_t clocks[] = { ETW_CLOCK_QPC, ETW_CLOCK_SYSTEM };
	uint32_t i, context, count = 0;

	self->w.transfer = ETW_TEST_KNOWN;
	self->w.count = 100;
	for (i = 0; i <= ARRAY_SIZE(clocks); i++) {
		struct etw_session also = vm_session("t-also");
		struct etw_session_stat st;

		if (i) {
			also.clock = clocks[i - 1];
			also.buffer_kb = 256;
			ASSERT_EQ(0, vm_start(self->fd, &also));
			ASSERT_EQ(0, vm_enable(self->fd, also.handle, guid, 4, 0xff, 0));
		}
		for (context = ETW_TEST_PROCESS; context <= ETW_TEST_HARDIRQ; context++) {
			self->seen.records = 0;
			self->w.context = context;
			ASSERT_EQ(0, put(self));
			count += 100;
			EXPECT_EQ(count, self->w.ok);
			EXPECT_EQ(100, self->seen.records);
			EXPECT_EQ(ETW_TEST_KNOWN_SIZE, self->seen.len);
			EXPECT_EQ(0, self->seen.wrong);
		}
		EXPECT_EQ(0, memcmp(&guid, &self->seen.head.provider, sizeof(guid)));
		EXPECT_EQ(0, memcmp(&self->w.desc, &self->seen.head.desc, sizeof(self->w.desc)));
		EXPECT_TRUE(vm_guid_zero(&self->seen.head.activity));
		if (!i)
			continue;
		ASSERT_EQ(0, vm_stat(self->fd, also.handle, &st));
		EXPECT_EQ(300, st.written);
		EXPECT_EQ(0, vm_dropped(&st));
		ASSERT_EQ(0, vm_stop(self->fd, also.handle));
	}
	EXPECT_EQ(0, self->w.failed);
}

/* Every size from 0 to 31, by etw_write() and etw_write_fixed(): what arrives, or false. */
static bool sizes_arrive(FIXTURE_DATA(kwrite) *self, uint64_t session, struct vm_reader *r)
{
	struct etw_test_sizes s = { .index = 1, .desc = self->w.desc };
	uint32_t i, len;

	for (; s.size <= ETW_TEST_SIZES_MAX; s.size += s.fixed, s.fixed = !s.fixed) {
		memset(&self->seen, 0, sizeof(self->seen));
		if (vm_ioctl(self->kfd, ETW_TEST_SIZES, &s) || s.result ||
		    vm_flush(self->fd, session) || vm_drain(r, see, &self->seen) != -EAGAIN)
			return false;
		len = s.size + (s.fixed ? 0 : ETW_TEST_SIZES_TAIL);
		if (self->seen.records != 1 || self->seen.len != len)
			return false;
		for (i = 0; i < s.size; i++)
			if (self->seen.data[i] != etw_test_byte(s.size, i))
				return false;
		if (!s.fixed && memcmp(self->seen.data + s.size, "tail", ETW_TEST_SIZES_TAIL))
			return false;
	}
	return true;
}

/* Is an event of known size of level and id 5 rejected? */
static bool size_rejected(FIXTURE_DATA(kwrite) *self, uint32_t fixed)
{
	struct etw_test_sizes s = { .index = 1, .size = 9, .fixed = fixed, .desc = self->w.desc };

	memset(&self->seen, 0, sizeof(self->seen));
	s.desc.level = 5;
	return !vm_ioctl(self->kfd, ETW_TEST_SIZES, &s) && !s.result &&
	       !vm_flush(self->fd, self->session) &&
	       vm_drain(&self->r, see, &self->seen) == -EAGAIN && !self->seen.records;
}

/* Each byte is where it belongs, and none behind the piece is read, in every way to write it. */
TEST_F(kwrite, every_known_size)
{
	struct etw_filter_event_id ids;
	struct etw_filter only;
	struct etw_session_stat st;
	uint32_t clock;

	ASSERT_TRUE(sizes_arrive(self, self->session, &self->r));
	EXPECT_TRUE(size_rejected(self, 0));
	EXPECT_TRUE(size_rejected(self, 1));
	only = vm_id_filter(&ids, ETW_FILTER_EVENT_ID, true, VM_IDS(5));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session, vm_guid(1), 0, &only, 1));
	EXPECT_TRUE(sizes_arrive(self, self->session, &self->r));
	only = vm_id_filter(&ids, ETW_FILTER_EVENT_ID, false, VM_IDS(5));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session, vm_guid(1), 0, &only, 1));
	self->w.desc.level = 1;
	EXPECT_FALSE(sizes_arrive(self, self->session, &self->r));
	EXPECT_EQ(0, self->seen.records);
	ASSERT_EQ(0, vm_disable(self->fd, self->session, vm_guid(1)));
	for (clock = ETW_CLOCK_QPC; clock <= ETW_CLOCK_CYCLES; clock++) {
		struct etw_session other = vm_session("t-other");
		struct vm_reader r;

		other.clock = clock;
		ASSERT_EQ(0, vm_start(self->fd, &other));
		ASSERT_EQ(0, vm_reader_open(&r, self->fd, other.handle, O_NONBLOCK));
		ASSERT_EQ(0, vm_enable(self->fd, other.handle, vm_guid(1), 4, 0xff, 0));
		EXPECT_TRUE(sizes_arrive(self, other.handle, &r));
		ASSERT_EQ(0, vm_stat(self->fd, other.handle, &st));
		EXPECT_EQ(2 * (ETW_TEST_SIZES_MAX + 1), st.written);
		EXPECT_EQ(0, vm_dropped(&st));
		vm_reader_close(&r);
		ASSERT_EQ(0, vm_stop(self->fd, other.handle));
	}
}

/* B98 */
TEST_F(kwrite, related_activity)
{
	const struct etw_ext_item *item = (const void *)self->seen.ext;

	self->w.transfer = 1;
	self->w.activity = vm_guid(31);
	self->w.related = vm_guid(32);
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(1, self->w.ok);
	EXPECT_EQ(0, memcmp(&self->w.activity, &self->seen.head.activity, 16));
	EXPECT_EQ(ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE | ETW_EVENT_EXTENDED_INFO,
		  self->seen.head.flags);
	EXPECT_EQ(ETW_EXT_RELATED_ACTIVITY, item->type);
	EXPECT_EQ(24, item->size);
	EXPECT_EQ(16, item->data_size);
	EXPECT_EQ(0, item->linkage);
	EXPECT_EQ(0, memcmp(&self->w.related, item + 1, 16));
	EXPECT_EQ(28, self->seen.len);
	EXPECT_EQ(0, self->seen.wrong);
}

static int activity(FIXTURE_DATA(kwrite) *self, uint32_t control, struct etw_guid *id)
{
	struct etw_test_activity a = { .control = control, .id = *id };
	int ret = vm_ioctl(self->kfd, ETW_TEST_ACTIVITY, &a);

	*id = a.id;
	return ret ? ret : a.result;
}

/* B97, B105, B108: the calling thread's id goes into its events until it is changed. */
TEST_F(kwrite, activity_of_the_thread)
{
	struct etw_guid id = { 0 }, mine = vm_guid(41), other = vm_guid(42);

	EXPECT_EQ(0, activity(self, 1, &id));
	EXPECT_TRUE(vm_guid_zero(&id));
	id = mine;
	EXPECT_EQ(0, activity(self, 2, &id));
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(0, memcmp(&mine, &self->seen.head.activity, 16));
	id = other;
	EXPECT_EQ(0, activity(self, 4, &id));
	EXPECT_EQ(0, memcmp(&mine, &id, 16));
	EXPECT_EQ(0, activity(self, 1, &id));
	EXPECT_EQ(0, memcmp(&other, &id, 16));
	EXPECT_EQ(0, activity(self, 3, &id));
	EXPECT_NE(0, memcmp(&other, &id, 16));
	EXPECT_FALSE(vm_guid_zero(&id));
	EXPECT_EQ(0, activity(self, 5, &id));
	EXPECT_EQ(0, memcmp(&other, &id, 16));
	EXPECT_EQ(-EINVAL, activity(self, 6, &id));
	EXPECT_EQ(-EINVAL, activity(self, 0, &id));
}

/* B107: another thread starts without one. */
TEST_F(kwrite, activity_is_not_inherited)
{
	struct etw_guid id = vm_guid(43);
	int status;
	pid_t pid;

	EXPECT_EQ(0, activity(self, 2, &id));
	pid = fork();
	if (!pid) {
		activity(self, 1, &id);
		_exit(!vm_guid_zero(&id));
	}
	status = vm_reap(pid);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST_HARNESS_MAIN
