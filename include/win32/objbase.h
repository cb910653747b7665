/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * objbase.h - the part of COM that code using relogger.h needs
 *
 * CLSID_TraceRelogger is the only class that can be created.  There are no apartments: the
 * header of an object documents which threads may use it.
 */
#ifndef ETW_WIN32_OBJBASE_H
#define ETW_WIN32_OBJBASE_H

#include <windows.h>
#include <relogger.h>

#define REGDB_E_CLASSNOTREG	((HRESULT)0x80040154)
#define CLASS_E_NOAGGREGATION	((HRESULT)0x80040110)

#define CLSCTX_INPROC_SERVER	0x1u
#define CLSCTX_ALL		0x17u

#define COINIT_MULTITHREADED	0x0u
#define COINIT_APARTMENTTHREADED	0x2u

static inline HRESULT CoInitializeEx(LPVOID pvReserved, DWORD dwCoInit)
{
	(void)pvReserved;
	(void)dwCoInit;
	return S_OK;
}

static inline HRESULT CoInitialize(LPVOID pvReserved)
{
	(void)pvReserved;
	return S_OK;
}

static inline void CoUninitialize(void)
{
}

static inline HRESULT CoCreateInstance(REFCLSID rclsid, IUnknown *pUnkOuter, DWORD dwClsContext,
				       REFIID riid, LPVOID *ppv)
{
	ITraceRelogger *relogger;
	HRESULT hr;

	if (!ppv)
		return E_POINTER;
	*ppv = NULL;
	if (pUnkOuter)
		return CLASS_E_NOAGGREGATION;
#ifdef __cplusplus
	if (!(dwClsContext & CLSCTX_INPROC_SERVER) || !IsEqualGUID(rclsid, CLSID_TraceRelogger))
#else
	if (!(dwClsContext & CLSCTX_INPROC_SERVER) || !IsEqualGUID(rclsid, &CLSID_TraceRelogger))
#endif
		return REGDB_E_CLASSNOTREG;
	hr = CreateTraceRelogger(&relogger);
	if (FAILED(hr))
		return hr;
#if defined(__cplusplus) && !defined(CINTERFACE)
	hr = relogger->QueryInterface(riid, ppv);
	relogger->Release();
#elif defined(__cplusplus)
	hr = relogger->lpVtbl->QueryInterface(relogger, &riid, ppv);
	relogger->lpVtbl->Release(relogger);
#else
	hr = relogger->lpVtbl->QueryInterface(relogger, riid, ppv);
	relogger->lpVtbl->Release(relogger);
#endif
	return hr;
}

/* The 4 bytes before the text hold its length in bytes, as on Windows. */
static inline UINT SysStringLen(BSTR bstr)
{
	UINT bytes = 0;

	if (bstr)
		memcpy(&bytes, (const char *)bstr - sizeof(bytes), sizeof(bytes));
	return bytes / (UINT)sizeof(WCHAR);
}

/* The caller frees the copy with SysFreeString().  NULL: out of memory, or psz was NULL. */
static inline BSTR SysAllocString(const WCHAR *psz)
{
	size_t bytes = psz ? etw_wcslen(psz) * sizeof(WCHAR) : 0;
	UINT length = (UINT)bytes;
	char *block = psz ? (char *)malloc(8 + bytes + sizeof(WCHAR)) : NULL;

	if (!block)
		return NULL;
	memcpy(block + 8 - sizeof(length), &length, sizeof(length));
	memcpy(block + 8, psz, bytes + sizeof(WCHAR));
	return (BSTR)(void *)(block + 8);
}

static inline void SysFreeString(BSTR bstr)
{
	if (bstr)
		free((char *)bstr - 8);
}

#endif /* ETW_WIN32_OBJBASE_H */
