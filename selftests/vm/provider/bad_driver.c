// SPDX-License-Identifier: GPL-2.0-only
/*
 * bad_driver - drivers that pass bad pointers, and writers that die in a write, cost events
 * and buffers that are counted, and nothing else
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_clock.h"
#include "lib/vm_log.h"
#include "lib/vm_tracefs.h"
#include "lib/driver/vm_kmod.h"

#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/utsname.h>

#include "kmod/etw_test/etw_test.h"

static const struct etw_guid guid = ETW_TEST_GUID;
static const struct etw_guid lost_guid = ETW_LOST_EVENT_GUID;

#define DEATHS	12	/* more than writers may be nested */
#define BUFFERS	40	/* of a session, at most */
#define PER_BUFFER	145	/* events of etw_test_write in a buffer of 16 KB, at most */

struct seen {
	uint64_t good;		/* events of etw_test_write */
	uint64_t trap;		/* of the trap */
	uint64_t lost;		/* records that say that an event is lost */
	uint64_t other;
};

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
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
	struct etw_session_file file;
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

static void prepare(FIXTURE_DATA(bad_driver) *self, uint32_t mode)
{
	self->s = vm_session("t-bad");
	self->s.buffer_kb = 16;
	self->s.min_buffers = 16;
	self->s.max_buffers = BUFFERS;
	self->s.mode = mode;
}

static int start(FIXTURE_DATA(bad_driver) *self)
{
	int ret = vm_start(self->fd, &self->s);

	ret = ret ?: vm_enable(self->fd, self->s.handle, guid, 0, 0, 0);
	return ret ?: vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0);
}

static int begin(FIXTURE_DATA(bad_driver) *self, uint32_t mode)
{
	int ret;

	prepare(self, mode);
	ret = start(self);
	return ret ?: vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK);
}

static int good(FIXTURE_DATA(bad_driver) *self, uint32_t count)
{
	uint32_t ok = self->w.ok;
	int ret;

	self->w.count = count;
	ret = vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->w);
	return ret ?: self->w.ok - ok == count ? 0 : -EBADMSG;
}

static int bad(FIXTURE_DATA(bad_driver) *self, uint32_t place, uint32_t kind)
{
	int ret;

	self->bad.index = place == ETW_TEST_BAD_SCHEMA;
	self->bad.place = place;
	self->bad.kind = kind;
	ret = vm_ioctl(self->kfd, ETW_TEST_BAD, &self->bad);
	return ret ?: self->bad.result;
}

static int drain(FIXTURE_DATA(bad_driver) *self)
{
	int ret = vm_flush(self->fd, self->s.handle);

	ret = ret ?: vm_drain(&self->r, see, &self->seen);
	return ret == -EAGAIN ? 0 : ret;
}

/* Each bad pointer costs its event, which is counted; all others arrive. */
TEST_F(bad_driver, pointers)
{
	uint32_t place, kind, n = 0;
	struct etw_session_stat st;

	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME));
	for (place = ETW_TEST_BAD_PIECE; place <= ETW_TEST_BAD_KNOWN; place++) {
		for (kind = 0; kind < ETW_TEST_BAD_KINDS; kind++) {
			/* An id at the end of a page can be read. */
			if (kind == ETW_TEST_BAD_TAIL && place != ETW_TEST_BAD_PIECE &&
			    place != ETW_TEST_BAD_STRING)
				continue;
			self->bad.size = kind == ETW_TEST_BAD_TAIL ? 1000 : 8;
			ASSERT_EQ(0, good(self, 10));
			ASSERT_EQ(-EFAULT, bad(self, place, kind))
				TH_LOG("place %u, kind %u", place, kind);
			n++;
		}
	}
	ASSERT_EQ(0, good(self, 10));
	ASSERT_EQ(0, drain(self));
	EXPECT_EQ(10 * n + 10, self->seen.good);
	EXPECT_EQ(0, self->seen.other);
	EXPECT_EQ(0, self->seen.lost);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(n, st.dropped[ETW_DROP_COPY_FAULT]);
	EXPECT_EQ(n, vm_dropped(&st));
	EXPECT_EQ(10 * n + 10, st.written);
}

