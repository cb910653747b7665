// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_questions - what operators ask, of a file and of a running session, against what the writers
 * know: what did my program do at that time, what happened around the slowest operation, who lost
 * events and when, what came last before it crashed
 *
 * Which disk requests are slow is in cli_block, which providers say nothing in cli_record_end and
 * cli_watch.
 */
#include <sys/prctl.h>
#include <time.h>

#include "lib/vm.h"
#include "lib/command/vm_trace.h"

#define COPY		"/run/etw-crashes"
#define APART_MS	50
#define CRASH_MS	15000	/* from the first events to the last ones, and the crash */
#define LAST		"10s"	/* ... of which this is the end */

static struct vc_run other;

FIXTURE(questions) {
	struct vm_trace t;
};

static void write_ids(int fd, int slot, int from, int to)
{
	for (; from <= to; from++)
		if (slot < 0 || vm_write(fd, slot, from, 4, 1, "x", 1))
			_exit(2);
}

/* So long that a time in between is between, whatever the clocks' steps */
static void apart(int ms)
{
	long long begin = vm_ms();

	if (!vm_until(vm_ms() - begin > ms))
		_exit(3);
}

/* A copy of this program crashes. */
__attribute__((__constructor__))
static void crash(int argc, char **argv)
{
	int fd, slot;

	if (argc != 2 || strcmp(argv[1], "crash"))
		return;
	fd = vm_open();
	slot = vm_register(fd, vm_guid(1));
	write_ids(fd, slot, 1, 3);
	apart(CRASH_MS);
	write_ids(fd, slot, 4, 6);
	raise(SIGSEGV);
}

FIXTURE_SETUP(questions)
{
	ASSERT_EQ(0, vm_trace_begin(&self->t));
}

FIXTURE_TEARDOWN(questions)
{
	vm_trace_end(&self->t);
	unlink(COPY);
}

/* The time as a command takes it, in UTC like those that it prints as JSON */
static void mark(char text[40])
{
	struct timespec now;
	struct tm tm;
	size_t len;

	apart(APART_MS);
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	len = strftime(text, 40, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + len, 40 - len, ".%07ldZ", now.tv_nsec / 100);
	apart(APART_MS);
}

/* Start both sessions, "live" and "file", with this option. */
static bool start(FIXTURE_DATA(questions) *self, const char *option, const char *value)
{
	/* NULL ends the arguments. */
	return !RUN("start", "live", option, value) &&
	       !RUN("start", "file", "--file", LOG, option, value) &&
	       !RUN("enable", "live", PROVIDER) && !RUN("enable", "file", PROVIDER);
}

/* End the file, and deliver what the session has. */
static bool ends(FIXTURE_DATA(questions) *self)
{
	return !RUN("stop", "file") && !RUN("flush", "live");
}

TEST_F(questions, my_program_in_a_time)
{
	char since[40], until[40];
	pid_t pid;
	int i;

	ASSERT_TRUE(start(self, "--processes", NULL));
	write_ids(self->t.fd, self->t.slot, 1, 2);
	mark(since);
	write_ids(self->t.fd, self->t.slot, 3, 4);
	pid = fork();
	if (!pid) {
		int fd = vm_open();

		prctl(PR_SET_NAME, "another", 0, 0, 0);
		write_ids(fd, vm_register(fd, vm_guid(1)), 11, 12);
		_exit(0);
	}
	ASSERT_EQ(0, vm_reap(pid));
	write_ids(self->t.fd, self->t.slot, 5, 5);
	mark(until);
	write_ids(self->t.fd, self->t.slot, 6, 7);
	ASSERT_TRUE(ends(self));
	for (i = 0; i < 2; i++) {
		RUN("dump", i ? LOG : "live", "--since", since, "--until", until, "--filter",
		    "process == cli_questions", "--format", "%i", "--no-losses");
		EXPECT_TRUE(vc_report(&self->t.r, !strcmp(self->t.r.out, "3\n4\n5\n")));
		if (!i)		/* what a reader has read is gone */
			ASSERT_EQ(0, RUN("stop", "live"));
	}
}

/* A start (1) or stop (2) */
static int operation(FIXTURE_DATA(questions) *self, uint8_t opcode, uint32_t activity)
{
	struct etw_event_write w = {
		.size = sizeof(w), .slot = self->t.slot, .flags = ETW_WRITE_ACTIVITY,
		.activity = { .data1 = activity },
		.desc = { .id = opcode, .level = 4, .opcode = opcode, .keyword = 1 },
	};

	return vm_ioctl(self->t.fd, ETW_IOC_WRITE, &w);
}

