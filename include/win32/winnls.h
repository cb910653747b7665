/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * winnls.h - GetDateFormat(), GetTimeFormat(): the parts of a SYSTEMTIME by a picture
 *
 * Names of days and months are English, whatever the locale is.
 *
 * Semantics: Microsoft's pages "GetDateFormatW function", "GetTimeFormatW function" and
 * "Day, Month, Year, and Era Format Pictures".
 */
#include <windows.h>	/* which includes this header where it belongs */

#ifndef ETW_WIN32_WINNLS_H
#define ETW_WIN32_WINNLS_H

ETW_BEGIN_DECLS

#define LOCALE_NEUTRAL		MAKELCID(MAKELANGID(LANG_NEUTRAL, SUBLANG_NEUTRAL), 0)
#define LOCALE_USER_DEFAULT	0x0400
#define LOCALE_SYSTEM_DEFAULT	0x0800
#define LOCALE_INVARIANT	0x007F
#define DATE_SHORTDATE		0x00000001
#define DATE_LONGDATE		0x00000002
#define TIME_NOMINUTESORSECONDS	0x00000001
#define TIME_NOSECONDS		0x00000002
#define TIME_NOTIMEMARKER	0x00000004
#define TIME_FORCE24HOURFORMAT	0x00000008

static inline void etw_out_number_of(struct etw_out *out, unsigned int value, int digits)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%0*u", digits, value);

	etw_out_bytes(out, text, (size_t)n);
}

/* The first @length characters of the name */
static inline void etw_out_name(struct etw_out *out, const char *name, size_t length)
{
	etw_out_bytes(out, name, length < strlen(name) ? length : strlen(name));
}

static inline void etw_out_date(struct etw_out *out, const SYSTEMTIME *t, WCHAR letter, int count)
{
	static const char days[7][10] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday",
					  "Friday", "Saturday" };
	static const char months[12][10] = { "January", "February", "March", "April", "May",
					     "June", "July", "August", "September", "October",
					     "November", "December" };

	if (letter == 'y')
		etw_out_number_of(out, count > 2 ? t->wYear : t->wYear % 100u, count < 4 ? count : 4);
	else if (count < 3)
		etw_out_number_of(out, letter == 'd' ? t->wDay : t->wMonth, count);
	else if (letter == 'd')
		etw_out_name(out, days[t->wDayOfWeek], count == 3 ? 3 : 10);
	else
		etw_out_name(out, months[t->wMonth - 1], count == 3 ? 3 : 10);
}

static inline void etw_out_clock(struct etw_out *out, const SYSTEMTIME *t, WCHAR letter, int count)
{
	if (letter == 't')
		etw_out_name(out, t->wHour < 12 ? "AM" : "PM", (size_t)count);
	else
		etw_out_number_of(out, letter == 'H' ? t->wHour :
				  letter == 'h' ? (t->wHour + 11u) % 12 + 1 :
				  letter == 'm' ? t->wMinute : t->wSecond, count < 2 ? 1 : 2);
}

/* Text in single quotes is copied; two of them in it are one. */
static inline void etw_out_picture(struct etw_out *out, const SYSTEMTIME *t, LPCWSTR picture,
				   const char *letters)
{
	int quoted = 0;

	while (*picture && !out->error) {
		WCHAR c = *picture++;
		int count = 1;

		if (c == '\'') {
			if (quoted && *picture == '\'')
				etw_out_wide(out, picture++, 1);
			else
				quoted = !quoted;
			continue;
		}
		if (quoted || c >= 0x80 || !strchr(letters, (char)c)) {
			etw_out_wide(out, &c, 1);
			continue;
		}
		for (; *picture == c; picture++)
			count++;
		if (letters[0] == 'd')
			etw_out_date(out, t, c, count);
		else
			etw_out_clock(out, t, c, count);
	}
}

/*
 * The parts that are printed, in @to: of a date with the right day of the week, whatever @from
 * has there and as its time; of a time nothing else.  FALSE: a part is out of its range.
 */
static inline BOOL etw_time_parts(const SYSTEMTIME *from, BOOL date, SYSTEMTIME *to)
{
	FILETIME file;

	memset(to, 0, sizeof(*to));
	if (date) {
		to->wYear = from->wYear;
		to->wMonth = from->wMonth;
		to->wDay = from->wDay;
		return SystemTimeToFileTime(to, &file) && FileTimeToSystemTime(&file, to);
	}
	to->wHour = from->wHour;
	to->wMinute = from->wMinute;
	to->wSecond = from->wSecond;
	return from->wHour <= 23 && from->wMinute <= 59 && from->wSecond <= 59 &&
	       from->wMilliseconds <= 999;
}

