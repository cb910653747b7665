// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_log - etw start, flush and update of sessions with log files
 *
 * RUN: in turn
 */
#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/fault/vm_disk.h"

#define PROVIDER	"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */
#define FILE_A		LOG_DIR "/a.etl"
#define FILE_B		LOG_DIR "/b.etl"

FIXTURE(cli_log) {
	struct vl_logger l;
	struct vc_run r;
};

FIXTURE_SETUP(cli_log)
{
	const char *why = vl_logger_begin(&self->l, 1024);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
}

FIXTURE_TEARDOWN(cli_log)
{
	vl_logger_end(&self->l);
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, NULL)
#define PRINTED(text)	EXPECT_TRUE(vc_printed(&self->r, text))
#define FAILS(text)	EXPECT_TRUE(vc_refused(&self->r, 1, text))

/* The session that the command has started is that of struct vl_logger. */
static bool enable(struct vl_logger *l)
{
	struct etw_session s = vm_session("log");

	if (vm_ioctl(l->fd, ETW_IOC_SESSION_QUERY, &s))
		return false;
	l->session = s.handle;
	return !vl_enable(l->session, 1, 0, 0, 0);
}

TEST_F(cli_log, snapshots)
{
	RUN("start", "log", "--buffering", "--buffer-size", "8");
	ASSERT_TRUE(enable(&self->l));
	vl_write(self->l.reg, 1, 1, 1, 0);
	RUN("flush", "log", "--file", "/nonexistent/a.etl");
	FAILS("/nonexistent/a.etl\": No such file or directory");
	RUN("flush", "log", "--file", FILE_A);
	EXPECT_TRUE(vc_noted(&self->r, "\"" FILE_A "\": 1 event, 20"));
	EXPECT_NE(NULL, strstr(self->r.err, " to 20"));
	EXPECT_EQ(1, vl_log_read(FILE_A).events);
	/* Nothing new: the file that is there stays, with --replace too. */
	RUN("flush", "log", "--file", FILE_A, "--json");
	EXPECT_EQ(1, vc_objects(self->r.out));
	EXPECT_NE(NULL, strstr(self->r.out, "\"events\":0,\"process_events\":0,\"moved\":null}"));
	EXPECT_NE(NULL, strstr(self->r.err, "no events: \"" FILE_A "\" is as it was\n"));
	RUN("flush", "log", "--file", FILE_A, "--replace");
	EXPECT_EQ(0, self->r.status);
	EXPECT_EQ(1, vl_log_read(FILE_A).events);
	EXPECT_NE(0, access(FILE_A ".old", F_OK));
	vl_logger_write(&self->l, 2);
	RUN("flush", "log", "--file", FILE_A, "--json");
	EXPECT_NE(NULL, strstr(self->r.out, "\"events\":2,\"process_events\":0,\"first\":\"20"));
	EXPECT_NE(NULL, strstr(self->r.out, "\"moved\":\"" FILE_A ".old\"}"));
	EXPECT_EQ(2, vl_log_read(FILE_A).events);
	EXPECT_EQ(1, vl_log_read(FILE_A ".old").events);
	/* The third one deletes the first, and says so. */
	EXPECT_FALSE(strstr(self->r.err, "in place of"));
	vl_logger_write(&self->l, 3);
	RUN("flush", "log", "--file", FILE_A);
	EXPECT_TRUE(vc_report(&self->r, strstr(self->r.err, "the file of this name is now \"" FILE_A ".old\", in place of an earlier one\n")));
	EXPECT_EQ(2, vl_log_read(FILE_A ".old").events);
	RUN("update", "log", "--real-time");
	FAILS("session \"log\": it has no log file to end");
	RUN("stop", "log");
	EXPECT_EQ(0, self->r.status);
}

