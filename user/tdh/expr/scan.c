// SPDX-License-Identifier: MIT
/*
 * scan.c - the words of an expression: names, paths, constants
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "time_expr.h"
#include "base/guid.h"
#include "base/utf.h"

bool etw_expr_fail(struct etw_expr_scan *s, const char *at, const char *error)
{
	if (!s->failed) {
		s->failed = true;
		s->error = error;
		s->error_at = at ? at : etw_expr_skip(s);
	}
	return false;
}

bool etw_expr_room(struct etw_expr_scan *s, void *list, uint32_t count, uint32_t *room,
		   size_t size)
{
	void **at = list, *more;

	if (count < *room)
		return true;
	more = realloc(*at, (*room ? 2 * (size_t)*room : 8) * size);
	if (!more) {
		s->failed = true;
		return false;
	}
	*room = *room ? 2 * *room : 8;
	*at = more;
	return true;
}

const char *etw_expr_skip(struct etw_expr_scan *s)
{
	while (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r')
		s->at++;
	return s->at;
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t name_len(const char *at)
{
	size_t len = 0;

	if (is_name_start(*at))
		while (is_name_start(at[len]) || is_digit(at[len]))
			len++;
	return len;
}

bool etw_expr_take(struct etw_expr_scan *s, const char *token)
{
	size_t len = strlen(token);

	if (strncmp(etw_expr_skip(s), token, len))
		return false;
	s->at += len;
	return true;
}

bool etw_expr_take_word(struct etw_expr_scan *s, const char *word)
{
	size_t len = name_len(etw_expr_skip(s));

	if (len != strlen(word) || memcmp(s->at, word, len))
		return false;
	s->at += len;
	return true;
}

/* ------------------------------------------------------------------ constants */

/* Keep a byte; there is room for twice the expression, and nothing grows that far. */
static void keep(struct etw_expr *expr, char c)
{
	expr->strings[expr->strings_len++] = c;
}

static bool hex_digits(const char *at, int count, uint32_t *value)
{
	*value = 0;
	for (; count--; at++) {
		char c = etw_expr_lower(*at);

		if (!is_digit(c) && (c < 'a' || c > 'f'))
			return false;
		*value = *value << 4 | (uint32_t)(is_digit(c) ? c - '0' : c - 'a' + 10);
	}
	return true;
}

/* An escape.  A backslash before any other character stands for that character. */
static bool take_escape(struct etw_expr_scan *s)
{
	static const char from[] = "ntr", to[] = "\n\t\r";
	const char *at = s->at, *known;
	uint32_t code;

	if (!at[1])
		return etw_expr_fail(s, at, "a backslash with nothing behind it");
	s->at += 2;
	if (at[1] == 'x' || at[1] == 'u') {
		int digits = at[1] == 'x' ? 2 : 4;

		if (!hex_digits(at + 2, digits, &code))
			return etw_expr_fail(s, at, "\\x takes two hexadecimal digits, \\u four");
		if (code >= 0xD800 && code <= 0xDFFF)
			return etw_expr_fail(s, at, "half of a surrogate pair is not a character");
		s->at += digits;
		if (digits == 2)
			keep(s->expr, (char)code);
		else
			s->expr->strings_len += etw_utf8_put(code, s->expr->strings + s->expr->strings_len);
		return true;
	}
	known = strchr(from, at[1]);
	keep(s->expr, known ? to[known - from] : at[1]);
	return true;
}

static bool take_quoted(struct etw_expr_scan *s, struct etw_expr_const *c)
{
	const char *open = s->at++;

	c->text = s->expr->strings + s->expr->strings_len;
	while (*s->at != *open) {
		if (!*s->at)
			return etw_expr_fail(s, open, "the text has no end: a quote is missing");
		if (*s->at == '\\') {
			if (!take_escape(s))
				return false;
		} else {
			keep(s->expr, *s->at++);
		}
	}
	s->at++;
	return true;
}

/* A character of a constant without quotes; the ".." of a range ends it. */
static bool is_bare(const char *at)
{
	if (at[0] == '.' && at[1] == '.')
		return false;
	return is_name_start(*at) || is_digit(*at) || (*at && strchr(".:-+*?/\\@$#", *at));
}

