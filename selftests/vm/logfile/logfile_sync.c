// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_sync - what FLUSH and STOP report is on the disk, what a file says whose disk has
 * failed, and a file that another process shortens
 *
 * TIMEOUT: 900
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_tracefs.h"
#include "lib/pick.h"
#include "lib/fault/vm_disk.h"
#include "etl/verify.h"

#include <linux/fs.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#define PER_BUFFER	LOG_PER_BUFFER
#define FILE_A		DISK_DIR "/a.etl"
#define FILE_B		LOG_DIR "/b.etl"
#define FREEZES		50

FIXTURE(sync) {
	struct vl_logger l;
	bool disk;
};

#define NEEDS_DISK(self)	do {						\
		if (!(self)->disk)						\
			SKIP(return, "no ext4 on a loop device");		\
	} while (0)

FIXTURE_SETUP(sync)
{
	const char *why = vl_logger_begin(&self->l, 16 * 1024);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
	self->disk = vm_disk_make(DISK_USUAL);
}

FIXTURE_TEARDOWN(sync)
{
	umount2(DISK_DIR, MNT_DETACH);
	vl_logger_end(&self->l);
}

static ULONG flush(struct vl_logger *l)
{
	return vl_control(l->session, EVENT_TRACE_CONTROL_FLUSH);
}

/* A descriptor does not let the kernel thread cut a file that nobody may cut. */
TEST_F(sync, append_only_is_not_cut)
{
	struct etw_session_file f = {
		.size = sizeof(f), .dir = -1, .name = VM_PTR("a.etl"), .name_len = 5 };
	struct etw_session s = { .size = sizeof(s), .name = VM_PTR("t-append-only"), .name_len = 13,
				 .mode = ETW_MODE_SEQUENTIAL, .file = VM_PTR(&f) };
	static const char old[100000] = "old";
	int flags = 0, append_only;
	struct stat st;

	NEEDS_DISK(self);
	f.fd = open(FILE_A, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_EQ(sizeof(old), write(f.fd, old, sizeof(old)));
	ASSERT_EQ(0, ioctl(f.fd, FS_IOC_GETFLAGS, &flags));
	append_only = flags | FS_APPEND_FL;
	ASSERT_EQ(0, ioctl(f.fd, FS_IOC_SETFLAGS, &append_only));
	EXPECT_EQ(-EPERM, vm_ioctl(self->l.fd, ETW_IOC_SESSION_START, &s));
	EXPECT_EQ(0, fstat(f.fd, &st));
	EXPECT_EQ(sizeof(old), st.st_size);
	EXPECT_EQ(0, ioctl(f.fd, FS_IOC_SETFLAGS, &flags));
	EXPECT_EQ(0, vm_ioctl(self->l.fd, ETW_IOC_SESSION_START, &s));
	s.file = 0;
	EXPECT_EQ(0, vm_ioctl(self->l.fd, ETW_IOC_SESSION_STOP, &s));
	EXPECT_EQ(0, fstat(f.fd, &st));
	EXPECT_GT(sizeof(old), st.st_size);
	close(f.fd);
}

/* A disk that is frozen in the middle of writing, again and again, only delays the file. */
TEST_F(sync, frozen)
{
	struct etw_session_log log;
	struct vl_log file;
	int i, fd;

	NEEDS_DISK(self);
	fd = open(DISK_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	for (i = 0; i < FREEZES; i++) {
		vl_logger_write(&self->l, 3 * PER_BUFFER);
		ASSERT_EQ(0, ioctl(fd, FIFREEZE, 0));
		ASSERT_EQ(0, ioctl(fd, FITHAW, 0));
	}
	close(fd);
	log = vl_logger_stop_status(&self->l);
	EXPECT_EQ(0, log.error);
	file = vl_log_read(FILE_A);
	EXPECT_EQ(0, file.error);
	EXPECT_EQ(FREEZES * 3 * PER_BUFFER, file.events);
}

/* After a power cut the file has everything that was written before the FLUSH. */
TEST_F(sync, flush_survives_power_cut)
{
	struct vl_log file;

	NEEDS_DISK(self);
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, 3 * PER_BUFFER + 1);
	ASSERT_EQ(0, flush(&self->l));
	ASSERT_TRUE(vm_disk_shut_down());
	vl_logger_stop(&self->l);
	ASSERT_EQ(0, umount2(DISK_DIR, 0));
	ASSERT_TRUE(vm_disk_mount("defaults"));
	file = vl_log_read(FILE_A);
	EXPECT_EQ(0, file.error);
	EXPECT_EQ(3 * PER_BUFFER + 1, file.events);
	EXPECT_EQ(0, umount2(DISK_DIR, 0));
}

#define SYNCS	VM_TRACEFS "events/ext4/ext4_sync_file_enter/enable"

/* How often the root directory of the disk was synced */
static unsigned int syncs_of_directory(void)
{
	FILE *f = fopen(VM_TRACEFS "trace", "re");
	unsigned int n = 0;
	struct stat st;
	char line[256], ino[32];

	if (!f || stat(DISK_DIR, &st))
		return 0;
	snprintf(ino, sizeof(ino), " ino %llu parent", (unsigned long long)st.st_ino);
	while (fgets(line, sizeof(line), f))
		n += strstr(line, "ext4_sync_file_enter") && strstr(line, ino);
	fclose(f);
	return n;
}

/* A new file has its name after the first FLUSH, and each has it when it ends. */
TEST_F(sync, name_is_synced)
{
	unsigned int first, second, last;

	NEEDS_DISK(self);
	mount("tracefs", VM_TRACEFS, "tracefs", 0, NULL);
	if (!vm_write_text(SYNCS, "1"))
		SKIP(return, "no trace event of ext4");
	close(open(VM_TRACEFS "trace", O_WRONLY | O_TRUNC | O_CLOEXEC));
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, 1);
	EXPECT_EQ(0, flush(&self->l));
	first = syncs_of_directory();
	vl_logger_write(&self->l, 1);
	EXPECT_EQ(0, flush(&self->l));
	second = syncs_of_directory();
	EXPECT_EQ(0, vl_logger_stop_status(&self->l).error);
	last = syncs_of_directory();
	EXPECT_TRUE(vm_write_text(SYNCS, "0"));
	EXPECT_EQ(1, first);
	EXPECT_EQ(1, second);
	EXPECT_EQ(2, last);
}

