/* SPDX-License-Identifier: MIT */
/* core_utf8 - valid and invalid UTF-8 */
#include <string.h>

#include "lib/tap.h"
#include "core/utf8.h"

static void lossy(const char *from, u32 len, const u16 *want, u32 count, const char *what)
{
	u16 to[64];
	u32 n = etw_utf16_lossy(to, from, len);

	ok(n == count && n <= len && !memcmp(to, want, n * sizeof(*to)), "%s", what);
}

#define LOSSY(what, from, ...) do {					\
	static const u16 _want[] = { __VA_ARGS__ };			\
	lossy(from, sizeof(from) - 1, _want, sizeof(_want) / 2, what);	\
} while (0)

int main(void)
{
	lossy("", 0, (const u16[]){ 0 }, 0, "nothing");
	LOSSY("ASCII, a NUL in it", "a\0b", 'a', 0, 'b');
	LOSSY("two bytes", "\xc2\x80\xdf\xbf", 0x80, 0x7ff);
	LOSSY("three bytes", "\xe0\xa0\x80\xef\xbf\xbf", 0x800, 0xffff);
	LOSSY("a surrogate pair", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 0xd800, 0xdc00, 0xdbff, 0xdfff);
	LOSSY("a surrogate by itself", "\xed\xa0\x80", 0xfffd, 0xfffd, 0xfffd);
	LOSSY("too long forms", "\xc0\x80\xc1\xbf", 0xfffd, 0xfffd, 0xfffd, 0xfffd);
	LOSSY("a too long form of three", "\xe0\x9f\xbf", 0xfffd, 0xfffd, 0xfffd);
	LOSSY("beyond the last character", "\xf4\x90\x80\x80", 0xfffd, 0xfffd, 0xfffd, 0xfffd);
	LOSSY("cut off", "\xe2\x82", 0xfffd, 0xfffd);
	LOSSY("a stray byte in between", "a\x80" "b\xff", 'a', 0xfffd, 'b', 0xfffd);
	LOSSY("not continued", "\xe2\x82" "a", 0xfffd, 0xfffd, 'a');
	return done_testing();
}
