// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_fail - log files that cannot be written: the session continues, losses are counted
 * and reported, and it writes again as soon as that is possible
 */
#include "lib/vm.h"
#include "lib/fault/vm_disk.h"

#include <linux/memfd.h>

#define SPACE_KB	512
#define PER_BUFFER	LOG_PER_BUFFER
#define FILE_A		LOG_DIR "/a.etl"
#define FILE_B		LOG_DIR "/b.etl"
#define SUB_DIR		LOG_DIR "/sub"

FIXTURE(fail) {
	struct vl_logger l;
};

FIXTURE_SETUP(fail)
{
	const char *why = vl_logger_begin(&self->l, SPACE_KB);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
}

FIXTURE_TEARDOWN(fail)
{
	vl_logger_end(&self->l);
}

/* Write that many buffers, and wait until the session has tried to write each. */
static struct etw_session_log write_buffers(struct vl_logger *l, ULONG buffers)
{
	vl_logger_write(l, buffers * PER_BUFFER);
	vl_control(l->session, EVENT_TRACE_CONTROL_FLUSH);
	return vl_log_status(l->fd, l->session);
}

/* The numbered files of NEWFILE, added up. */
static struct vl_log read_numbered(const char *pattern, unsigned int from, unsigned int to)
{
	struct vl_log sum = { .in_order = true }, one;
	char path[64];

	for (; from <= to; from++) {
		snprintf(path, sizeof(path), pattern, from);
		one = vl_log_read(path);
		if (one.error || one.cut_off || one.count.corrupt)
			sum.error = one.error ? one.error : -EBADMSG;
		sum.events += one.events;
		sum.last = one.last;
	}
	return sum;
}

/* No file can be made: every lost buffer is counted, and then it continues. */
TEST_F(fail, no_space_for_new_files)
{
	struct etw_session_log log;
	struct vl_log sum;

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_NEWFILE |
				     EVENT_TRACE_USE_KBYTES_FOR_SIZE, LOG_DIR "/n%d.etl",
				     8 * LOG_KB));
	log = write_buffers(&self->l, 4);
	EXPECT_EQ(0, log.error);
	ASSERT_TRUE(vl_log_dir_fill());
	log = write_buffers(&self->l, 20);
	EXPECT_TRUE(log.error == ENOSPC || log.error == EDQUOT);
	EXPECT_LE(15, log.buffers_lost);
	EXPECT_EQ(0, log.full);
	vl_log_dir_free();
	log = write_buffers(&self->l, 20);
	EXPECT_EQ(0, log.error);
	EXPECT_LE(3, log.number);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	sum = read_numbered(LOG_DIR "/n%u.etl", 1, log.number);
	EXPECT_EQ(0, sum.error);
	EXPECT_EQ(self->l.written, sum.events + log.events_lost);
	EXPECT_EQ(self->l.written - 1, sum.last);
}

/* A circular file keeps its size and its contents while the disk is full. */
TEST_F(fail, no_space_for_circular)
{
	struct etw_session_log log;
	struct vl_log file;

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_CIRCULAR |
				     EVENT_TRACE_USE_KBYTES_FOR_SIZE, FILE_A, 16 * LOG_KB));
	write_buffers(&self->l, 4);
	EXPECT_EQ(0, vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH));
	ASSERT_TRUE(vl_log_dir_fill());
	vl_logger_write(&self->l, 10 * PER_BUFFER + 1);
	EXPECT_NE(0, vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH));
	log = vl_log_status(self->l.fd, self->l.session);
	EXPECT_EQ(ENOSPC, log.error);
	EXPECT_LE(8, log.buffers_lost);
	vl_log_dir_free();
	log = write_buffers(&self->l, 40);
	EXPECT_EQ(0, vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH));
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(16, log.buffers);
	/* The session's last word on its file: it lacks buffers. */
	log = vl_logger_stop_status(&self->l);
	EXPECT_EQ(ENOSPC, log.error);
	file = vl_log_read(FILE_A);
	EXPECT_EQ(0, file.error);
	EXPECT_EQ(0, file.count.corrupt);
	EXPECT_EQ(self->l.written - 1, file.last);
	EXPECT_TRUE(file.in_order && file.in_time);
	EXPECT_EQ(16 * LOG_KB * 1024, file.size);
	EXPECT_EQ(log.buffers_lost, file.info.header.BuffersLost);
}

