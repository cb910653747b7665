// SPDX-License-Identifier: MIT
/* cli_merge - etw merge and split: records of all types, clocks, losses, bad input */
#include "unit/etl/etl_make.h"

#include "etl/file.h"
#include "etl/loss.h"
#include "etl/record.h"
#include "cli_run.h"
#include "lib/tap.h"

#define RECORDS	64

static const struct etw_guid other_guid = ETW_GUID(0x12345678, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8);
static char out[64];	/* a file to write */

/* ------------------------------------------------------------------ making files */

static void put_raw(struct make *m, uint8_t type, uint16_t hook, int64_t time, const char *payload)
{
	static const uint8_t heads[] = { [ETW_ETL_SYSTEM32] = 32, [ETW_ETL_SYSTEM64] = 32,
					 [ETW_ETL_COMPACT64] = 24, [ETW_ETL_PERFINFO64] = 16 };
	struct etw_buffer_header *h = feed_header(&m->feed);
	uint8_t *at = m->data + h->offset;
	uint16_t size = (uint16_t)(heads[type] + strlen(payload));

	memset(at, 0, etw_record_slot(size));
	at[0] = 2;
	at[2] = type;
	at[3] = 0xC0;
	memcpy(at + 4, &size, 2);
	memcpy(at + 6, &hook, 2);
	memcpy(at + (type >= ETW_ETL_PERFINFO32 ? 8 : 16), &time, 8);
	memcpy(at + heads[type], payload, strlen(payload));
	h->offset += etw_record_slot(size);
}

/* A record of each type, every tenth tick from time on */
static void put_all(struct make *m, int64_t time)
{
	struct etw_classic c = { .type = ETW_TYPE_FULL64, .event_type = 5, .level = 4,
				 .thread_id = 11, .process_id = 10, .guid = feed_guid,
				 .data = "payload", .len = 7 };

	feed_event(&m->feed, time, 1, &other_guid, "abc", 3);
	put_raw(m, ETW_ETL_SYSTEM64, 0x0524, time + 10, "switch");
	put_raw(m, ETW_ETL_PERFINFO64, 0x0F2E, time + 20, "sample of a");
	put_raw(m, ETW_ETL_COMPACT64, 0x0502, time + 30, "compact");
	feed_classic(&m->feed, &c, time + 40, 0);
	c.type = ETW_TYPE_INSTANCE32;
	feed_classic(&m->feed, &c, time + 50, 0);
	c.type = ETW_TYPE_MESSAGE;
	c.options = ETW_MESSAGE_GUID | ETW_MESSAGE_TIMESTAMP | ETW_MESSAGE_SYSTEMINFO;
	feed_classic(&m->feed, &c, time + 60, 7);
	c.options = ETW_MESSAGE_SEQUENCE | ETW_MESSAGE_COMPONENT;
	feed_classic(&m->feed, &c, 0, 8);	/* has the time of the record before it */
	put_raw(m, ETW_ETL_SYSTEM32, 0x0300, time + 70, "32 bits");
}

/* As if the session had died: the file has no end */
static void make_cut(struct make *m)
{
	fclose(m->file);
}

/* ----------------------------------------------------------------- reading files */

struct got {
	unsigned int count, losses;
	struct {
		uint8_t raw[128];
		uint32_t size;
		uint16_t cpu;
		int64_t time, ticks;
	} list[RECORDS];
	uint32_t lost_events, lost_buffers;
	int64_t start, end;
	uint64_t disorder;
};

/* All records but the header's; those of losses are only counted. */
static bool get(const char *path, struct got *got)
{
	struct etw_etl_count count;
	struct etw_event event;
	struct etw_loss loss;
	struct etw_etl_file *file;
	const TRACE_LOGFILE_HEADER *h;

	memset(got, 0, sizeof(*got));
	if (etw_etl_open(path, NULL, NULL, &file))
		return false;
	while (etw_etl_next(file, &event) == 1) {
		if ((event.record.header->type & 0xFF) == ETW_ETL_SYSTEM64 &&
		    !event.record.header->desc.task)
			continue;
		if (etw_loss_of(&event, &loss)) {
			got->losses++;
			continue;
		}
		if (got->count == RECORDS || event.raw_size > sizeof(got->list[0].raw))
			abort();
		memcpy(got->list[got->count].raw, event.raw, event.raw_size);
		got->list[got->count].size = event.raw_size;
		got->list[got->count].cpu = event.cpu;
		got->list[got->count].ticks = event.record.header->timestamp;
		got->list[got->count++].time = event.time;
	}
	h = &etw_etl_info(file)->header;
	got->lost_events = h->EventsLost;
	got->lost_buffers = h->BuffersLost;
	got->start = h->StartTime.QuadPart;
	got->end = h->EndTime.QuadPart;
	etw_etl_counts(file, &count);
	got->disorder = count.disorder + count.corrupt;
	etw_etl_close(file);
	return true;
}

