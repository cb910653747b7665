// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_logfile - every failure of the calls that concern log files
 *
 * After a failure, a file given to the call is unchanged or empty, never an incomplete log;
 * and the module does not hold it, so its file system can be unmounted, which is tried after
 * each call.
 *
 * TIMEOUT: 900
 */
#include "lib/vm.h"
#include "lib/fault/vm_fault.h"
#include "lib/vm_log.h"
#include "etl/verify/verify.h"

FAULT_FIXTURE

#define FILE_A		LOG_DIR "/a.etl"
#define FILE_B		LOG_DIR "/b.etl"
#define EVENTS		9	/* written before a call */
#define OLD_SIZE	20000	/* of what was in the file */

static struct etw_session_file file;
static struct etw_session_log status;
static int refs;		/* on the module, before a try */
static unsigned int held;	/* file systems that could not go */

/* --------------------------------------------------- what a try begins and ends with */

static void open_file(const char *path, int flags)
{
	file = (struct etw_session_file){
		.size = sizeof(file), .fd = -1, .dir = -1, .name = VM_PTR(path),
		.name_len = strlen(path), .file_mode = 0600 };
	if (flags & O_DIRECTORY)
		file.dir = open(LOG_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	else
		file.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0600);
}

static void close_file(void)
{
	if (file.fd >= 0)
		close(file.fd);
	if (file.dir >= 0)
		close(file.dir);
	file.fd = -1;
	file.dir = -1;
}

static void begin(struct fault_env *e, uint32_t mode)
{
	refs = fault_refs();
	if (!vl_log_dir(512))
		held++;
	e->handle = 0;
	memset(e->text, 0, sizeof(e->text));
	e->arg.session = vm_session("t-log");
	e->arg.session.mode = mode;
	e->arg.session.buffer_kb = LOG_KB;
	e->arg.session.min_buffers = 4;
	e->arg.session.flush_ms = 600000;
	e->arg.session.file = VM_PTR(&file);
	status = (struct etw_session_log){
		.size = sizeof(status), .name = VM_PTR(e->text), .name_cap = sizeof(e->text) };
	e->arg.session.log = VM_PTR(&status);
}

/* The log's thread is gone, too. */
static void stop(struct fault_env *e)
{
	if (e->handle)
		vm_stop(e->fd, e->handle);
	e->handle = 0;
	if (!vm_until(fault_refs() <= refs))
		held++;
}

static void end(struct fault_env *e)
{
	stop(e);
	close_file();
	/* A kernel thread closes files a moment later. */
	if (!vm_until(!umount2(LOG_DIR, 0)))
		held++;
	vl_log_dir_end();
	fault_no_notices(e);
}

static struct etw_session_log look(struct fault_env *e)
{
	return vl_log_status(e->fd, e->handle);
}

/* ----------------------------------------------------------------------------- start */

static void before_start(struct fault_env *e)
{
	char old[OLD_SIZE];
	ssize_t n;

	begin(e, 0);
	open_file(FILE_A, 0);
	memset(old, 'x', sizeof(old));
	n = write(file.fd, old, sizeof(old));
	(void)n;
}

static void before_start_dir(struct fault_env *e)
{
	begin(e, ETW_MODE_NEWFILE | ETW_MODE_REAL_TIME | ETW_MODE_PREALLOCATE | ETW_MODE_KBYTES);
	open_file(LOG_DIR "/n%d", O_DIRECTORY);
	file.max_size = 8 * LOG_KB;
}

static void before_start_buffering(struct fault_env *e)
{
	begin(e, ETW_MODE_BUFFERING);
	open_file(FILE_A, O_DIRECTORY);
}

static int do_start(struct fault_env *e)
{
	return vm_start(e->fd, &e->arg.session);
}

static bool is_started(struct fault_env *e)
{
	e->handle = e->arg.session.handle;
	return !vm_query(e->fd, e->handle, NULL) &&
	       look(e).bytes == (e->arg.session.mode & ETW_MODE_BUFFERING ? 0 : LOG_KB * 1024) &&
	       status.name_len == strlen(e->text) && !strncmp(e->text, LOG_DIR, 5);
}

