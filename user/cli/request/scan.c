/* SPDX-License-Identifier: MIT */
/*
 * scan.c - the words of an option's value that has a syntax of its own
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "scan.h"

void scan_begin(struct scan *s, const char *text)
{
	s->text = s->at = text;
	s->column = 0;
	s->error[0] = '\0';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Where the next word begins, counted from 1. */
size_t scan_column(struct scan *s)
{
	while (*s->at == ' ' || *s->at == '\t' || *s->at == '\n')
		s->at++;
	return s->at - s->text + 1;
}

bool scan_end(struct scan *s)
{
	scan_column(s);
	return !*s->at;
}

/* Take these characters if they come next. */
bool scan_token(struct scan *s, const char *token)
{
	scan_column(s);
	if (strncmp(s->at, token, strlen(token)))
		return false;
	s->at += strlen(token);
	return true;
}

/* A name at the next place, of so many bytes, 0: there is none; it is taken. */
size_t scan_name(struct scan *s, const char **name)
{
	size_t len = 0;

	scan_column(s);
	if (is_name_start(*s->at))
		while (is_name_start(s->at[len]) || is_digit(s->at[len]))
			len++;
	*name = s->at;
	s->at += len;
	return len;
}

/* Take this word if it comes next, as a whole. */
bool scan_word(struct scan *s, const char *word)
{
	const char *name, *before = s->at;
	size_t len = scan_name(s, &name);

	if (len == strlen(word) && !memcmp(name, word, len))
		return true;
	s->at = before;
	return false;
}

/* Take a decimal number if one comes next, at most max. */
bool scan_number(struct scan *s, uint32_t max, uint32_t *value)
{
	uint64_t number = 0;
	const char *at;

	scan_column(s);
	for (at = s->at; is_digit(*at) && number <= max; at++)
		number = number * 10 + (*at - '0');
	if (at == s->at || number > max)
		return false;
	s->at = at;
	*value = (uint32_t)number;
	return true;
}

/* Say what is wrong, the first time.  false. */
bool scan_fail(struct scan *s, size_t column, const char *fmt, ...)
{
	va_list ap;

	if (s->column)
		return false;
	s->column = column;
	va_start(ap, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, ap);
	va_end(ap);
	return false;
}
