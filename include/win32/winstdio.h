/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * winstdio.h - the functions of Microsoft's C library that print, for wide and narrow text,
 * and those that read narrow text by a format
 *
 * A wide stream does not exist here: what wprintf() and related functions print is UTF-8,
 * and printf() may be mixed with them.  WCHAR strings in a narrow format become UTF-8,
 * narrow strings in a wide format are read as UTF-8.
 *
 * Formats are Microsoft's:
 *
 *	%s %c		text as wide as the format; %S %C text of the other kind
 *	%hs %ls %ws	narrow, wide, wide, in any format
 *	%d %ld		32 bits, as %lu, %lx, ...: a long of Windows
 *	%lld %I64d	64 bits; %zd %Id as wide as a pointer
 *	%p		16 upper-case hexadecimal digits
 *
 * %n and unknown letters are refused: the function prints nothing and returns -1.
 * scanf(), fscanf() and sscanf() take the same sizes, and refuse wide text, which returns -1.
 *
 * With -fshort-wchar the usual names (wprintf, printf, sscanf, ...) are macros for the functions below.
 * PRIu64, SCNu64 and the like stay right, because they then contain "ll".  Names that only
 * Microsoft's C library has (swprintf_s, _putws, ...) exist in any case.
 *
 * Functions return the number of characters, without the NUL, or -1.  Those whose name ends
 * in _s leave an empty string where there is no room.
 *
 * Semantics: Microsoft's pages "Format specification syntax: printf and wprintf functions" and
 * those of the functions.
 */
#ifndef ETW_WIN32_WINSTDIO_H
#define ETW_WIN32_WINSTDIO_H

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __cplusplus
extern "C++" {
#include <cstdio>	/* before the redirections, because it undefines their names */
}
#endif
#include <wchar16.h>

ETW_BEGIN_DECLS

/* Text that grows: WCHARs if it is wide, else one byte in each unit */
struct etw_out {
	WCHAR *units;
	size_t count;
	size_t room;
	int wide;
	int error;	/* an errno; nothing is added any more */
};

struct etw_args {
	va_list list;
};

struct etw_spec {
	char flags[6];		/* of "-+ 0#", each at most once */
	int width;		/* 0: none */
	int precision;		/* -1: none */
	char size;		/* 'b' hh, 'h', 0, 'l', 'q' 64 bits, 'p' as a pointer, 'L' */
	char type;
};

static inline void etw_out_unit(struct etw_out *out, WCHAR unit)
{
	if (out->error)
		return;
	if (out->count == out->room) {
		size_t room = out->room ? 2 * out->room : 256;
		WCHAR *units = (WCHAR *)realloc(out->units, room * sizeof(*units));

		if (!units) {
			out->error = ENOMEM;
			return;
		}
		out->units = units;
		out->room = room;
	}
	out->units[out->count++] = unit;
}

static inline void etw_out_bytes(struct etw_out *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		etw_out_unit(out, (unsigned char)s[i]);
}

static inline void etw_out_wide(struct etw_out *out, const WCHAR *s, size_t n)
{
	size_t i = 0;
	char part[4];

	if (out->wide)
		while (i < n)
			etw_out_unit(out, s[i++]);
	while (i < n)
		etw_out_bytes(out, part, etw_utf8_put(part, etw_utf16_get(s, n, &i)));
}

static inline void etw_out_narrow(struct etw_out *out, const char *s, size_t n)
{
	if (!out->wide) {
		etw_out_bytes(out, s, n);
		return;
	}
	while (n) {
		char part[5] = { 0 };
		const char *at = part;
		WCHAR units[2];

		memcpy(part, s, n < 4 ? n : 4);
		etw_out_wide(out, units, etw_utf16_put(units, etw_utf8_get(&at)));
		s += at - part;
		n -= (size_t)(at - part);
	}
}

