/* SPDX-License-Identifier: MIT */
/*
 * digits.h - numbers of every event, into room that is there already
 */
#ifndef ETW_CLI_DIGITS_H
#define ETW_CLI_DIGITS_H

#include <stdint.h>
#include <string.h>

#define DIGITS_MAX	10	/* of digits_put() */

/* The last so many digits of a number, with leading zeroes; where it goes on. */
static inline char *digits_fixed(char *to, uint32_t value, unsigned int digits)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";
	char *at = to + digits;

	for (; at - to >= 2; value /= 100) {
		at -= 2;
		memcpy(at, pairs + 2 * (value % 100), 2);
	}
	if (at > to)
		*to = (char)('0' + value % 10);
	return to + digits;
}

/* A number in decimal; where it goes on. */
static inline char *digits_put(char *to, uint32_t value)
{
	unsigned int digits = 1 + (value >= 10) + (value >= 100) + (value >= 1000) +
		(value >= 10000) + (value >= 100000) + (value >= 1000000) +
		(value >= 10000000) + (value >= 100000000) + (value >= 1000000000);

	return digits_fixed(to, value, digits);
}

#endif /* ETW_CLI_DIGITS_H */
