/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * strsafe.h - string functions that take the size of their buffer
 *
 * Cch functions count characters, Cb functions bytes; sizes include the terminating NUL.
 * On return the buffer is NUL-terminated, unless its size was refused.
 *
 * Return: S_OK; STRSAFE_E_INSUFFICIENT_BUFFER: truncated to fit;
 * STRSAFE_E_INVALID_PARAMETER: size 0 or over STRSAFE_MAX_CCH, or a string without a NUL
 * within its size.
 *
 * The W functions, and with -fshort-wchar all, take the formats of <winstdio.h>, else those
 * of the C library.
 * Semantics: Microsoft's page "About Strsafe.h" and the pages by name.
 */
#ifndef ETW_WIN32_STRSAFE_H
#define ETW_WIN32_STRSAFE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <etw/winerror.h>
#include <etw/wintypes.h>
#include <winstdio.h>

#define STRSAFE_MAX_CCH			2147483647
#define STRSAFE_E_INSUFFICIENT_BUFFER	((HRESULT)0x8007007A)
#define STRSAFE_E_INVALID_PARAMETER	((HRESULT)0x80070057)
#define STRSAFE_E_END_OF_FILE		((HRESULT)0x80070026)

ETW_BEGIN_DECLS

/* -------------------------------------------------- length, copy, append */

/* The N functions take at most so many characters of pszSrc. */
#define ETW_STRSAFE_STRINGS(suffix, text, const_text, unit)					\
static inline HRESULT StringCchLength##suffix(const_text psz, size_t cchMax, size_t *pcch)	\
{												\
	size_t n = 0;										\
												\
	if (pcch)										\
		*pcch = 0;									\
	if (!psz || cchMax > STRSAFE_MAX_CCH)							\
		return STRSAFE_E_INVALID_PARAMETER;						\
	while (n < cchMax && psz[n])								\
		n++;										\
	if (n == cchMax)									\
		return STRSAFE_E_INVALID_PARAMETER;						\
	if (pcch)										\
		*pcch = n;									\
	return S_OK;										\
}												\
												\
static inline HRESULT StringCchCopyN##suffix(text pszDest, size_t cchDest, const_text pszSrc,	\
					     size_t cchToCopy)					\
{												\
	size_t i;										\
												\
	if (!pszDest || cchDest == 0 || cchDest > STRSAFE_MAX_CCH)				\
		return STRSAFE_E_INVALID_PARAMETER;						\
	if (!pszSrc || cchToCopy > STRSAFE_MAX_CCH) {						\
		pszDest[0] = 0;									\
		return STRSAFE_E_INVALID_PARAMETER;						\
	}											\
	for (i = 0; i < cchToCopy && pszSrc[i]; i++) {						\
		if (i == cchDest - 1) {								\
			pszDest[i] = 0;								\
			return STRSAFE_E_INSUFFICIENT_BUFFER;					\
		}										\
		pszDest[i] = pszSrc[i];								\
	}											\
	pszDest[i] = 0;										\
	return S_OK;										\
}												\
												\
static inline HRESULT StringCchCatN##suffix(text pszDest, size_t cchDest, const_text pszSrc,	\
					    size_t cchToAppend)					\
{												\
	size_t len;										\
	HRESULT hr = StringCchLength##suffix(pszDest, cchDest, &len);				\
												\
	if (FAILED(hr))										\
		return hr;									\
	return StringCchCopyN##suffix(pszDest + len, cchDest - len, pszSrc, cchToAppend);	\
}												\
												\
static inline HRESULT StringCchCopy##suffix(text pszDest, size_t cchDest, const_text pszSrc)	\
{												\
	return StringCchCopyN##suffix(pszDest, cchDest, pszSrc, STRSAFE_MAX_CCH);		\
}												\
												\
static inline HRESULT StringCchCat##suffix(text pszDest, size_t cchDest, const_text pszSrc)	\
{												\
	return StringCchCatN##suffix(pszDest, cchDest, pszSrc, STRSAFE_MAX_CCH);		\
}												\
												\
static inline HRESULT StringCbLength##suffix(const_text psz, size_t cbMax, size_t *pcb)		\
{												\
	HRESULT hr = StringCchLength##suffix(psz, cbMax / sizeof(unit), pcb);			\
												\
	if (pcb)										\
		*pcb *= sizeof(unit);								\
	return hr;										\
}												\
												\
static inline HRESULT StringCbCopyN##suffix(text pszDest, size_t cbDest, const_text pszSrc,	\
					    size_t cbToCopy)					\
{												\
	return StringCchCopyN##suffix(pszDest, cbDest / sizeof(unit), pszSrc,			\
				      cbToCopy / sizeof(unit));					\
}												\
												\
static inline HRESULT StringCbCatN##suffix(text pszDest, size_t cbDest, const_text pszSrc,	\
					   size_t cbToAppend)					\
{												\
	return StringCchCatN##suffix(pszDest, cbDest / sizeof(unit), pszSrc,			\
				     cbToAppend / sizeof(unit));				\
}												\
												\