/* Fill what was added since @start to the width, with spaces on one side. */
static inline void etw_out_pad(struct etw_out *out, const struct etw_spec *spec, size_t start)
{
	size_t added = out->count - start, fill, i;

	if ((size_t)spec->width <= added)
		return;
	fill = (size_t)spec->width - added;
	for (i = 0; i < fill; i++)
		etw_out_unit(out, ' ');
	if (out->error || strchr(spec->flags, '-'))
		return;
	memmove(out->units + start + fill, out->units + start, added * sizeof(WCHAR));
	for (i = 0; i < fill; i++)
		out->units[start + i] = ' ';
}

static inline void etw_out_string(struct etw_out *out, const struct etw_spec *spec, int wide,
				  const void *s)
{
	size_t max = spec->precision < 0 ? SIZE_MAX : (size_t)spec->precision;
	size_t start = out->count;

	if (!s)
		etw_out_bytes(out, "(null)", max < 6 ? max : 6);
	else if (wide)
		etw_out_wide(out, (const WCHAR *)s, etw_wcsnlen((const WCHAR *)s, max));
	else
		etw_out_narrow(out, (const char *)s, etw_strnlen((const char *)s, max));
	etw_out_pad(out, spec, start);
}

static inline void etw_out_char(struct etw_out *out, const struct etw_spec *spec, int wide,
				int value)
{
	size_t start = out->count;
	WCHAR unit = (WCHAR)value;
	char byte = (char)value;

	if (wide)
		etw_out_wide(out, &unit, 1);
	else
		etw_out_narrow(out, &byte, 1);
	etw_out_pad(out, spec, start);
}

/* A number, by the C library; @integer is used if @real is NULL */
static inline void etw_out_number(struct etw_out *out, const struct etw_spec *spec,
				  unsigned long long integer, const long double *real)
{
	char format[24], few[64], *text = few;
	int n;

	snprintf(format, sizeof(format), "%%%s*.*%s%c", spec->flags, real ? "L" : "ll",
		 spec->type);
	n = real ? snprintf(few, sizeof(few), format, spec->width, spec->precision, *real) :
		   snprintf(few, sizeof(few), format, spec->width, spec->precision, integer);
	if (n >= (int)sizeof(few)) {
		size_t size = (size_t)n + 1;

		text = (char *)malloc(size);
		if (text && real)
			snprintf(text, size, format, spec->width, spec->precision, *real);
		else if (text)
			snprintf(text, size, format, spec->width, spec->precision, integer);
	}
	if (n < 0 || !text)
		out->error = n < 0 ? errno : ENOMEM;
	else
		etw_out_bytes(out, text, (size_t)n);
	if (text != few)
		free(text);
}

static inline unsigned long long etw_args_integer(struct etw_args *args, char size, int negative)
{
	unsigned int value;

	if (size == 'q' || size == 'p')
		return va_arg(args->list, unsigned long long);
	value = va_arg(args->list, unsigned int);
	if (size == 'h')
		return negative ? (unsigned long long)(short)value : (unsigned short)value;
	if (size == 'b')
		return negative ? (unsigned long long)(signed char)value : (unsigned char)value;
	return negative ? (unsigned long long)(int)value : value;
}

static inline void etw_out_real(struct etw_out *out, const struct etw_spec *spec,
				struct etw_args *args)
{
	long double value = spec->size == 'L' ? va_arg(args->list, long double) :
						va_arg(args->list, double);

	etw_out_number(out, spec, 0, &value);
}

/* One value; 0: the type is unknown */
static inline int etw_out_value(struct etw_out *out, struct etw_spec *spec, struct etw_args *args)
{
	int wide = spec->size == 'h' ? 0 : spec->size == 'l' ? 1 :
		   out->wide == (spec->type == 's' || spec->type == 'c');

	switch (spec->type) {
	case 's':
	case 'S':
		etw_out_string(out, spec, wide, va_arg(args->list, const void *));
		return 1;
	case 'c':
	case 'C':
		etw_out_char(out, spec, wide, va_arg(args->list, int));
		return 1;
	case 'd':
	case 'i':
		etw_out_number(out, spec, etw_args_integer(args, spec->size, 1), NULL);
		return 1;
	case 'p':
		spec->type = 'X';
		spec->precision = 16;
		spec->size = 'p';
		/* fallthrough */
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		etw_out_number(out, spec, etw_args_integer(args, spec->size, 0), NULL);
		return 1;
	default:
		if (!spec->type || !strchr("aAeEfFgG", spec->type))
			return 0;
		etw_out_real(out, spec, args);
		return 1;
	}
}

