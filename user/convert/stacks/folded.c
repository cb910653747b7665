/* SPDX-License-Identifier: MIT */
/*
 * folded.c - format "folded": a line for each stack, as flamegraph.pl and its successors take them
 *
 *	process;outermost;...;innermost COUNT
 *
 * Semicolons in names become colons, and characters that would end a line are escaped.
 */
#include <string.h>

#include "base/text.h"
#include "sums.h"

struct folded {
	struct stack_sums *sums;
	struct etw_text out, title;
};

static void add_name(struct folded *folded, const char *name, size_t len)
{
	struct etw_text *to = &folded->out;
	size_t from = to->len;

	etw_text_safe(to, name, len);
	for (; !to->error && from < to->len; from++)
		if (to->data[from] == ';')
			to->data[from] = ':';
}

static int folded_write(struct convert *c, const struct stack_sum *sum)
{
	struct folded *folded = c->state;
	const struct frame_names *names = stack_sums_names(folded->sums);
	unsigned int i;

	add_name(folded, sum->process, strlen(sum->process));
	for (i = sum->count; i; i--) {
		etw_text_cut(&folded->title, 0);
		frame_names_title(frame_names_get(names, sum->frames[i - 1]), &folded->title);
		if (folded->title.error)
			return convert_no_memory(c);
		etw_text_char(&folded->out, ';');
		add_name(folded, folded->title.data, folded->title.len);
	}
	etw_text_char(&folded->out, ' ');
	etw_text_unsigned(&folded->out, sum->events, 1);
	etw_text_char(&folded->out, '\n');
	return convert_flush(c, &folded->out, CONVERT_BLOCK);
}

static int folded_open(struct convert *c)
{
	struct folded *folded = c->state;

	folded->sums = stack_sums_new(c, folded_write);
	return folded->sums ? 0 : convert_no_memory(c);
}

static int folded_event(struct convert *c, const struct convert_event *e)
{
	struct folded *folded = c->state;

	return stack_sums_event(folded->sums, e);
}

static int folded_close(struct convert *c, bool ok)
{
	struct folded *folded = c->state;
	int err = ok ? stack_sums_end(folded->sums) : 0;

	if (ok && !err)
		err = convert_flush(c, &folded->out, 0);
	stack_sums_free(folded->sums);
	etw_text_free(&folded->out);
	etw_text_free(&folded->title);
	return err;
}

const struct convert_format convert_folded = {
	.name = "folded",
	.suffix = ".folded",
	.help = "folded stacks: flamegraph.pl, inferno",
	.stacks = true,
	.size = sizeof(struct folded),
	.open = folded_open,
	.event = folded_event,
	.close = folded_close,
};
