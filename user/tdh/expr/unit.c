// SPDX-License-Identifier: MIT
/*
 * unit.c - numbers with a unit
 *
 *	latency_ns > 5ms	Size >= 64K
 *
 * A time is converted to the unit that the field's name ends in; sizes are in bytes unless the
 * name says otherwise.
 */
#include <string.h>

#include "private.h"
#include "time_expr.h"

enum dimension { TIME, SIZE };

struct unit {
	const char *name;
	enum dimension dimension;
	double of;		/* ns or bytes; whole, so exact */
};

#define US	1e3
#define MS	1e6
#define SECOND	1e9
#define KB	1024.0
#define MB	(1024.0 * 1024)
#define GB	(1024.0 * 1024 * 1024)

/* Behind a number, besides those of times; case matters, because "m" is a minute. */
static const struct unit written[] = {
	{ "min", TIME, 60 * SECOND },
	{ "K", SIZE, KB }, { "KB", SIZE, KB }, { "KiB", SIZE, KB },
	{ "M", SIZE, MB }, { "MB", SIZE, MB }, { "MiB", SIZE, MB },
	{ "G", SIZE, GB }, { "GB", SIZE, GB }, { "GiB", SIZE, GB },
};

/* At the end of a field's name, in lower case */
static const struct unit named[] = {
	{ "ns", TIME, 1 }, { "nsec", TIME, 1 }, { "nanos", TIME, 1 }, { "nanoseconds", TIME, 1 },
	{ "100ns", TIME, 100 },
	{ "us", TIME, US }, { "usec", TIME, US }, { "micros", TIME, US },
	{ "microseconds", TIME, US },
	{ "ms", TIME, MS }, { "msec", TIME, MS }, { "millis", TIME, MS },
	{ "milliseconds", TIME, MS },
	{ "s", TIME, SECOND }, { "sec", TIME, SECOND }, { "secs", TIME, SECOND },
	{ "seconds", TIME, SECOND },
	{ "bytes", SIZE, 1 }, { "kb", SIZE, KB }, { "kib", SIZE, KB }, { "mb", SIZE, MB },
	{ "mib", SIZE, MB }, { "gb", SIZE, GB }, { "gib", SIZE, GB },
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Is the end of the name, len characters, a word of its own, as in latency_ns or LatencyNs? */
static bool is_last_word(const char *name, size_t name_len, size_t len)
{
	const char *word = name + name_len - len;

	if (word == name)
		return len > 1;
	if (word[-1] == '_')
		return true;
	return len > 1 && !is_upper(word[-1]) && (is_upper(*word) || *word == '1');
}

static bool ends_in(const char *name, size_t name_len, const char *unit, size_t len)
{
	size_t i;

	for (i = 0; i < len && len <= name_len; i++)
		if (etw_expr_lower(name[name_len - len + i]) != unit[i])
			return false;
	return len <= name_len && is_last_word(name, name_len, len);
}

/* The unit of a field; NULL: its name does not say. */
static const struct unit *unit_of_field(const char *name)
{
	const struct unit *best = NULL;
	size_t i;

	for (i = 0; name && i < COUNT(named); i++)
		if (ends_in(name, strlen(name), named[i].name, strlen(named[i].name)) &&
		    (!best || strlen(named[i].name) > strlen(best->name)))
			best = &named[i];
	return best;
}

static bool read_written(const char *text, struct unit *unit)
{
	const int64_t ns = etw_time_expr_unit(text, strlen(text));
	size_t i;

	for (i = 0; !ns && i < COUNT(written) && strcmp(written[i].name, text); i++)
		;
	if (!ns && i == COUNT(written))
		return false;
	*unit = ns ? (struct unit){ text, TIME, (double)ns } : written[i];
	return true;
}

static void scale(struct etw_expr_number *number, double from, double to)
{
	const long double value = (number->kind == ETW_EXPR_FLOAT ? (long double)number->f :
				   number->kind == ETW_EXPR_NEGATIVE ? (long double)number->i :
				   (long double)number->u) * from / to;

	if (value >= 0 && value < 0x1p64L && value == (long double)(uint64_t)value) {
		number->kind = ETW_EXPR_U64;
		number->u = (uint64_t)value;
	} else if (value < 0 && value >= -0x1p63L && value == (long double)(int64_t)value) {
		number->kind = ETW_EXPR_NEGATIVE;
		number->i = (int64_t)value;
	} else {
		number->kind = ETW_EXPR_FLOAT;
		number->f = (double)value;
	}
}

enum etw_expr_unit etw_expr_read_unit(const char *unit, const char *field,
				      struct etw_expr_number *number)
{
	const struct unit *to = unit_of_field(field);
	struct unit from;

	if (!read_written(unit, &from))
		return ETW_EXPR_UNIT_NONE;
	if (from.dimension == TIME && (!to || to->dimension != TIME))
		return ETW_EXPR_UNIT_UNKNOWN;
	scale(number, from.of, to && to->dimension == from.dimension ? to->of : 1);
	return ETW_EXPR_UNIT_CONVERTED;
}