static inline WCHAR etw_format_unit(const void *format, int wide, size_t at)
{
	return wide ? ((const WCHAR *)format)[at] : ((const unsigned char *)format)[at];
}

/* A number or a star at *at; @none: neither */
static inline int etw_format_number(const void *format, int wide, size_t *at,
				    struct etw_args *args, int none)
{
	WCHAR c = etw_format_unit(format, wide, *at);
	int value = none;

	if (c == '*') {
		(*at)++;
		return va_arg(args->list, int);
	}
	for (; c >= '0' && c <= '9'; c = etw_format_unit(format, wide, ++*at))
		if (value < 100000000)
			value = (value < 0 ? 0 : value) * 10 + (c - '0');
	return value;
}

/* The size in front of a type: a letter of struct etw_spec */
static inline char etw_format_size(const void *format, int wide, size_t *at)
{
	WCHAR c = etw_format_unit(format, wide, *at);
	WCHAR next = c ? etw_format_unit(format, wide, *at + 1) : 0;

	if (!c || c > 0x7F || !strchr("hlLwIqjzt", (char)c))
		return 0;
	(*at)++;
	if (c == 'I' && ((next == '6' && etw_format_unit(format, wide, *at + 1) == '4') ||
			 (next == '3' && etw_format_unit(format, wide, *at + 1) == '2'))) {
		*at += 2;
		return next == '6' ? 'q' : 0;
	}
	if ((c == 'h' || c == 'l') && next == c) {
		(*at)++;
		return c == 'h' ? 'b' : 'q';
	}
	return c == 'w' ? 'l' : c == 'j' ? 'q' : c == 'I' || c == 'z' || c == 't' ? 'p' : (char)c;
}

/* The specification behind the % at *at, which moves behind it */
static inline void etw_format_spec(struct etw_spec *spec, const void *format, int wide, size_t *at,
				   struct etw_args *args)
{
	size_t flags = 0;
	WCHAR c;

	memset(spec, 0, sizeof(*spec));
	for (; (c = etw_format_unit(format, wide, *at)) && c < 0x80 && strchr("-+ 0#", (char)c);
	     (*at)++)
		if (!strchr(spec->flags, (char)c))
			spec->flags[flags++] = (char)c;
	spec->width = etw_format_number(format, wide, at, args, 0);
	if (spec->width < 0) {
		if (!strchr(spec->flags, '-'))
			spec->flags[flags] = '-';
		spec->width = spec->width == INT32_MIN ? 0 : -spec->width;
	}
	spec->precision = -1;
	if (etw_format_unit(format, wide, *at) == '.') {
		(*at)++;
		spec->precision = etw_format_number(format, wide, at, args, 0);
	}
	spec->size = etw_format_size(format, wide, at);
	c = etw_format_unit(format, wide, *at);
	if (c && c < 0x80)
		spec->type = (char)c;
	if (c)
		(*at)++;
	/* The two meanings of L: a long double, and 64 bits */
	if (spec->size == 'L' && spec->type && strchr("diuoxX", spec->type))
		spec->size = 'q';
}

/* @format is as wide as @out. */
static inline void etw_out_format(struct etw_out *out, const void *format, struct etw_args *args)
{
	size_t at = 0;
	WCHAR c;

	if (!format)
		out->error = EINVAL;
	while (!out->error && (c = etw_format_unit(format, out->wide, at)) != 0) {
		struct etw_spec spec;

		at++;
		if (c != '%' || etw_format_unit(format, out->wide, at) == '%') {
			etw_out_unit(out, c);
			at += c == '%';
			continue;
		}
		etw_format_spec(&spec, format, out->wide, &at, args);
		if (!etw_out_value(out, &spec, args) && !out->error)
			out->error = EINVAL;
	}
}

/* ----------------------------------------------------- to a stream or a buffer */

