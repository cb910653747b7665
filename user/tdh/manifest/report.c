/* SPDX-License-Identifier: MIT */
/*
 * report.c - problems and memory, for all parts of the reader
 */
#include <errno.h>
#include <stdarg.h>

#include "manifest.h"

/* Limits of a printed name and sentence, in bytes */
#define NAME_SHOWN	200u
#define TEXT_SHOWN	600u

/* Cut what was added since start to at most this many bytes, between characters. */
static void shorten(struct etw_text *text, size_t start, size_t most)
{
	size_t end = start + most - 3;

	if (text->error || text->len <= start + most)
		return;
	while (end > start && (text->data[end] & 0xC0) == 0x80)
		end--;
	etw_text_cut(text, end);
	etw_text_puts(text, "...");
}

static void add_name(struct etw_text *text, const char *kind, const char *name)
{
	if (!kind)
		return;
	etw_text_puts(text, kind);
	if (name) {
		etw_text_puts(text, " \"");
		etw_text_add(text, name, strnlen(name, NAME_SHOWN + 1));
		shorten(text, text->len - strnlen(name, NAME_SHOWN + 1), NAME_SHOWN);
		etw_text_char(text, '"');
	}
	etw_text_puts(text, ": ");
}

/* Formatting a problem that would only be counted takes long if there are many. */
static bool is_full(const struct etw_problems *problems, bool warning)
{
	return problems->count == ETW_PROBLEMS_MAX &&
	       (warning || !problems->list[ETW_PROBLEMS_MAX - 1].warning);
}

static void report(struct manifest_reader *r, bool warning, const char *fmt, va_list args)
{
	struct etw_text text = { .data = NULL };
	unsigned int kept;
	size_t start;

	if (!r->problems)
		return;
	kept = r->problems->count;
	if (!is_full(r->problems, warning)) {
		add_name(&text, r->at.kind, r->at.name);
		start = text.len;
		add_name(&text, r->at.part, r->at.part_name);
		etw_text_vprintf(&text, fmt, args);
		shorten(&text, start, TEXT_SHOWN);
		if (warning && r->at.cost)
			etw_text_printf(&text, ": %s", r->at.cost);
	}
	if (text.error)
		etw_manifest_no_memory(r);
	else
		etw_problem_add(r->problems, r->at.line, warning, "%s", text.data ? text.data : "");
	etw_text_free(&text);
	if (r->problems->count > kept)
		r->problems->list[kept].tolerated = r->tolerating;
}

void etw_manifest_error(struct manifest_reader *r, const char *fmt, ...)
{
	va_list args;

	r->wrong |= !r->lenient;
	r->lost |= r->lenient && r->at.cost;
	r->tolerating = r->lenient;
	va_start(args, fmt);
	report(r, r->lenient, fmt, args);
	va_end(args);
	r->tolerating = false;
}

void etw_manifest_fatal(struct manifest_reader *r, const char *fmt, ...)
{
	va_list args;

	r->wrong = true;
	va_start(args, fmt);
	report(r, false, fmt, args);
	va_end(args);
}

void etw_manifest_warn(struct manifest_reader *r, const char *fmt, ...)
{
	const char *cost = r->at.cost;
	va_list args;

	r->at.cost = NULL;
	va_start(args, fmt);
	report(r, true, fmt, args);
	va_end(args);
	r->at.cost = cost;
}

void *etw_manifest_no_memory(struct manifest_reader *r)
{
	r->err = -ENOMEM;
	return NULL;
}

void *etw_manifest_array(struct manifest_reader *r, size_t count, size_t size)
{
	void *array;

	if (!count)
		return NULL;
	array = etw_manifest_alloc(r->manifest, count * size);
	return array ? array : etw_manifest_no_memory(r);
}
