// SPDX-License-Identifier: MIT
/* Records of losses in what dump and convert print, and in what merge and split write */
#define _GNU_SOURCE
#include "unit/etl/etl_loss.h"

#include <etw/abi.h>
#include <evntrace.h>
#include "cli_run.h"
#include "etl/verify/verify.h"
#include "lib/shell.h"
#include "lib/tap.h"

/* Events at 10 to 60 of CPU 0; between them 12 were lost, and 3 of CPU 1. */
static const struct lost on_0 = { .first = 20, .last = 30, .noted = 40, .code = ETW_DROP_NO_BUFFER,
				  .cpu = 0, .events = 12, .of_provider = true };
static const struct lost on_1 = { .first = 45, .last = 45, .noted = 50, .code = ETW_LOSS_ABANDONED,
				  .cpu = -1, .events = -1, .buffers = 1 };

static void make_file(struct make *m, const char *session)
{
	make_begin(m, 1);
	make_buffer(m, 0, 0);
	feed_header(&m->feed)->timestamp = 1000 + 60 * 100;
	feed_event(&m->feed, 1000 + 10 * 100, 10, NULL, "abc", 3);
	put_lost(&m->feed, &on_0, session);
	feed_event(&m->feed, 1000 + 45 * 100, 45, NULL, "abc", 3);
	put_lost(&m->feed, &on_1, session);
	feed_event(&m->feed, 1000 + 60 * 100, 60, NULL, "abc", 3);
	make_put(m);
	m->head.header.events_lost = 12;
	make_end(m);
}

static void test_dump(const char *path)
{
	is(run("dump --time utc %s", path), 0, "dump");
	ok(run_reported("12 events lost when written") && strstr(run_out, " Etw-Ledger Lost warning 12 events lost on CPU 0: "
	   "no free buffer; 2022-06-18T04:26:40.0000020Z to 2022-06-18T04:26:40.0000030Z; "
	   "provider 11111111-2222-3333-4444-555555555555; session one; more --min-buffers or "
	   "a larger --buffer-size would have kept them\n"), "a loss is a sentence");
	ok(strstr(run_out, " events in 1 buffer lost: in buffers that a writer never completed; "
		  "2022-06-18T04:26:40.0000045Z; session one\n"), "with what is known of it");
	is(run("dump --time relative --message %s", path), 0, "with messages and relative times");
	ok(strstr(run_out, "; 0.0000020 to 0.0000030; "), "it has relative times");
	is(run("dump --format '%%e %%{Cause} %%m' %s 2>&1 | grep -c 'Lost no_buffer 12 events lost'",
	       path), 0, "a format has its fields and message");
	is(run("dump --raw %s 2>&1 | grep -c 'buffers that'", path), 1, "--raw has the bytes");
}

static void test_json(const char *path)
{
	is(run("dump --json %s", path), 0, "JSON");
	ok(strstr(run_out, ",\"loss\":{\"cause\":\"no_buffer\",\"cause_text\":\"no free buffer\","
		  "\"events\":12,\"buffers\":0,\"cpu\":0,"
		  "\"first\":\"2022-06-18T04:26:40.0000020Z\","
		  "\"last\":\"2022-06-18T04:26:40.0000030Z\","
		  "\"provider\":\"11111111-2222-3333-4444-555555555555\",\"provider_name\":null,"
		  "\"session\":\"one\",\"remedies\":[\"--min-buffers\",\"--buffer-size\"]}}\n"),
	   "has a member for it");
	ok(strstr(run_out, "\"loss\":{\"cause\":\"abandoned\",\"cause_text\":\"in buffers that a "
		  "writer never completed\",\"events\":null,\"buffers\":1,\"cpu\":null,"),
	   "null is not known");
}

#define IDS	"dump --format '%%i' "

