// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_access - the right to have a session write to a file
 *
 * The kernel writes with the rights of the user who gave the file, and with the descriptor
 * that they opened; starting and changing such sessions requires the right to files.
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/vm_log.h"

#define MINE		LOG_DIR "/mine"		/* Alice's directory */
#define FILE_A		LOG_DIR "/a.etl"
#define ALL_BUT_DISK	(ETW_RIGHT_ALL & ~ETW_RIGHT_CREATE_ONDISK)

static const struct vm_who alice = { VM_ALICE, VM_ALICE, 0, 0, false };
static const struct vm_who inside = { VM_ALICE, VM_ALICE, 0, 0, true };

FIXTURE(access) {
	struct vl_logger l;
	struct etw_session_file file;
	struct etw_session s;
};

FIXTURE_SETUP(access)
{
	const char *why = vl_logger_begin(&self->l, 1024);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
	vm_access_clear(self->l.fd);
	ASSERT_EQ(0, chmod(LOG_DIR, 0755));
	ASSERT_EQ(0, mkdir(MINE, 0755));
	ASSERT_EQ(0, chown(MINE, VM_ALICE, VM_ALICE));
	self->file = (struct etw_session_file){
		.size = sizeof(self->file), .fd = -1, .dir = -1, .name = VM_PTR("a.etl"),
		.name_len = 5, .file_mode = 0640 };
}

FIXTURE_TEARDOWN(access)
{
	vm_access_clear(self->l.fd);
	vl_logger_end(&self->l);
}

/* Start a session with the fixture's file; mode: ETW_MODE_*. */
static int start(FIXTURE_DATA(access) *self, uint32_t mode)
{
	int ret;

	self->s = vm_session("log");
	self->s.mode = mode;
	self->s.buffer_kb = LOG_KB;
	self->s.file = VM_PTR(&self->file);
	ret = vm_start(self->l.fd, &self->s);
	if (!ret)
		self->l.session = self->s.handle;
	return ret;
}

/* The result of START with that file, opened with these flags; the file is closed again. */
static int start_with(FIXTURE_DATA(access) *self, int fd)
{
	int ret;

	self->file.fd = fd;
	ret = start(self, 0);
	close(fd);
	self->file.fd = -1;
	return ret;
}

static int start_in(FIXTURE_DATA(access) *self, const char *path, int flags, const char *name)
{
	int ret;

	self->file.dir = open(path, flags | O_CLOEXEC);
	self->file.name = VM_PTR(name);
	self->file.name_len = strlen(name);
	ret = start(self, ETW_MODE_DELAY_OPEN);
	close(self->file.dir);
	self->file.dir = -1;
	return ret;
}

