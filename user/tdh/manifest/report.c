/* SPDX-License-Identifier: MIT */
/*
 * report.c - problems and memory, for all parts of the reader
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manifest.h"

/* Limits of a printed name and sentence, in bytes */
#define NAME_SHOWN	200u
#define TEXT_SHOWN	600u

/* Cut long text to at most this many bytes, between characters. */
static void cut(char *text, size_t most)
{
	static const char dots[] = "...";

	if (strnlen(text, most + 1) <= most)
		return;
	most -= strlen(dots);
	while (most && (text[most] & 0xC0) == 0x80)
		most--;
	memcpy(text + most, dots, sizeof(dots));
}

/* Skip formatting a problem that would only be counted. */
static bool is_full(const struct etw_problems *problems, bool warning)
{
	return problems->count == ETW_PROBLEMS_MAX &&
	       (warning || !problems->list[ETW_PROBLEMS_MAX - 1].warning);
}

static void report(struct etw_mx *x, unsigned int line, bool warning, const char *kind,
		   const char *name, const char *fmt, va_list args)
{
	char shown[NAME_SHOWN + 2];
	char *what;

	if (!x->problems)
		return;
	if (is_full(x->problems, warning)) {
		etw_problem_add(x->problems, line, warning, "%s", "");
		return;
	}
	if (vasprintf(&what, fmt, args) < 0) {
		etw_mx_no_memory(x);
		return;
	}
	cut(what, TEXT_SHOWN);
	if (kind && name) {
		memcpy(shown, name, strnlen(name, NAME_SHOWN + 1));
		shown[strnlen(name, NAME_SHOWN + 1)] = '\0';
		cut(shown, NAME_SHOWN);
		etw_problem_add(x->problems, line, warning, "%s \"%s\": %s", kind, shown, what);
	} else if (kind) {
		etw_problem_add(x->problems, line, warning, "%s: %s", kind, what);
	} else {
		etw_problem_add(x->problems, line, warning, "%s", what);
	}
	free(what);
}

void etw_mx_error(struct etw_mx *x, unsigned int line, const char *kind, const char *name,
		  const char *fmt, ...)
{
	va_list args;

	x->wrong = true;
	va_start(args, fmt);
	report(x, line, false, kind, name, fmt, args);
	va_end(args);
}

void etw_mx_warn(struct etw_mx *x, unsigned int line, const char *kind, const char *name,
		 const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(x, line, true, kind, name, fmt, args);
	va_end(args);
}

void *etw_mx_no_memory(struct etw_mx *x)
{
	x->err = -ENOMEM;
	return NULL;
}

void *etw_mx_add(struct etw_mx *x, struct manifest_list *list, size_t size)
{
	void *item = etw_manifest_alloc(x->draft, size);

	if (!item)
		return etw_mx_no_memory(x);
	/* Each draft begins with the pointer to the next one. */
	if (list->last)
		*(void **)list->last = item;
	else
		list->first = item;
	list->last = item;
	list->count++;
	return item;
}

void *etw_mx_array(struct etw_mx *x, size_t count, size_t size)
{
	void *array;

	if (!count)
		return NULL;
	array = etw_manifest_alloc(x->manifest, count * size);
	return array ? array : etw_mx_no_memory(x);
}