static inline int etw_print_stream(FILE *stream, int wide, const void *format, va_list list)
{
	struct etw_out out = { NULL, 0, 0, wide, 0 };
	struct etw_args args;
	char *text = NULL;
	size_t size;

	va_copy(args.list, list);
	etw_out_format(&out, format, &args);
	va_end(args.list);
	if (!out.error)
		text = (char *)malloc(3 * out.count + 1);
	if (!text) {
		errno = out.error ? out.error : ENOMEM;
		free(out.units);
		return -1;
	}
	size = wide ? etw_narrow_units(text, out.units, out.count) : out.count;
	for (size_t i = 0; !wide && i < size; i++)
		text[i] = (char)out.units[i];
	if (fwrite(text, 1, size, stream) != size)
		out.count = (size_t)-1;
	free(text);
	free(out.units);
	return (int)out.count;
}

/* Terminates the text, cut to @size; the whole length, or -1 */
static inline int etw_print_buffer(void *buffer, size_t size, int wide, const void *format,
				   va_list list)
{
	struct etw_out out = { NULL, 0, 0, wide, 0 };
	struct etw_args args;
	size_t i, n;

	va_copy(args.list, list);
	etw_out_format(&out, format, &args);
	va_end(args.list);
	n = out.error ? 0 : out.count < size ? out.count : size - 1;
	for (i = 0; size && i < n; i++) {
		if (wide)
			((WCHAR *)buffer)[i] = out.units[i];
		else
			((char *)buffer)[i] = (char)out.units[i];
	}
	if (size && wide)
		((WCHAR *)buffer)[n] = 0;
	else if (size)
		((char *)buffer)[n] = 0;
	free(out.units);
	if (!out.error)
		return (int)out.count;
	errno = out.error;
	return -1;
}

/* The same; -1 also if the text was cut */
static inline int etw_print_whole(void *buffer, size_t size, int wide, const void *format,
				  va_list list)
{
	int n = etw_print_buffer(buffer, size, wide, format, list);

	return n >= 0 && (size_t)n >= size ? -1 : n;
}

/* For names that end in _s; at most @max characters, or, if that is _TRUNCATE, what fits */
static inline int etw_print_safe(void *buffer, size_t size, size_t max, int wide,
				 const void *format, va_list list)
{
	int n;

	if (!buffer || !size) {
		errno = EINVAL;
		return -1;
	}
	n = etw_print_whole(buffer, max < size ? max + 1 : size, wide, format, list);
	if (n < 0 && max >= size && max != _TRUNCATE) {
		memset(buffer, 0, wide ? sizeof(WCHAR) : 1);
		errno = ERANGE;
	}
	return n;
}

/* name(parameters, format, ...) that calls vname(arguments, format, list) */
#define ETW_PRINT_PAIR(name, vname, unit, parameters, arguments, body)		\
	static inline int vname(ETW_UNPACK parameters const unit *format, va_list list) \
	{									\
		return body;							\
	}									\
	static inline int name(ETW_UNPACK parameters const unit *format, ...)	\
	{									\
		va_list list;							\
		int n;								\
										\
		va_start(list, format);						\
		n = vname(ETW_UNPACK arguments format, list);			\
		va_end(list);							\
		return n;							\
	}
#define ETW_UNPACK(...)		__VA_ARGS__

ETW_PRINT_PAIR(etw_wprintf, etw_vwprintf, WCHAR, (), (),
	       etw_print_stream(stdout, 1, format, list))
ETW_PRINT_PAIR(etw_fwprintf, etw_vfwprintf, WCHAR, (FILE *stream,), (stream,),
	       etw_print_stream(stream, 1, format, list))
ETW_PRINT_PAIR(etw_swprintf, etw_vswprintf, WCHAR, (WCHAR *buffer, size_t size,),
	       (buffer, size,), etw_print_whole(buffer, size, 1, format, list))
ETW_PRINT_PAIR(_swprintf, _vswprintf, WCHAR, (WCHAR *buffer,), (buffer,),
	       etw_print_buffer(buffer, SIZE_MAX, 1, format, list))
