// SPDX-License-Identifier: MIT
/* Log files that are truncated, full of zeros, wrong in every way, or not files */
#include "etl_make.h"

#include <sys/time.h>

#include "etl/file.h"
#include "etl/file_private.h"
#include "lib/tap.h"

#define GB	(1LL << 30)

static struct etw_etl_count count;
static uint64_t last_id, seen;	/* bits: event ids divided by ten */
static int reports;
static uint64_t report_at;
static char what_last[128];

static void on_report(void *context, uint64_t offset, const char *what)
{
	(void)context;
	reports++;
	report_at = offset;
	snprintf(what_last, sizeof(what_last), "%s", what);
}

static struct etw_etl_file *file;

static int open_it(const char *path)
{
	reports = 0;
	last_id = 0;
	seen = 0;
	file = NULL;
	return etw_etl_open(path, on_report, NULL, &file);
}

/* Read to the end; returns the last result. */
static int read_on(void)
{
	struct etw_event event;
	int ret;

	while ((ret = etw_etl_next(file, &event)) == 1) {
		last_id = event.record.header->desc.id;
		seen |= 1ull << last_id / 10 % 64;
	}
	etw_etl_counts(file, &count);
	etw_etl_close(file);
	return ret;
}

static int read_all(const char *path)
{
	int ret = open_it(path);

	return ret ? ret : read_on();
}

/* A buffer without its tail. */
static void put_short(struct make *m)
{
	feed_header(&m->feed)->buffer_size = feed_header(&m->feed)->offset;
	make_put(m);
}

static void test_lengths(void)
{
	struct make m = { 0 };
	int len, bad = 0;
	uint64_t before = 6;

	make_begin(&m, 1);
	make_two(&m, 0, 1, 10, 20);
	make_two(&m, 1, 2, 15, 25);
	make_end(&m);
	for (len = 3 * MAKE_SIZE; len >= 0; len--) {
		int ret;

		if (truncate(m.path, len))
			abort();
		ret = read_all(m.path);
		if (len < MAKE_SIZE) {
			bad += ret != -EINVAL;
			continue;
		}
		/* Complete buffers are read, and incomplete ones are reported. */
		bad += ret || count.events != 1 + 2 * ((uint64_t)len / MAKE_SIZE - 1) ||
		       count.events > before || !reports != !(len % MAKE_SIZE) ||
		       (reports && report_at != (uint64_t)len / MAKE_SIZE * MAKE_SIZE);
		before = count.events;
	}
	is(bad, 0, "cut off at every length");
	unlink(m.path);
}

static void test_nothing(void)
{
	struct make m = { 0 };
	static char zeros[1 << 20];
	FILE *f;

	make_begin(&m, 1);
	make_two(&m, 0, 1, 10, 20);
	fwrite(zeros, 1, sizeof(zeros), m.file);
	make_end(&m);
	is(read_all(m.path), 0, "a megabyte of zeros after it");
	ok(count.events == 3 && count.tail == sizeof(zeros) && reports == 1 &&
	   report_at == 2 * MAKE_SIZE, "is reported once: %s", what_last);
	is(count.corrupt, sizeof(zeros) / MAKE_SIZE, "and counted");
	f = fopen(m.path, "w");
	fwrite(zeros, 1, sizeof(zeros), f);
	fclose(f);
	is(read_all(m.path), -EINVAL, "zeros only");
	unlink(m.path);
}

/* Sizes that point into the middle of a buffer, near the limits of numbers, or nowhere. */
static void test_sizes(void)
{
	static const uint32_t sizes[] = { 0, 1, 71, 72, 73, 80, 88, 160, 4088, 4097, 8192, 65536,
					  0x7FFFFFFF, 0x80000000, 0xFFFFFFF8, 0xFFFFFFFF };
	static const long places[] = { 0, 4, 8, 0x30 };
	struct make m = { 0 };
	unsigned int i, k, bad = 0, less = 0;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (k = 0; k < 4; k++) {
			make_begin(&m, 1);
			make_two(&m, 0, 1, 10, 20);
			make_two(&m, 0, 2, 30, 40);
			make_two(&m, 0, 3, 50, 60);
			make_end(&m);
			m.file = fopen(m.path, "r+");
			fseek(m.file, 2 * MAKE_SIZE + places[k], SEEK_SET);
			fwrite(&sizes[i], 4, 1, m.file);
			fclose(m.file);
			bad += read_all(m.path) != 0;
			/* Only that buffer is lost: 10, 20 and 50, 60 are there. */
			less += count.events < 5 || (seen & 0x66) != 0x66;
			bad += count.events > 7;
			unlink(m.path);
		}
	is(bad, 0, "sizes of every kind");
	is(less, 0, "the buffers around are read");
}

