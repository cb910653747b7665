// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * utf8.c - UTF-8 to UTF-16
 */
#include "core/utf8.h"

#define REPLACEMENT	0xfffd

/* The character at p; *taken is the number of its bytes, or 0 if there is none. */
static u32 decode(const u8 *p, u32 len, u32 *taken)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	u32 n, i, c;

	*taken = 0;
	if (p[0] < 0x80)
		n = 1, c = p[0];
	else if (p[0] >= 0xc2 && p[0] < 0xe0)
		n = 2, c = p[0] & 0x1f;
	else if (p[0] >= 0xe0 && p[0] < 0xf0)
		n = 3, c = p[0] & 0x0f;
	else if (p[0] >= 0xf0 && p[0] < 0xf5)
		n = 4, c = p[0] & 0x07;
	else
		return 0;
	if (n > len)
		return 0;
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*taken = n;
	return c;
}

u32 etw_utf16_lossy(u16 *to, const char *from, u32 len)
{
	const u8 *p = (const u8 *)from, *end = p + len;
	u32 n = 0, taken, c;

	while (p < end) {
		c = decode(p, end - p, &taken);
		if (!taken) {
			to[n++] = REPLACEMENT;
			p++;
			continue;
		}
		p += taken;
		if (c >= 0x10000) {
			to[n++] = 0xd800 + ((c - 0x10000) >> 10);
			c = 0xdc00 + ((c - 0x10000) & 0x3ff);
		}
		to[n++] = c;
	}
	return n;
}
