/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tchar.h - names that are wide or narrow by _UNICODE: strings and their functions
 *
 * Those of wide strings are in <wchar16.h>, and exist with -fshort-wchar.
 */
#ifndef ETW_WIN32_TCHAR_H
#define ETW_WIN32_TCHAR_H

#include <windows.h>

typedef TCHAR _TCHAR;

#ifdef _UNICODE
#define _T(s)		ETW_WIDE(s)
#define _tcslen		etw_wcslen
#define _tcsnlen	etw_wcsnlen
#define _tcscpy		etw_wcscpy
#define _tcsncpy	etw_wcsncpy
#define _tcscat		etw_wcscat
#define _tcscmp		etw_wcscmp
#define _tcsncmp	etw_wcsncmp
#define _tcsicmp	etw_wcsicmp
#define _tcsnicmp	etw_wcsnicmp
#define _tcschr		etw_wcschr
#define _tcsrchr	etw_wcsrchr
#define _tcsstr		etw_wcsstr
#define _tcsdup		etw_wcsdup
#else
#define _T(s)		s
#define _tmain		main
#define _tprintf	printf
#define _ftprintf	fprintf
#define _tcslen		strlen
#define _tcsnlen	strnlen
#define _tcscpy		strcpy
#define _tcsncpy	strncpy
#define _tcscat		strcat
#define _tcscmp		strcmp
#define _tcsncmp	strncmp
#define _tcsicmp	strcasecmp
#define _tcsnicmp	strncasecmp
#define _tcschr		strchr
#define _tcsrchr	strrchr
#define _tcsstr		strstr
#define _tcsdup		etw_strdup
#define _tstoi		atoi
#define _ttoi		atoi
#define _tcstoul	strtoul
#endif
#define _TEXT(s)	_T(s)

#endif /* ETW_WIN32_TCHAR_H */
