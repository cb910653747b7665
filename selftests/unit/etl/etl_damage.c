// SPDX-License-Identifier: MIT
/*
 * One wrong field costs one buffer; small compressed data that expands; truncated files;
 * circular files that did not wrap
 */
#include "etl_make.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "etl/file.h"
#include "lib/tap.h"

#define MODE_PACKED	(EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_COMPRESSED_MODE)

static struct etw_etl_count count;
static char ids[512], what_last[128];
static uint64_t lost;
static int reports;

static void on_report(void *context, uint64_t offset, const char *what)
{
	(void)context;
	(void)offset;
	reports++;
	snprintf(what_last, sizeof(what_last), "%s", what);
}

/* The number of events that go back in time within their CPU; -1: unreadable. */
static int read_all(const char *path)
{
	int64_t last[64] = { 0 };
	struct etw_etl_file *file;
	struct etw_event e;
	int ret, back = 0;
	size_t len = 0;

	reports = 0;
	ids[0] = '\0';
	if (etw_etl_open(path, on_report, NULL, &file))
		return -1;
	while ((ret = etw_etl_next(file, &e)) == 1) {
		if (len < sizeof(ids) - 8)
			len += sprintf(ids + len, "%d ", e.record.header->desc.id);
		back += e.record.header->timestamp < last[e.cpu % 64];
		last[e.cpu % 64] = e.record.header->timestamp;
	}
	etw_etl_counts(file, &count);
	lost = etw_etl_lost_buffers(file);
	etw_etl_close(file);
	return ret ? -1 : back;
}

static void patch(const char *path, long at, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "r+");

	if (!f || fseek(f, at, SEEK_SET) || fwrite(bytes, len, 1, f) != 1)
		abort();
	fclose(f);
}

/* A buffer with one event; flushed: its flush time, or 0. */
static void put(struct make *m, uint16_t cpu, uint64_t sequence, int id, int64_t flushed)
{
	make_buffer(m, cpu, sequence);
	feed_event(&m->feed, 1000 + id * 100, id, NULL, "abc", 3);
	feed_header(&m->feed)->timestamp = flushed;
}

/* -------------------------------------------------------------------- sizes */

static void test_sizes(void)
{
	static const uint32_t sizes[] = {
		0, 71, 72, 80, 176, 4000, 4088, 4097, 4104, 4200, 8184, 8192, 8200, 12288, 12345,
		65536, 0x7FFFFFFF, 0xFFFFFFF8,
	};
	struct make m = { 0 };
	unsigned int i, bad = 0;
	int k;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		make_begin(&m, 1);
		for (k = 1; k <= 5; k++) {
			put(&m, 0, k, 10 * k, 0);
			make_put(&m);
		}
		make_end(&m);
		patch(m.path, 2 * MAKE_SIZE, &sizes[i], 4);
		/* The buffer is skipped if its size is impossible, and no other. */
		bad += read_all(m.path) != 0 ||
		       (strcmp(ids, "0 10 20 30 40 50 ") && strcmp(ids, "0 10 30 40 50 "));
		unlink(m.path);
	}
	is(bad, 0, "with any size in one buffer, the others are read");
}

/* Compressed files: buffers have any size and place. */
static void test_packed(void)
{
	static const uint8_t zeros[40000];
	struct make m = { 0 };
	uint32_t offset = 3;
	long second = 0;
	int k;

	make_begin(&m, MODE_PACKED);
	for (k = 1; k <= 5; k++) {
		put(&m, 0, k, 10 * k, 0);
		feed_header(&m.feed)->buffer_size = feed_header(&m.feed)->offset + k;
		if (k == 2)
			second = ftell(m.file);
		make_put(&m);
		if (k == 4)
			fwrite(zeros, sizeof(zeros), 1, m.file);
	}
	make_end(&m);
	is(read_all(m.path), 0, "a compressed file with 40,000 zeros in it");
	ok(!strcmp(ids, "0 10 20 30 40 50 ") && reports == 1,
	   "all is read, and the zeros are reported");
	patch(m.path, second + 0x30, &offset, 4);
	is(read_all(m.path), 0, "and a header that makes no sense");
	ok(!strcmp(ids, "0 10 30 40 50 ") && reports == 2, "costs its buffer: %s", ids);
	offset = 500;
	patch(m.path, second, &offset, 4);
	read_all(m.path);
	ok(!strcmp(ids, "0 10 30 40 50 ") || !strcmp(ids, "0 10 40 50 "), "a wrong step: %s", ids);
	unlink(m.path);
}