/* So has the file of a session that has stopped. */
TEST_F(sync, stop_survives_power_cut)
{
	struct vl_log file;

	NEEDS_DISK(self);
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, 3 * PER_BUFFER + 1);
	EXPECT_EQ(0, vl_logger_stop_status(&self->l).error);
	ASSERT_TRUE(vm_disk_shut_down());
	ASSERT_EQ(0, umount2(DISK_DIR, 0));
	ASSERT_TRUE(vm_disk_mount("defaults"));
	file = vl_log_read(FILE_A);
	EXPECT_EQ(0, file.error);
	EXPECT_EQ(3 * PER_BUFFER + 1, file.events);
	EXPECT_FALSE(file.cut_off);
	EXPECT_EQ(0, umount2(DISK_DIR, 0));
}

/* So has the file into which a buffering session was flushed. */
TEST_F(sync, snapshot_survives_power_cut)
{
	struct vl_log_props props = vl_log_props(EVENT_TRACE_BUFFERING_MODE, NULL, 0);
	struct vl_log file;

	NEEDS_DISK(self);
	props.p.MinimumBuffers = 16;
	ASSERT_EQ(0, StartTraceA(&self->l.session, "log", &props.p));
	ASSERT_EQ(0, vl_enable(self->l.session, 1, 0, 0, 0));
	vl_logger_write(&self->l, 3 * PER_BUFFER + 1);
	props = vl_log_props(0, FILE_A, 0);
	ASSERT_EQ(0, FlushTraceA(self->l.session, NULL, &props.p));
	ASSERT_TRUE(vm_disk_shut_down());
	vl_logger_stop(&self->l);
	ASSERT_EQ(0, umount2(DISK_DIR, 0));
	ASSERT_TRUE(vm_disk_mount("defaults"));
	file = vl_log_read(FILE_A);
	EXPECT_EQ(0, file.error);
	EXPECT_EQ(3 * PER_BUFFER + 1, file.events);
	EXPECT_FALSE(file.cut_off);
	EXPECT_EQ(0, umount2(DISK_DIR, 0));
}

