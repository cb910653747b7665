// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_snap - snapshots of buffering sessions in files; file sessions that become
 * real-time ones
 */
#include "lib/vm.h"
#include "lib/vm_log.h"

#define FILE_A		LOG_DIR "/a.etl"
#define FILE_B		LOG_DIR "/b.etl"
#define FILLER		LOG_DIR "/filler"
#define SPACE_KB	512
#define PER_BUFFER	LOG_PER_BUFFER
#define RING		16	/* buffers */

FIXTURE(snap) {
	struct vl_logger l;
};

FIXTURE_SETUP(snap)
{
	const char *why = vl_logger_begin(&self->l, SPACE_KB);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
}

FIXTURE_TEARDOWN(snap)
{
	vl_logger_end(&self->l);
}

/* A buffering session, with a file or without. */
static ULONG start(struct vl_logger *l, const char *file)
{
	struct vl_log_props props = vl_log_props(EVENT_TRACE_BUFFERING_MODE, file, 0);
	ULONG ret;

	props.p.MinimumBuffers = RING;
	ret = StartTraceA(&l->session, "log", &props.p);
	return ret ? ret : vl_enable(l->session, 1, 0, 0, 0);
}

/* Does not flush, unlike vl_logger_write(), since flushes are what is tested. */
static void write_events(struct vl_logger *l, ULONG n)
{
	char payload[LOG_PAYLOAD] = { 0 };
	EVENT_DESCRIPTOR desc = vl_event(7, 1, 1);
	EVENT_DATA_DESCRIPTOR data;

	EventDataDescCreate(&data, payload, sizeof(payload));
	for (; n; n--, l->written++) {
		memcpy(payload, &l->written, sizeof(l->written));
		EventWrite(l->reg, &desc, 1, &data);
	}
}

static ULONG flush_to(struct vl_logger *l, const char *file, struct vl_log_props *props)
{
	*props = vl_log_props(0, file, 0);
	return FlushTraceA(l->session, NULL, &props->p);
}

/* B129: each flush makes a complete log of the new events; the call gives its name */
TEST_F(snap, flush_names_a_file)
{
	struct vl_log_props q;
	struct vl_log log;

	ASSERT_EQ(0, start(&self->l, NULL));
	write_events(&self->l, 5 * PER_BUFFER + 2);
	ASSERT_EQ(0, flush_to(&self->l, FILE_A, &q));
	EXPECT_STREQ(FILE_A, q.file);
	write_events(&self->l, 3);
	ASSERT_EQ(0, flush_to(&self->l, FILE_B, &q));
	log = vl_log_read(FILE_A);
	EXPECT_EQ(0, log.error);
	EXPECT_FALSE(log.cut_off);
	EXPECT_EQ(5 * PER_BUFFER + 2, log.events);
	EXPECT_TRUE(log.in_order && log.in_time);
	EXPECT_EQ(7, log.info.header.BuffersWritten);
	EXPECT_EQ(7 * LOG_KB * 1024, log.size);
	EXPECT_EQ(0, log.info.header.EventsLost + log.info.header.BuffersLost);
	EXPECT_LT(0, log.info.header.EndTime.QuadPart);
	EXPECT_STREQ(FILE_A, log.info.file);
	EXPECT_STREQ("log", log.info.logger);
	log = vl_log_read(FILE_B);
	EXPECT_EQ(3, log.events);
	EXPECT_EQ(5 * PER_BUFFER + 2, log.first);
	/* No new events: a complete log all the same */
	ASSERT_EQ(0, flush_to(&self->l, FILE_B, &q));
	log = vl_log_read(FILE_B);
	EXPECT_EQ(0, log.error);
	EXPECT_EQ(0, log.events);
	EXPECT_EQ(LOG_KB * 1024, log.size);
	EXPECT_EQ(0, vl_logger_stop(&self->l));
}

