/* SPDX-License-Identifier: MIT */
/*
 * utf.c - UTF-16 to UTF-8 and back
 */
#include <errno.h>
#include <stdint.h>

#include "utf.h"

#define CODE_MAX	0x10FFFF

static int is_surrogate(uint32_t code)
{
	return (code & 0xFFFFF800) == 0xD800;
}

/* One code point of UTF-16 at in[*at], or -EINVAL. */
static int32_t take_utf16(const WCHAR *in, size_t len, size_t *at)
{
	uint32_t first = (uint16_t)in[(*at)++], second;

	if (!is_surrogate(first))
		return first;
	if (first >= 0xDC00 || *at == len)
		return -EINVAL;
	second = (uint16_t)in[*at];
	if ((second & 0xFC00) != 0xDC00)
		return -EINVAL;
	(*at)++;
	return 0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF);
}

int32_t etw_utf8_take(const char *in, size_t len, size_t *at)
{
	/* The least code that needs this many bytes after the first */
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	uint32_t code = (unsigned char)in[(*at)++];
	unsigned int more, i;

	if (code < 0x80)
		return code;
	if (code >= 0xC0 && code < 0xE0) {
		more = 1;
		code &= 0x1F;
	} else if (code >= 0xE0 && code < 0xF0) {
		more = 2;
		code &= 0x0F;
	} else if (code >= 0xF0 && code < 0xF8) {
		more = 3;
		code &= 0x07;
	} else {
		return -EINVAL;
	}
	for (i = 0; i < more; i++) {
		unsigned char c;

		if (*at == len)
			return -EINVAL;
		c = in[*at];
		if ((c & 0xC0) != 0x80)
			return -EINVAL;
		code = code << 6 | (c & 0x3F);
		(*at)++;
	}
	if (code < least[more] || code > CODE_MAX || is_surrogate(code))
		return -EINVAL;
	return code;
}

ssize_t etw_utf16_to_utf8(const WCHAR *in, size_t len, char *out, size_t cap)
{
	size_t at = 0, made = 0;

	while (at < len) {
		int32_t code = take_utf16(in, len, &at);
		unsigned int n, i;
		char unit[4];

		if (code < 0)
			return code;
		n = etw_utf8_put(code, unit);
		for (i = 0; i < n; i++, made++)
			if (made < cap)
				out[made] = unit[i];
	}
	return made;
}

ssize_t etw_utf8_to_utf16(const char *in, size_t len, WCHAR *out, size_t cap)
{
	size_t at = 0, made = 0;

	while (at < len) {
		int32_t code = etw_utf8_take(in, len, &at);

		if (code < 0)
			return code;
		if (code >= 0x10000) {
			if (made < cap)
				out[made] = 0xD800 | (code - 0x10000) >> 10;
			made++;
			code = 0xDC00 | (code & 0x3FF);
		}
		if (made < cap)
			out[made] = code;
		made++;
	}
	return made;
}

size_t etw_utf16_len(const WCHAR *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

bool etw_utf8_has_wide(const char *s, size_t len)
{
	size_t i, n;

	for (i = 0; i < len; i += n ? n : 1) {
		n = 0;
		if (etw_utf8_take(s + i, len - i, &n) >= 0x80)
			return true;
	}
	return false;
}
