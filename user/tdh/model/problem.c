/* SPDX-License-Identifier: MIT */
/*
 * problem.c - problems in a source of schemas
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "base/text.h"

/* Make one line of plain text, even from a hostile manifest's names; consumes raw. */
static char *plain(char *raw)
{
	struct etw_text text = { .data = NULL };

	if (!raw)
		return NULL;
	etw_text_safe(&text, raw, strlen(raw));
	free(raw);
	if (!text.error && text.data)
		return text.data;
	etw_text_free(&text);
	return NULL;
}

void etw_problem_add(struct etw_problems *problems, unsigned int line, bool warning,
		     const char *fmt, ...)
{
	struct etw_problem *problem;
	char *text = NULL;
	va_list args;

	if (!problems)
		return;
	if (warning)
		problems->warnings++;
	else
		problems->errors++;
	if (problems->count == ETW_PROBLEMS_MAX) {
		/* An error replaces a warning. */
		problem = &problems->list[ETW_PROBLEMS_MAX - 1];
		if (warning || !problem->warning)
			return;
		free(problem->text);
		problems->count--;
	}
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	text = plain(text);
	if (!text)
		return;
	problems->list[problems->count++] = (struct etw_problem){
		.line = line, .warning = warning, .text = text,
	};
}

void etw_problems_make_room(struct etw_problems *problems)
{
	if (problems && problems->count == ETW_PROBLEMS_MAX)
		free(problems->list[--problems->count].text);
}

void etw_problems_cut(struct etw_problems *problems, const struct etw_problems *before)
{
	while (problems->count > before->count)
		free(problems->list[--problems->count].text);
	problems->errors = before->errors;
	problems->warnings = before->warnings;
}

void etw_problems_sort(struct etw_problems *problems)
{
	struct etw_problem *list = problems->list, moved;
	unsigned int i, at;

	for (i = 1; i < problems->count; i++) {
		moved = list[i];
		for (at = i; at && list[at - 1].line > moved.line; at--)
			list[at] = list[at - 1];
		list[at] = moved;
	}
}

void etw_problems_free(struct etw_problems *problems)
{
	unsigned int i;

	for (i = 0; i < problems->count; i++)
		free(problems->list[i].text);
	memset(problems, 0, sizeof(*problems));
}
