/* SPDX-License-Identifier: MIT */
/*
 * by.h - what the rows of etw top stand for: providers, events, processes, or values of a field
 */
#ifndef ETW_CLI_TOP_BY_H
#define ETW_CLI_TOP_BY_H

#include "cli/input/processes.h"
#include "cli/names.h"
#include "convert/convert.h"

#define BY_FIELD_MAX	256	/* bytes of a field's name */
#define BY_NO_NAME	"(none)"	/* what is shown of events that lack the field */
#define BY_KEY_MAX	256	/* bytes of a row's key and name that are kept */

enum by_what { BY_PROVIDER, BY_EVENT, BY_PROCESS, BY_THREAD, BY_CPU, BY_LEVEL, BY_FIELD };

struct by {
	enum by_what what;
	char field[BY_FIELD_MAX];	/* the name or path, if it is BY_FIELD */
};

/*
 * Take a word ("provider") or the name of a field, in quotes if it is one of the words.
 * false: *error is the reason, and *by as it was.
 */
bool by_parse(struct by *by, const char *text, const char **error);
/* The next or the previous word; the field has its place among them if it has a name. */
void by_step(struct by *by, int step);
/* The word, or the field's name: not escaped */
const char *by_name(const struct by *by);
/* The same for the heading of a column */
const char *by_heading(const struct by *by);

/* What is known beside the event */
struct by_names {
	const struct processes *processes;
	struct names *names;
};

/* The row of an event: texts to be emptied by the caller, and not escaped. */
struct by_row {
	struct etw_text key;	/* what tells rows apart */
	struct etw_text name;	/* what is shown for it; empty: the event has no such field */
	bool is_named;		/* the name is no number in its place */
};

/* The decoder is left anywhere among the event's fields. */
void by_row(const struct by *by, const struct by_names *names, const struct convert_event *event,
	    struct by_row *row);
/* The row of a provider, for what is known of it without an event */
void by_row_provider(const struct by_names *names, const struct etw_guid *guid, struct by_row *row);

#endif /* ETW_CLI_TOP_BY_H */