/* B129: the file of the session itself; there is none before the first flush */
TEST_F(snap, session_has_a_file)
{
	struct vl_log_props q;
	struct vl_log log;

	ASSERT_EQ(0, start(&self->l, FILE_A));
	EXPECT_NE(0, access(FILE_A, F_OK));
	write_events(&self->l, 9);
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_QUERY, &q));
	EXPECT_STREQ(FILE_A, q.file);
	EXPECT_EQ(EVENT_TRACE_BUFFERING_MODE, q.p.LogFileMode);
	EXPECT_NE(0, access(FILE_A, F_OK));
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH, &q));
	EXPECT_STREQ(FILE_A, q.file);
	EXPECT_EQ(9, vl_log_read(FILE_A).events);
	/* It is made again, and shorter. */
	write_events(&self->l, 1);
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH, &q));
	log = vl_log_read(FILE_A);
	EXPECT_EQ(1, log.events);
	EXPECT_EQ(9, log.first);
	EXPECT_EQ(2 * LOG_KB * 1024, log.size);
	/* What is not flushed is gone. */
	write_events(&self->l, 4);
	EXPECT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(1, vl_log_read(FILE_A).events);
}

/* B129: the oldest events are overwritten, and do not count as lost */
TEST_F(snap, newest_are_kept)
{
	struct vl_log_props q;
	struct vl_log log;

	ASSERT_EQ(0, start(&self->l, NULL));
	write_events(&self->l, 4 * RING * PER_BUFFER);
	ASSERT_EQ(0, flush_to(&self->l, FILE_A, &q));
	EXPECT_EQ(0, q.p.EventsLost);
	log = vl_log_read(FILE_A);
	EXPECT_EQ(self->l.written - 1, log.last);
	EXPECT_TRUE(log.in_order && log.in_time);
	EXPECT_LE((RING - 4) * PER_BUFFER, log.events);
	EXPECT_GE(RING * PER_BUFFER, log.events);
	EXPECT_EQ(0, log.info.header.EventsLost);
}

