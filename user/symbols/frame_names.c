/* SPDX-License-Identifier: MIT */
/*
 * frame_names.c - numbers for the functions of stacks
 */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "frame_names.h"
#include "stack.h"

#define UNKNOWN	0	/* the number of what nothing is known about */

struct frame_names {
	struct symbolizer *symbolizer;
	struct etw_interner numbers;	/* of a struct frame_name: strings of one value are one */
	struct frame_name *list;
	uint32_t count;
};

static bool grow(struct frame_names *names)
{
	struct frame_name *grown;

	if (names->count & (names->count - 1))
		return true;
	grown = realloc(names->list, (names->count ? 2 * (size_t)names->count : 1) * sizeof(*grown));
	if (grown)
		names->list = grown;
	return grown;
}

/* The number; without room for it UNKNOWN */
static uint32_t number_of(struct frame_names *names, const struct frame_name *name)
{
	uint32_t number;
	bool is_new;

	if (!grow(names))
		return UNKNOWN;
	number = etw_intern(&names->numbers, name, sizeof(*name), &is_new);
	if (!number)
		return UNKNOWN;
	if (is_new)
		names->list[names->count++] = *name;
	return number - 1;
}

struct frame_names *frame_names_new(struct symbolizer *symbolizer)
{
	struct frame_names *names = calloc(1, sizeof(*names));
	struct frame_name unknown;

	if (!names)
		return NULL;
	names->symbolizer = symbolizer;
	names->numbers.max = FRAME_NAMES_MAX;
	memset(&unknown, 0, sizeof(unknown));
	number_of(names, &unknown);
	if (names->count)
		return names;
	frame_names_free(names);
	return NULL;
}

void frame_names_free(struct frame_names *names)
{
	if (!names)
		return;
	etw_interner_clear(&names->numbers);
	free(names->list);
	free(names);
}

unsigned int frame_names_of(struct frame_names *names, const struct etw_event *event,
			    uint32_t *stack, bool *cut)
{
	struct symbol_frame frames[SYMBOLIZER_FRAMES];
	struct symbol_stack walk;
	struct symbol_place place;
	struct frame_name name;
	unsigned int count = 0, found, i;

	*cut = false;
	symbol_stack_begin(&walk, names->symbolizer, event);
	while (symbol_stack_next(&walk, &place)) {
		found = symbolizer_find(names->symbolizer, &place, frames);
		if (count + found > FRAME_NAMES_STACK) {
			*cut = true;
			break;
		}
		for (i = 0; i < found; i++) {
			memset(&name, 0, sizeof(name));		/* its bytes are compared */
			name.function = frames[i].function;
			name.image = frames[i].image;
			name.kernel = frames[i].kernel;
			stack[count++] = number_of(names, &name);
		}
	}
	*cut |= walk.cut;
	return count;
}

uint32_t frame_names_count(const struct frame_names *names)
{
	return names->count;
}

const struct frame_name *frame_names_get(const struct frame_names *names, uint32_t number)
{
	return &names->list[number];
}

void frame_names_title(const struct frame_name *name, struct etw_text *to)
{
	if (name->function)
		etw_text_puts(to, name->function);
	else
		etw_text_printf(to, "[%s]", name->image ? name->image :
				name->kernel ? "kernel" : "unknown");
}
