/* SPDX-License-Identifier: MIT */
/*
 * unknwn.h - IUnknown, the base of COM interfaces
 *
 * Only the part of COM that relogger.h needs: reference-counted objects.  In C++ an
 * interface is a struct of virtual functions; in C, or with CINTERFACE, a struct whose
 * lpVtbl points to a table of functions.  The layout is the same, so a callback may be
 * written in either language.
 *
 * Sources: Microsoft's page "IUnknown interface (unknwn.h)"; "BSTR".
 */
#ifndef ETW_UNKNWN_H
#define ETW_UNKNWN_H

#include <etw/winerror.h>
#include <etw/wintypes.h>

#ifndef STDMETHODCALLTYPE
#define STDMETHODCALLTYPE
#endif
#ifndef STDMETHODIMP
#define STDMETHODIMP		HRESULT STDMETHODCALLTYPE
#define STDMETHODIMP_(type)	type STDMETHODCALLTYPE
#endif

#ifndef E_NOINTERFACE
#define E_NOINTERFACE		((HRESULT)0x80004002)
#endif

ETW_BEGIN_DECLS
extern ETW_API const IID IID_IUnknown;
ETW_END_DECLS

#if defined(__cplusplus) && !defined(CINTERFACE)

#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
#endif

struct IUnknown {
	virtual HRESULT STDMETHODCALLTYPE QueryInterface(REFIID riid, void **ppvObject) = 0;
	virtual ULONG STDMETHODCALLTYPE AddRef() = 0;
	virtual ULONG STDMETHODCALLTYPE Release() = 0;
};

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#else

typedef struct IUnknown IUnknown;

typedef struct IUnknownVtbl {
	HRESULT (*QueryInterface)(IUnknown *This, const IID *riid, void **ppvObject);
	ULONG (*AddRef)(IUnknown *This);
	ULONG (*Release)(IUnknown *This);
} IUnknownVtbl;

struct IUnknown {
	const IUnknownVtbl *lpVtbl;
};

#endif

#endif /* ETW_UNKNWN_H */
