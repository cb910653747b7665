/* SPDX-License-Identifier: MIT */
/*
 * clock.c - convert records of one log file to the clock of another
 *
 * Source of the record layouts: Microsoft's pages "StackWalk_Event", "DPC" and "ISR".
 */
#include <string.h>

#include "core/classic.h"
#include "clock.h"
#include "record.h"

#define SECOND		10000000	/* in FILETIME units */
#define BOOTS_APART	(60ll * SECOND)	/* between sessions of one boot */
#define STARTS_APART	(SECOND / 10)
#define DRIFT		5000		/* 1 / 200 ppm */
#define NANOS		1000000000
#define TRIES		40
#define STEPS		64

__extension__ typedef __int128 wide;

void etw_etl_clock_of(const struct etw_etl_info *info, struct etw_etl_clock *clock)
{
	clock->kind = info->header.ReservedFlags;
	clock->frequency = etw_etl_frequency(info);
	clock->time = info->header.StartTime.QuadPart;
	clock->boot = info->header.BootTime.QuadPart;
	/* This clock needs no line: its ticks are FILETIME. */
	clock->clock = clock->kind == ETW_CLOCK_SYSTEM ? clock->time : info->start_clock;
}

static int64_t clamp(wide n)
{
	return n > INT64_MAX ? INT64_MAX : n < INT64_MIN ? INT64_MIN : (int64_t)n;
}

static wide distance(wide a, wide b)
{
	return a < b ? b - a : a - b;
}

bool etw_etl_clock_same(const struct etw_etl_clock *a, const struct etw_etl_clock *b)
{
	wide ticks, time;

	if (a->kind != b->kind || a->frequency != b->frequency)
		return false;
	if (a->kind == ETW_CLOCK_SYSTEM)
		return true;
	if (distance(a->boot, b->boot) > BOOTS_APART)
		return false;
	time = (wide)b->time - a->time;
	ticks = ((wide)b->clock - a->clock) * SECOND / a->frequency;
	return distance(time, ticks) <= STARTS_APART + distance(time, 0) / DRIFT;
}

/* ---------------------------------------------------------------------- ticks */

static wide nanos_at(struct etw_etl_time *clock, int64_t ticks)
{
	uint8_t nanos;
	int64_t time = etw_etl_time(clock, ticks, &nanos);

	return (wide)time * 100 + nanos;
}

/*
 * A clock's line is nearly straight, so each step comes much closer than the one
 * before. The last steps are single ticks, plus one more if that tick converts to the
 * same FILETIME and no earlier tick does.
 */
int64_t etw_etl_ticks(struct etw_etl_time *clock, int64_t time, uint8_t nanos)
{
	wide want = (wide)time * 100 + nanos, step;
	int64_t ticks = clock->pairs[0].clock;
	unsigned int i;

	if (clock->is_time)
		return time;
	for (i = 0; i < TRIES; i++) {
		step = (want - nanos_at(clock, ticks)) * clock->frequency / NANOS;
		if (!step)
			break;
		ticks = clamp(ticks + step);
	}
	for (i = 0; i < STEPS && ticks > INT64_MIN && nanos_at(clock, ticks) > want; i++)
		ticks--;
	for (i = 0; i < STEPS && ticks < INT64_MAX && nanos_at(clock, ticks + 1) <= want; i++)
		ticks++;
	if (ticks < INT64_MAX && etw_etl_time(clock, ticks, &nanos) < time &&
	    etw_etl_time(clock, ticks + 1, &nanos) == time)
		ticks++;
	return ticks;
}

int64_t etw_etl_shift(const struct etw_etl_shift *shift, int64_t ticks)
{
	uint8_t nanos;
	int64_t time;

	if (!shift->same) {
		time = etw_etl_time(shift->from, ticks, &nanos);
		ticks = etw_etl_ticks(shift->to, time, nanos);
	}
	return clamp((wide)ticks - shift->offset);
}

/* -------------------------------------------------------------------- records */

/* Records of the kernel logger whose payload begins with a time */
static bool is_timed(uint16_t hook)
{
	return hook == 0x1820 ||			/* stack of the event with this time */
	       hook == 0x0F32 ||			/* ISR of a message: its start */
	       (hook >= 0x0F42 && hook <= 0x0F45);	/* threaded DPC, ISR, DPC, timer's DPC */
}

unsigned int etw_etl_times(const void *record, size_t size, uint32_t at[ETW_ETL_TIMES])
{
	struct etw_etl_layout layout;
	unsigned int n = 0;
	uint16_t hook;

	if (size < 8)
		return 0;
	layout = etw_etl_layout(record);
	memcpy(&hook, (const char *)record + 6, sizeof(hook));
	if (layout.time)
		at[n++] = layout.time;
	if (layout.payload && is_timed(hook))
		at[n++] = layout.payload;
	while (n && at[n - 1] + sizeof(int64_t) > size)
		n--;
	return n;
}

void etw_etl_restamp(void *record, size_t size, const struct etw_etl_shift *shift)
{
	uint32_t at[ETW_ETL_TIMES];
	unsigned int n;
	int64_t ticks;

	if (shift->same && !shift->offset)
		return;
	for (n = etw_etl_times(record, size, at); n--;) {
		memcpy(&ticks, (char *)record + at[n], sizeof(ticks));
		ticks = etw_etl_shift(shift, ticks);
		memcpy((char *)record + at[n], &ticks, sizeof(ticks));
	}
}