/* Does the file itself say that the disk failed, and that nobody knows what is missing? */
static bool tells_error(const char *path)
{
	struct etw_verdict v = { 0 };
	bool found = false;
	uint32_t i;

	if (!etw_etl_verify(path, &v) && !etw_verdict_finish(&v, 1))
		for (i = 0; i < v.gap_count; i++)
			found = found || (v.gaps[i].cause == ETW_GAP_LOST &&
					  v.gaps[i].events == ETW_GAP_UNKNOWN);
	etw_verdict_free(&v);
	return found;
}

/* Let the file be read from its disk. */
static void drop_caches(void)
{
	vm_write_text("/proc/sys/vm/drop_caches", "3");
}

/* write(2) took the data, then an error made the file system read-only. */
TEST_F(sync, flush_reports_read_only)
{
	NEEDS_DISK(self);
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, 3 * PER_BUFFER);
	ASSERT_TRUE(vm_disk_trigger_error());
	EXPECT_NE(0, flush(&self->l));
	EXPECT_NE(0, vl_log_status(self->l.fd, self->l.session).error);
	EXPECT_NE(0, vl_logger_stop_status(&self->l).error);
	EXPECT_FALSE(vl_log_is_complete(FILE_A));
}

TEST_F(sync, stop_reports_read_only)
{
	NEEDS_DISK(self);
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, 3 * PER_BUFFER);
	ASSERT_TRUE(vm_disk_trigger_error());
	EXPECT_NE(0, vl_logger_stop_status(&self->l).error);
	EXPECT_FALSE(vl_log_is_complete(FILE_A));
}

/* The error of a file that another one replaced is not forgotten. */
TEST_F(sync, former_file_fails)
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
	failed = flush(l) != 0;
	return !mount(NULL, DISK_DIR, NULL, MS_REMOUNT, NULL) && failed;
}

static ULONG continue_in(struct vl_logger *l, const char *path)
{
	struct vl_log_props props = vl_log_props(0, path, 0);

	return ControlTraceA(l->session, NULL, &props.p, EVENT_TRACE_CONTROL_UPDATE);
}

/* A file that could not be synced once is incomplete, also after later syncs and files. */
TEST_F(sync, one_failure_stays)
{
	struct etw_session_log log;

	NEEDS_DISK(self);
	if (access("/proc/sysrq-trigger", W_OK))
		SKIP(return, "this kernel has no SysRq");
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, PER_BUFFER);
	ASSERT_EQ(0, flush(&self->l));
	ASSERT_TRUE(fail_one_flush(&self->l));
	EXPECT_NE(0, flush(&self->l));
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

/*
 * Start a session whose file this process has open, too, on a disk that takes data for which it
 * has no room.  Returns the file's descriptor.
 */
static int start_shared_as(struct __test_metadata *_metadata, struct vl_logger *l,
			   const char *name, uint32_t flush_ms, int access)
{
	struct etw_session s = vm_session(name);
	struct etw_session_file file = { .size = sizeof(file), .fd = -1, .dir = -1,
					 .name = VM_PTR(name), .name_len = strlen(name),
					 .file_mode = 0600 };

	umount2(DISK_DIR, 0);
	if (!vl_log_dir(4 * 1024) || !vm_disk_make(DISK_TRUSTING))
		return -1;
	file.fd = open(FILE_A, access | O_CREAT | O_CLOEXEC, 0600);
	s.mode = 0;
	s.buffer_kb = SHARED_KB;
	s.flush_ms = flush_ms;
	s.file = VM_PTR(&file);
	EXPECT_EQ(0, vm_start(l->fd, &s));
	l->session = s.handle;
	EXPECT_EQ(0, vl_enable(s.handle, 1, 0, 0, 0));
	EXPECT_EQ(0, flush(l));
	EXPECT_EQ(0, fsync(file.fd));
	return file.fd;
}

static int start_shared(struct __test_metadata *_metadata, struct vl_logger *l, const char *name,
			uint32_t flush_ms)
{
	return start_shared_as(_metadata, l, name, flush_ms, O_RDWR);
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
TEST_F(sync, opener_sees_the_error)
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
		failed = flush(&self->l) != 0;
	}
	EXPECT_TRUE(failed);
	EXPECT_EQ(-1, fsync(fd));
	EXPECT_NE(0, flush(&self->l));
	vl_log_dir_free();
	vl_logger_stop(&self->l);
	EXPECT_TRUE(tells_error(FILE_A));
	drop_caches();
	EXPECT_TRUE(tells_error(FILE_A));
	close(fd);
}