/* No space: the old file stays, no new one is made, and no event is taken. */
TEST_F(snap, no_space)
{
	struct vl_log_props q;
	struct vl_log log;
	off_t at = 0;
	int fd;

	ASSERT_EQ(0, start(&self->l, FILE_A));
	write_events(&self->l, 2);
	ASSERT_EQ(0, flush_to(&self->l, NULL, &q));
	write_events(&self->l, 10 * PER_BUFFER);
	fd = open(FILLER, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	while (!posix_fallocate(fd, at, 4096))
		at += 4096;
	close(fd);
	EXPECT_EQ(ERROR_DISK_FULL, flush_to(&self->l, FILE_B, &q));
	EXPECT_NE(0, access(FILE_B, F_OK));
	EXPECT_EQ(ERROR_DISK_FULL, flush_to(&self->l, FILE_A, &q));
	EXPECT_EQ(2, vl_log_read(FILE_A).events);
	EXPECT_EQ(ERROR_DISK_FULL, flush_to(&self->l, NULL, &q));
	/* Space for some buffers, but not for all */
	ASSERT_EQ(0, truncate(FILLER, at - 5 * LOG_KB * 1024));
	EXPECT_EQ(ERROR_DISK_FULL, flush_to(&self->l, FILE_B, &q));
	EXPECT_NE(0, access(FILE_B, F_OK));
	log = vl_log_read(FILE_A);
	EXPECT_EQ(2, log.events);
	EXPECT_FALSE(log.cut_off);
	EXPECT_NE(0, vl_log_status(self->l.fd, self->l.session).error);
	unlink(FILLER);
	write_events(&self->l, 3);
	ASSERT_EQ(0, flush_to(&self->l, FILE_B, &q));
	log = vl_log_read(FILE_B);
	EXPECT_EQ(10 * PER_BUFFER + 3, log.events);
	EXPECT_EQ(2, log.first);
	EXPECT_TRUE(log.in_order);
}

/* Readers and files each have everything that comes while they are there. */
TEST_F(snap, beside_a_reader)
{
	struct vl_log_props q;
	struct vl_reader *r;

	ASSERT_EQ(0, start(&self->l, NULL));
	r = vl_read("log");
	ASSERT_NE(NULL, r);
	write_events(&self->l, 2 * PER_BUFFER);
	ASSERT_EQ(0, flush_to(&self->l, FILE_A, &q));
	EXPECT_EQ(2 * PER_BUFFER, vl_log_read(FILE_A).events);
	write_events(&self->l, 4);
	ASSERT_EQ(0, flush_to(&self->l, NULL, &q));
	ASSERT_EQ(0, flush_to(&self->l, FILE_B, &q));
	EXPECT_EQ(0, vl_log_read(FILE_B).events);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(2 * PER_BUFFER + 4, vl_end(r));
	free(r);
}

/* Places that cannot be written, and commands that do not apply to these sessions */
TEST_F(snap, refused)
{
	struct etw_session_file file = { .size = sizeof(file), .fd = -1, .dir = -1,
					 .name = VM_PTR("x"), .name_len = 1, .file_mode = 0600 };
	struct etw_session s = vm_session("t-buffering");
	struct vl_log_props q;
	struct etw_session other;

	s.mode = 0;
	file.fd = open(FILE_A, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	s.file = VM_PTR(&file);
	ASSERT_EQ(0, vm_start(self->l.fd, &s));
	ASSERT_EQ(0, start(&self->l, NULL));
	write_events(&self->l, 2);
	EXPECT_EQ(ERROR_SHARING_VIOLATION, flush_to(&self->l, FILE_A, &q));
	EXPECT_EQ(ERROR_BAD_PATHNAME, flush_to(&self->l, "/nonexistent/a.etl", &q));
	EXPECT_EQ(ERROR_BAD_PATHNAME, flush_to(&self->l, LOG_DIR, &q));
	EXPECT_EQ(ERROR_BAD_PATHNAME, flush_to(&self->l, "/dev/null", &q));
	/* A session in real time has no snapshots: it is flushed, and the name means nothing. */
	q = vl_log_props(0, FILE_B, 0);
	other.handle = vl_start("t-real-time");
	EXPECT_EQ(0, FlushTraceA(other.handle, NULL, &q.p));
	EXPECT_NE(0, access(FILE_B, F_OK));
	/* A session that writes a file keeps that file. */
	other = (struct etw_session){ .size = sizeof(other), .handle = s.handle,
				      .file = VM_PTR(&file) };
	EXPECT_EQ(-EINVAL, vm_ioctl(self->l.fd, ETW_IOC_SESSION_FLUSH, &other));
	/* Files of snapshots are plain, and made again by each flush. */
	s = vm_session("t-more");
	s.file = VM_PTR(&file);
	s.mode = ETW_MODE_BUFFERING;
	EXPECT_EQ(-EINVAL, vm_start(self->l.fd, &s));
	close(file.fd);
	file.fd = -1;
	file.dir = open(LOG_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	s.mode = ETW_MODE_BUFFERING | ETW_MODE_CIRCULAR;
	EXPECT_EQ(-EINVAL, vm_start(self->l.fd, &s));
	s.mode = ETW_MODE_BUFFERING | ETW_MODE_REAL_TIME;
	EXPECT_EQ(-EINVAL, vm_start(self->l.fd, &s));
	s.mode = ETW_MODE_BUFFERING;
	EXPECT_EQ(0, vm_start(self->l.fd, &s));
	other = (struct etw_session){ .size = sizeof(other), .handle = s.handle,
				      .file = VM_PTR(&file) };
	EXPECT_EQ(-EINVAL, vm_ioctl(self->l.fd, ETW_IOC_SESSION_UPDATE, &other));
	file.flags = ETW_FILE_END;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->l.fd, ETW_IOC_SESSION_UPDATE, &other));
	close(file.dir);
	ASSERT_EQ(0, flush_to(&self->l, FILE_B, &q));
	EXPECT_EQ(2, vl_log_read(FILE_B).events);
}

/* B137: earlier events are in the file, later ones are for a reader */
TEST_F(snap, becomes_real_time)
{
	struct vl_log_props q;
	struct vl_reader *r;
	struct vl_log log;

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_FILE_MODE_CIRCULAR, FILE_A, 1));
	write_events(&self->l, 20);
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME, &q));
	EXPECT_EQ(EVENT_TRACE_REAL_TIME_MODE, q.p.LogFileMode);
	log = vl_log_read(FILE_A);
	EXPECT_EQ(20, log.events);
	EXPECT_FALSE(log.cut_off);
	EXPECT_EQ(0, log.info.header.EventsLost + log.info.header.BuffersLost);
	write_events(&self->l, 10);
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  vl_log_control(self->l.session, EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME, &q));
	q = vl_log_props(0, FILE_B, 0);
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  ControlTraceA(self->l.session, NULL, &q.p, EVENT_TRACE_CONTROL_UPDATE));
	EXPECT_NE(0, access(FILE_B, F_OK));
	r = vl_read("log");
	ASSERT_NE(NULL, r);
	write_events(&self->l, 5);
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH, &q));
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(15, vl_end(r));
	free(r);
	EXPECT_EQ(20, vl_log_read(FILE_A).events);
}