/* ---------------------------------------------------------------- small data that expands */

/* 16 MB from 87 bytes: a letter, and a match for all the rest */
static void put_bomb(struct make *m, uint16_t cpu)
{
	static const uint8_t tail[] = { 0xff, 0xff, 0xff, 0x7f, 'y', 7, 0, 15, 255, 0, 0 };
	struct etw_buffer_header *h = feed_header(&m->feed);
	uint32_t length = (16 << 20) - 72 - 1 - 3 - 3;

	make_buffer(m, cpu, m->buffers);
	h->flags |= ETW_BUFFER_COMPRESSED;
	h->offset = 16 << 20;
	h->buffer_size = 72 + sizeof(tail) + 4;
	memcpy(m->data + 72, tail, sizeof(tail));
	memcpy(m->data + 72 + sizeof(tail), &length, 4);
	make_put(m);
}

static void test_bomb(void)
{
	struct make m = { 0 };
	int i;

	make_begin(&m, MODE_PACKED);
	make_buffer(&m, 0, 1);
	for (i = 0; i < 200; i++)
		put_bomb(&m, i);
	put(&m, 0, 201, 77, 0);
	make_put(&m);
	make_end(&m);
	is(read_all(m.path), 0, "16 MB out of 87 bytes, 200 times");
	ok(!strcmp(ids, "0 77 ") && count.corrupt >= 1 && count.buffers_read == 2,
	   "are refused, and the rest is read: %s", what_last);
	unlink(m.path);
}

/* --------------------------------------------------------------- buffers missing */

static uint64_t missing(const char *path)
{
	return read_all(path) ? UINT64_MAX : count.missing;
}

/* Five buffers after the header's; others: a wrong buffer count to store, if any. */
static void make_five(struct make *m, uint32_t mode, uint32_t others)
{
	int k;

	make_begin(m, mode);
	for (k = 1; k <= 5; k++) {
		put(m, 0, k, 10 * k, 0);
		if (mode & EVENT_TRACE_COMPRESSED_MODE)
			feed_header(&m->feed)->buffer_size = feed_header(&m->feed)->offset;
		make_put(m);
	}
	if (others)
		m->buffers = others;
	make_end(m);
}

static void cut(const char *path, uint64_t at)
{
	if (truncate(path, (off_t)at))
		abort();
}

/* Bytes after the end are reported, wherever the end is, and do not count as damage. */
static void test_missing(void)
{
	static const uint64_t zeros[MAKE_SIZE / 8];
	struct make m = { 0 };
	int len, bad = 0;

	make_five(&m, 1, 0);
	is(missing(m.path), 0, "a whole file: no buffer is missing");
	patch(m.path, 2 * MAKE_SIZE, zeros, MAKE_SIZE);
	patch(m.path, 5 * MAKE_SIZE, zeros, 8);
	is(missing(m.path), 0, "nor is a damaged one or the last one");
	for (len = 6 * MAKE_SIZE; len >= MAKE_SIZE; len -= 512) {
		cut(m.path, len);
		bad += missing(m.path) != 6 - (uint64_t)len / MAKE_SIZE;
	}
	is(bad, 0, "cut off anywhere: incomplete buffers are missing");
	cut(m.path, 6 * MAKE_SIZE);
	is(missing(m.path), 0, "the rest is nothing, but there");
	unlink(m.path);

	make_five(&m, MODE_PACKED, 0);
	is(missing(m.path), 0, "a whole one of compressed buffers");
	cut(m.path, MAKE_SIZE + (count.size - MAKE_SIZE) / 5 * 2);
	is(missing(m.path), 3, "three of them cut off");
	unlink(m.path);
}

