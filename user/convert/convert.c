/* SPDX-License-Identifier: MIT */
/*
 * convert.c - messages and output, for all formats
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "convert.h"
#include "base/atomic_file.h"

int convert_fail(struct convert *c, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->problem, sizeof(c->problem), fmt, ap);
	va_end(ap);
	return err;
}

int convert_no_memory(struct convert *c)
{
	return convert_fail(c, -ENOMEM, "out of memory");
}

void convert_note(struct convert *c, const char *fmt, ...)
{
	size_t len = strlen(c->notes);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(c->notes + len, sizeof(c->notes) - len, fmt, ap);
	va_end(ap);
	/* Whole lines only */
	if (n < 0 || (size_t)n + 2 > sizeof(c->notes) - len)
		c->notes[len] = '\0';
	else
		strcpy(c->notes + len + n, "\n");
}

void convert_note_cut(struct convert *c, uint64_t stacks)
{
	if (stacks)
		convert_note(c, "%" PRIu64 " stack%s cut off: outer functions are missing", stacks,
			     stacks == 1 ? " is" : "s are");
}

int convert_flush(struct convert *c, struct etw_text *text, size_t least)
{
	int err = text->error;

	if (err)
		return convert_fail(c, err, "%s", strerror(-err));
	if (text->len < least)
		return 0;
	err = etw_write_all(c->out, text->data, text->len);
	if (err)
		return convert_fail(c, err, "%s: %s", c->path ? c->path : "standard output",
				    strerror(-err));
	c->written += text->len;
	text->len = 0;
	return 0;
}
