// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_disk - what a log file says whose disk has failed
 *
 * TIMEOUT: 900
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/fault/vm_disk.h"
#include "etl/verify/verify.h"

#include <sys/mount.h>
#include <sys/statvfs.h>

#define PER_BUFFER	LOG_PER_BUFFER
#define FILE_A		DISK_DIR "/a.etl"
#define FILE_B		LOG_DIR "/b.etl"

FIXTURE(disk) {
	struct vl_logger l;
	bool disk;
};

FIXTURE_SETUP(disk)
{
	const char *why = vl_logger_begin(&self->l, 16 * 1024);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
	self->disk = vm_disk_make(DISK_USUAL);
}

FIXTURE_TEARDOWN(disk)
{
	umount2(DISK_DIR, MNT_DETACH);
	vl_logger_end(&self->l);
}

/* Does etw verify find a gap of this cause, of which nobody knows what is missing? */
static bool has_gap(const char *path, enum etw_gap_cause cause)
{
	struct etw_verdict v = { 0 };
	bool found = false;
	uint32_t i;

	if (!etw_etl_verify(path, &v) && !etw_verdict_finish(&v, 1))
		for (i = 0; i < v.gap_count; i++)
			found = found || (v.gaps[i].cause == cause &&
					  v.gaps[i].events == ETW_GAP_UNKNOWN);
	etw_verdict_free(&v);
	return found;
}

/* Does the file itself say that the disk failed? */
static bool tells_error(const char *path)
{
	return has_gap(path, ETW_GAP_LOST);
}

/* Let the file be read from its disk. */
static void drop_caches(void)
{
	vm_write_text("/proc/sys/vm/drop_caches", "3");
}

/* write(2) took the data, then an error made the file system read-only. */
TEST_F(disk, flush_reports_read_only)
{
	static struct vc_run r;

	NEEDS_DISK(self);
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, 3 * PER_BUFFER);
	ASSERT_TRUE(vm_disk_trigger_error());
	EXPECT_NE(0, vl_logger_flush(&self->l));
	EXPECT_NE(0, vl_log_status(self->l.fd, self->l.session).error);
	/* The command says so while the session runs, and why. */
	EXPECT_EQ(3, vc_run(&r, "verify", "log", NULL));
	EXPECT_TRUE(strstr(r.out, "  the file is incomplete after an error: ")) TH_LOG("%s", r.out);
	EXPECT_NE(0, vl_logger_stop_status(&self->l).error);
	EXPECT_FALSE(vl_log_is_complete(FILE_A));
}

TEST_F(disk, stop_reports_read_only)
{
	NEEDS_DISK(self);
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, 3 * PER_BUFFER);
	ASSERT_TRUE(vm_disk_trigger_error());
	EXPECT_NE(0, vl_logger_stop_status(&self->l).error);
	EXPECT_FALSE(vl_log_is_complete(FILE_A));
}

/* The error of a file that another one replaced is not forgotten. */
TEST_F(disk, former_file_fails)
{
	struct vl_log_props props;
	struct etw_session_log log;

	NEEDS_DISK(self);
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, 3 * PER_BUFFER);
	ASSERT_TRUE(vm_disk_shut_down());
	props = vl_log_props(0, FILE_B, 0);
	ASSERT_EQ(0, ControlTraceA(self->l.session, NULL, &props.p, EVENT_TRACE_CONTROL_UPDATE));
	vl_logger_write(&self->l, PER_BUFFER);
	log = vl_logger_stop_status(&self->l);
	EXPECT_EQ(0, log.error);
	EXPECT_NE(0, log.former_error);
	EXPECT_FALSE(vl_log_is_complete(FILE_A));
	EXPECT_TRUE(vl_log_is_complete(FILE_B));
}

static bool is_read_only(void)
{
	struct statvfs st;

	return !statvfs(DISK_DIR, &st) && st.f_flag & ST_RDONLY;
}

/* Make the disk read-only beneath its open files for the time of one flush, which fails. */
static bool fail_one_flush(struct vl_logger *l)
{
	bool failed;

	vm_write_text("/proc/sysrq-trigger", "u");
	if (!vm_until(is_read_only()))
		return false;
	failed = vl_logger_flush(l) != 0;
	return !mount(NULL, DISK_DIR, NULL, MS_REMOUNT, NULL) && failed;
}

static ULONG continue_in(struct vl_logger *l, const char *path)
{
	struct vl_log_props props = vl_log_props(0, path, 0);

	return ControlTraceA(l->session, NULL, &props.p, EVENT_TRACE_CONTROL_UPDATE);
}