/* A loss has id 0, as the file's header. */
static void test_select(const char *path)
{
	is(run(IDS "--filter 'id == 60' %s", path), 0, "a filter");
	ok(run_printed("0 0 60"), "does not hide losses");
	is(run(IDS "--provider %s --level 1 --id 10 --pid 3 %s", "no-such-provider", path), 0,
	   "other options");
	ok(run_printed("0 0"), "do not, either");
	ok(run(IDS "-p Etw-Ledger %s", path) == 0 && run_printed("0 0") && !strstr(run_err, "no event"),
	   "their provider selects them");
	ok(run("convert -q --to csv --fields id -p Etw-Ledger %s 2>/tmp/l.%d; grep -q 'no event' /tmp/l.%d",
	       path, getpid(), getpid()) == 1, "convert sees them, too");
	ok(run("merge -q -o /tmp/l.%d -p Etw-Ledger %s", getpid(), path) == 0 &&
	   !strstr(run_err, "no event"), "and merge");
	shell("rm /tmp/l.%d", getpid());
	is(run(IDS "--id 10-60 --no-losses %s", path), 0, "--no-losses");
	ok(run_printed("10 45 60"), "does");
	is(run(IDS "--id 10-60 --since +3us --until +4us %s", path), 0, "a time");
	ok(run_printed("0"), "selects what was lost then, wherever it is recorded");
	is(run(IDS "--id 10-60 --since +3.1us %s", path), 0, "a later time");
	ok(run_printed("45 0 60"), "leaves it out");
	is(run(IDS "-n 2 --id 10-60 %s", path), 0, "--count");
	ok(run_printed("10 0 45"), "counts events");
}

static void test_convert(const char *path)
{
	is(run("convert -q --to text %s 2>/dev/null >/tmp/l.$$; TZ=UTC build/etw dump %s 2>/dev/null | cmp - /tmp/l.$$; r=$?; "
	       "rm /tmp/l.$$; (exit $r)", path, path), 0, "convert's text is that of dump");
	is(run("convert -q --to json --filter 'id == 60' %s", path), 0, "convert with a filter");
	ok(strstr(run_out, "\"loss\":{"), "keeps losses");
	is(run("convert -q --to json --no-losses %s", path), 0, "with --no-losses");
	ok(!strstr(run_out, "\"loss\":{") && strstr(run_out, "\"id\":60"), "not");
	is(run("convert -q --to csv --fields type,id,message --id 60 %s 2>/dev/null | tr -d '\\r'", path), 0,
	   "csv");
	ok(run_printed("type,id,message loss,0, loss,0, event,60,"), "has rows of another type");
}

static void test_chrome(const char *path)
{
	is(run("convert -q --to chrome %s", path), 0, "chrome");
	ok(strstr(run_out, "{\"ph\":\"M\",\"pid\":2147483645,\"tid\":0,\"name\":\"process_name\","
		  "\"args\":{\"name\":\"Lost events\"}}"), "losses have a place of their own");
	ok(strstr(run_out, "{\"ph\":\"b\",\"pid\":2147483645,\"tid\":0,\"ts\":2.000,\"id\":\"0x1\","
		  "\"cat\":\"Etw-Ledger\",\"name\":\"lost on CPU 0: no free buffer\",\"args\":{") &&
	   strstr(run_out, "\"Events\":12,"), "from the first");
	ok(strstr(run_out, "{\"ph\":\"e\",\"pid\":2147483645,\"tid\":0,\"ts\":3.000,\"id\":\"0x1\","
		  "\"cat\":\"Etw-Ledger\",\"name\":\"lost on CPU 0: no free buffer\"}"),
	   "to the last");
	is(run("convert -q --to chrome %s 2>/dev/null | python3 -m json.tool", path), 0, "it is JSON");
}

/* Many events of CPU 0, 700 of them while others were lost; nothing of CPU 3 but a loss */
static void make_long(struct make *m)
{
	static const struct lost of_0 = { .first = 150, .last = 850, .noted = 1000, .cpu = 0,
					  .events = 70000 },
				 again = { .first = 900, .last = 905, .noted = 1000, .cpu = 0,
					   .events = 4 },
				 of_3 = { .first = 500, .last = 510, .noted = 1000, .cpu = 3,
					  .events = 9 };
	static const char data[256];
	int i;

	make_begin(m, 1);
	make_buffer(m, 0, 0);
	for (i = 0; i < 1000; i++) {
		if (feed_event(&m->feed, 1000 + i * 100, 7, NULL, data, sizeof(data)))
			continue;
		make_put(m);
		make_buffer(m, 0, m->buffers - 1);
		feed_event(&m->feed, 1000 + i * 100, 7, NULL, data, sizeof(data));
	}
	make_put(m);
	make_buffer(m, 0, m->buffers - 1);
	put_lost(&m->feed, &of_0, "long");
	put_lost(&m->feed, &again, "long");
	put_lost(&m->feed, &of_3, "long");
	make_put(m);
	m->head.header.events_lost = 70013;
	make_end(m);
}

