// SPDX-License-Identifier: MIT
/* cli_select - the options that select events, on log files; needs no device */
#include "unit/etl/etl_make.h"

#include "cli_run.h"
#include "lib/shell.h"
#include "lib/tap.h"

static const struct etw_guid other_guid = ETW_GUID(0x12345678, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8);

/* The event with id n is n * 100 ticks, of 1 ns, after the start at clock 1000. */
static void put(struct make *m, const struct etw_guid *provider, uint16_t id, uint8_t level,
		uint64_t keyword, uint32_t pid)
{
	struct etw_event_header *h;
	uint32_t at = feed_header(&m->feed)->offset;

	if (!feed_event(&m->feed, 1000 + id * 100, id, NULL, "abc", 3))
		abort();
	h = (void *)(m->data + at);
	h->provider = *provider;
	h->desc.level = level;
	h->desc.keyword = keyword;
	h->process_id = pid;
}

static void make_file(struct make *m)
{
	make_begin(m, 1);
	make_buffer(m, 0, 1);
	put(m, &feed_guid, 10, 1, 0x1, 7);
	put(m, &feed_guid, 20, 4, 0x2, 7);
	put(m, &other_guid, 30, 5, 0x4, 8);
	put(m, &other_guid, 40, 2, 0x0, 9);
	put(m, &other_guid, 50, 0, 0x6, 4000000000u);
	make_put(m);
	make_end(m);
}

/* A TraceLogging event "Work"; its metadata come in the place of a related activity. */
static void put_work(struct make *m, uint8_t opcode)
{
	static const struct etw_guid meta;	/* only its place */
	struct etw_event_header *h;
	uint32_t at = feed_header(&m->feed)->offset;
	struct etw_ext_item *item;
	uint8_t *bytes;

	if (!feed_event(&m->feed, 9000, 0, &meta, "", 0))
		abort();
	h = (void *)(m->data + at);
	h->desc.opcode = opcode;
	item = (void *)(h + 1);
	item->type = ETW_EXT_EVENT_SCHEMA;
	bytes = (void *)(item + 1);
	memcpy(bytes, "\x08\0\0Work", 8);
}

static const char manifest[] =
	"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'>"
	"<instrumentation><events><provider name='Named' symbol='N' resourceFileName='n'"
	" messageFileName='n' guid='{12345678-0001-0002-0102-030405060708}'>"
	"<levels><level name='Loud' symbol='LOUD' value='17'/></levels>"
	"<tasks><task name='Disk' value='5'/><task name='Paid' value='6'/></tasks>"
	"<keywords><keyword name='Read' symbol='K_READ' mask='0x2'/>"
	"<keyword name='Add' mask='0x4'/></keywords><events>"
	"<event value='1' version='2' task='Disk' opcode='win:Start' symbol='Begun'/>"
	"<event value='2' version='2' task='Disk' opcode='win:Stop' symbol='Ended'/>"
	"<event value='3' version='2' task='Paid' symbol='Paying'/>"
	"<event value='4' version='2' symbol='Paid'/>"
	"</events></provider></events></instrumentation></instrumentationManifest>";

static void make_named(struct make *m, char *path)
{
	FILE *f;

	make_begin(m, 1);
	make_buffer(m, 0, 1);
	put(m, &other_guid, 1, 16, 0x2, 7);
	put(m, &other_guid, 2, 17, 0x4, 7);
	put(m, &other_guid, 3, 18, 0x6, 7);
	put(m, &other_guid, 4, 0, 0, 7);
	put(m, &feed_guid, 5, 3, 0x2, 7);
	put_work(m, 1);
	make_put(m);
	make_end(m);
	strcpy(path, "/tmp/etw-select-XXXXXX");
	f = fdopen(mkstemp(path), "w");
	if (!f || fputs(manifest, f) < 0 || fclose(f))
		abort();
}

/* stderr is one line, which begins so */
static bool is_only(const char *text)
{
	if (!strncmp(run_err, "etw: ", 5) && !strncmp(run_err + 5, text, strlen(text)) &&
	    strchr(run_err, '\n')[1] == '\0')
		return true;
	printf("# got %s\n", run_err);
	return false;
}

/* A trace without events has at least a time. */
static void test_empty(void)
{
	static struct make m;

	make_begin(&m, 1);
	make_end(&m);
	ok(run("dump --pid 7 %s", m.path) == 0 &&
	   is_only("no event matched; there was none to look at in the trace, from 2022-06-18 04:26:40.0000000+00:00 to 2022-06-18 04:26:41.0000000+00:00\n"),
	   "there was no event at all");
	unlink(m.path);
}

