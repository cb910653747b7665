// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_dump - etw dump: events as text and JSON, and how it ends
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"
#include "lib/command/vm_cli.h"

#define GUID_TEXT	"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */
#define APP_TEXT	"7e570002-5e1f-4e57-8001-020304050607"	/* vm_guid(2) */

static const char manifest[] =
	"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'"
	" xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'>"
	"<instrumentation><events><provider name='Test-App' symbol='APP' resourceFileName='a'"
	" messageFileName='a' guid='{" APP_TEXT "}'>"
	"<templates><template tid='T'><data name='number' inType='win:UInt32'/>"
	"<data name='message' inType='win:AnsiString'/></template></templates>"
	"<events><event value='1' symbol='Step' name='Step' level='win:Informational' template='T'"
	" message='$(string.Step)'/></events></provider></events></instrumentation>"
	"<localization><resources culture='en-US'><stringTable>"
	"<string id='Step' value='Step %1 says %2'/></stringTable></resources></localization>"
	"</instrumentationManifest>";

FIXTURE(dump) {
	int fd;
	TRACEHANDLE session;
	REGHANDLE reg, app;
	char manifest[32];
	struct vc_run r;
};

FIXTURE_SETUP(dump)
{
	int file;

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vl_start("cli");
	ASSERT_NE(0, self->session);
	self->reg = vl_register(1);
	ASSERT_NE(0, self->reg);
	self->app = vl_register(2);
	ASSERT_NE(0, self->app);
	ASSERT_EQ(0, vl_enable(self->session, 1, 0, 0, 0));
	ASSERT_EQ(0, vl_enable(self->session, 2, 0, 0, 0));
	strcpy(self->manifest, "/tmp/cli_dump.XXXXXX");
	file = mkstemp(self->manifest);
	ASSERT_LE(0, file);
	ASSERT_EQ(sizeof(manifest) - 1, write(file, manifest, sizeof(manifest) - 1));
	close(file);
}

FIXTURE_TEARDOWN(dump)
{
	unlink(self->manifest);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Wait until the running command has printed that many lines. */
static bool lines(FIXTURE_DATA(dump) *self, int count)
{
	return vm_until((vl_control(self->session, EVENT_TRACE_CONTROL_FLUSH),
			 vc_look(&self->r), vc_lines(self->r.out) >= count));
}

static bool writes(FIXTURE_DATA(dump) *self, unsigned int count)
{
	unsigned int i, failed = 0;

	for (i = 0; i < count; i++)
		failed += vl_write(self->reg, 100 + i, 2, 0x10, 0x01020304 + i) != 0;
	return !failed;
}

/* An event that the manifest has */
static ULONG step(FIXTURE_DATA(dump) *self, ULONG number, const char *message)
{
	EVENT_DESCRIPTOR desc = vl_event(1, 4, 1);
	EVENT_DATA_DESCRIPTOR data[2];

	EventDataDescCreate(&data[0], &number, sizeof(number));
	EventDataDescCreate(&data[1], message, strlen(message) + 1);
	return EventWrite(self->app, &desc, 2, data);
}

#define HAS(text)	EXPECT_TRUE(vc_printed(&self->r, text))

TEST_F(dump, text)
{
	GUID activity = vl_guid(0x55), related = vl_guid(0x66);
	EVENT_DESCRIPTOR desc = vl_event(9, 77, 1);
	char source[64];

	ASSERT_TRUE(writes(self, 1));
	ASSERT_EQ(0, step(self, 42, "a \"b\"\n"));
	ASSERT_EQ(0, EventWriteTransfer(self->reg, &desc, &activity, &related, 0, NULL));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--count", "3",
			     "--manifest", self->manifest, NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(3, vc_lines(self->r.out));
	snprintf(source, sizeof(source), " [000] cli_dump-%d/%u " GUID_TEXT, getpid(), vl_tid());
	HAS(source);
	HAS(" event(100) error data=04030201\n");
	HAS(" Test-App Step info number=42 message=\"a \\\"b\\\"\\n\"\n");
	HAS(" event(9) 77 activity=7e570055-5e1f-4e57-8001-020304050607"
	    " related=7e570066-5e1f-4e57-8001-020304050607\n");
}

/* A signal that is ignored stays so; one that is not is how dump and stat are meant to end. */
TEST_F(dump, ignored_signals)
{
	struct sigaction before, ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGINT, &ignore, &before);
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", NULL));
	sigaction(SIGINT, &before, NULL);
	ASSERT_TRUE(writes(self, 1));
	ASSERT_TRUE(lines(self, 1));
	ASSERT_EQ(0, kill(self->r.pid, SIGINT));
	ASSERT_TRUE(writes(self, 1));
	EXPECT_TRUE(lines(self, 2));
	ASSERT_EQ(0, kill(self->r.pid, SIGTERM));
	EXPECT_EQ(0, vc_end(&self->r));
	ASSERT_TRUE(vc_start(&self->r, "stat", "cli", "--interval", "600", NULL));
	ASSERT_TRUE(vm_until((vc_look(&self->r), vc_lines(self->r.out) > 1)));
	ASSERT_EQ(0, kill(self->r.pid, SIGINT));
	EXPECT_EQ(0, vc_end(&self->r));
}

