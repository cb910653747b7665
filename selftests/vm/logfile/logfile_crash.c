// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_crash - log files after power cuts: at any moment, in every mode, the file opens
 * and has every event that a FLUSH reported as written, and etw verify does not call it complete
 * unless the session's end was, or it was one of several and the session went on in another
 *
 * $ETW_CRASH_IMAGES is the number of power cuts in each mode; default 3. Two of three come while
 * another CPU writes, flushes, begins a file or stops the session.
 *
 * TIMEOUT: 3600
 */
#include <pthread.h>
#include <stdatomic.h>

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
#define LEFT		LOG_DIR "/left"	/* the disk after a power cut */
#define CIRCLE		8	/* buffers of a circular file, the header's among them */

/* When the power went: between calls, during writes and flushes, during the stop, or after it */
enum { CUT_BETWEEN, CUT_AMID, CUT_IN_STOP, CUT_STOPPED, CUTS };

FIXTURE(crash) {
	struct vl_logger l;
	unsigned int seed;
	bool disk;
	unsigned int cuts[CUTS];
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
	fprintf(stderr, "# seed %u\n", self->seed);
}

FIXTURE_TEARDOWN(crash)
{
	fprintf(stderr, "# power cuts: %u between calls, %u amid writes, %u amid the stop, %u after it\n",
		self->cuts[CUT_BETWEEN], self->cuts[CUT_AMID], self->cuts[CUT_IN_STOP],
		self->cuts[CUT_STOPPED]);
	umount2(DISK_DIR, MNT_DETACH);
	vl_logger_end(&self->l);
}

static unsigned int images(void)
{
	const char *text = getenv("ETW_CRASH_IMAGES");

	return text && atoi(text) > 0 ? atoi(text) : 3;
}

/* A run of a session up to a power cut */
struct cut {
	struct vl_logger *l;
	unsigned int *seed;
	unsigned int steps;	/* before the stop */
	ULONG flushed;		/* number of events flushed, or of a session that has stopped */
	bool early;		/* the cut began before the stop did */
	bool stopping, stopped;	/* the stop began before the cut's end; returned before its begin */
	/* Of a cut from another CPU: the step during which it is due, and when after its start */
	unsigned int due;
	useconds_t delay;
	atomic_uint step;
	atomic_bool begun, done;
	bool failed;
};

/* Write in some steps, flush between some of them. */
static void write_and_flush(struct cut *c)
{
	unsigned int i;

	for (i = 1; i <= c->steps && !atomic_load(&c->done); i++) {
		atomic_store(&c->step, i);
		vl_logger_write(c->l, rand_r(c->seed) % (3 * PER_BUFFER));
		if (rand_r(c->seed) % 2 && !vl_control(c->l->session, EVENT_TRACE_CONTROL_FLUSH) &&
		    !atomic_load(&c->begun))
			c->flushed = c->l->written;
	}
}

static void *cut_later(void *arg)
{
	struct cut *c = arg;

	vm_pin(1);
	while (atomic_load(&c->step) < c->due)
		sched_yield();
	usleep(c->delay);
	atomic_store(&c->begun, true);
	c->failed = !vm_disk_shut_down();
	atomic_store(&c->done, true);
	return NULL;
}

/* The disk ends during some step or the stop, or soon after: a step takes a millisecond or more. */
static bool cut_amid(struct cut *c)
{
	pthread_t thread;

	c->due = 1 + rand_r(c->seed) % (c->steps + 1);
	c->delay = rand_r(c->seed) % 3000;
	if (pthread_create(&thread, NULL, cut_later, c))
		return false;
	write_and_flush(c);
	c->early = atomic_load(&c->begun);
	c->stopping = !atomic_load(&c->done);
	atomic_store(&c->step, c->steps + 1);
	c->stopped = !vl_logger_stop(c->l) && !atomic_load(&c->begun);
	if (c->stopped)
		c->flushed = c->l->written;
	return !pthread_join(thread, NULL) && !c->failed;
}