/* One event far in the future among others, in the second of several buffers. */
static void make_far(struct make *m)
{
	uint16_t i;

	make_begin(m, 1);
	for (i = 1; i < 10; i++) {
		make_buffer(m, 0, i);
		put(m, &feed_guid, i, 1, 0x1, 7);
		if (i == 2) {
			put(m, &feed_guid, 60000, 1, 0x1, 7);
			put(m, &feed_guid, 3, 1, 0x1, 7);
		}
		make_put(m);
	}
	make_end(m);
}

static void chooses(const char *path, const char *options, const char *ids)
{
	char what[256];

	snprintf(what, sizeof(what), "%s: %s", options, ids);
	ok(run("dump --format %%i %s %s", options, path) == 0 && run_printed(ids), "%s", what);
}

static void test_choosing(const char *path)
{
	chooses(path, "", "0 10 20 30 40 50");
	chooses(path, "--provider 12345678-0001-0002-0102-030405060708", "30 40 50");
	chooses(path, "-p 12345678-0001-0002-0102-030405060708", "30 40 50");
	chooses(path, "--provider '{0000feed-0000-0000-0100-000000000000}'", "10 20");
	chooses(path, "--provider 12345678-0001-0002-0102-030405060708 --provider "
		"0000feed-0000-0000-0100-000000000000", "10 20 30 40 50");
	chooses(path, "--provider MSNT_SystemTrace", "0");
	chooses(path, "--id 20", "20");
	chooses(path, "--id 20,40 --id 5-15", "10 20 40");
	chooses(path, "--level error", "0 10 40 50");
	chooses(path, "--level 4", "0 10 20 40 50");
	chooses(path, "--keyword 2", "20 50");
	chooses(path, "--keyword 0x5", "10 30 50");
	chooses(path, "--pid 7", "10 20");
	chooses(path, "--pid 8,4000000000", "30 50");
	chooses(path, "--pid 8-9 --level warning", "40");
	chooses(path, "--since +3us", "30 40 50");
	chooses(path, "--since 2us --until +0.000004", "20 30 40");
	chooses(path, "--until 2022-06-18T04:26:40.000002Z", "0 10 20");
	chooses(path, "--since '2022-06-18 04:26:40.000003'", "30 40 50");
	chooses(path, "--since 4:26:40.0000031 --until 4:26:41", "40 50");
	chooses(path, "--until 2021-01-01", "");
	/* The file ends one second after it began. */
	chooses(path, "--since -999997us", "30 40 50");
	chooses(path, "--last 0.999997", "30 40 50");
	chooses(path, "--last 999998us --until -999996us", "20 30 40");
	chooses(path, "--last 2h", "0 10 20 30 40 50");
	chooses(path, "--last 1ms", "");
	chooses(path, "--filter 'id > 20 && pid != 9'", "30 50");
	chooses(path, "--filter 'id > 20' --filter 'level < 5'", "40 50");
	chooses(path, "--filter 'provider == MSNT_SystemTrace'", "0");
	chooses(path, "--filter 'exists(BufferSize) && BufferSize == 4096'", "0");
	chooses(path, "--filter 'keyword & 4' -n 1", "30");
	chooses(path, "--pid 7 -n 1 --id 20", "20");
}