/* The old contents are complete, or the file is empty. */
static bool old_or_empty(void)
{
	char bytes[OLD_SIZE] = "";
	int fd = open(FILE_A, O_RDONLY | O_CLOEXEC), i;
	ssize_t n = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes));

	if (fd >= 0)
		close(fd);
	for (i = 0; i < n; i++)
		if (bytes[i] != 'x')
			return false;
	return n == 0 || n == sizeof(bytes);
}

/* Closed like a log without events: the call came that far. */
static bool is_whole(const char *path)
{
	struct vl_log log = vl_log_read(path);

	return !log.error && !log.cut_off && !log.events && log.count.buffers == 1;
}

static bool not_started(struct fault_env *e, const struct fault_state *was, int ret)
{
	(void)ret;
	if (file.fd >= 0 && !old_or_empty() && !is_whole(FILE_A)) {
		fprintf(stderr, "# the file is half a log\n");
		return false;
	}
	/* A thread that began ends by itself. */
	return vm_until(fault_refs() <= refs) && fault_same(e, was, true, false);
}

static const struct fault_op start_ops[] = {
	{ .name = "START, a file", .prepare = before_start, .call = do_start,
	  .done = is_started, .undo = stop, .judge = not_started, .clean = end,
	  .enomem = 12, .efault = 6 },
	{ .name = "START, new files in a directory", .prepare = before_start_dir,
	  .call = do_start, .done = is_started, .undo = stop, .judge = not_started,
	  .clean = end, .enomem = 12, .efault = 6 },
	{ .name = "START, BUFFERING with a file", .prepare = before_start_buffering,
	  .call = do_start, .done = is_started, .undo = stop, .judge = not_started,
	  .clean = end, .enomem = 10, .efault = 6 },
};

/* ------------------------------------------------------------------- while it runs */

/* A session with EVENTS of vm_guid(1), in FILE_A or in its ring. */
static void own_session(struct fault_env *e, uint32_t mode)
{
	unsigned int i;

	begin(e, mode);
	if (mode & ETW_MODE_NEWFILE)
		open_file(LOG_DIR "/n%d", O_DIRECTORY);
	else
		open_file(FILE_A, 0);
	file.max_size = mode & ETW_MODE_NEWFILE ? 1 : 0;
	if (mode & ETW_MODE_BUFFERING)
		e->arg.session.file = 0;
	vm_start(e->fd, &e->arg.session);
	e->handle = e->arg.session.handle;
	close_file();
	vm_enable(e->fd, e->handle, vm_guid(1), 0, 0, 0);
	fault_no_notices(e);
	for (i = 0; i < EVENTS; i++)
		vm_write(e->fd, e->slot, i + 1, 1, 1, e->room, LOG_PAYLOAD);
	e->arg.session = (struct etw_session){ .size = sizeof(e->arg.session),
					       .handle = e->handle, .log = VM_PTR(&status) };
}

static bool has_events(const char *path)
{
	struct vl_log log = vl_log_read(path);

	return !log.error && !log.cut_off && log.events == EVENTS;
}

static void before_other_file(struct fault_env *e)
{
	own_session(e, 0);
	open_file(FILE_B, 0);
	e->arg.session.file = VM_PTR(&file);
}

static void before_next_file(struct fault_env *e)
{
	own_session(e, ETW_MODE_NEWFILE);
	file.flags = ETW_FILE_NEXT;
	e->arg.session.file = VM_PTR(&file);
}

static void before_end_of_file(struct fault_env *e)
{
	own_session(e, 0);
	file.flags = ETW_FILE_END;
	e->arg.session.file = VM_PTR(&file);
}

static int do_update(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_SESSION_UPDATE, &e->arg.session);
}

static bool is_in(struct fault_env *e, const char *path)
{
	char name[ETW_FILE_NAME_MAX] = "";
	struct etw_session_log log = { .size = sizeof(log), .name = VM_PTR(name),
				       .name_cap = sizeof(name) };
	struct etw_session s = { .size = sizeof(s), .handle = e->handle, .log = VM_PTR(&log) };

	return !vm_ioctl(e->fd, ETW_IOC_SESSION_QUERY, &s) && !strcmp(name, path);
}

static bool in_other_file(struct fault_env *e)
{
	return is_in(e, FILE_B);
}

