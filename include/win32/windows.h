/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * windows.h - the part of it that code using ETW needs
 *
 * For code ported from Windows.  Put include/win32 on the include path after
 * include/, and compile with -fshort-wchar if the code uses L"..." strings.
 * All functions are inline, except GetLastError() and SetLastError() of libetw.
 *
 * _WIN32 is not defined, and long has its Linux size.  LONG and ULONG have 32 bits: print
 * them with %d and %u.
 */
#ifndef ETW_WIN32_WINDOWS_H
#define ETW_WIN32_WINDOWS_H

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <etw/winerror.h>
#include <etw/wintypes.h>
#include <guiddef.h>
#include <sal.h>
#include <wchar16.h>

/* ----------------------------------------------------- compiler keywords */

#define __stdcall
#define __cdecl
#define __fastcall
#define _cdecl
#define _stdcall
#define APIENTRY
#define WINAPIV
#define WINBASEAPI

#ifndef __int64
#define __int64			long long
#endif
#ifndef __forceinline
#define __forceinline		inline __attribute__((always_inline))
#endif
#ifndef FORCEINLINE
#define FORCEINLINE		__forceinline
#endif
#define DECLSPEC_SELECTANY	__attribute__((weak))
#define DECLSPEC_NOINLINE	__attribute__((noinline))
#define DECLSPEC_NORETURN	__attribute__((noreturn))

/* __declspec(x) for the x that code using ETW contains */
#ifndef __declspec
#define __declspec(x)		ETW_DECLSPEC_##x
#define ETW_DECLSPEC_selectany	__attribute__((weak))
#define ETW_DECLSPEC_noinline	__attribute__((noinline))
#define ETW_DECLSPEC_noreturn	__attribute__((noreturn))
#define ETW_DECLSPEC_dllexport	__attribute__((visibility("default")))
#define ETW_DECLSPEC_dllimport
#define ETW_DECLSPEC_thread	__thread
#define ETW_DECLSPEC_align(n)	__attribute__((aligned(n)))
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

#define IN
#define OUT
#define OPTIONAL

/* --------------------------------------------------------------- macros */

#define MAX_PATH		260
#define INVALID_HANDLE_VALUE	((HANDLE)(LONG_PTR)-1)

#define UNREFERENCED_PARAMETER(p)	((void)(p))
#define DBG_UNREFERENCED_PARAMETER(p)	((void)(p))

#define ARRAYSIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define RTL_NUMBER_OF(a)	ARRAYSIZE(a)
#ifndef _countof
#define _countof(a)		ARRAYSIZE(a)
#endif
#define FIELD_OFFSET(type, field)	((LONG)offsetof(type, field))
#define RTL_FIELD_SIZE(type, field)	(sizeof(((type *)0)->field))
#define CONTAINING_RECORD(address, type, field)				\
	((type *)((char *)(address) - offsetof(type, field)))

#define ZeroMemory(dst, len)		((void)memset((dst), 0, (len)))
#define FillMemory(dst, len, byte)	((void)memset((dst), (byte), (len)))
#define CopyMemory(dst, src, len)	((void)memcpy((dst), (src), (len)))
#define MoveMemory(dst, src, len)	((void)memmove((dst), (src), (len)))
#define RtlZeroMemory(dst, len)		ZeroMemory(dst, len)
#define RtlFillMemory(dst, len, byte)	FillMemory(dst, len, byte)
#define RtlCopyMemory(dst, src, len)	CopyMemory(dst, src, len)
#define RtlMoveMemory(dst, src, len)	MoveMemory(dst, src, len)

/* Other names of C library functions */
#define _stricmp		strcasecmp
#define _strnicmp		strncasecmp
#define _strdup			etw_strdup
#define _snprintf		snprintf	/* unlike Windows, terminates */
#define _vsnprintf		vsnprintf
#define _strtoi64		strtoll
#define _strtoui64		strtoull
#define _atoi64			atoll

/* ------------------------------------------------------------ functions */

ETW_BEGIN_DECLS

#if defined(__STRICT_ANSI__) && !defined(__cplusplus)
extern long syscall(long number, ...);	/* unistd.h hides it in this mode */
#endif

static inline char *etw_strdup(const char *s)
{
	size_t size = strlen(s) + 1;
	char *copy = (char *)malloc(size);

	if (copy)
		memcpy(copy, s, size);
	return copy;
}

static inline DWORD GetCurrentProcessId(void)
{
	return (DWORD)getpid();
}

static inline DWORD GetCurrentThreadId(void)
{
	return (DWORD)syscall(SYS_gettid);
}

/* Continues after signals: Linux leaves the remaining time in tv. */
static inline VOID Sleep(DWORD dwMilliseconds)
{
	struct timeval tv;

	if (dwMilliseconds == 0) {
		sched_yield();
		return;
	}
	while (dwMilliseconds == INFINITE)
		select(0, NULL, NULL, NULL, NULL);
	tv.tv_sec = dwMilliseconds / 1000;
	tv.tv_usec = dwMilliseconds % 1000 * 1000;
	while (select(0, NULL, NULL, NULL, &tv) < 0 && errno == EINTR)
		;
}

#define HEAP_NO_SERIALIZE	0x00000001
#define HEAP_ZERO_MEMORY	0x00000008

/* The only heap is that of malloc(). */
static inline HANDLE GetProcessHeap(void)
{
	return (HANDLE)(ULONG_PTR)1;
}

static inline LPVOID HeapAlloc(HANDLE hHeap, DWORD dwFlags, SIZE_T dwBytes)
{
	size_t size = dwBytes ? dwBytes : 1;

	UNREFERENCED_PARAMETER(hHeap);
	return dwFlags & HEAP_ZERO_MEMORY ? calloc(1, size) : malloc(size);
}

static inline BOOL HeapFree(HANDLE hHeap, DWORD dwFlags, LPVOID lpMem)
{
	UNREFERENCED_PARAMETER(hHeap);
	UNREFERENCED_PARAMETER(dwFlags);
	free(lpMem);
	return TRUE;
}

ETW_END_DECLS

#endif /* ETW_WIN32_WINDOWS_H */
