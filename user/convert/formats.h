/* SPDX-License-Identifier: MIT */
/*
 * formats.h - the formats, each of a file of its own
 */
#ifndef ETW_CONVERT_FORMATS_H
#define ETW_CONVERT_FORMATS_H

#include "convert.h"

extern const struct convert_format convert_csv, convert_chrome, convert_perfetto;
extern const struct convert_format convert_ctf, convert_ctf2;

#endif /* ETW_CONVERT_FORMATS_H */