/* One that is cut off in its middle is one buffer, not a damaged and a missing one. */
static void test_lost(void)
{
	struct make m = { 0 };
	int len, bad = 0;

	make_five(&m, 1, 0);
	for (len = 6 * MAKE_SIZE; len >= MAKE_SIZE; len -= 512) {
		cut(m.path, len);
		bad += read_all(m.path) || lost != 6 - (uint64_t)len / MAKE_SIZE;
	}
	is(bad, 0, "cut off anywhere: each buffer is lost once");
	unlink(m.path);
}

/* Space that was allocated, but not written when the machine lost power */
static void test_unused(void)
{
	static const uint64_t zeros[3 * MAKE_SIZE / 8];
	struct make m = { 0 };

	make_five(&m, 1, 0);
	patch(m.path, 3 * MAKE_SIZE, zeros, 3 * MAKE_SIZE);
	is(read_all(m.path), 0, "a closed file that ends with zeros");
	is(count.corrupt, 3, "three buffers are damaged");
	patch(m.path, 72 + 32 + 16, zeros, 8);
	is(read_all(m.path), 0, "the same in a file that nobody closed");
	ok(!count.corrupt && count.buffers_read == 3, "unused space is no damage");
	cut(m.path, 5 * MAKE_SIZE + 40);
	is(read_all(m.path), 0, "cut off within its last header");
	ok(count.corrupt == 1 && strstr(what_last, "header"), "the rest of it is damage: %s",
	   what_last);
	unlink(m.path);
}

/* The machine lost power between the final header of a preallocated file and its cut. */
static void test_closed_and_not_cut(void)
{
	static const uint64_t zeros[9 * MAKE_SIZE / 8];
	struct make m = { 0 };
	int len, bad = 0;

	make_five(&m, EVENT_TRACE_FILE_MODE_PREALLOCATE, 0);
	for (len = 8; len <= 9 * MAKE_SIZE; len += 1000) {
		patch(m.path, 6 * MAKE_SIZE, zeros, len);
		bad += read_all(m.path) || count.corrupt > (len < 72) || count.missing ||
		       count.buffers_read != 6;
	}
	is(bad, 0, "a closed preallocated file: unused space at its end is no damage");
	patch(m.path, 4 * MAKE_SIZE, zeros, 2 * MAKE_SIZE);
	is(missing(m.path), 2, "nor are its last two buffers, which are missing");
	ok(!count.corrupt && count.buffers_read == 4, "the others are read");
	patch(m.path, 2 * MAKE_SIZE, zeros, 72);
	is(missing(m.path), 2, "zeros among its buffers");
	is(count.corrupt, 1, "are damage");
	unlink(m.path);
}

/* The counts in a header may be stale, or mean something else. */
static void test_promised(void)
{
	static const uint64_t no_end;
	struct make m = { 0 };

	make_five(&m, 1, 3);
	is(missing(m.path), 0, "more buffers than the header has");
	unlink(m.path);
	make_five(&m, 1, 8);
	is(missing(m.path), 2, "fewer buffers than the header has");
	patch(m.path, 72 + 32 + 16, &no_end, sizeof(no_end));
	is(missing(m.path), 0, "which has no meaning before it is closed");
	unlink(m.path);
	m.head.header.max_file_size = 24;
	make_five(&m, EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_USE_KBYTES_FOR_SIZE, 9);
	is(missing(m.path), 0, "a circular one that has written over others");
	cut(m.path, 4 * MAKE_SIZE);
	is(missing(m.path), 0, "of unknown original length");
	unlink(m.path);
	make_five(&m, EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_USE_KBYTES_FOR_SIZE, 0);
	cut(m.path, 4 * MAKE_SIZE);
	is(missing(m.path), 2, "one with the number of its buffers");
	unlink(m.path);
}

