/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sysinfoapi.h - clocks, and the version of Windows whose ETW this is
 *
 * QueryPerformanceCounter() counts nanoseconds of CLOCK_MONOTONIC.  A session's own clock
 * may be another one; convert an event's time with the header of its trace.
 *
 * Semantics: Microsoft's pages of the functions.
 */
#include <windows.h>	/* which includes this header where it belongs */

#ifndef ETW_WIN32_SYSINFOAPI_H
#define ETW_WIN32_SYSINFOAPI_H

#include <time.h>

ETW_BEGIN_DECLS

#if defined(__STRICT_ANSI__) && !defined(__cplusplus)
/* time.h hides these in this mode. */
extern int clock_gettime(__clockid_t clock, struct timespec *now);
extern struct tm *gmtime_r(const time_t *now, struct tm *fields);
extern struct tm *localtime_r(const time_t *now, struct tm *fields);
#endif

#define ETW_FILETIME_1970	116444736000000000ull	/* 100 ns units */

static inline ULONGLONG etw_filetime_value(const FILETIME *time)
{
	return (ULONGLONG)time->dwHighDateTime << 32 | time->dwLowDateTime;
}

static inline VOID etw_filetime_set(FILETIME *time, ULONGLONG value)
{
	time->dwLowDateTime = (DWORD)value;
	time->dwHighDateTime = (DWORD)(value >> 32);
}

static inline VOID GetSystemTimePreciseAsFileTime(LPFILETIME lpSystemTimeAsFileTime)
{
	struct timespec now;

	clock_gettime(0 /* CLOCK_REALTIME */, &now);
	etw_filetime_set(lpSystemTimeAsFileTime,
			 ETW_FILETIME_1970 + (ULONGLONG)now.tv_sec * 10000000 +
			 (ULONGLONG)now.tv_nsec / 100);
}

static inline VOID GetSystemTimeAsFileTime(LPFILETIME lpSystemTimeAsFileTime)
{
	GetSystemTimePreciseAsFileTime(lpSystemTimeAsFileTime);
}

static inline BOOL QueryPerformanceCounter(LARGE_INTEGER *lpPerformanceCount)
{
	struct timespec now;

	clock_gettime(1 /* CLOCK_MONOTONIC */, &now);
	lpPerformanceCount->QuadPart = (LONGLONG)now.tv_sec * 1000000000 + now.tv_nsec;
	return TRUE;
}

static inline BOOL QueryPerformanceFrequency(LARGE_INTEGER *lpFrequency)
{
	lpFrequency->QuadPart = 1000000000;
	return TRUE;
}

static inline ULONGLONG GetTickCount64(void)
{
	LARGE_INTEGER now;

	QueryPerformanceCounter(&now);
	return (ULONGLONG)now.QuadPart / 1000000;
}

static inline DWORD GetTickCount(void)
{
	return (DWORD)GetTickCount64();
}

/* -------------------------------------------------------- times and dates */

static inline VOID etw_systemtime(LPSYSTEMTIME out, const struct tm *tm, WORD milliseconds)
{
	out->wYear = (WORD)(tm->tm_year + 1900);
	out->wMonth = (WORD)(tm->tm_mon + 1);
	out->wDayOfWeek = (WORD)tm->tm_wday;
	out->wDay = (WORD)tm->tm_mday;
	out->wHour = (WORD)tm->tm_hour;
	out->wMinute = (WORD)tm->tm_min;
	out->wSecond = (WORD)tm->tm_sec;
	out->wMilliseconds = milliseconds;
}

/* Seconds since 1970 at the start of the second, and the milliseconds in it */
static inline time_t etw_filetime_seconds(const FILETIME *time, WORD *milliseconds)
{
	ULONGLONG value = etw_filetime_value(time);

	*milliseconds = (WORD)(value / 10000 % 1000);
	return (time_t)(value / 10000000) - (time_t)(ETW_FILETIME_1970 / 10000000);
}

