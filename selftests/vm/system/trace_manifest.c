// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_manifest - the manifest with the names of a trace event's values, which ETW_IOC_TRACE_EVENT
 * takes: which sessions have it, in which pieces, and when
 */
#define _GNU_SOURCE
#include <sys/mount.h>
#include <sys/syscall.h>

#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_items.h"
#include "lib/vm_tracefs.h"

#define EVENT	"syscalls/sys_enter_getppid"
#define LENGTH	5000
#define PIECE	2048

FIXTURE(manifest) {
	int fd;
	uint64_t session;
	struct vm_reader r;
	struct etw_guid guid;
	char text[ETW_TRACE_MANIFEST_MAX + 1];
	char found[4 * LENGTH];
	size_t len;
	unsigned int pieces, seen[3], events;
	bool right;		/* each piece has the header that it should have */
};

static void take(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	FIXTURE_DATA(manifest) *self = ctx;
	const unsigned int number = r->len > 6 && r->data[6] < 3 ? r->data[6] : 0;
	const unsigned char piece[8] = { 1, 1, 0, 0x5B, 3, 0, number, 0 };
	size_t at = (size_t)self->seen[number] * LENGTH + number * PIECE;

	if (memcmp(&r->head->provider, &self->guid, sizeof(self->guid)))
		return;
	if (r->head->desc.id != 0xFFFE) {
		self->events++;
		return;
	}
	/* In any order: their writer may move to another CPU. */
	self->pieces++;
	self->seen[number]++;
	self->right = self->right && r->head->desc.opcode == 0xFE && r->head->desc.task == 0xFFFE &&
		      r->len > sizeof(piece) && !memcmp(r->data, piece, sizeof(piece)) &&
		      r->len - sizeof(piece) <= PIECE &&
		      at + r->len - sizeof(piece) <= sizeof(self->found);
	if (!self->right)
		return;
	memcpy(self->found + at, r->data + sizeof(piece), r->len - sizeof(piece));
	self->len += r->len - sizeof(piece);
}

FIXTURE_SETUP(manifest)
{
	struct etw_session s = vm_session("t-manifest");
	size_t i;

	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	/* Those of the test before have gone. */
	ASSERT_TRUE(vm_until(!vm_providers(self->fd, &self->guid, 1)));
	s.buffer_kb = 4;
	/* Enough from the start: that more come in time is not what is tested. */
	s.min_buffers = 50;
	s.max_buffers = 100;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->session = s.handle;
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	self->guid = vm_guid(1);
	self->right = true;
	for (i = 0; i < sizeof(self->text); i++)
		self->text[i] = 'a' + i % 23;
}

FIXTURE_TEARDOWN(manifest)
{
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

static int make(FIXTURE_DATA(manifest) *self, uint32_t len, uint32_t reserved)
{
	struct etw_trace_event e = vm_trace_event(self->guid, EVENT);

	e.manifest = VM_PTR(self->text);
	e.manifest_len = len;
	e.reserved = reserved;
	return vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e);
}