static bool in_next_file(struct fault_env *e)
{
	return is_in(e, LOG_DIR "/n2");
}

static bool in_real_time(struct fault_env *e)
{
	struct etw_session s;

	return !vm_query(e->fd, e->handle, &s) && s.mode == ETW_MODE_REAL_TIME &&
	       has_events(FILE_A);
}

/* The session is written to its file as before, to the last event. */
static bool writes_on(struct fault_env *e, const char *path)
{
	if (!is_in(e, path))
		return false;
	vm_stop(e->fd, e->handle);
	return has_events(path);
}

static bool in_first_file(struct fault_env *e, const struct fault_state *was, int ret)
{
	(void)was;
	(void)ret;
	return writes_on(e, FILE_A);
}

static bool in_first_of_new_files(struct fault_env *e, const struct fault_state *was, int ret)
{
	(void)was;
	(void)ret;
	return writes_on(e, LOG_DIR "/n1");
}

static const struct fault_op update_ops[] = {
	{ .name = "UPDATE, another file", .prepare = before_other_file, .call = do_update,
	  .done = in_other_file, .judge = in_first_file, .clean = end, .late = true,
	  .once = true, .enomem = 3, .efault = 6 },
	{ .name = "UPDATE, the next file", .prepare = before_next_file, .call = do_update,
	  .done = in_next_file, .judge = in_first_of_new_files, .clean = end, .late = true,
	  .once = true, .efault = 6 },
	{ .name = "UPDATE, no file any more", .prepare = before_end_of_file,
	  .call = do_update, .done = in_real_time, .judge = in_first_file, .clean = end,
	  .late = true, .once = true, .efault = 6 },
};

/* ------------------------------------------------------------------- flush and stop */

static void before_flush(struct fault_env *e)
{
	own_session(e, 0);
}

static int do_flush(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_SESSION_FLUSH, &e->arg.session);
}

static bool is_flushed(struct fault_env *e)
{
	(void)e;
	return vl_log_read(FILE_A).events == EVENTS;
}

static void before_snapshot(struct fault_env *e)
{
	own_session(e, ETW_MODE_BUFFERING);
	open_file(FILE_B, 0);
	e->arg.session.file = VM_PTR(&file);
}

static bool has_snapshot(struct fault_env *e)
{
	(void)e;
	return has_events(FILE_B);
}

/* Nothing was taken: the next flush has all of it, and this one left no incomplete file. */
static bool snapshot_waits(struct fault_env *e, const struct fault_state *was, int ret)
{
	struct stat st;

	(void)was;
	(void)ret;
	if (stat(FILE_B, &st) || st.st_size)
		return false;
	return !do_flush(e) && has_events(FILE_B);
}

static int do_stop(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_SESSION_STOP, &e->arg.session);
}

static bool is_stopped(struct fault_env *e)
{
	return vm_query(e->fd, e->handle, NULL) == -ENOENT && has_events(FILE_A);
}

/* All buffers are delivered, so that nothing changes later. */
static void before_query(struct fault_env *e)
{
	own_session(e, 0);
	vm_flush(e->fd, e->handle);
}

static int do_query(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_SESSION_QUERY, &e->arg.session);
}

static bool tells_of_file(struct fault_env *e)
{
	(void)e;
	return status.bytes == 3 * LOG_KB * 1024 && status.name_len == strlen(FILE_A);
}

static const struct fault_op end_ops[] = {
	{ .name = "FLUSH", .prepare = before_flush, .call = do_flush, .done = is_flushed,
	  .judge = in_first_file, .clean = end, .late = true, .once = true, .efault = 6 },
	{ .name = "FLUSH, a snapshot", .prepare = before_snapshot, .call = do_flush,
	  .done = has_snapshot, .judge = snapshot_waits, .clean = end, .late = true,
	  .once = true, .enomem = 5, .efault = 4 },
	{ .name = "STOP", .prepare = before_flush, .call = do_stop, .done = is_stopped,
	  .judge = in_first_file, .clean = end, .late = true, .once = true, .efault = 6 },
	{ .name = "QUERY", .prepare = before_query, .call = do_query, .done = tells_of_file,
	  .clean = end, .enomem = 1, .efault = 6 },
};