static inline BOOL FileTimeToSystemTime(const FILETIME *lpFileTime, LPSYSTEMTIME lpSystemTime)
{
	WORD milliseconds;
	time_t seconds = etw_filetime_seconds(lpFileTime, &milliseconds);
	struct tm tm;

	if (etw_filetime_value(lpFileTime) >> 63 || !gmtime_r(&seconds, &tm)) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return FALSE;
	}
	etw_systemtime(lpSystemTime, &tm, milliseconds);
	return TRUE;
}

/* Days since 1970-01-01 of a date of the Gregorian calendar */
static inline LONGLONG etw_days(LONGLONG year, LONGLONG month, LONGLONG day)
{
	year -= month <= 2;
	month += month <= 2 ? 9 : -3;	/* March is 0, so that leap days end a year */
	return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day -
	       719469;
}

static inline BOOL SystemTimeToFileTime(const SYSTEMTIME *lpSystemTime, LPFILETIME lpFileTime)
{
	const SYSTEMTIME *t = lpSystemTime;
	LONGLONG days = etw_days(t->wYear, t->wMonth, t->wDay);
	SYSTEMTIME back;

	etw_filetime_set(lpFileTime,
			 ETW_FILETIME_1970 +
			 (ULONGLONG)((((days * 24 + t->wHour) * 60 + t->wMinute) * 60 +
				      t->wSecond) * 1000 + t->wMilliseconds) * 10000);
	/* A date that does not exist comes back as another one. */
	if (t->wYear < 1601 || t->wHour > 23 || t->wMinute > 59 || t->wSecond > 59 ||
	    t->wMilliseconds > 999 || !FileTimeToSystemTime(lpFileTime, &back) ||
	    back.wMonth != t->wMonth || back.wDay != t->wDay) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return FALSE;
	}
	return TRUE;
}