/* The sum of the lost events in the headers of these files */
static unsigned long counted(const char *files)
{
	run("convert -q --to chrome %s 2>/dev/null | grep -o '\"lost_events\":[0-9]*' | "
	    "cut -d : -f 2", files);
	return strtoul(run_out, NULL, 10);
}

static char of_one[8192], of_both[8192], got[8192], merged[80], parts[80];

/* How many records of losses these files have together */
static unsigned int records(const char *files)
{
	run("dump --json %s 2>/dev/null | grep -c '\"loss\":'", files);
	return (unsigned int)strtoul(run_out, NULL, 10);
}

/* What babeltrace2 says of the losses in a file converted to CTF: into run_out */
static bool read_ctf(const char *path)
{
	char err[128];

	snprintf(err, sizeof(err), "%s.err", path);
	if (run("convert -q --to ctf -o %s.ctf %s", path, path) ||
	    !shell("TZ=UTC babeltrace2 %s.ctf >%s.out 2>%s", path, path, err))
		return false;
	run_slurp(err, run_out, sizeof(run_out));
	printf("# %s\n", run_out);
	return true;
}

/* The sum of the events that babeltrace2 reports for a stream */
static unsigned long discarded(const char *stream)
{
	unsigned long sum = 0;
	char *line, *rest = run_out, *at;

	while ((line = strsep(&rest, "\n"))) {
		at = strstr(line, "discarded ");
		if (at && strstr(line, stream))
			sum += strtoul(at + 10, NULL, 10);
		if (rest)
			rest[-1] = '\n';
	}
	return sum;
}

static void forget_ctf(const char *path)
{
	shell("rm -r %s.ctf %s.out", path, path);
}

static void test_ctf(const char *path, const char *lengthy)
{
	if (!shell("command -v babeltrace2 >/dev/null")) {
		skip("no babeltrace2");
		return;
	}
	ok(read_ctf(path), "CTF is read by babeltrace2");
	ok(strstr(run_out, "discarded 12 events between [04:26:40.000002000] and "
		  "[04:26:40.000003000]"), "with the number and the interval of what was lost");
	ok(strstr(run_out, "discarded 1 event between [04:26:40.000004500] and "
		  "[04:26:40.000004500]"), "where the number is not known, one");
	ok(shell("test $(wc -l <%s.out) = 6", path), "all events are there, and the records");
	/* Where this command reads CTF at all */
	if (!run("convert -q --from ctf -o %s.back %s.ctf", path, path)) {
		snprintf(got, sizeof(got), "%s.back", path);
		ok(!records(got) && counted(got) == 13, "read back, a loss is a count, not a wrong record");
		unlink(got);
	}
	forget_ctf(path);

	ok(read_ctf(lengthy), "a trace with larger gaps");
	ok(strstr(run_out, "discarded 9 events between [04:26:40.000050000] and "
		  "[04:26:40.000051000]"), "a CPU that has nothing but a loss");
	ok(strstr(run_out, "discarded 4 events between [04:26:40.000090000] and "
		  "[04:26:40.000090500]"), "a gap after another");
	ok(discarded("stream_0") == 70004 && discarded("stream_3") == 9,
	   "a gap in several packets has its parts in each, and no more");
	ok(shell("test $(wc -l <%s.out) = 1004", lengthy), "all events are there");
	forget_ctf(lengthy);
}

/* ------------------------------------------------------------ merge and split */

/* What "etw verify" says is missing from a file, if it exits with this */
static bool verify(char *gaps, size_t size, const char *file, int status)
{
	char *from, *to;

	if (run("verify --json %s", file) != status)
		return false;
	from = strstr(run_out, "\"lost_at_least\"");
	to = strstr(run_out, ",\"more_gaps\"");
	if (!from || !to)
		return false;
	snprintf(gaps, size, "%.*s", (int)(to - from), from);
	return true;
}

