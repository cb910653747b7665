/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * wchar16.h - string functions for 16-bit wide characters
 *
 * With -fshort-wchar, L"..." has 16-bit units, but the C library's wcs* functions still
 * read 32-bit units.  With that option, this header redirects their names to the
 * functions below; without it, it redirects nothing.  Include it (or <windows.h>) in
 * every file compiled with -fshort-wchar.
 *
 * Not covered, and not safe with -fshort-wchar: wprintf() and related functions, %ls,
 * std::wstring, and wcs* functions not named here.  Case-insensitive comparison folds only
 * A to Z.
 */
#ifndef ETW_WIN32_WCHAR16_H
#define ETW_WIN32_WCHAR16_H

#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#include <cwchar>	/* before the redirections, because it undefines their names */
#endif
#include <wchar.h>
#include <etw/wintypes.h>

ETW_BEGIN_DECLS

static inline size_t etw_wcslen(const WCHAR *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static inline size_t etw_wcsnlen(const WCHAR *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

static inline WCHAR *etw_wcscpy(WCHAR *dst, const WCHAR *src)
{
	size_t i = 0;

	do
		dst[i] = src[i];
	while (src[i++]);
	return dst;
}

/* Like strncpy(): pads with NULs, and does not terminate a full buffer */
static inline WCHAR *etw_wcsncpy(WCHAR *dst, const WCHAR *src, size_t n)
{
	size_t i = 0;

	for (; i < n && src[i]; i++)
		dst[i] = src[i];
	for (; i < n; i++)
		dst[i] = 0;
	return dst;
}

static inline WCHAR *etw_wcscat(WCHAR *dst, const WCHAR *src)
{
	etw_wcscpy(dst + etw_wcslen(dst), src);
	return dst;
}

/* At most n units of src, then a NUL */
static inline WCHAR *etw_wcsncat(WCHAR *dst, const WCHAR *src, size_t n)
{
	WCHAR *end = dst + etw_wcslen(dst);
	size_t len = etw_wcsnlen(src, n);

	memcpy(end, src, len * sizeof(*end));
	end[len] = 0;
	return dst;
}

static inline WCHAR etw_towlower(WCHAR c)
{
	return (WCHAR)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static inline int etw_wcsncmp(const WCHAR *a, const WCHAR *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
		if (!a[i])
			break;
	}
	return 0;
}

static inline int etw_wcscmp(const WCHAR *a, const WCHAR *b)
{
	return etw_wcsncmp(a, b, SIZE_MAX);
}

static inline int etw_wcsnicmp(const WCHAR *a, const WCHAR *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		WCHAR x = etw_towlower(a[i]);
		WCHAR y = etw_towlower(b[i]);

		if (x != y)
			return x < y ? -1 : 1;
		if (!x)
			break;
	}
	return 0;
}

static inline int etw_wcsicmp(const WCHAR *a, const WCHAR *b)
{
	return etw_wcsnicmp(a, b, SIZE_MAX);
}

static inline WCHAR *etw_wcschr(const WCHAR *s, WCHAR c)
{
	for (; *s != c; s++)
		if (!*s)
			return NULL;
	return (WCHAR *)(uintptr_t)s;
}

static inline WCHAR *etw_wcsrchr(const WCHAR *s, WCHAR c)
{
	const WCHAR *found = NULL;

	do
		if (*s == c)
			found = s;
	while (*s++);
	return (WCHAR *)(uintptr_t)found;
}

static inline WCHAR *etw_wcsstr(const WCHAR *s, const WCHAR *what)
{
	size_t n = etw_wcslen(what);

	for (; etw_wcsncmp(s, what, n); s++)
		if (!*s)
			return NULL;
	return (WCHAR *)(uintptr_t)s;
}

/* The caller must free() the copy; NULL: out of memory */
static inline WCHAR *etw_wcsdup(const WCHAR *s)
{
	size_t size = (etw_wcslen(s) + 1) * sizeof(*s);
	WCHAR *copy = (WCHAR *)malloc(size);

	if (copy)
		memcpy(copy, s, size);
	return copy;
}

/* Conversion from and to UTF-8; wrong sequences and lone surrogates become U+FFFD */

static inline size_t etw_utf8_put(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xC0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xE0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3F));
		to[2] = (char)(0x80 | (c & 0x3F));
		return 3;
	}
	to[0] = (char)(0xF0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3F));
	to[2] = (char)(0x80 | (c >> 6 & 0x3F));
	to[3] = (char)(0x80 | (c & 0x3F));
	return 4;
}