/* The same record, except that its time may differ */
static bool same_bytes(const struct got *a, unsigned int i, const struct got *b, unsigned int j,
		       bool but_time)
{
	uint8_t copy[128];
	uint32_t at;

	if (a->list[i].size != b->list[j].size || a->list[i].cpu != b->list[j].cpu)
		return false;
	memcpy(copy, b->list[j].raw, sizeof(copy));
	for (at = 0; but_time && at + 8 <= a->list[i].size; at++)
		if (!memcmp(copy + at, &b->list[j].ticks, 8) &&
		    !memcmp(a->list[i].raw + at, &a->list[i].ticks, 8))
			memcpy(copy + at, &a->list[i].ticks, 8);
	return !memcmp(a->list[i].raw, copy, a->list[i].size);
}

/* ------------------------------------------------------------------------- tests */

static void test_types(void)
{
	static struct make m;
	static struct got in, one;
	char older[96];
	unsigned int i;

	make_begin(&m, 1);
	make_buffer(&m, 3, 1);
	put_all(&m, 5000);
	make_put(&m);
	m.head.header.events_lost = 7;
	m.head.header.buffers_lost = 3;
	make_end(&m);
	is(run("merge -o %s %s", out, m.path), 0, "one file with records of all types");
	ok(run_reported("9 events"), "is reported");
	ok(get(m.path, &in) && get(out, &one) && in.count == 9 && one.count == 9, "all are there");
	for (i = 0; i < in.count; i++)
		ok(same_bytes(&in, i, &one, i, false) && in.list[i].time == one.list[i].time,
		   "byte for byte, of the same time: %u", i);
	ok(one.lost_events == 7 && one.lost_buffers == 3, "losses go along");
	ok(one.start == in.start && one.end == in.end, "begin and end, too");
	is(run("merge -o %s %s", out, m.path), 0, "the file is there");
	ok(run_reported(".old\"\n"), "and is kept");
	snprintf(older, sizeof(older), "%s.old", out);
	ok(get(older, &one) && one.count == 9 && !unlink(older), "under another name");
	is(run("merge -q -o %s --replace %s", out, m.path), 0, "unless it is to be replaced");
	is(run("merge -q -o %s --replace %s", m.path, m.path), 1, "not onto an input");
	ok(run_reported("is one of the input files") && get(m.path, &one) && one.count == 9,
	   "which stays");
	unlink(out);
	is(run("merge -q -o %s --id 1 --level 4 %s", out, m.path), 0, "some of them");
	ok(get(out, &one) && one.count == 1 && same_bytes(&in, 0, &one, 0, false), "one is chosen");
	unlink(out);
	is(run("merge -q -o %s --filter 'pid == 10 && opcode == 5' %s", out, m.path), 0, "by words");
	ok(get(out, &one) && one.count == 2 && same_bytes(&in, 4, &one, 0, false), "two are");
	unlink(out);
	unlink(m.path);
}

/* Another machine: booted later, ticks of 100 ns, started two microseconds after the first */
static void make_other(struct make *m, uint64_t frequency, int64_t start, int64_t boot)
{
	make_begin(m, 1);
	m->head.header.frequency = frequency;
	m->head.header.start_time = start;
	m->head.header.boot_time = boot;
	m->head.header.events_lost = 4;
	make_buffer(m, 3, 1);
	put_all(m, 1000);
	make_put(m);
	make_end(m);
}

