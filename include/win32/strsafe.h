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
 * The Printf functions take the C library's formats, and exist for CHAR only.
 * Semantics: Microsoft's page "About Strsafe.h" and the pages by name.
 */
#ifndef ETW_WIN32_STRSAFE_H
#define ETW_WIN32_STRSAFE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <etw/winerror.h>
#include <etw/wintypes.h>

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

static inline HRESULT StringCbCatA(PSTR pszDest, size_t cbDest, PCSTR pszSrc)
{
	return StringCchCatA(pszDest, cbDest, pszSrc);
}

static inline HRESULT StringCbCatW(PWSTR pszDest, size_t cbDest, PCWSTR pszSrc)
{
	return StringCchCatW(pszDest, cbDest / sizeof(WCHAR), pszSrc);
}

/* --------------------------------------------------------------- format */

__attribute__((format(printf, 3, 0)))
static inline HRESULT StringCchVPrintfA(PSTR pszDest, size_t cchDest,
					PCSTR pszFormat, va_list argList)
{
	int n;

	if (!pszDest || cchDest == 0 || cchDest > STRSAFE_MAX_CCH)
		return STRSAFE_E_INVALID_PARAMETER;
	pszDest[0] = 0;
	if (!pszFormat)
		return STRSAFE_E_INVALID_PARAMETER;
	n = vsnprintf(pszDest, cchDest, pszFormat, argList);
	if (n < 0) {
		pszDest[0] = 0;
		return STRSAFE_E_INVALID_PARAMETER;
	}
	return (size_t)n < cchDest ? S_OK : STRSAFE_E_INSUFFICIENT_BUFFER;
}

__attribute__((format(printf, 3, 4)))
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

__attribute__((format(printf, 3, 4)))
static inline HRESULT StringCbPrintfA(PSTR pszDest, size_t cbDest,
				      PCSTR pszFormat, ...)
{
	va_list args;
	HRESULT hr;

	va_start(args, pszFormat);
	hr = StringCchVPrintfA(pszDest, cbDest, pszFormat, args);
	va_end(args);
	return hr;
}

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
#else
#define StringCchLength		StringCchLengthA
#define StringCbLength		StringCbLengthA
#define StringCchCopy		StringCchCopyA
#define StringCbCopy		StringCbCopyA
#define StringCchCopyN		StringCchCopyNA
#define StringCbCopyN		StringCbCopyNA
#define StringCchCat		StringCchCatA
#define StringCbCat		StringCbCatA
#define StringCchPrintf		StringCchPrintfA
#define StringCbPrintf		StringCbPrintfA
#define StringCchVPrintf	StringCchVPrintfA
#endif

#endif /* ETW_WIN32_STRSAFE_H */