static void test_merge(const char *one, const char *two)
{
	snprintf(merged, sizeof(merged), "%s.merged.etl", one);
	ok(verify(of_one, sizeof(of_one), one, 3) && strstr(of_one, "\"events\":12,"),
	   "a file with losses");
	is(run("merge -q -o %s %s", merged, one), 0, "is copied");
	ok(verify(got, sizeof(got), merged, 3) && !strcmp(got, of_one), "verify says the same of it");
	is(run("merge -q --replace -o %s --id 10 %s %s", merged, one, two), 0,
	   "two are merged, or some events of them");
	ok(verify(of_both, sizeof(of_both), merged, 3) &&
	   strstr(of_both, "\"lost_at_least\":24,") && counted(merged) == 24,
	   "the losses are added");
	is(run("dump --json %s 2>/dev/null | grep -o '\"session\":\"[a-z]*\"'", merged), 0, "each");
	ok(run_printed("\"session\":\"one\" \"session\":\"two\" \"session\":\"one\" "
		       "\"session\":\"two\""), "is in the order of time and has its session");
	unlink(merged);
}

/* Merge the parts again: what is missing is what it was. */
static void is_whole(unsigned int count)
{
	char files[400] = "", path[100];
	unsigned int i;

	for (i = 1; i <= count; i++) {
		snprintf(path, sizeof(path), " %s%u.etl", parts, i);
		strcat(files, path);
	}
	is(run("merge -q -o %s %s", merged, files), 0, "the parts are merged");
	ok(verify(got, sizeof(got), merged, 3) && !strcmp(got, of_one), "verify says the same");
	ok(records(files) == 2 && counted(files) == 12 && counted(merged) == 12,
	   "each loss is there and counted once");
	unlink(merged);
	for (i = 1; i <= count; i++) {
		snprintf(path, sizeof(path), "%s%u.etl", parts, i);
		unlink(path);
	}
}

static const char *part(unsigned int number)
{
	static char path[100];

	snprintf(path, sizeof(path), "%s%u.etl", parts, number);
	return path;
}

static void test_split(const char *one)
{
	snprintf(parts, sizeof(parts), "%s.part", one);
	is(run("split -q --by events=1 -o %s%%d.etl %s", parts, one), 0, "split by events");
	ok(records(part(1)) == 1 && verify(got, sizeof(got), part(1), 3) &&
	   strstr(got, "\"lost_at_least\":12,"), "a loss before the second event is in the first part");
	ok(records(part(2)) == 1 && verify(got, sizeof(got), part(2), 3) &&
	   strstr(got, "\"lost_at_least\":0,"), "the other one in the second");
	ok(!records(part(3)) && verify(got, sizeof(got), part(3), 0), "the third is complete");
	is_whole(3);

	is(run("split -q --by time=2.5us -o %s%%d.etl %s", parts, one), 0, "split by time");
	ok(records(part(1)) == 1 && records(part(2)) == 2 && !records(part(3)),
	   "a loss across the cut is in both parts");
	ok(verify(got, sizeof(got), part(1), 3) && strstr(got, "40.0000020Z\",\"last\":"
	   "\"2022-06-18T04:26:40.0000024Z\""), "the first part lacks it up to its end");
	ok(strstr(got, "\"lost_at_least\":0,\"lost_at_most\":12,"), "but perhaps none of these events");
	is_whole(3);

	is(run("split -q --by provider -o %s%%d.etl %s", parts, one), 0, "split by provider");
	is(records(part(1)), 2, "a loss of no part's provider is in the first");
	is_whole(1);
}

/* The session recorded the losses at the end: parts that are finished are opened again. */
static void test_split_late(const char *lengthy)
{
	static const unsigned int want[5] = { 1, 1, 2, 1, 2 };
	unsigned int i, right = 0, sum = 0;

	is(run("split -q --by events=200 -o %s%%d.etl --id 7 %s", parts, lengthy), 0, "split late");
	for (i = 1; i <= 5; i++) {
		right += records(part(i)) == want[i - 1];
		sum += (unsigned int)counted(part(i));
	}
	is(right, 5, "each part has the losses of its time");
	is(sum, 70013, "all are counted, none twice");
	for (i = 1; i <= 5; i++)
		unlink(part(i));
}

