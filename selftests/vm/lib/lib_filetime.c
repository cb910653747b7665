// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib_filetime - a session's events have the same times in its log file as live, and those
 * are the times at which they were written
 */
#include "lib/vm.h"
#include "lib/vm_log.h"

#define FILE_A		LOG_DIR "/a.etl"
#define EVENTS		40
#define PAUSE_US	100000
#define SLACK		3000000		/* 100 ns; the machine is emulated, and others run on it */

/* By the number in the event */
struct times {
	LONGLONG at[EVENTS];
	ULONG count;
	bool back;
	LONGLONG last;
};

static void keep(PEVENT_RECORD record)
{
	struct times *t = record->UserContext;
	LONGLONG time = record->EventHeader.TimeStamp.QuadPart;
	ULONG number;

	t->back |= time < t->last;
	t->last = time;
	if (vl_is_header(record) || record->UserDataLength < sizeof(number))
		return;
	memcpy(&number, record->UserData, sizeof(number));
	if (number < EVENTS)
		t->at[number] = time;
	t->count++;
}

static ULONG process(PROCESSTRACE_HANDLE handle)
{
	ULONG ret = ProcessTrace(&handle, 1, NULL, NULL);

	CloseTrace(handle);
	return ret;
}

FIXTURE(filetime) {
	struct vl_logger l;
	struct times live, file;
	LONGLONG before[EVENTS], after[EVENTS];
};

FIXTURE_SETUP(filetime)
{
	const char *why = vl_logger_begin(&self->l, 1024);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
}

FIXTURE_TEARDOWN(filetime)
{
	vl_logger_end(&self->l);
}

/* B171: in a file, too */
TEST_F(filetime, as_live_and_true)
{
	ETW_OPEN_TRACE_OPTIONS live = { .EventCallback = keep,
					.EventCallbackContext = &self->live };
	ETW_OPEN_TRACE_OPTIONS file = { .EventCallback = keep,
					.EventCallbackContext = &self->file };
	PROCESSTRACE_HANDLE reader;
	int i;

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_REAL_TIME_MODE, FILE_A, 0));
	reader = OpenTraceFromRealTimeLogger(u"log", &live, NULL);
	ASSERT_NE(INVALID_PROCESSTRACE_HANDLE, reader);
	for (i = 0; i < EVENTS; i++) {
		self->before[i] = vm_filetime();
		vl_logger_write(&self->l, 1);
		self->after[i] = vm_filetime();
		if (i % 4 == 3)
			ASSERT_EQ(0, vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH));
		usleep(PAUSE_US);
	}
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(0, process(reader));
	reader = OpenTraceFromFile(u"" FILE_A, &file, NULL);
	ASSERT_NE(INVALID_PROCESSTRACE_HANDLE, reader);
	EXPECT_EQ(0, process(reader));
	EXPECT_EQ(EVENTS, self->live.count);
	EXPECT_EQ(EVENTS, self->file.count);
	EXPECT_FALSE(self->live.back || self->file.back);
	for (i = 0; i < EVENTS; i++) {
		LONGLONG apart = self->live.at[i] - self->file.at[i];

		EXPECT_TRUE(apart <= SLACK && apart >= -SLACK)
			TH_LOG("event %d: %lld", i, apart);
		EXPECT_LE(self->before[i] - SLACK, self->file.at[i]);
		EXPECT_GE(self->after[i] + SLACK, self->file.at[i]);
	}
}

TEST_HARNESS_MAIN