/* The text of a member of a JSON object, from at on */
static bool member(const char *at, const char *name, char text[40])
{
	char key[32], format[40];

	snprintf(key, sizeof(key), "\"%s\":\"", name);
	snprintf(format, sizeof(format), "\"%s\":\"%%39[^\"]", name);
	at = at ? strstr(at, key) : NULL;
	return at && sscanf(at, format, text) == 1;
}

/* Does the session have so many readers? */
static bool is_read(FIXTURE_DATA(questions) *self, const char *name, uint32_t readers)
{
	struct etw_session s = vm_session(name);
	struct etw_session_stat st;

	return !vm_ioctl(self->t.fd, ETW_IOC_SESSION_QUERY, &s) &&
	       !vm_stat(self->t.fd, s.handle, &st) && st.consumer_count == readers;
}

/* One operation as JSON, so long; when it begins and ends */
static bool is_one(const struct vc_run *r, double least_ms, char begin[40], char end[40])
{
	const char *at = strstr(r->out, "\"duration_ns\":");

	return vc_report(r, !r->status && vc_objects(r->out) == 1 && at &&
			 atof(at + strlen("\"duration_ns\":")) > least_ms * 1e6 &&
			 member(r->out, "time", begin) &&
			 member(strstr(r->out, "\"stop\":"), "time", end) &&
			 strstr(r->out, "\"id\":1,") && strstr(r->out, "\"stop\":{"));
}

#define AROUND_TIME	"500ms"

/* What the writer did from so long before the second operation to so long after it */
static bool shows_around(const struct vc_run *r)
{
	return vc_report(r, !r->status &&
			 !strcmp(r->out, "1\n  10\n> 1\n  13\n  14\n< 2\n  15\n"));
}

/* The same as JSON: the operation and six events, of which two are its own */
static bool shows_around_json(const struct vc_run *r)
{
	return vc_report(r, !r->status && vc_objects(r->out) == 7 &&
			 strstr(r->out, ",\"around\":{\"operation\":1,\"is\":\"start\"}}\n") &&
			 strstr(r->out, ",\"around\":{\"operation\":1,\"is\":\"stop\"}}\n") &&
			 strstr(r->out, ",\"around\":{\"operation\":1}}\n"));
}

/* Two operations, the second of which takes longer; nothing else is near it but 10 and 15. */
static bool operate(FIXTURE_DATA(questions) *self)
{
	int failed = operation(self, 1, 7);

	write_ids(self->t.fd, self->t.slot, 11, 11);
	failed |= operation(self, 2, 7);
	write_ids(self->t.fd, self->t.slot, 12, 12);
	apart(20 * APART_MS);
	write_ids(self->t.fd, self->t.slot, 10, 10);
	failed |= operation(self, 1, 8);
	write_ids(self->t.fd, self->t.slot, 13, 13);
	apart(30 * APART_MS);
	write_ids(self->t.fd, self->t.slot, 14, 14);
	failed |= operation(self, 2, 8);
	write_ids(self->t.fd, self->t.slot, 15, 15);
	apart(20 * APART_MS);
	write_ids(self->t.fd, self->t.slot, 16, 16);
	return !failed;
}

TEST_F(questions, slowest_operation)
{
	static struct vc_run live, text, json;
	char begin[40], end[40];

	ASSERT_TRUE(start(self, NULL, NULL));
	ASSERT_TRUE(vc_start(&live, "dump", "live", "--slowest", "1", "--json", NULL));
	ASSERT_TRUE(vc_start(&text, "dump", "live", "--slowest", "1", "--around", AROUND_TIME,
			     "--format", "%i", NULL));
	ASSERT_TRUE(vc_start(&json, "dump", "live", "--slowest", "1", "--around", AROUND_TIME,
			     "--filter", "duration > 100ms", "--json", NULL));
	ASSERT_TRUE(vm_until(is_read(self, "live", 3)));
	ASSERT_TRUE(operate(self));
	ASSERT_EQ(0, RUN("stop", "file"));
	RUN("dump", LOG, "--slowest", "1", "--json");
	ASSERT_TRUE(is_one(&self->t.r, 30 * APART_MS, begin, end));
	RUN("dump", LOG, "--since", begin, "--until", end, "--format", "%i");
	EXPECT_TRUE(vc_report(&self->t.r, !strcmp(self->t.r.out, "1\n13\n14\n2\n")));
	RUN("dump", LOG, "--slowest", "1", "--around", AROUND_TIME, "--format", "%i");
	EXPECT_TRUE(shows_around(&self->t.r));
	RUN("dump", LOG, "--slowest", "1", "--around", AROUND_TIME, "--json");
	EXPECT_TRUE(shows_around_json(&self->t.r));
	/* The readers end with the session. */
	ASSERT_EQ(0, vc_run(&other, "stop", "live", NULL));
	EXPECT_EQ(0, vc_end(&live));
	EXPECT_TRUE(is_one(&live, 30 * APART_MS, begin, end));
	EXPECT_EQ(0, vc_end(&text));
	EXPECT_TRUE(shows_around(&text));
	EXPECT_EQ(0, vc_end(&json));
	EXPECT_TRUE(shows_around_json(&json));
}