static void test_tiny(void)
{
	struct { uint16_t version; uint8_t type, mark; uint16_t size, hook; int64_t time; } r = {
		1, 17, 0xC0, 16, 0x1234, 0 };
	struct make m = { 0 };
	int i = 0, n, buffers = 0;

	make_begin(&m, 1);
	while (i < 1000000) {
		make_buffer(&m, buffers % 4, buffers + 1);
		for (n = 0; n < (MAKE_SIZE - 72) / 16 && i < 1000000; n++, i++) {
			r.time = 1000 + i;
			memcpy(m.data + feed_header(&m.feed)->offset, &r, 16);
			feed_header(&m.feed)->offset += 16;
		}
		make_put(&m);
		buffers++;
	}
	make_end(&m);
	is(read_all(m.path), 0, "a million records of 16 bytes");
	ok(count.events == 1000001 && !reports && !count.disorder, "each of them, by time");
	unlink(m.path);
}

/* One CPU's only buffer comes after more other buffers than are kept. */
static void test_late(void)
{
	struct make m = { 0 };
	int i, n = ETW_ETL_KEPT_MAX + 5000;

	make_begin(&m, 1);
	for (i = 0; i < n; i++) {
		make_buffer(&m, i % 3, i + 1);
		feed_event(&m.feed, 1000 + i, 1, NULL, "", 0);
		put_short(&m);
	}
	for (i = 0; i < 3; i++) {
		make_buffer(&m, 100 + i, n + i + 1);
		feed_event(&m.feed, 1000 + n + i, 2 + i, NULL, "", 0);
		put_short(&m);
	}
	make_end(&m);
	is(read_all(m.path), 0, "CPUs that write late");
	ok(count.events == 1 + (uint64_t)n + 3 && last_id == 4, "have all their events read");
	ok(!count.disorder && !reports && !count.lost_buffers, "in their place");
	unlink(m.path);
}

static void test_sparse(void)
{
	struct make m = { 0 };
	struct timeval before, now;

	gettimeofday(&before, NULL);
	make_begin(&m, 1);
	make_two(&m, 0, 1, 10, 20);
	make_buffer(&m, 0, 2);
	feed_event(&m.feed, 90000, 77, NULL, "abc", 3);
	if (fseeko(m.file, 100 * GB, SEEK_SET))
		abort();
	make_put(&m);
	make_end(&m);
	if (truncate(m.path, 200 * GB)) {
		skip("no room for a sparse file here");
		unlink(m.path);
		return;
	}
	is(read_all(m.path), 0, "200 GB of nothing");
	ok(count.events == 4 && last_id == 77, "with a buffer in the middle, which is found");
	is(reports, 2, "and two gaps, which are reported");
	gettimeofday(&now, NULL);
	ok(now.tv_sec - before.tv_sec < 30, "quickly");
	unlink(m.path);
}

static void test_no_files(void)
{
	char path[] = "/tmp/etw-fifo-XXXXXX";

	is(read_all("/dev/zero"), -EINVAL, "/dev/zero");
	is(read_all("/dev/null"), -EINVAL, "/dev/null");
	is(read_all("/tmp"), -EISDIR, "a directory");
	if (!mkdtemp(path) || rmdir(path) || mkfifo(path, 0600))
		abort();
	is(read_all(path), -ESPIPE, "a FIFO, which is not waited for");
	unlink(path);
}

/* The file is written to or truncated while it is read. */
static void test_changes(void)
{
	struct etw_event event;
	struct make m = { 0 };
	uint16_t other = 9;
	FILE *f;
	int i;

	for (i = 0; i < 3; i++) {
		make_begin(&m, 1);
		make_two(&m, 0, 1, 10, 20);
		make_two(&m, 1, 2, 60, 70);
		make_two(&m, 1, 3, 80, 90);
		make_two(&m, 0, 4, 65, 75);
		make_end(&m);
		is(open_it(m.path), 0, "a file is opened");
		is(etw_etl_next(file, &event), 1, "and read");
		is(etw_etl_next(file, &event), 1, "as far as the first buffers");
		f = fopen(m.path, "r+");
		if (i == 0) {
			fseek(f, 3 * MAKE_SIZE + 0x28, SEEK_SET);
			fwrite(&other, 2, 1, f);
		}
		fclose(f);
		if (i == 1 && truncate(m.path, 3 * MAKE_SIZE + 100))
			abort();
		if (i == 2 && truncate(m.path, 0))
			abort();
		is(read_on(), 0, "the file changes");
		ok(reports && count.events >= 5 - (uint64_t)i && count.events < 9,
		   "the rest is read (%d), and this is reported: %s", (int)count.events,
		   what_last);
		unlink(m.path);
	}
}

int main(void)
{
	test_lengths();
	test_nothing();
	test_sizes();
	test_tiny();
	test_late();
	test_sparse();
	test_no_files();
	test_changes();
	return done_testing();
}