TEST_F(cli_log, snapshots_in_the_session_s_file)
{
	RUN("start", "log", "--buffering", "--file", FILE_A, "--real-time");
	EXPECT_TRUE(vc_refused(&self->r, 2, "--buffering takes no option of a log file but --file"));
	RUN("start", "log", "--buffering", "--file", FILE_A);
	PRINTED("a.etl, snapshots");
	ASSERT_TRUE(enable(&self->l));
	vl_write(self->l.reg, 1, 1, 1, 0);
	EXPECT_NE(0, access(FILE_A, F_OK));
	RUN("flush", "log");
	EXPECT_EQ(0, self->r.status);
	EXPECT_EQ(1, vl_log_read(FILE_A).events);
	RUN("flush", "log");
	EXPECT_EQ(1, vl_log_read(FILE_A).events);
	EXPECT_NE(0, access(FILE_A ".old", F_OK));
	vl_logger_write(&self->l, 2);
	RUN("flush", "log");
	EXPECT_EQ(2, vl_log_read(FILE_A).events);
	EXPECT_EQ(1, vl_log_read(FILE_A ".old").events);
	RUN("query", "log", "--json");
	PRINTED("\"kind\":\"snapshots\"");
}

/* It has a file and no readers: its messages name the file. */
TEST_F(cli_log, no_readers)
{
	RUN("start", "log", "--file", FILE_A);
	ASSERT_TRUE(enable(&self->l));
	vl_write(self->l.reg, 1, 1, 1, 0);
	RUN("dump", "log");
	FAILS("session \"log\" has no readers, it writes a file: dump \"" FILE_A "\", or start it with --real-time");
	RUN("record", "-p", "7e570001-5e1f-4e57-8001-020304050607", "-o", FILE_A, "true");
	FAILS("\"" FILE_A "\": session \"log\" writes to this file");
	EXPECT_NE(0, access(FILE_A ".old", F_OK));
	RUN("stop", "log");
	PRINTED("session \"log\" stopped: 0 events lost when written\nfile \"" FILE_A "\": ");
	EXPECT_TRUE(!strstr(self->r.out, "readers"));
	EXPECT_EQ(1, vl_log_read(FILE_A).events);
}

TEST_F(cli_log, to_real_time)
{
	RUN("start", "log", "--file", FILE_A, "--circular", "--max-size", "4M");
	ASSERT_TRUE(enable(&self->l));
	vl_write(self->l.reg, 1, 1, 1, 0);
	RUN("flush", "log", "--file", FILE_B);
	FAILS("session \"log\": only a buffering session is flushed into a file");
	EXPECT_NE(0, access(FILE_B, F_OK));
	RUN("update", "log", "--real-time");
	EXPECT_EQ(0, self->r.status);
	EXPECT_EQ(1, vl_log_read(FILE_A).events);
	vl_write(self->l.reg, 2, 1, 1, 0);
	RUN("flush", "log");
	RUN("dump", "log", "--count", "1", "--json");
	PRINTED("\"id\":2");
	RUN("update", "log", "--real-time");
	FAILS("session \"log\": it has no log file to end");
}

/* An older file is kept when a session begins one of its name, and is back if it cannot. */
TEST_F(cli_log, start_keeps_the_older_file)
{
	RUN("start", "log", "--file", FILE_A);
	ASSERT_TRUE(enable(&self->l));
	vl_logger_write(&self->l, 3);
	RUN("start", "other", "--file", FILE_A);
	FAILS("\"" FILE_A "\": session \"log\" writes to this file");
	RUN("stop", "log");
	RUN("start", "log", "--file", FILE_A, "--buffer-size", "4", "--max-size", "4K");
	EXPECT_EQ(1, self->r.status);
	EXPECT_EQ(3, vl_log_read(FILE_A).events);
	EXPECT_NE(0, access(FILE_A ".old", F_OK));
	RUN("start", "log", "--file", FILE_A, "--json");
	EXPECT_EQ(1, vc_objects(self->r.out));
	EXPECT_NE(NULL, strstr(self->r.err, "the file of this name is now \"" FILE_A ".old\"\n"));
	EXPECT_EQ(3, vl_log_read(FILE_A ".old").events);
	RUN("stop", "log");
	EXPECT_EQ(0, vl_log_read(FILE_A).events);
	RUN("start", "log", "--file", FILE_A, "--replace");
	EXPECT_STREQ("", self->r.err);
	EXPECT_EQ(3, vl_log_read(FILE_A ".old").events);
	RUN("stop", "log");
	RUN("start", "log", "--file", FILE_A, "--append", "--replace");
	EXPECT_TRUE(vc_refused(&self->r, 2, "--append and --replace exclude one another"));
}

