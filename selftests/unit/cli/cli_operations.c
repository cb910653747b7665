// SPDX-License-Identifier: MIT
/*
 * cli_operations - etw dump --operations on a file, against the test's own table of requests; which
 * events around the longest ones are kept while a session is read
 */
#include "unit/etl/etl_make.h"

#include <inttypes.h>

#include "cli/input/around.h"
#include "cli_run.h"
#include "lib/tap.h"

#define MANIFEST	"--manifest user/samples/etw_blk/etw_blk.man"

static const struct etw_guid block =
	ETW_GUID(0x6a5c2f0e, 0x8a43, 0x4d35, 0x9b, 0x7e, 0x2f, 0x1d, 0x0c, 0x9b, 0x8a, 0x71);
static const struct etw_guid process = ETW_PROCESS_GUID;
static const struct etw_guid other = ETW_GUID(0x6a5c2f0e, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8);

static struct make make;
static uint64_t sequence;

static void put(const struct etw_guid *provider, uint64_t us, uint16_t id, uint8_t opcode,
		uint32_t pid, uint32_t activity, const void *data, uint32_t len)
{
	struct etw_event_header *h = make_driver_event(&make, &sequence, us, id, data, len);

	h->provider = *provider;
	h->desc.opcode = opcode;
	h->desc.version = provider == &block && id == 2;
	h->process_id = pid;
	h->thread_id = pid + 1;
	h->activity.data1 = activity;
}

static void put_process(uint64_t us, uint8_t what, uint32_t pid, const char *name)
{
	struct etw_process_payload payload = { .pid = pid, .parent = 1, .start_key = pid,
					       .start = MAKE_START };
	char data[128];
	size_t len = sizeof(payload);

	memcpy(data, &payload, len);
	len += (size_t)snprintf(data + len, 32, "%s", name) + 1;
	len += (size_t)snprintf(data + len, 32, "/bin/%s", name) + 1;
	put(&process, us, 0, what, pid, 0, data, (uint32_t)len);
}

struct request {
	uint32_t major, minor;
	uint64_t sector;
	uint32_t bytes, op;
	uint64_t request;
} __attribute__((__packed__));

static void queue(uint64_t us, uint32_t pid, uint32_t number, bool activity)
{
	const struct request i = { 254, 0, number * 8, 4096, 1, 0x1000 + number };

	put(&block, us, 3, 1, pid, activity ? number : 0, &i, sizeof(i));
}

static void complete(uint64_t us, uint32_t pid, uint32_t number, bool activity)
{
	const struct {
		struct request i;
		int32_t error;
		uint64_t latency;
		uint32_t issuer;
		char name[3];
	} __attribute__((__packed__)) c = {
		{ 254, 0, number * 8, 4096, 1, 0x1000 + number }, -(int32_t)number, 7, 20, "dd",
	};

	put(&block, us, 2, 2, pid, activity ? number : 0, &c, sizeof(c));
}

/* Requests of dd and sync, completed while others run, in an order of their own */
static void make_file(void)
{
	sequence = 1;
	make_begin(&make, 1);
	make_buffer(&make, 0, sequence);
	put_process(0, ETW_PROCESS_RUNDOWN, 20, "dd");
	put_process(0, ETW_PROCESS_RUNDOWN, 30, "sync");
	put_process(0, ETW_PROCESS_RUNDOWN, 99, "bystander");
	complete(5, 99, 50, true);
	queue(10, 20, 1, true);
	queue(20, 30, 2, true);
	queue(30, 20, 3, true);
	complete(530, 99, 3, true);
	complete(1520, 20, 2, true);
	complete(2010, 99, 1, true);
	queue(3000, 20, 4, false);
	queue(3001, 20, 5, false);
	complete(3005, 99, 4, false);
	complete(3011, 99, 5, false);
	queue(4000, 30, 6, true);
	make_put(&make);
	make_end(&make);
}

#define DUMP	"dump " MANIFEST " --operations "