/* The time of --until comes although no event does; what was written before is printed. */
TEST_F(dump, until)
{
	char until[32];
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	vc_run(&self->r, "start", "late", "--flush", "600", NULL);
	vc_run(&self->r, "enable", "late", "-p", GUID_TEXT, NULL);
	HAS("");
	ASSERT_TRUE(writes(self, 2));
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(until, sizeof(until), "+%us", (unsigned int)(now.tv_sec - begin.tv_sec) + 2);
	vc_run(&self->r, "dump", "late", "--until", until, NULL);
	EXPECT_TRUE(vc_report(&self->r, !self->r.status && vc_lines(self->r.out) == 2));
	HAS(" event(101) ");
	/* Long ago: nothing. */
	vc_run(&self->r, "dump", "late", "--until", "+0s", NULL);
	EXPECT_TRUE(vc_report(&self->r, !self->r.status && !*self->r.out));
}

/* A name like a file's is a session's if there is no such file. */
TEST_F(dump, sessions_named_like_files)
{
	static const char *const names[] = { "a/b", "c.etl" };
	TRACEHANDLE session;
	int i;

	for (i = 0; i < 2; i++) {
		session = vl_start(names[i]);
		ASSERT_NE(0, session);
		ASSERT_EQ(0, vl_enable(session, 1, 0, 0, 0));
		ASSERT_TRUE(writes(self, 1));
		EXPECT_EQ(0, vc_run(&self->r, "dump", names[i], "--count", "1", NULL));
		HAS(" event(100) error data=04030201\n");
		EXPECT_EQ(0, vc_run(&self->r, "verify", names[i], NULL));
		EXPECT_EQ(0, vl_control(session, EVENT_TRACE_CONTROL_STOP));
		EXPECT_EQ(1, vc_run(&self->r, "dump", names[i], NULL));
		EXPECT_TRUE(vc_refused(&self->r, 1, "No such file or directory"));
	}
}

TEST_F(dump, json)
{
	char source[64];

	ASSERT_TRUE(writes(self, 1));
	ASSERT_EQ(0, step(self, 42, "a \"b\"\n"));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--json", "-n", "2",
			     "--manifest", self->manifest, NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(2, vc_objects(self->r.out));
	HAS("\"provider\":\"" GUID_TEXT "\",\"provider_name\":null,\"id\":100,");
	HAS("\"level\":2,");
	HAS("\"keyword\":\"0x10\"");
	HAS("\"data\":\"04030201\"");
	HAS("\"process_name\":\"cli_dump\",\"level_name\":\"error\",\"schema\":null,");
	HAS("\"message\":\"Step 42 says a \\\"b\\\"\"}");
	HAS("\"provider\":\"" APP_TEXT "\",\"provider_name\":\"Test-App\",\"id\":1,");
	HAS("\"event\":\"Step\",\"fields\":{\"number\":42,\"message\":\"a \\\"b\\\"\\n\"}");
	HAS("\"cpu\":0");
	snprintf(source, sizeof(source), "\"pid\":%d,\"tid\":%u,", getpid(), vl_tid());
	HAS(source);
}

