/* SPDX-License-Identifier: MIT */
/*
 * report.c - a line for each result of a check, as text or as JSON
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/text.h"
#include "report.h"

#define TEXTS	8	/* that are valid at the same time */

static bool json;
static unsigned int wrong;

void doctor_use_json(void)
{
	json = true;
}

unsigned int doctor_wrong_count(void)
{
	return wrong;
}

/* A text to fill, which is emptied at one of the next calls. */
static struct etw_text *fresh(void)
{
	static struct etw_text texts[TEXTS];
	static unsigned int next;
	struct etw_text *text = &texts[next++ % TEXTS];

	text->len = 0;
	return text;
}

static char *format(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		cli_die("out of memory");
	return text;
}

const char *doctor_fix(const char *fmt, ...)
{
	static const char sudo[] = "sudo ";
	struct etw_text *to = fresh();
	char *text, *s;
	va_list ap;

	va_start(ap, fmt);
	text = format(fmt, ap);
	va_end(ap);
	for (s = text; *s; s++) {
		if (!geteuid() && !strncmp(s, sudo, sizeof(sudo) - 1))
			s += sizeof(sudo) - 1;
		etw_text_char(to, *s);
	}
	free(text);
	return text_data(to);
}

const char *doctor_word(const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./:@%+=,";
	struct etw_text *to = fresh();

	if (*s && !s[strspn(s, plain)])
		return s;
	etw_text_char(to, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			etw_text_puts(to, "'\\'");
		etw_text_char(to, *s);
	}
	etw_text_char(to, '\'');
	return text_data(to);
}

static void print_json(const char *check, const char *status, const char *text, const char *fix)
{
	struct etw_text line = { 0 };

	json_writer_open(&line, NULL, '{');
	json_writer_word(&line, "check", check);
	json_writer_word(&line, "status", status);
	json_writer_word(&line, "text", text);
	json_writer_word(&line, "fix", fix);
	json_print(&line);
}

static void print_text(const char *check, const char *status, const char *text, const char *fix)
{
	struct etw_text safe = { 0 };

	etw_text_safe(&safe, text, strlen(text));
	printf("%-8s %-10s %s\n", status, check, text_data(&safe));
	safe.len = 0;
	if (fix) {
		etw_text_safe(&safe, fix, strlen(fix));
		printf("%-8s %-10s   fix: %s\n", "", "", text_data(&safe));
	}
	etw_text_free(&safe);
}

static void report(const char *check, const char *status, const char *fix, const char *fmt,
		   va_list ap)
{
	char *text = format(fmt, ap);

	(json ? print_json : print_text)(check, status, text, fix);
	free(text);
}

void doctor_ok(const char *check, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(check, "ok", NULL, fmt, ap);
	va_end(ap);
}

void doctor_unknown(const char *check, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(check, "unknown", NULL, fmt, ap);
	va_end(ap);
}

void doctor_warn(const char *check, const char *fix, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(check, "warning", fix, fmt, ap);
	va_end(ap);
}

void doctor_wrong(const char *check, const char *fix, const char *fmt, ...)
{
	va_list ap;

	wrong++;
	va_start(ap, fmt);
	report(check, "wrong", fix, fmt, ap);
	va_end(ap);
}
