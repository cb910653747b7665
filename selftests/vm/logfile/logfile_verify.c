// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_verify - sessions that lose events by each cause: the verdicts on the file and on
 * the session agree with the writer's own tally, and the bounds hold what was lost
 *
 * TIMEOUT: 600
 */
#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_log.h"
#include "lib/shell.h"
#include "etl/verify/verify.h"

#define FILE_A		LOG_DIR "/a.etl"
#define SPACE_KB	(24 * 1024)
#define EVENTS_MAX	20000
#define DISK_FULL	"the disk or a quota was full"
#define SLACK		VM_FILETIME_SLACK

FIXTURE(verify) {
	struct vl_logger l;
	struct vc_run r;
	int64_t set_back;	/* 100 ns that the wall clock was set back by */
	int64_t *times;		/* FILETIME before each attempt, by its number ... */
	int64_t *after;		/* ... after it, because the task may wait on the way ... */
	uint8_t *there;		/* ... and whether a file has it */
	struct etw_verdict v;
};

FIXTURE_SETUP(verify)
{
	const char *why = vl_logger_begin(&self->l, SPACE_KB);

	ASSERT_EQ(NULL, why)
		TH_LOG("cannot have %s", why);
	self->times = calloc(EVENTS_MAX, sizeof(*self->times));
	self->after = calloc(EVENTS_MAX, sizeof(*self->after));
	self->there = calloc(EVENTS_MAX, 1);
	ASSERT_TRUE(self->times && self->after && self->there);
}

/* Set the wall clock back by these seconds, or forward by less than 0. */
static bool set_back(FIXTURE_DATA(verify) *self, int seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec -= seconds;
	self->set_back += seconds * 10000000LL;
	return !clock_settime(CLOCK_REALTIME, &t);
}

FIXTURE_TEARDOWN(verify)
{
	if (self->set_back)
		set_back(self, (int)(-self->set_back / 10000000));
	etw_verdict_free(&self->v);
	free(self->times);
	free(self->after);
	free(self->there);
	vl_logger_end(&self->l);
}

/* FILETIME, as if the clock had not been set */
static int64_t now(const FIXTURE_DATA(verify) *self)
{
	return vm_filetime() + self->set_back;
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
		self->times[l->written] = now(self);
		EventWrite(l->reg, &desc, 2, data);
		self->after[l->written] = now(self);
	}
}

/*
 * Attempt while nothing else runs on any CPU, so that no buffer becomes free; the kernel lets
 * others run for 50 ms of each second.
 */
static bool attempt_alone(FIXTURE_DATA(verify) *self, ULONG n, ULONG size)
{
	const struct sched_param first = { .sched_priority = 1 }, none = { 0 };
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), i, count = 1;
	pid_t pid[64];

	if (cpus > 64 || sched_setscheduler(0, SCHED_FIFO, &first))
		return false;
	for (; count < cpus; count++) {
		/* The child waits behind this task, on this CPU. */
		vm_pin(count);
		pid[count] = fork();
		if (pid[count] < 0)
			break;
		if (!pid[count]) {
			alarm(10);
			for (;;)
				;
		}
	}
	vm_pin(0);
	if (count == cpus)
		attempt(self, n, size, NULL);
	for (i = 1; i < count; i++) {
		kill(pid[i], SIGKILL);
		vm_reap(pid[i]);
	}
	return !sched_setscheduler(0, SCHED_OTHER, &none) && count == cpus;
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

static bool in_gap(const struct etw_verdict *v, int64_t before, int64_t after)
{
	uint32_t i;

	for (i = 0; i < v->gap_count; i++)
		if (after + SLACK >= v->gaps[i].first &&
		    (!v->gaps[i].last || before <= v->gaps[i].last + SLACK))
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
		m.denied += !old &&
			    !in_gap(&self->v, self->times[i], self->after[i]);
	}
	return m;
}

/* The events in the gaps that the session recorded; none of them was lost before time. */
static uint64_t recorded_after(const struct etw_verdict *v, int64_t time)
{
	uint64_t events = 0;
	uint32_t i;

	for (i = 0; i < v->gap_count; i++)
		if (v->gaps[i].cause == ETW_GAP_NOT_WRITTEN && v->gaps[i].first > time)
			events += v->gaps[i].events;
	return events;
}

/* The only gap that has this cause and detail, or NULL */
static const struct etw_gap *lost_by(const struct etw_verdict *v, const char *detail)
{
	const struct etw_gap *gap = NULL;
	uint32_t i;

	for (i = 0; i < v->gap_count; i++) {
		if (v->gaps[i].cause != ETW_GAP_LOST || strcmp(v->gaps[i].detail, detail))
			continue;
		if (gap)
			return NULL;
		gap = &v->gaps[i];
	}
	return gap;
}

