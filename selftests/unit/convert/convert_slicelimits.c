// SPDX-License-Identifier: MIT
/* The state that slices.c keeps is bounded, and evictions are reported */
#include "convert_slices.h"

static void test_limits(void)
{
	uint16_t i;

	limit = 3;
	begin();
	for (i = 1; i <= 5; i++)
		event(T(i), 7, 1, i, 0, i);
	event(T(6), 7, 2, 1, 0, 6);
	end();
	limit = 0;
	is(counts.evicted, 2, "the oldest give way");
	check(0, SLICE_ALONE, 1, 4, 1, 0, "as unfinished, by itself");
	check(1, SLICE_ALONE, 2, 5, 2, 0, "one after the other");
	ok(got[2].instant && got[2].start_id == 6, "its stop finds no start");
	check(3, SLICE_THREAD, 5, 6, 5, 0, "open slices at the end: the innermost first");
	check(5, SLICE_THREAD, 3, 6, 3, 0, "up to the last event");
	is(counts.unfinished, 5, "all are counted");
	ok(strstr(convert.notes, "2 activities were given up: more than 3 were open, "
				"or their events were too large\n"),
	   "and reported");
}

/* More threads than are kept, and starts of one kind without stops */
static void test_many(void)
{
	uint32_t i;

	begin();
	for (i = 0; i < 300000; i++) {
		event(T(i), i, 1, 1, 0, 1);
		event(T(i), i, 2, 1, 0, 2);
		got_count = 0;
	}
	for (i = 0; i < 200000; i++) {
		event(T(300000), 5, 1, 1, 0, 1);
		got_count = 0;
	}
	is(slices->open.count, SLICES_OPEN_MAX, "starts that wait are bounded");
	ok(slices->open.thread_count <= 2 * SLICES_OPEN_MAX, "and threads");
	counts = slices->count;
	is(counts.slices, 300000 + 200000 - SLICES_OPEN_MAX, "no slice is lost");
	slices_free(slices);
}

/* Names of any length, and of more threads than are kept */
static void test_names(void)
{
	static uint16_t name[2 + 2 + 400];
	uint32_t ids[2] = { 100, 5 }, i;

	for (i = 4; i < 403; i++)
		name[i] = 0xFC;
	name[4] = 'x';
	begin();
	memcpy(name, ids, sizeof(ids));
	kernel_event_of(72, T(1), 0, name, sizeof(name));
	kernel_event_of(36, T(2), 0, &(uint32_t[]){ 5, 0 }, 8);
	is(strlen(called), SLICES_NAME_MAX + strlen(" (5)"), "a name is bounded");
	ok(etw_utf8_valid(called, strlen(called)), "between two characters");
	name[4 + 127] = 0;
	for (i = 1; i < 3 * SLICES_NAMES_MAX / 2; i++) {
		ids[1] = 5 + i;
		memcpy(name, ids, sizeof(ids));
		kernel_event_of(72, T(3), 0, name, sizeof(name));
		got_count = 0;
	}
	is(slices->kernel.names.count, SLICES_NAMES_MAX / 2, "so many threads are known");
	kernel_event_of(36, T(4), 0, &ids[1], 8);
	ok(called[0] == 'x' && strlen(called) > 200, "the last ones");
	kernel_event_of(36, T(5), 0, &(uint32_t[]){ 5, 0 }, 8);
	ok(!strcmp(called, "Thread 5"), "not the first");
	convert.notes[0] = '\0';
	end();
	ok(counts.cut == 1 && strstr(convert.notes, "1 names of processes and threads were longer"),
	   "which is reported");
	ok(counts.forgotten == SLICES_NAMES_MAX && strstr(convert.notes, "65536 names of "),
	   "also how many were forgotten");
}

/* Events of many processors with much text */
static void test_switches(void)
{
	const uint32_t ids[4] = { 5, 0 };
	size_t most = 0, i, wrong = 0;

	begin();
	padding = 1 << 20;
	for (i = 0; i < 200; i++) {
		kernel_event_of(36, T(i), (uint16_t)i, ids, sizeof(ids));
		if (slices->kernel.held > most)
			most = slices->kernel.held;
	}
	counts = slices->count;
	ok(most > 16 * padding && most <= SLICES_RUNNING_MAX + 2 * (padding + 16),
	   "running slices are bounded: %zu bytes", most);
	ok(counts.stopped && counts.stopped == got_count, "evicted slices are counted");
	for (i = 0; i < got_count; i++)
		wrong += got[i].slice.track.place != SLICE_CPU || got[i].slice.stop;
	is(wrong, 0, "and handed over as unfinished");
	convert.notes[0] = '\0';
	end();
	padding = 0;
	is(got_count, 200, "each is there once");
	ok(strstr(convert.notes, "threads on processors were given up"), "and reported");

	begin();
	padding = 1 << 20;
	for (i = 0; i < 200; i++)
		event(T(i), 5, 1, 1, 0, 1);
	ok(slices->open.held <= SLICES_HELD_MAX + 2 * padding, "so are starts");
	slices_free(slices);
	padding = 0;
}

static void test_seen(void)
{
	struct seen set = { .numbers.max = 0 };
	uint32_t i, wrong_count = 0;

	for (i = 0; i < 3 * SEEN_MAX / 2; i++) {
		wrong_count += seen_put(&set, seen_number(1, i, 7)) != 1;
		wrong_count += seen_put(&set, seen_number(1, i, 7)) != 0;
	}
	is(wrong_count, 0, "numbers are new once");
	ok(set.numbers.table.count == SEEN_MAX / 2, "a full set begins again");
	seen_free(&set);
}

int main(void)
{
	test_limits();
	test_many();
	test_names();
	test_switches();
	test_seen();
	return done_testing();
}
