/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * guiddef.h - define and compare GUIDs
 *
 *	DEFINE_GUID(MyProvider, 0x01234567, 0x89ab, 0xcdef,
 *		    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef);
 *
 * declares MyProvider; after <initguid.h> or a definition of INITGUID, also defines it.
 * Several files may define it: the linker keeps one copy.
 *
 * Semantics: Microsoft's pages "Defining and Exporting New GUIDs" and
 * "IsEqualGUID function".
 */

/* Outside the guard: a later <initguid.h> turns declarations into definitions. */
#undef DEFINE_GUID
#ifdef INITGUID
#define DEFINE_GUID(name, d1, d2, d3, b0, b1, b2, b3, b4, b5, b6, b7)	\
	DECLARE_GUID(name) __attribute__((weak));			\
	const GUID name =						\
		{ d1, d2, d3, { b0, b1, b2, b3, b4, b5, b6, b7 } }
#else
#define DEFINE_GUID(name, d1, d2, d3, b0, b1, b2, b3, b4, b5, b6, b7)	\
	DECLARE_GUID(name)
#endif

#ifndef ETW_WIN32_GUIDDEF_H
#define ETW_WIN32_GUIDDEF_H

#include <string.h>
#include <etw/wintypes.h>

#ifdef __cplusplus
#define DECLARE_GUID(name)	extern "C" const GUID name
#else
#define DECLARE_GUID(name)	extern const GUID name
#endif

#ifdef __cplusplus

static inline int IsEqualGUID(REFGUID rguid1, REFGUID rguid2)
{
	return !memcmp(&rguid1, &rguid2, sizeof(GUID));
}

#ifndef _SYS_GUID_OPERATORS_
#define _SYS_GUID_OPERATORS_

static inline bool operator==(REFGUID guidOne, REFGUID guidOther)
{
	return IsEqualGUID(guidOne, guidOther);
}

static inline bool operator!=(REFGUID guidOne, REFGUID guidOther)
{
	return !IsEqualGUID(guidOne, guidOther);
}

#endif /* _SYS_GUID_OPERATORS_ */

#else /* C: by pointer */

static inline int IsEqualGUID(REFGUID rguid1, REFGUID rguid2)
{
	return !memcmp(rguid1, rguid2, sizeof(GUID));
}

#endif

#define InlineIsEqualGUID(a, b)	IsEqualGUID(a, b)
#define IsEqualIID(a, b)	IsEqualGUID(a, b)
#define IsEqualCLSID(a, b)	IsEqualGUID(a, b)

#endif /* ETW_WIN32_GUIDDEF_H */
