// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_switch - what FLUSH returns while the session's file is replaced or ends, and after
 * that has failed; and what becomes of the file of an UPDATE that comes meanwhile
 *
 * The log thread looks at its file before it writes the end of it: there a gate holds it, a
 * permission event of fanotify(7), for as long as a test needs.
 *
 * TIMEOUT: 900
 */
#include "lib/vm.h"
#include "lib/fault/vm_disk.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/fanotify.h>
#include <sys/mount.h>

#define EVENTS		(LOG_PER_BUFFER + 1)	/* so few that vl_logger_write() does not flush */
#define FILE_A		DISK_DIR "/a.etl"
#define SERIES		DISK_DIR "/a%d.etl"
#define SERIES_1	DISK_DIR "/a1.etl"
#define FILE_B		LOG_DIR "/b.etl"
#define FILE_C		LOG_DIR "/c.etl"
#define FILE_D		LOG_DIR "/d.etl"
#define GATED_C		DISK_DIR "/c.etl"

/* Whoever reads from the mounted file system passes here. */
struct gate {
	int fd;
	bool open;		/* the thread runs */
	atomic_bool end;
	atomic_int pass;	/* so many may pass; then the next one waits */
	atomic_uint held;	/* how often one had to wait ... */
	unsigned int seen;	/* ... and the test knew */
	pthread_t thread;
};

#define FREE	1000000

FIXTURE(replace) {
	struct vl_logger l;
	struct gate gate;
	bool disk;
};

FIXTURE_SETUP(replace)
{
	const char *why = vl_logger_begin(&self->l, 16 * 1024);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
	self->disk = vm_disk_make(DISK_USUAL);
}

static void gate_answer(struct gate *g, int fd)
{
	struct fanotify_response answer = { .fd = fd, .response = FAN_ALLOW };

	if (atomic_load(&g->pass) < 1)
		atomic_fetch_add(&g->held, 1);
	while (atomic_load(&g->pass) < 1 && !atomic_load(&g->end))
		usleep(1000);
	atomic_fetch_sub(&g->pass, 1);
	if (write(g->fd, &answer, sizeof(answer)) != sizeof(answer))
		fprintf(stderr, "# a permission could not be given\n");
	close(fd);
}

static void *gate_keep(void *arg)
{
	struct fanotify_event_metadata event;
	struct gate *g = arg;
	struct pollfd p = { .fd = g->fd, .events = POLLIN };

	while (!atomic_load(&g->end))
		/* With room for one event only, the others wait for the next read. */
		if (poll(&p, 1, 10) == 1 && read(g->fd, &event, sizeof(event)) == sizeof(event))
			gate_answer(g, event.fd);
	return NULL;
}

/* Let so many pass, with one that waits. */
static void gate_pass(struct gate *g, int pass)
{
	atomic_store(&g->pass, pass);
}

/* Set up a gate that lets all pass; false: the kernel has no permission events. */
static bool gate_open(struct gate *g, const char *mounted)
{
	g->fd = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC);
	if (g->fd < 0)
		return false;
	gate_pass(g, FREE);
	g->open = !fanotify_mark(g->fd, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_ACCESS_PERM, AT_FDCWD,
				 mounted) &&
		  !pthread_create(&g->thread, NULL, gate_keep, g);
	if (!g->open)
		close(g->fd);
	return g->open;
}

/* Nobody waits any more. */
static void gate_remove(struct gate *g)
{
	if (!g->open)
		return;
	atomic_store(&g->end, true);
	pthread_join(g->thread, NULL);
	close(g->fd);
	g->open = false;
}

/* Another one came, and waits. */
static bool gate_holds(struct gate *g)
{
	return vm_until(atomic_load(&g->held) > g->seen) && ++g->seen;
}

FIXTURE_TEARDOWN(replace)
{
	gate_remove(&self->gate);
	umount2(DISK_DIR, MNT_DETACH);
	vl_logger_end(&self->l);
}

#define NEEDS_GATE(self)	do {						\
		if (!(self)->disk)						\
			SKIP(return, "no ext4 on a loop device");		\
		if (!gate_open(&(self)->gate, DISK_DIR))			\
			SKIP(return, "no permission events of fanotify");	\
	} while (0)

/* A command on the session, in a thread of its own */
struct command {
	struct vl_logger *l;
	unsigned long code;	/* ETW_IOC_ */
	const char *path;	/* UPDATE: continue in this file, or ... */
	uint32_t flags;		/* ... ETW_FILE_ */
	atomic_int tid;
	atomic_bool done;
	int ret;
	pthread_t thread;
};

