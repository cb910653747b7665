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

/* --------------------------------------------------------------- length */

static inline HRESULT StringCchLengthA(PCSTR psz, size_t cchMax, size_t *pcch)
{
	size_t n = 0;

	if (pcch)
		*pcch = 0;
	if (!psz || cchMax > STRSAFE_MAX_CCH)
		return STRSAFE_E_INVALID_PARAMETER;
	while (n < cchMax && psz[n])
		n++;
	if (n == cchMax)
		return STRSAFE_E_INVALID_PARAMETER;
	if (pcch)
		*pcch = n;
	return S_OK;
}

static inline HRESULT StringCchLengthW(PCWSTR psz, size_t cchMax, size_t *pcch)
{
	size_t n = 0;

	if (pcch)
		*pcch = 0;
	if (!psz || cchMax > STRSAFE_MAX_CCH)
		return STRSAFE_E_INVALID_PARAMETER;
	while (n < cchMax && psz[n])
		n++;
	if (n == cchMax)
		return STRSAFE_E_INVALID_PARAMETER;
	if (pcch)
		*pcch = n;
	return S_OK;
}

static inline HRESULT StringCbLengthA(PCSTR psz, size_t cbMax, size_t *pcb)
{
	return StringCchLengthA(psz, cbMax, pcb);
}

static inline HRESULT StringCbLengthW(PCWSTR psz, size_t cbMax, size_t *pcb)
{
	HRESULT hr = StringCchLengthW(psz, cbMax / sizeof(WCHAR), pcb);

	if (pcb)
		*pcb *= sizeof(WCHAR);
	return hr;
}

/* ----------------------------------------------------------------- copy */

/* At most cchToCopy characters of pszSrc */
static inline HRESULT StringCchCopyNA(PSTR pszDest, size_t cchDest, PCSTR pszSrc,
				      size_t cchToCopy)
{
	size_t i;

	if (!pszDest || cchDest == 0 || cchDest > STRSAFE_MAX_CCH)
		return STRSAFE_E_INVALID_PARAMETER;
	if (!pszSrc || cchToCopy > STRSAFE_MAX_CCH) {
		pszDest[0] = 0;
		return STRSAFE_E_INVALID_PARAMETER;
	}
	for (i = 0; i < cchToCopy && pszSrc[i]; i++) {
		if (i == cchDest - 1) {
			pszDest[i] = 0;
			return STRSAFE_E_INSUFFICIENT_BUFFER;
		}
		pszDest[i] = pszSrc[i];
	}
	pszDest[i] = 0;
	return S_OK;
}

static inline HRESULT StringCchCopyNW(PWSTR pszDest, size_t cchDest, PCWSTR pszSrc,
				      size_t cchToCopy)
{
	size_t i;

	if (!pszDest || cchDest == 0 || cchDest > STRSAFE_MAX_CCH)
		return STRSAFE_E_INVALID_PARAMETER;
	if (!pszSrc || cchToCopy > STRSAFE_MAX_CCH) {
		pszDest[0] = 0;
		return STRSAFE_E_INVALID_PARAMETER;
	}
	for (i = 0; i < cchToCopy && pszSrc[i]; i++) {
		if (i == cchDest - 1) {
			pszDest[i] = 0;
			return STRSAFE_E_INSUFFICIENT_BUFFER;
		}
		pszDest[i] = pszSrc[i];
	}
	pszDest[i] = 0;
	return S_OK;
}

static inline HRESULT StringCchCopyA(PSTR pszDest, size_t cchDest, PCSTR pszSrc)
{
	return StringCchCopyNA(pszDest, cchDest, pszSrc, STRSAFE_MAX_CCH);
}

static inline HRESULT StringCchCopyW(PWSTR pszDest, size_t cchDest, PCWSTR pszSrc)
{
	return StringCchCopyNW(pszDest, cchDest, pszSrc, STRSAFE_MAX_CCH);
}

static inline HRESULT StringCbCopyA(PSTR pszDest, size_t cbDest, PCSTR pszSrc)
{
	return StringCchCopyA(pszDest, cbDest, pszSrc);
}

static inline HRESULT StringCbCopyW(PWSTR pszDest, size_t cbDest, PCWSTR pszSrc)
{
	return StringCchCopyW(pszDest, cbDest / sizeof(WCHAR), pszSrc);
}

static inline HRESULT StringCbCopyNA(PSTR pszDest, size_t cbDest, PCSTR pszSrc,
				     size_t cbToCopy)
{
	return StringCchCopyNA(pszDest, cbDest, pszSrc, cbToCopy);
}

