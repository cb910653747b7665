// SPDX-License-Identifier: MIT
/*
 * cli_report - etw report: every number against etw dump --json (cli_report.py does the sums),
 * with hostile names, losses and operations; bounded memory with very many keys
 */
#define _GNU_SOURCE
#include "unit/etl/etl_loss.h"

#include <sys/resource.h>

#include "cli_run.h"
#include "lib/tap.h"

#define MANIFEST	"--manifest user/samples/etw_blk/etw_blk.man"
#define MANY		100000
#define MEMORY_KB	(64 * 1024)

static const struct etw_guid block =
	ETW_GUID(0x6a5c2f0e, 0x8a43, 0x4d35, 0x9b, 0x7e, 0x2f, 0x1d, 0x0c, 0x9b, 0x8a, 0x71);
static const struct etw_guid process = ETW_PROCESS_GUID;
static const struct etw_guid other = ETW_GUID(0x6a5c2f0e, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8);

static struct make make;
static uint64_t sequence;

static struct etw_event_header *put(const struct etw_guid *provider, uint64_t us, uint16_t id,
				    uint8_t opcode, uint32_t pid, const void *data, uint32_t len)
{
	struct etw_event_header *h = make_driver_event(&make, &sequence, us, id, data, len);

	feed_header(&make.feed)->timestamp = (int64_t)(1000 + us * 1000);
	h->provider = *provider;
	h->desc.opcode = opcode;
	h->desc.version = provider == &block && id == 2;
	h->process_id = pid;
	h->thread_id = pid + 1;
	return h;
}

static void put_process(uint32_t pid, const char *name)
{
	struct etw_process_payload payload = { .pid = pid, .parent = 1, .start_key = pid,
					       .start = MAKE_START };
	char data[256];
	size_t len = sizeof(payload);

	memcpy(data, &payload, len);
	len += (size_t)snprintf(data + len, 64, "%s", name) + 1;
	len += (size_t)snprintf(data + len, 64, "/bin/x") + 1;
	put(&process, 0, 0, ETW_PROCESS_RUNDOWN, pid, data, (uint32_t)len);
}

static void put_request(uint64_t us, uint32_t pid, uint32_t number, bool done)
{
	const struct {
		uint32_t major, minor;
		uint64_t sector;
		uint32_t bytes, op;
		uint64_t request;
	} __attribute__((__packed__)) i = { 254, 0, number * 8, 4096, 1, 0x1000 + number };
	struct {
		uint8_t i[sizeof(i)];
		int32_t error;
		uint64_t latency;
		uint32_t issuer;
		char name[3];
	} __attribute__((__packed__)) c = { .error = number % 7 ? 0 : -5,
					    .latency = number % 2 ? us : UINT64_MAX - us,
					    .issuer = 20, .name = "dd" };

	memcpy(c.i, &i, sizeof(i));
	if (done)
		put(&block, us, 2, 2, pid, &c, sizeof(c))->activity.data1 = number;
	else
		put(&block, us, 3, 1, pid, &i, sizeof(i))->activity.data1 = number;
}

static void begin(void)
{
	sequence = 0;
	make.head.logger_id = 3;
	make_begin(&make, 1);
	make_buffer(&make, 0, sequence);
}

static void end(void)
{
	make_put(&make);
	make_end(&make);
}

/* Several kinds of everything; more rows than the table has */
static void make_mixed(void)
{
	static const struct lost lost = { .first = 20000, .last = 30000, .noted = 40000,
					  .code = ETW_DROP_NO_BUFFER, .cpu = 0, .events = 12,
					  .of_provider = true };
	uint32_t i;

	begin();
	put_process(20, "</script><script>alert(1)</script>");
	put_process(30, "\033[31mred\033[0m \xC3");
	put_process(50, "漢字漢字漢字漢字漢字漢字漢字漢字 a\xCC\x81 b\xCC\x81");
	put_process(40, "a\xE2\x80\xAE" "b\xE2\x80\xA8" "c\nd\"\\");
	for (i = 1; i <= 3000; i++) {
		put_request(i * 10, 20 + i % 5 * 10, i, false);
		if (i % 10)
			put_request(i * 10 + 1 + i * i % 97, 30, i, true);
		put(&other, i * 10 + 2, (uint16_t)(i % 40), 9, i % 17, "\033]0;x\007<b>\xFF", 9)->
			desc.level = (uint8_t)(i % 6);
	}
	make_next(&make, &sequence);
	put_lost(&make.feed, &lost, "one");
	put(&other, 300000, 1, 9, 5, "abc", 3);
	make.head.header.events_lost = 12;
	end();
}

