/* SPDX-License-Identifier: MIT */
/*
 * slowest.c - print the longest operations, and the events around each
 */
#include <stdio.h>
#include <stdlib.h>
#include "cli/cli.h"
#include "cli/input/kept_event.h"
#include "cli/input/log_contents.h"
#include "slowest.h"
#include "tdh/expr/time_expr.h"
#include "tdh/process/process_table.h"

int64_t slowest_span(const char *text)
{
	struct etw_time_expr when;
	char *word;
	int len = asprintf(&word, "+%s", text);
	bool right;

	if (len < 0)
		cli_die("out of memory");
	right = etw_time_expr_parse(word, (size_t)len, &when) && when.kind == ETW_TIME_EXPR_SINCE;
	free(word);
	if (!right || *text == '+')
		cli_usage("--around: %s is not a time like 10ms, 200us or 1.5s", cli_quote(text));
	return when.value;
}

bool slowest_shows(const struct slowest_rule *rule, const struct etw_event *event)
{
	struct etw_loss loss;

	if (etw_process_is_own_event(event))
		return rule->processes;
	if (images_is(event))
		return rule->images;
	return !event_is_about_trace(event) ||
	       (rule->losses && etw_loss_of(event, &loss) &&
		loss.payload.code != ETW_LOSS_BEFORE_FILE);
}

int slowest_reread(struct around *around, char **paths, bool apart,
		   const struct slowest_rule *rule)
{
	struct inputs inputs = { .apart = apart, .again = true };
	const struct etw_event *event;
	unsigned int source;
	int status;

	status = inputs_open(&inputs, paths);
	if (!status) {
		inputs_until(&inputs, around_reread(around));
		while ((status = inputs_next(&inputs, &event, &source)) == 1)
			if (slowest_shows(rule, event))
				around_event(around, event);
	}
	inputs_close(&inputs);
	return status != 0;
}

static void print_around(struct around *around, unsigned int rank,
			 const struct operation *operation, struct event_printer *printer,
			 slowest_print_fn print)
{
	struct etw_event event;

	around_begin(around, rank);
	printer->around = rank + 1;
	while (around_next(around, &event) && !ferror(stdout)) {
		printer->place = EVENT_BESIDE;
		if (kept_event_is(&event, &operation->start))
			printer->place = EVENT_STARTS;
		else if (kept_event_is(&event, operation->stop))
			printer->place = EVENT_STOPS;
		print(printer, &event);
	}
	printer->around = 0;
	around_report(around, rank);
}

void slowest_print(struct operations *operations, struct around *around,
		   struct event_printer *printer, slowest_print_fn print)
{
	struct operation operation;
	unsigned int rank;

	for (rank = 0; operations_longest(operations, rank, &operation) && !ferror(stdout); rank++) {
		printer->operation = &operation;
		print(printer, &operation.start);
		printer->operation = NULL;
		if (around)
			print_around(around, rank, &operation, printer, print);
	}
}
