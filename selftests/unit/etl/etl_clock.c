// SPDX-License-Identifier: MIT
/* etl_clock - converts records of one log file to the clock of another */
#include <string.h>

#include "core/classic.h"
#include "etl/clock.h"
#include "etl/record.h"
#include "lib/tap.h"

#define START	133000000000000000LL
#define SECOND	10000000LL

static struct etw_etl_clock clock_of(uint32_t kind, int64_t frequency, int64_t time, int64_t clock)
{
	struct etw_etl_info info = { .start_clock = clock };
	struct etw_etl_clock c;

	info.header.ReservedFlags = kind;
	info.header.PerfFreq.QuadPart = frequency;
	info.header.StartTime.QuadPart = time;
	info.header.BootTime.QuadPart = START - 100 * SECOND;
	etw_etl_clock_of(&info, &c);
	return c;
}

static void test_same(void)
{
	struct etw_etl_clock a = clock_of(1, 1000000000, START, 1000), b = a;

	ok(etw_etl_clock_same(&a, &b), "a clock is itself");
	b = clock_of(1, 1000000000, START + 3600 * SECOND, 1000 + 3600000000000);
	ok(etw_etl_clock_same(&a, &b), "an hour later");
	b.clock += 500000000;
	ok(etw_etl_clock_same(&a, &b), "drifted by half a second");
	b.clock += 1000000000;
	ok(!etw_etl_clock_same(&a, &b), "1.5 seconds are too much");
	b = a;
	b.boot += 3600 * SECOND;
	ok(!etw_etl_clock_same(&a, &b), "booted later");
	b = clock_of(1, 10000000, START, 1000);
	ok(!etw_etl_clock_same(&a, &b), "another frequency");
	b = clock_of(3, 1000000000, START, 1000);
	ok(!etw_etl_clock_same(&a, &b), "another kind");
	a = clock_of(2, 0, START, 7);
	b = clock_of(2, 0, START + 1000 * SECOND, 9);
	b.boot = 0;
	ok(etw_etl_clock_same(&a, &b), "FILETIME is the same everywhere");
}

/* The same with the drift that a file's buffers show: one extra tick per drift ticks */
static struct etw_etl_time *time_of(struct etw_etl_time *t, uint32_t kind, int64_t frequency,
				    int64_t time, int64_t clock, int64_t drift)
{
	struct etw_etl_info info = { .start_clock = clock };
	struct etw_buffer_header header = { .buffer_size = 4096 };
	int64_t second, ticks;

	info.header.ReservedFlags = kind;
	info.header.PerfFreq.QuadPart = frequency;
	info.header.StartTime.QuadPart = time;
	etw_etl_time_init(t, &info);
	for (second = 10; drift && second < 1000; second += 10) {
		ticks = second * frequency;
		header.ref_clock = clock + ticks + ticks / drift;
		header.ref_time = time + second * SECOND;
		etw_etl_time_learn(t, &header);
	}
	etw_etl_time_ready(t);
	return t;
}

static int64_t shifted(struct etw_etl_time *from, struct etw_etl_time *to, int64_t ticks)
{
	const struct etw_etl_shift shift = { .from = from, .to = to };

	return etw_etl_shift(&shift, ticks);
}

static void test_shift(void)
{
	static struct etw_etl_time t[5];
	struct etw_etl_time *ns = time_of(&t[0], 1, 1000000000, START, 1000, 0);
	struct etw_etl_time *us10 = time_of(&t[1], 1, 10000000, START + SECOND, 50, 0);
	struct etw_etl_time *wall = time_of(&t[2], 2, 0, START, START, 0);
	struct etw_etl_time *odd = time_of(&t[3], 1, 2893437000, START - SECOND, INT64_MAX - 5, 0);
	struct etw_etl_time *wild = time_of(&t[4], 1, 1, INT64_MIN, INT64_MAX, 0);
	struct etw_etl_shift shift = { .same = true, .from = ns, .to = ns };

	is(etw_etl_shift(&shift, -5), -5, "the same clock");
	shift.offset = 10;
	is(etw_etl_shift(&shift, -5), -15, "less an offset");
	shift.offset = INT64_MAX;
	is(etw_etl_shift(&shift, INT64_MIN), INT64_MIN, "which saturates");
	is(shifted(us10, ns, 50), 1000001000, "another's start");
	is(shifted(us10, ns, 53), 1000001300, "three ticks later");
	is(shifted(us10, ns, 47), 1000000700, "three before");
	is(shifted(ns, us10, 1000), 50 - 10000000, "to coarser ticks");
	is(shifted(ns, us10, 1099), 50 - 10000000, "rounded down");
	is(shifted(ns, us10, 999), 50 - 10000001, "also below");
	is(shifted(ns, wall, 2000), START + 10, "to FILETIME");
	is(shifted(wall, ns, START + 10), 2000, "and back");
	is(shifted(odd, wall, INT64_MAX), START - SECOND, "near the end of the range");
	/* Any result, but within the range of the type. */
	shifted(wild, odd, INT64_MIN);
	shifted(odd, wild, INT64_MIN);
	shifted(wild, wall, INT64_MIN);
	ok(shifted(wall, wild, INT64_MAX) >= shifted(wall, wild, 0), "times beyond the range");
}