/* Events in the records of losses; are all of them between the two times? */
static long lost(const char *text, const char *since, const char *until)
{
	char first[40], last[40];
	const char *at;
	long sum = 0;

	for (at = text; (at = strstr(at, "\"loss\":{")); at++) {
		if (!member(at, "first", first) || !member(at, "last", last) ||
		    strcmp(first, since) < 0 || strcmp(last, until) > 0)
			return -1;
		sum += atol(strstr(at, "\"events\":") + strlen("\"events\":"));
	}
	return sum;
}

/* The writer counts what it could not write: the kernel says so. */
TEST_F(questions, losses)
{
	char since[40], until[40];
	long failed = 0;
	char big[5000] = "";

	ASSERT_TRUE(start(self, "--buffer-size", "4K"));
	write_ids(self->t.fd, self->t.slot, 1, 1);
	mark(since);
	while (failed < 20)
		failed += vm_write(self->t.fd, self->t.slot, 2, 4, 1, big, sizeof(big)) != 0;
	mark(until);
	write_ids(self->t.fd, self->t.slot, 3, 3);
	ASSERT_EQ(0, RUN("flush", "live"));
	ASSERT_TRUE(vc_start(&self->t.r, "dump", "live", "--json", NULL));
	EXPECT_TRUE(vm_until((vc_look(&self->t.r), lost(self->t.r.out, since, until) == failed)));
	kill(self->t.r.pid, SIGINT);
	EXPECT_EQ(0, vc_end(&self->t.r));
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.out, "\"cause\":\"buffer_size\"")));
	ASSERT_EQ(0, RUN("stop", "file"));
	RUN("dump", LOG, "--json");
	EXPECT_TRUE(vc_report(&self->t.r, lost(self->t.r.out, since, until) == failed));
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.out, "\"session\":\"file\"")));
	RUN("dump", LOG);
	EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.out, ": larger than a buffer; ")));
}

/* A reader of a flight recorder waits for a flush: it says so. */
TEST_F(questions, recorder_is_read)
{
	ASSERT_EQ(0, RUN("start", "recorder", "--buffering"));
	ASSERT_EQ(0, RUN("enable", "recorder", PROVIDER));
	write_ids(self->t.fd, self->t.slot, 1, 2);
	ASSERT_TRUE(vc_start(&self->t.r, "dump", "recorder", "--format", "%i", NULL));
	EXPECT_TRUE(vm_until((vc_look(&self->t.r), strstr(self->t.r.err, "when etw flush is called\n"))));
	EXPECT_STREQ("", self->t.r.out);
	ASSERT_EQ(0, vc_run(&other, "flush", "recorder", NULL));
	EXPECT_TRUE(vm_until((vc_look(&self->t.r), !strcmp(self->t.r.out, "1\n2\n"))));
	kill(self->t.r.pid, SIGINT);
	EXPECT_EQ(0, vc_end(&self->t.r));
	EXPECT_TRUE(vc_report(&self->t.r, vc_lines(self->t.r.err) == 1));
}

TEST_F(questions, before_the_crash)
{
	ASSERT_EQ(0, system("cp /proc/$PPID/exe " COPY));
	ASSERT_EQ(0, RUN("start", "live"));
	ASSERT_EQ(0, RUN("enable", "live", PROVIDER));
	EXPECT_EQ(128 + SIGSEGV, RUN("record", "-p", PROVIDER, "--buffering", "-o", LOG, "--", COPY,
				     "crash"));
	ASSERT_EQ(0, RUN("flush", "live"));
	RUN("dump", "live", "--last", LAST, "--count", "3", "--format", "%i");
	EXPECT_TRUE(vc_report(&self->t.r, !strcmp(self->t.r.out, "4\n5\n6\n")));
	RUN("dump", LOG, "--last", LAST, "--format", "%i %n");
	EXPECT_TRUE(vc_report(&self->t.r, !strcmp(self->t.r.out, "4 etw-crashes\n5 etw-crashes\n6 etw-crashes\n")));
	RUN("dump", LOG, "--provider", PROVIDER, "--format", "%i");
	EXPECT_TRUE(vc_report(&self->t.r, !strcmp(self->t.r.out, "1\n2\n3\n4\n5\n6\n")));
}

TEST_HARNESS_MAIN