static bool take_bare(struct etw_expr_scan *s, struct etw_expr_const *c)
{
	static const char *const words[] = { "and", "or", "not", "in" };
	const char *begin = s->at;
	size_t i;

	c->text = s->expr->strings + s->expr->strings_len;
	if (*s->at == '{') {
		while (*s->at && *s->at != '}')
			keep(s->expr, *s->at++);
		if (!*s->at)
			return etw_expr_fail(s, begin, "the GUID has no end: } is missing");
		keep(s->expr, *s->at++);
	}
	while (is_bare(s->at))
		keep(s->expr, *s->at++);
	if (s->at == begin)
		return etw_expr_fail(s, begin, "a value is missing");
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if ((size_t)(s->at - begin) == strlen(words[i]) &&
		    !memcmp(begin, words[i], strlen(words[i])))
			return etw_expr_fail(s, begin, "a value is missing");
	return true;
}

/* The whole text as a number; "-0" is 0. */
static bool read_number(const char *text, struct etw_expr_number *number)
{
	const char *digits = text + (*text == '-' || *text == '+');
	int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
	char *end;

	if (!is_digit(*digits))
		return false;
	errno = 0;
	number->kind = ETW_EXPR_U64;
	number->u = strtoull(digits, &end, base);
	if (!*end && !errno) {
		if (*text != '-' || !number->u)
			return true;
		if (number->u > (uint64_t)INT64_MAX + 1)
			return false;
		number->kind = ETW_EXPR_NEGATIVE;
		number->i = (int64_t)-number->u;
		return true;
	}
	if (base == 16 || (!*end && errno))
		return false;
	errno = 0;
	number->kind = ETW_EXPR_FLOAT;
	number->f = strtod(text, &end);
	return !*end && !errno;
}

/* A number and then a unit */
static void read_with_unit(const struct etw_expr_scan *s, struct etw_expr_const *c)
{
	const size_t len = strspn(c->text, "+-.0123456789");
	char number[32];

	if (!len || len >= sizeof(number))
		return;
	memcpy(number, c->text, len);
	number[len] = '\0';
	if (!read_number(number, &c->number))
		return;
	switch (etw_expr_read_unit(c->text + len, s->field, &c->number)) {
	case ETW_EXPR_UNIT_CONVERTED:
		c->is |= ETW_EXPR_IS_NUMBER;
		c->has_unit = true;
		break;
	case ETW_EXPR_UNIT_UNKNOWN:
		c->no_unit = true;
		break;
	default:
		break;
	}
}

/* Find out what else the text can be read as. */
static bool classify(struct etw_expr_scan *s, struct etw_expr_const *c, const char *at, bool quoted)
{
	struct etw_time_expr when;
	struct etw_guid guid;

	if (strlen(c->text) != c->len)
		return true;	/* a NUL in it: a text only */
	if (!etw_guid_parse(c->text, &guid)) {
		memcpy(&c->guid, &guid, sizeof(guid));
		c->is |= ETW_EXPR_IS_GUID;
	} else if (c->text[0] == '{' && !quoted) {
		return etw_expr_fail(s, at, "not a complete GUID (8-4-4-4-12 hexadecimal digits)");
	}
	if (etw_time_expr_parse(c->text, c->len, &when) && when.kind == ETW_TIME_EXPR_TIME) {
		c->is |= ETW_EXPR_IS_TIME;
		c->time = when.value;
	}
	if (quoted)
		return true;
	if (read_number(c->text, &c->number))
		c->is |= ETW_EXPR_IS_NUMBER;
	else if (s->in_field)
		read_with_unit(s, c);
	c->truth = !strcmp(c->text, "true");
	if (c->truth || !strcmp(c->text, "false"))
		c->is |= ETW_EXPR_IS_BOOLEAN;
	return true;
}