static void test_text(void)
{
	is(run(DUMP "--format '%%n %%d %%{sector} %%{error}' %s", make.path), 0, "operations");
	ok(run_printed("dd 500.000us 24 -3 sync 1.500ms 16 -2 dd 2.000ms 8 -1 dd 5.000us 32 -4 dd 10.000us 40 -5"),
	   "as the requests were, each blamed on its issuer");
	ok(run_reported("1 operation did not end\n") &&
	   run_reported("1 operation ended that had not begun\n") &&
	   run_reported("if they belong together, --by FIELD pairs them"), "and those that remain alone");
	is(run(DUMP "--filter 'duration > 1ms' --time utc %s", make.path), 0, "slow ones");
	ok(strstr(run_out, " [000] sync-30/31 Sample-Block RequestQueue info 1.500ms major=254") &&
	   strstr(run_out, " [000] dd-20/21 Sample-Block RequestQueue info 2.000ms major=254 minor=0 sector=8 bytes=4096 op=write request=0x1001 error=-1 latency_ns=7 issuer=20 issuer_name=\"dd\" activity="),
	   "in lines with the fields of both");
	ok(!strstr(run_out, "500.000us"), "and no others");
	is(run(DUMP "--filter 'duration > 1ms && process == dd && error == -1' --format '%%d' %s",
	       make.path), 0, "by process and a field of the stop");
	ok(run_printed("2.000ms"), "one");
	is(run(DUMP "--filter 'exists(duration)' --format '%%d' %s", make.path), 0, "all have a duration");
	ok(run_printed("500.000us 1.500ms 2.000ms 5.000us 10.000us") && !strstr(run_err, "--filter"),
	   "without a doubt: %s", run_err);
	is(run(DUMP "--filter 'process == nobody && process_path != /bin/sh' %s", make.path), 0,
	   "by a process that did nothing");
	ok(run_printed("") && !strstr(run_err, "could be compared"), "none: the names are known");
	is(run("dump " MANIFEST " --filter 'process == sync && latency_ns > 0' %s", make.path), 0,
	   "by a field that only other processes' events have");
	ok(run_printed("") && run_reported("no event that the other tests let pass is known to have a field"),
	   "the report says where it was looked for: %s", run_err);
	is(run(DUMP "--pid 30 --count 1 --format '%%d' %s", make.path), 0, "by the starter's id");
	ok(run_printed("1.500ms"), "one");
}

static void test_json(void)
{
	is(run(DUMP "--json --filter 'duration == 1500000' %s", make.path), 0, "JSON");
	ok(strstr(run_out, "\"process_name\":\"sync\"") && strstr(run_out, "\"event\":\"RequestQueue\"") &&
	   strstr(run_out, "\"duration_ns\":1500000,\"stop\":{\"time\":\"2022-06-18T04:26:40.0015200Z\",\"event\":\"RequestComplete\",\"pid\":20,\"tid\":21,\"cpu\":0,\"fields\":{"),
	   "has the stop as an object");
	is(run("dump --operations --json --count 1 %s", make.path), 0, "without a manifest");
	ok(strstr(run_out, ",\"stop\":{\"time\":\"2022-06-18T04:26:40.0005300Z\",\"event\":null,\"pid\":99,"),
	   "the stop has no name");
}

static void test_by(void)
{
	is(run(DUMP "--by request --format '%%n %%d %%{sector}' %s", make.path), 0, "by a field");
	ok(run_printed("dd 500.000us 24 sync 1.500ms 16 dd 2.000ms 8 dd 5.000us 32 dd 10.000us 40"),
	   "the same");
	is(run(DUMP "--by activity --format '%%d' %s", make.path), 0, "by activity");
	ok(run_printed("500.000us 1.500ms 2.000ms") &&
	   run_reported("4 events had no activity, so nothing to be paired by"), "only those that have one");
	is(run(DUMP "--by thread --format '%%n %%d' %s", make.path), 0, "by thread");
	ok(run_printed("dd 1.490ms") && !strstr(run_err, "--by FIELD"), "whatever its thread started last");
	is(run(DUMP "--by nothing %s", make.path), 0, "by a field that is not there");
	ok(!run_out[0] && run_reported("12 events had no \"nothing\""), "nothing");
}