/* As above, but nobody has synced the file before it has its end: when the session stops, ... */
TEST_F(sync, error_found_by_stop)
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
TEST_F(sync, error_found_by_close)
{
	int fd;

	NEEDS_DISK(self);
	fd = start_shared(_metadata, &self->l, "a", 0);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(fail_unseen(&self->l));
	ASSERT_EQ(0, continue_in(&self->l, OTHER_FILE));
	EXPECT_NE(0, flush(&self->l));
	EXPECT_TRUE(tells_error(FILE_A));
	EXPECT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_FALSE(tells_error(OTHER_FILE));
	vl_log_dir_free();
	close(fd);
}

/* Nobody may read by this descriptor, so the module cannot tell that it still is its file. */
TEST_F(sync, error_in_a_file_to_write_only)
{
	int fd;

	NEEDS_DISK(self);
	fd = start_shared_as(_metadata, &self->l, "a", 0, O_WRONLY);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(fail_unseen(&self->l));
	ASSERT_EQ(0, continue_in(&self->l, OTHER_FILE));
	EXPECT_NE(0, flush(&self->l));
	EXPECT_EQ(0, vl_logger_stop(&self->l));
	vl_log_dir_free();
	close(fd);
}

/* The first buffer is full of names: without room for a record, the file seems not closed. */
TEST_F(sync, no_room_to_tell)
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
TEST_F(sync, opener_saw_the_error)
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
	EXPECT_NE(0, flush(&self->l));
	vl_log_dir_free();
	vl_logger_stop(&self->l);
	EXPECT_TRUE(tells_error(FILE_A));
	close(fd);
}

/* Does the disk's image contain these bytes? */
static bool on_disk(const void *bytes, size_t len)
{
	int fd = open(DISK, O_RDONLY | O_CLOEXEC);
	void *image = mmap(NULL, DISK_MB << 20, PROT_READ, MAP_SHARED, fd, 0);
	bool found = image != MAP_FAILED && memmem(image, DISK_MB << 20, bytes, len);

	munmap(image, DISK_MB << 20);
	close(fd);
	return found;
}

