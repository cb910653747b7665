// SPDX-License-Identifier: GPL-2.0-only
/*
 * bad_driver - drivers that pass bad pointers, or die while they fill a slot, cost events and
 * buffers that are counted, and nothing else
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_clock.h"
#include "lib/driver/vm_bad_driver.h"

static const struct etw_guid guid = ETW_TEST_GUID;

static int bad(FIXTURE_DATA(bad_driver) *self, uint32_t place, uint32_t kind)
{
	int ret;

	self->bad.index = place == ETW_TEST_BAD_SCHEMA;
	self->bad.place = place;
	self->bad.kind = kind;
	ret = vm_ioctl(self->kfd, ETW_TEST_BAD, &self->bad);
	return ret ?: self->bad.result;
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

/* ------------------------------------------------- dying in the driver's own code */

/* A thread dies that was to fill the slot itself, see etw_write_fixed(). */
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