static void test_slowest(void)
{
	is(run(DUMP "--slowest 2 --format '%%n %%d %%{sector} %%{error}' %s", make.path), 0, "the slowest");
	ok(run_printed("dd 2.000ms 8 -1 sync 1.500ms 16 -2"), "the longest first");
	is(run("dump " MANIFEST " --slowest 1000 --format '%%d' %s", make.path), 0, "more than there are");
	ok(run_printed("2.000ms 1.500ms 500.000us 10.000us 5.000us"), "all");
	is(run(DUMP "--slowest 1 --filter 'process == dd && duration < 1ms' --json %s", make.path), 0,
	   "the slowest of some");
	ok(strstr(run_out, "\"duration_ns\":500000,\"stop\":{") && strchr(run_out, '\n')[1] == '\0' &&
	   strstr(run_out, "\"event\":\"RequestComplete\""), "one: %s", run_out);
	is(run("dump " MANIFEST " --slowest 1 --filter 'id == 77' %s", make.path), 0, "of none");
	ok(run_printed(""), "none");
}

/* Of all events, whoever wrote them, those in the time are printed. */
static void test_around(void)
{
	is(run("dump " MANIFEST " --slowest 1 --around 480us --pid 20 --format '%%i %%n %%d %%{sector}' %s",
	       make.path), 0, "what happened around the slowest");
	ok(run_printed("3 dd 2.000ms 8   2 bystander  400 > 3 dd  8   3 sync  16   3 dd  24   2 bystander  24   2 dd  16 < 2 bystander  8"),
	   "its start and stop are marked");
	is(run(DUMP "--slowest 2 --around 10us --format '%%i %%{sector}' %s", make.path), 0, "around two");
	ok(run_printed("3 8   2 400 > 3 8   3 16   3 24   2 24   2 16 < 2 8 3 16   3 8 > 3 16   3 24   2 24 < 2 16"),
	   "the events of both are shown with both");
	is(run(DUMP "--slowest 1 --around 0 --filter 'duration < 8us' --json %s", make.path), 0, "JSON");
	ok(strstr(run_out, "\"duration_ns\":5000,") &&
	   strstr(run_out, ",\"around\":{\"operation\":1,\"is\":\"start\"}}\n") &&
	   strstr(run_out, ",\"around\":{\"operation\":1}}\n") &&
	   strstr(run_out, ",\"around\":{\"operation\":1,\"is\":\"stop\"}}\n"), "marks them by a member");
	is(run(DUMP "--slowest 1 --around 1h --processes --format '%%P %%O' %s", make.path), 0,
	   "around the whole trace");
	ok(strstr(run_out, "  35c3c148-") && !strstr(run_out, "EventTrace"),
	   "with the processes on demand, without the file's header");
	is(run(DUMP "--slowest 1 --around 10us --columns event,fields %s", make.path), 0, "in columns");
	ok(strstr(run_out, "\n> RequestQueue ") && strstr(run_out, "\n  RequestComplete ") &&
	   strstr(run_out, "\n< RequestComplete "), "marked as well");
}

#define FIELDS	100

/* All fields of a stop event are shown, however many it has. */
static void test_many_fields(void)
{
	char path[] = "/tmp/etw-fields-XXXXXX";
	uint8_t values[FIELDS];
	FILE *f = fdopen(mkstemp(path), "w");
	unsigned int i;

	if (!f)
		abort();
	fputs("<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'>"
	      "<instrumentation><events><provider name='Wide' symbol='W' resourceFileName='w'"
	      " messageFileName='w' guid='{6a5c2f0e-0000-0000-0102-030405060708}'><templates>"
	      "<template tid='T'>", f);
	for (i = 0; i < FIELDS; i++) {
		values[i] = (uint8_t)i;
		fprintf(f, "<data name='F%u' inType='win:UInt8'/>", i);
	}
	fputs("</template></templates><events><event value='1' symbol='A' opcode='win:Start'/>"
	      "<event value='2' symbol='B' opcode='win:Stop' template='T'/></events>"
	      "</provider></events></instrumentation></instrumentationManifest>", f);
	fclose(f);
	sequence = 1;
	make_begin(&make, 1);
	make_buffer(&make, 0, sequence);
	put(&other, 10, 1, 1, 20, 1, NULL, 0);
	put(&other, 20, 2, 2, 20, 1, values, sizeof(values));
	make_put(&make);
	make_end(&make);
	is(run("dump --operations --manifest %s %s", path, make.path), 0, "a stop with many fields");
	ok(strstr(run_out, " F0=0 F1=1 ") && strstr(run_out, " F64=64 ") && strstr(run_out, " F99=99 "),
	   "has them all: %s", run_out);
	unlink(make.path);
	unlink(path);
}

