/* SPDX-License-Identifier: MIT */
/*
 * fields.h - an event that the option --fields describes
 */
#ifndef ETW_CLI_REQUEST_FIELDS_H
#define ETW_CLI_REQUEST_FIELDS_H

#include <stdbool.h>
#include "tdh/model/model.h"

#define FIELDS_MAX	128	/* fields of an event */
#define FIELDS_NAMES	4096	/* bytes of their names */

struct fields {
	struct etw_mf_event event;	/* its parts are below */
	struct etw_mf_template template;
	struct etw_mf_field fields[FIELDS_MAX];
	char names[FIELDS_NAMES];
	size_t names_len;
};

/* A text that is being parsed */
struct scan {
	const char *text, *at;
	size_t column;		/* of what is wrong, from 1; 0: nothing is */
	char error[160];
};

/* false: s says what is wrong.  The result points into itself: do not move it. */
bool fields_parse(const char *text, struct fields *fields, struct scan *s);

#endif /* ETW_CLI_REQUEST_FIELDS_H */