/* A piece of no bytes may have any address. */
TEST_F(bad_driver, empty_piece)
{
	struct etw_session_stat st;
	uint32_t kind;

	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME));
	self->bad.size = 0;
	for (kind = 0; kind < ETW_TEST_BAD_KINDS; kind++)
		ASSERT_EQ(0, bad(self, ETW_TEST_BAD_PIECE, kind));
	for (kind = 0; kind < ETW_TEST_BAD_KINDS; kind++)
		ASSERT_EQ(0, bad(self, ETW_TEST_BAD_NONE, kind));
	ASSERT_EQ(0, drain(self));
	EXPECT_EQ(2 * ETW_TEST_BAD_KINDS, self->seen.other);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(0, vm_dropped(&st));
}

/*
 * An event is written within the fault, behind the slot of the one that cannot be read: a
 * record that says so takes the slot.
 */
TEST_F(bad_driver, written_within_the_fault)
{
	struct etw_session_stat st;
	int i;

	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME));
	self->trap = (struct etw_test_trap){ .index = 0, .kind = ETW_TEST_TRAP_FAULT };
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_TRAP, &self->trap));
	if (self->trap.result == -EOPNOTSUPP)
		SKIP(return, "the kernel does not have the tracepoints");
	ASSERT_EQ(0, self->trap.result);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(-EFAULT, bad(self, i % 2 ? ETW_TEST_BAD_PIECE : ETW_TEST_BAD_KNOWN,
				       ETW_TEST_BAD_GUARD));
		ASSERT_EQ(0, good(self, 1));
	}
	self->trap.kind = ETW_TEST_TRAP_REMOVE;
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_TRAP, &self->trap));
	ASSERT_EQ(0, drain(self));
	EXPECT_EQ(20, self->seen.lost);
	EXPECT_EQ(20, self->seen.good);
	EXPECT_EQ(self->trap.ok, self->seen.trap);
	EXPECT_EQ(0, self->seen.other);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(20, st.dropped[ETW_DROP_COPY_FAULT]);
	EXPECT_EQ(20 + self->trap.ok, st.written);
	EXPECT_EQ(st.written, st.events_delivered);
}

/* A buffer whose only event was given back holds none; the next one comes in its time. */
TEST_F(bad_driver, undone_in_an_empty_buffer)
{
	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME));
	ASSERT_EQ(-EFAULT, bad(self, ETW_TEST_BAD_PIECE, ETW_TEST_BAD_GUARD));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_EQ(0, good(self, 1));
	EXPECT_TRUE(vm_until(vm_drain(&self->r, see, &self->seen) == -EAGAIN && self->seen.good));
	EXPECT_EQ(1, self->seen.good);
}

/* The CPUs share a buffer: slots in it are not given back. */
TEST_F(bad_driver, shared)
{
	struct etw_session_stat st;

	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME | ETW_MODE_NO_PER_PROCESSOR));
	ASSERT_EQ(0, good(self, 5));
	ASSERT_EQ(-EFAULT, bad(self, ETW_TEST_BAD_PIECE, ETW_TEST_BAD_GUARD));
	ASSERT_EQ(0, good(self, 5));
	ASSERT_EQ(0, drain(self));
	EXPECT_EQ(10, self->seen.good);
	EXPECT_EQ(1, self->seen.lost);
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(1, st.dropped[ETW_DROP_COPY_FAULT]);
	EXPECT_EQ(10, st.events_delivered);
}

/* -------------------------------------------------------------------- dying */