static void *command_run(void *arg)
{
	struct command *c = arg;
	struct etw_session s = { .size = sizeof(s), .handle = c->l->session };
	struct etw_session_file file = { .size = sizeof(file), .fd = -1, .dir = -1,
					 .flags = c->flags };

	if (c->path) {
		file.fd = open(c->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		file.name = VM_PTR(c->path);
		file.name_len = strlen(c->path);
	}
	if (c->path || c->flags)
		s.file = VM_PTR(&file);
	atomic_store(&c->tid, gettid());
	c->ret = vm_ioctl(c->l->fd, c->code, &s);
	if (file.fd >= 0)
		close(file.fd);
	atomic_store(&c->done, true);
	return NULL;
}

static bool command_begin(struct command *c, struct vl_logger *l, unsigned long code)
{
	c->l = l;
	c->code = code;
	return !pthread_create(&c->thread, NULL, command_run, c);
}

static int command_end(struct command *c)
{
	if (!vm_until(atomic_load(&c->done)))
		return -ETIME;
	pthread_join(c->thread, NULL);
	return c->ret;
}

/* Does it wait until the log thread has written everything? */
static bool waits_for_writes(const struct command *c)
{
	char where[64];

	return vm_proc_read(atomic_load(&c->tid), "wchan", where, sizeof(where)) &&
	       strstr(where, "etw_logfile_flush");
}

/* Does it wait until the log thread has made a change? */
static bool waits_for_change(const struct command *c)
{
	char where[64];

	return vm_proc_read(atomic_load(&c->tid), "wchan", where, sizeof(where)) &&
	       (strstr(where, "log_wait") || strstr(where, "etw_logfile_change"));
}

static int continue_in(struct vl_logger *l, const char *path)
{
	struct command c = { .l = l, .code = ETW_IOC_SESSION_UPDATE, .path = path };

	command_run(&c);
	return c.ret;
}

/* The session writes events to this file, not to the disk, by its flush timer. */
static bool write_unsynced(struct vl_logger *l, const char *path, const char *made, ULONG mode)
{
	struct vl_log_props props = vl_log_props(mode | EVENT_TRACE_USE_MS_FLUSH_TIMER, path, 1);
	struct vl_log file;

	props.p.FlushTimer = 10;
	if (StartTraceA(&l->session, "log", &props.p) || vl_enable(l->session, 1, 0, 0, 0))
		return false;
	vl_logger_write(l, EVENTS);
	/* Before the log thread counts a buffer it has looked at the file for the last time. */
	return vm_until((file = vl_log_read(made), file.events == EVENTS)) &&
	       vm_until(vl_log_status(l->fd, l->session).buffers_written + 1 ==
			file.count.buffers_read);
}

/* The power is cut before the log thread passes the gate: the file has everything all the same. */
static void cut_power(struct __test_metadata *_metadata, FIXTURE_DATA(replace) *self,
		      struct command *ending, const char *path, ULONG events)
{
	struct vl_log file;

	ASSERT_TRUE(vm_disk_shut_down());
	gate_remove(&self->gate);
	command_end(ending);
	vm_stop_all(self->l.fd);
	/* The log thread of a session that has stopped closes its file. */
	ASSERT_TRUE(vm_until(!umount2(DISK_DIR, 0)));
	ASSERT_TRUE(vm_disk_mount("defaults"));
	file = vl_log_read(path);
	EXPECT_EQ(0, file.error);
	EXPECT_EQ(events, file.events);
}

/* FLUSH returns while the log thread ends the file: what it has returned for is on the disk. */
static void flush_amid_end(struct __test_metadata *_metadata, FIXTURE_DATA(replace) *self,
			   struct command *ending)
{
	ASSERT_TRUE(write_unsynced(&self->l, FILE_A, FILE_A, 0));
	gate_pass(&self->gate, 0);
	ASSERT_TRUE(command_begin(ending, &self->l, ETW_IOC_SESSION_UPDATE));
	ASSERT_TRUE(gate_holds(&self->gate));
	EXPECT_EQ(0, vm_flush(self->l.fd, self->l.session));
	cut_power(_metadata, self, ending, FILE_A, EVENTS);
}

TEST_F(replace, other_file)
{
	struct command ending = { .path = FILE_B };

	NEEDS_GATE(self);
	flush_amid_end(_metadata, self, &ending);
}

TEST_F(replace, end_of_file)
{
	struct command ending = { .flags = ETW_FILE_END };

	NEEDS_GATE(self);
	flush_amid_end(_metadata, self, &ending);
}

TEST_F(replace, next_file)
{
	struct command ending = { .flags = ETW_FILE_NEXT };

	NEEDS_GATE(self);
	ASSERT_TRUE(write_unsynced(&self->l, SERIES, SERIES_1, EVENT_TRACE_FILE_MODE_NEWFILE));
	gate_pass(&self->gate, 0);
	ASSERT_TRUE(command_begin(&ending, &self->l, ETW_IOC_SESSION_UPDATE));
	ASSERT_TRUE(gate_holds(&self->gate));
	EXPECT_EQ(0, vm_flush(self->l.fd, self->l.session));
	cut_power(_metadata, self, &ending, SERIES_1, EVENTS);
}

/*
 * The session stops while FLUSH waits for the last write.  The log thread looks at its file before
 * that, after it, and before the end.
 */
TEST_F(replace, stop)
{
	struct command flushing = { }, ending = { };

	NEEDS_GATE(self);
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	gate_pass(&self->gate, 0);
	vl_logger_write(&self->l, 1);
	ASSERT_TRUE(command_begin(&flushing, &self->l, ETW_IOC_SESSION_FLUSH));
	ASSERT_TRUE(vm_until(waits_for_writes(&flushing)));
	ASSERT_TRUE(gate_holds(&self->gate));
	ASSERT_TRUE(command_begin(&ending, &self->l, ETW_IOC_SESSION_STOP));
	ASSERT_TRUE(vm_until(vl_log_status(self->l.fd, self->l.session).error == ENOTTY));
	gate_pass(&self->gate, 2);
	ASSERT_TRUE(gate_holds(&self->gate));
	EXPECT_EQ(0, command_end(&flushing));
	cut_power(_metadata, self, &ending, FILE_A, 1);
}

/* The disk fails while the log thread ends the file: the FLUSH returns that, and the next one. */
TEST_F(replace, failure_amid_end)
{
	struct command ending = { .path = FILE_B };

	NEEDS_GATE(self);
	ASSERT_TRUE(write_unsynced(&self->l, FILE_A, FILE_A, 0));
	gate_pass(&self->gate, 0);
	ASSERT_TRUE(command_begin(&ending, &self->l, ETW_IOC_SESSION_UPDATE));
	ASSERT_TRUE(gate_holds(&self->gate));
	ASSERT_TRUE(vm_disk_trigger_error());
	EXPECT_NE(0, vm_flush(self->l.fd, self->l.session));
	gate_remove(&self->gate);
	EXPECT_EQ(0, command_end(&ending));
	EXPECT_TRUE(vm_until(vl_log_status(self->l.fd, self->l.session).former_error));
	/* What came later may have been in that file, too. */
	EXPECT_NE(0, vm_flush(self->l.fd, self->l.session));
	EXPECT_EQ(0, vm_flush(self->l.fd, self->l.session));
	EXPECT_EQ(0, vl_logger_stop(&self->l));
}

/* A file cannot be closed; then so many others are, and the disk is no longer in use. */
static void fail_to_close(struct __test_metadata *_metadata, FIXTURE_DATA(replace) *self)
{
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, EVENTS);
	ASSERT_TRUE(vm_disk_shut_down());
	ASSERT_EQ(0, continue_in(&self->l, FILE_B));
	ASSERT_EQ(0, continue_in(&self->l, FILE_C));
	EXPECT_NE(0, vl_log_status(self->l.fd, self->l.session).former_error);
	ASSERT_TRUE(vm_until(!umount2(DISK_DIR, 0)));
}