/* Its name is gone: that is reported; it is written all the same, and no event is lost. */
TEST_F(fail, file_removed)
{
	struct etw_session_log log;
	struct vl_log file;
	char path[64];
	int fd;

	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	write_buffers(&self->l, 2);
	fd = open(FILE_A, O_RDONLY | O_CLOEXEC);
	ASSERT_EQ(0, unlink(FILE_A));
	log = write_buffers(&self->l, 5);
	EXPECT_EQ(ENOENT, log.error);
	EXPECT_EQ(0, log.buffers_lost);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_NE(0, access(FILE_A, F_OK));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = vl_log_read(path);
	EXPECT_EQ(7 * PER_BUFFER, file.events);
	EXPECT_FALSE(file.cut_off);
	close(fd);
}

/* The directory of the next file is gone: losses are reported until it has a place. */
TEST_F(fail, directory_removed)
{
	struct etw_session_log log;
	struct vl_log_props props;
	ULONG lost;

	ASSERT_EQ(0, mkdir(SUB_DIR, 0755));
	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_DELAY_OPEN_FILE_MODE,
				     SUB_DIR "/a.etl", 0));
	ASSERT_EQ(0, rmdir(SUB_DIR));
	log = write_buffers(&self->l, 3);
	EXPECT_EQ(ENOENT, log.error);
	EXPECT_EQ(0, log.bytes);
	EXPECT_EQ(3 * PER_BUFFER, log.events_lost);
	lost = log.buffers_lost;
	EXPECT_LE(3, lost);
	props = vl_log_props(0, LOG_DIR "/b.etl", 0);
	ASSERT_EQ(0, ControlTraceA(self->l.session, NULL, &props.p, EVENT_TRACE_CONTROL_UPDATE));
	EXPECT_EQ(lost, props.p.LogBuffersLost);
	log = write_buffers(&self->l, 3);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(lost, log.buffers_lost);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(3 * PER_BUFFER, vl_log_read(FILE_B).events);
}

/* A file system that is read-only for a while. */
TEST_F(fail, read_only_for_a_while)
{
	struct etw_session_log log;
	struct vl_log file;

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_DELAY_OPEN_FILE_MODE, FILE_A, 0));
	ASSERT_EQ(0, mount(NULL, LOG_DIR, NULL, MS_REMOUNT | MS_RDONLY, NULL));
	log = write_buffers(&self->l, 3);
	EXPECT_EQ(EROFS, log.error);
	EXPECT_EQ(3 * PER_BUFFER, log.events_lost);
	ASSERT_EQ(0, mount(NULL, LOG_DIR, NULL, MS_REMOUNT, NULL));
	log = write_buffers(&self->l, 3);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(3 * PER_BUFFER, log.events_lost);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	file = vl_log_read(FILE_A);
	EXPECT_EQ(3 * PER_BUFFER, file.events);
	EXPECT_EQ(log.buffers_lost, file.info.header.BuffersLost);
}