static void test_wrong(const char *path)
{
	static const struct {
		const char *option, *message;
	} wrong[] = {
		{ "--provider 12345678-0001", "not a complete GUID" }, { "--provider ''", "--provider" },
		{ "--id -x", "--id" }, { "--id 65536", "--id" }, { "--id 5-", "--id" },
		{ "--id 5-4", "not a range" }, { "--id ,", "--id" }, { "--pid -1", "--pid" },
		{ "--level 256", "--level" }, { "--level ?", "--level" },
		{ "--keyword ?", "--keyword" }, { "--keyword 1,", "--keyword" },
		{ "--since soon", "not a time" }, { "--until 1.5", "not a time" },
		{ "--since +2 --until +1", "is before" }, { "--filter 'pid == x'", "column 8" },
		{ "--filter ''", "column 1" }, { "--no-names --filter 'process == x'", "process" },
		{ "--last -5s", "--last: \"-5s\" is not a time" }, { "--last 3:00", "not a time" },
		{ "--last 5s --since +1", "either --last or --since" },
		{ "--last 5s --until -6s", "is before 5s, which is --last" },
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok(run("dump %s %s", wrong[i].option, path) == 2 && run_reported(wrong[i].message) &&
		   !run_out[0], "refused: %s", wrong[i].option);
	ok(run("dump --provider Nobody %s", path) == 0 &&
	   run_reported("no event is of provider \"Nobody\""),
	   "a provider without an event is reported");
	ok(run("dump --provider Nobody -n 1 %s", path) == 0 &&
	   run_reported("no event is of provider \"Nobody\""), "also if there was not even one");
	ok(run("dump --filter 'pid >= 0 || nosuch == 1' -n 1 %s", path) == 0 && run_reported(""),
	   "but not if not all were read");
}

/* stderr has this line exactly once */
static void tells_once(const char *path, const char *command, const char *filter,
		       const char *line)
{
	const char *at;

	ok(run("%s --filter '%s' %s", command, filter, path) == 0 && run_reported(line) &&
	   (at = strstr(run_err, line)) && !strstr(at + 1, line), "%s: %s", filter, line);
}

static void test_missing(const char *path)
{
	static const char *const silent[] = {
		"BufferSize == 1", "BufferSize < 4K", "id == 20", "exists(BufferSize)", "* == 7",
		"provider == nobody && Nope == 1", "provider == nobody && process == dd",
	};
	size_t i;

	tells_once(path, "dump", "id == 0 && (bufferSize == 4096 || bufferSize > 1 || bufferSize)",
		   "--filter: column 13: no event that the other tests let pass is known to have a field \"bufferSize\"\n");
	tells_once(path, "dump", "Nope || Other.Nope > 3",
		   "etw: --filter: column 1: no event is known to have a field \"Nope\"\n");
	tells_once(path, "dump", "Nope || Other.Nope > 3",
		   "--filter: column 9: no event is known to have a field \"Other.Nope\"\n");
	tells_once(path, "dump", "BufferSize == 5ms",
		   "--filter: column 1: no event has a value that \"BufferSize == 5ms\" could compare\n");
	tells_once(path, "convert --to text -o /dev/null --replace", "Nope", "a field \"Nope\"\n");
	tells_once(path, "split --by cpu -o /tmp/none_%d", "Nope", "a field \"Nope\"\n");
	tells_once(path, "dump", "process == dd || process == sh",
		   "no event has a value that \"process\" could be compared with: the trace does not name");
	tells_once(path, "convert --to text -o /dev/null --replace", "process_path == /bin/dd",
		   "no event has a value that \"process_path\" could be compared with");
	tells_once(path, "split --by cpu -o /tmp/none_%d", "process_parent == sh",
		   "no event has a value that \"process_parent\" could be compared with");
	for (i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
		ok(run("dump --filter '%s' %s", silent[i], path) == 0 &&
		   (*run_out ? !strstr(run_err, "--filter") : is_only("no event matched; 5 were looked at")),
		   "no name is reported for %s", silent[i]);
	tells_once(path, "dump --pid 7", "id == 10 && (BufferSize == 1)",
		   "no event that the other tests let pass is known to have a field \"BufferSize\"\n");
	tells_once(path, "dump --pid 8", "BufferSize == 1",
		   "no event that the other tests let pass is known to have a field \"BufferSize\"\n");
	tells_once(path, "dump --filter 'id == 77'", "Nope == 1", "no event matched; 5 were looked at");
	ok(!strstr(run_err, "Nope"), "a test that no event came to says nothing");
	tells_once(path, "dump --filter 'id == 0'", "BufferSize == 5ms",
		   "no event that the other tests let pass has a value that \"BufferSize == 5ms\" could compare\n");
}

#define LOOKED	"; 5 were looked at, from 2022-06-18 04:26:40.0000010+00:00 to 2022-06-18 04:26:40.0000050+00:00"

/* Whatever selects nothing, one line says what there was, and which option has left it out. */
static void test_none(const char *path)
{
	static const char *const cases[][2] = {
		{ "--since +10s", "no event matched" LOOKED "\n" },
		{ "--last 1ms", "no event matched" LOOKED "\n" },
		{ "--pid 77", "no event matched" LOOKED "\n" },
		{ "--id 77", "no event matched" LOOKED "\n" },
		{ "--keyword 0x80", "no event matched" LOOKED "\n" },
		{ "-p Nobody", "no event is of provider \"Nobody\"" LOOKED "\n" },
		{ "-p Nobody -p Noone", "no event matched" LOOKED "\n" },
		{ "--filter 'pid == 77'", "no event matched" LOOKED "\n" },
		{ "--until 2021-01-01", "no event matched" LOOKED "\n" },
		{ "--pid 7 -p Nobody",
		  "no event matched" LOOKED "; --pid left out 3, --provider 2\n" },
		{ "--since +3us --pid 8 --id 40-50",
		  "no event matched" LOOKED "; --since left out 2, --pid 2, --id 1\n" },
		{ "--last 999997us --pid 8 --filter 'level == 1'",
		  "no event matched" LOOKED "; --last left out 2, --pid 2, --filter 1\n" },
		{ "--operations --pid 7",
		  "no operation was found: no event has the opcode 1 (start) or 2 (stop)\n" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(run("dump %s %s", cases[i][0], path) == 0 && !*run_out && is_only(cases[i][1]),
		   "dump %s: %s", cases[i][0], cases[i][1]);
	ok(run("convert -q --to json --pid 77 %s", path) == 0 && is_only("no event matched" LOOKED "\n"),
	   "convert says the same");
	ok(run("convert -q --to json -p Nobody --pid 7 %s", path) == 0 &&
	   is_only("no event matched" LOOKED "; --pid left out 3, --provider 2\n"),
	   "whatever it decodes");
	ok(run("merge -q --pid 77 -o /tmp/none.%d.etl %s", getpid(), path) == 0 &&
	   is_only("no event matched" LOOKED "\n"), "so does merge");
	ok(run("split -q --pid 77 --by cpu -o /tmp/none.%d_%%d.etl %s", getpid(), path) == 0 &&
	   run_reported("etw: no event matched" LOOKED "\netw: no file is written\n"), "and split");
	shell("rm /tmp/none.%d.etl", getpid());
	ok(run("dump --format %%i -p Nobody --pid 7 -p 0000feed-0000-0000-0100-000000000000 %s", path) == 0 &&
	   is_only("no event that the other tests let pass is of provider \"Nobody\"\n"),
	   "a provider without events among others is named");
}

/* Names stand where numbers do, for the events of the provider that has them. */
static void test_names(void)
{
	static struct make m;
	char path[64];
	static const char *const cases[][2] = {
		{ "--id Begun", "1" }, { "--id disk", "1 2" }, { "--id Disk/Stop,4", "2 4" },
		{ "--id Paid", "4" }, { "--id paying,Begun", "1 3" }, { "--id Work", "0" },
		{ "--id work/start --id 5", "5 0" }, { "--id Begun --provider Named", "1" },
		{ "--keyword Read", "1 3" }, { "--keyword k_read,Add", "1 2 3" },
		{ "--keyword add", "2 3" }, { "--keyword Read,0x4", "1 2 3" },
		{ "--keyword 2", "1 3 5" }, { "--level Loud", "1 2 4" },
		{ "--level win:Error --provider Named", "4" },
		{ "--id Disk --keyword Add --level Loud", "2" },
		{ "--provider 12345678-0001-0002-0102-030405060708 --keyword Add", "2 3" },
	};
	char options[200];
	size_t i;

	make_named(&m, path);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(options, sizeof(options), "--manifest %s --pid 7,10 %s",
			 path, cases[i][0]);
		chooses(m.path, options, cases[i][1]);
	}
	ok(run("dump --manifest %s --id Ended,Nope --keyword Red --level Soft %s", path, m.path) == 0 &&
	   run_reported("--id: no event is known to have the name \"Nope\"") &&
	   run_reported("--keyword: no event is known to have a keyword \"Red\"") &&
	   run_reported("--level: no event is known to have a level \"Soft\""), "unknown names");
	is(run("convert -q --to csv --fields id --manifest %s --keyword Add %s | tr -d '\\r'", path,
	       m.path), 0, "convert");
	ok(run_printed("id 2 3"), "likewise");
	unlink(path);
	unlink(m.path);
}

/* A wrong time does not end the reading of other events. */
static void test_far(void)
{
	static struct make m;

	make_far(&m);
	chooses(m.path, "", "0 1 2 60000 3 3 4 5 6 7 8 9");
	chooses(m.path, "--until +0.0000005", "0 1 2 3 3 4 5");
	is(run("convert -q --to csv --fields id --until +0.0000005 %s | tr -d '\\r'", m.path), 0,
	   "convert");
	ok(run_printed("id 0 1 2 3 3 4 5"), "likewise");
	unlink(m.path);
}

/* A file that nobody closed ends with its latest buffer. */
static void test_cut(void)
{
	static struct make m;

	make_begin(&m, 1);
	make_buffer(&m, 0, 1);
	feed_header(&m.feed)->timestamp = 1000 + 60 * 100;
	put(&m, &feed_guid, 10, 1, 0x1, 7);
	put(&m, &feed_guid, 20, 4, 0x2, 7);
	put(&m, &other_guid, 50, 5, 0x4, 8);
	make_put(&m);
	fclose(m.file);
	chooses(m.path, "--last 4us", "20 50");
	chooses(m.path, "--since -1us", "50");
	unlink(m.path);
}

int main(void)
{
	static struct make m;

	make_file(&m);
	test_choosing(m.path);
	test_wrong(m.path);
	test_missing(m.path);
	test_none(m.path);
	test_names();
	test_empty();
	test_far();
	test_cut();
	unlink(m.path);
	return done_testing();
}