/* The error of a file that was closed long ago waits for a FLUSH. */
TEST_F(replace, error_waits)
{
	if (!self->disk)
		SKIP(return, "no ext4 on a loop device");
	fail_to_close(_metadata, self);
	EXPECT_NE(0, vm_flush(self->l.fd, self->l.session));
	EXPECT_EQ(0, vm_flush(self->l.fd, self->l.session));
	EXPECT_EQ(0, vl_logger_stop(&self->l));
}

/* Of several FLUSHes at once each returns it. */
TEST_F(replace, each_flush_returns_it)
{
	struct command flushing[2] = { };
	int i;

	if (!self->disk)
		SKIP(return, "no ext4 on a loop device");
	fail_to_close(_metadata, self);
	if (!gate_open(&self->gate, LOG_DIR))
		SKIP(return, "no permission events of fanotify");
	ASSERT_EQ(0, continue_in(&self->l, FILE_D));
	gate_pass(&self->gate, 0);
	vl_logger_write(&self->l, 1);
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(command_begin(&flushing[i], &self->l, ETW_IOC_SESSION_FLUSH));
		ASSERT_TRUE(vm_until(waits_for_writes(&flushing[i])));
	}
	gate_remove(&self->gate);
	for (i = 0; i < 2; i++)
		EXPECT_NE(0, command_end(&flushing[i]));
	EXPECT_EQ(0, vm_flush(self->l.fd, self->l.session));
	EXPECT_EQ(0, vl_logger_stop(&self->l));
}