/* B137: a session without a file cannot be converted */
TEST_F(snap, nothing_to_convert)
{
	struct vl_log_props q;

	self->l.session = vl_start("log");
	ASSERT_NE(0, self->l.session);
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  vl_log_control(self->l.session, EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME, &q));
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_EQ(0, start(&self->l, FILE_A));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  vl_log_control(self->l.session, EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME, &q));
}

struct writer {
	struct vl_logger *l;
	atomic_bool end;
	ULONG refused;
};

/* An endless sequence of numbers; refused events use none. */
static void *write_on(void *arg)
{
	struct writer *w = arg;
	EVENT_DESCRIPTOR desc = vl_event(7, 1, 1);
	EVENT_DATA_DESCRIPTOR data;

	while (!atomic_load(&w->end)) {
		EventDataDescCreate(&data, &w->l->written, sizeof(w->l->written));
		if (EventWrite(w->l->reg, &desc, 1, &data))
			w->refused++;
		else
			w->l->written++;
		if (w->l->written % 64 == 0)
			usleep(500);
	}
	return NULL;
}

static ULONG written_by(const struct writer *w)
{
	return __atomic_load_n(&w->l->written, __ATOMIC_RELAXED);
}

/* B137: while events are written; each is counted as lost, in the file or with the reader */
TEST_F(snap, becomes_real_time_under_load)
{
	struct writer w = { .l = &self->l };
	struct vl_log_props q;
	struct vl_reader *r;
	struct vl_log log;
	pthread_t thread;
	ULONG first, before;

	q = vl_log_props(0, FILE_A, 0);
	q.p.MaximumBuffers = 400;
	ASSERT_EQ(0, StartTraceA(&self->l.session, "log", &q.p));
	ASSERT_EQ(0, vl_enable(self->l.session, 1, 0, 0, 0));
	ASSERT_EQ(0, vl_thread_on(&thread, 1, write_on, &w));
	ASSERT_TRUE(vm_until(written_by(&w) > 500));
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME, &q));
	before = written_by(&w);
	ASSERT_TRUE(vm_until(written_by(&w) > before + 500));
	atomic_store(&w.end, true);
	pthread_join(thread, NULL);
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_QUERY, &q));
	/* A thread that is not stopped in time fills the buffers: nobody reads yet. */
	EXPECT_EQ(w.refused, q.p.EventsLost);
	r = vl_read("log");
	ASSERT_NE(NULL, r);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_LT(0, vl_end(r));
	log = vl_log_read(FILE_A);
	EXPECT_LT(0, log.events);
	EXPECT_TRUE(log.in_order);
	memcpy(&first, r->events[0].data, sizeof(first));
	EXPECT_EQ(log.last + 1, first);
	EXPECT_EQ(self->l.written, log.events + atomic_load(&r->count));
	free(r);
}

/* B137: a session with readers keeps them */
TEST_F(snap, converted_with_a_reader)
{
	struct vl_log_props q;
	struct vl_reader *r;

	ASSERT_EQ(0, vl_logger_start(&self->l, EVENT_TRACE_REAL_TIME_MODE, FILE_A, 0));
	r = vl_read("log");
	ASSERT_NE(NULL, r);
	write_events(&self->l, 12);
	ASSERT_EQ(0, vl_log_control(self->l.session, EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME, &q));
	write_events(&self->l, 3);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	EXPECT_EQ(15, vl_end(r));
	free(r);
	EXPECT_EQ(12, vl_log_read(FILE_A).events);
}

TEST_HARNESS_MAIN
