/* SPDX-License-Identifier: MIT */
/*
 * items_stack.c - the stack of an event as members of a JSON object
 *
 * The names are anybody's; the writer of JSON escapes them.
 */
#include "base/json_writer.h"
#include "items_stack.h"
#include "symbols/stack.h"

/* The functions at one address, of which all but the last are inlined into the next */
static void put_functions(struct etw_text *to, struct symbolizer *symbolizer,
			  const struct symbol_place *place)
{
	struct symbol_frame frames[SYMBOLIZER_FRAMES];
	const unsigned int count = symbolizer_find(symbolizer, place, frames);
	unsigned int i;

	for (i = 0; i < count; i++) {
		json_writer_open(to, NULL, '{');
		json_writer_mask(to, "address", place->address);
		if (frames[i].function)
			json_writer_word(to, "function", frames[i].function);
		if (frames[i].image)
			json_writer_word(to, "image", frames[i].image);
		if (frames[i].inlined)
			json_writer_flag(to, "inlined", true);
		else if (frames[i].function || frames[i].image)
			json_writer_unsigned(to, "offset", frames[i].offset);
		json_writer_close(to, '}');
	}
}

void items_stack_json(struct etw_text *to, struct symbolizer *symbolizer,
		      const struct etw_event *event)
{
	struct symbol_stack stack;
	struct symbol_place place;
	bool any = false;

	symbol_stack_begin(&stack, symbolizer, event);
	while (symbol_stack_next(&stack, &place)) {
		if (!any)
			json_writer_open(to, "stack", '[');
		json_writer_mask(to, NULL, place.address);
		any = true;
	}
	if (any)
		json_writer_close(to, ']');
	if (stack.cut)
		json_writer_flag(to, "stack_cut", true);
	if (!any)
		return;
	json_writer_open(to, "functions", '[');
	symbol_stack_rewind(&stack);
	while (symbol_stack_next(&stack, &place))
		put_functions(to, symbolizer, &place);
	json_writer_close(to, ']');
}
