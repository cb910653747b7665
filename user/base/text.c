/* SPDX-License-Identifier: MIT */
/*
 * text.c - a growing text, and numbers and times in it
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "guid.h"
#include "text.h"

#define TEXT_FIRST	256
#define TICKS		10000000u	/* of a FILETIME, per second */
#define DAY		86400u		/* seconds */
#define EIGHT		100000000u	/* 1 and eight zeros */

static const char pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";
static const char hex_digits[] = "0123456789abcdef";

char *etw_text_grow(struct etw_text *text, size_t len)
{
	size_t cap = text->cap ? text->cap : TEXT_FIRST;
	char *data;

	if (text->error)
		return NULL;
	while (cap - text->len <= len) {
		if (cap > SIZE_MAX / 2) {
			text->error = -ENOMEM;
			return NULL;
		}
		cap *= 2;
	}
	if (cap != text->cap) {
		data = realloc(text->data, cap);
		if (!data) {
			text->error = -ENOMEM;
			return NULL;
		}
		text->data = data;
		text->cap = cap;
	}
	return text->data + text->len;
}

void etw_text_free(struct etw_text *text)
{
	free(text->data);
	*text = (struct etw_text){ 0 };
}

void etw_text_cut(struct etw_text *text, size_t len)
{
	if (len < text->len)
		etw_text_end(text, text->data + len);
}

void etw_text_vprintf(struct etw_text *text, const char *fmt, va_list args)
{
	va_list ap;
	size_t room = TEXT_FIRST;
	char *to;
	int n;

	for (;;) {
		to = etw_text_room(text, room);
		if (!to)
			return;
		va_copy(ap, args);
		n = vsnprintf(to, room + 1, fmt, ap);
		va_end(ap);
		if (n < 0)
			return;
		if ((size_t)n <= room)
			break;
		room = (size_t)n;
	}
	text->len += (size_t)n;
}

void etw_text_printf(struct etw_text *text, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	etw_text_vprintf(text, fmt, args);
	va_end(args);
}

static inline char *two(char *to, unsigned int value)
{
	memcpy(to, pairs + 2 * value, 2);
	return to + 2;
}

/* Digits with leading zeros; value < 10000 */
static inline char *four_digits(char *to, uint32_t value)
{
	return two(two(to, value / 100), value % 100);
}

/* Without leading zeros */
static inline char *to_four_digits(char *to, uint32_t value)
{
	const uint32_t high = value / 100;

	if (value < 10) {
		*to = (char)('0' + value);
		return to + 1;
	}
	if (!high)
		return two(to, value);
	if (high >= 10)
		return four_digits(to, value);
	*to = (char)('0' + high);
	return two(to + 1, value % 100);
}

char *etw_text_digits(char *to, uint64_t value)
{
	uint32_t low;

	if (value < 10000)
		return to_four_digits(to, (uint32_t)value);
	if (value < EIGHT) {
		low = (uint32_t)value;
		return four_digits(to_four_digits(to, low / 10000), low % 10000);
	}
	to = etw_text_digits(to, value / EIGHT);
	low = (uint32_t)(value % EIGHT);
	return four_digits(four_digits(to, low / 10000), low % 10000);
}

void etw_text_unsigned(struct etw_text *text, uint64_t value, unsigned int min_digits)
{
	char *to = etw_text_room(text, ETW_TEXT_DIGITS + min_digits), *end;
	size_t zeros;

	if (!to)
		return;
	end = etw_text_digits(to, value);
	if ((size_t)(end - to) < min_digits) {
		zeros = min_digits - (size_t)(end - to);
		memmove(to + zeros, to, (size_t)(end - to));
		memset(to, '0', zeros);
		end += zeros;
	}
	etw_text_end(text, end);
}

