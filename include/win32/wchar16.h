/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * wchar16.h - string functions for 16-bit wide characters
 *
 * With -fshort-wchar, L"..." has 16-bit units, but the C library's wcs* functions still
 * read 32-bit units.  With that option, this header redirects their names to the
 * functions below; without it, it redirects nothing.  Include it (or <windows.h>) in
 * every file compiled with -fshort-wchar.  <winstdio.h> does the same for the functions
 * that print.  Names that only Microsoft's C library has (wcscpy_s, _wtoi, ...) exist
 * in both cases, and take WCHAR strings.
 *
 * Functions whose name ends in _s return 0, EINVAL (a NULL, or no NUL within the size of
 * the buffer) or ERANGE (no room), and then leave an empty string; they never call a
 * handler.  Sizes are in characters and include the NUL.
 *
 * The C library's other functions of wide text (wscanf, fgetws, mbstowcs, wcsftime, ...) do not
 * compile with -fshort-wchar.  std::wstring and std::wcout do, and are not safe.  Only A to Z are folded where case does not matter.
 *
 * Semantics: Microsoft's pages of the functions in "C runtime library reference".
 */
#ifndef ETW_WIN32_WCHAR16_H
#define ETW_WIN32_WCHAR16_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
extern "C++" {
#include <cstdlib>	/* before the redirections, because they undefine their names */
#include <cwchar>
}
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

static inline WCHAR etw_towupper(WCHAR c)
{
	return (WCHAR)(c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c);
}

static inline WCHAR *_wcslwr(WCHAR *s)
{
	for (WCHAR *p = s; *p; p++)
		*p = etw_towlower(*p);
	return s;
}

static inline WCHAR *_wcsupr(WCHAR *s)
{
	for (WCHAR *p = s; *p; p++)
		*p = etw_towupper(*p);
	return s;
}

/* Units at the start of s that are in set (@in 1) or are not (@in 0) */
static inline size_t etw_wcs_span(const WCHAR *s, const WCHAR *set, int in)
{
	size_t n = 0;

	while (s[n] && (etw_wcschr(set, s[n]) != NULL) == in)
		n++;
	return n;
}

static inline size_t etw_wcsspn(const WCHAR *s, const WCHAR *set)
{
	return etw_wcs_span(s, set, 1);
}

static inline size_t etw_wcscspn(const WCHAR *s, const WCHAR *set)
{
	return etw_wcs_span(s, set, 0);
}

static inline WCHAR *etw_wcspbrk(const WCHAR *s, const WCHAR *set)
{
	s += etw_wcscspn(s, set);
	return *s ? (WCHAR *)(uintptr_t)s : NULL;
}

static inline WCHAR *etw_wcstok(WCHAR *s, const WCHAR *set, WCHAR **next)
{
	WCHAR *start = s ? s : *next, *end;

	start += etw_wcsspn(start, set);
	end = start + etw_wcscspn(start, set);
	*next = *end ? end + 1 : end;
	if (start == end)
		return NULL;
	*end = 0;
	return start;
}

static inline WCHAR *etw_wmemcpy(WCHAR *dst, const WCHAR *src, size_t n)
{
	return (WCHAR *)memcpy(dst, src, n * sizeof(*dst));
}

static inline WCHAR *etw_wmemmove(WCHAR *dst, const WCHAR *src, size_t n)
{
	return (WCHAR *)memmove(dst, src, n * sizeof(*dst));
}

static inline WCHAR *etw_wmemset(WCHAR *dst, WCHAR c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = c;
	return dst;
}

static inline int etw_wmemcmp(const WCHAR *a, const WCHAR *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static inline WCHAR *etw_wmemchr(const WCHAR *s, WCHAR c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] == c)
			return (WCHAR *)(uintptr_t)(s + i);
	return NULL;
}

/* -------------------------------------------------------------- numbers */

/* The start of s in one byte per unit, to where a number certainly ends; the unit count */
static inline size_t etw_wcs_ascii(const WCHAR *s, char *text, size_t size)
{
	size_t n = 0;

	for (; n + 1 < size && s[n] && s[n] < 0x80; n++)
		text[n] = (char)s[n];
	text[n] = 0;
	return n;
}

static inline long long etw_wcstoll(const WCHAR *s, WCHAR **end, int base)
{
	char text[128], *stop;
	long long value;

	etw_wcs_ascii(s, text, sizeof(text));
	value = strtoll(text, &stop, base);
	if (end)
		*end = (WCHAR *)(uintptr_t)(s + (stop - text));
	return value;
}