static int dies_in(FIXTURE_DATA(bad_driver) *self, uint32_t where)
{
	struct etw_test_die d = { .index = 1, .cpu = 0, .where = where,
				  .desc = { .id = 7, .level = 1 } };
	int ret = vm_ioctl(self->kfd, ETW_TEST_DIE, &d);

	return ret ?: d.result;
}

static int dies(FIXTURE_DATA(bad_driver) *self)
{
	return dies_in(self, ETW_TEST_DIE_EVENT);
}

/* Every event that was written is delivered, overwritten or counted, and writers go on. */
static void judge(struct __test_metadata *_metadata, FIXTURE_DATA(bad_driver) *self,
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

/*
 * A writer that dies costs its buffer, no more; a flush finds it.  After as many deaths as
 * writers may be nested others still write.
 */
static void deaths(struct __test_metadata *_metadata, FIXTURE_DATA(bad_driver) *self)
{
	int i, ret;

	for (i = 0; i < DEATHS; i++) {
		ASSERT_EQ(0, good(self, 10));
		ret = dies(self);
		if (ret == -EOPNOTSUPP)
			SKIP(return, "the kernel has no kprobes");
		ASSERT_EQ(0, ret);
		/* Some in the buffer of the dead one, most in later ones. */
		ASSERT_EQ(0, good(self, 500));
		ASSERT_EQ(0, drain(self));
	}
	ASSERT_EQ(0, good(self, 10));
	ASSERT_EQ(0, drain(self));
	EXPECT_EQ(0, self->seen.other);
	judge(_metadata, self, DEATHS, DEATHS * 300);
}

TEST_F(bad_driver, death)
{
	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME));
	deaths(_metadata, self);
	EXPECT_LE(DEATHS * 300, self->seen.good);
}

TEST_F(bad_driver, death_shared)
{
	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME | ETW_MODE_NO_PER_PROCESSOR));
	deaths(_metadata, self);
	EXPECT_LE(DEATHS * 300, self->seen.good);
}

/* Before 6.11 perf itself takes no more records on a CPU after such a death, until a reboot. */
static bool perf_outlives_deaths(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	return !uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 11));
}

/* Deaths in a record of perf leave its scratch memory free: more of them than there are of it. */
TEST_F(bad_driver, death_in_a_trace_event)
{
	struct etw_session_stat st;
	struct etw_trace_event e;
	struct etw_enable enable;
	int i;

	if (!perf_outlives_deaths())
		SKIP(return, "perf does not outlive the death of a writer");
	mount("tracefs", VM_TRACEFS, "tracefs", 0, NULL);
	e = vm_trace_event(vm_guid(2), "kmem/kmalloc");
	ASSERT_NE(0, e.id);
	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	enable = vm_enable_arg(self->s.handle, e.provider);
	enable.timeout_ms = 0xFFFFFFFF;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &enable));
	for (i = 0; i < DEATHS; i++) {
		ASSERT_EQ(0, dies_in(self, ETW_TEST_DIE_TRACED)) {
			TH_LOG("after %d deaths", i);
		}
	}
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_LT(0, st.written);
	EXPECT_EQ(0, etw_stat_dropped(&st, ETW_DROP_NESTING));
}

/* Without a flush the stop counts what the reader did not get. */
TEST_F(bad_driver, stop_without_flush)
{
	struct etw_session q;
	int ret;

	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME));
	ASSERT_EQ(0, good(self, 10));
	ret = dies(self);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "the kernel has no kprobes");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, good(self, 500));
	ASSERT_EQ(0, vm_session_op(self->fd, ETW_IOC_SESSION_STOP, self->s.handle, &q));
	ASSERT_EQ(0, vm_drain(&self->r, see, &self->seen));
	EXPECT_LE(1, q.events_lost);
	/* The event that was not finished is lost, too. */
	EXPECT_EQ(510 + 1, self->seen.good + q.events_lost);
}

