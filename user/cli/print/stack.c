/* SPDX-License-Identifier: MIT */
/*
 * stack.c - the stacks of an event: in text a line for each function, in JSON members
 *
 *	        0xffffffff81234567 vfs_read+0x97
 *	        0x00007f12345678ab find_first (inlined)
 *	        0x00007f12345678ab find+0x2b [libfind.so.1]
 */
#include "cli/cli.h"
#include "cli/symbols/symbols.h"
#include "convert/items_stack.h"
#include "event.h"
#include "symbols/stack.h"

#define INDENT	"\n        "

static void add_place(struct event_printer *printer, struct etw_text *to,
		      const struct symbol_place *place, bool runs)
{
	struct symbol_frame frames[SYMBOLIZER_FRAMES];
	const unsigned int count = symbols_find(printer->symbols, place, runs, frames);
	unsigned int i;

	for (i = 0; i < count; i++) {
		etw_text_puts(to, INDENT);
		event_paint(printer, EVENT_FAINT);
		etw_text_printf(to, "0x%016llx", (unsigned long long)place->address);
		event_paint(printer, EVENT_PLAIN);
		etw_text_char(to, ' ');
		if (!symbols_add(to, &frames[i]))
			etw_text_cut(to, to->len - 1);
	}
}

void event_add_stacks(struct event_printer *printer, struct etw_text *to)
{
	struct symbol_stack stack;
	const bool runs = event_process_runs(printer);
	struct symbol_place place;

	symbol_stack_begin(&stack, symbols_of_process(printer->symbols, runs), printer->event);
	while (symbol_stack_next(&stack, &place))
		add_place(printer, to, &place, runs);
	if (stack.cut) {
		etw_text_puts(to, INDENT);
		etw_text_puts(to, "... and outer functions, which are not known");
	}
}

void event_put_stacks(struct event_printer *printer, struct etw_text *to)
{
	const bool runs = event_process_runs(printer);

	items_stack_json(to, symbols_of_process(printer->symbols, runs), printer->event);
}
