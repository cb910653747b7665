/* SPDX-License-Identifier: MIT */
/*
 * convert.c - messages and output, for all formats
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "convert.h"

int convert_fail(struct convert *c, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->problem, sizeof(c->problem), fmt, ap);
	va_end(ap);
	return err;
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

static int write_all(int fd, const char *data, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, data, len);
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int convert_flush(struct convert *c, struct etw_text *text, size_t least)
{
	int err = text->error;

	if (err)
		return convert_fail(c, err, "%s", strerror(-err));
	if (text->len < least)
		return 0;
	err = write_all(c->out, text->data, text->len);
	if (err)
		return convert_fail(c, err, "%s: %s", c->path ? c->path : "standard output",
				    strerror(-err));
	c->written += text->len;
	text->len = 0;
	return 0;
}
