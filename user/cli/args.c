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
#include "base/list.h"
#include "tdh/expr/time_expr.h"

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

char **cli_list(const char *option, const char *text, const char *separators)
{
	/* Each element but the last has a separator behind it. */
	size_t most = strlen(text) / 2 + 2, len, n = 0;
	char **words = cli_calloc(1, most * sizeof(*words) + strlen(text) + 1);
	char *to = (char *)(words + most);
	const char *at = text, *word;
	int ret;

	while ((ret = etw_list_next(&at, separators, &word, &len)) == 1) {
		words[n++] = memcpy(to, word, len);
		to += len + 1;
	}
	if (ret)
		cli_usage("%s: %s: the list has an empty part", option, cli_quote(text));
	return words;
}

void cli_range(const char *option, char *word, uint32_t min, uint32_t max, uint32_t *low,
	       uint32_t *high)
{
	char *dash = *word ? strchr(word + 1, '-') : NULL;

	if (dash)
		*dash = '\0';
	*low = cli_number(option, word, min, max);
	*high = dash ? cli_number(option, dash + 1, min, max) : *low;
	if (dash && *high < *low) {
		*dash = '-';
		cli_usage("%s: %s is not a range", option, cli_quote(word));
	}
}

/*
 * A time as in expressions (1.5s, 200ms, 2m), or a number alone, which is in @unit.
 * false: it is none, or not whole milliseconds.
 */
static bool parse_time(const char *text, const char *unit, uint64_t *ms)
{
	struct etw_time_expr when;
	char word[32];
	int len;

	len = snprintf(word, sizeof(word), "%s%s", text, text[strspn(text, "0123456789.")] ? "" : unit);
	if (*text < '0' || *text > '9' || len >= (int)sizeof(word) ||
	    !etw_time_expr_parse(word, (size_t)len, &when) || when.kind != ETW_TIME_EXPR_SINCE ||
	    when.value % 10000)
		return false;
	*ms = (uint64_t)when.value / 10000;
	return true;
}

uint32_t cli_millis(const char *option, const char *text, uint32_t min_ms,
		    uint32_t max_seconds)
{
	uint64_t value;

	if (!parse_time(text, "s", &value))
		cli_usage("%s: %s is not a time in seconds", option,
			  cli_quote(text));
	if (value < min_ms || value > max_seconds * 1000ULL)
		cli_usage("%s: %s is not within %g to %u seconds", option, cli_quote(text),
			  min_ms / 1000.0, max_seconds);
	return (uint32_t)value;
}

uint32_t cli_timeout(const char *option, const char *text, uint32_t min, uint32_t max)
{
	uint64_t value;

	if (!parse_time(text, "ms", &value))
		cli_usage("%s: %s is not a time in milliseconds", option, cli_quote(text));
	if (value < min || value > max)
		cli_usage("%s: %s is not within %u to %u", option, cli_quote(text), min, max);
	return (uint32_t)value;
}

uint32_t cli_seconds(const char *option, const char *text, uint32_t min, uint32_t max)
{
	uint64_t value;

	if (!parse_time(text, "s", &value) || value % 1000)
		cli_usage("%s: %s is not a number of whole seconds", option, cli_quote(text));
	if (value / 1000 < min || value / 1000 > max)
		cli_usage("%s: %s is not within %u to %u", option, cli_quote(text), min, max);
	return (uint32_t)(value / 1000);
}

uint32_t cli_kilobytes(const char *option, const char *text, uint32_t min, uint32_t max)
{
	uint64_t size;

	if (!text[strspn(text, "0123456789")])
		return cli_number(option, text, min, max);
	if (!cli_size(text, true, &size) || size % 1024)
		cli_usage("%s: %s is not a size in KB, or one like 256K or 1M", option,
			  cli_quote(text));
	if (size / 1024 < min || size / 1024 > max)
		cli_usage("%s: %s is not within %u to %u KB", option, cli_quote(text), min, max);
	return (uint32_t)(size / 1024);
}

bool cli_size(const char *text, bool need_unit, uint64_t *size)
{
	static const char units[] = "kmgt";
	size_t digits = strspn(text, "0123456789");
	const char *unit = text[digits] ? strchr(units, text[digits] | 0x20) : NULL;

	errno = 0;
	*size = strtoull(text, NULL, 10);
	if (!digits || errno || (!unit && (text[digits] || need_unit)))
		return false;
	/* Also 64KB and 64KiB */
	if (unit && text[digits + 1] && strcasecmp(text + digits + 1, "b") &&
	    strcasecmp(text + digits + 1, "ib"))
		return false;
	return !unit || !__builtin_mul_overflow(*size, UINT64_C(1) << 10 * (unit - units + 1), size);
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

/* Does it begin as names do, and numbers do not? */
bool cli_is_name(const char *text)
{
	const char c = *text;

	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c & 0x80;
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
