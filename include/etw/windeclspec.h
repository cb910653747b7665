/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * windeclspec.h - Microsoft's words of declarations: EXTERN_C, __declspec(), DECLSPEC_
 *
 * The headers that "etw mc" generates define their objects as those of mc.exe do, in the
 * form that other tools look for:
 *
 *	EXTERN_C __declspec(selectany) ULONG MyEnableBits[1];
 *
 * is a definition there, in spite of extern and without an initializer, and equal ones of
 * several files are one object.  An attribute alone does not give that.  Here
 * __declspec(selectany) ends the declaration that extern or extern "C" began, and opens a
 * definition: weak in C, inline in C++.  Each program and each shared object has its own, as
 * each DLL has there.  DECLSPEC_SELECTANY is only an attribute, because it also stands
 * behind the type; it needs an initializer.
 */
#ifndef ETW_WINDECLSPEC_H
#define ETW_WINDECLSPEC_H

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
#elif defined(__CHECKER__)	/* sparse, which asks for a declaration of what is not static */
#define ETW_DECLSPEC_selectany		ETW_SELECTANY static
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

#endif /* ETW_WINDECLSPEC_H */