/* Descriptors that are not writable, or not by the kernel */
TEST_F(access, descriptors)
{
	int ends[2], made = open(FILE_A, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	ASSERT_LE(0, made);
	close(made);
	EXPECT_EQ(-EBADF, start_with(self, open(FILE_A, O_RDONLY | O_CLOEXEC)));
	EXPECT_EQ(-EBADF, start_with(self, open(FILE_A, O_PATH | O_CLOEXEC)));
	EXPECT_EQ(-EBADF, start_with(self, 999));
	EXPECT_EQ(-EINVAL, start_with(self, open(FILE_A, O_RDWR | O_APPEND | O_CLOEXEC)));
	EXPECT_EQ(-EISDIR, start_with(self, open(LOG_DIR, O_RDONLY | O_CLOEXEC)));
	EXPECT_EQ(-ESPIPE, start_with(self, open("/dev/null", O_RDWR | O_CLOEXEC)));
	EXPECT_EQ(-ESPIPE, start_with(self, vm_open()));
	ASSERT_EQ(0, pipe(ends));
	EXPECT_EQ(-ESPIPE, start_with(self, ends[1]));
	close(ends[0]);
	EXPECT_EQ(-EINVAL, start_with(self, -1));
	/* Appending requires the right to read the file. */
	self->file.fd = open(FILE_A, O_WRONLY | O_CLOEXEC);
	EXPECT_EQ(-EBADF, start(self, ETW_MODE_APPEND));
	close(self->file.fd);
	EXPECT_EQ(0, start_with(self, open(FILE_A, O_WRONLY | O_CLOEXEC)));
}

/* Directories and names that lead to something else, or nowhere */
TEST_F(access, directories)
{
	struct stat st;

	ASSERT_EQ(0, symlink("/run/etw-elsewhere", LOG_DIR "/link"));
	ASSERT_EQ(0, mkfifo(LOG_DIR "/fifo", 0600));
	EXPECT_EQ(-ENOTDIR, start_in(self, "/dev/null", O_RDWR, "a.etl"));
	EXPECT_EQ(-EBADF, start_in(self, LOG_DIR, O_PATH | O_DIRECTORY, "a.etl"));
	EXPECT_EQ(-EINVAL, start_in(self, LOG_DIR, O_RDONLY, ".."));
	EXPECT_EQ(-EINVAL, start_in(self, LOG_DIR, O_RDONLY, "."));
	EXPECT_EQ(-EINVAL, start_in(self, LOG_DIR, O_RDONLY, "a/"));
	EXPECT_EQ(-EINVAL, start_in(self, LOG_DIR, O_RDONLY, ""));
	self->file.file_mode = 04755;
	EXPECT_EQ(-EINVAL, start_in(self, LOG_DIR, O_RDONLY, "a.etl"));
	self->file.file_mode = 0640;
	/* Only the part behind the last slash counts: no path is followed. */
	ASSERT_EQ(0, start_in(self, LOG_DIR, O_RDONLY, "/etc/a.etl"));
	ASSERT_EQ(0, vl_enable(self->l.session, 1, 0, 0, 0));
	vl_logger_write(&self->l, 1);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(1, vl_log_read(FILE_A).events);
	ASSERT_EQ(0, stat(FILE_A, &st));
	EXPECT_EQ(0640, st.st_mode & 07777);
	EXPECT_NE(0, access("/etc/a.etl", F_OK));
	/* What the name refers to is found when the file is made. */
	ASSERT_EQ(0, start_in(self, LOG_DIR, O_RDONLY, "link"));
	ASSERT_EQ(0, vl_enable(self->l.session, 1, 0, 0, 0));
	vl_logger_write(&self->l, 1);
	vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH);
	EXPECT_EQ(ELOOP, vl_log_status(self->l.fd, self->l.session).error);
	EXPECT_NE(0, access("/run/etw-elsewhere", F_OK));
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_EQ(0, start_in(self, LOG_DIR, O_RDONLY, "fifo"));
	ASSERT_EQ(0, vl_enable(self->l.session, 1, 0, 0, 0));
	vl_logger_write(&self->l, 1);
	vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH);
	EXPECT_NE(0, vl_log_status(self->l.fd, self->l.session).error);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
}

/* Open terminals until there is one of this name.  The last one's descriptor, or -1. */
static int terminal_named(const char *name)
{
	int i, fd;

	for (i = 0; i < 8; i++) {
		fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (fd < 0 || grantpt(fd) || unlockpt(fd))
			return -1;
		if (!strcmp(ptsname(fd), name))
			return fd;
	}
	return -1;
}

