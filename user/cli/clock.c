/* SPDX-License-Identifier: MIT */
/*
 * clock.c - times of the trace, 100 ns since 1601-01-01 UTC, as text
 */
#include <string.h>
#include <time.h>
#include "cli.h"
#include "clock.h"

#define TICKS	10000000LL	/* per second */

/* Date and time of one second: events come many to the second. */
struct second {
	time_t when;
	size_t len;	/* 0: nothing here yet */
	char text[40];
};

static int64_t split(int64_t time, time_t *second)
{
	int64_t unix_time = time - ETW_UNIX_EPOCH_100NS;
	int64_t fraction = unix_time % TICKS;

	if (fraction < 0)
		fraction += TICKS;
	*second = (time_t)((unix_time - fraction) / TICKS);
	return fraction;
}

/*
 * The time as text, seven digits of a second; last keeps the text of the last
 * second, since events come many to a second.
 */
static void put_time(struct text *text, int64_t time, struct second *last,
		     struct tm *(*convert)(const time_t *, struct tm *),
		     const char *format)
{
	struct tm tm;
	time_t when;
	int64_t fraction = split(time, &when);

	if (!last->len || last->when != when) {
		convert(&when, &tm);
		last->len = strftime(last->text, sizeof(last->text), format, &tm);
		last->when = when;
	}
	text_add(text, last->text, last->len);
	text_unsigned(text, (uint64_t)fraction, 7);
}

void clock_utc(struct text *text, int64_t time)
{
	static struct second last;

	put_time(text, time, &last, gmtime_r, "%Y-%m-%dT%H:%M:%S.");
	text_add(text, "Z", 1);
}

void clock_local(struct text *text, int64_t time)
{
	static struct second last;

	put_time(text, time, &last, localtime_r, "%Y-%m-%d %H:%M:%S.");
}
