// SPDX-License-Identifier: GPL-2.0-only
/*
 * mc_um - programs on headers that "etw mc -um" made, traced
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

#include <sys/wait.h>
#include "names_um.h"
#include "types_um.h"

#define SESSION	"t-mc-um"

FIXTURE(um) {
	int fd;
	TRACEHANDLE session;
	struct vl_reader *reader;
};

FIXTURE_SETUP(um)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vl_start(SESSION);
	ASSERT_NE(0, self->session);
	self->reader = vl_read(SESSION);
	ASSERT_NE(NULL, self->reader);
	ASSERT_EQ(0, EventRegisterTest_Mc_Types());
	ASSERT_EQ(0, EventRegister4_Test_Mc_Names());
	ASSERT_EQ(0, EventRegister_TestTraits());
}

FIXTURE_TEARDOWN(um)
{
	EventUnregisterTest_Mc_Types();
	EventUnregister4_Test_Mc_Names();
	EventUnregister_TestTraits();
	vm_stop_all(self->fd);
	vl_end(self->reader);
	free(self->reader);
	close(self->fd);
}

/* Waits until callbacks have returned. */
static ULONG enable(TRACEHANDLE session, const GUID *guid, UCHAR level, ULONGLONG any)
{
	return EnableTraceEx2(session, guid, EVENT_CONTROL_CODE_ENABLE_PROVIDER, level, any, 0,
			      VL_TIMEOUT, NULL);
}

static ULONG disable(TRACEHANDLE session, const GUID *guid)
{
	return EnableTraceEx2(session, guid, EVENT_CONTROL_CODE_DISABLE_PROVIDER, 0, 0, 0,
			      VL_TIMEOUT, NULL);
}

/* The bits show what the session enables; the events are those that were written. */
TEST_F(um, level)
{
	static const unsigned char six[16] = { 0x20, 1 }, blob[7] = "blob";
	const struct vl_event *e;
	const GUID guid = TestNames;
	const FILETIME file = { 1, 2 };
	const SYSTEMTIME system = { .wYear = 2026 };
	const SID sid = { 1, 1, { { 0, 0, 0, 0, 0, 5 } }, { 18 } };

	EXPECT_FALSE(EventEnabledNothing());
	EXPECT_EQ(0, EventWriteNothing());
	ASSERT_EQ(0, enable(self->session, &TestTypes, 4, 0));
	EXPECT_TRUE(EventEnabledNothing());
	EXPECT_TRUE(EventEnabledObjects());
	EXPECT_FALSE(EventEnabledStrings5());
	EXPECT_TRUE(EventEnabledFixed());
	EXPECT_EQ(0, EventWriteNothing());
	EXPECT_EQ(0, EventWriteObjects(&guid, &file, &system, &sid, six, blob));
	ASSERT_TRUE(vl_got(self->reader, self->session, 2));
	e = self->reader->events;
	EXPECT_EQ(1, e[0].header.EventDescriptor.Id);
	EXPECT_EQ(0, e[0].data_len);
	EXPECT_EQ(3, e[1].header.EventDescriptor.Id);
	EXPECT_TRUE(vl_same_guid(&TestTypes, &e[1].header.ProviderId));
	ASSERT_EQ(16 + 8 + 16 + 12 + 16 + 7, e[1].data_len);
	EXPECT_EQ(0, memcmp(e[1].data, &guid, 16));
	EXPECT_EQ(0, memcmp(e[1].data + 16, &file, 8));
	EXPECT_EQ(0, memcmp(e[1].data + 40, &sid, 12));
	ASSERT_EQ(0, disable(self->session, &TestTypes));
	EXPECT_FALSE(EventEnabledNothing());
	EXPECT_FALSE(EventEnabledFixed());
}

/* Keywords, including those of channels */
TEST_F(um, keyword)
{
	ASSERT_EQ(0, enable(self->session, &TestNames, 0, TEST_OP_KEYWORD));
	EXPECT_TRUE(EventEnabledClash());
	EXPECT_FALSE(EventEnabledTestNames_EVENT_0x3_2_8_4_0_0_8000800000000000());
	EXPECT_TRUE(EventEnabledTestNames_EVENT_0xffff_ff_0_0_0_0_0());
	ASSERT_EQ(0, enable(self->session, &TestNames, 0, 0));
	EXPECT_TRUE(EventEnabledTestNames_EVENT_0x3_2_8_4_0_0_8000800000000000());
	ASSERT_EQ(0, disable(self->session, &TestNames));
}

