// SPDX-License-Identifier: MIT
/* Reading log files: the order of events, circular files, damage */
#include "etl_make.h"

#include "etl/file.h"
#include "etl/record.h"
#include "lib/tap.h"

static char order[4096];	/* ids of the events in order */
static struct etw_etl_count count;
static struct etw_etl_info info;
static bool cut_off, in_time;
static int reports;
static uint64_t report_at;
static char report_what[128];

static void on_report(void *context, uint64_t offset, const char *what)
{
	(void)context;
	if (!reports++) {
		report_at = offset;
		snprintf(report_what, sizeof(report_what), "%s", what);
	}
}

/* Read the whole file; returns the result of open, or of etw_etl_next() at the end. */
static int read_all(const char *path)
{
	struct etw_etl_file *file;
	struct etw_event event;
	int64_t last = INT64_MIN;
	int ret;

	order[0] = '\0';
	reports = 0;
	in_time = true;
	ret = etw_etl_open(path, on_report, NULL, &file);
	if (ret)
		return ret;
	while ((ret = etw_etl_next(file, &event)) == 1) {
		size_t at = strlen(order);

		if (at < sizeof(order) - 8)
			snprintf(order + at, 8, "%u ", event.record.header->desc.id);
		in_time &= event.time >= last;
		last = event.time;
	}
	etw_etl_counts(file, &count);
	info = *etw_etl_info(file);
	cut_off = etw_etl_cut_off(file);
	etw_etl_close(file);
	return ret;
}

/* A buffer of one CPU with events at these times; an event's id is its time. */
static void put(struct make *m, uint16_t cpu, uint64_t sequence, int n, const int *times)
{
	int i;

	make_buffer(m, cpu, sequence);
	for (i = 0; i < n; i++)
		feed_event(&m->feed, 1000 + times[i] * 100, times[i], NULL, "abc", 3);
	make_put(m);
}

#define PUT(m, cpu, sequence, ...) do {					\
	const int put_times[] = { __VA_ARGS__ };			\
									\
	put(m, cpu, sequence, sizeof(put_times) / sizeof(int), put_times); \
} while (0)

static void test_order(void)
{
	struct make m = { 0 };

	make_begin(&m, 1);
	PUT(&m, 0, 1, 10, 20, 30);
	PUT(&m, 300, 2, 5, 25);
	PUT(&m, 0, 3, 40, 70);
	PUT(&m, 0, 4, 80);
	PUT(&m, 2, 5, 1, 75);
	PUT(&m, 300, 6, 60);
	make_end(&m);
	is(read_all(m.path), 0, "several processors");
	ok(!strcmp(order, "0 1 5 10 20 25 30 40 60 70 75 80 "), "in time order, header first: %s",
	   order);
	ok(in_time && !count.disorder && !reports, "according to the payload");
	is(count.buffers, 7, "buffers");
	is(count.buffers_read, 7, "all read");
	is(count.events, 12, "events");
	is(count.lost_buffers, 0, "no gap");
	ok(!strcmp(info.logger, "the session") && !strcmp(info.file, "/the/file.etl"), "names");
	ok(info.header.BuffersWritten == 7 && info.header.NumberOfProcessors == 4 && !cut_off &&
	   info.start_clock == 1000, "header");
	unlink(m.path);
}

static void test_circular(void)
{
	struct make m = { 0 };

	make_begin(&m, 2);
	PUT(&m, 0, 11, 110);
	PUT(&m, 1, 10, 105);
	PUT(&m, 0, 12, 120);
	PUT(&m, 1, 6, 60);
	PUT(&m, 0, 5, 50);
	PUT(&m, 0, 8, 80);
	PUT(&m, 1, 7, 70);
	PUT(&m, 0, 9, 90);
	make_end(&m);
	is(read_all(m.path), 0, "a circular file that has turned round");
	ok(!strcmp(order, "0 50 60 70 80 90 105 110 120 "), "oldest first: %s", order);
	ok(!count.disorder && count.events == 9 && count.lost_buffers == 0, "and whole");
	unlink(m.path);
}