/* As many processes, threads and kinds as events; one process has half of them. */
static void make_wide(void)
{
	uint32_t i;

	begin();
	for (i = 1; i <= MANY; i++) {
		struct etw_event_header *h = put(&other, i, (uint16_t)i, (uint8_t)(10 + i / 65536), i,
						 "abcd", 4);

		h->thread_id = i;
		put(&feed_guid, i, 1, 9, 7, "abcd", 4)->thread_id = 7;
	}
	end();
}

static void check(const char *what, const char *options)
{
	ok(run("report %s --json %s >/tmp/etw-report.%d.json; python3 selftests/unit/cli/cli_report.py "
	       "/tmp/etw-report.%d.json build/etw %s %s", options, make.path, getpid(), getpid(),
	       options, make.path) == 0, "%s: all numbers are those of etw dump", what);
	if (run_err[0] || run_out[0])
		printf("# %.2000s%.2000s\n", run_out, run_err);
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' && *text != '\n')
			return false;
	return true;
}

static void test_mixed(void)
{
	make_mixed();
	check("everything", MANIFEST);
	check("a filter", MANIFEST " --filter 'id == 2'");
	check("a time", MANIFEST " --since +10ms --until +20ms");
	is(run("report " MANIFEST " --json %s", make.path), 0, "JSON");
	ok(is_printable(run_out) && !strpbrk(run_out, "<>&") && !strstr(run_out, "\xE2\x80"),
	   "no control character, and none of HTML's");
	is(run("report " MANIFEST " %s | LC_ALL=C.UTF-8 wc -L | awk '{ exit $1 > 80 }'", make.path), 0,
	   "no line is longer than 80 columns");
	is(run("report " MANIFEST " %s", make.path), 0, "text");
	ok(is_printable(run_out) && strstr(run_out, "INCOMPLETE: 12 events"), "and losses are first");
	ok(strstr(run_out, "\\u001b[31mred"), "escape sequences are escaped");
	ok(strstr(run_out, "2022-06-18 04:26:40.000010 UTC to ") && strstr(run_out, " errors, "),
	   "date and errors are on the first screen");
	is(run("report " MANIFEST " %s | LC_ALL=C.UTF-8 grep -c '^  [0-9.]* m\\?s in all, by '", make.path), 0,
	   "an operation has a second line");
	ok(strstr(run_out, "1\n") != NULL, "for what does not fit into the first");
	is(run("report --strict --json %s >/dev/null", make.path), 3, "--strict");
	unlink(make.path);
}

static void test_wide(void)
{
	struct rusage usage;

	make_wide();
	is(run("report --replace -o /tmp/etw-report.%d.json %s", getpid(), make.path), 0,
	   "100,000 kinds, processes and threads");
	getrusage(RUSAGE_CHILDREN, &usage);
	ok(usage.ru_maxrss < MEMORY_KB, "take %ld KB", usage.ru_maxrss);
	is(run("--version >/dev/null; python3 selftests/unit/cli/cli_report.py --sums /tmp/etw-report.%d.json %d",
	       getpid(), 2 * MANY), 0, "their sums are exact");
	if (run_out[0])
		printf("# %.2000s\n", run_out);
	unlink(make.path);
}

static void test_edges(void)
{
	begin();
	end();
	is(run("report --json %s | python3 -m json.tool", make.path), 0, "a file without events");
	is(run("report %s", make.path), 0, "and as text");
	unlink(make.path);
	make_mixed();
	is(truncate(make.path, 3 * MAKE_SIZE + 100), 0, "a file that is cut off");
	is(run("report --json %s 2>/dev/null | python3 -m json.tool", make.path), 0, "gives a report");
	ok(strstr(run_out, "\"complete\": false"), "that says so");
	is(run("report -o %s.json %s", make.path, make.path), 0, "into a file");
	is(run("report -o %s.html %s", make.path, make.path), 0, "into a page");
	is(run("--version >/dev/null; python3 selftests/unit/cli/cli_report.py --page %s.html %s.json",
	       make.path, make.path), 0, "which holds the same report");
	is(run("report -o %s %s", make.path, make.path), 2, "not of any format");
	is(run("report /nonexistent/a.etl"), 1, "no file");
	unlink(make.path);
	run("--version >/dev/null; rm -f %s.json %s.html /tmp/etw-report.%d.json", make.path, make.path,
	    getpid());
}

int main(void)
{
	test_wide();	/* before other children, which may be larger */
	test_mixed();
	test_edges();
	return done_testing();
}