static inline HRESULT StringCbCopyNW(PWSTR pszDest, size_t cbDest, PCWSTR pszSrc,
				     size_t cbToCopy)
{
	return StringCchCopyNW(pszDest, cbDest / sizeof(WCHAR), pszSrc,
			       cbToCopy / sizeof(WCHAR));
}

/* --------------------------------------------------------------- append */

static inline HRESULT StringCchCatA(PSTR pszDest, size_t cchDest, PCSTR pszSrc)
{
	size_t len;
	HRESULT hr = StringCchLengthA(pszDest, cchDest, &len);

	if (FAILED(hr))
		return hr;
	return StringCchCopyA(pszDest + len, cchDest - len, pszSrc);
}

static inline HRESULT StringCchCatW(PWSTR pszDest, size_t cchDest, PCWSTR pszSrc)
{
	size_t len;
	HRESULT hr = StringCchLengthW(pszDest, cchDest, &len);

	if (FAILED(hr))
		return hr;
	return StringCchCopyW(pszDest + len, cchDest - len, pszSrc);
}

/* At most cchToAppend characters of pszSrc */
static inline HRESULT StringCchCatNA(PSTR pszDest, size_t cchDest, PCSTR pszSrc,
				     size_t cchToAppend)
{
	size_t len;
	HRESULT hr = StringCchLengthA(pszDest, cchDest, &len);

	if (FAILED(hr))
		return hr;
	return StringCchCopyNA(pszDest + len, cchDest - len, pszSrc, cchToAppend);
}

static inline HRESULT StringCchCatNW(PWSTR pszDest, size_t cchDest, PCWSTR pszSrc,
				     size_t cchToAppend)
{
	size_t len;
	HRESULT hr = StringCchLengthW(pszDest, cchDest, &len);

	if (FAILED(hr))
		return hr;
	return StringCchCopyNW(pszDest + len, cchDest - len, pszSrc, cchToAppend);
}

static inline HRESULT StringCbCatNA(PSTR pszDest, size_t cbDest, PCSTR pszSrc,
				    size_t cbToAppend)
{
	return StringCchCatNA(pszDest, cbDest, pszSrc, cbToAppend);
}

static inline HRESULT StringCbCatNW(PWSTR pszDest, size_t cbDest, PCWSTR pszSrc,
				    size_t cbToAppend)
{
	return StringCchCatNW(pszDest, cbDest / sizeof(WCHAR), pszSrc,
			      cbToAppend / sizeof(WCHAR));
}

static inline HRESULT StringCbCatA(PSTR pszDest, size_t cbDest, PCSTR pszSrc)
{
	return StringCchCatA(pszDest, cbDest, pszSrc);
}

static inline HRESULT StringCbCatW(PWSTR pszDest, size_t cbDest, PCWSTR pszSrc)
{
	return StringCchCatW(pszDest, cbDest / sizeof(WCHAR), pszSrc);
}

/* --------------------------------------------------------------- format */

#if __SIZEOF_WCHAR_T__ == 2
#define ETW_FORMAT_CHECK(at, first)
#else
#define ETW_FORMAT_CHECK(at, first)	__attribute__((format(printf, at, first)))
#endif

static inline HRESULT etw_strsafe_result(int n, size_t size)
{
	return n < 0 ? STRSAFE_E_INVALID_PARAMETER :
	       (size_t)n < size ? S_OK : STRSAFE_E_INSUFFICIENT_BUFFER;
}

ETW_FORMAT_CHECK(3, 0)
static inline HRESULT StringCchVPrintfA(PSTR pszDest, size_t cchDest,
					PCSTR pszFormat, va_list argList)
{
	if (!pszDest || cchDest == 0 || cchDest > STRSAFE_MAX_CCH)
		return STRSAFE_E_INVALID_PARAMETER;
	pszDest[0] = 0;
	if (!pszFormat)
		return STRSAFE_E_INVALID_PARAMETER;
	return etw_strsafe_result(vsnprintf(pszDest, cchDest, pszFormat, argList), cchDest);
}

ETW_FORMAT_CHECK(3, 0)
static inline HRESULT StringCbVPrintfA(PSTR pszDest, size_t cbDest,
				       PCSTR pszFormat, va_list argList)
{
	return StringCchVPrintfA(pszDest, cbDest, pszFormat, argList);
}

