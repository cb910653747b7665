// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_append - sessions that append to files which are not whole: the file goes on saying so
 * once it is closed again
 */
#include "lib/vm.h"
#include "lib/vm_log.h"
#include "lib/shell.h"
#include "etl/verify/verify.h"

#define FILE_A		LOG_DIR "/a.etl"
#define FILE_B		LOG_DIR "/b.etl"
#define SPACE_KB	4096
#define UNCLOSED	"who wrote the file before did not close it"
#define CUT		"another process shortened the file"

FIXTURE(append) {
	struct vl_logger l;
	struct etw_verdict v;
};

FIXTURE_SETUP(append)
{
	const char *why = vl_logger_begin(&self->l, SPACE_KB);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
}

FIXTURE_TEARDOWN(append)
{
	etw_verdict_free(&self->v);
	vl_logger_end(&self->l);
}

/* Start a session, deliver so many buffers, and let a copy of the file be as if it had crashed. */
static bool copy_running(FIXTURE_DATA(append) *self, ULONG mode, const char *file, ULONG buffers,
			 const char *copy)
{
	if (vl_logger_start(&self->l, mode, file, 0))
		return false;
	for (; buffers; buffers--) {
		vl_logger_write(&self->l, LOG_PER_BUFFER);
		if (vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH))
			return false;
	}
	return shell("cp %s %s", file, copy) && !vl_logger_stop(&self->l);
}

/* Append a buffer to the file. */
static bool append_one(FIXTURE_DATA(append) *self, const char *file)
{
	if (vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_APPEND, file, 0))
		return false;
	vl_logger_write(&self->l, LOG_PER_BUFFER);
	return !vl_logger_stop(&self->l);
}

static bool judge(FIXTURE_DATA(append) *self, const char *file)
{
	etw_verdict_free(&self->v);
	return !etw_etl_verify(file, &self->v) && !etw_verdict_finish(&self->v, 1);
}

/* The only gap of the file has this cause. */
static const struct etw_gap *the_gap(const FIXTURE_DATA(append) *self, const char *detail)
{
	const struct etw_gap *gap = self->v.gaps;

	return self->v.gap_count == 1 && gap->cause == ETW_GAP_LOST &&
	       !strcmp(gap->detail, detail) ? gap : NULL;
}

TEST_F(append, to_a_file_that_was_not_closed)
{
	const struct etw_gap *gap;
	uint64_t least, most;
	int64_t crash;

	ASSERT_TRUE(copy_running(self, 0, FILE_A, 3, FILE_B));
	crash = vm_filetime();
	ASSERT_TRUE(append_one(self, FILE_B));
	ASSERT_TRUE(judge(self, FILE_B));
	EXPECT_FALSE(etw_verdict_whole(&self->v));
	EXPECT_EQ(4 * LOG_PER_BUFFER, self->v.events);
	gap = the_gap(self, UNCLOSED);
	ASSERT_NE(NULL, gap);
	EXPECT_GE(self->v.info.header.StartTime.QuadPart + VM_FILETIME_SLACK, gap->first);
	EXPECT_LE(crash, gap->last + VM_FILETIME_SLACK);
	etw_verdict_lost(&self->v, &least, &most);
	EXPECT_EQ(0, least);
	EXPECT_EQ(ETW_GAP_UNKNOWN, most);
	/* Once more: it is closed now, and still not whole. */
	ASSERT_TRUE(append_one(self, FILE_B));
	ASSERT_TRUE(judge(self, FILE_B));
	EXPECT_NE(NULL, the_gap(self, UNCLOSED));
}

TEST_F(append, to_a_file_that_lost_its_end)
{
	const struct etw_gap *gap;
	struct stat st;

	ASSERT_TRUE(copy_running(self, 0, FILE_A, 4, FILE_B));
	ASSERT_EQ(0, stat(FILE_A, &st));
	ASSERT_EQ(0, truncate(FILE_A, st.st_size - LOG_KB * 1024 - 100));
	ASSERT_TRUE(append_one(self, FILE_A));
	ASSERT_TRUE(judge(self, FILE_A));
	EXPECT_EQ(3 * LOG_PER_BUFFER, self->v.events);
	gap = the_gap(self, CUT);
	ASSERT_NE(NULL, gap);
	EXPECT_EQ(2, gap->buffers);
	EXPECT_EQ(ETW_GAP_UNKNOWN, gap->events);
}

/* The records of all that fill the first buffer: then the file is never closed again. */
TEST_F(append, again_and_again)
{
	unsigned int i;

	ASSERT_TRUE(copy_running(self, 0, FILE_A, 1, FILE_B));
	for (i = 0; i < 2 * LOG_KB; i++) {
		ASSERT_TRUE(copy_running(self, EVENT_TRACE_FILE_MODE_APPEND, FILE_B, 1, FILE_A));
		ASSERT_EQ(0, rename(FILE_A, FILE_B));
		ASSERT_TRUE(append_one(self, FILE_B));
		ASSERT_TRUE(judge(self, FILE_B));
		ASSERT_FALSE(etw_verdict_whole(&self->v));
		ASSERT_EQ((1 + 2 * (i + 1)) * LOG_PER_BUFFER, self->v.events);
		if (!self->v.closed)
			break;
		ASSERT_TRUE(copy_running(self, EVENT_TRACE_FILE_MODE_APPEND, FILE_B, 0, FILE_A));
		ASSERT_EQ(0, rename(FILE_A, FILE_B));
	}
	EXPECT_LT(i, 2 * LOG_KB);
}

/* All of these sessions have one buffer, number 0. */
TEST_F(append, short_sessions)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		ASSERT_TRUE(append_one(self, FILE_A));
	ASSERT_TRUE(judge(self, FILE_A));
	EXPECT_EQ(3 * LOG_PER_BUFFER, self->v.events);
	EXPECT_TRUE(etw_verdict_whole(&self->v) && !self->v.since);
}

/* Its newest buffer is anywhere. */
TEST_F(append, not_to_a_circular_file)
{
	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_CIRCULAR |
				     EVENT_TRACE_USE_KBYTES_FOR_SIZE, FILE_A, 8 * LOG_KB));
	vl_logger_write(&self->l, 20 * LOG_PER_BUFFER);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_FALSE(append_one(self, FILE_A));
	ASSERT_TRUE(judge(self, FILE_A));
	EXPECT_TRUE(etw_verdict_whole(&self->v));
}

TEST_HARNESS_MAIN
