/* SPDX-License-Identifier: MIT */
/*
 * callstacks.c - the stacks of events as Perfetto's interned call stacks
 *
 * A stack, its functions and their names are written before the packet of the first event that has
 * them. Perfetto keeps what a number stands for, so none is given twice: where there are too many
 * stacks, those so far are forgotten, and written anew with other numbers if they come again.
 */
#include <stdlib.h>

#include "base/table.h"
#include "callstacks.h"
#include "convert/proto.h"
#include "numbers.h"
#include "symbols/frame_names.h"

#define STACKS_MAX	65536
#define STACKS_BYTES	(16u << 20)

struct perfetto_callstacks {
	struct frame_names *names;
	struct etw_interner stacks;	/* arrays of numbers of frame_names */
	uint64_t forgotten;		/* numbers of stacks that were given before these */
	bool *has;			/* by a function's number: it was written */
	struct etw_text title;
	uint32_t stack[FRAME_NAMES_STACK];
	uint64_t cut;
};

struct perfetto_callstacks *perfetto_callstacks_new(struct symbolizer *symbolizer)
{
	struct perfetto_callstacks *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->stacks.max = STACKS_MAX;
	c->stacks.max_bytes = STACKS_BYTES;
	c->names = frame_names_new(symbolizer);
	c->has = calloc(FRAME_NAMES_MAX, sizeof(*c->has));
	if (c->names && c->has)
		return c;
	perfetto_callstacks_free(c);
	return NULL;
}

void perfetto_callstacks_free(struct perfetto_callstacks *c)
{
	if (!c)
		return;
	frame_names_free(c->names);
	etw_interner_clear(&c->stacks);
	free(c->has);
	etw_text_free(&c->title);
	free(c);
}

uint64_t perfetto_callstacks_cut(const struct perfetto_callstacks *c)
{
	return c->cut;
}

/* A function, which has the number of its name */
static void put_function(struct perfetto_callstacks *c, uint32_t number, struct etw_text *to)
{
	const struct frame_name *name = frame_names_get(c->names, number);
	size_t begun;

	if (c->has[number])
		return;
	c->has[number] = true;
	etw_text_cut(&c->title, 0);
	frame_names_title(name, &c->title);
	begun = proto_begin(to, INTERNED_FUNCTIONS);
	proto_uint(to, INTERNED_IID, (uint64_t)number + 1);
	proto_string(to, INTERNED_STRING, c->title.error ? "" : c->title.data, c->title.len);
	proto_end(to, begun);
	begun = proto_begin(to, INTERNED_FRAMES);
	proto_uint(to, INTERNED_IID, (uint64_t)number + 1);
	proto_uint(to, FRAME_FUNCTION, (uint64_t)number + 1);
	proto_uint(to, FRAME_KIND, name->kernel ? KIND_KERNEL : KIND_NATIVE);
	proto_end(to, begun);
}

static void put_stack(struct perfetto_callstacks *c, uint64_t iid, unsigned int count,
		      struct etw_text *to)
{
	unsigned int i;
	size_t begun;

	for (i = 0; i < count; i++)
		put_function(c, c->stack[i], to);
	begun = proto_begin(to, INTERNED_CALLSTACKS);
	proto_uint(to, INTERNED_IID, iid);
	for (i = count; i--;)
		proto_uint(to, CALLSTACK_FRAME, (uint64_t)c->stack[i] + 1);
	proto_end(to, begun);
}

uint64_t perfetto_callstack(struct perfetto_callstacks *c, const struct etw_event *event,
			    struct etw_text *pending)
{
	unsigned int count;
	uint32_t number;
	bool is_new, cut;

	if (!event->record.ext_len)
		return 0;
	count = frame_names_of(c->names, event, c->stack, &cut);
	if (!count)
		return 0;
	c->cut += cut;
	number = etw_intern(&c->stacks, c->stack, count * sizeof(*c->stack), &is_new);
	if (!number) {
		c->forgotten += c->stacks.table.count;
		etw_interner_clear(&c->stacks);
		number = etw_intern(&c->stacks, c->stack, count * sizeof(*c->stack), &is_new);
	}
	if (number && is_new)
		put_stack(c, c->forgotten + number, count, pending);
	return number ? c->forgotten + number : 0;
}
