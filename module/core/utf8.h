/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * utf8.h - UTF-8 to UTF-16, for strings that anybody may have made
 */
#ifndef ETW_CORE_UTF8_H
#define ETW_CORE_UTF8_H

#include "core/port.h"

/*
 * Units written, at most len of them; no NUL is added.  What is no UTF-8 becomes
 * U+FFFD, one for each byte.
 */
u32 etw_utf16_lossy(u16 *to, const char *from, u32 len);

#endif /* ETW_CORE_UTF8_H */