bool etw_expr_take_const(struct etw_expr_scan *s)
{
	struct etw_expr *expr = s->expr;
	const char *at = etw_expr_skip(s);
	bool quoted = *at == '"' || *at == '\'';
	struct etw_expr_const *c;
	char *p;

	if (!etw_expr_room(s, &expr->consts, expr->const_count, &expr->const_room, sizeof(*c)))
		return false;
	c = &expr->consts[expr->const_count];
	memset(c, 0, sizeof(*c));
	if (quoted ? !take_quoted(s, c) : !take_bare(s, c))
		return false;
	c->len = (size_t)(expr->strings + expr->strings_len - c->text);
	c->at = (size_t)(at - s->text);
	c->at_len = (size_t)(s->at - at);
	keep(expr, '\0');
	if (!classify(s, c, at, quoted))
		return false;
	/* Only now: times contain T and Z, which classify() needed. */
	for (p = expr->strings + (c->text - expr->strings); p < c->text + c->len; p++)
		*p = etw_expr_lower(*p);
	expr->const_count++;
	return true;
}

bool etw_expr_take_regex(struct etw_expr_scan *s, regex_t **regex)
{
	const char *at = etw_expr_skip(s), *from;
	struct etw_expr_const c;

	from = s->expr->strings + s->expr->strings_len;
	if (*at != '"' && *at != '\'') {
		if (!take_bare(s, &c))
			return false;
	} else {
		for (s->at++; *s->at && *s->at != *at; s->at++) {
			if (s->at[0] == '\\' && s->at[1] == *at)
				s->at++;	/* a quote, and not the last one */
			else if (s->at[0] == '\\' && s->at[1])
				keep(s->expr, *s->at++);
			keep(s->expr, *s->at);
		}
		if (!*s->at)
			return etw_expr_fail(s, at, "the text has no end: a quote is missing");
		s->at++;
	}
	keep(s->expr, '\0');
	return etw_expr_regex(s, at, from, regex);
}

/* ---------------------------------------------------------------------- paths */

/* [2]; [*] and [] mean all elements */
static bool take_index(struct etw_expr_scan *s, struct etw_path_part *part)
{
	const char *at = s->at;
	uint64_t index = 0;

	etw_expr_take(s, "*");
	part->indexed = is_digit(*etw_expr_skip(s));
	for (; is_digit(*s->at) && index <= UINT32_MAX; s->at++)
		index = index * 10 + (uint64_t)(*s->at - '0');
	part->index = (uint32_t)index;
	if (index > UINT32_MAX || !etw_expr_take(s, "]"))
		return etw_expr_fail(s, at, "a place in an array is a number, or *, and then ]");
	return true;
}

static bool take_part(struct etw_expr_scan *s, struct etw_expr_test *test)
{
	struct etw_expr *expr = s->expr;
	struct etw_path_part *part;
	const char *at = etw_expr_skip(s);
	size_t len;

	if (!etw_expr_room(s, &expr->parts, expr->part_count, &expr->part_room, sizeof(*part)))
		return false;
	part = &expr->parts[expr->part_count++];
	memset(part, 0, sizeof(*part));
	part->name = expr->strings + expr->strings_len;
	test->parts++;
	if (*at == '`') {
		for (s->at++; *s->at && *s->at != '`'; s->at++)
			keep(expr, *s->at);
		if (!*s->at)
			return etw_expr_fail(s, at, "the name has no end: ` is missing");
		s->at++;
	} else if (*at == '*') {
		part->name = NULL;
		s->at++;
	} else {
		len = name_len(at);
		if (!len)
			return etw_expr_fail(s, at, "the name of a field is missing");
		for (; len; len--)
			keep(expr, *s->at++);
	}
	keep(expr, '\0');
	return *s->at != '[' || (s->at++, take_index(s, part));
}

bool etw_expr_take_path(struct etw_expr_scan *s, struct etw_expr_test *test)
{
	const char *at = etw_expr_skip(s);
	size_t len = name_len(at);

	if (at[len] != '.' && at[len] != '[')
		test->word = etw_expr_word_find(at, len);
	if (test->word) {
		s->at += len;
		return true;
	}
	test->part = s->expr->part_count;
	if (!take_part(s, test))
		return false;
	while (s->at[0] == '.' && s->at[1] != '.') {
		s->at++;
		if (!take_part(s, test))
			return false;
	}
	test->duration = test->parts == 1 && *at != '`' &&
			 !strcmp(s->expr->parts[test->part].name ? : "", "duration");
	test->anywhere = test->parts == 1 && *at == '*' && !s->expr->parts[test->part].indexed;
	return true;
}