/* A name that is a terminal is refused, and does not become the terminal of whoever asks. */
TEST_F(access, terminal)
{
	int status, ret;
	pid_t pid;

	ASSERT_LE(0, terminal_named("/dev/pts/1"));
	self->file.max_size = 1;
	self->file.dir = open("/dev/pts", O_RDONLY | O_CLOEXEC);
	self->file.name = VM_PTR("%d");
	self->file.name_len = 2;
	pid = fork();
	if (!pid) {
		if (setsid() < 0 || open("/dev/tty", O_RDWR) >= 0 || errno != ENXIO)
			_exit(1);
		ret = start(self, ETW_MODE_NEWFILE);
		if (open("/dev/tty", O_RDWR) >= 0)
			_exit(2);
		_exit(ret == -ESPIPE ? 0 : 3);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(self->file.dir);
	self->file.dir = -1;
}

/* ------------------------------------------------------------ somebody else */

static int start_in_mine(void *arg)
{
	return start_in(arg, MINE, O_RDONLY, "a.etl");
}

static int start_in_roots(void *arg)
{
	FIXTURE_DATA(access) *self = arg;

	self->file.max_size = 1;
	self->file.dir = open(LOG_DIR, O_RDONLY | O_CLOEXEC);
	self->file.name = VM_PTR("a%d.etl");
	self->file.name_len = 7;
	return start(self, ETW_MODE_NEWFILE);
}

static uint64_t handle_of(int fd)
{
	struct etw_session s = vm_session("log");

	return vm_ioctl(fd, ETW_IOC_SESSION_QUERY, &s) ? 0 : s.handle;
}

static int start_given(void *arg)
{
	return start(arg, ETW_MODE_KBYTES | ETW_MODE_PREALLOCATE);
}

/* Root's file, which they may not open but got as a descriptor: that is enough for its size. */
TEST_F(access, opened_by_another)
{
	static const char old[100000] = "old";
	struct stat st;

	ASSERT_EQ(0, vm_access(self->l.fd, vm_default, VM_ALLOW(EVERYONE, 0, ETW_RIGHT_ALL)));
	self->file.fd = open(FILE_A, O_RDWR | O_CREAT | O_CLOEXEC, 0400);
	self->file.max_size = 8 * LOG_KB;
	ASSERT_EQ(sizeof(old), write(self->file.fd, old, sizeof(old)));
	ASSERT_EQ(0, vm_as(&alice, start_given, self));
	self->l.session = handle_of(self->l.fd);
	ASSERT_EQ(0, fstat(self->file.fd, &st));
	EXPECT_EQ(8 * LOG_KB * 1024, st.st_size);
	close(self->file.fd);
	ASSERT_EQ(0, vl_enable(self->l.session, 1, 0, 0, 0));
	vl_logger_write(&self->l, 1);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(1, vl_log_read(FILE_A).events);
	EXPECT_EQ(2 * LOG_KB * 1024, vl_log_read(FILE_A).size);
}

/*
 * Files belong to the user who gave the directory, and are made with their rights, long after they
 * have exited.
 */
TEST_F(access, giver_s_rights)
{
	struct etw_session_log log;
	struct stat st;

	ASSERT_EQ(0, vm_access(self->l.fd, vm_default, VM_ALLOW(EVERYONE, 0, ETW_RIGHT_ALL)));
	/* Root's directory: they may read it, but not create files in it. */
	EXPECT_EQ(-EACCES, vm_as(&alice, start_in_roots, self));
	EXPECT_NE(0, access(LOG_DIR "/a1.etl", F_OK));
	ASSERT_EQ(0, vm_as(&alice, start_in_mine, self));
	self->l.session = handle_of(self->l.fd);
	ASSERT_NE(0, self->l.session);
	ASSERT_EQ(0, vl_enable(self->l.session, 1, 0, 0, 0));
	/* They had it open; creating files there requires the right to do so now. */
	ASSERT_EQ(0, chmod(MINE, 0555));
	vl_logger_write(&self->l, 2);
	vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH);
	log = vl_log_status(self->l.fd, self->l.session);
	EXPECT_EQ(EACCES, log.error);
	EXPECT_EQ(2, log.events_lost);
	ASSERT_EQ(0, chmod(MINE, 0755));
	vl_logger_write(&self->l, 3);
	vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH);
	EXPECT_EQ(0, vl_log_status(self->l.fd, self->l.session).error);
	ASSERT_EQ(0, stat(MINE "/a.etl", &st));
	EXPECT_EQ(VM_ALICE, st.st_uid);
	EXPECT_EQ(VM_ALICE, st.st_gid);
	EXPECT_EQ(0640, st.st_mode & 07777);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(3, vl_log_read(MINE "/a.etl").events);
}

/* A descriptor that another user opened and handed over is enough. */
static int start_with_roots(void *arg)
{
	return start(arg, 0);
}