/* The events of all gaps, if each is one that is recorded */
static uint64_t recorded_events(const struct etw_verdict *v)
{
	uint64_t least, most;

	etw_verdict_lost(v, &least, &most);
	return least == most ? least : UINT64_MAX;
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
	uint64_t recorded;
	int i;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 4));
	for (i = 0; i < 5; i++) {
		attempt_slowly(self, 50);
		ASSERT_TRUE(attempt_alone(self, 3000, LOG_PAYLOAD));
	}
	attempt_slowly(self, 50);
	flush(self);
	EXPECT_TRUE(session_is(self, 3, "no free buffer"));
	vc_run(&self->r, "stop", "log", "--strict", NULL);
	EXPECT_EQ(3, self->r.status);
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_LT(0, m.all);
	EXPECT_LE(self->v.info.header.EventsLost, m.all);
	/*
	 * The records count those that were dropped, and none before the first burst, also where
	 * a buffer with records was dropped because the file was slow.
	 */
	recorded = recorded_after(&self->v, self->times[49]);
	EXPECT_LT(0, recorded);
	EXPECT_EQ(recorded, self->v.recorded);
	EXPECT_EQ(recorded, self->v.info.header.EventsLost);
	EXPECT_EQ(m.all, recorded_events(&self->v));
}

/* Each event that the session refuses is lost: larger than a buffer, or not readable. */
TEST_F(verify, refused)
{
	struct missing m;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 16));
	attempt_slowly(self, 20);
	attempt(self, 3, LOG_KB * 1024 - 4, NULL);
	EXPECT_TRUE(session_is(self, 3, "3 events lost when written: larger than a buffer"));
	attempt_slowly(self, 20);
	attempt(self, 2, 100, (void *)16);
	EXPECT_TRUE(session_is(self, 3, "2 events lost when written: payload not readable"));
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_EQ(5, m.all);
	EXPECT_EQ(5, self->v.info.header.EventsLost);
	ASSERT_EQ(2, self->v.gap_count);
	EXPECT_EQ(3, self->v.gaps[0].events);
	EXPECT_STREQ("larger than a buffer", self->v.gaps[0].detail);
	EXPECT_EQ(2, self->v.gaps[1].events);
	EXPECT_STREQ("payload not readable", self->v.gaps[1].detail);
	EXPECT_TRUE(self->v.gaps[0].has_provider && self->v.gaps[1].has_provider);
	EXPECT_LT(self->v.gaps[0].last, self->v.gaps[1].first);
	vc_run(&self->r, "dump", FILE_A, "--id", "1", NULL);
	EXPECT_NE(NULL, strstr(self->r.out, " Etw-Ledger Lost warning 3 events lost on CPU "));
	EXPECT_NE(NULL, strstr(self->r.out, ": larger than a buffer; "));
	EXPECT_NE(NULL, strstr(self->r.out, ": payload not readable; "));
	EXPECT_NE(NULL, strstr(self->r.out, "; session log\n"));
	vc_run(&self->r, "dump", FILE_A, "--strict", NULL);
	EXPECT_EQ(3, self->r.status);
}

/* Does the verdict on another file have the same gaps? */
static bool same_gaps(const struct etw_verdict *v, const char *path)
{
	struct etw_verdict other;
	uint32_t i;
	bool same;

	if (etw_etl_verify(path, &other))
		return false;
	same = !etw_verdict_finish(&other, 1) && other.gap_count == v->gap_count &&
	       other.info.header.EventsLost == v->info.header.EventsLost;
	for (i = 0; same && i < v->gap_count; i++) {
		const struct etw_gap *a = &v->gaps[i], *b = &other.gaps[i];

		same = a->events == b->events && a->first == b->first && a->last == b->last &&
		       a->cpu == b->cpu && !strcmp(a->detail, b->detail) &&
		       !memcmp(&a->provider, &b->provider, sizeof(a->provider));
		if (!same)
			printf("# gap %u: %lld to %lld, not %lld to %lld\n", i, (long long)b->first,
			       (long long)b->last, (long long)a->first, (long long)a->last);
	}
	etw_verdict_free(&other);
	return same;
}

