/* SPDX-License-Identifier: MIT */
/*
 * utf.h - UTF-16 to UTF-8 and back
 *
 * Strict in both directions: lone surrogates, overlong forms and code points beyond
 * U+10FFFF are -EINVAL, so a name converted back is unchanged.
 */
#ifndef ETW_BASE_UTF_H
#define ETW_BASE_UTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <etw/wintypes.h>

/*
 * Convert len units of input. Returns the units of the whole result. If that exceeds cap,
 * nothing was written beyond cap, and out is not usable. Adds no NUL. out may be NULL if
 * cap is 0.
 */
ssize_t etw_utf16_to_utf8(const WCHAR *in, size_t len, char *out, size_t cap);
ssize_t etw_utf8_to_utf16(const char *in, size_t len, WCHAR *out, size_t cap);

/* The code point of UTF-8 at in[*at], which moves behind it, or -EINVAL. */
int32_t etw_utf8_take(const char *in, size_t len, size_t *at);

/* UTF-8 of a valid code point; returns its length. */
static inline unsigned int etw_utf8_put(uint32_t code, char out[4])
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xC0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3F));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xE0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3F));
		out[2] = (char)(0x80 | (code & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3F));
	out[2] = (char)(0x80 | (code >> 6 & 0x3F));
	out[3] = (char)(0x80 | (code & 0x3F));
	return 4;
}

/* Units before the NUL, at most max. */
size_t etw_utf16_len(const WCHAR *s, size_t max);

/* Has it a character of UTF-8 outside ASCII?  Then the bytes that are none are errors in it. */
bool etw_utf8_has_wide(const char *s, size_t len);

#endif /* ETW_BASE_UTF_H */