/* With a sync interval an event reaches the disk although nobody flushes. */
TEST_F(sync, interval)
{
	static const char marker[] = "an event that has to reach the disk by itself";
	struct etw_session s = vm_session("interval");
	struct etw_session_file file = { .size = sizeof(file), .fd = -1, .name = VM_PTR("a.etl"),
					 .name_len = 5, .file_mode = 0600, .sync_ms = 100 };
	EVENT_DESCRIPTOR desc = vl_event(7, 1, 1);
	EVENT_DATA_DESCRIPTOR data;

	NEEDS_DISK(self);
	/* The kernel itself writes nothing back for a day. */
	vm_write_text("/proc/sys/vm/dirty_writeback_centisecs", "0");
	vm_write_text("/proc/sys/vm/dirty_expire_centisecs", "8640000");
	file.dir = open(DISK_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ASSERT_LE(0, file.dir);
	s.mode = 0;
	s.buffer_kb = LOG_KB;
	s.file = VM_PTR(&file);
	file.sync_ms = 99;
	ASSERT_EQ(-EINVAL, vm_start(self->l.fd, &s));
	file.sync_ms = 100;
	ASSERT_EQ(0, vm_start(self->l.fd, &s));
	ASSERT_EQ(0, vl_enable(s.handle, 1, 0, 0, 0));
	EventDataDescCreate(&data, marker, sizeof(marker));
	ASSERT_EQ(0, EventWrite(self->l.reg, &desc, 1, &data));
	for (int i = 0; i < 1200 && !on_disk(marker, sizeof(marker)); i++)
		usleep(100 * 1000);
	EXPECT_TRUE(on_disk(marker, sizeof(marker)));
	self->l.session = s.handle;
	EXPECT_EQ(0, vl_logger_stop(&self->l));
	close(file.dir);
	vm_write_text("/proc/sys/vm/dirty_writeback_centisecs", "500");
	vm_write_text("/proc/sys/vm/dirty_expire_centisecs", "3000");
}

/* The interval is that of the open file: there is none before the first event. */
TEST_F(sync, interval_of_late_file)
{
	struct etw_session s = vm_session("late");
	struct etw_session_file file = { .size = sizeof(file), .fd = -1, .name = VM_PTR("a.etl"),
					 .name_len = 5, .file_mode = 0600, .sync_ms = 60000 };

	NEEDS_DISK(self);
	file.dir = open(DISK_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ASSERT_LE(0, file.dir);
	s.mode = ETW_MODE_DELAY_OPEN;
	s.buffer_kb = LOG_KB;
	s.file = VM_PTR(&file);
	ASSERT_EQ(0, vm_start(self->l.fd, &s));
	self->l.session = s.handle;
	ASSERT_EQ(0, vl_enable(s.handle, 1, 0, 0, 0));
	EXPECT_EQ(0, vl_log_status(self->l.fd, s.handle).sync_ms);
	vl_logger_write(&self->l, 1);
	EXPECT_EQ(0, flush(&self->l));
	EXPECT_EQ(60000, vl_log_status(self->l.fd, s.handle).sync_ms);
	EXPECT_EQ(0, vl_logger_stop(&self->l));
	close(file.dir);
}

/* What is left of the file begins anew; what was in it is counted as lost. */
static void shorten(struct __test_metadata *_metadata, struct vl_logger *l, ULONG mode,
		    off_t size)
{
	struct etw_session_log log;
	struct vl_log file;

	ASSERT_EQ(0, vl_logger_start(l, mode | EVENT_TRACE_USE_KBYTES_FOR_SIZE, FILE_A,
				     mode ? 32 * LOG_KB : 0));
	vl_logger_write(l, 3 * PER_BUFFER);
	ASSERT_EQ(0, flush(l));
	ASSERT_EQ(0, truncate(FILE_A, size));
	vl_logger_write(l, 2 * PER_BUFFER);
	ASSERT_EQ(0, flush(l));
	log = vl_log_status(l->fd, l->session);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(3, log.buffers_lost);
	EXPECT_EQ(3 * PER_BUFFER, log.events_lost);
	ASSERT_EQ(0, truncate(FILE_A, size));
	log = vl_logger_stop_status(l);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(5, log.buffers_lost);
	EXPECT_EQ(5 * PER_BUFFER, log.events_lost);
	file = vl_log_read(FILE_A);
	EXPECT_EQ(0, file.error);
	EXPECT_EQ(0, file.events);
	EXPECT_EQ(5, file.info.header.BuffersLost);
}

TEST_F(sync, emptied)
{
	NEEDS_DISK(self);
	shorten(_metadata, &self->l, 0, 0);
}

TEST_F(sync, cut_within_a_buffer)
{
	NEEDS_DISK(self);
	shorten(_metadata, &self->l, EVENT_TRACE_FILE_MODE_CIRCULAR, 2 * LOG_KB * 1024 + 100);
}

TEST_F(sync, preallocated_file_emptied)
{
	NEEDS_DISK(self);
	shorten(_metadata, &self->l, EVENT_TRACE_FILE_MODE_PREALLOCATE, 0);
}

/* Another process writes a byte of its own where the log looks for its data: nothing is cut. */
TEST_F(sync, foreign_byte)
{
	struct etw_session_log log;
	struct vl_log file;
	struct stat st;
	int fd;

	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_B, 0));
	vl_logger_write(&self->l, 3 * PER_BUFFER + 1);
	ASSERT_EQ(0, flush(&self->l));
	fd = open(FILE_B, O_WRONLY | O_CLOEXEC);
	ASSERT_EQ(0, fstat(fd, &st));
	/* The unused rest of the last buffer */
	ASSERT_EQ(1, pwrite(fd, "Z", 1, st.st_size - 1));
	vl_logger_write(&self->l, 2 * PER_BUFFER);
	ASSERT_EQ(0, flush(&self->l));
	log = vl_logger_stop_status(&self->l);
	/* What the checker wants to find there */
	ASSERT_EQ(1, pwrite(fd, "\xff", 1, st.st_size - 1));
	close(fd);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(0, log.buffers_lost);
	file = vl_log_read(FILE_B);
	EXPECT_EQ(0, file.error);
	EXPECT_EQ(5 * PER_BUFFER + 1, file.events);
}