/* As FAULT_TEST(), and every file system could be unmounted. */
#define LOG_TEST(name, ops)						\
TEST_F(fault, name)							\
{									\
	unsigned int _i;						\
									\
	if (_metadata->skip)						\
		return;							\
	for (_i = 0; _i < ARRAY_SIZE(ops); _i++)			\
		EXPECT_TRUE(fault_all(self->e, &(ops)[_i]));		\
	EXPECT_EQ(0, held);						\
}

/* ---------------------------------------------------------------------- a circle */

#define CIRCLE		5	/* buffers of a circular file, the header's among them */

/* Write so many buffers, one after the other. */
static void write_buffers(struct fault_env *e, unsigned int buffers)
{
	for (unsigned int i = 0; i < buffers * LOG_PER_BUFFER; i++) {
		vm_write(e->fd, e->slot, 7, 1, 1, e->room, LOG_PAYLOAD);
		if (i % LOG_PER_BUFFER == LOG_PER_BUFFER - 1)
			vm_flush(e->fd, e->handle);
	}
}

/*
 * Another process cuts off the circle, which has begun again twice and has two buffers since.
 * Returns the number of events that are counted as lost.
 */
static uint64_t cut_circle(struct __test_metadata *_metadata, struct fault_env *e)
{
	struct etw_session_log log;
	uint64_t least = 0, most = 0;
	struct etw_verdict v;
	bool all;

	e->handle = e->arg.session.handle;
	EXPECT_EQ(0, vm_enable(e->fd, e->handle, vm_guid(1), 0, 0, 0));
	write_buffers(e, 2 * (CIRCLE - 1) + 2);
	EXPECT_EQ(0, truncate(FILE_A, 0));
	write_buffers(e, 1);
	log = look(e);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(CIRCLE - 1, log.buffers_lost);
	EXPECT_EQ(0, vm_stop(e->fd, e->handle));
	EXPECT_EQ(0, etw_etl_verify(FILE_A, &v));
	EXPECT_EQ(0, etw_verdict_finish(&v, 1));
	etw_verdict_lost(&v, &least, &most);
	/* If some are not counted, the file says so. */
	all = log.events_lost == (CIRCLE - 1) * LOG_PER_BUFFER;
	EXPECT_EQ(all ? log.events_lost : ETW_GAP_UNKNOWN, most);
	etw_verdict_free(&v);
	return log.events_lost;
}

/* Let each allocation of a START fail in turn; counts how much the circle knows of its losses. */
static void start_circles(struct __test_metadata *_metadata, struct fault_env *e,
			  unsigned int *known, unsigned int *unknown)
{
	unsigned int nth;
	bool more = true;
	uint64_t events;

	for (nth = 1; more && nth < FAULT_MOST; nth++) {
		begin(e, ETW_MODE_CIRCULAR | ETW_MODE_KBYTES);
		open_file(FILE_A, 0);
		file.max_size = CIRCLE * LOG_KB;
		ASSERT_TRUE(fault_arm(nth));
		e->arg.session.handle = 0;
		vm_start(e->fd, &e->arg.session);
		more = fault_disarm();
		if (e->arg.session.handle) {
			events = cut_circle(_metadata, e);
			*known += events == (CIRCLE - 1) * LOG_PER_BUFFER;
			*unknown += events == 2 * LOG_PER_BUFFER;
			EXPECT_TRUE(events == (CIRCLE - 1) * LOG_PER_BUFFER ||
				    events == 2 * LOG_PER_BUFFER)
				TH_LOG("point %u: %llu events", nth, (unsigned long long)events);
		}
		end(e);
	}
}

/*
 * Without memory to count its events, a circle knows only those since it last began again. One
 * START may need an allocation less than the one before, which hides the one in question.
 */
TEST_F(fault, circle_without_memory)
{
	unsigned int round, known = 0, unknown = 0;

	if (_metadata->skip)
		return;
	for (round = 0; !unknown && round < 5; round++)
		start_circles(_metadata, self->e, &known, &unknown);
	EXPECT_LT(0, known);
	EXPECT_LT(0, unknown);
	EXPECT_EQ(0, held);
}

LOG_TEST(updating, update_ops)
LOG_TEST(ending, end_ops)
LOG_TEST(starting, start_ops)

TEST_HARNESS_MAIN
