/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * winkeywords.h - words of Microsoft's compiler, for sources and headers written for it
 *
 * <windows.h> and <etw/nt/types.h> include this header; <etw/windeclspec.h> has the words of
 * declarations.  Headers that mc.exe generated rely on functions in a way that the words of
 * C do not give:
 *
 *	DECLSPEC_NOINLINE __inline ULONG McGenEventWrite(...) { ... }
 *
 * is a function that each file may contain.  The inline of C11 alone would emit no code
 * for it, so in C __inline, __forceinline and FORCEINLINE are static, also behind a
 * static or extern; "__inline static" is not possible.
 */
#ifndef ETW_WINKEYWORDS_H
#define ETW_WINKEYWORDS_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#else
#include <stdint.h>		/* and with it the C library's use of __inline */
#endif

#define __stdcall
#define __cdecl
#define __fastcall
#define __vectorcall
#define __thiscall
#define __clrcall
#define _cdecl
#define _stdcall
#define _fastcall
#define __ptr32
#define __ptr64
#define __unaligned
#define __w64
#define UNALIGNED
#define UNALIGNED64

#ifndef __int64
#define __int64			long long
#endif
#ifndef __int32
#define __int32			int
#endif
#ifndef __int16
#define __int16			short
#endif
#ifndef __int8
#define __int8			char
#endif

#include <etw/windeclspec.h>

#define MEMORY_ALLOCATION_ALIGNMENT	16
#define SYSTEM_CACHE_ALIGNMENT_SIZE	64

#undef __forceinline
#undef FORCEINLINE
#ifdef __cplusplus
#define __forceinline		inline __attribute__((always_inline))
#define _inline			inline
#else
/*
 * Headers of the C library that come later see the new __inline in these macros, and would
 * declare a function "extern static".
 */
#if defined(__GLIBC__) && !defined(__KERNEL__)
#undef __always_inline
#define __always_inline		__inline__ __attribute__((__always_inline__))
#undef __extern_inline
#define __extern_inline		extern __inline__ __attribute__((__gnu_inline__))
#undef __extern_always_inline
#define __extern_always_inline	extern __always_inline __attribute__((__gnu_inline__))
#endif
#ifdef __KERNEL__
/* The kernel's asm_inline is "asm __inline": do without its hint about the size. */
#undef asm_inline
#define asm_inline		asm
#endif
#undef __inline
#define __inline		void etw_declaration_(void); static __inline__ __attribute__((unused))
#define _inline			__inline
#define __forceinline							\
	void etw_declaration_(void); static __inline__ __attribute__((always_inline, unused))
#endif
#define FORCEINLINE		__forceinline
#define CFORCEINLINE		FORCEINLINE

#endif /* ETW_WINKEYWORDS_H */