static inline unsigned long long etw_wcstoull(const WCHAR *s, WCHAR **end, int base)
{
	char text[128], *stop;
	unsigned long long value;

	etw_wcs_ascii(s, text, sizeof(text));
	value = strtoull(text, &stop, base);
	if (end)
		*end = (WCHAR *)(uintptr_t)(s + (stop - text));
	return value;
}

/* A long has 32 bits on Windows. */
static inline LONG etw_wcstol(const WCHAR *s, WCHAR **end, int base)
{
	long long value = etw_wcstoll(s, end, base);

	if (value >= -0x80000000LL && value <= 0x7FFFFFFF)
		return (LONG)value;
	errno = ERANGE;
	return value < 0 ? (LONG)-0x80000000LL : 0x7FFFFFFF;
}

static inline ULONG etw_wcstoul(const WCHAR *s, WCHAR **end, int base)
{
	unsigned long long value = etw_wcstoull(s, end, base);

	/* "-1" is the largest number there, too. */
	if (value <= 0xFFFFFFFFu || 0 - value <= 0xFFFFFFFFu)
		return (ULONG)value;
	errno = ERANGE;
	return 0xFFFFFFFFu;
}

static inline double etw_wcstod(const WCHAR *s, WCHAR **end)
{
	char text[512], *stop;
	double value;

	etw_wcs_ascii(s, text, sizeof(text));
	value = strtod(text, &stop);
	if (end)
		*end = (WCHAR *)(uintptr_t)(s + (stop - text));
	return value;
}

static inline int _wtoi(const WCHAR *s)
{
	return (int)etw_wcstol(s, NULL, 10);
}

static inline LONG _wtol(const WCHAR *s)
{
	return etw_wcstol(s, NULL, 10);
}

static inline long long _wtoi64(const WCHAR *s)
{
	return etw_wcstoll(s, NULL, 10);
}

/* ---------------------------------------------- with the buffer's size */

#ifndef _TRUNCATE
#define _TRUNCATE	((size_t)-1)
#endif
typedef int errno_t;