/* control: of struct etw_enable.  Returns once its callback has run. */
static int control(FIXTURE_DATA(manifest) *self, uint32_t what)
{
	struct etw_enable e = vm_enable_arg(self->session, self->guid);

	e.control = what;
	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

/* Nothing is lost, and what the pieces have is the text so many times. */
static bool collect(FIXTURE_DATA(manifest) *self, unsigned int times)
{
	struct etw_session_stat st;
	unsigned int i;

	if (vm_flush(self->fd, self->session) || vm_drain(&self->r, take, self) != -EAGAIN ||
	    vm_stat(self->fd, self->session, &st) || vm_dropped(&st) || !self->right ||
	    self->pieces != 3 * times || self->len != (size_t)times * LENGTH)
		return false;
	for (i = 0; i < times; i++)
		if (memcmp(self->found + (size_t)i * LENGTH, self->text, LENGTH))
			return false;
	return true;
}

/* In buffers of the smallest size, each time that a session enables the provider or captures */
TEST_F(manifest, is_in_the_trace)
{
	ASSERT_EQ(0, make(self, LENGTH, 0));
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	EXPECT_TRUE(collect(self, 1)) TH_LOG("%u pieces, %zu bytes", self->pieces, self->len);
	ASSERT_EQ(0, control(self, ETW_CONTROL_CAPTURE));
	EXPECT_TRUE(collect(self, 2)) TH_LOG("%u pieces, %zu bytes", self->pieces, self->len);
	ASSERT_EQ(0, control(self, ETW_CONTROL_DISABLE));
	EXPECT_TRUE(collect(self, 2)) TH_LOG("%u pieces, %zu bytes", self->pieces, self->len);
}

/* A session that has it already does not get it again because another one enables the provider. */
TEST_F(manifest, is_for_whoever_enables)
{
	struct etw_session s = vm_session("t-manifest-other");
	struct etw_enable e;
	struct etw_session_stat st;

	ASSERT_EQ(0, make(self, LENGTH, 0));
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	EXPECT_TRUE(collect(self, 1));
	ASSERT_EQ(0, vm_start(self->fd, &s));
	e = vm_enable_arg(s.handle, self->guid);
	e.timeout_ms = 0xFFFFFFFF;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	EXPECT_TRUE(collect(self, 1)) TH_LOG("%u pieces, %zu bytes", self->pieces, self->len);
	ASSERT_EQ(0, vm_stat(self->fd, s.handle, &st));
	EXPECT_LE(3, st.written);
	/* Whoever enables it anew may want it again, in a new file for instance. */
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	EXPECT_TRUE(collect(self, 2)) TH_LOG("%u pieces, %zu bytes", self->pieces, self->len);
}

static void count_pieces(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	unsigned int *pieces = ctx;

	*pieces += r->head->desc.id == 0xFFFE;
}

/* Write events until none finds a buffer. */
static bool fill(FIXTURE_DATA(manifest) *self, uint64_t session, struct etw_session_stat *st)
{
	uint64_t before = vm_dropped(st);
	int i;

	for (i = 0; i < 100; i++)
		syscall(SYS_getppid);
	return !vm_stat(self->fd, session, st) && vm_dropped(st) >= before + 100;
}

/* A session that has lost a part gets all of it when the provider is enabled again, by whomever. */
TEST_F(manifest, is_given_again)
{
	struct etw_session s = vm_session("t-manifest-full");
	struct etw_session_stat st = { 0 };
	unsigned int pieces = 0;
	struct vm_reader r;
	struct etw_enable e;
	uint64_t dropped;

	vm_pin(0);
	s.buffer_kb = 4;
	s.min_buffers = s.max_buffers = 4;
	ASSERT_EQ(0, make(self, LENGTH, 0));
	ASSERT_EQ(0, vm_start(self->fd, &s));
	e = vm_enable_arg(s.handle, self->guid);
	e.timeout_ms = 0xFFFFFFFF;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	ASSERT_TRUE(vm_until(fill(self, s.handle, &st)));
	dropped = vm_dropped(&st);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	ASSERT_EQ(0, vm_stat(self->fd, s.handle, &st));
	EXPECT_LT(dropped, vm_dropped(&st));
	ASSERT_EQ(0, vm_reader_open(&r, self->fd, s.handle, O_NONBLOCK));
	ASSERT_EQ(0, vm_flush(self->fd, s.handle));
	EXPECT_EQ(-EAGAIN, vm_drain(&r, count_pieces, &pieces));
	pieces = 0;
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	ASSERT_EQ(0, vm_flush(self->fd, s.handle));
	EXPECT_EQ(-EAGAIN, vm_drain(&r, count_pieces, &pieces));
	EXPECT_EQ(3, pieces);
	pieces = 0;
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	ASSERT_EQ(0, vm_flush(self->fd, s.handle));
	EXPECT_EQ(-EAGAIN, vm_drain(&r, count_pieces, &pieces));
	EXPECT_EQ(0, pieces);
	vm_reader_close(&r);
}

/* A provider that exists keeps its manifest, and one may be without. */
TEST_F(manifest, is_of_the_first)
{
	ASSERT_EQ(0, make(self, LENGTH, 0));
	ASSERT_EQ(0, make(self, 1, 0));
	ASSERT_EQ(0, make(self, 0, 0));
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	EXPECT_TRUE(collect(self, 1));
	self->guid = vm_guid(2);
	ASSERT_EQ(0, make(self, 0, 0));
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE));
	EXPECT_TRUE(collect(self, 1));
}

/* Filters are for the events, not for what describes them. */
TEST_F(manifest, passes_filters)
{
	struct etw_enable e = vm_enable_arg(self->session, self->guid);
	struct etw_filter_event_id ids;
	const uint32_t init = 1;
	const struct etw_filter filters[] = {
		{ .ptr = VM_PTR(&init), .len = sizeof(init), .type = ETW_FILTER_PID },
		vm_id_filter(&ids, ETW_FILTER_EVENT_ID, true, (const int[]){ 7, -1 }),
	};

	ASSERT_EQ(0, make(self, LENGTH, 0));
	e.filters = VM_PTR(filters);
	e.filter_count = ARRAY_SIZE(filters);
	e.timeout_ms = 0xFFFFFFFF;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	syscall(SYS_getppid);
	EXPECT_TRUE(collect(self, 1)) TH_LOG("%u pieces, %zu bytes", self->pieces, self->len);
	EXPECT_EQ(0, self->events);
}

/* The provider's callback may run before whoever makes it has all of it ready. */
TEST_F(manifest, is_enabled_before_it_exists)
{
	unsigned int i;

	for (i = 1; i <= 30; i++) {
		self->guid = vm_guid(i);
		ASSERT_EQ(0, vm_enable(self->fd, self->session, self->guid, 0, 0, 0));
		ASSERT_EQ(0, make(self, LENGTH, 0));
		/* Waits for the callback. */
		ASSERT_EQ(0, control(self, ETW_CONTROL_CAPTURE));
		ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
		memset(self->seen, 0, sizeof(self->seen));
		self->pieces = self->len = 0;
		EXPECT_TRUE(collect(self, 2)) TH_LOG("%u pieces, %zu bytes", self->pieces, self->len);
	}
}

/* The keyword of an event that describes others is not one that sessions select. */
TEST_F(manifest, passes_keywords)
{
	ASSERT_EQ(0, make(self, LENGTH, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->guid, 0, 1ULL << 63, 1ULL << 63));
	ASSERT_EQ(0, control(self, ETW_CONTROL_CAPTURE));
	EXPECT_TRUE(collect(self, 2)) TH_LOG("%u pieces, %zu bytes", self->pieces, self->len);
}

TEST_F(manifest, refuses_what_is_wrong)
{
	EXPECT_EQ(-EINVAL, make(self, ETW_TRACE_MANIFEST_MAX + 1, 0));
	EXPECT_EQ(-EINVAL, make(self, LENGTH, 1));
	EXPECT_EQ(0, make(self, ETW_TRACE_MANIFEST_MAX, 0));
}

TEST_HARNESS_MAIN
