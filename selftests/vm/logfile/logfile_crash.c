// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_crash - log files after power cuts: at any moment, in every mode, the file opens
 * and has every event that a FLUSH reported as written, and etw verify does not call it complete
 *
 * $ETW_CRASH_IMAGES is the number of power cuts in each mode; default 3.
 *
 * TIMEOUT: 900
 */
#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/fault/vm_disk.h"

/* run.sh limits the program; a long run by hand has no other limit. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	86400

#define PER_BUFFER	LOG_PER_BUFFER
#define FILE_A		DISK_DIR "/a.etl"
#define SERIES		DISK_DIR "/a%d.etl"
#define SERIES_FILE	4		/* buffers of each file, the header's among them */
#define PRISTINE	LOG_DIR "/pristine"
#define CIRCLE		8	/* buffers of a circular file, the header's among them */

FIXTURE(crash) {
	struct vl_logger l;
	unsigned int seed;
	bool disk;
};

FIXTURE_SETUP(crash)
{
	const char *why = vl_logger_begin(&self->l, 32 * 1024);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
	self->disk = vm_disk_make(DISK_USUAL);
	if (!self->disk)
		return;
	ASSERT_EQ(0, umount2(DISK_DIR, 0));
	ASSERT_EQ(0, system("cp " DISK " " PRISTINE));
	self->seed = getpid();
	printf("# seed %u\n", self->seed);
}

FIXTURE_TEARDOWN(crash)
{
	umount2(DISK_DIR, MNT_DETACH);
	vl_logger_end(&self->l);
}

static unsigned int images(void)
{
	const char *text = getenv("ETW_CRASH_IMAGES");

	return text && atoi(text) > 0 ? atoi(text) : 3;
}

/* Write in some steps, flush between some of them; the number of events then flushed. */
static ULONG write_and_flush(struct vl_logger *l, unsigned int *seed)
{
	unsigned int steps = rand_r(seed) % 8;
	ULONG flushed = 0;

	while (steps--) {
		vl_logger_write(l, rand_r(seed) % (3 * PER_BUFFER));
		if (rand_r(seed) % 2 && !vl_control(l->session, EVENT_TRACE_CONTROL_FLUSH))
			flushed = l->written;
	}
	return flushed;
}

/*
 * All flushed events are in the file; of a circular one those that a whole circle of newer
 * buffers, which need not be full, has not overwritten.
 */
static void check(struct __test_metadata *_metadata, const struct vl_log *file, ULONG mode,
		  ULONG flushed)
{
	if (!flushed)
		return;
	EXPECT_EQ(0, file->error);
	/* The last buffer may be there in part. */
	EXPECT_LE(file->count.corrupt, 1);
	EXPECT_TRUE(file->in_order);
	EXPECT_LE(flushed, file->last + 1);
	if (mode & EVENT_TRACE_FILE_MODE_CIRCULAR) {
		EXPECT_TRUE(file->first < flushed ||
			    file->count.buffers_read + file->count.corrupt >= CIRCLE);
	} else {
		EXPECT_EQ(0, file->first);
	}
}

/* The end of the session is missing: the verdict says so of all that opens. */
static void check_verdict(struct __test_metadata *_metadata, const struct vl_log *file,
			  ULONG flushed)
{
	static struct vc_run r;

	vc_run(&r, "verify", FILE_A, "--json", NULL);
	EXPECT_NE(0, r.status);
	if (!flushed && file->error)
		return;
	EXPECT_EQ(3, r.status);
	EXPECT_EQ(1, vc_objects(r.out));
	EXPECT_NE(NULL, strstr(r.out, "\"verdict\":\"incomplete\""));
	EXPECT_NE(NULL, strstr(r.out, "\"cause\":\"not_closed\""));
}