/* logrotate renames the file, and the session continues in a new one. */
TEST_F(cli_log, new_file)
{
	RUN("start", "log", "--file", FILE_A, "--buffer-size", "8", "--sync", "0.5");
	PRINTED("log");
	ASSERT_TRUE(enable(&self->l));
	vl_logger_write(&self->l, 3);
	RUN("flush", "log", "--new-file");
	FAILS("/a.etl\": it is still the session's file; rename it first");
	ASSERT_EQ(0, rename(FILE_A, FILE_B));
	/* The state after it is that of the new file, which has only its header. */
	RUN("flush", "log", "--new-file", "--json");
	PRINTED("\"buffers\":1,");
	vl_logger_write(&self->l, 2);
	EXPECT_EQ(500, vl_log_status(self->l.fd, self->l.session).sync_ms);
	RUN("stop", "log");
	EXPECT_EQ(0, self->r.status);
	EXPECT_EQ(3, vl_log_read(FILE_B).events);
	EXPECT_FALSE(vl_log_read(FILE_B).cut_off);
	EXPECT_EQ(2, vl_log_read(FILE_A).events);
	/* Somebody else's file of that name is neither lost nor taken for the session's. */
	RUN("start", "log", "--file", FILE_A, "--replace");
	ASSERT_TRUE(enable(&self->l));
	ASSERT_EQ(0, rename(FILE_B, FILE_A));
	RUN("flush", "log", "--new-file", "--json");
	EXPECT_NE(NULL, strstr(self->r.out, ",\"moved\":\"" FILE_A ".old\"}"));
	EXPECT_TRUE(vc_report(&self->r, strstr(self->r.err, "the file of this name is now \"" FILE_A ".old\"\n")));
	EXPECT_EQ(3, vl_log_read(FILE_A ".old").events);
	ASSERT_EQ(0, unlink(FILE_A));
	ASSERT_EQ(0, system("echo no log > " FILE_A));
	RUN("flush", "log", "--new-file");
	EXPECT_TRUE(vc_noted(&self->r, "the file of this name is now"));
	EXPECT_EQ(-EINVAL, vl_log_read(FILE_A ".old").error);
	RUN("stop", "log");
	RUN("start", "log", "--sync", "1");
	EXPECT_TRUE(vc_refused(&self->r, 2, "options of a log file need --file"));
	RUN("start", "log", "--file", FILE_A, "--sync", "0.01");
	EXPECT_EQ(2, self->r.status);
	RUN("start", "log");
	RUN("flush", "log", "--new-file");
	FAILS("session \"log\": it writes no log file that another one can replace");
}

/* The disk fails after write(2) took the data: each command names the error and exits 1. */
TEST_F(cli_log, disk_error)
{
	struct vl_log_props props;

	ASSERT_TRUE(vl_log_dir(16 * 1024));
	if (!vm_disk_make(DISK_USUAL))
		SKIP(return, "no ext4 on a loop device");
	RUN("start", "log", "--file", DISK_DIR "/a.etl", "--buffer-size", "8");
	ASSERT_TRUE(enable(&self->l));
	vl_logger_write(&self->l, 3 * LOG_PER_BUFFER);
	ASSERT_TRUE(vm_disk_shut_down());
	RUN("flush", "log");
	FAILS("session \"log\": Input/output error");
	RUN("query", "log");
	EXPECT_EQ(1, self->r.status);
	EXPECT_NE(NULL, strstr(self->r.err, "/a.etl\": the file is incomplete: Input/output error"));
	props = vl_log_props(0, FILE_B, 0);
	ASSERT_EQ(0, ControlTraceA(self->l.session, NULL, &props.p, EVENT_TRACE_CONTROL_UPDATE));
	RUN("stop", "log");
	EXPECT_EQ(1, self->r.status);
	EXPECT_NE(NULL, strstr(self->r.err, "an earlier file is incomplete: Input/output error"));
	umount2(DISK_DIR, 0);
}