#define WRITERS	2
#define ROUNDS	3
#define CUTS	24	/* of a round */

struct flood {
	_Atomic bool stop;
	_Atomic uint64_t attempted;
};

static void *write_on(void *arg)
{
	int fd = vm_open(), slot = vm_register(fd, vm_guid(1));
	static const char payload[LOG_PAYLOAD];
	struct flood *flood = arg;
	uint64_t n;

	for (n = 0; !flood->stop; n++)
		vm_write(fd, slot, 7, 1, 1, payload, sizeof(payload));
	flood->attempted += n;
	close(fd);
	return NULL;
}

/* Two times as many buffers as the kernel writes together, so that it has looked at the file */
#define ENOUGH	32

/* Does the file begin with a buffer, once more have been written?  A full one takes no more. */
static bool begins_again(struct vl_logger *l)
{
	struct etw_session_log log = vl_log_status(l->fd, l->session);
	uint64_t enough = log.buffers_written + ENOUGH;
	bool more = vm_until((log = vl_log_status(l->fd, l->session), log.full) ||
			     log.buffers_written >= enough);
	int fd = open(FILE_B, O_RDONLY | O_CLOEXEC);
	uint32_t size = 0;
	ssize_t n = pread(fd, &size, sizeof(size), 0);

	close(fd);
	return log.full || (more && n == sizeof(size) && size == LOG_KB * 1024);
}

/* Writers without a pause, in whose file others cut. */
static void cut_under_load(struct __test_metadata *_metadata, struct vl_logger *l,
			   struct flood *flood)
{
	pthread_t thread[WRITERS];
	int i;

	for (i = 0; i < WRITERS; i++)
		ASSERT_EQ(0, vl_thread_on(&thread[i], i, write_on, flood));
	for (i = 0; i < CUTS; i++) {
		/* Mostly as copytruncate does, else within the first buffers. */
		EXPECT_EQ(0, truncate(FILE_B, pick(3) ? 0 : pick(4 * LOG_KB * 1024)));
		usleep(pick(3000));
		if (i % 4 == 3)
			EXPECT_TRUE(begins_again(l));
	}
	flood->stop = true;
	for (i = 0; i < WRITERS; i++)
		pthread_join(thread[i], NULL);
}

/*
 * The file is cut while it is written: between two writes it would be as long as before.  It can
 * be read nevertheless, and each event is in it or counted as lost.
 */
static void cut_between_writes(struct __test_metadata *_metadata, struct vl_logger *l, ULONG mode)
{
	struct etw_session_log log;
	struct flood flood = { };
	struct etw_session s;
	struct vl_log file;

	ASSERT_EQ(0, vl_logger_start(l, mode | EVENT_TRACE_USE_KBYTES_FOR_SIZE, FILE_B,
				     mode ? 4096 : 0));
	cut_under_load(_metadata, l, &flood);
	log = (struct etw_session_log){ .size = sizeof(log) };
	s = (struct etw_session){ .size = sizeof(s), .handle = l->session, .log = VM_PTR(&log) };
	ASSERT_EQ(0, vm_ioctl(l->fd, ETW_IOC_SESSION_STOP, &s));
	file = vl_log_read(FILE_B);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(0, file.error);
	EXPECT_FALSE(file.cut_off);
	EXPECT_EQ(0, file.count.corrupt);
	EXPECT_LT(0, file.events);
	EXPECT_EQ(flood.attempted, file.events + log.events_lost + s.events_lost)
		TH_LOG("%lu in the file, %llu and %llu lost", file.events,
		       (unsigned long long)log.events_lost, (unsigned long long)s.events_lost);
	EXPECT_EQ(log.buffers_lost, file.info.header.BuffersLost);
}

TEST_F(sync, cut_between_writes)
{
	for (int i = 0; i < ROUNDS; i++)
		cut_between_writes(_metadata, &self->l, 0);
}

TEST_F(sync, preallocated_cut_between_writes)
{
	for (int i = 0; i < ROUNDS; i++)
		cut_between_writes(_metadata, &self->l, EVENT_TRACE_FILE_MODE_PREALLOCATE);
}

TEST_HARNESS_MAIN