TEST_F(access, file_handed_over)
{
	ASSERT_EQ(0, vm_access(self->l.fd, vm_default, VM_ALLOW(EVERYONE, 0, ETW_RIGHT_ALL)));
	self->file.fd = open(FILE_A, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_EQ(0, vm_as(&alice, start_with_roots, self));
	close(self->file.fd);
	self->l.session = handle_of(self->l.fd);
	ASSERT_EQ(0, vl_enable(self->l.session, 1, 0, 0, 0));
	vl_logger_write(&self->l, 2);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(2, vl_log_read(FILE_A).events);
}

/* ------------------------------------------------------------- the right to files */

static int start_file(void *arg)
{
	return start(arg, 0);
}

static int start_both(void *arg)
{
	return start(arg, ETW_MODE_REAL_TIME);
}

static int start_real_time(void *arg)
{
	FIXTURE_DATA(access) *self = arg;
	struct etw_session s = vm_session("t-real-time");

	return vm_start(self->l.fd, &s);
}

static int command(FIXTURE_DATA(access) *self, unsigned long cmd, uint32_t flags, bool file)
{
	struct etw_session s = { .size = sizeof(s), .handle = self->l.session };

	self->file.flags = flags;
	if (file)
		s.file = VM_PTR(&self->file);
	return vm_ioctl(self->l.fd, cmd, &s);
}

static int end_file(void *arg)
{
	return command(arg, ETW_IOC_SESSION_UPDATE, ETW_FILE_END, true);
}

static int next_file(void *arg)
{
	return command(arg, ETW_IOC_SESSION_UPDATE, ETW_FILE_NEXT, true);
}

static int other_file(void *arg)
{
	return command(arg, ETW_IOC_SESSION_UPDATE, 0, true);
}

static int flush_into_file(void *arg)
{
	return command(arg, ETW_IOC_SESSION_FLUSH, 0, true);
}

static int flush(void *arg)
{
	return command(arg, ETW_IOC_SESSION_FLUSH, 0, false);
}

static int stop(void *arg)
{
	return command(arg, ETW_IOC_SESSION_STOP, 0, false);
}

/* B160: TRACELOG_CREATE_ONDISK, and nothing but that */
TEST_F(access, right_to_files)
{
	int fd = self->l.fd;

	self->file.fd = open(FILE_A, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_EQ(0, vm_access(fd, vm_default, VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_CREATE_ONDISK)));
	EXPECT_EQ(-EPERM, vm_as(&alice, start_real_time, self));
	EXPECT_EQ(-EPERM, vm_as(&alice, start_both, self));
	/* Root of a container has the rights of the user that they are outside. */
	ASSERT_EQ(0, vm_as(&inside, start_file, self));
	self->l.session = handle_of(fd);
	EXPECT_EQ(0, vm_as(&alice, flush, self));
	EXPECT_EQ(-EINVAL, vm_as(&alice, next_file, self));
	/* That would be a session in real time. */
	EXPECT_EQ(-EPERM, vm_as(&alice, end_file, self));
	EXPECT_EQ(0, vm_as(&alice, stop, self));

	ASSERT_EQ(0, vm_access(fd, vm_default, VM_ALLOW(USER, VM_ALICE, ALL_BUT_DISK)));
	EXPECT_EQ(-EPERM, vm_as(&alice, start_file, self));
	EXPECT_EQ(-EPERM, vm_as(&alice, start_both, self));
	EXPECT_EQ(-EPERM, vm_as(&inside, start_file, self));
	EXPECT_EQ(0, vl_log_read(FILE_A).events);
	/* They may control a session in real time, but not have it write a file. */
	ASSERT_EQ(0, start(self, ETW_MODE_REAL_TIME));
	close(self->file.fd);
	self->file.fd = open(LOG_DIR "/b.etl", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	EXPECT_EQ(0, vm_as(&alice, flush, self));
	EXPECT_EQ(-EPERM, vm_as(&alice, other_file, self));
	EXPECT_EQ(-EPERM, vm_as(&alice, next_file, self));
	EXPECT_EQ(0, vm_as(&alice, end_file, self));
	EXPECT_EQ(0, vm_as(&alice, stop, self));
	close(self->file.fd);
}

/* B160: the same of snapshots */
TEST_F(access, right_to_snapshots)
{
	struct etw_session s = vm_session("log");
	int fd = self->l.fd;

	s.mode = ETW_MODE_BUFFERING;
	ASSERT_EQ(0, vm_start(fd, &s));
	self->l.session = s.handle;
	self->file.fd = open(FILE_A, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_EQ(0, vm_access(fd, vm_default, VM_ALLOW(USER, VM_ALICE, ALL_BUT_DISK)));
	EXPECT_EQ(0, vm_as(&alice, flush, self));
	EXPECT_EQ(-EPERM, vm_as(&alice, flush_into_file, self));
	ASSERT_EQ(0, vm_access(fd, vm_default, VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_CREATE_ONDISK)));
	EXPECT_EQ(-EPERM, vm_as(&alice, flush_into_file, self));
	ASSERT_EQ(0, vm_access(fd, vm_default,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_CREATE_ONDISK |
							ETW_RIGHT_CREATE_REALTIME)));
	EXPECT_EQ(0, vm_as(&alice, flush_into_file, self));
	EXPECT_EQ(0, vl_log_read(FILE_A).error);
	close(self->file.fd);
}

TEST_HARNESS_MAIN
