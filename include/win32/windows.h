/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * windows.h - the part of it that code using ETW needs
 *
 * For code ported from Windows.  Put include/win32 on the include path after
 * include/, and compile with -fshort-wchar if the code uses L"..." strings; printf() and the
 * like then take Microsoft's formats (<winstdio.h>).
 * All functions are inline, except GetLastError() and SetLastError() of libetw.  They are
 * those that code around ETW calls: memory, text, time, SIDs, messages, modules, files.
 * libetw-win32.a has the start of programs that have a wmain().
 *
 * _WIN32 is not defined, and long has its Linux size.  LONG and ULONG have 32 bits: without
 * -fshort-wchar print them with %d and %u.
 */
#ifndef ETW_WIN32_WINDOWS_H
#define ETW_WIN32_WINDOWS_H

#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <limits.h>

#include <specstrings.h>
#include <etw/winkeywords.h>
#include <etw/winerror.h>
#include <etw/winsec.h>
#include <etw/wintypes.h>
#include <guiddef.h>
#include <sal.h>
#include <wchar16.h>
#include <winstdio.h>

/* Directives of Microsoft's compiler (warning, comment, ...) mean nothing here. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

/* The version of Windows whose API this is; GetVersionEx() reports the same. */
#ifndef WINVER
#define WINVER			0x0A00
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT		WINVER
#endif
#ifndef NTDDI_VERSION
#define NTDDI_VERSION		0x0A000000
#endif

/* ------------------------------------------------------------------ words */

#define APIENTRY
#define WINAPIV
#define WINBASEAPI
#define WINADVAPI
#define NTSYSAPI
#define FAR
#define NEAR
#define PASCAL

#define IN
#define OUT
#define OPTIONAL

/* ---------------------------------------------------------------- types */

ETW_BEGIN_DECLS

typedef HANDLE HMODULE;
typedef HANDLE HINSTANCE;
typedef HANDLE HRSRC;
typedef HANDLE HGLOBAL;
typedef HANDLE HLOCAL;
typedef HANDLE HKEY;
typedef HANDLE HWND;
typedef DWORD LCID;
typedef WORD LANGID;
typedef WORD ATOM;
typedef double DATE;
typedef int HFILE;
typedef UINT_PTR WPARAM;
typedef LONG_PTR LPARAM;
typedef LONG_PTR LRESULT;
typedef HANDLE *LPHANDLE;
typedef HKEY *PHKEY;
typedef ULONG_PTR KAFFINITY;
typedef LONG SCODE;
typedef LONG LSTATUS;
typedef WCHAR OLECHAR;
typedef OLECHAR *LPOLESTR;
typedef const OLECHAR *LPCOLESTR;
typedef CHAR CCHAR;
typedef void *PSECURITY_ATTRIBUTES;
typedef void *LPSECURITY_ATTRIBUTES;
typedef void (WINAPI *FARPROC)(void);	/* which casts to any other without a warning */
typedef DWORD (WINAPI *PTHREAD_START_ROUTINE)(LPVOID lpThreadParameter);
typedef PTHREAD_START_ROUTINE LPTHREAD_START_ROUTINE;

/* A character of a program that is compiled with or without UNICODE */
#ifdef UNICODE
typedef WCHAR TCHAR;
#define __TEXT(s)		ETW_WIDE(s)
#else
typedef CHAR TCHAR;
#define __TEXT(s)		s
#endif
#define TEXT(s)			__TEXT(s)
typedef TCHAR *PTCHAR;
typedef TCHAR *PTSTR;
typedef TCHAR *LPTSTR;
typedef const TCHAR *PCTSTR;
typedef const TCHAR *LPCTSTR;

ETW_END_DECLS