TEST_F(bad_driver, death_buffering)
{
	struct etw_session_stat st;
	int i;

	ASSERT_EQ(0, begin(self, ETW_MODE_BUFFERING));
	for (i = 0; i < DEATHS; i++) {
		int ret = dies(self);

		if (ret == -EOPNOTSUPP)
			SKIP(return, "the kernel has no kprobes");
		ASSERT_EQ(0, ret);
		ASSERT_EQ(0, good(self, 500));
		ASSERT_EQ(0, drain(self));
	}
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(DEATHS, st.abandoned_buffers);
	EXPECT_EQ(DEATHS * 500,
		  st.events_delivered + st.overwritten_events + st.abandoned_events);
	EXPECT_EQ(0, vm_dropped(&st));
}

/* A ring in which more writers died than it has buffers goes on, although nobody reads it. */
TEST_F(bad_driver, ring_outlives_deaths)
{
	struct etw_session_stat st;
	uint32_t i;

	ASSERT_EQ(0, begin(self, ETW_MODE_BUFFERING));
	for (i = 0; i < self->s.min_buffers + DEATHS; i++) {
		int ret;

		ASSERT_TRUE(vm_until(!good(self, 1)))
			TH_LOG("no buffer after %u deaths", i);
		ret = dies(self);
		if (ret == -EOPNOTSUPP)
			SKIP(return, "the kernel has no kprobes");
		ASSERT_EQ(0, ret);
		/* More than a buffer, so that it is closed. */
		good(self, 2 * PER_BUFFER);
	}
	ASSERT_EQ(0, drain(self));
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(self->s.min_buffers + DEATHS, st.abandoned_buffers);
	EXPECT_EQ(self->w.ok, st.written);
	EXPECT_EQ(st.written,
		  st.events_delivered + st.overwritten_events + st.abandoned_events);
}

/*
 * Does the reader or the file have all events but those in the open buffer and in the one of a
 * dead writer?
 */
static bool delivered(FIXTURE_DATA(bad_driver) *self)
{
	struct etw_session_stat st;

	if (self->r.fd >= 0 && vm_drain(&self->r, see, &self->seen) != -EAGAIN)
		return false;
	if (vm_stat(self->fd, self->s.handle, &st) ||
	    st.written - st.events_delivered > 2 * PER_BUFFER)
		return false;
	return self->r.fd >= 0 ||
	       vl_log_status(self->fd, self->s.handle).buffers_written >= st.buffers_delivered;
}

/*
 * Nobody flushes, and no timer does: a writer that dies costs its buffer all the same, and the
 * pool is never empty for longer than it takes to find that.
 */
static void outlive(struct __test_metadata *_metadata, FIXTURE_DATA(bad_driver) *self)
{
	struct etw_session_stat st;
	int i, ret;

	ASSERT_EQ(0, start(self));
	if (self->s.mode & ETW_MODE_REAL_TIME)
		ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	ASSERT_EQ(0, good(self, 10));
	ret = dies(self);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "the kernel has no kprobes");
	ASSERT_EQ(0, ret);
	for (i = 0; i < 40; i++) {
		ASSERT_EQ(0, good(self, BUFFERS / 4 * PER_BUFFER))
			TH_LOG("after %d quarters of the pool", i);
		ASSERT_TRUE(vm_until(delivered(self)))
			TH_LOG("after %d quarters of the pool", i + 1);
	}
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(0, vm_dropped(&st));
	EXPECT_EQ(1, st.abandoned_buffers);
	EXPECT_LE(10, st.abandoned_events);
	EXPECT_GE(PER_BUFFER, st.abandoned_events);
}