ETW_PRINT_PAIR(etw_printf, etw_vprintf, char, (), (),
	       etw_print_stream(stdout, 0, format, list))
ETW_PRINT_PAIR(etw_fprintf, etw_vfprintf, char, (FILE *stream,), (stream,),
	       etw_print_stream(stream, 0, format, list))
ETW_PRINT_PAIR(etw_sprintf, etw_vsprintf, char, (char *buffer,), (buffer,),
	       etw_print_buffer(buffer, SIZE_MAX, 0, format, list))
ETW_PRINT_PAIR(etw_snprintf, etw_vsnprintf, char, (char *buffer, size_t size,), (buffer, size,),
	       etw_print_buffer(buffer, size, 0, format, list))

/* Unlike on Windows, these two terminate what they cut. */
ETW_PRINT_PAIR(_snwprintf, _vsnwprintf, WCHAR, (WCHAR *buffer, size_t size,), (buffer, size,),
	       etw_print_whole(buffer, size, 1, format, list))
ETW_PRINT_PAIR(_snprintf, _vsnprintf, char, (char *buffer, size_t size,), (buffer, size,),
	       etw_print_whole(buffer, size, 0, format, list))
ETW_PRINT_PAIR(swprintf_s, vswprintf_s, WCHAR, (WCHAR *buffer, size_t size,), (buffer, size,),
	       etw_print_safe(buffer, size, size, 1, format, list))
ETW_PRINT_PAIR(sprintf_s, vsprintf_s, char, (char *buffer, size_t size,), (buffer, size,),
	       etw_print_safe(buffer, size, size, 0, format, list))
ETW_PRINT_PAIR(_snwprintf_s, _vsnwprintf_s, WCHAR, (WCHAR *buffer, size_t size, size_t max,),
	       (buffer, size, max,), etw_print_safe(buffer, size, max, 1, format, list))
ETW_PRINT_PAIR(_snprintf_s, _vsnprintf_s, char, (char *buffer, size_t size, size_t max,),
	       (buffer, size, max,), etw_print_safe(buffer, size, max, 0, format, list))

/* Only count the characters. */
ETW_PRINT_PAIR(_scwprintf, _vscwprintf, WCHAR, (), (), etw_print_buffer(NULL, 0, 1, format, list))
ETW_PRINT_PAIR(_scprintf, _vscprintf, char, (), (), etw_print_buffer(NULL, 0, 0, format, list))

/* ------------------------------------------------------------------ reading */

/* The type at *at, of a set its whole: copied to @to, and the bytes of it; 0: not narrow text */
static inline size_t etw_scan_type(char *to, const char *from, char size)
{
	size_t n = 1;

	if (!from[0] || (strchr("sc[", from[0]) && size == 'l') ||
	    (strchr("SC", from[0]) && size != 'h') || !strchr("sSc[CdiouxXpnaAeEfFgG", from[0]))
		return 0;
	if (from[0] == '[') {
		n += from[n] == '^';
		n += from[n] == ']';
		while (from[n] && from[n] != ']')
			n++;
		if (!from[n++])
			return 0;
	}
	memcpy(to, from, n);
	if (from[0] == 'S' || from[0] == 'C')
		to[0] = from[0] == 'S' ? 's' : 'c';
	return n;
}

/* The size for the C library: its long is not Microsoft's */
static inline const char *etw_scan_size(char size, char type)
{
	if (strchr("aAeEfFgG", type))
		return size == 'l' ? "l" : size == 'L' ? "L" : "";
	if (strchr("sSc[Cp", type))
		return "";
	return size == 'q' || size == 'p' || size == 'L' ? "ll" : size == 'b' ? "hh" :
	       size == 'h' ? "h" : "";
}

