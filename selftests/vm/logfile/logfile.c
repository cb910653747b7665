// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile - sessions that write log files: modes, losses, refused arguments
 *
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <sched.h>

#include "lib/vm.h"
#include "lib/vm_log.h"

#define FILE_A		LOG_DIR "/a.etl"
#define FILE_B		LOG_DIR "/b.etl"
#define SPACE_KB	1024
#define PER_BUFFER	LOG_PER_BUFFER

/* The contents of a file, which must obey every rule of the format. */
#define READ(path) ({							\
	struct vl_log read_log = vl_log_read(path);			\
									\
	EXPECT_EQ(0, read_log.error);					\
	EXPECT_STREQ("", read_log.agree.why);				\
	read_log;							\
})

FIXTURE(logfile) {
	struct vl_logger l;
};

FIXTURE_SETUP(logfile)
{
	const char *why = vl_logger_begin(&self->l, SPACE_KB);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
}

FIXTURE_TEARDOWN(logfile)
{
	vl_logger_end(&self->l);
}

static bool take_first(void *context, pid_t pid)
{
	*(pid_t *)context = pid;
	return false;
}

/*
 * Whoever has flushed finds the buffers free again, also one that runs before the file's thread does
 * anything else.
 */
TEST_F(logfile, flushed_buffers_are_free)
{
	static const struct sched_param first = { .sched_priority = 10 };
	struct vl_log_props props = vl_log_props(0, FILE_A, 0), q;
	unsigned int round, n;
	cpu_set_t cpus;
	pid_t thread = 0;	/* of the kernel's, which writes the file */
	ULONG all;

	vm_pin(0);
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	props.p.MinimumBuffers = 8;
	props.p.MaximumBuffers = 8;
	ASSERT_EQ(0, StartTraceA(&self->l.session, "log", &props.p));
	ASSERT_EQ(0, vl_enable(self->l.session, 1, 0, 0, 0));
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH, &q));
	all = q.p.FreeBuffers;
	vm_each_named("etw/", take_first, &thread);
	ASSERT_LT(0, thread);
	ASSERT_EQ(0, sched_setaffinity(thread, sizeof(cpus), &cpus));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	for (round = 0; round < 20; round++) {
		for (n = 0; n < 3; n++)
			vl_logger_write(&self->l, PER_BUFFER / 3);
		ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH, &q));
		ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_QUERY, &q));
		EXPECT_EQ(all, q.p.FreeBuffers);
	}
	ASSERT_EQ(0, vl_logger_stop(&self->l));
}

/* B116: no mode is a sequential file without limit */
TEST_F(logfile, sequential)
{
	int free_fd = dup(self->l.fd), again;
	struct vl_log_props q;
	struct vl_log log;

	close(free_fd);
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	/* The library keeps no descriptor of the file. */
	again = dup(self->l.fd);
	EXPECT_EQ(free_fd, again);
	close(again);
	/* The buffer of the file's header counts. */
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_QUERY, &q));
	EXPECT_EQ(1, q.p.BuffersWritten);
	vl_logger_write(&self->l, 10 * PER_BUFFER + 3);
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH, &q));
	EXPECT_STREQ(FILE_A, q.file);
	EXPECT_STREQ("log", q.name);
	EXPECT_EQ(0, q.p.LogBuffersLost);
	EXPECT_LE(12, q.p.BuffersWritten);
	/* While the session runs the file can be read, and has no end time. */
	log = READ(FILE_A);
	EXPECT_TRUE(log.cut_off);
	EXPECT_EQ(10 * PER_BUFFER + 3, log.events);
	vl_logger_write(&self->l, 2);
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_STOP, &q));

	log = READ(FILE_A);
	EXPECT_EQ(log.count.buffers, q.p.BuffersWritten);
	EXPECT_FALSE(log.cut_off);
	EXPECT_EQ(10 * PER_BUFFER + 5, log.events);
	EXPECT_EQ(0, log.first);
	EXPECT_TRUE(log.in_order && log.in_time);
	EXPECT_EQ(0, log.count.corrupt + log.count.lost_buffers + log.count.tail);
	EXPECT_EQ(log.count.buffers, log.info.header.BuffersWritten);
	EXPECT_EQ(log.count.buffers * LOG_KB * 1024, log.size);
	EXPECT_EQ(LOG_KB * 1024, log.info.header.BufferSize);
	EXPECT_EQ(0, log.info.header.EventsLost + log.info.header.BuffersLost);
	EXPECT_STREQ("log", log.info.logger);
	EXPECT_STREQ(FILE_A, log.info.file);
	EXPECT_LT(log.info.header.StartTime.QuadPart, log.info.header.EndTime.QuadPart);
	EXPECT_LT(log.info.header.BootTime.QuadPart, log.info.header.StartTime.QuadPart);
}

