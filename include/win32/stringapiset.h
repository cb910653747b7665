/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * stringapiset.h - conversion between WCHAR and narrow strings
 *
 * Every code page is UTF-8.  Wrong sequences become U+FFFD, or, with MB_ERR_INVALID_CHARS or
 * WC_ERR_INVALID_CHARS, fail with ERROR_NO_UNICODE_TRANSLATION.
 *
 * Semantics: Microsoft's pages "MultiByteToWideChar function" and "WideCharToMultiByte
 * function".
 */
#include <windows.h>	/* which includes this header where it belongs */

#ifndef ETW_WIN32_STRINGAPISET_H
#define ETW_WIN32_STRINGAPISET_H

ETW_BEGIN_DECLS

#define CP_ACP			0
#define CP_OEMCP		1
#define CP_THREAD_ACP		3
#define CP_UTF8			65001
#define MB_PRECOMPOSED		0x1
#define MB_ERR_INVALID_CHARS	0x8
#define WC_ERR_INVALID_CHARS	0x80
#define WC_NO_BEST_FIT_CHARS	0x400

/* The number of units that fit; all of them are counted if @to is NULL */
static inline int etw_convert_result(size_t count, const void *to, int size, int error)
{
	if (error || (to && count > (size_t)size)) {
		SetLastError(error ? ERROR_NO_UNICODE_TRANSLATION : ERROR_INSUFFICIENT_BUFFER);
		return 0;
	}
	return (int)count;
}

/* @cbMultiByte -1: up to and with the NUL.  Returns 0: failed */
static inline int MultiByteToWideChar(UINT CodePage, DWORD dwFlags, LPCSTR lpMultiByteStr,
				      int cbMultiByte, LPWSTR lpWideCharStr, int cchWideChar)
{
	size_t n, count = 0;
	int bad = 0;

	UNREFERENCED_PARAMETER(CodePage);
	if (!lpMultiByteStr || !cbMultiByte || cchWideChar < 0 || (cchWideChar && !lpWideCharStr)) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return 0;
	}
	n = cbMultiByte < 0 ? strlen(lpMultiByteStr) + 1 : (size_t)cbMultiByte;
	while (n) {
		char part[5] = { 0 };
		const char *at = part;
		WCHAR units[2];
		size_t i, some;

		memcpy(part, lpMultiByteStr, n < 4 ? n : 4);
		some = etw_utf16_put(units, etw_utf8_get(&at));
		/* A whole U+FFFD is three bytes, a wrong sequence is consumed byte by byte. */
		bad |= units[0] == 0xFFFD && at - part != 3;
		for (i = 0; i < some; i++, count++)
			if (cchWideChar && count < (size_t)cchWideChar)
				lpWideCharStr[count] = units[i];
		lpMultiByteStr += at - part;
		n -= (size_t)(at - part);
	}
	return etw_convert_result(count, cchWideChar ? lpWideCharStr : NULL, cchWideChar,
				  bad && dwFlags & MB_ERR_INVALID_CHARS);
}

/* @cchWideChar -1: up to and with the NUL.  Returns 0: failed */
static inline int WideCharToMultiByte(UINT CodePage, DWORD dwFlags, LPCWSTR lpWideCharStr,
				      int cchWideChar, LPSTR lpMultiByteStr, int cbMultiByte,
				      LPCSTR lpDefaultChar, LPBOOL lpUsedDefaultChar)
{
	size_t n, i = 0, count = 0;
	int bad = 0;

	UNREFERENCED_PARAMETER(CodePage);
	UNREFERENCED_PARAMETER(lpDefaultChar);
	if (!lpWideCharStr || !cchWideChar || cbMultiByte < 0 || (cbMultiByte && !lpMultiByteStr)) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return 0;
	}
	n = cchWideChar < 0 ? etw_wcslen(lpWideCharStr) + 1 : (size_t)cchWideChar;
	while (i < n) {
		WCHAR first = lpWideCharStr[i];
		char part[4];
		uint32_t c = etw_utf16_get(lpWideCharStr, n, &i);
		size_t k, some = etw_utf8_put(part, c);

		bad |= c == 0xFFFD && first != 0xFFFD;
		for (k = 0; k < some; k++, count++)
			if (cbMultiByte && count < (size_t)cbMultiByte)
				lpMultiByteStr[count] = part[k];
	}
	if (lpUsedDefaultChar)
		*lpUsedDefaultChar = bad;
	return etw_convert_result(count, cbMultiByte ? lpMultiByteStr : NULL, cbMultiByte,
				  bad && dwFlags & WC_ERR_INVALID_CHARS);
}

ETW_END_DECLS

#endif /* ETW_WIN32_STRINGAPISET_H */