static void cut_power(struct __test_metadata *_metadata, struct vl_logger *l, ULONG mode,
		      ULONG size, unsigned int *seed)
{
	struct vl_log file;
	ULONG flushed;

	for (unsigned int i = 0; i < images(); i++) {
		ASSERT_EQ(0, system("cp " PRISTINE " " DISK));
		ASSERT_TRUE(vm_disk_mount("delalloc"));
		l->written = 0;
		ASSERT_EQ(0, vl_logger_start(l, mode, FILE_A, size));
		flushed = write_and_flush(l, seed);
		ASSERT_TRUE(vm_disk_shut_down());
		vl_logger_stop(l);
		ASSERT_EQ(0, umount2(DISK_DIR, 0));
		ASSERT_TRUE(vm_disk_mount("delalloc"));
		file = vl_log_read(FILE_A);
		check(_metadata, &file, mode, flushed);
		check_verdict(_metadata, &file, flushed);
		if (!_metadata->passed)
			TH_LOG("image %u: flushed %u, error %d, events %u, first %u, last %u", i,
			       flushed, file.error, file.events, file.first, file.last);
		ASSERT_EQ(0, umount2(DISK_DIR, 0));
	}
}

TEST_F(crash, sequential)
{
	if (!self->disk)
		SKIP(return, "no ext4 on a loop device");
	cut_power(_metadata, &self->l, EVENT_TRACE_FILE_MODE_SEQUENTIAL, 0, &self->seed);
}

TEST_F(crash, circular)
{
	if (!self->disk)
		SKIP(return, "no ext4 on a loop device");
	cut_power(_metadata, &self->l,
		  EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_USE_KBYTES_FOR_SIZE,
		  CIRCLE * LOG_KB, &self->seed);
}

TEST_F(crash, preallocated)
{
	if (!self->disk)
		SKIP(return, "no ext4 on a loop device");
	cut_power(_metadata, &self->l,
		  EVENT_TRACE_FILE_MODE_PREALLOCATE | EVENT_TRACE_USE_KBYTES_FOR_SIZE,
		  128 * LOG_KB, &self->seed);
}

TEST_F(crash, circular_preallocated)
{
	if (!self->disk)
		SKIP(return, "no ext4 on a loop device");
	cut_power(_metadata, &self->l,
		  EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_FILE_MODE_PREALLOCATE |
		  EVENT_TRACE_USE_KBYTES_FOR_SIZE, CIRCLE * LOG_KB, &self->seed);
}

TEST_F(crash, appended)
{
	if (!self->disk)
		SKIP(return, "no ext4 on a loop device");
	cut_power(_metadata, &self->l, EVENT_TRACE_FILE_MODE_APPEND, 0, &self->seed);
}

/* The files of a series have, one after the other, all flushed events. */
static void check_series(struct __test_metadata *_metadata, ULONG flushed)
{
	struct vl_log file;
	ULONG next = 0;
	char path[64];
	int i;

	for (i = 1; next < flushed; i++) {
		snprintf(path, sizeof(path), SERIES, i);
		file = vl_log_read(path);
		ASSERT_EQ(0, file.error)
			TH_LOG("file %d: has not events %u to %u", i, next, flushed);
		EXPECT_LE(file.count.corrupt, 1);
		EXPECT_TRUE(file.in_order);
		ASSERT_LT(0, file.events);
		EXPECT_EQ(next, file.first);
		next = file.last + 1;
	}
}

TEST_F(crash, new_files)
{
	unsigned int i;
	ULONG flushed;

	if (!self->disk)
		SKIP(return, "no ext4 on a loop device");
	for (i = 0; i < images(); i++) {
		ASSERT_EQ(0, system("cp " PRISTINE " " DISK));
		ASSERT_TRUE(vm_disk_mount("delalloc"));
		self->l.written = 0;
		ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_NEWFILE |
					     EVENT_TRACE_USE_KBYTES_FOR_SIZE, SERIES,
					     SERIES_FILE * LOG_KB));
		/* More than one file in any case, flushed by the last event */
		vl_logger_write(&self->l, 4 * PER_BUFFER);
		flushed = write_and_flush(&self->l, &self->seed);
		if (!flushed)
			flushed = 4 * PER_BUFFER;
		ASSERT_TRUE(vm_disk_shut_down());
		vl_logger_stop(&self->l);
		ASSERT_EQ(0, umount2(DISK_DIR, 0));
		ASSERT_TRUE(vm_disk_mount("delalloc"));
		check_series(_metadata, flushed);
		ASSERT_EQ(0, umount2(DISK_DIR, 0));
	}
}

TEST_HARNESS_MAIN