/* A file that could not be synced once is incomplete, also after later syncs and files. */
TEST_F(disk, one_failure_stays)
{
	struct etw_session_log log;

	NEEDS_DISK(self);
	if (access("/proc/sysrq-trigger", W_OK))
		SKIP(return, "this kernel has no SysRq");
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, PER_BUFFER);
	ASSERT_EQ(0, vl_logger_flush(&self->l));
	ASSERT_TRUE(fail_one_flush(&self->l));
	EXPECT_NE(0, vl_logger_flush(&self->l));
	ASSERT_EQ(0, continue_in(&self->l, FILE_B));
	EXPECT_EQ(0, vl_log_status(self->l.fd, self->l.session).error);
	log = vl_logger_stop_status(&self->l);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(EROFS, log.former_error);
	EXPECT_TRUE(tells_error(FILE_A));
	EXPECT_TRUE(vl_log_is_complete(FILE_B));
	/* So it does on the disk. */
	ASSERT_EQ(0, umount2(DISK_DIR, 0));
	ASSERT_TRUE(vm_disk_mount("defaults"));
	EXPECT_TRUE(tells_error(FILE_A));
	EXPECT_EQ(0, umount2(DISK_DIR, 0));
}

#define SHARED_KB	4

/* A session whose file this process has open, too */
struct shared {
	const char *name;
	uint32_t flush_ms;
	int access;		/* of the descriptor */
	uint32_t mode, mb;	/* of the file */
};

/*
 * Start it on a disk that takes data for which it has no room.  Returns the file's descriptor.
 */
static int start_shared_as(struct __test_metadata *_metadata, struct vl_logger *l,
			   const struct shared *how)
{
	struct etw_session s = vm_session(how->name);
	struct etw_session_file file = { .size = sizeof(file), .fd = -1, .dir = -1,
					 .name = VM_PTR(how->name),
					 .name_len = strlen(how->name),
					 .max_size = how->mb, .file_mode = 0600 };

	umount2(DISK_DIR, 0);
	if (!vl_log_dir(4 * 1024) || !vm_disk_make(DISK_TRUSTING))
		return -1;
	file.fd = open(FILE_A, how->access | O_CREAT | O_CLOEXEC, 0600);
	s.mode = how->mode;
	s.buffer_kb = SHARED_KB;
	s.flush_ms = how->flush_ms;
	s.file = VM_PTR(&file);
	EXPECT_EQ(0, vm_start(l->fd, &s));
	l->session = s.handle;
	EXPECT_EQ(0, vl_enable(s.handle, 1, 0, 0, 0));
	EXPECT_EQ(0, vl_logger_flush(l));
	EXPECT_EQ(0, fsync(file.fd));
	return file.fd;
}

static int start_shared(struct __test_metadata *_metadata, struct vl_logger *l, const char *name,
			uint32_t flush_ms)
{
	const struct shared how = { .name = name, .flush_ms = flush_ms, .access = O_RDWR };

	return start_shared_as(_metadata, l, &how);
}

#define OTHER_FILE	"/run/etw-other.etl"	/* not in LOG_DIR, which is full */

/* The disk has no room for what the file has taken, and nothing was written back yet. */
static bool fail_unseen(struct vl_logger *l)
{
	bool full = vl_log_dir_fill();
	int i;

	for (i = 0; i < 4; i++) {
		/* So few that vl_logger_write() does not flush */
		l->written = 0;
		vl_logger_write(l, 2 * PER_BUFFER - 1);
		usleep(50 * 1000);
	}
	return full;
}

/* The process that opened the file finds the error with its own fsync. */
TEST_F(disk, opener_sees_the_error)
{
	bool failed = false;
	int fd, i;

	NEEDS_DISK(self);
	fd = start_shared(_metadata, &self->l, "a", 0);
	ASSERT_LE(0, fd);
	/* The file system below may still find a place for a few blocks. */
	for (i = 0; i < 5 && !failed; i++) {
		ASSERT_TRUE(vl_log_dir_fill());
		vl_logger_write(&self->l, 3 * PER_BUFFER);
		failed = vl_logger_flush(&self->l) != 0;
	}
	EXPECT_TRUE(failed);
	EXPECT_EQ(-1, fsync(fd));
	EXPECT_NE(0, vl_logger_flush(&self->l));
	vl_log_dir_free();
	vl_logger_stop(&self->l);
	EXPECT_TRUE(tells_error(FILE_A));
	drop_caches();
	EXPECT_TRUE(tells_error(FILE_A));
	close(fd);
}

/* As above, but nobody has synced the file before it has its end: when the session stops, ... */
TEST_F(disk, error_found_by_stop)
{
	int fd;

	NEEDS_DISK(self);
	fd = start_shared(_metadata, &self->l, "a", 0);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(fail_unseen(&self->l));
	EXPECT_NE(0, vl_logger_stop_status(&self->l).error);
	EXPECT_TRUE(tells_error(FILE_A));
	vl_log_dir_free();
	close(fd);
}