/* The control GUID registers; the events have the GUID that decodes them. */
TEST_F(um, traits)
{
	ASSERT_EQ(0, enable(self->session, &TestTraits, 0, 0));
	EXPECT_FALSE(EventEnabledTraited());
	ASSERT_EQ(0, enable(self->session, &TestTraits_ControlGuid, 0, 0));
	EXPECT_TRUE(EventEnabledTraited());
	EXPECT_EQ(0, EventWriteTraited(0x12345678));
	ASSERT_TRUE(vl_got(self->reader, self->session, 1));
	EXPECT_TRUE(vl_same_guid(&TestTraits, &self->reader->events[0].header.ProviderId));
	EXPECT_EQ(4, self->reader->events[0].data_len);
	EXPECT_EQ(0, memcmp(self->reader->events[0].data, "\x78\x56\x34\x12", 4));
	ASSERT_LE(1, self->reader->events[0].item_count);	/* and its control GUID */
	EXPECT_EQ(EVENT_HEADER_EXT_TYPE_PROV_TRAITS, self->reader->events[0].items[0].type);
	ASSERT_EQ(0, disable(self->session, &TestTraits_ControlGuid));
	ASSERT_EQ(0, disable(self->session, &TestTraits));
}

/* The child writes a byte when it has looked, and continues after one from its parent. */
static int child_main(int looked, int go)
{
	char c = 0;

	if (EventEnabledNothing() || EventWriteNothing())
		return 1;
	if (write(looked, &c, 1) != 1 || read(go, &c, 1) != 1)
		return 2;
	/* Its parent is enabled, and so is the child. */
	if (!EventEnabledNothing() || EventEnabledStrings5())
		return 3;
	if (EventWriteNothing())
		return 4;
	/* By now it has a thread of its own, which has called back. */
	if (!vm_until(!(__atomic_load_n(&TestTypes_Context.Flags, __ATOMIC_RELAXED) &
			_mcgen_FORKED)))
		return 5;
	if (!EventEnabledNothing() || EventEnabledStrings5() || EventWriteNothing())
		return 6;
	return 0;
}

/* A child that was forked before anybody enabled the provider */
TEST_F(um, forked)
{
	int looked[2], go[2], status = -1;
	pid_t child;
	char c;

	ASSERT_EQ(0, pipe(looked));
	ASSERT_EQ(0, pipe(go));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(child_main(looked[1], go[0]));
	close(looked[1]);
	ASSERT_EQ(1, read(looked[0], &c, 1));
	ASSERT_EQ(0, enable(self->session, &TestTypes, 2, 0));
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_TRUE(vl_got(self->reader, self->session, 2));
	EXPECT_EQ(child, (pid_t)self->reader->events[0].header.ProcessId);
	EXPECT_EQ(child, (pid_t)self->reader->events[1].header.ProcessId);
	EXPECT_EQ(2, atomic_load(&self->reader->count));
	ASSERT_EQ(0, disable(self->session, &TestTypes));
	close(looked[0]);
	close(go[0]);
	close(go[1]);
}

#define PROGRAMS	50

/* A program that registers and writes at once */
static int short_main(void)
{
	if (EventUnregisterTest_Mc_Types() || EventRegisterTest_Mc_Types())
		return 1;
	if (!EventEnabledNothing() || EventEnabledStrings5())
		return 2;
	return EventWriteNothing() || EventUnregisterTest_Mc_Types() ? 3 : 0;
}

/* B27: generated code knows that it is enabled when it has registered. */
TEST_F(um, registered_late)
{
	int i, status, bad = 0;
	pid_t child;

	ASSERT_EQ(0, enable(self->session, &TestTypes, 4, 0));
	for (i = 0; i < PROGRAMS; i++) {
		child = fork();
		ASSERT_LE(0, child);
		if (!child)
			_exit(short_main());
		bad += waitpid(child, &status, 0) != child || status;
	}
	EXPECT_EQ(0, bad);
	ASSERT_TRUE(vl_got(self->reader, self->session, PROGRAMS));
	EXPECT_EQ(PROGRAMS, atomic_load(&self->reader->count));
	ASSERT_EQ(0, disable(self->session, &TestTypes));
}

TEST_HARNESS_MAIN