/* A log file's own losses may be in its first buffers, before they happened. */
static void test_split_ahead(void)
{
	static const struct lost ahead = { .first = 50, .last = 60, .noted = 5, .cpu = -1,
					   .events = 6, .buffers = 1 };
	static struct make m;
	unsigned int i;

	make_begin(&m, 1);
	make_buffer(&m, 0, 0);
	put_lost(&m.feed, &ahead, "ahead");
	for (i = 1; i <= 4; i++)
		feed_event(&m.feed, 1000 + i * 2000, 7, NULL, "abc", 3);
	make_put(&m);
	m.head.header.events_lost = 6;
	make_end(&m);
	is(run("split -q --by events=1 -o %s%%d.etl %s", parts, m.path), 0, "split what is ahead");
	ok(!records(part(1)) && records(part(2)) == 1 && records(part(3)) == 1 && !records(part(4)),
	   "it is in the parts of its time");
	is(counted(part(2)) + counted(part(3)) + counted(part(1)) + counted(part(4)), 6,
	   "and counted once");
	for (i = 1; i <= 4; i++)
		unlink(part(i));
	unlink(m.path);
}

/* As after hours of a flood: each copy is found. */
static void test_many(void)
{
	struct lost lost = { .noted = 2000, .cpu = 0, .events = 1 };
	static struct make m;
	int i;

	make_begin(&m, 1);
	for (i = 0; i < 1500; i++) {
		if (!(i % 10))
			make_buffer(&m, 0, m.buffers - 1);
		if (!i)
			feed_event(&m.feed, 1000, 7, NULL, "abc", 3);
		lost.first = i / 2;
		lost.last = 1000 + i;
		put_lost(&m.feed, &lost, "many");
		if (i == 1499)
			feed_event(&m.feed, 1000 + 2000 * 100, 7, NULL, "abc", 3);
		if (i % 10 == 9)
			make_put(&m);
	}
	m.head.header.events_lost = 1500;
	make_end(&m);
	is(run("split -q --by time=0.1ms -o %s%%d.etl %s", parts, m.path), 0, "split many losses");
	is(run("merge -o %s %s %s%u.etl", merged, part(1), parts, 2), 0, "merge them");
	ok(run_reported(": 2 events"), "whose records are no events");
	ok(records(part(1)) == 1500 && records(part(2)) == 1500 && records(merged) == 1500 &&
	   counted(merged) == 1500, "each is there once");
	unlink(part(1));
	unlink(part(2));
	unlink(merged);
	unlink(m.path);
}

static void test_split_cpu(void)
{
	static const struct lost of[3] = {
		{ .first = 5, .last = 6, .noted = 20, .cpu = 1, .events = 2 },
		{ .first = 5, .last = 6, .noted = 20, .cpu = -1, .events = 4 },
		{ .first = 5, .last = 6, .noted = 20, .cpu = 3, .events = 8 },
	};
	static struct make m;
	unsigned int i, cpu;

	make_begin(&m, 1);
	for (cpu = 0; cpu < 2; cpu++) {
		make_buffer(&m, (uint16_t)cpu, cpu);
		feed_event(&m.feed, 1000 + 10 * 100, 10, NULL, "abc", 3);
		for (i = 0; i < 3 && !cpu; i++)
			put_lost(&m.feed, &of[i], "cpus");
		make_put(&m);
	}
	m.head.header.events_lost = 15;
	make_end(&m);
	is(run("split -q --by cpu -o %s%%d.etl %s", parts, m.path), 0, "split by CPU");
	ok(records(part(0)) == 3 && records(part(1)) == 3,
	   "each part has its losses, and one that may be its own");
	is(counted(part(0)) + counted(part(1)), 15, "the counts add up, with one that has no record");
	is(run("merge -q -o %s %s%u.etl %s", merged, parts, 0, part(1)), 0, "merged again");
	ok(records(merged) == 4 && counted(merged) == 15, "there are four");
	unlink(merged);
	unlink(part(0));
	unlink(part(1));
	unlink(m.path);
}