void etw_text_signed(struct etw_text *text, int64_t value)
{
	if (value < 0)
		etw_text_char(text, '-');
	etw_text_unsigned(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

/* Eight digits at once: a number with one in each byte, the first in the lowest. */
static uint64_t eight_digits(uint32_t value)
{
	const uint64_t ones = 0x0101010101010101ull;
	uint64_t x = value, letters;

	/* Spread the 4-bit parts over the bytes. */
	x = (x | x << 16) & 0x0000FFFF0000FFFFull;
	x = (x | x << 8) & 0x00FF00FF00FF00FFull;
	x = (x | x << 4) & 0x0F0F0F0F0F0F0F0Full;
	letters = (x + 6 * ones) >> 4 & ones;	/* from 10 on */
	return __builtin_bswap64(x + '0' * ones + ('a' - '0' - 10) * letters);
}

char *etw_text_digits_0x(char *to, uint64_t value)
{
	unsigned int n = value ? (67 - (unsigned int)__builtin_clzll(value)) / 4 : 1;
	uint64_t digits[4] = { eight_digits((uint32_t)(value >> 32)), eight_digits((uint32_t)value) };

	to[0] = '0';
	to[1] = 'x';
	memcpy(to + 2, (const char *)digits + 16 - n, 16);
	return to + 2 + n;
}

void etw_text_0x(struct etw_text *text, uint64_t value)
{
	char *to = etw_text_room(text, ETW_TEXT_0X);

	if (to)
		etw_text_end(text, etw_text_digits_0x(to, value));
}

static bool is_same(double a, double b, int digits)
{
	return digits > 9 ? a == b : (float)a == (float)b;
}

/*
 * Numbers with few decimals, like most, without printf(). A quotient is rounded like a
 * decimal number that is parsed, so the digits read back as the same number.
 */
static bool put_decimal(struct etw_text *text, double value, int digits)
{
	static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7 };
	static const uint64_t whole[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
	double size = fabs(value), most = digits > 9 ? 1e15 : 1e7;
	unsigned int i;
	uint64_t r;

	for (i = 0; i < sizeof(powers) / sizeof(powers[0]) && size * powers[i] < most; i++) {
		r = (uint64_t)(size * powers[i] + 0.5);
		if (!is_same((double)r / powers[i], size, digits))
			continue;
		if (signbit(value))
			etw_text_char(text, '-');
		etw_text_unsigned(text, r / whole[i], 1);
		if (i) {
			etw_text_char(text, '.');
			etw_text_unsigned(text, r % whole[i], i);
		}
		return true;
	}
	return false;
}

void etw_text_float(struct etw_text *text, double value, int digits)
{
	char s[40];
	int n, len;

	if (isnan(value)) {
		etw_text_puts(text, "NaN");
		return;
	}
	if (isinf(value)) {
		etw_text_puts(text, value < 0 ? "-Infinity" : "Infinity");
		return;
	}
	if (put_decimal(text, value, digits))
		return;
	for (n = digits > 9 ? 15 : 6; ; n++) {
		len = snprintf(s, sizeof(s), "%.*g", n, value);
		if (n >= digits || (digits > 9 ? strtod(s, NULL) == value :
						 strtof(s, NULL) == (float)value))
			break;
	}
	/* Locales other than "C" may have another decimal point. */
	s[strspn(s, "+-0123456789e")] = len > (int)strspn(s, "+-0123456789e") ? '.' : '\0';
	etw_text_add(text, s, (size_t)len);
}

void etw_text_hex(struct etw_text *text, const void *data, size_t len)
{
	const unsigned char *p = data;
	char *to = etw_text_room(text, 2 * len);
	size_t i;

	if (!to)
		return;
	for (i = 0; i < len; i++) {
		*to++ = hex_digits[p[i] >> 4];
		*to++ = hex_digits[p[i] & 15];
	}
	etw_text_end(text, to);
}

void etw_text_guid(struct etw_text *text, const void *guid)
{
	char *to = etw_text_room(text, ETW_TEXT_GUID);

	if (to)
		etw_text_end(text, etw_guid_digits(to, guid));
}

/*
 * Year, month and day of a day since 1601-01-01, by the Gregorian calendar, which
 * repeats every 400 years of 146097 days.  Counted from 1600-03-01, a leap day is a
 * year's last.
 */
static char *date(char *to, uint32_t days)
{
	uint32_t day = days + 306, era = day / 146097, of_era = day % 146097;
	uint32_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	uint32_t of_year = of_era - (365 * year + year / 4 - year / 100);
	uint32_t month = (5 * of_year + 2) / 153;
	uint32_t at = of_year - (153 * month + 2) / 5;

	year += 1600 + 400 * era;
	if (month >= 10)
		year++;
	if (year > 9999)
		to = two(to, year / 10000);
	to = two(to, year / 100 % 100);
	to = two(to, year % 100);
	*to++ = '-';
	to = two(to, month < 10 ? month + 3 : month - 9);
	*to++ = '-';
	return two(to, at + 1);
}

/* A second as text, up to the point before its fraction */
static char *second_text(char *to, uint64_t second)
{
	uint32_t of_day = (uint32_t)(second % DAY);

	to = date(to, (uint32_t)(second / DAY));
	*to++ = 'T';
	to = two(to, of_day / 3600);
	*to++ = ':';
	to = two(to, of_day / 60 % 60);
	*to++ = ':';
	to = two(to, of_day % 60);
	*to++ = '.';
	return to;
}

char *etw_text_fraction(char *to, uint32_t ticks)
{
	to = four_digits(to, ticks / 1000);
	*to++ = (char)('0' + ticks / 100 % 10);
	return two(to, ticks % 100);
}

void etw_text_time_near(struct etw_text *text, uint64_t filetime, struct etw_text_second *last)
{
	const uint64_t second = filetime / TICKS;
	char *to = etw_text_room(text, ETW_TEXT_TIME);

	if (!to)
		return;
	if (!last->len || last->second != second) {
		last->len = (size_t)(second_text(last->text, second) - last->text);
		last->second = second;
	}
	memcpy(to, last->text, sizeof(last->text));
	to = etw_text_fraction(to + last->len, (uint32_t)(filetime % TICKS));
	*to++ = 'Z';
	etw_text_end(text, to);
}

void etw_text_time(struct etw_text *text, uint64_t filetime)
{
	struct etw_text_second none = { .len = 0 };

	etw_text_time_near(text, filetime, &none);
}
