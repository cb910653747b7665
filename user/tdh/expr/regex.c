// SPDX-License-Identifier: MIT
/*
 * regex.c - compile regular expressions, but none that takes too much memory or time
 *
 * The C library compiles a repeated part as often as it repeats: a million copies for
 * "((a{99}){99}){99}".  Back references make matching exponential.
 */
#include <stdlib.h>
#include <string.h>

#include "private.h"

#define NESTED_MAX	32
#define COMPILED_MAX	2000	/* characters, repeated ones counted as often */

/* An open group: its size so far, and that of its last part, which may be repeated */
struct group {
	uint64_t size, last;
};

static void add(struct group *g, uint64_t size)
{
	g->size += g->last;
	g->last = size;
}

/* at is after a [; returns the ]. */
static const char *skip_set(const char *at)
{
	at += *at == '^';
	at += *at == ']';
	while (*at && *at != ']')
		at++;
	return *at ? at : at - 1;
}

/* at is after a {; returns the larger number. */
static uint64_t repeats(const char *at)
{
	uint64_t most = 1, number = 0;

	for (; *at && *at != '}'; at++) {
		number = *at >= '0' && *at <= '9' ? number * 10 + (uint64_t)(*at - '0') : 0;
		if (number > COMPILED_MAX)
			return number;
		if (number > most)
			most = number;
	}
	return most;
}

static bool is_repetition(char c)
{
	return c == '+' || c == '*' || c == '?' || c == '{';
}

/* Can the expression be compiled and matched at a reasonable price? */
static bool is_small(const char *at)
{
	struct group groups[NESTED_MAX] = { { 0, 0 } }, *g = groups;

	for (; *at; at++) {
		/* Repeating a repetition adds nothing but cost. */
		if (is_repetition(at[0]) && is_repetition(at[1]))
			return false;
		if (*at == '(') {
			if (++g == groups + NESTED_MAX)
				return false;
			*g = (struct group){ 0, 0 };
		} else if (*at == ')' && g > groups) {
			g--;
			add(g, g[1].size + g[1].last + 1);
		} else if (*at == '+') {
			g->last = 2 * g->last + 1;
		} else if (*at == '{') {
			const char *end = strchr(at, '}');

			g->last = (g->last + 1) * repeats(at + 1);
			if (end && is_repetition(end[1]))
				return false;
			at = end ? end : at;
		} else if (*at == '*' || *at == '?') {
			g->last++;
		} else {
			if (at[0] == '\\' && at[1] >= '1' && at[1] <= '9')
				return false;
			if (*at == '\\' && at[1])
				at++;
			else if (*at == '[')
				at = skip_set(at + 1);
			add(g, 1);
		}
		if (g->size + g->last > COMPILED_MAX)
			return false;
	}
	return true;
}

bool etw_expr_regex(struct etw_expr_scan *s, const char *at, const char *text, regex_t **out)
{
	regex_t *regex;
	int err;

	if (!is_small(text))
		return etw_expr_fail(s, at, "the regular expression repeats or refers too much");
	regex = malloc(sizeof(*regex));
	err = regex ? regcomp(regex, text, REG_EXTENDED) : REG_ESPACE;
	if (!err) {
		*out = regex;
		return true;
	}
	free(regex);
	if (err != REG_ESPACE)
		return etw_expr_fail(s, at, "no regular expression (POSIX, extended)");
	s->failed = true;
	return false;
}