/* ULONG has 32 bits, and code compares it with this. */
#undef ULONG_MAX
#define ULONG_MAX		0xFFFFFFFFu
#ifndef MAXDWORD
#define MAXDWORD		0xFFFFFFFFu
#endif
#ifndef MAXULONG
#define MAXULONG		0xFFFFFFFFu
#endif
#ifndef MAXUSHORT
#define MAXUSHORT		0xFFFFu
#endif
#define MAXBYTE			0xFFu
#define MAXWORD			0xFFFFu
#define MAXCHAR			0x7F
#define MAXSHORT		0x7FFF
#define MAXUINT32		0xFFFFFFFFu
#define MAXLONG			0x7FFFFFFF
#define MAXULONGLONG		0xFFFFFFFFFFFFFFFFull
#define MAXUINT64		MAXULONGLONG
#define MAXLONGLONG		0x7FFFFFFFFFFFFFFFll

#define LANG_NEUTRAL		0x00
#define LANG_ENGLISH		0x09
#define SUBLANG_NEUTRAL		0x00
#define SUBLANG_DEFAULT		0x01
#define MAKELANGID(p, s)	((WORD)((WORD)(s) << 10 | (WORD)(p)))
#define MAKELCID(l, s)		((DWORD)((DWORD)(s) << 16 | (WORD)(l)))

/* --------------------------------------------------------------- macros */

#define MAKEWORD(low, high)	((WORD)((BYTE)(low) | (WORD)(BYTE)(high) << 8))
#define MAKELONG(low, high)	((LONG)((WORD)(low) | (DWORD)(WORD)(high) << 16))
#define LOWORD(l)		((WORD)(DWORD_PTR)(l))
#define HIWORD(l)		((WORD)((DWORD_PTR)(l) >> 16))
#define LOBYTE(w)		((BYTE)(DWORD_PTR)(w))
#define HIBYTE(w)		((BYTE)((DWORD_PTR)(w) >> 8))
#define C_ASSERT(e)		typedef char ETW_C_ASSERT_(__LINE__)[(e) ? 1 : -1] ETW_UNUSED
#define ETW_C_ASSERT_(line)	ETW_C_ASSERT__(line)
#define ETW_C_ASSERT__(line)	etw_c_assert_##line
#define UFIELD_OFFSET(type, field)	((DWORD)offsetof(type, field))
#define __min(a, b)		((a) < (b) ? (a) : (b))
#define __max(a, b)		((a) > (b) ? (a) : (b))
/* In C++ the standard library has functions of these names, which macros would break. */
#if !defined(NOMINMAX) && !defined(__cplusplus)
#ifndef min
#define min(a, b)		__min(a, b)
#endif
#ifndef max
#define max(a, b)		__max(a, b)
#endif
#endif
#define Int32x32To64(a, b)	((LONGLONG)(LONG)(a) * (LONG)(b))
#define UInt32x32To64(a, b)	((ULONGLONG)(DWORD)(a) * (DWORD)(b))
#ifdef NDEBUG
#define _ASSERT(e)		((void)0)
#else
#define _ASSERT(e)		((e) ? (void)0 : abort())
#endif
#define _ASSERTE(e)		_ASSERT(e)

#ifndef UNICODE_NULL
#define UNICODE_NULL		((WCHAR)0)
#endif
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
#define _strtoi64		strtoll
#define _strtoui64		strtoull
#define _atoi64			atoll
#define _alloca			__builtin_alloca
#define _byteswap_ushort	__builtin_bswap16
#define _byteswap_ulong		__builtin_bswap32
#define _byteswap_uint64	__builtin_bswap64

/* ------------------------------------------------------------ functions */

ETW_BEGIN_DECLS

#if defined(__STRICT_ANSI__) && !defined(__cplusplus)
extern long syscall(long number, ...);	/* unistd.h hides it in this mode */
#endif

/* The byte order of networks: the C library's functions, declared as in <netinet/in.h> */
#ifndef _NETINET_IN_H
#ifdef __cplusplus
#define ETW_NOTHROW	noexcept
#else
#define ETW_NOTHROW
#endif
extern uint16_t ntohs(uint16_t netshort) ETW_NOTHROW;
extern uint16_t htons(uint16_t hostshort) ETW_NOTHROW;
extern uint32_t ntohl(uint32_t netlong) ETW_NOTHROW;
extern uint32_t htonl(uint32_t hostlong) ETW_NOTHROW;
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
#define HEAP_REALLOC_IN_PLACE_ONLY	0x00000010

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

