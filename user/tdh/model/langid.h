/* SPDX-License-Identifier: MIT */
/*
 * langid.h - cultures and their numbers in resources
 *
 * A number is sub-language << 10 | language, as in Microsoft's "Windows Language Code
 * Identifier (LCID) Reference" ([MS-LCID]).
 */
#ifndef ETW_TDH_MODEL_LANGID_H
#define ETW_TDH_MODEL_LANGID_H

#include <stdint.h>

/* "en-US", or a language alone ("en"), in any case. 0: no such culture. */
uint16_t etw_langid(const char *culture);

/* The culture's name, static; NULL: no such number. */
const char *etw_langid_culture(uint16_t langid);

#endif /* ETW_TDH_MODEL_LANGID_H */
