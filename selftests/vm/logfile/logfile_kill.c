// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_kill - controllers and consumers of file sessions die by SIGKILL
 *
 * A controller starts a session and changes its file again and again, a consumer reads
 * beside it, and a provider writes events; then the first two are killed.  The session
 * continues.  When it is stopped every file is complete, and the events in the files and
 * those that the session counts as lost are exactly the events that it took.
 *
 * ETW_SEED repeats a run (as far as the scheduler lets it).
 */
#include "lib/pick.h"
#include "lib/vm.h"
#include "lib/vm_log.h"

#include <dirent.h>

#define ROUNDS		24
#define SPACE_KB	(16 * 1024)

/* ---------------------------------------------------------------- victims */

/* Kinds of sessions, by round */
static const struct {
	ULONG mode;
	const char *file;
	ULONG size;
} kinds[] = {
	{ EVENT_TRACE_FILE_MODE_NEWFILE | EVENT_TRACE_REAL_TIME_MODE, LOG_DIR "/n%d.etl", 1 },
	{ EVENT_TRACE_REAL_TIME_MODE, LOG_DIR "/a.etl", 0 },
	{ EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_FILE_MODE_PREALLOCATE |
	  EVENT_TRACE_REAL_TIME_MODE, LOG_DIR "/a.etl", 4 },
	{ EVENT_TRACE_FILE_MODE_NEWFILE, LOG_DIR "/n%d.etl", 1 },
};

static void be_controller(unsigned int kind)
{
	struct vl_log_props props = vl_log_props(kinds[kind].mode, kinds[kind].file,
						 kinds[kind].size);
	TRACEHANDLE session = 0;
	unsigned int i;

	props.p.MaximumBuffers = 64;
	StartTraceA(&session, "log", &props.p);
	vl_enable(session, 1, 0, 0, 0);
	for (i = 1; i < 60; i++) {
		if (kinds[kind].mode & EVENT_TRACE_FILE_MODE_NEWFILE) {
			vl_log_control(session, EVENT_TRACE_CONTROL_INCREMENT_FILE, &props);
		} else {
			props = vl_log_props(0, NULL, 0);
			snprintf(props.file, sizeof(props.file), LOG_DIR "/u%u.etl", i);
			ControlTraceA(session, NULL, &props.p, EVENT_TRACE_CONTROL_UPDATE);
		}
		vl_log_control(session, EVENT_TRACE_CONTROL_FLUSH, &props);
	}
	pause();
}

static void be_consumer(void)
{
	struct vl_reader *r = NULL;

	while (!r)
		r = vl_read("log");
	pause();
}

struct writer {
	REGHANDLE reg;
	atomic_bool end;
};

static void *write_on(void *arg)
{
	struct writer *w = arg;
	ULONG number = 0;

	while (!atomic_load(&w->end)) {
		vl_write(w->reg, 7, 1, 1, number++);
		if (number % 32 == 0)
			usleep(200);
	}
	return NULL;
}

/* ------------------------------------------------------------------- books */

/* The events of all files there, each of which has to be complete. */
static uint64_t count_files(struct __test_metadata *_metadata)
{
	DIR *dir = opendir(LOG_DIR);
	struct dirent *entry;
	uint64_t events = 0;
	struct vl_log log;
	char path[512];

	ASSERT_NE(NULL, dir);
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), LOG_DIR "/%s", entry->d_name);
		if (!strstr(path, ".etl"))
			continue;
		log = vl_log_read(path);
		/* A file whose creation was interrupted is empty. */
		if (log.size) {
			EXPECT_EQ(0, log.error)
				TH_LOG("%s", path);
			EXPECT_FALSE(log.cut_off)
				TH_LOG("%s", path);
			EXPECT_EQ(0, log.count.corrupt + log.count.tail);
			EXPECT_EQ(log.count.buffers, log.info.header.BuffersWritten);
			EXPECT_TRUE(log.in_time);
		}
		events += log.events;
		unlink(path);
	}
	closedir(dir);
	return events;
}

/* The session exists and works: stop it, and compare. */
static bool judge(struct __test_metadata *_metadata, int fd)
{
	struct etw_session s = vm_session("log");
	struct etw_session_log log = { .size = sizeof(log) };
	struct etw_session_stat st;

	if (vm_ioctl(fd, ETW_IOC_SESSION_QUERY, &s))
		return false;
	s.name_len = 0;
	ASSERT_EQ(0, vm_flush(fd, s.handle));
	ASSERT_EQ(0, vm_stat(fd, s.handle, &st));
	s.log = VM_PTR(&log);
	ASSERT_EQ(0, vm_ioctl(fd, ETW_IOC_SESSION_STOP, &s));
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(st.written, count_files(_metadata) + log.events_lost);
	return true;
}

static pid_t victim(void (*fn)(unsigned int), unsigned int arg)
{
	pid_t pid = fork();

	if (!pid) {
		fn(arg);
		_exit(0);
	}
	return pid;
}

static void consumer_fn(unsigned int unused)
{
	(void)unused;
	be_consumer();
}

TEST(controllers_and_consumers_die)
{
	const char *seed = getenv("ETW_SEED");
	unsigned int i, lived = 0;
	struct vl_logger l;
	pthread_t thread;
	pid_t pid[2];

	pick_seed = seed ? strtoul(seed, NULL, 0) : (uint32_t)time(NULL) | 1;
	TH_LOG("ETW_SEED=%u", (uint32_t)pick_seed);
	ASSERT_EQ(NULL, vl_logger_begin(&l, SPACE_KB));
	for (i = 0; i < ROUNDS; i++) {
		struct writer w = { .reg = l.reg };

		pid[0] = victim(be_controller, i % ARRAY_SIZE(kinds));
		ASSERT_EQ(0, vl_thread_on(&thread, 1, write_on, &w));
		if (kinds[i % ARRAY_SIZE(kinds)].mode & EVENT_TRACE_REAL_TIME_MODE)
			pid[1] = victim(consumer_fn, 0);
		else
			pid[1] = 0;
		/*
		 * Mostly wait until it has a session, which it has when START has returned,
		 * and enable the provider.  Sometimes kill it earlier.
		 */
		if (i % 3)
			ASSERT_TRUE(vm_until(EventProviderEnabled(l.reg, 0, 0)));
		usleep(pick(120000));
		if (pid[1] && pick(2))
			kill(pid[1], SIGKILL);
		kill(pid[0], SIGKILL);
		vm_reap(pid[0]);
		usleep(pick(10000));
		atomic_store(&w.end, true);
		pthread_join(thread, NULL);
		lived += judge(_metadata, l.fd);
		if (pid[1]) {
			kill(pid[1], SIGKILL);
			vm_reap(pid[1]);
		}
		/* That of a session that never was */
		count_files(_metadata);
	}
	EXPECT_LE(ROUNDS / 3 * 2, lived);
	vl_logger_end(&l);
}

TEST_HARNESS_MAIN
