/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * winkeywords.h - words of Microsoft's compiler, for sources and headers written for it
 *
 * <windows.h> and <etw/nt/types.h> include this header.  Headers that mc.exe generated rely
 * on two of these words in a way that an attribute alone does not give:
 *
 *	EXTERN_C __declspec(selectany) ULONG MyEnableBits[1];
 *
 * is a definition there, in spite of extern and without an initializer, and equal ones of
 * several files are one object.  Here __declspec(selectany) ends the declaration that
 * extern or extern "C" began, and opens a definition: weak in C, inline in C++.  Each
 * program and each shared object has its own, as each DLL has there.  DECLSPEC_SELECTANY
 * is only an attribute, because it also stands behind the type; it needs an initializer.
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

#ifndef EXTERN_C
#ifdef __cplusplus
#define EXTERN_C		extern "C"
#define EXTERN_C_START		extern "C" {
#define EXTERN_C_END		}
#else
#define EXTERN_C		extern
#define EXTERN_C_START
#define EXTERN_C_END
#endif
#endif

/*
 * The declaration that takes the extern, static or attribute in front of a word that opens
 * a new declaration.  It is never called.
 */
#ifdef __cplusplus
extern "C" void etw_declaration_(void);
#define ETW_SELECTANY		void etw_declaration_(void); inline
#else
#ifdef __clang__
static __attribute__((unused)) void etw_declaration_(void);
#else
static __attribute__((unused)) void etw_declaration_(void)
{
}
#endif
#define ETW_SELECTANY		void etw_declaration_(void);
#endif

/* __declspec(x) for each documented x */
#ifndef __declspec
#define __declspec(x)			ETW_DECLSPEC_##x
#ifdef __cplusplus
#define ETW_DECLSPEC_selectany		ETW_SELECTANY __attribute__((used, visibility("hidden")))
#else
#define ETW_DECLSPEC_selectany		ETW_SELECTANY __attribute__((weak, visibility("hidden")))
#endif
#define ETW_DECLSPEC_align(n)		__attribute__((aligned(n)))
#define ETW_DECLSPEC_allocate(segment)
#define ETW_DECLSPEC_allocator
#define ETW_DECLSPEC_code_seg(segment)
#define ETW_DECLSPEC_deprecated		__attribute__((deprecated))
#define ETW_DECLSPEC_dllexport		__attribute__((visibility("default")))
#define ETW_DECLSPEC_dllimport
#define ETW_DECLSPEC_empty_bases
#define ETW_DECLSPEC_guard(kind)
#define ETW_DECLSPEC_intrin_type
#define ETW_DECLSPEC_jitintrinsic
#define ETW_DECLSPEC_noalias
#define ETW_DECLSPEC_noinline		__attribute__((noinline))
#define ETW_DECLSPEC_noreturn		__attribute__((noreturn))
#define ETW_DECLSPEC_nothrow
#define ETW_DECLSPEC_novtable
#define ETW_DECLSPEC_no_sanitize_address
#define ETW_DECLSPEC_restrict
#define ETW_DECLSPEC_safebuffers
#define ETW_DECLSPEC_spectre(kind)
#define ETW_DECLSPEC_thread		__thread
#define ETW_DECLSPEC_uuid(text)
#endif

#define DECLSPEC_ALIGN(n)	__attribute__((aligned(n)))
#define DECLSPEC_CACHEALIGN	__attribute__((aligned(64)))
#define DECLSPEC_NOINLINE	__attribute__((noinline))
#define DECLSPEC_NORETURN	__attribute__((noreturn))
#define DECLSPEC_SELECTANY	__attribute__((weak))
#define DECLSPEC_DEPRECATED	__attribute__((deprecated))
#define DECLSPEC_IMPORT
#define DECLSPEC_EXPORT		__attribute__((visibility("default")))
#define DECLSPEC_NOTHROW
#define DECLSPEC_NOVTABLE
#define DECLSPEC_UUID(text)
#define DECLSPEC_RESTRICT
#define DECLSPEC_SAFEBUFFERS
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