/* ... or goes on in another file. */
TEST_F(disk, error_found_by_close)
{
	int fd;

	NEEDS_DISK(self);
	fd = start_shared(_metadata, &self->l, "a", 0);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(fail_unseen(&self->l));
	ASSERT_EQ(0, continue_in(&self->l, OTHER_FILE));
	EXPECT_NE(0, vl_logger_flush(&self->l));
	EXPECT_TRUE(tells_error(FILE_A));
	EXPECT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_FALSE(tells_error(OTHER_FILE));
	vl_log_dir_free();
	close(fd);
}

static const struct shared circular = {
	.name = "a", .access = O_RDWR, .mode = ETW_MODE_CIRCULAR, .mb = 16,
};

/*
 * A circular file gets its end once the disk has the rest of it, not before: with the end alone,
 * older buffers in the places of the newest would look whole.
 */
TEST_F(disk, circular_file_has_no_end_before)
{
	int fd;

	NEEDS_DISK(self);
	fd = start_shared_as(_metadata, &self->l, &circular);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(fail_unseen(&self->l));
	EXPECT_NE(0, vl_logger_stop_status(&self->l).error);
	EXPECT_TRUE(tells_error(FILE_A));
	EXPECT_TRUE(has_gap(FILE_A, ETW_GAP_NOT_CLOSED));
	vl_log_dir_free();
	close(fd);
}

/* Whoever has another file replace it waits for that, and then may use it again. */
static void replace_circular(struct __test_metadata *_metadata, struct vl_logger *l, int access)
{
	struct shared how = circular;
	int fd;

	how.access = access;
	how.mode |= ETW_MODE_KBYTES;
	how.mb = 8 * SHARED_KB;
	fd = start_shared_as(_metadata, l, &how);
	ASSERT_LE(0, fd);
	/* More than once around */
	vl_logger_write(l, 20 * PER_BUFFER);
	ASSERT_EQ(0, continue_in(l, OTHER_FILE));
	EXPECT_EQ(0, vl_log_read(FILE_A).error);
	EXPECT_FALSE(has_gap(FILE_A, ETW_GAP_NOT_CLOSED));
	EXPECT_EQ(0, continue_in(l, FILE_A));
	EXPECT_EQ(0, vl_logger_stop(l));
	close(fd);
}

TEST_F(disk, circular_file_is_replaced)
{
	NEEDS_DISK(self);
	replace_circular(_metadata, &self->l, O_RDWR);
}

/* Nobody may read by this descriptor. */
TEST_F(disk, circular_file_to_write_only_is_replaced)
{
	NEEDS_DISK(self);
	replace_circular(_metadata, &self->l, O_WRONLY);
}

static const struct shared writable = { .name = "a", .access = O_WRONLY };

/* Nobody may read by this descriptor, so the module cannot tell that it still is its file. */
TEST_F(disk, error_in_a_file_to_write_only)
{
	int fd;

	NEEDS_DISK(self);
	fd = start_shared_as(_metadata, &self->l, &writable);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(fail_unseen(&self->l));
	ASSERT_EQ(0, continue_in(&self->l, OTHER_FILE));
	EXPECT_NE(0, vl_logger_flush(&self->l));
	EXPECT_EQ(0, vl_logger_stop(&self->l));
	vl_log_dir_free();
	close(fd);
}

/* The first buffer is full of names: without room for a record, the file seems not closed. */
TEST_F(disk, no_room_to_tell)
{
	char name[900];
	int fd;

	NEEDS_DISK(self);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	fd = start_shared(_metadata, &self->l, name, 0);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(fail_unseen(&self->l));
	EXPECT_NE(0, vl_logger_stop_status(&self->l).error);
	EXPECT_FALSE(tells_error(FILE_A));
	EXPECT_FALSE(vl_log_is_complete(FILE_A));
	EXPECT_TRUE(vl_log_read(FILE_A).cut_off);
	vl_log_dir_free();
	close(fd);
}

/* That of FLUSH finds it also when the process was first. */
TEST_F(disk, opener_saw_the_error)
{
	uint64_t before;
	int failed = 0, fd, i;

	NEEDS_DISK(self);
	fd = start_shared(_metadata, &self->l, "a", 10);
	ASSERT_LE(0, fd);
	for (i = 0; i < 5 && !failed; i++) {
		ASSERT_TRUE(vl_log_dir_fill());
		before = vl_log_status(self->l.fd, self->l.session).buffers_written;
		/* So few that vl_logger_write() does not flush: the timer does, without a sync. */
		self->l.written = 0;
		vl_logger_write(&self->l, PER_BUFFER + 1);
		ASSERT_TRUE(vm_until(vl_log_status(self->l.fd, self->l.session).buffers_written >
				     before + 1));
		failed = fsync(fd);
	}
	EXPECT_EQ(-1, failed);
	EXPECT_NE(0, vl_logger_flush(&self->l));
	vl_log_dir_free();
	vl_logger_stop(&self->l);
	EXPECT_TRUE(tells_error(FILE_A));
	close(fd);
}

TEST_HARNESS_MAIN