static void test_kinds(void)
{
	struct etw_classic c = { .type = ETW_TYPE_FULL32, .event_type = 3, .guid = feed_guid,
				 .data = "x", .len = 1 };
	const struct { uint16_t version; uint8_t type, mark; uint16_t size, hook; uint32_t tid,
		pid; int64_t time; uint64_t cpu; char data[8]; } sys = { 2, 1, 0xC0, 34, 0x0524,
		7, 8, 2000, 9, "zz" };
	const struct { uint16_t version; uint8_t type, mark; uint16_t size, hook; int64_t time;
		char data[8]; } perf = { 1, 17, 0xC0, 17, 0xEE01, 3000, "p" };
	const struct { uint16_t size; uint8_t type, mark; char data[12]; } error = { 16, 13, 0xC0,
		"error" };
	struct etw_etl_file *file;
	struct etw_event e;
	struct make m = { 0 };
	unsigned char *at;

	make_begin(&m, 1);
	make_buffer(&m, 1, 1);
	feed_classic(&m.feed, &c, 1500, 0);
	at = m.data + feed_header(&m.feed)->offset;
	memcpy(at, &sys, sizeof(sys));
	memcpy(at + 40, &perf, sizeof(perf));
	memcpy(at + 64, &error, sizeof(error));
	feed_header(&m.feed)->offset += 80;
	make_put(&m);
	make_end(&m);
	ok(!etw_etl_open(m.path, NULL, NULL, &file), "records of all kinds");
	ok(etw_etl_next(file, &e) == 1 && e.record.header->provider.data1 == 0x68fdd900 &&
	   !e.record.header->desc.opcode && e.record.data_len >= 280, "the header's event");
	ok(etw_etl_next(file, &e) == 1 && e.record.header->provider.data1 == 0xFEED &&
	   e.record.header->desc.opcode == 3 && e.record.data_len == 1, "classic");
	ok(etw_etl_next(file, &e) == 1 && e.record.header->provider.data1 == 0x3d6fa8d1 &&
	   e.record.header->desc.opcode == 0x24 && e.record.header->thread_id == 7 &&
	   e.record.header->process_id == 8 && e.record.header->timestamp == 2000 &&
	   e.record.data_len == 2 && !memcmp(e.record.data, "zz", 2), "context switch");
	ok(etw_etl_next(file, &e) == 1 && e.record.header->provider.data1 == 0xEE01 &&
	   e.record.header->timestamp == 3000 && e.record.data_len == 1, "an unknown class");
	ok(etw_etl_next(file, &e) == 1 && !e.record.header->provider.data1 &&
	   e.record.header->timestamp == 3000 && e.record.data_len == 12 && e.buffer_done,
	   "an error record");
	is(etw_etl_next(file, &e), 0, "no more");
	ok(etw_etl_type_is_32(ETW_ETL_SYSTEM32) && !etw_etl_type_is_32(ETW_ETL_SYSTEM64),
	   "which types have 32-bit pointers");
	etw_etl_close(file);
	unlink(m.path);
}

static void test_clock(void)
{
	struct etw_etl_file *file;
	struct etw_event e;
	struct make m = { .head.header.clock = ETW_CLOCK_SYSTEM };

	make_begin(&m, 1);
	make_buffer(&m, 1, 1);
	feed_event(&m.feed, MAKE_START + 77, 1, NULL, "", 0);
	make_put(&m);
	make_end(&m);
	etw_etl_open(m.path, NULL, NULL, &file);
	ok(etw_etl_next(file, &e) == 1 && etw_etl_next(file, &e) == 1, "clock of the system");
	is(e.time, MAKE_START + 77, "is the time itself");
	etw_etl_close(file);
	unlink(m.path);

	m.head.header.clock = ETW_CLOCK_QPC;
	make_begin(&m, 1);
	PUT(&m, 0, 1, 50);
	make_end(&m);
	etw_etl_open(m.path, NULL, NULL, &file);
	etw_etl_next(file, &e);
	is(e.time, MAKE_START, "the header's event is of the start");
	etw_etl_next(file, &e);
	is(e.time, MAKE_START + 50, "1 GHz, 5000 ticks later");
	etw_etl_close(file);
	unlink(m.path);
}

