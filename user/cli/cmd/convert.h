/* SPDX-License-Identifier: MIT */
/*
 * convert.h - the parts of "etw convert" that are in the command
 */
#ifndef ETW_CLI_CMD_CONVERT_H
#define ETW_CLI_CMD_CONVERT_H

#include "convert/convert.h"

/* The output of "etw dump", and of "etw dump --json" */
extern const struct convert_format convert_text;
extern const struct convert_format convert_json;

struct symbols;

/* For stacks; NULL: they are printed as they were recorded. */
struct symbols *convert_symbols(void);

#endif /* ETW_CLI_CMD_CONVERT_H */