/* Two files of a session, whose headers count what it had lost until then: the first file has it. */
static void test_series(void)
{
	static const struct lost lost = { .first = 5, .last = 6, .noted = 20, .cpu = 0, .events = 3 };
	static struct make m[2];
	uint16_t i;

	for (i = 0; i < 2; i++) {
		make_begin(&m[i], ETW_MODE_NEWFILE);
		make_buffer(&m[i], i, i);
		feed_event(&m[i].feed, 1000 + 10 * 100, 10, NULL, "abc", 3);
		if (!i)
			put_lost(&m[i].feed, &lost, "series");
		make_put(&m[i]);
		m[i].head.header.events_lost = 3;
		make_end(&m[i]);
	}
	is(run("merge -q -o %s %s %s", merged, m[0].path, m[1].path), 0, "merge a series");
	is(counted(merged), 3, "its losses are counted once");
	is(run("split -q --by cpu -o %s%%d.etl %s %s", parts, m[0].path, m[1].path), 0, "split it");
	ok(records(part(0)) == 1 && records(part(1)) == 0, "only the part with the loss has a record");
	unlink(merged);
	unlink(part(0));
	unlink(part(1));
	unlink(m[0].path);
	unlink(m[1].path);
}

/* A process names a provider, as Etw-Process records it. */
static void put_claim(struct make *m, const struct etw_guid *guid, const char *name)
{
	static const struct etw_guid process = ETW_PROCESS_GUID;
	uint32_t at = feed_header(&m->feed)->offset;
	struct etw_event_header *h;
	char payload[64] = "";

	memcpy(payload, guid, sizeof(*guid));
	strcpy(payload + sizeof(*guid), name);
	feed_event(&m->feed, 1000, 1, NULL, payload, sizeof(*guid) + strlen(name) + 1);
	h = (void *)(m->data + at);
	h->provider = process;
	h->desc.opcode = ETW_PROCESS_PROVIDER;
	h->flags |= ETW_EVENT_KERNEL_MODE;
}

/* Only a name that the GUID is made of is believed. */
static void test_names(void)
{
	static const struct etw_guid own = ETW_GUID(0x24c4f725, 0xd690, 0x5da9, 0x50, 0xda, 0xf8, 0xa2,
						    0x55, 0x7d, 0x33, 0x3b), other = LOSS_PROVIDER;
	static const struct lost of_own = { .first = 20, .last = 30, .noted = 40, .events = 2,
					    .of_provider = true, .provider = &own };
	static struct make m;

	make_begin(&m, 1);
	make_buffer(&m, 0, 0);
	put_claim(&m, &other, "Somebody.Else");
	put_claim(&m, &own, "Company.Component");
	put_lost(&m.feed, &of_own, "names");
	put_lost(&m.feed, &on_0, "names");
	make_put(&m);
	m.head.header.events_lost = 14;
	make_end(&m);
	is(run("dump %s", m.path), 0, "who lost them");
	ok(strstr(run_out, "; provider Company.Component; ") &&
	   strstr(run_out, "; provider 11111111-2222-3333-4444-555555555555; "), "%s", run_out);
	is(run("dump --json %s", m.path), 0, "JSON");
	ok(strstr(run_out, "\"provider_name\":\"Company.Component\"") &&
	   !strstr(run_out, "Somebody.Else"), "the same");
	ok(shell("D=$(mktemp -d) && sed 's/guid=\"{[^\"]*/guid=\"{11111111-2222-3333-4444-555555555555}/' "
		 "user/samples/etw_blk/etw_blk.man >$D/a.man && export ETW_MANIFEST_PATH=$D/m && "
		 "build/etw manifest install $D/a.man && build/etw verify %s >$D/out; "
		 "grep -q ', provider Sample-Block: ' $D/out; r=$?; rm -r $D; exit $r",
		 m.path), "verify knows the names of manifests");
	unlink(m.path);
}

/* ----------------------------------------------------- what no record tells */

/* A file with two events in each of four buffers: numbers, and what is done to a buffer */
static void make_four(struct make *m, uint32_t mode, const uint64_t number[4],
		      void (*damage)(struct make *m))
{
	uint16_t i;

	make_begin(m, mode);
	for (i = 0; i < 4; i++) {
		make_buffer(m, i % 2, number[i]);
		feed_event(&m->feed, 1000 + (i + 1) * 2000, 7, NULL, "abc", 3);
		feed_event(&m->feed, 1000 + (i + 1) * 2000 + 1000, 8, NULL, "abc", 3);
		if (damage && i == 2)
			damage(m);
		make_put(m);
	}
	make_end(m);
}

static void flag_events(struct make *m)
{
	feed_header(&m->feed)->flags |= ETW_BUFFER_EVENTS_LOST;
}

