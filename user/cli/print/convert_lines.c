/* SPDX-License-Identifier: MIT */
/*
 * convert_lines.c - the formats "text" and "json": the output of "etw dump"
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/cmd/convert.h"
#include "event.h"

struct lines {
	struct event_printer printer;
};

static int lines_fail(struct convert *c, int err)
{
	return convert_fail(c, -err, "%s: %s", c->path ? c->path : "standard output",
			    strerror(err));
}

static int lines_open(struct convert *c)
{
	struct lines *lines = c->state;
	int fd = dup(c->out);

	lines->printer.to = fd < 0 ? NULL : fdopen(fd, "w");
	if (lines->printer.to)
		return 0;
	if (fd >= 0)
		close(fd);
	return lines_fail(c, errno);
}

static int lines_event(struct convert *c, const struct convert_event *e,
		       void (*print)(struct event_printer *, const struct etw_event *))
{
	struct lines *lines = c->state;

	event_give(&lines->printer, e->decoder, e->decoded, e->known);
	errno = 0;
	print(&lines->printer, e->event);
	return ferror(lines->printer.to) ? lines_fail(c, errno ? errno : EIO) : 0;
}

static int text_event(struct convert *c, const struct convert_event *e)
{
	return lines_event(c, e, event_print_text);
}

static int json_event(struct convert *c, const struct convert_event *e)
{
	return lines_event(c, e, event_print_json);
}

static int lines_close(struct convert *c, bool ok)
{
	struct lines *lines = c->state;
	int err = 0;

	if (!lines->printer.to)
		return 0;
	errno = 0;
	if (ok)
		event_flush(&lines->printer);
	if (ok && ferror(lines->printer.to))
		err = lines_fail(c, errno ? errno : EIO);
	if (fclose(lines->printer.to) && ok && !err)
		err = lines_fail(c, errno);
	event_printer_free(&lines->printer);
	return err;
}

const struct convert_format convert_text = {
	.name = "text",
	.suffix = ".txt",
	.help = "lines, as \"etw dump\" prints them",
	.size = sizeof(struct lines),
	.open = lines_open,
	.event = text_event,
	.close = lines_close,
};

const struct convert_format convert_json = {
	.name = "json",
	.suffix = ".jsonl",
	.help = "JSON lines, as \"etw dump --json\" prints them",
	.size = sizeof(struct lines),
	.open = lines_open,
	.event = json_event,
	.close = lines_close,
};
