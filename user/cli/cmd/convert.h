/* SPDX-License-Identifier: MIT */
/*
 * convert.h - the formats of etw convert that the command prints itself
 */
#ifndef ETW_CLI_CONVERT_H
#define ETW_CLI_CONVERT_H

#include <stdbool.h>
#include "convert/convert.h"

/* As "etw dump" prints events, and with --json */
extern const struct convert_format convert_text;
extern const struct convert_format convert_json;

/* A trace of another tool, which becomes a log file */
struct convert_source {
	const char *folder, *out;
	bool replace, quiet;
};

/* Signals that end a command are caught.  Returns the exit status. */
int convert_from(const struct convert_source *source);

#endif /* ETW_CLI_CONVERT_H */