/* Losses survive whatever is made of the file. */
TEST_F(verify, made_into_others)
{
	struct missing m;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 16));
	attempt_slowly(self, 20);
	attempt(self, 3, LOG_KB * 1024 - 4, NULL);
	attempt_slowly(self, 20);
	attempt(self, 2, 100, (void *)16);
	attempt_slowly(self, 20);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	ASSERT_EQ(2, self->v.gap_count);
	vc_run(&self->r, "merge", "-q", "-o", LOG_DIR "/m.etl", FILE_A, NULL);
	EXPECT_EQ(0, self->r.status);
	EXPECT_TRUE(same_gaps(&self->v, LOG_DIR "/m.etl"));
	vc_run(&self->r, "split", "-q", "--by", "events=20", "-o", LOG_DIR "/p%d.etl", FILE_A, NULL);
	EXPECT_EQ(0, self->r.status);
	vc_run(&self->r, "merge", "-q", "--replace", "-o", LOG_DIR "/m.etl", LOG_DIR "/p1.etl",
	       LOG_DIR "/p2.etl", LOG_DIR "/p3.etl", NULL);
	EXPECT_EQ(0, self->r.status);
	EXPECT_TRUE(same_gaps(&self->v, LOG_DIR "/m.etl"));
	vc_run(&self->r, "verify", LOG_DIR "/p3.etl", NULL);
	EXPECT_TRUE(vc_printed(&self->r, ": complete: 20 events"));
	vc_run(&self->r, "convert", "-q", "-o", LOG_DIR "/a.ctf", FILE_A, NULL);
	EXPECT_EQ(0, self->r.status);
	if (!shell("command -v babeltrace2 >/dev/null"))
		return;
	EXPECT_TRUE(shell("babeltrace2 " LOG_DIR "/a.ctf 2>&1 >/dev/null | grep -q 'discarded 3 events'"));
	EXPECT_TRUE(shell("babeltrace2 " LOG_DIR "/a.ctf 2>&1 >/dev/null | grep -q 'discarded 2 events'"));
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
	EXPECT_STREQ("larger than a buffer", self->v.gaps[0].detail);
}

/* Start, and write these events behind 70 others, when the disk is full. */
static void attempt_full(struct __test_metadata *_metadata, FIXTURE_DATA(verify) *self, ULONG n)
{
	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 16));
	attempt_slowly(self, 70);
	ASSERT_TRUE(vl_log_dir_fill());
	attempt_slowly(self, n);
}

/* Stop and judge: the only gap has this detail, and all events that are missing. */
static const struct etw_gap *only_gap(struct __test_metadata *_metadata,
				      FIXTURE_DATA(verify) *self, const char *detail)
{
	const struct etw_gap *gap;
	struct missing m;

	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_LT(0, m.all);
	ASSERT_EQ(1, self->v.gap_count);
	gap = lost_by(&self->v, detail);
	ASSERT_NE(NULL, gap);
	EXPECT_EQ(m.all, gap->events);
	return gap;
}

TEST_F(verify, disk_full)
{
	const struct etw_gap *gap;
	struct etw_session_log log;

	attempt_full(_metadata, self, 70);
	vl_log_dir_free();
	attempt_slowly(self, 70);
	EXPECT_TRUE(session_is(self, 3, "lost to the file"));
	log = vl_log_status(self->l.fd, self->l.session);
	gap = only_gap(_metadata, self, DISK_FULL);
	EXPECT_EQ(log.buffers_lost, gap->buffers);
	EXPECT_EQ(log.events_lost, gap->events);
	EXPECT_EQ(gap->buffers, gap->to - gap->from + 1);
	vc_run(&self->r, "verify", FILE_A, NULL);
	EXPECT_NE(NULL, strstr(self->r.out, "lost after they were filled"));
	EXPECT_EQ(gap->events, recorded_events(&self->v));
}

/* There is room again, but nothing to write: the record is the file's last buffer. */
TEST_F(verify, disk_full_at_the_end)
{
	const struct etw_gap *gap;

	attempt_full(_metadata, self, 70);
	vl_log_dir_free();
	gap = only_gap(_metadata, self, DISK_FULL);
	EXPECT_EQ(self->v.high, gap->to);
}

/* The disk stays full: the file's first buffer has the record. */
TEST_F(verify, disk_full_to_the_end)
{
	const struct etw_gap *gap;

	attempt_full(_metadata, self, 140);
	gap = only_gap(_metadata, self, DISK_FULL);
	EXPECT_EQ(self->v.info.header.BuffersLost, gap->buffers);
}

