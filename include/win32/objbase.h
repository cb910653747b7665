/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * objbase.h - the part of COM that code using relogger.h needs, and GUIDs as text
 *
 * <windows.h> includes this header unless WIN32_LEAN_AND_MEAN is defined.
 *
 * CLSID_TraceRelogger is the only class that can be created.  There are no apartments: the
 * header of an object documents which threads may use it.
 */
#ifndef ETW_WIN32_OBJBASE_H
#define ETW_WIN32_OBJBASE_H

#include <unknwn.h>
#include <windows.h>

#define REGDB_E_CLASSNOTREG	((HRESULT)0x80040154)
#define CLASS_E_NOAGGREGATION	((HRESULT)0x80040110)
#define CO_E_CLASSSTRING	((HRESULT)0x800401F3)

#define CLSCTX_INPROC_SERVER	0x1u
#define CLSCTX_ALL		0x17u

#define COINIT_MULTITHREADED	0x0u
#define COINIT_APARTMENTTHREADED	0x2u

#ifdef __cplusplus
#define ETW_REF(guid)	(&(guid))
#else
#define ETW_REF(guid)	(guid)
#endif

DECLARE_GUID(GUID_NULL);	/* in libetw-win32.a */
#define IID_NULL		GUID_NULL
#define CLSID_NULL		GUID_NULL

ETW_BEGIN_DECLS

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

struct ITraceRelogger;
extern ETW_API HRESULT CreateTraceRelogger(struct ITraceRelogger **Relogger);

static inline HRESULT CoCreateInstance(REFCLSID rclsid, IUnknown *pUnkOuter, DWORD dwClsContext,
				       REFIID riid, LPVOID *ppv)
{
	static const CLSID relogger_class = { 0x7b40792d, 0x05ff, 0x44c4,
		{ 0x90, 0x58, 0xf4, 0x40, 0xc7, 0x1f, 0x17, 0xd4 } };
	struct ITraceRelogger *relogger;
	IUnknown *unknown;
	HRESULT hr;

	if (!ppv)
		return E_POINTER;
	*ppv = NULL;
	if (pUnkOuter)
		return CLASS_E_NOAGGREGATION;
	if (!(dwClsContext & CLSCTX_INPROC_SERVER) ||
	    memcmp(ETW_REF(rclsid), &relogger_class, sizeof(relogger_class)))
		return REGDB_E_CLASSNOTREG;
	hr = CreateTraceRelogger(&relogger);
	if (FAILED(hr))
		return hr;
	unknown = (IUnknown *)(void *)relogger;	/* which each interface begins with */
#if defined(__cplusplus) && !defined(CINTERFACE)
	hr = unknown->QueryInterface(riid, ppv);
	unknown->Release();
#else
	hr = unknown->lpVtbl->QueryInterface(unknown, ETW_REF(riid), ppv);
	unknown->lpVtbl->Release(unknown);
#endif
	return hr;
}

static inline LPVOID CoTaskMemAlloc(SIZE_T cb)
{
	return malloc(cb ? cb : 1);
}

static inline void CoTaskMemFree(LPVOID pv)
{
	free(pv);
}

/* "{01234567-89AB-CDEF-0123-456789ABCDEF}" with its NUL, in characters */
#define ETW_GUID_CHARS	39

static inline void etw_guid_text(const GUID *g, LPWSTR text)
{
	_snwprintf(text, ETW_GUID_CHARS,
		   ETW_WIDE("{%08X-%04X-%04X-%02X%02X-%02X%02X%02X%02X%02X%02X}"), g->Data1,
		   g->Data2, g->Data3, g->Data4[0], g->Data4[1], g->Data4[2], g->Data4[3],
		   g->Data4[4], g->Data4[5], g->Data4[6], g->Data4[7]);
}

/* @cchMax: characters at @lpsz; 0: too few, else 39 */
static inline int StringFromGUID2(REFGUID rguid, LPWSTR lpsz, int cchMax)
{
	if (cchMax < ETW_GUID_CHARS)
		return 0;
	etw_guid_text(ETW_REF(rguid), lpsz);
	return ETW_GUID_CHARS;
}

/* The caller frees the text with CoTaskMemFree(). */
static inline HRESULT StringFromCLSID(REFCLSID rclsid, LPWSTR *lplpsz)
{
	*lplpsz = (LPWSTR)CoTaskMemAlloc(ETW_GUID_CHARS * sizeof(WCHAR));
	if (!*lplpsz)
		return E_OUTOFMEMORY;
	etw_guid_text(ETW_REF(rclsid), *lplpsz);
	return S_OK;
}

/* With braces; names of classes are not known */
static inline HRESULT CLSIDFromString(LPCWSTR lpsz, CLSID *pclsid)
{
	static const BYTE at[16] = { 7, 5, 3, 1, 12, 10, 17, 15, 20, 22, 25, 27, 29, 31, 33, 35 };
	char text[40], pair[3] = { 0 }, *end;
	int i;

	memset(pclsid, 0, sizeof(*pclsid));
	if (!lpsz || etw_wcs_ascii(lpsz, text, sizeof(text)) != 38 || text[0] != '{' ||
	    text[9] != '-' || text[14] != '-' || text[19] != '-' || text[24] != '-' ||
	    text[37] != '}')
		return CO_E_CLASSSTRING;
	for (i = 0; i < 16; i++) {
		memcpy(pair, text + at[i], 2);
		((BYTE *)pclsid)[i] = (BYTE)strtoul(pair, &end, 16);
		if (end != pair + 2 || pair[0] == '-' || pair[0] == '+' || pair[0] == ' ') {
			memset(pclsid, 0, sizeof(*pclsid));
			return CO_E_CLASSSTRING;
		}
	}
	return S_OK;
}

/* Random, of version 4 */
static inline HRESULT CoCreateGuid(GUID *pguid)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, pguid, sizeof(*pguid));

	if (fd >= 0)
		close(fd);
	if (n != (ssize_t)sizeof(*pguid))
		return E_FAIL;
	pguid->Data3 = (USHORT)((pguid->Data3 & 0x0FFF) | 0x4000);
	pguid->Data4[0] = (UCHAR)((pguid->Data4[0] & 0x3F) | 0x80);
	return S_OK;
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

ETW_END_DECLS

#define IIDFromString	CLSIDFromString
#define StringFromIID	StringFromCLSID

#endif /* ETW_WIN32_OBJBASE_H */
