// SPDX-License-Identifier: MIT
/*
 * time_expr.c - times as people write them
 */
#include <string.h>
#include <time.h>
#include <etw/format.h>

#include "time_expr.h"

#define SECOND		10000000LL		/* in FILETIME units */
#define DAY		(24 * 3600 * SECOND)
#define DIGITS_MAX	11			/* of a number of units: 3,000 years of seconds */

struct reader {
	const char *at, *end;
};

static bool is_digit(const struct reader *r)
{
	return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static bool take(struct reader *r, char c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* A number of so many digits. */
static bool take_number(struct reader *r, int min, int max, int64_t *value)
{
	int digits = 0;

	*value = 0;
	for (; digits < max && is_digit(r); digits++)
		*value = *value * 10 + (*r->at++ - '0');
	return digits >= min;
}

/* The digits after a point, as a part of the unit; smaller parts are dropped. */
static bool take_fraction(struct reader *r, int64_t unit, int64_t *value)
{
	*value = 0;
	if (!take(r, '.'))
		return true;
	if (!is_digit(r))
		return false;
	for (; is_digit(r); r->at++) {
		*value += unit * (*r->at - '0') / 10;
		unit /= 10;
	}
	return true;
}

/* hh:mm[:ss[.fraction]] */
static bool take_day_time(struct reader *r, int64_t *value)
{
	int64_t hour, minute, second = 0, fraction = 0;

	if (!take_number(r, 1, 2, &hour) || !take(r, ':') || !take_number(r, 2, 2, &minute))
		return false;
	if (take(r, ':') &&
	    (!take_number(r, 2, 2, &second) || !take_fraction(r, SECOND, &fraction)))
		return false;
	if (hour > 23 || minute > 59 || second > 60)
		return false;
	*value = (hour * 3600 + minute * 60 + second) * SECOND + fraction;
	return true;
}

/* Z, +hh:mm or -hhmm: seconds to subtract from a local time; *given: a zone was there. */
static bool take_zone(struct reader *r, int64_t *offset, bool *given)
{
	int64_t hours, minutes = 0;
	bool west;

	*offset = 0;
	*given = take(r, 'Z') || take(r, 'z');
	if (*given)
		return true;
	west = r->at < r->end && *r->at == '-';
	if (!west && !take(r, '+'))
		return true;
	r->at += west;
	*given = true;
	if (!take_number(r, 2, 2, &hours))
		return false;
	take(r, ':');
	if (is_digit(r) && !take_number(r, 2, 2, &minutes))
		return false;
	*offset = (hours * 3600 + minutes * 60) * (west ? -1 : 1);
	return hours <= 15 && minutes <= 59;
}

static int64_t filetime(time_t second)
{
	return (int64_t)second * SECOND + ETW_UNIX_EPOCH_100NS;
}

/* A day's midnight, local or in UTC.  false: there is no such day. */
static bool midnight(int64_t year, int64_t month, int64_t day, bool utc, time_t *second)
{
	struct tm tm = {
		.tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day,
		.tm_isdst = -1,
	};

	*second = utc ? timegm(&tm) : mktime(&tm);
	return year >= 1601 && tm.tm_mon == month - 1 && tm.tm_mday == day;
}

/* A time of a local day, whose length may differ where clocks are changed. */
static int64_t local_time(time_t of_day, int64_t value)
{
	struct tm tm;
	int64_t seconds = value / SECOND;

	localtime_r(&of_day, &tm);
	tm.tm_hour = (int)(seconds / 3600);
	tm.tm_min = (int)(seconds / 60 % 60);
	tm.tm_sec = (int)(seconds % 60);
	tm.tm_isdst = -1;
	return filetime(mktime(&tm)) + value % SECOND;
}

/* yyyy-mm-dd[Thh:mm[:ss[.fraction]][zone]] */
static bool parse_date(struct reader r, struct etw_time_expr *when)
{
	int64_t year, month, day, value = 0, offset = 0;
	bool zone = false;
	time_t second;

	if (!take_number(&r, 4, 4, &year) || !take(&r, '-') ||
	    !take_number(&r, 2, 2, &month) || !take(&r, '-') ||
	    !take_number(&r, 2, 2, &day))
		return false;
	if ((take(&r, 'T') || take(&r, 't') || take(&r, ' ')) &&
	    (!take_day_time(&r, &value) || !take_zone(&r, &offset, &zone)))
		return false;
	if (r.at != r.end || !midnight(year, month, day, zone, &second))
		return false;
	when->kind = ETW_TIME_EXPR_TIME;
	if (zone)
		when->value = filetime(second) + value - offset * SECOND;
	else
		when->value = local_time(second, value);
	return true;
}

static bool parse_of_day(struct reader r, struct etw_time_expr *when)
{
	when->kind = ETW_TIME_EXPR_OF_DAY;
	return take_day_time(&r, &when->value) && r.at == r.end;
}

/* @seconds since 1970 */
static bool parse_unix(struct reader r, struct etw_time_expr *when)
{
	int64_t seconds, fraction;

	if (!take(&r, '@') || !take_number(&r, 1, DIGITS_MAX, &seconds) ||
	    !take_fraction(&r, SECOND, &fraction) || r.at != r.end)
		return false;
	when->kind = ETW_TIME_EXPR_TIME;
	when->value = filetime(seconds) + fraction;
	return true;
}

int64_t etw_time_expr_unit(const char *name, size_t len)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
		{ "m", 60 * 1000000000LL }, { "h", 3600 * 1000000000LL },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (len == strlen(units[i].name) && !memcmp(name, units[i].name, len))
			return units[i].ns;
	return 0;
}

static bool parse_since(struct reader r, struct etw_time_expr *when)
{
	const bool back = take(&r, '-'), sign = back || take(&r, '+');
	int64_t number, fraction, unit = SECOND;
	struct reader digits = r;
	size_t len;

	if (!take_number(&r, 1, DIGITS_MAX, &number) || !take_fraction(&r, unit, &fraction))
		return false;
	len = (size_t)(r.end - r.at);
	if (!len && !sign)
		return false;	/* a number alone */
	if (len) {
		unit = etw_time_expr_unit(r.at, len);
		if (!unit)
			return false;
		unit /= 100;	/* of ns nothing is left, see below */
	}
	take_number(&digits, 1, DIGITS_MAX, &number);
	take_fraction(&digits, unit, &fraction);
	when->kind = back ? ETW_TIME_EXPR_BEFORE_END : ETW_TIME_EXPR_SINCE;
	if (!unit)
		when->value = number / 100;
	else
		return !__builtin_mul_overflow(number, unit, &when->value) &&
		       !__builtin_add_overflow(when->value, fraction, &when->value);
	return true;
}

bool etw_time_expr_parse(const char *text, size_t len, struct etw_time_expr *when)
{
	struct reader r = { text, text + len };

	return parse_date(r, when) || parse_of_day(r, when) || parse_unix(r, when) ||
	       parse_since(r, when);
}

int64_t etw_time_expr_at(const struct etw_time_expr *when, int64_t start, int64_t end)
{
	int64_t since, time;

	switch (when->kind) {
	case ETW_TIME_EXPR_SINCE:
		return __builtin_add_overflow(start, when->value, &time) ? INT64_MAX : time;
	case ETW_TIME_EXPR_BEFORE_END:
		return __builtin_sub_overflow(end, when->value, &time) ? INT64_MIN : time;
	case ETW_TIME_EXPR_OF_DAY:
		if (__builtin_sub_overflow(start, ETW_UNIX_EPOCH_100NS, &since) || since < -DAY * 400 * 366)
			since = 0;	/* start is no time at all */
		/* Rounded down, also before 1970 */
		return local_time((time_t)((since - (since % SECOND + SECOND) % SECOND) / SECOND),
				  when->value);
	default:
		return when->value;
	}
}
