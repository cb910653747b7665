/* SPDX-License-Identifier: MIT */
/*
 * formats.h - the formats of user/convert
 */
#ifndef ETW_CONVERT_FORMATS_H
#define ETW_CONVERT_FORMATS_H

#include "convert.h"

extern const struct convert_format convert_csv, convert_chrome, convert_perfetto, convert_ctf;

#endif /* ETW_CONVERT_FORMATS_H */
