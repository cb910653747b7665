/* SPDX-License-Identifier: MIT */
/*
 * convert.h - the formats of etw convert that the command prints itself
 */
#ifndef ETW_CLI_CONVERT_H
#define ETW_CLI_CONVERT_H

#include <signal.h>
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

/* Returns the exit status.  *caught: a signal came, nothing is to be made. */
int convert_from(const struct convert_source *source, const volatile sig_atomic_t *caught);

#endif /* ETW_CLI_CONVERT_H */