static void test_clocks(void)
{
	static struct make a, b;
	static struct got in_a, in_b, both;
	unsigned int i, x = 0, y = 0, bad = 0;

	make_begin(&a, 1);
	make_buffer(&a, 3, 1);
	put_all(&a, 6000);
	put_all(&a, 8000);
	make_put(&a);
	make_end(&a);
	make_other(&b, 10000000, MAKE_START + 20, MAKE_START - 600000000);
	is(run("merge -q -o %s %s %s", out, b.path, a.path), 0, "two machines");
	ok(get(a.path, &in_a) && get(b.path, &in_b) && get(out, &both), "are read");
	is(both.count, in_a.count + in_b.count, "all records are there");
	for (i = 0; i < both.count; i++) {
		if (x < in_a.count && same_bytes(&in_a, x, &both, i, false))
			bad += in_a.list[x++].time != both.list[i].time;
		else if (y < in_b.count && same_bytes(&in_b, y, &both, i, true))
			bad += in_b.list[y++].time != both.list[i].time;
		else
			bad++;
		bad += i && both.list[i].time < both.list[i - 1].time;
	}
	ok(!bad && x == in_a.count && y == in_b.count,
	   "those of the finer clock byte for byte, the others but for their times, in order");
	is(both.lost_events, 4, "losses are added");
	is(both.start, MAKE_START, "begun with the first");
	is(both.disorder, 0, "nothing is wrong with the file");
	unlink(out);
	/* The finer clock was started long before its machine was booted: it starts again. */
	make_other(&b, 2000000000, MAKE_START + 36000000000, MAKE_START + 600000000);
	is(run("merge -q -o %s %s %s", out, a.path, b.path), 0, "a clock that would be negative");
	ok(get(out, &both) && get(b.path, &in_b) && both.count == 27, "is another one");
	for (i = bad = 0; i < both.count; i++) {
		int64_t off = both.list[i].time - (i < 18 ? in_a.list[i].time :
						   in_b.list[i - 18].time);

		bad += both.list[i].ticks < 0 || off < -1 || off > 1;
	}
	ok(!bad, "all times are right, to 100 ns");
	unlink(out);
	unlink(a.path);
	unlink(b.path);
}

/*
 * A clock that runs fast by 100 ppm, according to the file's buffers: half a minute, few
 * events
 */
static void test_drift(void)
{
	static struct make m;
	static struct got in, one;
	unsigned int i, bad = 0;

	make_begin(&m, 1);
	for (i = 0; i < 4; i++) {
		int64_t ticks = 1000 + i * 10001000000;

		make_buffer(&m, 0, i + 1);
		feed_header(&m.feed)->ref_clock = ticks;
		feed_header(&m.feed)->ref_time = MAKE_START + i * 100000000;
		feed_event(&m.feed, (uint64_t)ticks, 1, NULL, "abc", 3);
		feed_event(&m.feed, (uint64_t)ticks + 5000500000, 1, NULL, "abc", 3);
		make_put(&m);
	}
	make_end(&m);
	is(run("merge -q -o %s %s", out, m.path), 0, "a clock that runs fast");
	ok(get(m.path, &in) && get(out, &one) && in.count == 8 && one.count == 8, "eight events");
	is(in.list[6].time, MAKE_START + 300000000, "half a minute later by the wall clock");
	for (i = 0; i < one.count; i++) {
		int64_t off = one.list[i].time - in.list[i].time;

		bad += off < -10 || off > 10 || one.list[i].ticks != in.list[i].ticks;
	}
	ok(!bad, "still are then, to a microsecond");
	unlink(out);
	unlink(m.path);
}

static void test_order(void)
{
	static struct make a, b;
	static struct got got;

	make_begin(&a, 1);
	make_two(&a, 0, 0, 10, 40);
	make_two(&a, 1, 1, 20, 50);
	make_end(&a);
	make_begin(&b, 1);
	make_two(&b, 0, 2, 30, 60);
	make_cut(&b);
	is(run("merge -o %s %s %s", out, a.path, b.path), 0, "two files of one machine");
	ok(run_reported("was not closed"), "one is not complete");
	ok(get(out, &got) && got.count == 6 && !got.disorder && got.end, "the merged one is");
	run("dump --format %%i:%%c %s", out);
	ok(run_printed("0:0 10:0 20:1 30:0 40:0 50:1 60:0"), "in the order of time");
	unlink(out);
	is(run("merge -q -o %s --since 2us --until 5us %s %s", out, a.path, b.path), 0, "a window");
	run("dump --format %%i %s", out);
	ok(run_printed("0 20 30 40 50"), "has what is in it");
	unlink(out);
	is(run("merge -q -o %s --provider Nobody %s", out, a.path), 0, "of a provider without events");
	ok(run_reported("no event is of provider") && get(out, &got) && !got.count,
	   "nothing, which is reported");
	unlink(out);
	unlink(a.path);
	unlink(b.path);
}