/* Characters with the NUL; @cch 0: only count them.  Returns 0: failed */
static inline int etw_time_text(const SYSTEMTIME *time, LPCWSTR picture, const char *letters,
				LPWSTR to, int cch)
{
	struct etw_out out = { NULL, 0, 0, 1, 0 };
	SYSTEMTIME now, parts;
	int n;

	if (!time) {
		GetLocalTime(&now);
		time = &now;
	}
	if (cch < 0 || (cch && !to) || !etw_time_parts(time, letters[0] == 'd', &parts)) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return 0;
	}
	etw_out_picture(&out, &parts, picture, letters);
	n = out.error ? 0 : (int)out.count + 1;
	if (out.error || (cch && n > cch)) {
		SetLastError(out.error ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INSUFFICIENT_BUFFER);
		n = 0;
	} else if (cch) {
		if (out.count)
			memcpy(to, out.units, out.count * sizeof(WCHAR));
		to[out.count] = 0;
	}
	free(out.units);
	return n;
}

/* @lpFormat NULL: as in the United States, short or by DATE_LONGDATE long */
static inline int GetDateFormatW(LCID Locale, DWORD dwFlags, const SYSTEMTIME *lpDate,
				 LPCWSTR lpFormat, LPWSTR lpDateStr, int cchDate)
{
	UNREFERENCED_PARAMETER(Locale);
	if (!lpFormat)
		lpFormat = dwFlags & DATE_LONGDATE ? ETW_WIDE("dddd, MMMM d, yyyy") :
						     ETW_WIDE("M/d/yyyy");
	return etw_time_text(lpDate, lpFormat, "dMy", lpDateStr, cchDate);
}

/* @lpFormat NULL: as in the United States, changed by @dwFlags, which change no other format */
static inline int GetTimeFormatW(LCID Locale, DWORD dwFlags, const SYSTEMTIME *lpTime,
				 LPCWSTR lpFormat, LPWSTR lpTimeStr, int cchTime)
{
	static const WCHAR *const pictures[2][6] = {
		{ ETW_WIDE("h:mm:ss tt"), ETW_WIDE("h:mm tt"), ETW_WIDE("h tt"),
		  ETW_WIDE("h:mm:ss"), ETW_WIDE("h:mm"), ETW_WIDE("h") },
		{ ETW_WIDE("HH:mm:ss"), ETW_WIDE("HH:mm"), ETW_WIDE("HH"),
		  ETW_WIDE("HH:mm:ss"), ETW_WIDE("HH:mm"), ETW_WIDE("HH") },
	};
	int left_out = dwFlags & TIME_NOMINUTESORSECONDS ? 2 : dwFlags & TIME_NOSECONDS ? 1 : 0;

	UNREFERENCED_PARAMETER(Locale);
	if (!lpFormat)
		lpFormat = pictures[(dwFlags & TIME_FORCE24HOURFORMAT) != 0]
				   [left_out + (dwFlags & TIME_NOTIMEMARKER ? 3 : 0)];
	return etw_time_text(lpTime, lpFormat, "hHmst", lpTimeStr, cchTime);
}

/* The text of a W function as UTF-8 */
static inline int etw_time_narrow(WCHAR *wide, int n, LPSTR to, int cch)
{
	return n ? WideCharToMultiByte(CP_ACP, 0, wide, -1, to, cch, NULL, NULL) : 0;
}

static inline int GetDateFormatA(LCID Locale, DWORD dwFlags, const SYSTEMTIME *lpDate,
				 LPCSTR lpFormat, LPSTR lpDateStr, int cchDate)
{
	WCHAR *format = lpFormat ? etw_widen(lpFormat) : NULL, text[256];
	int n = GetDateFormatW(Locale, dwFlags, lpDate, format, text, 256);

	free(format);
	return etw_time_narrow(text, n, lpDateStr, cchDate);
}

static inline int GetTimeFormatA(LCID Locale, DWORD dwFlags, const SYSTEMTIME *lpTime,
				 LPCSTR lpFormat, LPSTR lpTimeStr, int cchTime)
{
	WCHAR *format = lpFormat ? etw_widen(lpFormat) : NULL, text[256];
	int n = GetTimeFormatW(Locale, dwFlags, lpTime, format, text, 256);

	free(format);
	return etw_time_narrow(text, n, lpTimeStr, cchTime);
}

ETW_END_DECLS

#ifdef UNICODE
#define GetDateFormat		GetDateFormatW
#define GetTimeFormat		GetTimeFormatW
#else
#define GetDateFormat		GetDateFormatA
#define GetTimeFormat		GetTimeFormatA
#endif

#endif /* ETW_WIN32_WINNLS_H */
