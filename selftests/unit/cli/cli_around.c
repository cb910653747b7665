// SPDX-License-Identifier: MIT
/* cli_around - which events around the longest operations are kept while a session is read */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/input/around.h"
#include "lib/tap.h"

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

static void put(struct around *around, int64_t time, uint32_t size)
{
	const struct etw_event event = event_at(time, size);

	around_event(around, &event);
}

static void operation(struct around *around, unsigned int rank, int64_t start, int64_t stop)
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
static void test_ranks(void)
{
	struct around *around = around_new(SPAN, 2);
	int64_t time;

	for (time = 1; time <= 200; time++) {
		put(around, time, 8);
		if (time == 50)
			operation(around, 0, 40, 50);
		if (time == 90)
			operation(around, 1, 85, 90);
		if (time == 150)
			operation(around, 0, 120, 150);
	}
	operation(around, 2, 199, 200);
	ok(has(around, 0, 110, 160) && has(around, 1, 30, 60), "both have theirs, the longest first");
	ok(!*said(around, 0) && !*said(around, 1), "nothing is missing");
	around_free(around);
}

/* Much comes after the operation: what is around it stays. */
static void test_stays(void)
{
	struct around *around = around_new(SPAN, 1);
	int64_t time;

	for (time = 1; time <= 3 * FULL; time++) {
		put(around, time, time > 100 ? BIG : 8);
		if (time == 50)
			operation(around, 0, 40, 50);
	}
	ok(has(around, 0, 30, 60) && !*said(around, 0), "events around it outlive many later ones");
	/* It gives way, and then its events are given up for those of the next ones. */
	operation(around, 0, time - 500, time - 400);
	ok(has(around, 0, time - 510, time - 390) && !*said(around, 0), "the next one has its own");
	around_free(around);
}

/* Much came between start and stop: the first is missing, and that is said. */
static void test_cut(void)
{
	struct around *around = around_new(SPAN, 1);
	struct etw_event event;
	unsigned int count = 0;
	int64_t time;

	for (time = 1; time <= 3 * FULL; time++)
		put(around, time, BIG);
	operation(around, 0, 100, 3 * FULL);
	for (around_begin(around, 0); around_next(around, &event); count++)
		;
	ok(count > FULL / 2 && count <= FULL && event.time == 3 * FULL, "the last ones are there: %u", count);
	ok(strstr(said(around, 0), "operation 1: events up to 1601-01-01 "), "the others are reported: %s",
	   said(around, 0));
	around_free(around);
}

/* More is around one than fits */
static void test_full(void)
{
	struct around *around = around_new(INT64_MAX / 2, 1);
	struct etw_event event;
	uint64_t count = 0, missing = 0;
	int64_t time;
	const char *at;

	put(around, 1, BIG);
	operation(around, 0, 1, 1);
	for (time = 2; time <= 4 * FULL; time++)
		put(around, time, BIG);
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
	test_ranks();
	test_stays();
	test_cut();
	test_full();
	return done_testing();
}