/* The disk ends when all that the session was told has returned. */
static bool cut_between(struct cut *c)
{
	write_and_flush(c);
	if (!vm_disk_shut_down())
		return false;
	vl_logger_stop(c->l);
	return true;
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

/*
 * The end of the session is missing: the verdict says so of all that opens. Of a session that
 * was about to stop the end may be there, and then so is every event.
 */
static void check_verdict(struct __test_metadata *_metadata, const struct vl_log *file,
			  const struct cut *c, ULONG mode)
{
	static struct vc_run r;

	vc_run(&r, "verify", FILE_A, "--json", NULL);
	if (r.status == 0) {
		EXPECT_TRUE(c->stopping);
		EXPECT_EQ(c->l->written, file->events ? file->last + 1 : 0);
		EXPECT_TRUE(file->in_order);
		EXPECT_TRUE(file->first == 0 || mode & EVENT_TRACE_FILE_MODE_CIRCULAR);
		return;
	}
	EXPECT_FALSE(c->stopped);
	if (!c->flushed && file->error)
		return;
	EXPECT_EQ(3, r.status);
	EXPECT_EQ(1, vc_objects(r.out));
	EXPECT_NE(NULL, strstr(r.out, "\"verdict\":\"incomplete\""));
	if (!c->stopping)
		EXPECT_NE(NULL, strstr(r.out, "\"cause\":\"not_closed\""));
}

/* Note when the power went: the fixture prints it in the end. */
static void note_cut(FIXTURE_DATA(crash) *self, const struct cut *c)
{
	self->cuts[!c->due ? CUT_BETWEEN : c->stopped ? CUT_STOPPED : c->early ? CUT_AMID :
		   CUT_IN_STOP]++;
}

/* Start a session on a disk like new, let it write until a power cut, and mount what is left. */
static void make_image(struct __test_metadata *_metadata, FIXTURE_DATA(crash) *self, ULONG mode,
		       const char *path, ULONG size, unsigned int number, struct cut *c)
{
	*c = (struct cut){ .l = &self->l, .seed = &self->seed,
			   .steps = rand_r(&self->seed) % 8 };
	ASSERT_EQ(0, system("cp " PRISTINE " " DISK));
	ASSERT_TRUE(vm_disk_mount("delalloc"));
	self->l.written = 0;
	ASSERT_EQ(0, vl_logger_start(&self->l, mode, path, size));
	if (mode & EVENT_TRACE_FILE_MODE_NEWFILE) {
		/* More than one file in any case, flushed by the last event */
		vl_logger_write(&self->l, 4 * PER_BUFFER);
		c->flushed = 4 * PER_BUFFER;
	}
	ASSERT_TRUE(number % 3 ? cut_amid(c) : cut_between(c));
	note_cut(self, c);
	/* Unmounting still writes the superblock, which may name a file that is not there. */
	ASSERT_EQ(0, system("cp --sparse=always " DISK " " LEFT));
	ASSERT_EQ(0, umount2(DISK_DIR, 0));
	ASSERT_EQ(0, rename(LEFT, DISK));
	ASSERT_TRUE(vm_disk_mount("delalloc"));
}

static void cut_power(struct __test_metadata *_metadata, FIXTURE_DATA(crash) *self, ULONG mode,
		      ULONG size)
{
	struct vl_log file;
	struct cut c;

	if (!self->disk)
		SKIP(return, "no ext4 on a loop device");
	for (unsigned int i = 0; i < images(); i++) {
		make_image(_metadata, self, mode, FILE_A, size, i, &c);
		file = vl_log_read(FILE_A);
		check(_metadata, &file, mode, c.flushed);
		check_verdict(_metadata, &file, &c, mode);
		if (!_metadata->passed)
			TH_LOG("image %u: flushed %u, %s, error %d, events %u, first %u, last %u",
			       i, c.flushed, c.stopping ? "stopping" : "not stopping", file.error,
			       file.events, file.first, file.last);
		ASSERT_EQ(0, umount2(DISK_DIR, 0));
	}
}

TEST_F(crash, sequential)
{
	cut_power(_metadata, self, EVENT_TRACE_FILE_MODE_SEQUENTIAL, 0);
}

TEST_F(crash, circular)
{
	cut_power(_metadata, self, EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_USE_KBYTES_FOR_SIZE,
		  CIRCLE * LOG_KB);
}

TEST_F(crash, preallocated)
{
	cut_power(_metadata, self, EVENT_TRACE_FILE_MODE_PREALLOCATE | EVENT_TRACE_USE_KBYTES_FOR_SIZE,
		  128 * LOG_KB);
}

TEST_F(crash, circular_preallocated)
{
	cut_power(_metadata, self, EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_FILE_MODE_PREALLOCATE |
		  EVENT_TRACE_USE_KBYTES_FOR_SIZE, CIRCLE * LOG_KB);
}

TEST_F(crash, appended)
{
	cut_power(_metadata, self, EVENT_TRACE_FILE_MODE_APPEND, 0);
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

/* A file of the series that etw verify calls complete has every event from its first to the next's. */
static void check_complete_ones(struct __test_metadata *_metadata)
{
	struct vl_log file;
	ULONG next = 0;
	char path[64];
	int i;

	for (i = 1; snprintf(path, sizeof(path), SERIES, i) && !access(path, F_OK); i++) {
		file = vl_log_read(path);
		EXPECT_TRUE(file.error || !file.events || !next || next == file.first);
		next = 0;
		if (!vl_log_is_complete(path))
			continue;
		EXPECT_EQ(0, file.error);
		EXPECT_TRUE(file.in_order);
		if (!file.events)
			continue;
		EXPECT_TRUE(i > 1 || file.first == 0);
		next = file.last + 1;
	}
}

TEST_F(crash, new_files)
{
	struct cut c;

	if (!self->disk)
		SKIP(return, "no ext4 on a loop device");
	for (unsigned int i = 0; i < images(); i++) {
		make_image(_metadata, self, EVENT_TRACE_FILE_MODE_NEWFILE |
			   EVENT_TRACE_USE_KBYTES_FOR_SIZE, SERIES, SERIES_FILE * LOG_KB, i, &c);
		check_series(_metadata, c.flushed);
		check_complete_ones(_metadata);
		ASSERT_EQ(0, umount2(DISK_DIR, 0));
	}
}

TEST_HARNESS_MAIN