TEST_F(verify, file_full)
{
	const struct etw_gap *gap;
	struct etw_session_log log;

	ASSERT_EQ(0, start(self, EVENT_TRACE_FILE_MODE_SEQUENTIAL, FILE_A, 10 * LOG_KB, 16));
	attempt_slowly(self, 140);
	flush(self);
	EXPECT_TRUE(session_is(self, 3, "it is full"));
	log = vl_log_status(self->l.fd, self->l.session);
	gap = only_gap(_metadata, self, "the file had its greatest size");
	EXPECT_EQ(log.buffers_lost, gap->buffers);
}

/* Another process shortens the file. */
TEST_F(verify, truncated)
{
	const struct etw_gap *gap;
	struct missing m;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 16));
	attempt_slowly(self, 70);
	attempt(self, 3, LOG_KB * 1024 - 4, NULL);
	attempt_slowly(self, 7);
	ASSERT_EQ(0, truncate(FILE_A, 3 * LOG_KB * 1024));
	attempt_slowly(self, 70);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	gap = lost_by(&self->v, "another process shortened the file");
	ASSERT_NE(NULL, gap);
	EXPECT_EQ(m.all, gap->events + 3);
	EXPECT_EQ(0, gap->from);
	/* What the lost buffers recorded is recorded again. */
	EXPECT_EQ(2, self->v.gap_count);
	EXPECT_EQ(3, self->v.recorded);
	EXPECT_FALSE(self->v.since);
}

#define CIRCLE		10	/* buffers of a circular file, the header's among them */
#define ROUND		(CIRCLE - 1)

/* Of a circle only what is there is cut off: newer events had overwritten the others before. */
TEST_F(verify, truncated_circle)
{
	const ULONG last = 4, events = (ROUND - 1) * LOG_PER_BUFFER + last;
	const struct etw_gap *gap;
	struct etw_session_log log;
	struct missing m;

	ASSERT_EQ(0, start(self, EVENT_TRACE_FILE_MODE_CIRCULAR, FILE_A, CIRCLE * LOG_KB, 16));
	attempt_slowly(self, 28 * LOG_PER_BUFFER + last);
	flush(self);
	ASSERT_EQ(0, truncate(FILE_A, 0));
	attempt_slowly(self, 2 * LOG_PER_BUFFER);
	log = vl_log_status(self->l.fd, self->l.session);
	EXPECT_EQ(ROUND, log.buffers_lost);
	EXPECT_EQ(events, log.events_lost);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	gap = lost_by(&self->v, "another process shortened the file");
	ASSERT_NE(NULL, gap);
	EXPECT_EQ(ROUND, gap->buffers);
	EXPECT_EQ(events, gap->events);
	EXPECT_EQ(events, recorded_events(&self->v));
	EXPECT_EQ(ROUND, self->v.info.header.BuffersLost);
	EXPECT_TRUE(self->v.since && self->v.overwritten);
	EXPECT_EQ(28 * LOG_PER_BUFFER + last, m.all);
}

/* A buffer that only recorded losses was overwritten: it is none of those that are cut off. */
TEST_F(verify, truncated_circle_after_losses)
{
	struct etw_session_log before, log;

	ASSERT_EQ(0, start(self, EVENT_TRACE_FILE_MODE_CIRCULAR, FILE_A, CIRCLE * LOG_KB, 16));
	attempt_slowly(self, 4 * LOG_PER_BUFFER);
	ASSERT_TRUE(vl_log_dir_fill());
	attempt_slowly(self, 3 * LOG_PER_BUFFER);
	vl_log_dir_free();
	attempt_slowly(self, 2 * ROUND * LOG_PER_BUFFER);
	before = vl_log_status(self->l.fd, self->l.session);
	EXPECT_LT(0, before.buffers_lost);
	ASSERT_EQ(0, truncate(FILE_A, 0));
	attempt_slowly(self, LOG_PER_BUFFER);
	log = vl_log_status(self->l.fd, self->l.session);
	EXPECT_EQ(ROUND, log.buffers_lost - before.buffers_lost);
	EXPECT_EQ(ROUND * LOG_PER_BUFFER, log.events_lost - before.events_lost);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
}

/*
 * A file of two sessions is cut: the second one has lost so many buffers of its own.  The file has
 * lost the first one's as well, whose events nobody counted.
 */
