/* SPDX-License-Identifier: MIT */
/*
 * select_names.h - names in the options that select events, where numbers may stand
 *
 * Each event is compared with the names of its own provider: those of its manifest, in the
 * trace or installed, or of its TraceLogging metadata.
 */
#ifndef ETW_CLI_REQUEST_SELECT_NAMES_H
#define ETW_CLI_REQUEST_SELECT_NAMES_H

#include <stdbool.h>
#include <etw/decode.h>

/* The names that one option has */
struct select_names {
	struct select_name {
		char *text;
		bool found;	/* an event or its provider has it */
	} *list;
	unsigned int count;
	bool looked;		/* they were looked for */
};

void select_names_add(struct select_names *names, const char *text);

/* Is the event, with its own name, TASK/OPCODE, symbol or task, one of these? */
bool select_names_event(struct select_names *names, const struct etw_decoded *decoded,
			struct etw_decoder *decoder);
/* Does it have one of these keywords? */
bool select_names_keyword(struct select_names *names, struct etw_decoder *decoder);
/* Is its level, if it has one, up to that of this name? */
bool select_names_level(struct select_names *names, const struct etw_decoded *decoded,
			const struct etw_decoder *decoder);

/* A line on stderr for each name that was looked for and not found; what: "an event" */
void select_names_report(const struct select_names *names, const char *option, const char *what);
void select_names_free(struct select_names *names);

#endif /* ETW_CLI_REQUEST_SELECT_NAMES_H */