TEST_F(dump, message)
{
	ASSERT_EQ(0, step(self, 7, "\033[2J"));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--message", "-n", "1", "--no-names",
			     "--manifest", self->manifest, NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	HAS(" Test-App Step info Step 7 says \\u001b[2J\n");
	EXPECT_EQ(NULL, strstr(self->r.out, "cli_dump"));
}

TEST_F(dump, format)
{
	char line[64];

	ASSERT_EQ(0, step(self, 42, "m"));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "-n", "1", "--manifest", self->manifest,
			     "--format", "%P|%e|%n|%p|%s|%{number}|%{message}", NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	snprintf(line, sizeof(line), "Test-App|Step|cli_dump|%d|%u|42|m\n", getpid(), vl_tid());
	EXPECT_STREQ(line, self->r.out);
}

/* By manifests and /proc, and by the members of the header */
TEST_F(dump, choosing)
{
	ASSERT_TRUE(writes(self, 3));
	ASSERT_EQ(0, step(self, 41, "m"));
	ASSERT_EQ(0, step(self, 42, "m"));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--no-names", "--filter", "process == x", NULL));
	EXPECT_EQ(2, vc_end(&self->r));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "-n", "2", "--manifest", self->manifest,
			     "--since", "+0", "--level", "info", "--filter",
			     "id == 101 or (provider == test-app && number == 42 && process == cli_dump)",
			     "--format", "%i|%{number}", NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_STREQ("101|\n1|42\n", self->r.out);
}

/* A thread that ends before its event is printed. */
static void *write_named(void *arg)
{
	FIXTURE_DATA(dump) *self = arg;

	pthread_setname_np(pthread_self(), "a thread");
	return writes(self, 1) ? arg : NULL;
}

TEST_F(dump, names)
{
	pthread_t thread;
	void *good;

	ASSERT_EQ(0, pthread_create(&thread, NULL, write_named, self));
	ASSERT_EQ(0, pthread_join(thread, &good));
	ASSERT_EQ(self, good);
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "-n", "1", "--format", "%n/%S", NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	/* The thread has ended, so its name is unknown. */
	EXPECT_STREQ("cli_dump/\n", self->r.out);
}

/* An event that is too large for any session */
static ULONG lose(FIXTURE_DATA(dump) *self)
{
	static char payload[65500];
	EVENT_DESCRIPTOR desc = vl_event(1, 4, 1);
	EVENT_DATA_DESCRIPTOR data;

	EventDataDescCreate(&data, payload, sizeof(payload));
	return EventWrite(self->reg, &desc, 1, &data);
}

/* A filter does not hide losses, and they do not count. */
TEST_F(dump, losses)
{
	ASSERT_TRUE(writes(self, 1));
	ASSERT_NE(0, lose(self));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--filter", "id == 100", "-n", "2", NULL));
	EXPECT_TRUE(lines(self, 2));
	ASSERT_TRUE(writes(self, 1));
	EXPECT_TRUE(lines(self, 3));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(3, vc_lines(self->r.out));
	HAS(" Etw-Ledger Lost warning 1 event lost on CPU 0: over 64 KB; ");
	HAS("; provider " GUID_TEXT "; session cli\n");
}

TEST_F(dump, losses_json)
{
	ASSERT_NE(0, lose(self));
	ASSERT_TRUE(writes(self, 1));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--json", NULL));
	EXPECT_TRUE(lines(self, 2));
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	vc_end(&self->r);
	EXPECT_EQ(2, vc_objects(self->r.out));
	HAS(",\"loss\":{\"cause\":\"event_size\",\"cause_text\":\"over 64 KB\",\"events\":1,"
	    "\"buffers\":0,\"cpu\":0,");
	HAS(",\"provider\":\"" GUID_TEXT "\",\"provider_name\":null,\"session\":\"cli\",\"remedies\":[]}}\n");
}

TEST_F(dump, raw)
{
	ASSERT_EQ(0, step(self, 1, "m"));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--raw", "-n", "1", NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	HAS("data=010000006d00\n");
}