static void cut_appended(struct __test_metadata *_metadata, FIXTURE_DATA(verify) *self,
			 ULONG buffers)
{
	const struct etw_gap *gap;
	struct etw_session_log log;
	uint64_t least, most;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 16));
	attempt_slowly(self, 3 * LOG_PER_BUFFER);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_EQ(0, start(self, EVENT_TRACE_FILE_MODE_APPEND, FILE_A, 0, 16));
	attempt_slowly(self, buffers * LOG_PER_BUFFER);
	ASSERT_EQ(0, truncate(FILE_A, 0));
	attempt_slowly(self, LOG_PER_BUFFER);
	log = vl_log_status(self->l.fd, self->l.session);
	EXPECT_EQ(buffers, log.buffers_lost);
	EXPECT_EQ(buffers * LOG_PER_BUFFER, log.events_lost);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	etw_verdict_free(&self->v);
	ASSERT_EQ(0, etw_etl_verify(FILE_A, &self->v));
	ASSERT_EQ(0, etw_verdict_finish(&self->v, 1));
	gap = lost_by(&self->v, "another process shortened the file");
	ASSERT_NE(NULL, gap);
	EXPECT_EQ(1, self->v.gap_count);
	EXPECT_EQ(3 + buffers, gap->buffers);
	EXPECT_EQ(ETW_GAP_UNKNOWN, gap->events);
	EXPECT_EQ(3 + buffers, self->v.info.header.BuffersLost);
	etw_verdict_lost(&self->v, &least, &most);
	EXPECT_EQ(ETW_GAP_UNKNOWN, most);
}

TEST_F(verify, truncated_after_append)
{
	cut_appended(_metadata, self, 2);
}

TEST_F(verify, truncated_before_append)
{
	cut_appended(_metadata, self, 0);
}

/* The wall clock is set back, as by NTP, while a buffer is open: times go on, nothing is lost. */
TEST_F(verify, clock_set_back)
{
	struct missing m;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 16));
	attempt_slowly(self, 70);
	attempt(self, 1, LOG_PAYLOAD - 4, NULL);
	ASSERT_TRUE(set_back(self, 60));
	attempt(self, 1, LOG_PAYLOAD - 4, NULL);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_EQ(0, m.all);
	EXPECT_TRUE(etw_verdict_whole(&self->v));
	vc_run(&self->r, "verify", FILE_A, NULL);
	EXPECT_TRUE(vc_printed(&self->r, "a.etl: complete: 72 events"));
}

/* What is lost after that has its time in the gap. */
TEST_F(verify, lost_after_set_back)
{
	struct missing m;

	ASSERT_EQ(0, start(self, 0, FILE_A, 0, 16));
	attempt_slowly(self, 20);
	ASSERT_TRUE(set_back(self, 300));
	attempt_slowly(self, 20);
	attempt(self, 3, LOG_KB * 1024 - 4, NULL);
	attempt_slowly(self, 20);
	ASSERT_EQ(0, vl_logger_stop(&self->l));
	ASSERT_TRUE(judge(self, FILE_A, &m));
	EXPECT_EQ(3, m.all);
	ASSERT_EQ(1, self->v.gap_count);
	EXPECT_LE(self->times[40] - SLACK, self->v.gaps[0].first);
	EXPECT_GE(self->after[42] + SLACK, self->v.gaps[0].last);
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
	EXPECT_TRUE(session_is(self, 3, "events lost when written: no free buffer"));
	vc_run(&self->r, "stop", "log", "--strict", NULL);
	EXPECT_EQ(3, self->r.status);
}

/* What the disk refused is no reader's loss, and does not hide one. */
TEST_F(verify, slow_reader_of_a_full_disk)
{
	struct etw_session_log log;
	int fd;

	ASSERT_EQ(0, start(self, EVENT_TRACE_REAL_TIME_MODE, FILE_A, 0, 4));
	attempt_slowly(self, LOG_PER_BUFFER);
	ASSERT_TRUE(vl_log_dir_fill());
	attempt_slowly(self, 20 * LOG_PER_BUFFER);
	EXPECT_TRUE(session_is(self, 3, "lost to the file"));
	EXPECT_EQ(NULL, strstr(self->r.out, "reader"));
	fd = vm_consume(self->l.fd, self->l.session, 0, NULL);
	ASSERT_LE(0, fd);
	attempt_slowly(self, 20 * LOG_PER_BUFFER);
	EXPECT_TRUE(session_is(self, 3, "lost by a reader that was too slow, process "));
	EXPECT_EQ(NULL, strstr(self->r.out, "ended"));
	close(fd);
	EXPECT_TRUE(session_is(self, 3, "lost by readers that were too slow or ended"));
	log = vl_log_status(self->l.fd, self->l.session);
	EXPECT_LE(40, log.buffers_lost);
	vl_log_dir_free();
}

TEST_HARNESS_MAIN