/* -------------------------------------------------------------------- wrapping */

static void test_turns(void)
{
	/* Sequence numbers as a stop leaves them; times as the buffers are flushed */
	static const struct { uint64_t sequence; int id; int64_t time; } flushed[] = {
		{ 1, 10, 5000 }, { 3, 20, 6000 }, { 4, 30, 7000 }, { 5, 40, 8000 }, { 2, 50, 8000 },
	}, round[] = {
		{ 9, 50, 9000 }, { 7, 60, 8999 }, { 10, 70, 9100 }, { 5, 10, 5000 }, { 6, 20, 6000 },
		{ 8, 30, 7000 },
	};
	struct make m = { 0 };
	unsigned int i;

	make_begin(&m, EVENT_TRACE_FILE_MODE_CIRCULAR);
	for (i = 0; i < 5; i++) {
		put(&m, 0, flushed[i].sequence, flushed[i].id, flushed[i].time);
		make_put(&m);
	}
	make_end(&m);
	read_all(m.path);
	ok(!strcmp(ids, "0 10 20 30 40 50 "), "a circular file that has not wrapped: %s", ids);
	unlink(m.path);
	make_begin(&m, EVENT_TRACE_FILE_MODE_CIRCULAR);
	for (i = 0; i < 6; i++) {
		put(&m, i < 3 ? 0 : 1, round[i].sequence, round[i].id, round[i].time);
		make_put(&m);
	}
	make_end(&m);
	is(read_all(m.path), 0, "one that has: no CPU goes back in time");
	ok(!strcmp(ids, "0 10 20 30 50 60 70 ") && !count.disorder, "the oldest first: %s", ids);
	unlink(m.path);
}

/* ----------------------------------------------------------------- the corpus */

static void copy_file(const char *from, char *to)
{
	static char bytes[1 << 20];
	FILE *f = fopen(from, "r");
	size_t len = fread(bytes, 1, sizeof(bytes), f);

	fclose(f);
	strcpy(to, "/tmp/etw-damage-XXXXXX");
	f = fdopen(mkstemp(to), "w");
	if (!f || fwrite(bytes, 1, len, f) != len)
		abort();
	fclose(f);
}

static void test_corpus(void)
{
	const char *corpus = getenv("ETW_CORPUS") ?: "../shared/corpus";
	static const uint32_t sizes[] = { 8080, 8200, 16384 };
	const uint32_t circular = EVENT_TRACE_FILE_MODE_CIRCULAR;
	uint64_t whole;
	char path[1024], copy[64];
	struct stat st;
	size_t i;

	snprintf(path, sizeof(path), "%s/etl/microsoft__Tx__HTTP_Server.etl", corpus);
	if (stat(path, &st)) {
		skip("no %s", path);
		return;
	}
	is(missing(path), 0, "a file of Windows");
	whole = count.events;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		copy_file(path, copy);
		patch(copy, 3 * 8192, &sizes[i], 4);
		read_all(copy);
		ok(count.events == whole && count.buffers == 36, "a buffer of %u bytes: %u events of %u",
		   sizes[i], (unsigned int)count.events, (unsigned int)whole);
		unlink(copy);
	}
	copy_file(path, copy);
	patch(copy, 72 + 32 + 32, &circular, 4);
	is(read_all(copy), 0, "marked circular: it has not wrapped");
	unlink(copy);
}

int main(void)
{
	test_sizes();
	test_packed();
	test_bomb();
	test_missing();
	test_lost();
	test_unused();
	test_closed_and_not_cut();
	test_promised();
	test_turns();
	test_corpus();
	return done_testing();
}
