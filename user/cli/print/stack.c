/* SPDX-License-Identifier: MIT */
/*
 * stack.c - the stacks of an event, a line for each frame
 *
 *	        0xffffffff81234567 vfs_read+0x97
 *	        0x00007f12345678ab libc.so.6+0x10d8ab
 */
#include "cli/cli.h"
#include "cli/symbols.h"
#include "event.h"
#include "convert/items_kind.h"

#define INDENT	"\n        "

static void add_frame(struct event_printer *printer, struct etw_text *to, uint32_t pid,
		      uint64_t address)
{
	etw_text_puts(to, INDENT);
	event_paint(printer, EVENT_FAINT);
	etw_text_printf(to, "0x%016llx", (unsigned long long)address);
	event_paint(printer, EVENT_PLAIN);
	etw_text_char(to, ' ');
	if (!symbols_add(printer->symbols, to, pid, address))
		etw_text_cut(to, to->len - 1);
}

void event_add_stacks(struct event_printer *printer, struct etw_text *to)
{
	struct items_walk walk = { .record = &printer->event->record };
	const struct items_kind *kind;
	struct etw_ext_view item;
	uint32_t pid;
	size_t at;

	pid = event_process_runs(printer) ? event_header(printer)->process_id : 0;
	while ((kind = items_next(&walk, &item))) {
		if (kind->shape != ITEM_STACK)
			continue;
		for (at = ITEMS_STACK_HEAD; at + kind->width <= item.data_len; at += kind->width)
			add_frame(printer, to, pid, items_number(item.data, at, kind->width));
	}
}