/*
 * The start of a file's clock is damaged: its events are too far from it, and that is
 * reported.
 */
static void test_far(void)
{
	static struct make m;
	static struct got got;
	char path[128];
	FILE *f;

	make_begin(&m, 1);
	make_two(&m, 0, 1, 10, 40);
	make_end(&m);
	f = fopen(m.path, "r+");
	if (!f || fseek(f, 72 + 16 + 7, SEEK_SET) || fputc(0x80, f) == EOF || fclose(f))
		abort();
	is(run("merge -q -o %s %s", out, m.path), 0, "a clock that starts 292 years before");
	ok(run_reported("2 events have the latest possible time") && get(out, &got) &&
	   got.count == 2,
	   "is reported, and nothing is lost");
	unlink(out);
	is(run("split -q --by cpu -o %s_%%d.etl %s", out, m.path), 0, "split");
	ok(run_reported("2 events have the latest possible time"), "as well");
	snprintf(path, sizeof(path), "%s_0.etl", out);
	unlink(path);
	unlink(m.path);
}

/*
 * Schemas that arrive when most files are finished are written to all of them, but are
 * not counted as events.
 */
static void test_split_late(void)
{
	static struct make m;
	static struct got got;
	struct etw_event_header *h;
	char path[128];
	int i;

	make_begin(&m, 1);
	make_two(&m, 0, 1, 10, 40);
	make_two(&m, 0, 2, 50, 60);
	make_buffer(&m, 0, 3);
	h = (void *)(m.feed.data + feed_header(&m.feed)->offset);
	feed_event(&m.feed, 1000 + 7000, 0xFFFE, NULL, "abcdefgh", 8);
	h->desc.opcode = 0xFE;
	h->desc.task = 0xFFFE;
	make_put(&m);
	make_end(&m);
	is(run("split --by events=3 -o %s_%%d.etl %s", out, m.path), 0, "with a schema at the end");
	ok(strstr(run_out, "_1.etl\": 3 events,") && strstr(run_out, "_2.etl\": 1 event,"),
	   "which does not count");
	for (i = 1; i < 3; i++) {
		snprintf(path, sizeof(path), "%s_%d.etl", out, i);
		unlink(path);
	}
	is(run("merge -q -o %s --until 4us %s", out, m.path), 0, "only the first microseconds");
	ok(get(out, &got) && got.count == 3 && got.list[2].ticks == 8000, "with the schema");
	is(run("merge -q --replace -o %s --until 4us %s %s", out, m.path, m.path), 0, "of two");
	ok(get(out, &got) && got.count == 5, "files");
	unlink(out);
	is(run("split -q --by events=3 -o %s_%%d.etl --until 4us %s", out, m.path), 0, "of parts");
	snprintf(path, sizeof(path), "%s_1.etl", out);
	ok(get(path, &got) && got.count == 3, "each has it");
	unlink(path);
	unlink(m.path);
}