/* A file that refuses to grow returns the error with each write. */
TEST_F(fail, sealed)
{
	struct etw_session s = vm_session("sealed");
	struct etw_session_file file = { .size = sizeof(file), .dir = -1, .name = VM_PTR("m"),
					 .name_len = 1, .file_mode = 0600 };
	struct etw_session_log log;
	char path[64];

	file.fd = memfd_create("log", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	ASSERT_LE(0, file.fd);
	s.mode = 0;
	s.buffer_kb = LOG_KB;
	s.file = VM_PTR(&file);
	ASSERT_EQ(0, vm_start(self->l.fd, &s));
	self->l.session = s.handle;
	ASSERT_EQ(0, vl_enable(s.handle, 1, 0, 0, 0));
	write_buffers(&self->l, 2);
	ASSERT_EQ(0, fcntl(file.fd, F_ADD_SEALS, F_SEAL_GROW));
	log = write_buffers(&self->l, 3);
	EXPECT_EQ(EPERM, log.error);
	EXPECT_EQ(3 * PER_BUFFER, log.events_lost);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file.fd);
	/* Its header can be completed. */
	EXPECT_EQ(2 * PER_BUFFER, vl_log_read(path).events);
	EXPECT_EQ(log.buffers_lost, vl_log_read(path).info.header.BuffersLost);
	/* A file that is sealed against writing cannot be written at all. */
	ASSERT_EQ(0, fcntl(file.fd, F_ADD_SEALS, F_SEAL_WRITE));
	s.handle = 0;
	EXPECT_EQ(-EPERM, vm_start(self->l.fd, &s));
	EXPECT_EQ(2 * PER_BUFFER, vl_log_read(path).events);
	close(file.fd);
}

/* On the mounted disk: a snapshot of a buffer, no more room, and then that of 36. */
static void snapshot_too_large(struct __test_metadata *_metadata, struct vl_logger *l,
			       unsigned long *room)
{
	struct vl_log_props props = vl_log_props(EVENT_TRACE_BUFFERING_MODE, DISK_DIR "/a.etl", 0);
	EVENT_DESCRIPTOR desc = vl_event(7, 1, 1);
	char payload[LOG_PAYLOAD] = { 0 };
	EVENT_DATA_DESCRIPTOR data;
	off_t at = 0;
	int fd;

	props.p.MinimumBuffers = 64;
	ASSERT_EQ(0, StartTraceA(&l->session, "log", &props.p));
	ASSERT_EQ(0, vl_enable(l->session, 1, 0, 0, 0));
	write_buffers(l, 1);
	fd = open(DISK_DIR "/filler", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	while (vm_disk_free_blocks() > 100 && !posix_fallocate(fd, at, 16 * 1024))
		at += 16 * 1024;
	close(fd);
	EventDataDescCreate(&data, payload, sizeof(payload));
	for (int k = 0; k < 36 * PER_BUFFER; k++)
		EventWrite(l->reg, &desc, 1, &data);
	*room = vm_disk_free_blocks();
	EXPECT_LT(16, *room);
	EXPECT_EQ(ERROR_DISK_FULL, vl_control(l->session, EVENT_TRACE_CONTROL_FLUSH));
}

/* A flush that does not fit keeps no blocks behind the old file. */
TEST_F(fail, snapshot_does_not_fit)
{
	unsigned long room;

	ASSERT_TRUE(vl_log_dir(16 * 1024));
	if (!vm_disk_make(DISK_JOURNALED))
		SKIP(return, "no ext4 on a loop device");
	snapshot_too_large(_metadata, &self->l, &room);
	EXPECT_EQ(room, vm_disk_free_blocks());
	EXPECT_EQ(PER_BUFFER, vl_log_read(DISK_DIR "/a.etl").events);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(0, umount2(DISK_DIR, 0));
}

/* Where that cannot be known before, the disk is as full, and no incomplete file is left. */
TEST_F(fail, snapshot_ends_midway)
{
	unsigned long room;

	ASSERT_TRUE(vl_log_dir(16 * 1024));
	if (!vm_disk_make(DISK_SIMPLE))
		SKIP(return, "no ext4 on a loop device");
	snapshot_too_large(_metadata, &self->l, &room);
	EXPECT_LE(room, vm_disk_free_blocks());
	EXPECT_NE(PER_BUFFER, vl_log_read(DISK_DIR "/a.etl").events);
	unlink(DISK_DIR "/filler");
	ASSERT_EQ(0, vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH));
	EXPECT_EQ(36 * PER_BUFFER, vl_log_read(DISK_DIR "/a.etl").events);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(0, umount2(DISK_DIR, 0));
}