static inline HRESULT StringCbCopy##suffix(text pszDest, size_t cbDest, const_text pszSrc)	\
{												\
	return StringCchCopy##suffix(pszDest, cbDest / sizeof(unit), pszSrc);			\
}												\
												\
static inline HRESULT StringCbCat##suffix(text pszDest, size_t cbDest, const_text pszSrc)	\
{												\
	return StringCchCat##suffix(pszDest, cbDest / sizeof(unit), pszSrc);			\
}

ETW_STRSAFE_STRINGS(A, PSTR, PCSTR, CHAR)
ETW_STRSAFE_STRINGS(W, PWSTR, PCWSTR, WCHAR)

/* --------------------------------------------------------------- format */

#define ETW_FORMAT_ANY(at, first)
#if __SIZEOF_WCHAR_T__ == 2
#define ETW_FORMAT_CHECK(at, first)
#else
#define ETW_FORMAT_CHECK(at, first)	__attribute__((format(printf, at, first)))
#endif

#define ETW_STRSAFE_FORMATS(suffix, text, const_text, unit, check, print)			\
check(3, 0) static inline HRESULT								\
StringCchVPrintf##suffix(text pszDest, size_t cchDest, const_text pszFormat, va_list argList)	\
{												\
	int n;											\
												\
	if (!pszDest || cchDest == 0 || cchDest > STRSAFE_MAX_CCH)				\
		return STRSAFE_E_INVALID_PARAMETER;						\
	pszDest[0] = 0;										\
	n = pszFormat ? print : -1;								\
	return n < 0 ? STRSAFE_E_INVALID_PARAMETER :						\
	       (size_t)n < cchDest ? S_OK : STRSAFE_E_INSUFFICIENT_BUFFER;			\
}												\
												\
check(3, 0) static inline HRESULT								\
StringCbVPrintf##suffix(text pszDest, size_t cbDest, const_text pszFormat, va_list argList)	\
{												\
	return StringCchVPrintf##suffix(pszDest, cbDest / sizeof(unit), pszFormat, argList);	\
}												\
												\
check(3, 4) static inline HRESULT								\
StringCchPrintf##suffix(text pszDest, size_t cchDest, const_text pszFormat, ...)		\
{												\
	va_list args;										\
	HRESULT hr;										\
												\
	va_start(args, pszFormat);								\
	hr = StringCchVPrintf##suffix(pszDest, cchDest, pszFormat, args);			\
	va_end(args);										\
	return hr;										\
}												\
												\
check(3, 4) static inline HRESULT								\
StringCbPrintf##suffix(text pszDest, size_t cbDest, const_text pszFormat, ...)			\
{												\
	va_list args;										\
	HRESULT hr;										\
												\
	va_start(args, pszFormat);								\
	hr = StringCbVPrintf##suffix(pszDest, cbDest, pszFormat, args);				\
	va_end(args);										\
	return hr;										\
}

ETW_STRSAFE_FORMATS(A, PSTR, PCSTR, CHAR, ETW_FORMAT_CHECK,
		    vsnprintf(pszDest, cchDest, pszFormat, argList))
ETW_STRSAFE_FORMATS(W, PWSTR, PCWSTR, WCHAR, ETW_FORMAT_ANY,
		    etw_print_buffer(pszDest, cchDest, 1, pszFormat, argList))

/*
 * The Ex functions: where the text ends, and how much room is behind that.  Of @flags,
 * STRSAFE_IGNORE_NULLS takes NULL for "" and no buffer for one without room,
 * STRSAFE_FILL_BEHIND_NULL fills the rest with the low byte.  If the function fails,
 * STRSAFE_FILL_ON_FAILURE fills all but the last character with it, and STRSAFE_NULL_ON_FAILURE
 * and STRSAFE_NO_TRUNCATION leave an empty text.
 */
#define STRSAFE_IGNORE_NULLS		0x00000100
#define STRSAFE_FILL_BEHIND_NULL	0x00000200
#define STRSAFE_FILL_ON_FAILURE		0x00000400
#define STRSAFE_NULL_ON_FAILURE		0x00000800
#define STRSAFE_NO_TRUNCATION		0x00001000