/* n units as UTF-8 at to, which has room for 3 * n bytes; the number of bytes */
static inline size_t etw_narrow_units(char *to, const WCHAR *s, size_t n)
{
	size_t i, size = 0;

	for (i = 0; i < n; i++) {
		uint32_t c = s[i];

		if (c >= 0xD800 && c < 0xDC00 && i + 1 < n && s[i + 1] >= 0xDC00 &&
		    s[i + 1] < 0xE000)
			c = 0x10000 + ((c - 0xD800) << 10) + (uint32_t)(s[++i] - 0xDC00);
		else if (c >= 0xD800 && c < 0xE000)
			c = 0xFFFD;
		size += etw_utf8_put(to + size, c);
	}
	return size;
}

/* The caller must free() the text; NULL: out of memory */
static inline char *etw_narrow(const WCHAR *s)
{
	size_t n = etw_wcslen(s);
	char *text = (char *)malloc(3 * n + 1);

	if (text)
		text[etw_narrow_units(text, s, n)] = 0;
	return text;
}

/* The character at *s, which moves behind it */
static inline uint32_t etw_utf8_get(const char **s)
{
	const unsigned char *p = (const unsigned char *)*s;
	unsigned int i, more = p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 1 : p[0] < 0xF0 ? 2 :
			       p[0] < 0xF5 ? 3 : 0;
	uint32_t c = more ? p[0] & (0x3Fu >> more) : p[0];

	(*s)++;
	for (i = 1; i <= more; i++) {
		if ((p[i] & 0xC0) != 0x80)
			return 0xFFFD;
		c = c << 6 | (p[i] & 0x3Fu);
	}
	if ((!more && c >= 0x80) || (more == 2 && c < 0x800) || (c >= 0xD800 && c < 0xE000) ||
	    (more == 3 && (c < 0x10000 || c > 0x10FFFF)))
		return 0xFFFD;
	*s += more;
	return c;
}

/* The caller must free() the text; NULL: out of memory */
static inline WCHAR *etw_widen(const char *s)
{
	WCHAR *text = (WCHAR *)malloc((strlen(s) + 1) * sizeof(*text));
	size_t n = 0;

	if (!text)
		return NULL;
	while (*s) {
		uint32_t c = etw_utf8_get(&s);

		if (c >= 0x10000) {
			text[n++] = (WCHAR)(0xD800 + ((c - 0x10000) >> 10));
			c = 0xDC00 + (c & 0x3FF);
		}
		text[n++] = (WCHAR)c;
	}
	text[n] = 0;
	return text;
}

ETW_END_DECLS

#if __SIZEOF_WCHAR_T__ == 2

#define wcslen		etw_wcslen
#define wcsnlen		etw_wcsnlen
#define wcscpy		etw_wcscpy
#define wcsncpy		etw_wcsncpy
#define wcscat		etw_wcscat
#define wcsncat		etw_wcsncat
#define wcscmp		etw_wcscmp
#define wcsncmp		etw_wcsncmp
#define wcsicmp		etw_wcsicmp
#define _wcsicmp	etw_wcsicmp
#define wcscasecmp	etw_wcsicmp
#define wcsnicmp	etw_wcsnicmp
#define _wcsnicmp	etw_wcsnicmp
#define wcsncasecmp	etw_wcsnicmp
#define wcschr		etw_wcschr
#define wcsrchr		etw_wcsrchr
#define wcsstr		etw_wcsstr
#define wcsdup		etw_wcsdup
#define _wcsdup		etw_wcsdup

#endif

#endif /* ETW_WIN32_WCHAR16_H */