/* Two clocks that both drift: the same moments, and never backwards. */
static void test_drift(void)
{
	static struct etw_etl_time t[2];
	struct etw_etl_time *slow = time_of(&t[0], 1, 10000000, START, 0, -20000);
	struct etw_etl_time *fast = time_of(&t[1], 1, 2893437000, START - 7 * SECOND, 5000, 10000);
	int64_t ticks, to, last = INT64_MIN, off, worst = 0;
	unsigned int back = 0, n = 0;
	uint8_t nanos, other;

	for (ticks = -100000; ticks < 12000000000; ticks += 1234567, n++) {
		to = shifted(slow, fast, ticks);
		back += to <= last;
		last = to;
		off = (etw_etl_time(slow, ticks, &nanos) - etw_etl_time(fast, to, &other)) * 100 +
		      nanos - other;
		if (off < 0)
			off = 1000;	/* rounded up */
		if (off > worst)
			worst = off;
	}
	ok(n > 9000 && !back, "%u times, in their order", n);
	is(worst, 0, "at the same nanosecond");
	back = 0;
	for (ticks = 500000000; ticks < 500001000; ticks++)
		back += shifted(slow, fast, ticks) >= shifted(slow, fast, ticks + 1);
	is(back, 0, "adjacent ticks, too");
}

/* Ticks longer than a nanosecond: some nanoseconds have none, but each unit has one. */
static void test_units(void)
{
	static struct etw_etl_time t[2];
	struct etw_etl_time *units = time_of(&t[0], 1, 10000000, START, 0, 0);
	struct etw_etl_time *slow = time_of(&t[1], 1, 1000000000, START, 777, -20000);
	int64_t unit, to, last = INT64_MIN;
	unsigned int other = 0, back = 0;
	uint8_t nanos;

	for (unit = 0; unit < 1000000000; unit += 12347) {
		to = shifted(units, slow, unit);
		other += etw_etl_time(slow, to, &nanos) != START + unit;
		back += to <= last;
		last = to;
	}
	is(other, 0, "whole units are unchanged");
	is(back, 0, "in their order");
	is(etw_etl_ticks(units, START + 7, 99), 7, "no coarser clock is moved ahead");
}

static unsigned int times(uint8_t type, uint16_t hook, size_t size, uint32_t at[2])
{
	uint8_t record[64] = { 0, 0, type, 0xC0 };

	memcpy(record + 6, &hook, sizeof(hook));
	at[0] = at[1] = 0;
	return etw_etl_times(record, size, at);
}

static void test_times(void)
{
	static const struct {
		uint8_t type;
		uint32_t at;
	} types[] = {
		{ ETW_ETL_EVENT32, 16 }, { ETW_ETL_EVENT64, 16 }, { ETW_ETL_FULL32, 16 },
		{ ETW_ETL_FULL64, 16 }, { ETW_ETL_INSTANCE32, 16 }, { ETW_ETL_INSTANCE64, 16 },
		{ ETW_ETL_SYSTEM32, 16 }, { ETW_ETL_SYSTEM64, 16 }, { ETW_ETL_COMPACT32, 16 },
		{ ETW_ETL_COMPACT64, 16 }, { ETW_ETL_PERFINFO32, 8 }, { ETW_ETL_PERFINFO64, 8 },
	};
	uint32_t at[2];
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		is(times(types[i].type, 0x0524, 64, at), 1, "a type with one time");
		is(at[0], types[i].at, "its time");
		is(times(types[i].type, 0x0524, types[i].at + 7, at), 0,
		   "is missing if it is cut off");
	}
	is(times(ETW_ETL_ERROR, 0, 64, at), 0, "ERROR has no time");
	is(times(ETW_ETL_MESSAGE, 0, 64, at), 0, "nor has a MESSAGE with another record's mark");
	is(times(ETW_ETL_PERFINFO64, 0x1820, 64, at), 2, "a stack has its event's time");
	is(at[1], 16, "in its first word");
	is(times(ETW_ETL_PERFINFO64, 0x1820, 20, at), 1, "if it is present");
	is(times(ETW_ETL_SYSTEM64, 0x1820, 64, at), 2, "also after another header");
	is(at[1], 32, "of its size");
	is(times(ETW_ETL_PERFINFO64, 0x0F44, 64, at), 2, "a DPC of its begin");
	is(times(ETW_ETL_PERFINFO64, 0x0F2E, 64, at), 1, "a sample of nothing else");
	is(times(ETW_ETL_PERFINFO64, 0x0F2E, 7, at), 0, "no record");
}

static void test_messages(void)
{
	static struct etw_etl_time ns, us10;
	struct etw_classic c = { .type = ETW_TYPE_MESSAGE, .data = "abcdefgh", .len = 8 };
	_Alignas(8) uint8_t record[128], before[128];
	struct etw_etl_shift shift = { .from = &us10, .to = &ns };
	uint32_t options, at[2];
	int64_t time;

	time_of(&ns, 1, 1000000000, START, 1000, 0);
	time_of(&us10, 1, 10000000, START, 0, 0);
	for (options = 0; options <= ETW_MESSAGE_ALL; options++) {
		uint32_t n, size;

		if (options & ~ETW_MESSAGE_ALL)
			continue;
		c.options = (uint16_t)options;
		size = (uint32_t)etw_classic_size(&c);
		etw_classic_write(record, &c, 70, 9);
		memcpy(before, record, sizeof(before));
		n = etw_etl_times(record, size, at);
		etw_etl_restamp(record, size, &shift);
		if (!(options & ETW_MESSAGE_TIMESTAMP)) {
			ok(!n && !memcmp(record, before, size), "message %x: no time", options);
			continue;
		}
		memcpy(&time, record + at[0], sizeof(time));
		memcpy(record + at[0], before + at[0], sizeof(time));
		ok(n == 1 && time == 8000 && !memcmp(record, before, size), "message %x: only its time",
		   options);
		ok(!etw_etl_times(record, at[0] + 7, at), "which may be cut off");
	}
}

int main(void)
{
	test_same();
	test_shift();
	test_drift();
	test_units();
	test_times();
	test_messages();
	return done_testing();
}
