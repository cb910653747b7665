// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_verify - sessions that lose events by each cause: the verdicts on the file and on
 * the session agree with the writer's own tally, and the bounds hold what was lost
 */
#include "lib/vm.h"
#include "lib/vm_cli.h"
#include "lib/vm_log.h"
#include "etl/verify.h"

#include <time.h>

#define FILE_A		LOG_DIR "/a.etl"
#define FILLER		LOG_DIR "/filler"
#define SPACE_KB	(24 * 1024)
#define EVENTS_MAX	20000
#define SLACK		20000	/* 100 ns: between the clocks of the tally and of the session */

FIXTURE(verify) {
	struct vl_logger l;
	struct vc_run r;
	int64_t *times;		/* FILETIME of each attempt, by its number ... */
	uint8_t *there;		/* ... and whether a file has it */
	struct etw_verdict v;
};

FIXTURE_SETUP(verify)
{
	const char *why = vl_logger_begin(&self->l, SPACE_KB);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
	self->times = calloc(EVENTS_MAX, sizeof(*self->times));
	self->there = calloc(EVENTS_MAX, 1);
	ASSERT_TRUE(self->times && self->there);
}

FIXTURE_TEARDOWN(verify)
{
	etw_verdict_free(&self->v);
	free(self->times);
	free(self->there);
	vl_logger_end(&self->l);
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 10000000LL + t.tv_nsec / 100 + ETW_UNIX_EPOCH_100NS;
}

/* Attempt to write n events of this size, or from this address; all are counted. */
static void attempt(FIXTURE_DATA(verify) *self, ULONG n, ULONG size, const void *from)
{
	EVENT_DESCRIPTOR desc = vl_event(7, 1, 1);
	static char payload[LOG_KB * 1024];
	EVENT_DATA_DESCRIPTOR data[2];
	struct vl_logger *l = &self->l;

	EventDataDescCreate(&data[0], &l->written, sizeof(l->written));
	EventDataDescCreate(&data[1], from ? from : payload, size);
	for (; n && l->written < EVENTS_MAX; n--, l->written++) {
		self->times[l->written] = now();
		EventWrite(l->reg, &desc, 2, data);
	}
}

static void flush(FIXTURE_DATA(verify) *self)
{
	vl_control(self->l.session, EVENT_TRACE_CONTROL_FLUSH);
}

/* Write events slowly enough that the file keeps up. */
static void attempt_slowly(FIXTURE_DATA(verify) *self, ULONG n)
{
	for (; n >= LOG_PER_BUFFER; n -= LOG_PER_BUFFER) {
		attempt(self, LOG_PER_BUFFER, LOG_PAYLOAD - 4, NULL);
		flush(self);
	}
	attempt(self, n, LOG_PAYLOAD - 4, NULL);
}

static ULONG start(FIXTURE_DATA(verify) *self, ULONG mode, const char *file, ULONG max_kb,
		   ULONG buffers)
{
	struct vl_log_props props = vl_log_props(mode, file, max_kb);
	ULONG ret;

	if (max_kb)
		props.p.LogFileMode |= EVENT_TRACE_USE_KBYTES_FOR_SIZE;
	props.p.MinimumBuffers = buffers;
	props.p.MaximumBuffers = buffers;
	ret = StartTraceA(&self->l.session, "log", &props.p);
	return ret ? ret : vl_enable(self->l.session, 1, 0, 0, 0);
}

/* Note the events of a file. False: one is there twice, or is none of ours. */
static bool tally(FIXTURE_DATA(verify) *self, const char *path)
{
	struct etw_etl_file *file;
	struct etw_event event;
	bool good = true;
	ULONG number;

	if (etw_etl_open(path, NULL, NULL, &file))
		return false;
	while (etw_etl_next(file, &event) == 1) {
		if (!event.record.header->desc.id)
			continue;
		memcpy(&number, event.record.data, sizeof(number));
		if (number >= self->l.written || self->there[number]++)
			good = false;
	}
	etw_etl_close(file);
	return good;
}

static bool in_gap(const struct etw_verdict *v, int64_t time)
{
	uint32_t i;

	for (i = 0; i < v->gap_count; i++)
		if (time + SLACK >= v->gaps[i].first &&
		    (!v->gaps[i].last || time <= v->gaps[i].last + SLACK))
			return true;
	return false;
}

/* What is missing by the writer's tally, and how much of that the verdict does not admit */
struct missing {
	ULONG all, before, denied;	/* before: older than what the verdict covers */
};

static struct missing compare(FIXTURE_DATA(verify) *self)
{
	struct missing m = { 0 };
	ULONG i;

	for (i = 0; i < self->l.written; i++) {
		bool old = self->v.since && self->times[i] <= self->v.since_time + SLACK;

		if (self->there[i])
			continue;
		m.all++;
		m.before += old;
		m.denied += !old && !in_gap(&self->v, self->times[i]);
	}
	return m;
}

