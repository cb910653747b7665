/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * guiddef.h - define and compare GUIDs in a ported driver
 *
 *	DEFINE_GUID(MyProvider, 0x01234567, 0x89ab, 0xcdef,
 *		    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef);
 *
 * declares MyProvider; after <initguid.h> or a definition of INITGUID, also defines it.
 * Several files of a module may define it: the linker keeps one copy.
 *
 * Semantics: Microsoft's page "Defining and Exporting New GUIDs".
 */

/* Outside the guard: a later <initguid.h> turns declarations into definitions. */
#undef DEFINE_GUID
#ifdef INITGUID
#define DEFINE_GUID(name, d1, d2, d3, b0, b1, b2, b3, b4, b5, b6, b7)	\
	extern const GUID name __weak;					\
	const GUID name =						\
		{ d1, d2, d3, { b0, b1, b2, b3, b4, b5, b6, b7 } }
#else
#define DEFINE_GUID(name, d1, d2, d3, b0, b1, b2, b3, b4, b5, b6, b7)	\
	extern const GUID name
#endif

#ifndef ETW_WIN32_KM_GUIDDEF_H
#define ETW_WIN32_KM_GUIDDEF_H

#include <etw/nt/types.h>

#endif /* ETW_WIN32_KM_GUIDDEF_H */