/* B124, B127: at its size, here in KB, it takes no more, and later events are lost */
TEST_F(logfile, sequential_is_full)
{
	struct vl_log_props q;
	struct vl_log log;

	/* Header and seven buffers */
	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_SEQUENTIAL |
				     EVENT_TRACE_USE_KBYTES_FOR_SIZE, FILE_A, 8 * LOG_KB));
	vl_logger_write(&self->l, 20 * PER_BUFFER);
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH, &q));
	EXPECT_EQ(8 * LOG_KB, q.p.MaximumFileSize);
	EXPECT_LE(12, q.p.LogBuffersLost);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	log = READ(FILE_A);
	EXPECT_EQ(8 * LOG_KB * 1024, log.size);
	EXPECT_EQ(8, log.info.header.BuffersWritten);
	EXPECT_LE(12, log.info.header.BuffersLost);
	EXPECT_EQ(0, log.first);
	EXPECT_TRUE(log.in_order);
	/* Every flush ends a buffer, so the file has the earlier events. */
	EXPECT_EQ(log.events, log.last + 1);
	EXPECT_GT(20 * PER_BUFFER, log.events);
}

/* B125: it never grows beyond its size, and keeps the newest */
TEST_F(logfile, circular)
{
	struct vl_log log;

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_CIRCULAR |
				     EVENT_TRACE_USE_KBYTES_FOR_SIZE, FILE_A, 8 * LOG_KB));
	vl_logger_write(&self->l, 40 * PER_BUFFER);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	log = READ(FILE_A);
	EXPECT_EQ(8 * LOG_KB * 1024, log.size);
	EXPECT_EQ(8, log.info.header.BuffersWritten);
	EXPECT_EQ(40 * PER_BUFFER - 1, log.last);
	EXPECT_TRUE(log.in_order && log.in_time);
	EXPECT_LT(0, log.first);
	EXPECT_EQ(0, log.info.header.BuffersLost);
	EXPECT_EQ(2, log.info.header.LogFileMode & 0xF);
}

/* B121: each of them is a whole log */
TEST_F(logfile, new_files)
{
	ULONG events = 0, next = 0;
	struct vl_log_props q;
	struct vl_log log;
	char path[64];
	int i;

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_NEWFILE |
				     EVENT_TRACE_USE_KBYTES_FOR_SIZE, LOG_DIR "/n%d.etl", 8 * LOG_KB));
	vl_logger_write(&self->l, 10 * PER_BUFFER);
	/* B137 */
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_INCREMENT_FILE, &q));
	EXPECT_STREQ(LOG_DIR "/n3.etl", q.file);
	vl_logger_write(&self->l, 3 * PER_BUFFER);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	for (i = 1; i <= 3; i++) {
		snprintf(path, sizeof(path), LOG_DIR "/n%d.etl", i);
		log = READ(path);
		EXPECT_FALSE(log.cut_off);
		EXPECT_TRUE(log.in_order);
		EXPECT_EQ(next, log.first);
		EXPECT_STREQ(path, log.info.file);
		EXPECT_EQ(log.count.buffers, log.info.header.BuffersWritten);
		EXPECT_EQ(log.count.buffers * LOG_KB * 1024, log.size);
		next = log.last + 1;
		events += log.events;
	}
	EXPECT_EQ(13 * PER_BUFFER, events);
	EXPECT_EQ(-ENOENT, vl_log_read(LOG_DIR "/n4.etl").error);
}

/* B126: of full size while it is written, cut to its real size at the end */
TEST_F(logfile, preallocated)
{
	struct vl_log log;
	struct stat st;

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_SEQUENTIAL |
				     EVENT_TRACE_FILE_MODE_PREALLOCATE |
			   EVENT_TRACE_USE_KBYTES_FOR_SIZE, FILE_A, 512));
	ASSERT_EQ(0, stat(FILE_A, &st));
	EXPECT_EQ(512 * 1024, st.st_size);
	EXPECT_LE(512 * 2, st.st_blocks);
	vl_logger_write(&self->l, 3 * PER_BUFFER);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	log = READ(FILE_A);
	EXPECT_EQ(3 * PER_BUFFER, log.events);
	EXPECT_EQ(log.count.buffers * LOG_KB * 1024, log.size);
}

/*
 * B128: behind the existing buffers; a missing file is created; another session's is refused
 */