static bool has(const struct etw_verdict *v, enum etw_gap_cause cause)
{
	uint32_t i;

	for (i = 0; i < v->gap_count; i++)
		if (v->gaps[i].cause == cause)
			return true;
	return false;
}

/* Judge a file alone and compare: is the verdict right, and are its bounds? */
static bool judge(FIXTURE_DATA(verify) *self, const char *path, struct missing *m)
{
	etw_verdict_free(&self->v);
	if (etw_etl_verify(path, &self->v) || etw_verdict_finish(&self->v, 1) ||
	    !tally(self, path))
		return false;
	*m = compare(self);
	if (m->denied || (m->all > m->before && etw_verdict_whole(&self->v)))
		printf("# %u missing, %u of them older, %u denied; %u gaps\n", m->all, m->before,
		       m->denied, self->v.gap_count);
	return !m->denied && (m->all == m->before || !etw_verdict_whole(&self->v));
}

/* The session's verdict: exit status 0, or 3 with a line that has text in it */
static bool session_is(FIXTURE_DATA(verify) *self, int status, const char *text)
{
	vc_run(&self->r, "verify", "log", NULL);
	return vc_report(&self->r, self->r.status == status && strstr(self->r.out, text));
}

TEST_F(verify, nothing_lost)
{
	struct missing m;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 16));
	attempt_slowly(self, 300);
	EXPECT_TRUE(session_is(self, 0, "complete so far: 300 events"));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_TRUE(has(&self->v, ETW_GAP_NOT_CLOSED));
	vc_run(&self->r, "stop", "log", "--strict", NULL);
	EXPECT_EQ(0, self->r.status);
	memset(self->there, 0, EVENTS_MAX);
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_EQ(0, m.all);
	EXPECT_TRUE(etw_verdict_whole(&self->v) && !self->v.since);
	EXPECT_EQ(300, self->v.events);
	EXPECT_EQ(ETW_AUTHOR_KERNEL, self->v.author);
	vc_run(&self->r, "verify", FILE_A, NULL);
	EXPECT_TRUE(vc_printed(&self->r, "a.etl: complete: 300 events"));
	vc_run(&self->r, "dump", FILE_A, "--strict", NULL);
	EXPECT_EQ(0, self->r.status);
}

/* All buffers are full: bursts with pauses between them */
TEST_F(verify, no_buffer)
{
	struct missing m;
	int i;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 4));
	for (i = 0; i < 5; i++) {
		attempt_slowly(self, 50);
		attempt(self, 3000, LOG_PAYLOAD, NULL);
	}
	attempt_slowly(self, 50);
	flush(self);
	EXPECT_TRUE(session_is(self, 3, "no free buffer"));
	vc_run(&self->r, "stop", "log", "--strict", NULL);
	EXPECT_EQ(3, self->r.status);
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_LT(0, m.all);
	EXPECT_TRUE(has(&self->v, ETW_GAP_NOT_WRITTEN) && has(&self->v, ETW_GAP_FLAGGED));
	EXPECT_LE(self->v.info.header.EventsLost, m.all);
}

/* Each event that the session refuses is lost: larger than a buffer, or not readable. */
TEST_F(verify, refused)
{
	struct missing m;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 16));
	attempt_slowly(self, 20);
	attempt(self, 3, LOG_KB * 1024 - 4, NULL);
	EXPECT_TRUE(session_is(self, 3, "3 events larger than a buffer"));
	attempt_slowly(self, 20);
	attempt(self, 2, 100, (void *)16);
	EXPECT_TRUE(session_is(self, 3, "2 events payload not readable"));
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_EQ(5, m.all);
	EXPECT_EQ(5, self->v.info.header.EventsLost);
	vc_run(&self->r, "dump", FILE_A, "--strict", NULL);
	EXPECT_EQ(3, self->r.status);
}

/* Only the header has losses after the last buffer. */
TEST_F(verify, lost_at_the_end)
{
	struct missing m;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 16));
	attempt_slowly(self, 30);
	flush(self);
	attempt(self, 2, LOG_KB * 1024 - 4, NULL);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_EQ(2, m.all);
	ASSERT_EQ(1, self->v.gap_count);
	EXPECT_EQ(2, self->v.gaps[0].events);
}

static bool fill(void)
{
	int fd = open(FILLER, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	off_t at = 0;

	if (fd < 0)
		return false;
	while (!posix_fallocate(fd, at, 4096))
		at += 4096;
	close(fd);
	return at > 0;
}

TEST_F(verify, disk_full)
{
	struct etw_session_log log;
	struct missing m;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 16));
	attempt_slowly(self, 70);
	ASSERT_TRUE(fill());
	attempt_slowly(self, 70);
	unlink(FILLER);
	attempt_slowly(self, 70);
	EXPECT_TRUE(session_is(self, 3, "lost to the file"));
	log = vl_log_status(self->l.fd, self->l.session);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_LT(0, m.all);
	EXPECT_EQ(log.events_lost, m.all);
	ASSERT_EQ(1, self->v.gap_count);
	EXPECT_EQ(ETW_GAP_NUMBERS, self->v.gaps[0].cause);
	EXPECT_EQ(log.buffers_lost, self->v.gaps[0].buffers);
}

