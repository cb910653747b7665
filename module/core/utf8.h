/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * utf8.h - UTF-8 to UTF-16, for untrusted strings
 */
#ifndef ETW_CORE_UTF8_H
#define ETW_CORE_UTF8_H

#include "core/port.h"

/*
 * Returns the units written, at most len; adds no NUL.  Each byte that is not valid UTF-8
 * becomes U+FFFD.
 */
u32 etw_utf16_lossy(u16 *to, const char *from, u32 len);

#endif /* ETW_CORE_UTF8_H */