#define MANY	18000	/* events of 3,800 bytes: more than the 64 MB that are kept */

static void test_around_many(void)
{
	static const char big[3800];
	const char *at;
	unsigned int i;

	make_begin(&make, 1);
	sequence = 1;
	make_buffer(&make, 0, sequence);
	queue(10, 20, 1, true);
	for (i = 0; i < MANY; i++)
		put(&other, 20 + i, 77, 0, 20, 0, big, sizeof(big));
	complete(20 + MANY, 20, 1, true);
	make_put(&make);
	make_end(&make);
	is(run("dump " MANIFEST " --slowest 1 --around 1s --format %%i %s", make.path), 0,
	   "more than is kept");
	ok(run_reported(" events around it are missing: ") && run_reported("64 MB; --since and --until print them"),
	   "is reported: %s", run_err);
	for (i = 0, at = run_out; (at = strstr(at, "  77\n")); at++)
		i++;
	at = strstr(run_err, "operation 1: ");
	ok(at && i && i + strtoul(at + strlen("operation 1: "), NULL, 10) == MANY,
	   "with the number, all but %u: %s", i, run_err);
	unlink(make.path);
}

static void test_wrong(void)
{
	static const struct {
		const char *options, *message;
	} wrong[] = {
		{ "--by thread", "--by: only with --operations" },
		{ "--operations --raw", "--raw" },
		{ "--around 1s", "--around: only with --slowest" },
		{ "--slowest 1 --around soon", "is not a time" },
		{ "--slowest 1 --around -1s", "is not a time" },
		{ "--slowest 1 --around 3:00", "is not a time" },
		{ "--slowest 1 --count 1", "--count" }, { "--slowest 0", "1 to 1000" },
		{ "--filter 'duration > 1ms'", "only operations have one" },
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok(run("dump %s %s", wrong[i].options, make.path) == 2 &&
		   run_reported(wrong[i].message) && !run_out[0], "refused: %s", wrong[i].options);
}

/* A file that has nothing else is not empty. */
static void test_processes_only(void)
{
	static const char hidden[] = "all events are of Etw-Process, ";

	make_begin(&make, 1);
	make_buffer(&make, 0, 1);
	put_process(0, ETW_PROCESS_RUNDOWN, 20, "dd");
	make_put(&make);
	make_end(&make);
	is(run("dump %s", make.path), 0, "a file with processes only");
	ok(strstr(run_out, "EventTrace/Header") && !strstr(run_out, "\"dd\"") && run_reported(hidden),
	   "says so");
	is(run("dump --processes %s", make.path), 0, "--processes");
	ok(strstr(run_out, "35c3c148-") && !strstr(run_err, hidden), "shows them");
	is(run("convert --to csv %s", make.path), 0, "as CSV");
	ok(run_reported(hidden), "the same");
	is(run("convert --to csv --pid 1 %s", make.path), 0, "of another process");
	ok(!strstr(run_err, hidden), "nobody knows");
	unlink(make.path);
}

/* ------------------------------------------------- what is kept of a session's events */

#define BIG	65000
#define FULL	(AROUND_BYTES / BIG)	/* events that fill what is kept, or a few more */
#define SPAN	10

static struct etw_buffer_header buffer;

/* An event at this time, whose id is its low bits */
static struct etw_event event_at(int64_t time, uint32_t size)
{
	static struct etw_event_header header;
	static uint8_t payload[BIG];

	memset(&header, 0, sizeof(header));
	header.desc.id = (uint16_t)time;
	header.timestamp = time;
	return (struct etw_event){
		.record = { .header = &header, .data = payload, .data_len = size },
		.buffer = &buffer, .time = time,
	};
}

static void keep_event(struct around *around, int64_t time, uint32_t size)
{
	const struct etw_event event = event_at(time, size);

	around_event(around, &event);
}

static void end_operation(struct around *around, unsigned int rank, int64_t start, int64_t stop)
{
	struct etw_buffer_header none = { 0 };
	struct etw_event end = { .buffer = &none, .time = stop };
	struct operation o = { .start = { .buffer = &none, .time = start }, .stop = &end };

	around_operation(around, rank, &o);
}

/* The events from one time to another, and no others, are around the one of this rank. */
static bool has(struct around *around, unsigned int rank, int64_t from, int64_t to)
{
	struct etw_event event;
	int64_t next = from;

	around_begin(around, rank);
	while (around_next(around, &event)) {
		if (event.time != next || event.record.header->timestamp != next)
			return false;
		next++;
	}
	return next == to + 1;
}

/* What around_report() says; "": nothing */
static const char *said(struct around *around, unsigned int rank)
{
	static char text[512];
	FILE *err = tmpfile();
	int saved = dup(STDERR_FILENO);
	ssize_t len;

	fflush(stderr);
	dup2(fileno(err), STDERR_FILENO);
	around_report(around, rank);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	len = pread(fileno(err), text, sizeof(text) - 1, 0);
	text[len > 0 ? len : 0] = '\0';
	fclose(err);
	return text;
}

/* Events up to and after the operations, of which a longer one takes the first's place */
static void test_around_ranks(void)
{
	struct around *around = around_new(SPAN, 2);
	int64_t time;

	for (time = 1; time <= 200; time++) {
		keep_event(around, time, 8);
		if (time == 50)
			end_operation(around, 0, 40, 50);
		if (time == 90)
			end_operation(around, 1, 85, 90);
		if (time == 150)
			end_operation(around, 0, 120, 150);
	}
	end_operation(around, 2, 199, 200);
	ok(has(around, 0, 110, 160) && has(around, 1, 30, 60), "both have theirs, the longest first");
	ok(!*said(around, 0) && !*said(around, 1), "nothing is missing");
	around_free(around);
}

/* Much comes after the operation: what is around it stays. */
static void test_around_stays(void)
{
	struct around *around = around_new(SPAN, 1);
	int64_t time;

	for (time = 1; time <= 3 * FULL; time++) {
		keep_event(around, time, time > 100 ? BIG : 8);
		if (time == 50)
			end_operation(around, 0, 40, 50);
	}
	ok(has(around, 0, 30, 60) && !*said(around, 0), "events around it outlive many later ones");
	/* It gives way, and then its events are given up for those of the next ones. */
	end_operation(around, 0, time - 500, time - 400);
	ok(has(around, 0, time - 510, time - 390) && !*said(around, 0), "the next one has its own");
	around_free(around);
}

/* Much came between start and stop: the first is missing, and that is said. */
static void test_around_cut(void)
{
	struct around *around = around_new(SPAN, 1);
	struct etw_event event;
	unsigned int count = 0;
	int64_t time;

	for (time = 1; time <= 3 * FULL; time++)
		keep_event(around, time, BIG);
	end_operation(around, 0, 100, 3 * FULL);
	for (around_begin(around, 0); around_next(around, &event); count++)
		;
	ok(count > FULL / 2 && count <= FULL && event.time == 3 * FULL, "the last ones are there: %u", count);
	ok(strstr(said(around, 0), "operation 1: events up to 1601-01-01 "), "the others are reported: %s",
	   said(around, 0));
	around_free(around);
}

/* More is around one than fits */
static void test_around_full(void)
{
	struct around *around = around_new(INT64_MAX / 2, 1);
	struct etw_event event;
	uint64_t count = 0, missing = 0;
	int64_t time;
	const char *at;

	keep_event(around, 1, BIG);
	end_operation(around, 0, 1, 1);
	for (time = 2; time <= 4 * FULL; time++)
		keep_event(around, time, BIG);
	for (around_begin(around, 0); around_next(around, &event); count++)
		;
	at = strstr(said(around, 0), "operation 1: ");
	if (at)
		missing = strtoull(at + strlen("operation 1: "), NULL, 10);
	ok(count > FULL && count <= 2 * FULL && count + missing == 4 * FULL,
	   "%" PRIu64 " are there, %" PRIu64 " are missing", count, missing);
	around_free(around);
}

int main(void)
{
	make_file();
	test_text();
	test_json();
	test_by();
	test_slowest();
	test_around();
	test_wrong();
	unlink(make.path);
	test_processes_only();
	test_around_many();
	test_around_ranks();
	test_around_stays();
	test_around_cut();
	test_around_full();
	test_many_fields();
	return done_testing();
}
