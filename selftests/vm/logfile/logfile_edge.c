// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_edge - edge cases of log files: the longest name, files that are too long or too
 * short to append to, CPUs that come and go, no flush timer, a size that exceeds the
 * caller's limit, and a session that ends its file while it is given another one
 */
#include "lib/vm.h"
#include "lib/vm_log.h"

#include <signal.h>
#include <sys/resource.h>

#define FILE_A		LOG_DIR "/a.etl"
#define NUMBER		"4294967295"
#define PER_BUFFER	LOG_PER_BUFFER
#define CHANGES		3	/* of a session that ends its file meanwhile */

FIXTURE(edge) {
	struct vl_logger l;
	struct etw_session_file file;
	struct etw_session s;
};

FIXTURE_SETUP(edge)
{
	const char *why = vl_logger_begin(&self->l, 4096);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
	self->file = (struct etw_session_file){
		.size = sizeof(self->file), .fd = -1, .dir = -1, .name = VM_PTR(FILE_A),
		.name_len = strlen(FILE_A), .file_mode = 0600 };
	self->s = vm_session("log");
	self->s.mode = 0;
	self->s.buffer_kb = LOG_KB;
	self->s.flush_ms = 0;
	self->s.file = VM_PTR(&self->file);
}

FIXTURE_TEARDOWN(edge)
{
	vl_logger_end(&self->l);
}

static int start(FIXTURE_DATA(edge) *self)
{
	struct etw_session s = self->s;
	int ret = vm_start(self->l.fd, &s);

	if (!ret)
		ret = vl_enable(s.handle, 1, 0, 0, 0);
	self->l.session = s.handle;
	return ret;
}

static int open_file(FIXTURE_DATA(edge) *self)
{
	self->file.fd = open(FILE_A, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return self->file.fd;
}

static void close_files(FIXTURE_DATA(edge) *self)
{
	if (self->file.fd >= 0)
		close(self->file.fd);
	if (self->file.dir >= 0)
		close(self->file.dir);
	self->file.fd = -1;
	self->file.dir = -1;
}

/* The longest number makes the longest name, to the last byte that fits. */
TEST_F(edge, longest_name)
{
	char name[ETW_FILE_NAME_MAX + 1] = "", returned[ETW_FILE_NAME_MAX + 1] = "";
	struct etw_session_log log = { .size = sizeof(log), .name = VM_PTR(returned),
				       .name_cap = ETW_FILE_NAME_MAX };
	struct etw_session s = { .size = sizeof(s), .log = VM_PTR(&log) };
	const uint32_t most = ETW_FILE_NAME_MAX - 10;

	self->file.dir = open(LOG_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	self->file.name = VM_PTR(name);
	self->file.max_size = 1;
	self->file.first = UINT32_MAX;
	self->s.mode = ETW_MODE_NEWFILE;
	for (uint32_t len = most + 1; len <= most + 2; len++) {
		memset(name, '/', len);
		memcpy(name + len - 3, "n%d", 3);
		self->file.name_len = len;
		EXPECT_EQ(-EINVAL, start(self));
	}
	memset(name, '/', most);
	memcpy(name + most - 3, "n%d", 3);
	self->file.name_len = most;
	ASSERT_EQ(0, start(self));
	close_files(self);
	s.handle = self->l.session;
	ASSERT_EQ(0, vm_ioctl(self->l.fd, ETW_IOC_SESSION_QUERY, &s));
	EXPECT_EQ(most + 8, log.name_len);
	EXPECT_STREQ("/n" NUMBER, returned + most - 4);
	EXPECT_EQ(0, vm_stop(self->l.fd, self->l.session));
	EXPECT_EQ(0, vl_log_read(LOG_DIR "/n" NUMBER).error);
}

/* B124, B128: the existing contents are longer than max_size: nothing is appended */
TEST_F(edge, append_behind_the_limit)
{
	struct etw_session_log log;
	off_t size;

	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, 10 * PER_BUFFER);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	size = vl_log_read(FILE_A).size;
	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_APPEND |
				     EVENT_TRACE_USE_KBYTES_FOR_SIZE, FILE_A, 4 * LOG_KB));
	vl_logger_write(&self->l, 5 * PER_BUFFER);
	vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH);
	log = vl_log_status(self->l.fd, self->l.session);
	EXPECT_EQ(1, log.full);
	EXPECT_EQ(5 * PER_BUFFER, log.events_lost);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(size, vl_log_read(FILE_A).size);
	EXPECT_EQ(10 * PER_BUFFER, vl_log_read(FILE_A).events);
}