static void outlive_in_file(struct __test_metadata *_metadata, FIXTURE_DATA(bad_driver) *self,
			    uint32_t mode)
{
	struct etw_session q;
	struct vl_log log;
	char path[32];

	prepare(self, mode);
	self->file = (struct etw_session_file){
		.size = sizeof(self->file), .dir = -1, .name = VM_PTR("t"), .name_len = 1,
		.fd = memfd_create("t-bad", MFD_CLOEXEC) };
	ASSERT_LE(0, self->file.fd);
	self->s.flush_ms = 0;
	self->s.file = VM_PTR(&self->file);
	outlive(_metadata, self);
	ASSERT_EQ(0, vm_session_op(self->fd, ETW_IOC_SESSION_STOP, self->s.handle, &q));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", self->file.fd);
	log = vl_log_read(path);
	close(self->file.fd);
	EXPECT_EQ(0, log.error);
	/* The event that was not finished is lost, too. */
	EXPECT_EQ(self->w.ok + 1, log.events + q.events_lost);
	EXPECT_GE(PER_BUFFER + 1, q.events_lost);
}

TEST_F(bad_driver, file_outlives_death)
{
	outlive_in_file(_metadata, self, 0);
}

TEST_F(bad_driver, shared_file_outlives_death)
{
	outlive_in_file(_metadata, self, ETW_MODE_NO_PER_PROCESSOR);
}

/* A timer of an hour is as good as none. */
TEST_F(bad_driver, reader_outlives_death)
{
	prepare(self, ETW_MODE_REAL_TIME);
	self->s.flush_ms = 3600 * 1000;
	outlive(_metadata, self);
}

/* ------------------------------------------------- dying in the driver's own code */

/* As dies(), of a thread that was to fill the slot itself, see etw_write_fixed(). */
static int dies_filling(FIXTURE_DATA(bad_driver) *self)
{
	struct etw_test_die d = { .where = ETW_TEST_DIE_BEGUN, .desc = { .id = 7, .level = 1 } };
	int ret = vm_ioctl(self->kfd, ETW_TEST_DIE, &d);

	return ret ?: d.result;
}

/* The session that the slot was reserved in loses one buffer, and all of it is counted. */
static void die_filling(struct __test_metadata *_metadata, FIXTURE_DATA(bad_driver) *self)
{
	ASSERT_EQ(0, good(self, 10));
	ASSERT_EQ(0, dies_filling(self));
	/* Some in the buffer of the dead one, most in later ones. */
	ASSERT_EQ(0, good(self, 500));
	ASSERT_EQ(0, drain(self));
	judge(_metadata, self, 1, 510 - PER_BUFFER);
	ASSERT_EQ(0, good(self, 10));
	ASSERT_EQ(0, drain(self));
	judge(_metadata, self, 1, 520 - PER_BUFFER);
	EXPECT_LE(520 - PER_BUFFER, self->seen.good);
	EXPECT_EQ(0, self->seen.other);
}

TEST_F(bad_driver, death_filling)
{
	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME));
	die_filling(_metadata, self);
}

/* Of several sessions only the first one has a slot before the driver has filled it. */
TEST_F(bad_driver, death_filling_several)
{
	struct etw_session others[2];
	struct etw_session_stat st;
	unsigned int i;

	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME));
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		others[i] = vm_session(i ? "t-bad-3" : "t-bad-2");
		ASSERT_EQ(0, vm_start(self->fd, &others[i]));
		ASSERT_EQ(0, vm_enable(self->fd, others[i].handle, guid, 0, 0, 0));
	}
	if (!vm_tsc_trusted()) {
		/* With other clocks events of several sessions are left to __etw_write(). */
		EXPECT_EQ(-EAGAIN, dies_filling(self));
		return;
	}
	die_filling(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		ASSERT_EQ(0, vm_flush(self->fd, others[i].handle));
		ASSERT_EQ(0, vm_stat(self->fd, others[i].handle, &st));
		EXPECT_EQ(0, st.abandoned_buffers);
		EXPECT_EQ(self->w.ok, st.written);
		EXPECT_EQ(st.written, st.events_delivered);
		EXPECT_EQ(0, vm_dropped(&st));
	}
}

TEST_HARNESS_MAIN
