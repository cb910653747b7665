/* SPDX-License-Identifier: MIT */
/*
 * utf.h - UTF-16 to UTF-8 and back
 *
 * Strict both ways: lone surrogates, overlong forms and anything beyond
 * U+10FFFF are -EINVAL, so a name survives the way there and back unchanged.
 */
#ifndef ETW_LIB_UTF_H
#define ETW_LIB_UTF_H

#include <stddef.h>
#include <sys/types.h>
#include <etw/wintypes.h>

/*
 * Convert len units of input.  Returns the units the whole result has, which
 * may be more than cap; then nothing beyond cap was written and what was is
 * of no use.  No NUL is added.  out may be NULL when cap is 0.
 */
ssize_t etw_utf16_to_utf8(const WCHAR *in, size_t len, char *out, size_t cap);
ssize_t etw_utf8_to_utf16(const char *in, size_t len, WCHAR *out, size_t cap);

/* Units before the NUL, at most max. */
size_t etw_utf16_len(const WCHAR *s, size_t max);

#endif /* ETW_LIB_UTF_H */
