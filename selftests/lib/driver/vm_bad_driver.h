/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_bad_driver.h - a driver, etw_test, whose bad pointers and dying threads a session outlives
 */
#ifndef ETW_SELFTEST_VM_BAD_DRIVER_H
#define ETW_SELFTEST_VM_BAD_DRIVER_H

#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

#define DEATHS	12	/* more than writers may be nested */
#define BUFFERS	40	/* of a session, at most */
#define PER_BUFFER	145	/* events of etw_test_write in a buffer of 16 KB, at most */

struct seen {
	uint64_t good;		/* events of etw_test_write */
	uint64_t trap;		/* of the trap */
	uint64_t lost;		/* records that say that an event is lost */
	uint64_t other;
};

static inline void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	static const struct etw_guid lost_guid = ETW_LOST_EVENT_GUID;
	struct seen *s = ctx;

	(void)b;
	if (!memcmp(&r->head->provider, &lost_guid, sizeof(lost_guid)))
		s->lost++;
	else if (r->head->desc.id == 98)
		s->trap++;
	else if (r->head->desc.id == 5 && r->len == 28 && r->data[0] == 0x5a && r->data[27] == 0x5a)
		s->good++;
	else
		s->other++;
}

FIXTURE(bad_driver) {
	int fd;
	int kfd;
	struct etw_session s;
	struct vm_reader r;
	struct seen seen;
	struct etw_test_write w;
	struct etw_test_bad bad;
	struct etw_test_trap trap;
};

FIXTURE_SETUP(bad_driver)
{
	struct etw_test_set types = { .index = 1, .flags = ETW_SET_TYPES, .types = 1 };

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->kfd = vm_test_provider();
	ASSERT_LE(0, self->kfd);
	ASSERT_EQ(0, vm_test_register(self->kfd, 1, vm_guid(1), 0));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_SET, &types));
	ASSERT_EQ(0, types.result);
	self->w = (struct etw_test_write){
		.count = 1, .size = 28, .descriptors = 3, .desc = { .id = 5, .level = 1 } };
	self->bad = (struct etw_test_bad){
		.count = 1, .size = 8, .desc = { .id = 6, .level = 1 },
		.user = (uintptr_t)&self->bad };
	self->r.fd = -1;
}

FIXTURE_TEARDOWN(bad_driver)
{
	self->trap.kind = ETW_TEST_TRAP_REMOVE;
	vm_ioctl(self->kfd, ETW_TEST_TRAP, &self->trap);
	if (self->r.fd >= 0)
		vm_reader_close(&self->r);
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	vm_stop_all(self->fd);
	close(self->fd);
}

static inline void prepare(FIXTURE_DATA(bad_driver) *self, uint32_t mode)
{
	self->s = vm_session("t-bad");
	self->s.buffer_kb = 16;
	self->s.min_buffers = 16;
	self->s.max_buffers = BUFFERS;
	self->s.mode = mode;
}

static inline int start(FIXTURE_DATA(bad_driver) *self)
{
	static const struct etw_guid guid = ETW_TEST_GUID;
	int ret = vm_start(self->fd, &self->s);

	ret = ret ?: vm_enable(self->fd, self->s.handle, guid, 0, 0, 0);
	return ret ?: vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0);
}

static inline int begin(FIXTURE_DATA(bad_driver) *self, uint32_t mode)
{
	int ret;

	prepare(self, mode);
	ret = start(self);
	return ret ?: vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK);
}

/* Write so many events that each session gets. */
static inline int good(FIXTURE_DATA(bad_driver) *self, uint32_t count)
{
	uint32_t ok = self->w.ok;
	int ret;

	self->w.count = count;
	ret = vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->w);
	return ret ?: self->w.ok - ok == count ? 0 : -EBADMSG;
}

static inline int drain(FIXTURE_DATA(bad_driver) *self)
{
	int ret = vm_flush(self->fd, self->s.handle);

	ret = ret ?: vm_drain(&self->r, see, &self->seen);
	return ret == -EAGAIN ? 0 : ret;
}

/* A thread dies there, in a write; 0, or why it did not. */
static inline int dies_in(FIXTURE_DATA(bad_driver) *self, uint32_t where)
{
	struct etw_test_die d = { .index = 1, .cpu = 0, .where = where,
				  .desc = { .id = 7, .level = 1 } };
	int ret = vm_ioctl(self->kfd, ETW_TEST_DIE, &d);

	return ret ?: d.result;
}

/* Every event that was written is delivered, overwritten or counted, and writers go on. */
static inline void judge(struct __test_metadata *_metadata, FIXTURE_DATA(bad_driver) *self,
			 uint32_t deaths, uint64_t least)
{
	struct etw_session_stat st;
	struct etw_session q;

	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	TH_LOG("%llu written, %llu delivered, %llu overwritten, %llu and %llu buffers abandoned",
	       (unsigned long long)st.written, (unsigned long long)st.events_delivered,
	       (unsigned long long)st.overwritten_events,
	       (unsigned long long)st.abandoned_events,
	       (unsigned long long)st.abandoned_buffers);
	EXPECT_EQ(self->w.ok, st.written);
	EXPECT_EQ(deaths, st.abandoned_buffers);
	EXPECT_EQ(st.written,
		  st.events_delivered + st.overwritten_events + st.abandoned_events);
	EXPECT_LE(least, st.events_delivered);
	EXPECT_EQ(0, vm_dropped(&st));
	ASSERT_EQ(0, vm_query(self->fd, self->s.handle, &q));
	EXPECT_EQ(st.abandoned_events + deaths, q.events_lost);
}

#endif /* ETW_SELFTEST_VM_BAD_DRIVER_H */