/* Microsoft's format in the C library's words; the caller must free() it; NULL: errno says why */
static inline char *etw_scan_format(const char *format)
{
	char *text = (char *)malloc(2 * strlen(format) + 1), *to = text;
	size_t at = 0, n;

	if (!text)
		return NULL;
	while (format[at]) {
		const char *words;
		char size;

		if (format[at] != '%' || format[at + 1] == '%') {
			if (format[at] == '%')
				*to++ = format[at++];
			*to++ = format[at++];
			continue;
		}
		do
			*to++ = format[at++];
		while (format[at] == '*' || (format[at] >= '0' && format[at] <= '9'));
		size = etw_format_size(format, 0, &at);
		words = etw_scan_size(size, format[at]);
		memcpy(to, words, strlen(words));
		to += strlen(words);
		n = etw_scan_type(to, format + at, size);
		if (!n) {
			free(text);
			errno = EINVAL;
			return NULL;
		}
		to += n;
		at += n;
	}
	*to = 0;
	return text;
}

/* From the string @s, or from @stream if that is NULL */
static inline int etw_scan(const char *s, FILE *stream, const char *format, va_list list)
{
	char *text = etw_scan_format(format);
	int n = !text ? -1 : s ? vsscanf(s, text, list) : vfscanf(stream, text, list);

	free(text);
	return n;
}

ETW_PRINT_PAIR(etw_scanf, etw_vscanf, char, (), (), etw_scan(NULL, stdin, format, list))
ETW_PRINT_PAIR(etw_fscanf, etw_vfscanf, char, (FILE *stream,), (stream,),
	       etw_scan(NULL, stream, format, list))
ETW_PRINT_PAIR(etw_sscanf, etw_vsscanf, char, (const char *s,), (s,),
	       etw_scan(s, NULL, format, list))

/* Files as there; the string is not followed by a line end, except with _putws(). */
static inline int etw_fputws(const WCHAR *s, FILE *stream)
{
	return etw_fwprintf(stream, ETW_WIDE("%ls"), s) < 0 ? -1 : 0;
}

static inline int _putws(const WCHAR *s)
{
	return etw_wprintf(ETW_WIDE("%ls\n"), s) < 0 ? -1 : 0;
}

static inline int etw_putwc(WCHAR c, FILE *stream)
{
	return etw_fwprintf(stream, ETW_WIDE("%lc"), c) < 0 ? -1 : c;
}

static inline FILE *_wfopen(const WCHAR *path, const WCHAR *mode)
{
	char *name = etw_narrow(path), how[16];
	FILE *file;

	etw_wcs_ascii(mode, how, sizeof(how));
	how[strcspn(how, ",")] = 0;	/* of "rt, ccs=UTF-8" */
	file = name ? fopen(name, how) : NULL;
	free(name);
	return file;
}

/*
 * Without ".", ".." and double slashes; it need not exist.  @to NULL: to be freed.  @path NULL or
 * empty: the current directory.  Returns NULL: too long
 */
static inline char *_fullpath(char *to, const char *path, size_t size)
{
	char *whole, *out, *at, *result = NULL;

	if (!path)
		path = "";
	whole = (char *)malloc(4096 + strlen(path) + 2);
	if (!whole || (path[0] != '/' && !getcwd(whole, 4096))) {
		free(whole);
		return NULL;
	}
	if (path[0] == '/')
		strcpy(whole, path);
	else
		strcat(strcat(whole, "/"), path);
	for (at = out = whole; *at; ) {
		size_t n = 1 + strcspn(at + 1, "/");

		if (n == 3 && !memcmp(at, "/..", 3)) {
			while (out > whole && *--out != '/')
				;
		} else if (n > 1 && !(n == 2 && at[1] == '.')) {
			memmove(out, at, n);
			out += n;
		}
		at += n;
	}
	if (out == whole)
		*out++ = '/';
	*out = 0;
	if (to && (size_t)(out - whole) >= size)
		errno = ERANGE;
	else
		result = to ? strcpy(to, whole) : whole;
	if (result != whole)
		free(whole);
	return result;
}

static inline WCHAR *_wfullpath(WCHAR *to, const WCHAR *path, size_t size)
{
	char *name = path ? etw_narrow(path) : NULL;
	char *whole = name || !path ? _fullpath(NULL, name, 0) : NULL;
	WCHAR *wide = whole ? etw_widen(whole) : NULL, *result = wide;

	if (wide && to) {
		result = etw_wcslen(wide) < size ? etw_wcscpy(to, wide) : NULL;
		errno = result ? errno : ERANGE;
		free(wide);
	}
	free(whole);
	free(name);
	return result;
}

