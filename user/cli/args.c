/* SPDX-License-Identifier: MIT */
/*
 * args.c - numbers, levels, keywords, clocks and names from the command line
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli.h"

#define LEVEL_NAMES	6

static const char *const level_names[LEVEL_NAMES] = {
	"always", "critical", "error", "warning", "info", "verbose",
};

/* From ETW_CLOCK_QPC on */
static const char *const clock_names[] = { "qpc", "system", "cycles", NULL };

/* Digits only: strtoull() would take blanks, signs and 0x too. */
static bool parse_number(const char *text, int base, uint64_t *value)
{
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";

	if (!*text || text[strspn(text, digits)])
		return false;
	errno = 0;
	*value = strtoull(text, NULL, base);
	return !errno;
}

/* A decimal number within min..max. */
uint32_t cli_number(const char *option, const char *text, uint32_t min,
		    uint32_t max)
{
	uint64_t value;

	if (!parse_number(text, 10, &value))
		cli_usage("%s: %s is not a number", option, cli_quote(text));
	if (value < min || value > max)
		cli_usage("%s: %s is not within %u to %u", option,
			  cli_quote(text), min, max);
	return (uint32_t)value;
}

void cli_range(const char *option, char *word, uint32_t max, uint32_t *low, uint32_t *high)
{
	char *dash = strchr(word, '-');

	if (dash)
		*dash = '\0';
	*low = cli_number(option, word, 0, max);
	*high = dash ? cli_number(option, dash + 1, 0, max) : *low;
	if (*high < *low)
		cli_usage("%s: %s-%s is not a range", option, word, dash + 1);
}

/* Seconds, with up to three decimals, as milliseconds; at least min_ms, never 0. */
uint32_t cli_millis(const char *option, const char *text, uint32_t min_ms,
		    uint32_t max_seconds)
{
	const char *dot = strchr(text, '.');
	size_t whole = dot ? (size_t)(dot - text) : strlen(text);
	size_t digits = dot ? strlen(dot + 1) : 0;
	char number[32];
	uint64_t value;

	if (whole + 3 >= sizeof(number) || !whole || digits > 3 ||
	    (dot && !digits))
		cli_usage("%s: %s is not a time in seconds", option,
			  cli_quote(text));
	memcpy(number, text, whole);
	memset(number + whole, '0', 3);
	if (digits)
		memcpy(number + whole, dot + 1, digits);
	number[whole + 3] = '\0';
	if (!parse_number(number, 10, &value))
		cli_usage("%s: %s is not a time in seconds", option,
			  cli_quote(text));
	if (value < min_ms || value > max_seconds * 1000ULL)
		cli_usage("%s: %s is not within %s to %u seconds", option, cli_quote(text),
			  min_ms < 1000 ? "0.001" : "1", max_seconds);
	return (uint32_t)value;
}

bool cli_size(const char *text, bool need_unit, uint64_t *size)
{
	static const char units[] = "kmgt";
	size_t digits = strspn(text, "0123456789");
	const char *unit = text[digits] ? strchr(units, text[digits] | 0x20) : NULL;

	errno = 0;
	*size = strtoull(text, NULL, 10);
	if (!digits || errno || (unit ? text[digits + 1] : text[digits] || need_unit))
		return false;
	if (unit && __builtin_mul_overflow(*size, UINT64_C(1) << 10 * (unit - units + 1), size))
		*size = 0;
	return true;
}

/* A keyword mask: up to 16 hexadecimal digits, with or without 0x. */
uint64_t cli_hex(const char *option, const char *text)
{
	const char *digits = text;
	uint64_t value;

	if (!strncasecmp(digits, "0x", 2))
		digits += 2;
	if (!parse_number(digits, 16, &value))
		cli_usage("%s: %s is not a hexadecimal number of up to 64 bits",
			  option, cli_quote(text));
	return value;
}

/* Is it a level by name or by number?  false: *level is unchanged. */
bool cli_is_level(const char *text, uint8_t *level)
{
	uint64_t value;
	unsigned int i;

	for (i = 0; i < LEVEL_NAMES; i++) {
		if (!strcasecmp(text, level_names[i])) {
			*level = (uint8_t)i;
			return true;
		}
	}
	if (!strcasecmp(text, "information") || !strcasecmp(text, "informational")) {
		*level = 4;
		return true;
	}
	if (!parse_number(text, 10, &value) || value > 255)
		return false;
	*level = (uint8_t)value;
	return true;
}

uint8_t cli_level(const char *option, const char *text)
{
	uint8_t level;

	if (!cli_is_level(text, &level))
		cli_usage("%s: %s is not a level (critical, error, warning, info, verbose, always, or 0 to 255)",
			  option, cli_quote(text));
	return level;
}

unsigned int cli_choice(const char *option, const char *text, const void *rows, size_t row_size)
{
	const char *name, *at = rows;
	unsigned int i;
	char list[256];
	size_t len = 0;

	for (i = 0; (name = *(const char *const *)(at + i * row_size)); i++) {
		if (!strcasecmp(text, name))
			return i;
		if (len < sizeof(list))
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
						i ? ", " : "", name);
	}
	cli_usage("%s: %s is none of %s", option, cli_quote(text), list);
}

uint32_t cli_clock(const char *option, const char *text)
{
	return ETW_CLOCK_QPC + cli_choice(option, text, clock_names, sizeof(*clock_names));
}

/* The name of a session or provider: not empty, not over the limit. */
const char *cli_name(const char *what, const char *text)
{
	if (!*text)
		cli_usage("%s: the name is empty", what);
	if (strlen(text) > ETW_NAME_MAX)
		cli_usage("%s: the name is longer than %d bytes", what,
			  ETW_NAME_MAX);
	return text;
}

/* NULL for a level that has no name. */
const char *level_name(uint8_t level)
{
	return level < LEVEL_NAMES ? level_names[level] : NULL;
}

const char *clock_name(uint32_t clock)
{
	return clock >= ETW_CLOCK_QPC && clock <= ETW_CLOCK_CYCLES ?
	       clock_names[clock - ETW_CLOCK_QPC] : "unknown";
}