static void test_split(void)
{
	static struct make m;
	static struct got got;
	char path[128];
	int i;

	make_begin(&m, 1);
	make_two(&m, 0, 0, 10, 40);
	make_two(&m, 1, 1, 20, 50);
	m.head.header.events_lost = 5;
	make_end(&m);
	is(run("split --by events=3 -o %s_%%d.etl %s", out, m.path), 0, "by events");
	ok(strstr(run_out, "_1.etl\": 3 events") && strstr(run_out, "_2.etl\": 1 event,"),
	   "are reported");
	for (i = 1; i < 3; i++) {
		snprintf(path, sizeof(path), "%s_%d.etl", out, i);
		ok(get(path, &got) && got.count == (i == 1 ? 3u : 1u), "part %d", i);
		is(got.lost_events, i == 2 ? 5 : 0, "its losses");
		is(got.losses, 1, "and that they may be the other one's");
		unlink(path);
	}
	test_split_late();
	is(run("split -q --by cpu -o %s_%%d.etl %s", out, m.path), 0, "by processor");
	ok(!run_out[0], "quietly");
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s_%d.etl", out, i);
		ok(get(path, &got) && got.count == 2 && got.list[0].cpu == i, "processor %d", i);
		unlink(path);
	}
	is(run("split -q --by time=3us -o %s_%%02d.etl %s", out, m.path), 0, "by time");
	snprintf(path, sizeof(path), "%s_01.etl", out);
	ok(get(path, &got) && got.count == 2, "the first three microseconds");
	unlink(path);
	snprintf(path, sizeof(path), "%s_02.etl", out);
	ok(get(path, &got) && got.count == 2, "and the others");
	is(run("split --by time=3us -o %s_%%02d.etl %s", out, m.path), 0, "one is there");
	ok(run_reported("the file of this name is now \""), "it is kept");
	unlink(path);
	snprintf(path, sizeof(path), "%s_02.etl.old", out);
	ok(!unlink(path), "under another name");
	snprintf(path, sizeof(path), "%s_01.etl", out);
	ok(!unlink(path), "the first is there again");
	is(run("split --by provider -o %s_%%d.etl --provider Nobody %s", out, m.path), 0, "nothing");
	ok(run_reported("no file is written"), "no file is written");
	unlink(m.path);
}

static const char manifest[] =
	"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'>"
	"<instrumentation><events><provider name='Named' symbol='N' resourceFileName='n'"
	" messageFileName='n' guid='{12345678-0001-0002-0102-030405060708}'><templates>"
	"<template tid='T'><data name='Size' inType='win:UInt16'/></template></templates>"
	"<events><event value='1' version='2' symbol='Sized' template='T'/></events>"
	"</provider></events></instrumentation></instrumentationManifest>";

/* With the manifests in it a file is decoded where they are not installed. */
static void test_manifests(void)
{
	char path[] = "/tmp/etw-merge-XXXXXX", second[80];
	FILE *f = fdopen(mkstemp(path), "w");
	struct etw_event_header *h;
	static struct make a;

	if (!f || fputs(manifest, f) < 0 || fclose(f))
		abort();
	make_begin(&a, 1);
	make_buffer(&a, 0, 0);
	h = (void *)(a.data + feed_header(&a.feed)->offset);
	feed_event(&a.feed, 2000, 1, NULL, "\x05\0", 2);
	h->provider = other_guid;
	feed_event(&a.feed, 3000, 7, NULL, "abc", 3);
	make_put(&a);
	make_end(&a);
	is(run("merge --with-manifests --manifest %s -o %s %s", path, out, a.path), 0, "merge");
	ok(run_reported("with the manifest of 1 provider\n") &&
	   run_reported("no manifest of 0000feed-0000-0000-0100-000000000000 is known"),
	   "adds what is known, and names what is not");
	ok(run("dump --format '%%P %%e %%{Size}' -p Named %s", out) == 0 &&
	   run_printed("Named Sized 5") && run_reported(""), "the file is decoded without the manifest");
	snprintf(second, sizeof(second), "%s.second", out);
	ok(run("merge --with-manifests --json --manifest %s -o %s %s", path, second, out) == 0 &&
	   strstr(run_out, "\"events\":2,") && strstr(run_out, "\"manifests\":0}"),
	   "one that has it gets no second");
	ok(run("dump --format '%%{Size}' -p Named %s", second) == 0 && run_printed("5"), "but keeps it");
	ok(run("merge --json --replace --manifest %s -o %s %s", path, second, a.path) == 0 &&
	   !strstr(run_out, "manifests"), "without the option none is added");
	ok(run("dump --format '%%{Size}x' -p 12345678-0001-0002-0102-030405060708 %s", second) == 0 &&
	   run_printed("x"), "and nothing is decoded");
	unlink(second);
	unlink(out);
	unlink(path);
	unlink(a.path);
}

int main(void)
{
	snprintf(out, sizeof(out), "/tmp/etw-merge-%d.etl", getpid());
	test_types();
	test_clocks();
	test_drift();
	test_order();
	test_far();
	test_split();
	test_manifests();
	return done_testing();
}
