/* SPDX-License-Identifier: MIT */
/*
 * convert.h - the parts of "etw convert" that are in the command
 */
#ifndef ETW_CLI_CMD_CONVERT_H
#define ETW_CLI_CMD_CONVERT_H

#include <stdbool.h>
#include "convert/convert.h"

/* The output of "etw dump", and of "etw dump --json" */
extern const struct convert_format convert_text;
extern const struct convert_format convert_json;

/*
 * Convert a CTF trace to a log file: replaces the process with etw-ctf-reader.  Returns an
 * exit status only if that cannot be started.
 */
int convert_from_ctf(const char *folder, const char *out, bool replace, bool quiet);

#endif /* ETW_CLI_CMD_CONVERT_H */