/* Another session has written this file. */
static bool write_complete(struct vl_logger *l, const char *path, ULONG mode)
{
	ULONG err = vl_logger_start(l, mode, path, 0);

	if (!err)
		vl_logger_write(l, EVENTS);
	err = err ? err : vl_logger_stop(l);
	l->written = 0;
	return !err;
}

static size_t contents(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, to, size);

	close(fd);
	return n < 0 ? 0 : n;
}

/* An UPDATE while another one is pending is refused, and leaves its file as it was. */
static void refuse_update(struct __test_metadata *_metadata, FIXTURE_DATA(replace) *self,
			  ULONG mode)
{
	struct command first = { .path = FILE_B }, second = { .path = FILE_D };
	static char before[16 * LOG_KB * 1024], after[sizeof(before)];
	size_t size;

	NEEDS_GATE(self);
	ASSERT_TRUE(write_complete(&self->l, FILE_C, mode));
	size = contents(FILE_C, before, sizeof(before));
	ASSERT_LT(0, size);
	ASSERT_TRUE(write_unsynced(&self->l, FILE_A, FILE_A, mode));
	gate_pass(&self->gate, 0);
	ASSERT_TRUE(command_begin(&first, &self->l, ETW_IOC_SESSION_UPDATE));
	ASSERT_TRUE(gate_holds(&self->gate));
	ASSERT_TRUE(command_begin(&second, &self->l, ETW_IOC_SESSION_UPDATE));
	ASSERT_TRUE(vm_until(waits_for_change(&second)));
	EXPECT_EQ(-EBUSY, continue_in(&self->l, FILE_C));
	gate_remove(&self->gate);
	EXPECT_EQ(0, command_end(&first));
	EXPECT_EQ(0, command_end(&second));
	EXPECT_EQ(size, contents(FILE_C, after, sizeof(after)));
	EXPECT_EQ(0, memcmp(before, after, size));
	/* The next one is not. */
	EXPECT_EQ(0, continue_in(&self->l, FILE_C));
	EXPECT_EQ(0, vl_logger_stop(&self->l));
}

TEST_F(replace, refused_file_stays)
{
	refuse_update(_metadata, self, 0);
}

TEST_F(replace, refused_file_to_append_to_stays)
{
	refuse_update(_metadata, self, EVENT_TRACE_FILE_MODE_APPEND);
}

/* The session stops while an UPDATE prepares a file: the session takes it, and completes it. */
TEST_F(replace, stop_amid_update)
{
	struct command changing = { .path = GATED_C }, ending = { };

	NEEDS_GATE(self);
	ASSERT_TRUE(write_complete(&self->l, GATED_C, EVENT_TRACE_FILE_MODE_APPEND));
	ASSERT_TRUE(vl_log_is_complete(GATED_C));
	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_APPEND, FILE_B, 0));
	gate_pass(&self->gate, 0);
	/* The header of the file is read. */
	ASSERT_TRUE(command_begin(&changing, &self->l, ETW_IOC_SESSION_UPDATE));
	ASSERT_TRUE(gate_holds(&self->gate));
	ASSERT_TRUE(command_begin(&ending, &self->l, ETW_IOC_SESSION_STOP));
	ASSERT_TRUE(vm_until(vl_log_status(self->l.fd, self->l.session).error == ENOTTY));
	/* Long enough for the log thread to end, if it does not wait */
	usleep(1000 * 1000);
	gate_remove(&self->gate);
	EXPECT_EQ(0, command_end(&changing));
	EXPECT_EQ(0, command_end(&ending));
	EXPECT_TRUE(vl_log_is_complete(FILE_B));
	EXPECT_TRUE(vl_log_is_complete(GATED_C));
	self->l.session = 0;
}

TEST_HARNESS_MAIN