/* Three valid buffers; damage(file) changes the file. */
static int damaged(void (*damage)(FILE *f))
{
	struct make m = { 0 };
	int ret;

	make_begin(&m, 1);
	PUT(&m, 0, 1, 10, 20);
	PUT(&m, 1, 2, 15);
	PUT(&m, 0, 3, 30);
	make_end(&m);
	m.file = fopen(m.path, "r+");
	damage(m.file);
	fclose(m.file);
	ret = read_all(m.path);
	unlink(m.path);
	return ret;
}

static void poke(FILE *f, long at, uint32_t value)
{
	fseek(f, at, SEEK_SET);
	fwrite(&value, 4, 1, f);
}

static void no_size(FILE *f) { poke(f, 2 * MAKE_SIZE, 0); }
static void zeros(FILE *f) { static char z[MAKE_SIZE]; fseek(f, MAKE_SIZE, SEEK_SET);
			     fwrite(z, 1, MAKE_SIZE, f); }
static void long_fill(FILE *f) { poke(f, 2 * MAKE_SIZE + 0x30, MAKE_SIZE + 8); }
static void short_fill(FILE *f) { poke(f, 2 * MAKE_SIZE + 0x30, 8); }
static void huge(FILE *f) { poke(f, 3 * MAKE_SIZE, 0xFFFFFFF8); }
static void bad_record(FILE *f) { poke(f, MAKE_SIZE + 72 + 88, 0xC0130007); }
static void cut_buffer(FILE *f) { if (ftruncate(fileno(f), 3 * MAKE_SIZE + 100)) abort(); }
static void cut_header(FILE *f) { if (ftruncate(fileno(f), 3 * MAKE_SIZE + 10)) abort(); }
static void cut_all(FILE *f) { if (ftruncate(fileno(f), MAKE_SIZE)) abort(); }
static void cut_first(FILE *f) { if (ftruncate(fileno(f), MAKE_SIZE - 1)) abort(); }
static void empty(FILE *f) { if (ftruncate(fileno(f), 0)) abort(); }
static void not_closed(FILE *f) { poke(f, 72 + 32 + 16, 0); poke(f, 72 + 32 + 20, 0); }
static void no_head(FILE *f) { poke(f, 0x34, 0); }
static void tiny_step(FILE *f) { poke(f, 72 + 32, 8); }
static void cpu(FILE *f) { poke(f, 3 * MAKE_SIZE + 0x28, 0x3FFFF); }
static void sparse(FILE *f) { if (ftruncate(fileno(f), 200LL << 30)) abort(); }
static void packed(FILE *f) { poke(f, 2 * MAKE_SIZE + 0x34, ETW_BUFFER_COMPRESSED | 0x20); }