static inline HRESULT StringCchVPrintfW(PWSTR pszDest, size_t cchDest,
					PCWSTR pszFormat, va_list argList)
{
	if (!pszDest || cchDest == 0 || cchDest > STRSAFE_MAX_CCH)
		return STRSAFE_E_INVALID_PARAMETER;
	return etw_strsafe_result(etw_print_buffer(pszDest, cchDest, 1, pszFormat, argList),
				  cchDest);
}

static inline HRESULT StringCbVPrintfW(PWSTR pszDest, size_t cbDest,
				       PCWSTR pszFormat, va_list argList)
{
	return StringCchVPrintfW(pszDest, cbDest / sizeof(WCHAR), pszFormat, argList);
}

ETW_FORMAT_CHECK(3, 4)
static inline HRESULT StringCchPrintfA(PSTR pszDest, size_t cchDest,
                                         PCSTR pszFormat, ...)
{
	va_list args;
	HRESULT hr;

	va_start(args, pszFormat);
	hr = StringCchVPrintfA(pszDest, cchDest, pszFormat, args);
	va_end(args);
	return hr;
}

ETW_FORMAT_CHECK(3, 4)
static inline HRESULT StringCbPrintfA(PSTR pszDest, size_t cbDest,
                                        PCSTR pszFormat, ...)
{
	va_list args;
	HRESULT hr;

	va_start(args, pszFormat);
	hr = StringCbVPrintfA(pszDest, cbDest, pszFormat, args);
	va_end(args);
	return hr;
}

static inline HRESULT StringCchPrintfW(PWSTR pszDest, size_t cchDest,
                                         PCWSTR pszFormat, ...)
{
	va_list args;
	HRESULT hr;

	va_start(args, pszFormat);
	hr = StringCchVPrintfW(pszDest, cchDest, pszFormat, args);
	va_end(args);
	return hr;
}

static inline HRESULT StringCbPrintfW(PWSTR pszDest, size_t cbDest,
                                        PCWSTR pszFormat, ...)
{
	va_list args;
	HRESULT hr;

	va_start(args, pszFormat);
	hr = StringCbVPrintfW(pszDest, cbDest, pszFormat, args);
	va_end(args);
	return hr;
}

/*
 * The Ex functions: where the text ends, and how much room is behind that.  Of @flags,
 * STRSAFE_IGNORE_NULLS takes NULL for "", STRSAFE_FILL_BEHIND_NULL fills the rest with the low
 * byte, and STRSAFE_NULL_ON_FAILURE empties what was cut.
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
	HRESULT hr;										\
	size_t used = 0, rest;									\
												\
	if (!pszFormat && dwFlags & STRSAFE_IGNORE_NULLS)					\
		pszFormat = none;								\
	hr = StringCchVPrintf##suffix(pszDest, cchDest, pszFormat, argList);			\
	if (!pszDest || !cchDest || cchDest > STRSAFE_MAX_CCH)					\
		return hr;									\
	if (FAILED(hr) && dwFlags & (STRSAFE_NULL_ON_FAILURE | STRSAFE_NO_TRUNCATION |		\
				     STRSAFE_FILL_ON_FAILURE))					\
		pszDest[0] = 0;									\
	StringCchLength##suffix(pszDest, cchDest, &used);					\
	rest = cchDest - used;									\
	if (dwFlags & (FAILED(hr) ? STRSAFE_FILL_ON_FAILURE : STRSAFE_FILL_BEHIND_NULL))	\
		memset(pszDest + used + 1, (int)(dwFlags & 0xFF), (rest - 1) * sizeof(unit));	\
	if (ppszDestEnd)									\
		*ppszDestEnd = pszDest + used;							\
	if (pcchRemaining)									\
		*pcchRemaining = rest;								\
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
	HRESULT hr;										\
												\
	va_start(args, pszFormat);								\
	hr = StringCchVPrintfEx##suffix(pszDest, cbDest / sizeof(unit), ppszDestEnd,		\
					pcbRemaining, dwFlags, pszFormat, args);		\
	va_end(args);										\
	if (pcbRemaining)									\
		*pcbRemaining = *pcbRemaining * sizeof(unit) + cbDest % sizeof(unit);		\
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
#define StringCchPrintfEx	StringCchPrintfExW
#define StringCbPrintfEx	StringCbPrintfExW
#define StringCchVPrintfEx	StringCchVPrintfExW
#else
#define StringCchPrintfEx	StringCchPrintfExA
#define StringCbPrintfEx	StringCbPrintfExA
#define StringCchVPrintfEx	StringCchVPrintfExA
#endif

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
#endif

#endif /* ETW_WIN32_STRSAFE_H */