static inline errno_t _wfopen_s(FILE **file, const WCHAR *path, const WCHAR *mode)
{
	*file = _wfopen(path, mode);
	return *file ? 0 : errno;
}

static inline errno_t fopen_s(FILE **file, const char *path, const char *mode)
{
	*file = fopen(path, mode);
	return *file ? 0 : errno;
}

ETW_END_DECLS

#ifdef __cplusplus
extern "C++" {

/* The size of an array need not be given. */
template <size_t N> inline int swprintf_s(WCHAR (&buffer)[N], const WCHAR *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = vswprintf_s(buffer, N, format, list);
	va_end(list);
	return n;
}

template <size_t N> inline int sprintf_s(char (&buffer)[N], const char *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = vsprintf_s(buffer, N, format, list);
	va_end(list);
	return n;
}

}
#endif

#if __SIZEOF_WCHAR_T__ == 2

#ifdef __cplusplus
/* For std::printf() and the like, which the macros below turn into std::etw_printf() */
namespace std {
using ::etw_wprintf;
using ::etw_vwprintf;
using ::etw_fwprintf;
using ::etw_vfwprintf;
using ::etw_swprintf;
using ::etw_vswprintf;
using ::etw_printf;
using ::etw_vprintf;
using ::etw_fprintf;
using ::etw_vfprintf;
using ::etw_sprintf;
using ::etw_vsprintf;
using ::etw_snprintf;
using ::etw_vsnprintf;
using ::etw_scanf;
using ::etw_vscanf;
using ::etw_fscanf;
using ::etw_vfscanf;
using ::etw_sscanf;
using ::etw_vsscanf;
using ::etw_fputws;
using ::etw_putwc;
}
#endif

#define wprintf(...)	etw_wprintf(__VA_ARGS__)
#define vwprintf(...)	etw_vwprintf(__VA_ARGS__)
#define fwprintf(...)	etw_fwprintf(__VA_ARGS__)
#define vfwprintf(...)	etw_vfwprintf(__VA_ARGS__)
#define swprintf(...)	etw_swprintf(__VA_ARGS__)
#define vswprintf(...)	etw_vswprintf(__VA_ARGS__)
#define printf(...)	etw_printf(__VA_ARGS__)
#define vprintf(...)	etw_vprintf(__VA_ARGS__)
#define fprintf(...)	etw_fprintf(__VA_ARGS__)
#define vfprintf(...)	etw_vfprintf(__VA_ARGS__)
#define sprintf(...)	etw_sprintf(__VA_ARGS__)
#define vsprintf(...)	etw_vsprintf(__VA_ARGS__)
#define snprintf(...)	etw_snprintf(__VA_ARGS__)
#define vsnprintf(...)	etw_vsnprintf(__VA_ARGS__)
#define scanf(...)	etw_scanf(__VA_ARGS__)
#define vscanf(...)	etw_vscanf(__VA_ARGS__)
#define fscanf(...)	etw_fscanf(__VA_ARGS__)
#define vfscanf(...)	etw_vfscanf(__VA_ARGS__)
#define sscanf(...)	etw_sscanf(__VA_ARGS__)
#define vsscanf(...)	etw_vsscanf(__VA_ARGS__)
#define fputws(...)	etw_fputws(__VA_ARGS__)
#define fputwc(...)	etw_putwc(__VA_ARGS__)
#define putwc(...)	etw_putwc(__VA_ARGS__)
#define putwchar(c)	etw_putwc(c, stdout)

/* A long of these formats has 32 bits, so all 64 bits of <inttypes.h> are "ll". */
#undef __PRI64_PREFIX
#undef __PRIPTR_PREFIX
#define __PRI64_PREFIX		"ll"
#define __PRIPTR_PREFIX		"ll"

#endif

#endif /* ETW_WIN32_WINSTDIO_H */