static void test_damage(void)
{
	static const struct {
		const char *what;
		void (*damage)(FILE *f);
		int ret;
		const char *order;
		uint64_t at;
		const char *report;
	} cases[] = {
		{ "a buffer of no size", no_size, 0, "0 10 20 30 ", 2 * MAKE_SIZE,
		  "the buffer's size is smaller than its header" },
		{ "a buffer of zeros", zeros, 0, "0 15 30 ", MAKE_SIZE,
		  "the buffer's size is smaller than its header" },
		{ "more used than there is", long_fill, 0, "0 10 20 30 ", 2 * MAKE_SIZE,
		  "the buffer's used size exceeds its size" },
		{ "less used than the header", short_fill, 0, "0 10 20 30 ", 2 * MAKE_SIZE,
		  "the buffer's used size is smaller than its header" },
		{ "a buffer of 4 GB", huge, 0, "0 10 15 20 ", 3 * MAKE_SIZE,
		  "the buffer's size exceeds the maximum" },
		{ "a record that is too short", bad_record, 0, "0 10 15 30 ", MAKE_SIZE + 160,
		  "a record makes no sense" },
		{ "cut within a buffer", cut_buffer, 0, "0 10 15 20 ", 3 * MAKE_SIZE,
		  "the file ends within the buffer" },
		{ "cut within a header", cut_header, 0, "0 10 15 20 ", 3 * MAKE_SIZE,
		  "the file ends within a buffer's header" },
		{ "cut behind the header buffer", cut_all, 0, "0 ", 0, NULL },
		{ "not closed", not_closed, 0, "0 10 15 20 30 ", 0, NULL },
		{ "a buffer size of 8", tiny_step, -EINVAL, "", 0, NULL },
		{ "a processor that cannot be", cpu, 0, "0 10 15 20 ", 3 * MAKE_SIZE,
		  "the buffer's processor number is invalid" },
		{ "200 GB of nothing behind it", sparse, 0, "0 10 15 20 30 ", 4 * MAKE_SIZE,
		  "the buffer's size is smaller than its header" },
		{ "said to be compressed", packed, 0, "0 10 20 30 ", 2 * MAKE_SIZE,
		  "the compressed buffer cannot be decompressed" },
		{ "cut within the header buffer", cut_first, -EINVAL, "", 0, NULL },
		{ "nothing", empty, -EINVAL, "", 0, NULL },
		{ "no header buffer", no_head, -EINVAL, "", 0, NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		is(damaged(cases[i].damage), cases[i].ret, cases[i].what);
		if (!ok(!strcmp(order, cases[i].order), "the rest: %s", cases[i].what))
			printf("# %s\n", order);
		if (!cases[i].report)
			ok(!reports, "nothing is reported");
		else if (!ok(reports && !strcmp(report_what, cases[i].report) &&
			     report_at == cases[i].at && count.corrupt, "and it is reported"))
			printf("# %d: %llu %s\n", reports, (unsigned long long)report_at,
			       report_what);
	}
	is(read_all("/nonexistent"), -ENOENT, "no file");
	is(read_all("/"), -EISDIR, "a directory");
}

/* Change each byte of the first 5 KB, and cut at every length: reading ends. */
static void test_mutations(void)
{
	struct make m = { 0 };
	unsigned char all[3 * MAKE_SIZE];
	int i, bad = 0;

	make_begin(&m, 2);
	PUT(&m, 0, 1, 10, 20);
	PUT(&m, 1, 2, 15);
	make_end(&m);
	m.file = fopen(m.path, "r+");
	if (!m.file || fread(all, 1, sizeof(all), m.file) != sizeof(all))
		abort();
	for (i = 0; i < MAKE_SIZE + 300; i++) {
		int k;

		for (k = 0; k < 3; k++) {
			unsigned char c = k == 0 ? 0 : k == 1 ? 0xFF : all[i] ^ 1;
			int ret;

			pwrite(fileno(m.file), &c, 1, i);
			ret = read_all(m.path);
			bad += ret && ret != -EINVAL;
		}
		pwrite(fileno(m.file), &all[i], 1, i);
	}
	is(bad, 0, "no byte makes it fail");
	for (i = sizeof(all); i >= 0; i -= 7) {
		int ret;

		if (ftruncate(fileno(m.file), i))
			abort();
		ret = read_all(m.path);
		bad += ret && ret != -EINVAL;
	}
	is(bad, 0, "no length makes it fail");
	fclose(m.file);
	unlink(m.path);
}

#define TURNED	20000	/* buffers of 4 KB, more than both ends have */

struct ends {
	unsigned int count;
	bool oldest, newest;
};

static int take_end(void *context, const struct etw_record_view *record)
{
	struct ends *ends = context;
	const int64_t number = record->header->timestamp - 1000;

	ends->count++;
	ends->oldest |= !number;
	ends->newest |= number == TURNED - 1;
	return 0;
}

/* The ends of a circular file are where it has turned, in its middle. */
static void test_ends(void)
{
	struct make m = { .head = { .header = { .max_file_size = TURNED * 4 / 1024 + 1 } } };
	struct etw_etl_file *file;
	struct ends ends = { 0 };
	unsigned int i, number;

	make_begin(&m, 2);
	for (i = 0; i < TURNED; i++) {
		number = (i + TURNED / 2) % TURNED;
		make_buffer(&m, 0, number + 1);
		feed_event(&m.feed, 1000 + number, 1, NULL, "abc", 3);
		make_put(&m);
	}
	make_end(&m);
	is(etw_etl_open(m.path, NULL, NULL, &file), 0, "a large circular file");
	is(etw_etl_ends(file, take_end, &ends), 0, "its ends");
	ok(ends.oldest && ends.newest && ends.count < TURNED, "are the oldest and the newest");
	etw_etl_close(file);
	unlink(m.path);
}

int main(void)
{
	test_order();
	test_circular();
	test_ends();
	test_kinds();
	test_clock();
	test_damage();
	test_mutations();
	return done_testing();
}