/* B128: not even the header's buffer is whole */
TEST_F(edge, append_to_a_stump)
{
	struct stat st;

	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	vl_logger_write(&self->l, PER_BUFFER);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_EQ(0, truncate(FILE_A, LOG_KB * 1024 / 2));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_APPEND, FILE_A, 0));
	ASSERT_EQ(0, stat(FILE_A, &st));
	EXPECT_EQ(LOG_KB * 1024 / 2, st.st_size);
}

/* A power cut during a stop may leave space behind the last buffer: the next one takes its place. */
TEST_F(edge, append_to_a_file_that_was_not_cut)
{
	struct vl_log log;
	off_t size;

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_PREALLOCATE |
				     EVENT_TRACE_USE_KBYTES_FOR_SIZE, FILE_A, 16 * LOG_KB));
	vl_logger_write(&self->l, 3 * PER_BUFFER);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	size = vl_log_read(FILE_A).size;
	ASSERT_EQ(0, truncate(FILE_A, 16 * LOG_KB * 1024));
	log = vl_log_read(FILE_A);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(0, log.count.corrupt);
	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_APPEND, FILE_A, 0));
	vl_logger_write(&self->l, 2 * PER_BUFFER);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	log = vl_log_read(FILE_A);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(0, log.count.corrupt);
	EXPECT_EQ(5 * PER_BUFFER, log.events);
	EXPECT_EQ(size + 2 * LOG_KB * 1024, log.size);
}

/* A CPU that is offline, or comes back, is counted; the CPUs of an append may differ. */
TEST_F(edge, cpus_come_and_go)
{
	struct vl_log log;

	if (access(VM_CPU1_ONLINE, W_OK))
		SKIP(return, "CPU 1 cannot go offline");
	ASSERT_TRUE(vm_cpu1_online(false));
	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	ASSERT_TRUE(vm_cpu1_online(true));
	vm_pin(1);
	vl_logger_write(&self->l, PER_BUFFER);
	vm_pin(0);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	log = vl_log_read(FILE_A);
	EXPECT_STREQ("", log.agree.why);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_CONF), log.info.header.NumberOfProcessors);
	ASSERT_TRUE(vm_cpu1_online(false));
	EXPECT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_APPEND, FILE_A, 0));
	vl_logger_write(&self->l, PER_BUFFER);
	EXPECT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(vm_cpu1_online(true));
	log = vl_log_read(FILE_A);
	EXPECT_STREQ("", log.agree.why);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(2 * PER_BUFFER, log.events);
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_CONF), log.info.header.NumberOfProcessors);
}

static uint32_t timer_of(FIXTURE_DATA(edge) *self)
{
	struct etw_session s;

	return vm_query(self->l.fd, self->l.session, &s) ? UINT32_MAX : s.flush_ms;
}

/* B142: a file without a timer gets full buffers only, until there is a timer */
TEST_F(edge, no_timer)
{
	struct etw_session s = { .size = sizeof(s), .flush_ms = 1000 };

	ASSERT_LE(0, open_file(self));
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(0, timer_of(self));
	vl_logger_write(&self->l, PER_BUFFER + 1);
	EXPECT_TRUE(vm_until(vl_log_status(self->l.fd, self->l.session).buffers == 2));
	EXPECT_TRUE(vm_flush_timer(self->l.fd, 2));
	EXPECT_EQ(2, vl_log_status(self->l.fd, self->l.session).buffers);
	/* The timer also applies to events that wait already. */
	s.handle = self->l.session;
	ASSERT_EQ(0, vm_ioctl(self->l.fd, ETW_IOC_SESSION_UPDATE, &s));
	EXPECT_EQ(1000, timer_of(self));
	EXPECT_TRUE(vm_until(vl_log_status(self->l.fd, self->l.session).buffers == 3));
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	/* B143: a session with readers has a timer, also for readers to come. */
	self->s.mode = ETW_MODE_REAL_TIME;
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(1000, timer_of(self));
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	self->s.mode = 0;
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(0, timer_of(self));
	EXPECT_EQ(0, vl_control(self->l.session, EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME));
	EXPECT_EQ(1000, timer_of(self));
	close_files(self);
}