/* The disk is full for a while: flush says so once, and stop in the end, once. */
TEST_F(cli_log, disk_full)
{
	static const char text[] = "the file is incomplete: No space left on device";
	const char *found;

	RUN("start", "log", "--file", FILE_A, "--buffer-size", "8");
	ASSERT_TRUE(enable(&self->l));
	ASSERT_TRUE(vl_log_dir_fill());
	vl_logger_write(&self->l, 4 * LOG_PER_BUFFER + 1);
	RUN("flush", "log");
	FAILS("session \"log\": no space left on the device of its file: it lacks events");
	vl_log_dir_free();
	vl_logger_write(&self->l, LOG_PER_BUFFER);
	RUN("flush", "log");
	EXPECT_EQ(0, self->r.status);
	RUN("query", "log");
	EXPECT_EQ(0, self->r.status);
	RUN("stop", "log");
	EXPECT_EQ(1, self->r.status);
	found = strstr(self->r.err, text);
	EXPECT_TRUE(found && !strstr(found + 1, text));
}

/* The file that lacks buffers is not the last one. */
TEST_F(cli_log, disk_full_before_a_new_file)
{
	RUN("start", "log", "--file", FILE_A, "--buffer-size", "8");
	ASSERT_TRUE(enable(&self->l));
	ASSERT_TRUE(vl_log_dir_fill());
	vl_logger_write(&self->l, LOG_PER_BUFFER + 1);
	RUN("flush", "log");
	EXPECT_EQ(1, self->r.status);
	vl_log_dir_free();
	ASSERT_EQ(0, rename(FILE_A, FILE_B));
	RUN("flush", "log", "--new-file");
	EXPECT_EQ(0, self->r.status);
	RUN("stop", "log");
	EXPECT_EQ(1, self->r.status);
	EXPECT_NE(NULL, strstr(self->r.err, "an earlier file is incomplete: No space left on device"));
	EXPECT_EQ(NULL, strstr(self->r.err, "the file is incomplete"));
}

/* It has its greatest size: flush cannot put the events there. */
TEST_F(cli_log, full)
{
	RUN("start", "log", "--file", FILE_A, "--buffer-size", "8", "--max-size", "32K");
	ASSERT_TRUE(enable(&self->l));
	vl_logger_write(&self->l, LOG_PER_BUFFER);
	RUN("flush", "log");
	EXPECT_EQ(0, self->r.status);
	vl_logger_write(&self->l, 5 * LOG_PER_BUFFER);
	RUN("flush", "log");
	FAILS("/a.etl\": the file is full: it lacks events");
}

TEST_F(cli_log, record_disk_error)
{
	ASSERT_TRUE(vl_log_dir(16 * 1024));
	if (!vm_disk_make(DISK_USUAL))
		SKIP(return, "no ext4 on a loop device");
	vc_start(&self->r, "record", "--session", "log", "-p", PROVIDER, "-o", DISK_DIR "/a.etl", NULL);
	for (int i = 0; i < 1200 && !strstr(self->r.err, "records into"); i++) {
		usleep(100 * 1000);
		vc_look(&self->r);
	}
	ASSERT_TRUE(vm_disk_shut_down());
	kill(self->r.pid, SIGINT);
	EXPECT_EQ(1, vc_end(&self->r));
	EXPECT_NE(NULL, strstr(self->r.err, "/a.etl\": the file is incomplete: Input/output error"));
	umount2(DISK_DIR, 0);
}

TEST_HARNESS_MAIN