TEST_F(dump, ends_by_count)
{
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--json", "--count", "5", NULL));
	ASSERT_TRUE(writes(self, 3));
	ASSERT_TRUE(lines(self, 3));
	EXPECT_EQ(0, waitpid(self->r.pid, NULL, WNOHANG));
	ASSERT_TRUE(writes(self, 20));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(5, vc_objects(self->r.out));
	HAS("\"id\":100,");
	HAS("\"id\":101,");
}

TEST_F(dump, ends_when_the_session_stops)
{
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", NULL));
	ASSERT_TRUE(writes(self, 3));
	ASSERT_TRUE(lines(self, 3));
	/* What no flush has delivered comes as well. */
	ASSERT_TRUE(writes(self, 4));
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(7, vc_lines(self->r.out));
	HAS(" event(103) ");
}

static void ends_by(struct __test_metadata *_metadata, FIXTURE_DATA(dump) *self, int signal)
{
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--json", NULL));
	ASSERT_TRUE(writes(self, 3));
	/* Once it prints, its signal handlers are installed. */
	ASSERT_TRUE(lines(self, 3));
	ASSERT_TRUE(writes(self, 2));
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_FLUSH));
	ASSERT_EQ(0, kill(self->r.pid, signal));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(5, vc_objects(self->r.out));
	HAS("\"id\":101,");
	/* The session runs on. */
	EXPECT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_QUERY));
}

TEST_F(dump, ends_by_sigint)
{
	ends_by(_metadata, self, SIGINT);
}

TEST_F(dump, ends_by_sigterm)
{
	ends_by(_metadata, self, SIGTERM);
}

TEST_F(dump, ends_by_duration)
{
	long long begin = vm_ms();

	EXPECT_EQ(0, vc_run(&self->r, "dump", "cli", "--duration", "0.3", NULL));
	EXPECT_LE(300, vm_ms() - begin);
	HAS("");
	EXPECT_STREQ("", self->r.out);
}

/* Losses are reported on stderr and are no failure. */
static bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

/* The reader of its pipe is gone: it ends, although no event comes. */
TEST_F(dump, ends_without_readers)
{
	int ends[2];
	char c;

	ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
	self->r.to = ends[1];
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", NULL));
	close(ends[1]);
	ASSERT_TRUE(writes(self, 1));
	ASSERT_TRUE(vm_until((vl_control(self->session, EVENT_TRACE_CONTROL_FLUSH),
			      readable(ends[0]))));
	ASSERT_EQ(1, read(ends[0], &c, 1));
	EXPECT_EQ(0, waitpid(self->r.pid, NULL, WNOHANG));
	close(ends[0]);
	EXPECT_EQ(128 + SIGPIPE, vc_end(&self->r));
}

TEST_F(dump, reports_losses)
{
	char *big = calloc(1, 65000);
	EVENT_DESCRIPTOR desc = vl_event(1, 1, 1);
	EVENT_DATA_DESCRIPTOR data;

	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--count", "2", NULL));
	ASSERT_TRUE(writes(self, 1));
	ASSERT_TRUE(lines(self, 1));
	EventDataDescCreate(&data, big, 65536);
	EXPECT_EQ(ERROR_ARITHMETIC_OVERFLOW, EventWrite(self->reg, &desc, 1, &data));
	ASSERT_TRUE(writes(self, 1));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(2, vc_lines(self->r.out));
	EXPECT_STREQ("etw: 1 event lost when written: over 64 KB\n", self->r.err);
	free(big);
}

/* --strict: only what was lost while it read makes it fail. */
TEST_F(dump, strict)
{
	ASSERT_NE(0, lose(self));
	ASSERT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_FLUSH));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--strict", "--json", "--count", "2", NULL));
	ASSERT_TRUE(writes(self, 1));
	/* The record of the loss is no event. */
	ASSERT_TRUE(lines(self, 2));
	ASSERT_TRUE(writes(self, 1));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_STREQ("", self->r.err);
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--strict", "--count", "2", NULL));
	ASSERT_TRUE(writes(self, 1));
	ASSERT_TRUE(lines(self, 1));
	ASSERT_NE(0, lose(self));
	ASSERT_TRUE(writes(self, 1));
	EXPECT_EQ(3, vc_end(&self->r));
	EXPECT_STREQ("etw: 1 event lost when written: over 64 KB\n", self->r.err);
}

TEST_HARNESS_MAIN