/* By today's offset from UTC, as on Windows */
static inline BOOL FileTimeToLocalFileTime(const FILETIME *lpFileTime,
					   LPFILETIME lpLocalFileTime)
{
	time_t now = time(NULL);
	struct tm utc, local;
	LONGLONG offset;

	gmtime_r(&now, &utc);
	localtime_r(&now, &local);
	offset = etw_days(local.tm_year + 1900, local.tm_mon + 1, local.tm_mday) -
		 etw_days(utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
	offset = ((offset * 24 + local.tm_hour - utc.tm_hour) * 60 + local.tm_min -
		  utc.tm_min) * 60;
	etw_filetime_set(lpLocalFileTime,
			 etw_filetime_value(lpFileTime) + (ULONGLONG)(offset * 10000000));
	return TRUE;
}

/* Only the zone of this machine, which is NULL */
static inline BOOL SystemTimeToTzSpecificLocalTime(const TIME_ZONE_INFORMATION *lpTimeZone,
						   const SYSTEMTIME *lpUniversalTime,
						   LPSYSTEMTIME lpLocalTime)
{
	WORD milliseconds;
	FILETIME time;
	time_t seconds;
	struct tm tm;

	if (lpTimeZone || !SystemTimeToFileTime(lpUniversalTime, &time)) {
		SetLastError(lpTimeZone ? ERROR_NOT_SUPPORTED : ERROR_INVALID_PARAMETER);
		return FALSE;
	}
	seconds = etw_filetime_seconds(&time, &milliseconds);
	localtime_r(&seconds, &tm);
	etw_systemtime(lpLocalTime, &tm, milliseconds);
	return TRUE;
}

static inline LONG CompareFileTime(const FILETIME *lpFileTime1, const FILETIME *lpFileTime2)
{
	ULONGLONG a = etw_filetime_value(lpFileTime1), b = etw_filetime_value(lpFileTime2);

	return a < b ? -1 : a > b;
}

static inline VOID GetSystemTime(LPSYSTEMTIME lpSystemTime)
{
	FILETIME now;

	GetSystemTimeAsFileTime(&now);
	FileTimeToSystemTime(&now, lpSystemTime);
}

static inline VOID GetLocalTime(LPSYSTEMTIME lpSystemTime)
{
	SYSTEMTIME now;

	GetSystemTime(&now);
	SystemTimeToTzSpecificLocalTime(NULL, &now, lpSystemTime);
}

/* ---------------------------------------------------------------- version */

#define VER_PLATFORM_WIN32_NT	2

typedef struct _OSVERSIONINFOA {
	DWORD dwOSVersionInfoSize;
	DWORD dwMajorVersion;
	DWORD dwMinorVersion;
	DWORD dwBuildNumber;
	DWORD dwPlatformId;
	CHAR szCSDVersion[128];
} OSVERSIONINFOA, *POSVERSIONINFOA, *LPOSVERSIONINFOA;

typedef struct _OSVERSIONINFOW {
	DWORD dwOSVersionInfoSize;
	DWORD dwMajorVersion;
	DWORD dwMinorVersion;
	DWORD dwBuildNumber;
	DWORD dwPlatformId;
	WCHAR szCSDVersion[128];
} OSVERSIONINFOW, *POSVERSIONINFOW, *LPOSVERSIONINFOW, RTL_OSVERSIONINFOW;

typedef struct _OSVERSIONINFOEXA {
	DWORD dwOSVersionInfoSize;
	DWORD dwMajorVersion;
	DWORD dwMinorVersion;
	DWORD dwBuildNumber;
	DWORD dwPlatformId;
	CHAR szCSDVersion[128];
	WORD wServicePackMajor;
	WORD wServicePackMinor;
	WORD wSuiteMask;
	BYTE wProductType;
	BYTE wReserved;
} OSVERSIONINFOEXA, *POSVERSIONINFOEXA, *LPOSVERSIONINFOEXA;

typedef struct _OSVERSIONINFOEXW {
	DWORD dwOSVersionInfoSize;
	DWORD dwMajorVersion;
	DWORD dwMinorVersion;
	DWORD dwBuildNumber;
	DWORD dwPlatformId;
	WCHAR szCSDVersion[128];
	WORD wServicePackMajor;
	WORD wServicePackMinor;
	WORD wSuiteMask;
	BYTE wProductType;
	BYTE wReserved;
} OSVERSIONINFOEXW, *POSVERSIONINFOEXW, *LPOSVERSIONINFOEXW;

/* Windows 10: what a program that asks wants to know is which of ETW's functions exist. */
static inline BOOL etw_version(DWORD *info, DWORD small, DWORD large)
{
	DWORD size = info[0];

	if (size != small && size != large) {
		SetLastError(ERROR_INSUFFICIENT_BUFFER);
		return FALSE;
	}
	memset(info, 0, size);
	info[0] = size;
	info[1] = 10;
	info[3] = 19045;
	info[4] = VER_PLATFORM_WIN32_NT;
	return TRUE;
}

static inline BOOL GetVersionExA(LPOSVERSIONINFOA lpVersionInformation)
{
	return etw_version(&lpVersionInformation->dwOSVersionInfoSize, sizeof(OSVERSIONINFOA),
			   sizeof(OSVERSIONINFOEXA));
}

static inline BOOL GetVersionExW(LPOSVERSIONINFOW lpVersionInformation)
{
	return etw_version(&lpVersionInformation->dwOSVersionInfoSize, sizeof(OSVERSIONINFOW),
			   sizeof(OSVERSIONINFOEXW));
}

ETW_END_DECLS

#ifdef UNICODE
#define GetVersionEx		GetVersionExW
typedef OSVERSIONINFOW OSVERSIONINFO, *POSVERSIONINFO, *LPOSVERSIONINFO;
typedef OSVERSIONINFOEXW OSVERSIONINFOEX, *POSVERSIONINFOEX, *LPOSVERSIONINFOEX;
#else
#define GetVersionEx		GetVersionExA
typedef OSVERSIONINFOA OSVERSIONINFO, *POSVERSIONINFO, *LPOSVERSIONINFO;
typedef OSVERSIONINFOEXA OSVERSIONINFOEX, *POSVERSIONINFOEX, *LPOSVERSIONINFOEX;
#endif

#endif /* ETW_WIN32_SYSINFOAPI_H */