/* The disk breaks, one way or the other, while the session writes to it. */
static void breaks(struct __test_metadata *_metadata, struct vl_logger *l, int error,
		   bool (*break_it)(void))
{
	struct etw_session_log log;
	struct vl_log_props props;
	ULONG lost;

	ASSERT_EQ(0, vl_logger_start(l, 0, DISK_DIR "/a.etl", 0));
	log = write_buffers(l, 3);
	EXPECT_EQ(0, log.error);
	ASSERT_TRUE(break_it());
	log = write_buffers(l, 5);
	/* Newer kernels report both as an error. */
	EXPECT_TRUE((int)log.error == error || log.error == EIO)
		TH_LOG("error %u", log.error);
	EXPECT_EQ(5 * PER_BUFFER, log.events_lost);
	lost = log.buffers_lost;
	props = vl_log_props(0, FILE_B, 0);
	ASSERT_EQ(0, ControlTraceA(l->session, NULL, &props.p, EVENT_TRACE_CONTROL_UPDATE));
	log = write_buffers(l, 3);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(lost, log.buffers_lost);
	/* No process holds the broken one any more. */
	EXPECT_EQ(0, umount2(DISK_DIR, 0));
	ASSERT_EQ(0, vl_logger_stop(l));
	EXPECT_EQ(3 * PER_BUFFER, vl_log_read(FILE_B).events);
	EXPECT_EQ(8 * PER_BUFFER, vl_log_read(FILE_B).first);
}

/* An error makes the file system read-only under the session. */
TEST_F(fail, gone_read_only)
{
	ASSERT_TRUE(vl_log_dir(16 * 1024));
	if (!vm_disk_make(DISK_JOURNALED))
		SKIP(return, "no ext4 on a loop device");
	breaks(_metadata, &self->l, EROFS, vm_disk_trigger_error);
}

/* Every access is an error. */
TEST_F(fail, io_error)
{
	ASSERT_TRUE(vl_log_dir(16 * 1024));
	if (!vm_disk_make(DISK_JOURNALED))
		SKIP(return, "no ext4 on a loop device");
	breaks(_metadata, &self->l, EIO, vm_disk_shut_down);
}

/*
 * The disk has no room for data that write(2) accepted.  FLUSH reports the error, and so
 * does the status; how many buffers it concerns is not known, so none is counted.
 */
TEST_F(fail, late_error)
{
	struct etw_session_log log;
	struct vl_log_props props;

	ASSERT_TRUE(vl_log_dir(4 * 1024));
	if (!vm_disk_make(DISK_TRUSTING))
		SKIP(return, "no ext4 on a loop device");
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, DISK_DIR "/a.etl", 0));
	log = write_buffers(&self->l, 1);
	EXPECT_EQ(0, log.error);
	ASSERT_TRUE(vl_log_dir_fill());
	vl_logger_write(&self->l, 3 * PER_BUFFER);
	EXPECT_NE(0, vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH));
	log = vl_log_status(self->l.fd, self->l.session);
	/* Newer kernels give the reason. */
	EXPECT_TRUE(log.error == EIO || log.error == ENOSPC)
		TH_LOG("error %u", log.error);
	EXPECT_EQ(0, log.buffers_lost);
	/* The error stays as long as the file. */
	EXPECT_EQ(log.error, write_buffers(&self->l, 1).error);
	vl_log_dir_free();
	props = vl_log_props(0, FILE_B, 0);
	ASSERT_EQ(0, ControlTraceA(self->l.session, NULL, &props.p, EVENT_TRACE_CONTROL_UPDATE));
	log = write_buffers(&self->l, 1);
	EXPECT_EQ(0, log.error);
	EXPECT_TRUE(log.former_error == EIO || log.former_error == ENOSPC)
		TH_LOG("former error %u", log.former_error);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(0, umount2(DISK_DIR, 0));
}

TEST_HARNESS_MAIN