/*
 * NULL, and lpMem is as it was: there is no memory, or none in place.  HEAP_ZERO_MEMORY
 * belongs to all calls for a block, or to none: what it adds follows the whole of the old
 * block, whose rest the C library cleared.
 */
static inline LPVOID HeapReAlloc(HANDLE hHeap, DWORD dwFlags, LPVOID lpMem, SIZE_T dwBytes)
{
	size_t old = malloc_usable_size(lpMem), size = dwBytes ? dwBytes : 1;
	char *to;

	UNREFERENCED_PARAMETER(hHeap);
	if (!lpMem || ((dwFlags & HEAP_REALLOC_IN_PLACE_ONLY) && size > old))
		return NULL;
	if (dwFlags & HEAP_REALLOC_IN_PLACE_ONLY)
		return lpMem;
	to = (char *)realloc(lpMem, size);
	if (!to || !(dwFlags & HEAP_ZERO_MEMORY))
		return to;
	size = malloc_usable_size(to);
	to = (char *)realloc(to, size);		/* stays; the compiler knows the whole block now */
	if (to && size > old)
		memset(to + old, 0, size - old);
	return to;
}

#define HeapEnableTerminationOnCorruption	1

/* malloc() ends a program with a damaged heap anyway. */
static inline BOOL HeapSetInformation(HANDLE HeapHandle, int HeapInformationClass,
				      PVOID HeapInformation, SIZE_T HeapInformationLength)
{
	UNREFERENCED_PARAMETER(HeapHandle);
	UNREFERENCED_PARAMETER(HeapInformationClass);
	UNREFERENCED_PARAMETER(HeapInformation);
	UNREFERENCED_PARAMETER(HeapInformationLength);
	return TRUE;
}

#define LMEM_FIXED		0x0000
#define LMEM_ZEROINIT		0x0040
#define LPTR			(LMEM_FIXED | LMEM_ZEROINIT)
#define GMEM_FIXED		LMEM_FIXED
#define GMEM_ZEROINIT		LMEM_ZEROINIT
#define GPTR			LPTR

/* Memory of functions that return it to be freed with LocalFree(); none can be moved */
static inline HLOCAL LocalAlloc(UINT uFlags, SIZE_T uBytes)
{
	return HeapAlloc(NULL, uFlags & LMEM_ZEROINIT ? HEAP_ZERO_MEMORY : 0, uBytes);
}

static inline HLOCAL LocalFree(HLOCAL hMem)
{
	free(hMem);
	return NULL;
}

static inline HGLOBAL GlobalAlloc(UINT uFlags, SIZE_T dwBytes)
{
	return LocalAlloc(uFlags, dwBytes);
}

static inline HGLOBAL GlobalFree(HGLOBAL hMem)
{
	return LocalFree(hMem);
}

/* Without a debugger, on Windows too, nobody sees these texts. */
static inline VOID OutputDebugStringA(LPCSTR lpOutputString)
{
	UNREFERENCED_PARAMETER(lpOutputString);
}

static inline VOID OutputDebugStringW(LPCWSTR lpOutputString)
{
	UNREFERENCED_PARAMETER(lpOutputString);
}

static inline BOOL IsDebuggerPresent(void)
{
	return FALSE;
}

ETW_END_DECLS

#ifdef UNICODE
#define OutputDebugString	OutputDebugStringW
#else
#define OutputDebugString	OutputDebugStringA
#endif

#include <consoleapi.h>
#include <fileapi.h>
#include <libloaderapi.h>
#include <stringapiset.h>
#include <securitybaseapi.h>
#include <sysinfoapi.h>
#include <interlockedapi.h>
#include <winbase.h>
#include <winnls.h>
#include <winternl.h>
#ifndef WIN32_LEAN_AND_MEAN
#include <objbase.h>
#include <shellapi.h>
#endif

#endif /* ETW_WIN32_WINDOWS_H */