static void flag_buffers(struct make *m)
{
	feed_header(&m->feed)->flags |= ETW_BUFFER_BUFFER_LOST;
}

/* The second event is still there, but nobody reads it. */
static void cut_used(struct make *m)
{
	struct etw_buffer_header *h = feed_header(&m->feed);

	h->offset -= (h->offset - ETW_BUFFER_HEADER_SIZE) / 2;
	h->saved_offset = h->offset;
	h->current_offset = h->offset;
}

/* What a reader of a session recorded */
static void put_reader(struct make *m)
{
	static const struct etw_guid lost = ETW_LOST_EVENT_GUID;
	struct etw_event_header *h = (void *)(m->data + feed_header(&m->feed)->offset);

	feed_event(&m->feed, 1000 + 7000, 0, NULL, "", 0);
	h->provider = lost;
	h->desc.opcode = 33;
	h->flags |= ETW_EVENT_KERNEL_MODE;
}

/* All parts of a split, of which there are some */
static bool all_lack(const char *how, const char *file)
{
	unsigned int i, count = 0;
	bool good = !run("split -q --by %s -o %s%%d.etl %s", how, parts, file);

	for (i = 0; i < 9; i++) {
		if (access(part(i), F_OK))
			continue;
		good &= verify(got, sizeof(got), part(i), 3);
		unlink(part(i));
		count++;
	}
	return good && count > 1;
}

static void test_silent(void)
{
	static const uint64_t rising[] = { 0, 1, 2, 3 }, again[] = { 0, 2, 0, 1 };
	static const struct {
		const char *what;
		void (*damage)(struct make *m);
		uint32_t mode;
		const uint64_t *numbers;
	} ways[] = {
		{ "events were lost before a buffer", flag_events, 1, rising },
		{ "buffers were lost before one", flag_buffers, 1, rising },
		{ "records are behind a buffer's used size", cut_used, 1, rising },
		{ "a reader lost something", put_reader, 1, rising },
		{ "one of two sessions lacks a number", NULL, EVENT_TRACE_FILE_MODE_APPEND, again },
	};
	static struct make m, whole;
	char again_merged[96];
	unsigned int i;

	make_four(&whole, 1, rising, NULL);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		make_four(&m, ways[i].mode, ways[i].numbers, ways[i].damage);
		ok(verify(got, sizeof(got), m.path, 3), "%s", ways[i].what);
		ok(!run("merge -q -o %s --provider Nobody %s", merged, m.path) &&
		   verify(got, sizeof(got), merged, 3), "a selection does not hide it");
		snprintf(again_merged, sizeof(again_merged), "%s.again", merged);
		ok(!run("merge -q -o %s %s %s", again_merged, merged, whole.path) &&
		   all_lack("events=3", again_merged), "nor does a file that is merged with it");
		unlink(merged);
		unlink(again_merged);
		ok(all_lack("events=3", m.path) && all_lack("cpu", m.path) && all_lack("time=3us", m.path),
		   "nor does any part");
		unlink(m.path);
	}
	ok(!run("merge -q -o %s %s", merged, whole.path) && verify(got, sizeof(got), merged, 0),
	   "nothing is invented");
	unlink(merged);
	unlink(whole.path);
}

/* A series whose last file was not closed counts less than its records tell. */
static void test_open_series(void)
{
	static const struct lost lost[] = {
		{ .first = 5, .last = 6, .noted = 20, .cpu = 0, .events = 3 }, { .events = 0 },
		{ .first = 5, .last = 6, .noted = 20, .cpu = 0, .events = 2 },
	};
	static struct make m[3];
	uint16_t i;

	for (i = 0; i < 3; i++) {
		make_begin(&m[i], ETW_MODE_NEWFILE);
		make_buffer(&m[i], i, i);
		feed_event(&m[i].feed, 1000 + 10 * 100, 10, NULL, "abc", 3);
		if (lost[i].events)
			put_lost(&m[i].feed, &lost[i], "series");
		make_put(&m[i]);
		m[i].head.header.events_lost = i < 2 ? 3 : 0;
		if (i < 2)
			make_end(&m[i]);
		else
			fclose(m[i].file);
	}
	is(run("split -q --by cpu -o %s%%d.etl %s %s %s", parts, m[0].path, m[1].path, m[2].path), 0,
	   "split a series that was not closed");
	is(counted(part(0)) + counted(part(1)) + counted(part(2)), 5, "no part counts too many");
	for (i = 0; i < 3; i++) {
		unlink(part(i));
		unlink(m[i].path);
	}
}

