// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_sync - what FLUSH and STOP report is on the disk, and a file that another process
 * shortens
 *
 * TIMEOUT: 900
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_tracefs.h"
#include "lib/pick.h"
#include "lib/fault/vm_disk.h"

#include <linux/fs.h>
#include <sys/mman.h>
#include <sys/mount.h>

#define PER_BUFFER	LOG_PER_BUFFER
#define FILE_A		DISK_DIR "/a.etl"
#define FILE_B		LOG_DIR "/b.etl"
#define FREEZES		50

FIXTURE(sync) {
	struct vl_logger l;
	bool disk;
};

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
	ASSERT_EQ(0, vl_logger_flush(&self->l));
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
	EXPECT_EQ(0, vl_logger_flush(&self->l));
	first = syncs_of_directory();
	vl_logger_write(&self->l, 1);
	EXPECT_EQ(0, vl_logger_flush(&self->l));
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
	EXPECT_EQ(0, vl_logger_flush(&self->l));
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
	ASSERT_EQ(0, vl_logger_flush(l));
	ASSERT_EQ(0, truncate(FILE_A, size));
	vl_logger_write(l, 2 * PER_BUFFER);
	ASSERT_EQ(0, vl_logger_flush(l));
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
	ASSERT_EQ(0, vl_logger_flush(&self->l));
	fd = open(FILE_B, O_WRONLY | O_CLOEXEC);
	ASSERT_EQ(0, fstat(fd, &st));
	/* The unused rest of the last buffer */
	ASSERT_EQ(1, pwrite(fd, "Z", 1, st.st_size - 1));
	vl_logger_write(&self->l, 2 * PER_BUFFER);
	ASSERT_EQ(0, vl_logger_flush(&self->l));
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