#define ETW_STRSAFE_EX(suffix, text, const_text, unit, none)					\
static inline HRESULT StringCchVPrintfEx##suffix(text pszDest, size_t cchDest, text *ppszDestEnd,	\
		size_t *pcchRemaining, DWORD dwFlags, const_text pszFormat, va_list argList)	\
{												\
	BYTE fill = (BYTE)dwFlags;								\
	size_t used = 0;									\
	HRESULT hr = S_OK;									\
												\
	if (!pszFormat && dwFlags & STRSAFE_IGNORE_NULLS)					\
		pszFormat = none;								\
	if (cchDest || !pszFormat || *pszFormat || !(dwFlags & STRSAFE_IGNORE_NULLS))		\
		hr = StringCchVPrintf##suffix(pszDest, cchDest, pszFormat, argList);		\
	if (pszDest && cchDest && cchDest <= STRSAFE_MAX_CCH) {					\
		if (FAILED(hr) && dwFlags & STRSAFE_NO_TRUNCATION)				\
			pszDest[0] = 0;								\
		if (FAILED(hr) && dwFlags & STRSAFE_FILL_ON_FAILURE) {				\
			memset(pszDest, fill, cchDest * sizeof(unit));				\
			pszDest[cchDest - 1] = 0;						\
		}										\
		if (FAILED(hr) && dwFlags & STRSAFE_NULL_ON_FAILURE)				\
			pszDest[0] = 0;								\
		StringCchLength##suffix(pszDest, cchDest, &used);				\
		if (SUCCEEDED(hr) && dwFlags & STRSAFE_FILL_BEHIND_NULL)			\
			memset(pszDest + used + 1, fill, (cchDest - used - 1) * sizeof(unit));	\
	}											\
	if (ppszDestEnd)									\
		*ppszDestEnd = pszDest ? pszDest + used : NULL;					\
	if (pcchRemaining)									\
		*pcchRemaining = cchDest - used;						\
	return hr;										\
}												\
												\
static inline HRESULT StringCchPrintfEx##suffix(text pszDest, size_t cchDest, text *ppszDestEnd,	\
		size_t *pcchRemaining, DWORD dwFlags, const_text pszFormat, ...)		\
{												\
	va_list args;										\
	HRESULT hr;										\
												\
	va_start(args, pszFormat);								\
	hr = StringCchVPrintfEx##suffix(pszDest, cchDest, ppszDestEnd, pcchRemaining, dwFlags,	\
					pszFormat, args);					\
	va_end(args);										\
	return hr;										\
}												\
												\
static inline HRESULT StringCbPrintfEx##suffix(text pszDest, size_t cbDest, text *ppszDestEnd,	\
		size_t *pcbRemaining, DWORD dwFlags, const_text pszFormat, ...)			\
{												\
	va_list args;										\
	size_t rest;										\
	HRESULT hr;										\
												\
	va_start(args, pszFormat);								\
	hr = StringCchVPrintfEx##suffix(pszDest, cbDest / sizeof(unit), ppszDestEnd, &rest,	\
					dwFlags, pszFormat, args);				\
	va_end(args);										\
	if (pcbRemaining)									\
		*pcbRemaining = rest * sizeof(unit) + cbDest % sizeof(unit);			\
	return hr;										\
}

#if __SIZEOF_WCHAR_T__ != 2
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
ETW_STRSAFE_EX(A, PSTR, PCSTR, CHAR, "")
ETW_STRSAFE_EX(W, PWSTR, PCWSTR, WCHAR, ETW_WIDE(""))
#if __SIZEOF_WCHAR_T__ != 2
#pragma GCC diagnostic pop
#endif

ETW_END_DECLS

#ifdef UNICODE
#define StringCchLength		StringCchLengthW
#define StringCbLength		StringCbLengthW
#define StringCchCopy		StringCchCopyW
#define StringCbCopy		StringCbCopyW
#define StringCchCopyN		StringCchCopyNW
#define StringCbCopyN		StringCbCopyNW
#define StringCchCat		StringCchCatW
#define StringCbCat		StringCbCatW
#define StringCchCatN		StringCchCatNW
#define StringCbCatN		StringCbCatNW
#define StringCchPrintf		StringCchPrintfW
#define StringCbPrintf		StringCbPrintfW
#define StringCchVPrintf	StringCchVPrintfW
#define StringCbVPrintf		StringCbVPrintfW
#define StringCchPrintfEx	StringCchPrintfExW
#define StringCbPrintfEx	StringCbPrintfExW
#define StringCchVPrintfEx	StringCchVPrintfExW
#else
#define StringCchLength		StringCchLengthA
#define StringCbLength		StringCbLengthA
#define StringCchCopy		StringCchCopyA
#define StringCbCopy		StringCbCopyA
#define StringCchCopyN		StringCchCopyNA
#define StringCbCopyN		StringCbCopyNA
#define StringCchCat		StringCchCatA
#define StringCbCat		StringCbCatA
#define StringCchCatN		StringCchCatNA
#define StringCbCatN		StringCbCatNA
#define StringCchPrintf		StringCchPrintfA
#define StringCbPrintf		StringCbPrintfA
#define StringCchVPrintf	StringCchVPrintfA
#define StringCbVPrintf		StringCbVPrintfA
#define StringCchPrintfEx	StringCchPrintfExA
#define StringCbPrintfEx	StringCbPrintfExA
#define StringCchVPrintfEx	StringCchVPrintfExA
#endif

#endif /* ETW_WIN32_STRSAFE_H */