static inline size_t etw_strnlen(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

/* Put length characters of unit bytes behind the first @at of dst, or what there is room for. */
static inline errno_t etw_append(void *dst, size_t size, size_t at, const void *src, size_t length,
				 size_t unit, int truncate)
{
	char *to = (char *)dst;

	if (!dst || !size)
		return EINVAL;
	if (!src || at >= size) {
		memset(to, 0, unit);
		return EINVAL;
	}
	if (length >= size - at) {
		if (!truncate) {
			memset(to, 0, unit);
			return ERANGE;
		}
		length = size - at - 1;
	}
	memcpy(to + at * unit, src, length * unit);
	memset(to + (at + length) * unit, 0, unit);
	return 0;
}

/* At most n units of src behind the first @at of dst; _TRUNCATE: what there is room for */
static inline errno_t etw_wcs_append(WCHAR *dst, size_t size, size_t at, const WCHAR *src,
				     size_t n)
{
	size_t most = n == _TRUNCATE ? size - at : n;

	return etw_append(dst, size, at, src, dst && src ? etw_wcsnlen(src, most) : 0,
			  sizeof(*dst), n == _TRUNCATE);
}

static inline errno_t etw_str_append(char *dst, size_t size, size_t at, const char *src, size_t n)
{
	size_t most = n == _TRUNCATE ? size - at : n;

	return etw_append(dst, size, at, src, dst && src ? etw_strnlen(src, most) : 0,
			  sizeof(*dst), n == _TRUNCATE);
}

static inline errno_t wcscpy_s(WCHAR *dst, size_t size, const WCHAR *src)
{
	return etw_wcs_append(dst, size, 0, src, _TRUNCATE - 1);
}

static inline errno_t wcsncpy_s(WCHAR *dst, size_t size, const WCHAR *src, size_t n)
{
	return etw_wcs_append(dst, size, 0, src, n);
}

static inline errno_t wcscat_s(WCHAR *dst, size_t size, const WCHAR *src)
{
	return etw_wcs_append(dst, size, dst ? etw_wcsnlen(dst, size) : 0, src, _TRUNCATE - 1);
}

static inline errno_t wcsncat_s(WCHAR *dst, size_t size, const WCHAR *src, size_t n)
{
	return etw_wcs_append(dst, size, dst ? etw_wcsnlen(dst, size) : 0, src, n);
}

static inline errno_t memmove_s(void *dst, size_t size, const void *src, size_t n)
{
	if (n && (!dst || !src))
		return EINVAL;
	if (n > size)
		return ERANGE;
	if (n)
		memmove(dst, src, n);
	return 0;
}

/* Unlike memmove_s(), it clears what it does not fill. */
static inline errno_t memcpy_s(void *dst, size_t size, const void *src, size_t n)
{
	errno_t error = memmove_s(dst, size, src, n);

	if (error && dst)
		memset(dst, 0, size);
	return error;
}

static inline errno_t strcpy_s(char *dst, size_t size, const char *src)
{
	return etw_str_append(dst, size, 0, src, _TRUNCATE - 1);
}

static inline errno_t strncpy_s(char *dst, size_t size, const char *src, size_t n)
{
	return etw_str_append(dst, size, 0, src, n);
}

static inline errno_t strcat_s(char *dst, size_t size, const char *src)
{
	return etw_str_append(dst, size, dst ? etw_strnlen(dst, size) : 0, src, _TRUNCATE - 1);
}

static inline errno_t strncat_s(char *dst, size_t size, const char *src, size_t n)
{
	return etw_str_append(dst, size, dst ? etw_strnlen(dst, size) : 0, src, n);
}

/* ---------------------------------------------------------------- UTF-8 */

/* Wrong sequences and lone surrogates become U+FFFD. */

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

/* The character at s[*i] of n units; *i moves behind it */
static inline uint32_t etw_utf16_get(const WCHAR *s, size_t n, size_t *i)
{
	uint32_t c = s[(*i)++];

	if (c >= 0xD800 && c < 0xDC00 && *i < n && s[*i] >= 0xDC00 && s[*i] < 0xE000)
		return 0x10000 + ((c - 0xD800) << 10) + (uint32_t)(s[(*i)++] - 0xDC00);
	return c >= 0xD800 && c < 0xE000 ? 0xFFFD : c;
}

/* n units as UTF-8 at to, which has room for 3 * n bytes; the number of bytes */
static inline size_t etw_narrow_units(char *to, const WCHAR *s, size_t n)
{
	size_t i = 0, size = 0;

	while (i < n)
		size += etw_utf8_put(to + size, etw_utf16_get(s, n, &i));
	return size;
}

/* One character as UTF-16; the number of units, 1 or 2 */
static inline size_t etw_utf16_put(WCHAR *to, uint32_t c)
{
	if (c < 0x10000) {
		to[0] = (WCHAR)c;
		return 1;
	}
	to[0] = (WCHAR)(0xD800 + ((c - 0x10000) >> 10));
	to[1] = (WCHAR)(0xDC00 + (c & 0x3FF));
	return 2;
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
	while (*s)
		n += etw_utf16_put(text + n, etw_utf8_get(&s));
	text[n] = 0;
	return text;
}

ETW_END_DECLS

#ifdef __cplusplus
extern "C++" {

/* The size of an array need not be given. */
template <size_t N> inline errno_t wcscpy_s(WCHAR (&dst)[N], const WCHAR *src)
{
	return wcscpy_s(dst, N, src);
}

template <size_t N> inline errno_t wcsncpy_s(WCHAR (&dst)[N], const WCHAR *src, size_t n)
{
	return wcsncpy_s(dst, N, src, n);
}

template <size_t N> inline errno_t wcscat_s(WCHAR (&dst)[N], const WCHAR *src)
{
	return wcscat_s(dst, N, src);
}

template <size_t N> inline errno_t strcpy_s(char (&dst)[N], const char *src)
{
	return strcpy_s(dst, N, src);
}

template <size_t N> inline errno_t strncpy_s(char (&dst)[N], const char *src, size_t n)
{
	return strncpy_s(dst, N, src, n);
}

template <size_t N> inline errno_t strcat_s(char (&dst)[N], const char *src)
{
	return strcat_s(dst, N, src);
}

}
#endif

#define _wcsicmp	etw_wcsicmp
#define _wcsnicmp	etw_wcsnicmp
#define _wcsdup		etw_wcsdup
#define _wcstoi64	etw_wcstoll
#define _wcstoui64	etw_wcstoull
#define wcstok_s	etw_wcstok

#if __SIZEOF_WCHAR_T__ == 2

#ifdef __cplusplus
/* For std::wcslen() and the like, which the macros below turn into std::etw_wcslen() */
namespace std {
using ::etw_wcslen;
using ::etw_wcsnlen;
using ::etw_wcscpy;
using ::etw_wcsncpy;
using ::etw_wcscat;
using ::etw_wcsncat;
using ::etw_wcscmp;
using ::etw_wcsncmp;
using ::etw_wcschr;
using ::etw_wcsrchr;
using ::etw_wcsstr;
using ::etw_wcsspn;
using ::etw_wcscspn;
using ::etw_wcspbrk;
using ::etw_wcstok;
using ::etw_wmemcpy;
using ::etw_wmemmove;
using ::etw_wmemset;
using ::etw_wmemcmp;
using ::etw_wmemchr;
using ::etw_wcstol;
using ::etw_wcstoul;
using ::etw_wcstoll;
using ::etw_wcstoull;
using ::etw_wcstod;
}
#endif

#define wcslen(...)	etw_wcslen(__VA_ARGS__)
#define wcsnlen(...)	etw_wcsnlen(__VA_ARGS__)
#define wcscpy(...)	etw_wcscpy(__VA_ARGS__)
#define wcsncpy(...)	etw_wcsncpy(__VA_ARGS__)
#define wcscat(...)	etw_wcscat(__VA_ARGS__)
#define wcsncat(...)	etw_wcsncat(__VA_ARGS__)
#define wcscmp(...)	etw_wcscmp(__VA_ARGS__)
#define wcsncmp(...)	etw_wcsncmp(__VA_ARGS__)
#define wcschr(...)	etw_wcschr(__VA_ARGS__)
#define wcsrchr(...)	etw_wcsrchr(__VA_ARGS__)
#define wcsstr(...)	etw_wcsstr(__VA_ARGS__)
#define wcsspn(...)	etw_wcsspn(__VA_ARGS__)
#define wcscspn(...)	etw_wcscspn(__VA_ARGS__)
#define wcspbrk(...)	etw_wcspbrk(__VA_ARGS__)
#define wcstok(...)	etw_wcstok(__VA_ARGS__)
#define wmemcpy(...)	etw_wmemcpy(__VA_ARGS__)
#define wmemmove(...)	etw_wmemmove(__VA_ARGS__)
#define wmemset(...)	etw_wmemset(__VA_ARGS__)
#define wmemcmp(...)	etw_wmemcmp(__VA_ARGS__)
#define wmemchr(...)	etw_wmemchr(__VA_ARGS__)
#define wcstol(...)	etw_wcstol(__VA_ARGS__)
#define wcstoul(...)	etw_wcstoul(__VA_ARGS__)
#define wcstoll(...)	etw_wcstoll(__VA_ARGS__)
#define wcstoull(...)	etw_wcstoull(__VA_ARGS__)
#define wcstod(...)	etw_wcstod(__VA_ARGS__)
#define wcsicmp(...)	etw_wcsicmp(__VA_ARGS__)
#define wcscasecmp(...)	etw_wcsicmp(__VA_ARGS__)
#define wcsnicmp(...)	etw_wcsnicmp(__VA_ARGS__)
#define wcsncasecmp(...)	etw_wcsnicmp(__VA_ARGS__)
#define wcsdup(...)	etw_wcsdup(__VA_ARGS__)

/* The C library's functions would read or write 32-bit units. */
#define ETW_NO_16_BITS								\
	_Pragma("GCC error \"not with -fshort-wchar: this function takes 32-bit wchar_t\"") 0
#define fgetws(...)	ETW_NO_16_BITS
#define fgetwc(...)	ETW_NO_16_BITS
#define getwc(...)	ETW_NO_16_BITS
#define getwchar(...)	ETW_NO_16_BITS
#define ungetwc(...)	ETW_NO_16_BITS
#define mbtowc(...)	ETW_NO_16_BITS
#define wctomb(...)	ETW_NO_16_BITS
#define mbstowcs(...)	ETW_NO_16_BITS
#define wcstombs(...)	ETW_NO_16_BITS
#define mbrtowc(...)	ETW_NO_16_BITS
#define wcrtomb(...)	ETW_NO_16_BITS
#define mbsrtowcs(...)	ETW_NO_16_BITS
#define wcsrtombs(...)	ETW_NO_16_BITS
#define mbsnrtowcs(...)	ETW_NO_16_BITS
#define wcsnrtombs(...)	ETW_NO_16_BITS
#define wcsftime(...)	ETW_NO_16_BITS
#define wcscoll(...)	ETW_NO_16_BITS
#define wcsxfrm(...)	ETW_NO_16_BITS
#define wcstof(...)	ETW_NO_16_BITS
#define wcstold(...)	ETW_NO_16_BITS
#define wcpcpy(...)	ETW_NO_16_BITS
#define wcpncpy(...)	ETW_NO_16_BITS
#define wcswidth(...)	ETW_NO_16_BITS
#define wmempcpy(...)	ETW_NO_16_BITS
#define wscanf(...)	ETW_NO_16_BITS
#define fwscanf(...)	ETW_NO_16_BITS
#define swscanf(...)	ETW_NO_16_BITS
#define vwscanf(...)	ETW_NO_16_BITS
#define vfwscanf(...)	ETW_NO_16_BITS
#define vswscanf(...)	ETW_NO_16_BITS

#endif

#endif /* ETW_WIN32_WCHAR16_H */