TEST_F(logfile, append)
{
	struct vl_log_props props;
	struct vl_log log;

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_APPEND, FILE_A, 0));
	vl_logger_write(&self->l, 5);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(5, READ(FILE_A).events);
	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_APPEND |
				     EVENT_TRACE_FILE_MODE_SEQUENTIAL, FILE_A, 0));
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_QUERY, &props));
	EXPECT_EQ(2, props.p.BuffersWritten);
	vl_logger_write(&self->l, 6);
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_STOP, &props));
	EXPECT_EQ(3, props.p.BuffersWritten);
	log = READ(FILE_A);
	EXPECT_EQ(11, log.events);
	EXPECT_TRUE(log.in_order && log.in_time);
	EXPECT_EQ(3, log.info.header.BuffersWritten);
	EXPECT_FALSE(log.cut_off);

	props = vl_log_props(EVENT_TRACE_FILE_MODE_APPEND, FILE_A, 0);
	props.p.BufferSize = 2 * LOG_KB;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, StartTraceA(&self->l.session, "log", &props.p));
	props = vl_log_props(EVENT_TRACE_FILE_MODE_APPEND, FILE_A, 0);
	props.p.Wnode.ClientContext = 2;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, StartTraceA(&self->l.session, "log", &props.p));
	EXPECT_EQ(11, READ(FILE_A).events);
	props = vl_log_props(EVENT_TRACE_FILE_MODE_APPEND, "/proc/self/comm", 0);
	EXPECT_NE(0, StartTraceA(&self->l.session, "log", &props.p));
}

/* The file is there when the first buffer is. */
TEST_F(logfile, delayed)
{
	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_DELAY_OPEN_FILE_MODE, FILE_A, 0));
	EXPECT_NE(0, access(FILE_A, F_OK));
	ASSERT_EQ(0, vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH));
	EXPECT_NE(0, access(FILE_A, F_OK));
	vl_logger_write(&self->l, 3);
	ASSERT_EQ(0, vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH));
	EXPECT_EQ(0, access(FILE_A, F_OK));
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(3, READ(FILE_A).events);
}

/* B117: readers and the file each get everything */
TEST_F(logfile, with_real_time)
{
	struct vl_reader *r;

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_REAL_TIME_MODE, FILE_A, 0));
	r = vl_read("log");
	ASSERT_NE(NULL, r);
	vl_logger_write(&self->l, 20);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(20, vl_end(r));
	free(r);
	EXPECT_EQ(20, READ(FILE_A).events);
}

/* A session that is nothing but a file has no readers. */
TEST_F(logfile, no_real_time)
{
	EVENT_TRACE_LOGFILEA l = { .LoggerName = (char *)"log" };

	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	l.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME;
	EXPECT_EQ(INVALID_PROCESSTRACE_HANDLE, OpenTraceA(&l));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, GetLastError());
}

/* B135: it continues in another file; the first one is complete then */
TEST_F(logfile, update)
{
	struct vl_log_props props;
	struct vl_log log;

	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, 3);
	vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH);
	props = vl_log_props(0, FILE_A, 0);
	EXPECT_EQ(ERROR_ALREADY_EXISTS,
		  ControlTraceA(self->l.session, NULL, &props.p, EVENT_TRACE_CONTROL_UPDATE));
	props = vl_log_props(0, "/nonexistent/x.etl", 0);
	EXPECT_EQ(ERROR_BAD_PATHNAME,
		  ControlTraceA(self->l.session, NULL, &props.p, EVENT_TRACE_CONTROL_UPDATE));
	props = vl_log_props(0, FILE_B, 0);
	ASSERT_EQ(0, ControlTraceA(self->l.session, NULL, &props.p, EVENT_TRACE_CONTROL_UPDATE));
	EXPECT_STREQ(FILE_B, props.file);
	log = READ(FILE_A);
	EXPECT_EQ(3, log.events);
	EXPECT_FALSE(log.cut_off);
	vl_logger_write(&self->l, 4);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	log = READ(FILE_B);
	EXPECT_EQ(4, log.events);
	EXPECT_EQ(3, log.first);
	EXPECT_EQ(3, READ(FILE_A).events);
}

