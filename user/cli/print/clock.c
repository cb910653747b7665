/* SPDX-License-Identifier: MIT */
/*
 * clock.c - times of the trace, 100 ns since 1601-01-01 UTC, as text
 */
#include <string.h>
#include <time.h>
#include "cli/cli.h"
#include "clock.h"
#include "digits.h"

#define TICKS	10000000LL	/* per second */
#define FRACTION	7	/* digits of a second */

/* Date and time of one second: events come many to the second. */
struct second {
	time_t when;
	size_t len;	/* 0: nothing here yet */
	char text[32];
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

/*
 * The time as text, seven digits of a second; last keeps the text of the last
 * second, since events come many to a second.
 */
static void put_time(struct etw_text *text, int64_t time, struct second *last,
		     struct tm *(*convert)(const time_t *, struct tm *),
		     const char *format)
{
	struct tm tm;
	time_t when;
	char *to;
	int64_t fraction = split(time, &when);

	if (!last->len || last->when != when) {
		convert(&when, &tm);
		last->len = strftime(last->text, sizeof(last->text), format, &tm);
		last->when = when;
	}
	to = etw_text_room(text, sizeof(last->text) + FRACTION);
	text_check(text);
	/* More than there is: a number of bytes that the compiler knows costs no call. */
	memcpy(to, last->text, sizeof(last->text));
	etw_text_end(text, digits_fixed(to + last->len, (uint32_t)fraction, FRACTION));
}

void clock_utc(struct etw_text *text, int64_t time)
{
	static struct second last;

	put_time(text, time, &last, gmtime_r, "%Y-%m-%dT%H:%M:%S.");
	text_add(text, "Z", 1);
}

void clock_local(struct etw_text *text, int64_t time)
{
	static struct second last;

	put_time(text, time, &last, localtime_r, "%Y-%m-%d %H:%M:%S.");
}

void clock_seconds(struct etw_text *text, int64_t time)
{
	uint64_t ticks = time < 0 ? -(uint64_t)time : (uint64_t)time;

	if (time < 0)
		text_add(text, "-", 1);
	text_unsigned(text, ticks / TICKS, 1);
	text_add(text, ".", 1);
	text_unsigned(text, ticks % TICKS, FRACTION);
}
