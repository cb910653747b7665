// SPDX-License-Identifier: GPL-2.0-only
/*
 * writer_death - threads of drivers that die in a write, by a kprobe, cost their buffers, which
 * are counted, and nothing else
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_log.h"
#include "lib/driver/vm_bad_driver.h"

#include <sys/mman.h>

static int dies(FIXTURE_DATA(bad_driver) *self)
{
	return dies_in(self, ETW_TEST_DIE_EVENT);
}

#define DIE_OR_SKIP(self)	do {						\
		int _ret = dies(self);						\
										\
		if (_ret == -EOPNOTSUPP)					\
			SKIP(return, "the kernel has no kprobes");		\
		ASSERT_EQ(0, _ret);						\
	} while (0)

/*
 * A writer that dies costs its buffer, no more; a flush finds it.  After as many deaths as
 * writers may be nested others still write.
 */
static void deaths(struct __test_metadata *_metadata, FIXTURE_DATA(bad_driver) *self)
{
	int i;

	for (i = 0; i < DEATHS; i++) {
		ASSERT_EQ(0, good(self, 10));
		DIE_OR_SKIP(self);
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

/* Without a flush the stop counts what the reader did not get. */
TEST_F(bad_driver, stop_without_flush)
{
	struct etw_session q;

	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME));
	ASSERT_EQ(0, good(self, 10));
	DIE_OR_SKIP(self);
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
		DIE_OR_SKIP(self);
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
		ASSERT_TRUE(vm_until(!good(self, 1)))
			TH_LOG("no buffer after %u deaths", i);
		DIE_OR_SKIP(self);
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
	int i;

	ASSERT_EQ(0, start(self));
	if (self->s.mode & ETW_MODE_REAL_TIME)
		ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
	ASSERT_EQ(0, good(self, 10));
	DIE_OR_SKIP(self);
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
	struct etw_session_file file = {
		.size = sizeof(file), .dir = -1, .name = VM_PTR("t"), .name_len = 1,
		.fd = memfd_create("t-bad", MFD_CLOEXEC) };
	struct etw_session q;
	struct vl_log log;
	char path[32];

	prepare(self, mode);
	ASSERT_LE(0, file.fd);
	self->s.flush_ms = 0;
	self->s.file = VM_PTR(&file);
	outlive(_metadata, self);
	ASSERT_EQ(0, vm_session_op(self->fd, ETW_IOC_SESSION_STOP, self->s.handle, &q));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file.fd);
	log = vl_log_read(path);
	close(file.fd);
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

TEST_HARNESS_MAIN