/* The disk is full: events that do not fit are lost and counted; then it continues. */
TEST_F(logfile, no_space)
{
	struct vl_log_props q;
	struct vl_log log;
	ULONG lost;
	int fd;

	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	fd = open(LOG_DIR "/filler", O_RDWR | O_CREAT, 0600);
	ASSERT_EQ(0, posix_fallocate(fd, 0, (SPACE_KB - 10 * LOG_KB) * 1024));
	vl_logger_write(&self->l, 30 * PER_BUFFER);
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH, &q));
	lost = q.p.LogBuffersLost;
	EXPECT_LE(15, lost);
	unlink(LOG_DIR "/filler");
	close(fd);
	vl_logger_write(&self->l, 10 * PER_BUFFER);
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH, &q));
	EXPECT_EQ(lost, q.p.LogBuffersLost);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	log = READ(FILE_A);
	EXPECT_EQ(0, log.count.corrupt);
	EXPECT_EQ(lost, log.info.header.BuffersLost);
	EXPECT_EQ(lost, log.count.lost_buffers);
	EXPECT_EQ(40 * PER_BUFFER - 1, log.last);
	EXPECT_EQ(log.count.buffers * LOG_KB * 1024, log.size);
}

/* The controller has died; the session continues to write. */
TEST_F(logfile, controller_dies)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		vl_logger_start(&self->l, 0, FILE_A, 0);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	vl_logger_write(&self->l, 5);
	{
		struct vl_log_props q = vl_log_props(0, NULL, 0);

		ASSERT_EQ(0, ControlTraceA(0, "log", &q.p, EVENT_TRACE_CONTROL_STOP));
		EXPECT_STREQ(FILE_A, q.file);
	}
	EXPECT_EQ(5, READ(FILE_A).events);
}

/* B118, B119: and refused calls change nothing */
TEST_F(logfile, refused)
{
	struct vl_log_props props;
	TRACEHANDLE h;

#define REFUSED(code, mode, file, size) do {				\
		struct vl_log_props bad = vl_log_props(mode, file, size);	\
									\
		EXPECT_EQ(code, StartTraceA(&h, "bad", &bad.p));		\
	} while (0)

	REFUSED(ERROR_INVALID_PARAMETER, EVENT_TRACE_FILE_MODE_CIRCULAR, FILE_A, 0);
	REFUSED(ERROR_INVALID_PARAMETER, EVENT_TRACE_FILE_MODE_NEWFILE, LOG_DIR "/%d", 0);
	REFUSED(ERROR_INVALID_PARAMETER, EVENT_TRACE_FILE_MODE_PREALLOCATE, FILE_A, 0);
	REFUSED(ERROR_INVALID_PARAMETER, EVENT_TRACE_FILE_MODE_NEWFILE, LOG_DIR "/n", 1);
	REFUSED(ERROR_INVALID_PARAMETER, EVENT_TRACE_FILE_MODE_NEWFILE, LOG_DIR "/%d%d", 1);
	REFUSED(ERROR_INVALID_PARAMETER, EVENT_TRACE_FILE_MODE_CIRCULAR |
		EVENT_TRACE_USE_KBYTES_FOR_SIZE, FILE_A, 2 * LOG_KB);
	REFUSED(ERROR_INVALID_PARAMETER, EVENT_TRACE_FILE_MODE_SEQUENTIAL |
		EVENT_TRACE_DELAY_OPEN_FILE_MODE | EVENT_TRACE_USE_KBYTES_FOR_SIZE, FILE_A,
		2 * LOG_KB);
	REFUSED(ERROR_BAD_PATHNAME, EVENT_TRACE_FILE_MODE_SEQUENTIAL, "", 0);
	REFUSED(ERROR_BAD_PATHNAME, 0, "/nonexistent/a.etl", 0);
	REFUSED(ERROR_BAD_PATHNAME, 0, LOG_DIR, 0);
	REFUSED(ERROR_BAD_PATHNAME, 0, "/dev/null", 0);
	REFUSED(ERROR_BAD_PATHNAME, EVENT_TRACE_FILE_MODE_NEWFILE, "/nonexistent/%d", 1);
	EXPECT_NE(0, access(FILE_A, F_OK));

	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	REFUSED(ERROR_SHARING_VIOLATION, 0, FILE_A, 0);
	REFUSED(ERROR_SHARING_VIOLATION, EVENT_TRACE_FILE_MODE_APPEND, FILE_A, 0);
	/* What the kernel refuses leaves no file, either. */
	props = vl_log_props(0, FILE_B, 0);
	EXPECT_EQ(ERROR_ALREADY_EXISTS, StartTraceA(&h, "log", &props.p));
	EXPECT_NE(0, access(FILE_B, F_OK));
	/* A name without an end */
	props = vl_log_props(0, FILE_B, 0);
	memset(props.file, 'x', sizeof(props.file));
	EXPECT_EQ(ERROR_BAD_PATHNAME, StartTraceA(&h, "bad", &props.p));
	vl_logger_write(&self->l, 3);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(3, READ(FILE_A).events);
#undef REFUSED
}

TEST_HARNESS_MAIN
