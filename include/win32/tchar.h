/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tchar.h - names that are wide or narrow by _UNICODE: strings and their functions
 *
 * Those of wide strings are in <wchar16.h> and <winstdio.h>.
 */
#ifndef ETW_WIN32_TCHAR_H
#define ETW_WIN32_TCHAR_H

#include <windows.h>

typedef TCHAR _TCHAR;

#ifdef _UNICODE
#define _T(s)		ETW_WIDE(s)
#define _tmain		wmain
#define _tprintf	etw_wprintf
#define _vtprintf	etw_vwprintf
#define _ftprintf	etw_fwprintf
#define _vftprintf	etw_vfwprintf
#define _stprintf	_swprintf
#define _vstprintf	_vswprintf
#define _stprintf_s	swprintf_s
#define _vstprintf_s	vswprintf_s
#define _sntprintf	_snwprintf
#define _sntprintf_s	_snwprintf_s
#define _vsntprintf	_vsnwprintf
#define _putts		_putws
#define _fputts		etw_fputws
#define _puttc		etw_putwc
#define _tfopen		_wfopen
#define _tfopen_s	_wfopen_s
#define _tfullpath	_wfullpath
#define _vsctprintf	_vscwprintf
#define _sctprintf	_scwprintf
#define _tcslen		etw_wcslen
#define _tcsnlen	etw_wcsnlen
#define _tcscpy		etw_wcscpy
#define _tcscpy_s	wcscpy_s
#define _tcsncpy	etw_wcsncpy
#define _tcsncpy_s	wcsncpy_s
#define _tcscat		etw_wcscat
#define _tcscat_s	wcscat_s
#define _tcsncat	etw_wcsncat
#define _tcsncat_s	wcsncat_s
#define _tcscmp		etw_wcscmp
#define _tcsncmp	etw_wcsncmp
#define _tcsicmp	etw_wcsicmp
#define _tcsnicmp	etw_wcsnicmp
#define _tcschr		etw_wcschr
#define _tcsrchr	etw_wcsrchr
#define _tcsstr		etw_wcsstr
#define _tcsspn		etw_wcsspn
#define _tcscspn	etw_wcscspn
#define _tcspbrk	etw_wcspbrk
#define _tcsdup		etw_wcsdup
#define _tstoi		_wtoi
#define _ttoi		_wtoi
#define _ttol		_wtol
#define _tstoi64	_wtoi64
#define _tcstol		etw_wcstol
#define _tcstoul	etw_wcstoul
#define _tcstoui64	etw_wcstoull
#define _tcstod		etw_wcstod
#else
#define _T(s)		s
#define _tmain		main
#define _tprintf	printf
#define _vtprintf	vprintf
#define _ftprintf	fprintf
#define _vftprintf	vfprintf
#define _stprintf	sprintf
#define _vstprintf	vsprintf
#define _stprintf_s	sprintf_s
#define _vstprintf_s	vsprintf_s
#define _sntprintf	_snprintf
#define _sntprintf_s	_snprintf_s
#define _vsntprintf	_vsnprintf
#define _putts		puts
#define _fputts		fputs
#define _puttc		putc
#define _tfopen		fopen
#define _tfopen_s	fopen_s
#define _tfullpath	_fullpath
#define _vsctprintf	_vscprintf
#define _sctprintf	_scprintf
#define _tcslen		strlen
#define _tcsnlen	etw_strnlen
#define _tcscpy		strcpy
#define _tcscpy_s	strcpy_s
#define _tcsncpy	strncpy
#define _tcsncpy_s	strncpy_s
#define _tcscat		strcat
#define _tcscat_s	strcat_s
#define _tcsncat	strncat
#define _tcsncat_s	strncat_s
#define _tcscmp		strcmp
#define _tcsncmp	strncmp
#define _tcsicmp	strcasecmp
#define _tcsnicmp	strncasecmp
#define _tcschr		strchr
#define _tcsrchr	strrchr
#define _tcsstr		strstr
#define _tcsspn		strspn
#define _tcscspn	strcspn
#define _tcspbrk	strpbrk
#define _tcsdup		etw_strdup
#define _tstoi		atoi
#define _ttoi		atoi
#define _ttol		atol
#define _tstoi64	atoll
#define _tcstol		strtol
#define _tcstoul	strtoul
#define _tcstoui64	strtoull
#define _tcstod		strtod
#endif
#define _TEXT(s)	_T(s)

#endif /* ETW_WIN32_TCHAR_H */
