/* SPDX-License-Identifier: MIT */
/*
 * tsdl_lex.c - words, numbers and strings of TSDL
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tsdl.h"

#define STRING_MAX	65536

int tsdl_fail(struct tsdl *t, const char *fmt, ...)
{
	char *to = t->meta->problem;
	size_t room = sizeof(t->meta->problem);
	int n = snprintf(to, room, "metadata: line %u: ", t->line);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(to + n, room - (size_t)n, fmt, ap);
	va_end(ap);
	return -EBADMSG;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int skip_comment(struct tsdl *t)
{
	if (t->at[1] == '/') {
		while (t->at < t->end && *t->at != '\n')
			t->at++;
		return 0;
	}
	for (t->at += 2; t->end - t->at >= 2; t->at++) {
		if (t->at[0] == '*' && t->at[1] == '/') {
			t->at += 2;
			return 0;
		}
		t->line += *t->at == '\n';
	}
	return tsdl_fail(t, "a comment does not end");
}

static int skip_blanks(struct tsdl *t)
{
	int err;

	while (t->at < t->end) {
		if (*t->at == '\n')
			t->line++;
		if (*t->at == ' ' || *t->at == '\t' || *t->at == '\n' || *t->at == '\r' ||
		    *t->at == '\f' || *t->at == '\v') {
			t->at++;
		} else if (*t->at == '/' && t->end - t->at >= 2 &&
			   (t->at[1] == '/' || t->at[1] == '*')) {
			err = skip_comment(t);
			if (err)
				return err;
		} else {
			break;
		}
	}
	return 0;
}

static int take_word(struct tsdl *t)
{
	const char *start = t->at;

	while (t->at < t->end && (is_letter(*t->at) || is_digit(*t->at)))
		t->at++;
	t->token = TSDL_WORD;
	t->word = cm_name(t->meta, start, (size_t)(t->at - start));
	return t->word ? 0 : -ENOMEM;
}

static int take_number(struct tsdl *t)
{
	char text[80], *rest;
	size_t n = 0;

	while (t->at < t->end && n < sizeof(text) - 1 && (is_letter(*t->at) || is_digit(*t->at)))
		text[n++] = *t->at++;
	text[n] = '\0';
	errno = 0;
	t->number = strtoull(text, &rest, 0);
	while (*rest == 'u' || *rest == 'U' || *rest == 'l' || *rest == 'L')
		rest++;
	if (errno || *rest)
		return tsdl_fail(t, "\"%s\" is no number", text);
	t->token = TSDL_NUMBER;
	return 0;
}

/* Behind a backslash: up to three octal digits, or a letter. */
static char take_escape(struct tsdl *t)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	const char *known;
	unsigned int value = 0, n = 0;

	while (t->at < t->end && n < 3 && *t->at >= '0' && *t->at <= '7') {
		value = 8 * value + (unsigned int)(*t->at++ - '0');
		n++;
	}
	if (n)
		return (char)value;
	known = *t->at ? strchr(from, *t->at) : NULL;
	t->at++;
	return known ? to[known - from] : t->at[-1];
}

static int take_string(struct tsdl *t)
{
	char *text = malloc(STRING_MAX);
	size_t n = 0;

	if (!text)
		return -ENOMEM;
	for (t->at++; t->at < t->end && *t->at != '"' && n < STRING_MAX; n++) {
		t->line += *t->at == '\n';
		text[n] = *t->at++;
		if (text[n] == '\\' && t->at < t->end)
			text[n] = take_escape(t);
	}
	if (t->at == t->end || n == STRING_MAX) {
		free(text);
		return tsdl_fail(t, "a string does not end");
	}
	t->at++;
	t->token = TSDL_STRING;
	t->word = cm_name(t->meta, text, n);
	free(text);
	return t->word ? 0 : -ENOMEM;
}

int tsdl_next(struct tsdl *t)
{
	int err = skip_blanks(t);
	size_t left = (size_t)(t->end - t->at);

	if (err)
		return err;
	if (!left) {
		t->token = TSDL_END;
		return 0;
	}
	if (is_letter(*t->at))
		return take_word(t);
	if (is_digit(*t->at))
		return take_number(t);
	if (*t->at == '"')
		return take_string(t);
	if (left >= 2 && t->at[0] == ':' && t->at[1] == '=') {
		t->token = TSDL_ASSIGN;
		t->at += 2;
	} else if (left >= 3 && !memcmp(t->at, "...", 3)) {
		t->token = TSDL_DOTS;
		t->at += 3;
	} else {
		t->token = TSDL_MARK;
		t->mark = *t->at++;
	}
	return 0;
}

bool tsdl_is(const struct tsdl *t, char mark)
{
	return t->token == TSDL_MARK && t->mark == mark;
}

bool tsdl_is_word(const struct tsdl *t, const char *word)
{
	return t->token == TSDL_WORD && !strcmp(t->word, word);
}

int tsdl_expect(struct tsdl *t, char mark)
{
	if (!tsdl_is(t, mark))
		return tsdl_fail(t, "\"%c\" is missing", mark);
	return tsdl_next(t);
}

int tsdl_number(struct tsdl *t, uint64_t *value)
{
	bool negative = tsdl_is(t, '-');
	int err = 0;

	if (negative || tsdl_is(t, '+'))
		err = tsdl_next(t);
	if (err)
		return err;
	if (t->token != TSDL_NUMBER)
		return tsdl_fail(t, "a number is missing");
	*value = negative ? 0 - t->number : t->number;
	return tsdl_next(t);
}

int tsdl_dotted(struct tsdl *t, const char **name)
{
	char text[512];
	size_t n = 0;
	int err;

	for (;;) {
		if (t->token != TSDL_WORD)
			return tsdl_fail(t, "a name is missing");
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? "." : "", t->word);
		if (n >= sizeof(text))
			return tsdl_fail(t, "a name is too long");
		err = tsdl_next(t);
		if (err)
			return err;
		if (!tsdl_is(t, '.'))
			break;
		err = tsdl_next(t);
		if (err)
			return err;
	}
	*name = cm_name(t->meta, text, n);
	return *name ? 0 : -ENOMEM;
}