/* The caller's limit is the error that is returned, and no half header is left. */
TEST_F(edge, size_limit)
{
	struct rlimit old, limit;
	struct stat st;

	ASSERT_LE(0, open_file(self));
	ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &old));
	limit = old;
	limit.rlim_cur = LOG_KB * 1024 / 2;
	signal(SIGXFSZ, SIG_IGN);
	ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
	EXPECT_EQ(-EFBIG, start(self));
	ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &old));
	signal(SIGXFSZ, SIG_DFL);
	ASSERT_EQ(0, fstat(self->file.fd, &st));
	EXPECT_EQ(0, st.st_size);
	close_files(self);
}

struct changer {
	FIXTURE_DATA(edge) *self;
	const char *name;
	unsigned int made;
	int last;
};

/* Give the session one file after the other until it has none. */
static void *change_on(void *arg)
{
	struct changer *c = arg;
	char path[64];

	do {
		struct etw_session_file file = c->self->file;
		struct etw_session s = { .size = sizeof(s), .handle = c->self->l.session,
					 .file = VM_PTR(&file) };

		snprintf(path, sizeof(path), LOG_DIR "/%s%u.etl", c->name, c->made);
		file.name = VM_PTR(path);
		file.name_len = strlen(path);
		file.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		c->last = vm_ioctl(c->self->l.fd, ETW_IOC_SESSION_UPDATE, &s);
		close(file.fd);
		c->made += !c->last;
	} while (!c->last || c->last == -EBUSY);
	return NULL;
}

/* Every accepted file is a complete log, and no file stays open after the last one. */
static void end_while_changing(struct __test_metadata *_metadata, FIXTURE_DATA(edge) *self)
{
	struct changer c[2] = { { .self = self, .name = "x" }, { .self = self, .name = "y" } };
	struct vl_log_props q;
	pthread_t thread[2];
	char path[64];
	unsigned int i, k;

	ASSERT_EQ(0, vl_logger_start(&self->l, 0, FILE_A, 0));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, vl_thread_on(&thread[i], i, change_on, &c[i]));
	usleep(rand() % 20000);
	do
		i = vl_log_control(self->l.session, EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME, &q);
	while (i == ERROR_BUSY);
	EXPECT_EQ(0, i);
	for (i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_TRUE(c[i].last == -EINVAL || c[i].last == -ESHUTDOWN);
		for (k = c[i].made > 2 ? c[i].made - 2 : 0; k < c[i].made; k++) {
			snprintf(path, sizeof(path), LOG_DIR "/%s%u.etl", c[i].name, k);
			EXPECT_EQ(0, vl_log_read(path).error);
			EXPECT_FALSE(vl_log_read(path).cut_off);
		}
	}
	EXPECT_EQ(0, umount2(LOG_DIR, 0));
	ASSERT_TRUE(vl_log_dir(4096));
	ASSERT_EQ(0, vl_logger_stop(&self->l));
}

TEST_F(edge, ended_while_changed)
{
	srand(time(NULL));
	for (int i = 0; i < CHANGES; i++)
		end_while_changing(_metadata, self);
}

/* A reader does not hold the directory of a session that creates files. */
TEST_F(edge, stopped_with_a_reader)
{
	struct etw_consumer_open o = { .size = sizeof(o) };

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_NEWFILE |
				     EVENT_TRACE_REAL_TIME_MODE, LOG_DIR "/n%d.etl", 1));
	o.session = self->l.session;
	ASSERT_EQ(0, vm_ioctl(self->l.fd, ETW_IOC_CONSUMER_OPEN, &o));
	vl_logger_write(&self->l, 1);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(1, vl_log_read(LOG_DIR "/n1.etl").events);
	EXPECT_EQ(0, umount2(LOG_DIR, 0));
	close(o.fd);
}

TEST_HARNESS_MAIN
