/* SPDX-License-Identifier: MIT */
/*
 * formats.h - the formats of user/convert
 */
#ifndef ETW_CONVERT_FORMATS_H
#define ETW_CONVERT_FORMATS_H

#include "convert.h"

extern const struct convert_format convert_csv, convert_chrome, convert_perfetto, convert_ctf;

/* format_list.c: all of them; ends with NULL.  The command has some more of its own. */
extern const struct convert_format *const convert_formats[];

#endif /* ETW_CONVERT_FORMATS_H */