/* What a file itself did not get: its header counts the buffers, and a record their events. */
static void test_stream(void)
{
	static const struct lost slow = { .first = 20, .last = 30, .noted = 40, .cpu = 0,
					  .code = ETW_LOSS_FILE_SLOW, .events = 6, .buffers = 2 };
	static struct make m;

	make_begin(&m, 1);
	make_buffer(&m, 0, 0);
	feed_event(&m.feed, 1000 + 10 * 100, 10, NULL, "abc", 3);
	put_lost(&m.feed, &slow, "slow");
	make_put(&m);
	m.head.header.buffers_lost = 2;
	make_end(&m);
	is(run("merge -q -o %s %s", merged, m.path), 0, "merge a file that lacks buffers");
	ok(verify(got, sizeof(got), merged, 3) && strstr(got, "\"lost_at_least\":6,"),
	   "at least the events in them are missing");
	unlink(merged);
	unlink(m.path);
}

static bool judge(const char *path, struct etw_verdict *v)
{
	return !etw_etl_verify(path, v) && !etw_verdict_finish(v, 1);
}

/*
 * A file of the same boot, whose wall clock was behind when it began, and whose first buffers were
 * overwritten: in the merged file it is complete only since the time that its clock has there.
 */
static void test_since(void)
{
	static const uint64_t rising[] = { 0, 1, 2, 3 };
	static struct make early, late;
	struct etw_verdict v = { 0 }, of_late = { 0 };
	const int64_t ticks = 5000000000, behind = 800000;
	unsigned int i;

	make_four(&early, 1, rising, NULL);
	make_begin(&late, EVENT_TRACE_FILE_MODE_CIRCULAR);
	late.head.header.start_time += ticks / 100 - behind;
	late.head.start_clock += ticks;
	for (i = 5; i < 8; i++) {
		make_buffer(&late, 0, i);
		feed_event(&late.feed, (uint64_t)(ticks + i * 100000000), 7, NULL, "abc", 3);
		make_put(&late);
	}
	make_end(&late);
	ok(judge(late.path, &of_late) && of_late.since, "a file that begins late");
	is(run("merge -q -o %s %s %s", merged, early.path, late.path), 0, "is merged");
	ok(judge(merged, &v) && v.since && v.since_time - of_late.since_time >= behind &&
	   v.since_time - of_late.since_time < behind + 10,
	   "it is complete since the same tick");
	etw_verdict_free(&v);
	unlink(merged);
	is(run("split -q --by events=5 -o %s%%d.etl %s %s", parts, early.path, late.path), 0, "and split");
	for (i = 1; i <= 3; i++) {
		ok(judge(part(i), &v) && v.since == (i < 3) && (i != 1 || v.since_time == v.end),
		   "part %u", i);
		etw_verdict_free(&v);
		unlink(part(i));
	}
	/* The first part ends before that time, and the second one begins after it. */
	is(run("split -q --by events=8 -o %s%%d.etl %s %s", parts, early.path, late.path), 0, "between");
	ok(judge(part(2), &v) && v.since, "the second part says since when it is complete");
	etw_verdict_free(&v);
	unlink(part(1));
	unlink(part(2));
	etw_verdict_free(&of_late);
	unlink(early.path);
	unlink(late.path);
}

int main(void)
{
	static struct make two;
	static struct make lengthy;
	static struct make one;

	make_file(&one, "one");
	test_dump(one.path);
	test_json(one.path);
	test_select(one.path);
	test_convert(one.path);
	test_chrome(one.path);
	make_long(&lengthy);
	test_ctf(one.path, lengthy.path);
	make_file(&two, "two");
	test_merge(one.path, two.path);
	test_split(one.path);
	test_split_late(lengthy.path);
	test_split_ahead();
	test_many();
	test_split_cpu();
	test_series();
	test_names();
	test_silent();
	test_open_series();
	test_stream();
	test_since();
	unlink(two.path);
	unlink(lengthy.path);
	unlink(one.path);
	return done_testing();
}
