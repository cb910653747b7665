/* SPDX-License-Identifier: MIT */
/*
 * select_count.c - why no event was selected
 */
#include <inttypes.h>
#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/clock.h"
#include "select_count.h"

void select_count_looked(struct select_count *c, int64_t time)
{
	if (!c->looked || time < c->first)
		c->first = time;
	if (!c->looked || time > c->last)
		c->last = time;
	c->looked++;
}

/* " from A to B", as --since and --until take it */
static void add_span(struct etw_text *to, int64_t first, int64_t last)
{
	etw_text_puts(to, " from ");
	clock_local(to, first);
	etw_text_puts(to, " to ");
	clock_local(to, last);
}

/* How many each option has left out, if there is more than one */
static void add_options(const struct select_count *c, const char *const options[SELECT_TESTS],
			struct etw_text *to)
{
	unsigned int given = 0, test;
	bool any = false;

	for (test = 0; test < SELECT_TESTS; test++)
		given += options[test] != NULL;
	for (test = 0; given > 1 && test < SELECT_TESTS; test++) {
		if (!options[test] || !c->left_out[test])
			continue;
		etw_text_printf(to, any ? ", %s %" PRIu64 : "; %s left out %" PRIu64, options[test],
				c->left_out[test]);
		any = true;
	}
}

void select_count_report(const struct select_count *c, const char *const options[SELECT_TESTS],
			 const char *provider, int64_t start, int64_t end)
{
	const char *one = c->operations ? "operation" : "event";
	struct etw_text text = { 0 };

	if (provider && c->left_out[SELECT_PROVIDER] == c->looked)
		etw_text_printf(&text, "no %s is of provider %s", one, cli_quote(provider));
	else
		etw_text_printf(&text, "no %s matched", one);
	if (c->looked) {
		etw_text_printf(&text, "; %" PRIu64 " %s looked at,", c->looked,
				c->looked == 1 ? "was" : "were");
		add_span(&text, c->first, c->last);
		add_options(c, options, &text);
	} else {
		etw_text_puts(&text, "; there was none to look at in the trace,");
		add_span(&text, start, end);
	}
	text_check(&text);
	cli_note("%s", text.data);
	etw_text_free(&text);
}