TEST_F(verify, file_full)
{
	struct etw_session_log log;
	struct missing m;

	ASSERT_EQ(0, start(self, EVENT_TRACE_FILE_MODE_SEQUENTIAL, FILE_A, 10 * LOG_KB, 16));
	attempt_slowly(self, 140);
	flush(self);
	EXPECT_TRUE(session_is(self, 3, "it is full"));
	log = vl_log_status(self->l.fd, self->l.session);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_LT(0, m.all);
	ASSERT_EQ(1, self->v.gap_count);
	EXPECT_EQ(ETW_GAP_NOT_STORED, self->v.gaps[0].cause);
	EXPECT_EQ(log.buffers_lost, self->v.gaps[0].buffers);
}

/* Another process shortens the file. */
TEST_F(verify, truncated)
{
	struct missing m;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 16));
	attempt_slowly(self, 70);
	ASSERT_EQ(0, truncate(FILE_A, 3 * LOG_KB * 1024));
	attempt_slowly(self, 70);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_LT(0, m.all);
	EXPECT_FALSE(etw_verdict_whole(&self->v));
}

TEST_F(verify, circular)
{
	struct missing m;

	ASSERT_EQ(0, start(self, EVENT_TRACE_FILE_MODE_CIRCULAR, FILE_A, 10 * LOG_KB, 16));
	attempt_slowly(self, 200);
	EXPECT_TRUE(session_is(self, 0, "complete so far"));
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_LT(0, m.all);
	EXPECT_EQ(m.all, m.before);
	EXPECT_TRUE(etw_verdict_whole(&self->v) && self->v.since && self->v.overwritten);
	vc_run(&self->r, "verify", FILE_A, NULL);
	EXPECT_TRUE(vc_printed(&self->r, "a.etl: complete since "));
}

/* The memory of a buffering session is a ring. */
TEST_F(verify, snapshot)
{
	struct missing m;

	ASSERT_EQ(0, start(self, EVENT_TRACE_BUFFERING_MODE, FILE_A, 0, 16));
	attempt(self, 400, LOG_PAYLOAD - 4, NULL);
	flush(self);
	EXPECT_TRUE(session_is(self, 0, "overwritten by newer ones"));
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_LT(0, m.all);
	EXPECT_EQ(m.all, m.before);
	EXPECT_TRUE(etw_verdict_whole(&self->v) && self->v.since);
}

/* Several files: complete together; without one, its buffers are missing. */
TEST_F(verify, series)
{
	char one[] = LOG_DIR "/n1.etl", two[] = LOG_DIR "/n2.etl", three[] = LOG_DIR "/n3.etl";

	ASSERT_EQ(0, start(self, EVENT_TRACE_FILE_MODE_NEWFILE, LOG_DIR "/n%d.etl", 8 * LOG_KB,
			   16));
	attempt_slowly(self, 20 * LOG_PER_BUFFER);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	vc_run(&self->r, "verify", three, one, two, NULL);
	EXPECT_EQ(0, self->r.status);
	EXPECT_EQ(NULL, strstr(self->r.out, "since"));
	vc_run(&self->r, "verify", one, three, NULL);
	EXPECT_EQ(3, self->r.status);
	EXPECT_NE(NULL, strstr(self->r.out, "7 buffers missing between two files, numbers 7 to 13"));
	vc_run(&self->r, "verify", two, NULL);
	EXPECT_TRUE(vc_printed(&self->r, "n2.etl: complete since "));
	EXPECT_TRUE(tally(self, one) && tally(self, two) && tally(self, three));
	EXPECT_EQ(0, compare(self).all);
}

/* A reader that does not read loses its backlog; without a reader, new events are lost. */
TEST_F(verify, slow_reader)
{
	int fd;

	ASSERT_EQ(0, start(self, EVENT_TRACE_REAL_TIME_MODE, NULL, 0, 4));
	fd = vm_consume(self->l.fd, self->l.session, 0, NULL);
	ASSERT_LE(0, fd);
	attempt_slowly(self, 20 * LOG_PER_BUFFER);
	EXPECT_TRUE(session_is(self, 3, "lost by a reader that was too slow, process "));
	close(fd);
	EXPECT_TRUE(session_is(self, 3, "lost by readers that were too slow or ended"));
	attempt_slowly(self, 20 * LOG_PER_BUFFER);
	EXPECT_TRUE(session_is(self, 3, "events no free buffer"));
	vc_run(&self->r, "stop", "log", "--strict", NULL);
	EXPECT_EQ(3, self->r.status);
}

TEST_HARNESS_MAIN
