/* SPDX-License-Identifier: MIT */
/*
 * clock.c - times of the trace, 100 ns since 1601-01-01 UTC, as text
 */
#include <stdio.h>
#include <time.h>
#include "cli/cli.h"
#include "clock.h"

#define TICKS	10000000LL	/* per second */
#define FRACTION	7	/* digits of a second */
#define ZONE		6	/* characters of an offset */

/* Date and time of one second: events come many to the second. */
struct second {
	time_t when;
	size_t len;	/* 0: nothing here yet */
	char text[64];
	char zone[8];	/* +01:00 */
};

static int64_t split(int64_t time, time_t *second)
{
	/* Any number may be given for a time. */
	int64_t unix_time = (int64_t)((uint64_t)time - ETW_UNIX_EPOCH_100NS);
	int64_t fraction = unix_time % TICKS;

	*second = (time_t)(unix_time / TICKS);
	if (fraction < 0) {
		fraction += TICKS;
		(*second)--;
	}
	return fraction;
}

/* The offset from UTC in hours and minutes; its sign is that of both. */
static void put_zone(char zone[8], long seconds)
{
	unsigned long minutes = (unsigned long)(seconds < 0 ? -seconds : seconds) / 60;

	snprintf(zone, 8, "%c%02lu:%02lu", seconds < 0 ? '-' : '+', minutes / 60 % 100, minutes % 60);
}

int64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * TICKS + now.tv_nsec / 100 + ETW_UNIX_EPOCH_100NS;
}

void clock_local(struct etw_text *text, int64_t time)
{
	static _Thread_local struct second last;
	struct tm tm;
	time_t when;
	int64_t fraction = split(time, &when);
	char *to;

	if (!last.len || last.when != when) {
		localtime_r(&when, &tm);
		last.len = strftime(last.text, sizeof(last.text), "%Y-%m-%d %H:%M:%S.", &tm);
		put_zone(last.zone, tm.tm_gmtoff);
		last.when = when;
	}
	to = etw_text_room(text, last.len + FRACTION + ZONE);
	if (!to)
		return;
	to = etw_text_fraction(etw_text_copy(to, last.text, last.len), (uint32_t)fraction);
	etw_text_end(text, etw_text_copy(to, last.zone, ZONE));
}

void clock_seconds(struct etw_text *text, int64_t time)
{
	uint64_t ticks = time < 0 ? -(uint64_t)time : (uint64_t)time;

	if (time < 0)
		etw_text_add(text, "-", 1);
	etw_text_unsigned(text, ticks / TICKS, 1);
	etw_text_add(text, ".", 1);
	etw_text_unsigned(text, ticks % TICKS, FRACTION);
}
