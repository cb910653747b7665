/* SPDX-License-Identifier: MIT */
/*
 * convert_lines.c - the formats "text" and "json": the output of "etw dump"
 */
#include "cli/cmd/convert.h"
#include "event.h"

struct lines {
	struct event_printer printer;
	struct processes processes;	/* with convert's table */
};

static int lines_event(struct convert *c, const struct convert_event *e,
		       void (*print)(struct event_printer *, const struct etw_event *))
{
	struct lines *lines = c->state;
	struct event_printer *printer = &lines->printer;

	lines->processes.table = c->processes;
	printer->processes = &lines->processes;
	printer->symbols = convert_symbols();
	event_give(printer, e->decoder, e->decoded, e->known);
	print(printer, e->event);
	return convert_flush(c, &printer->out, CONVERT_BLOCK);
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
	struct event_printer *printer = &((struct lines *)c->state)->printer;
	int err = ok ? convert_flush(c, &printer->out, 0) : 0;

	event_printer_free(printer);
	return err;
}

const struct convert_format convert_text = {
	.name = "text",
	.suffix = ".txt",
	.help = "lines, as \"etw dump\" prints them",
	.may_stack = true,
	.size = sizeof(struct lines),
	.event = text_event,
	.close = lines_close,
};

const struct convert_format convert_json = {
	.name = "json",
	.suffix = ".jsonl",
	.help = "JSON lines, as \"etw dump --json\" prints them",
	.may_stack = true,
	.size = sizeof(struct lines),
	.event = json_event,
	.close = lines_close,
};
