/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * wintypes.h - the Windows base types that the Windows-named headers share
 *
 * Programs include <evntprov.h>, <evntrace.h> or <evntcons.h>, and kernel modules
 * <etw/nt/etw.h>, instead of this header.  The sizes are those of 64-bit Windows:
 *
 *	ULONG, LONG, DWORD	32 bits
 *	ULONGLONG, ULONG64	64 bits, "unsigned long long": print with %llu
 *	INT64, UINT64		64 bits, int64_t and uint64_t: print with PRIu64
 *	ULONG_PTR, SIZE_T	as wide as a pointer
 *	WCHAR			one UTF-16 unit: wchar_t if that has 16 bits
 *				(-fshort-wchar, and in the kernel), else char16_t
 *
 * A function whose name ends in W takes WCHAR strings; the same name with A takes
 * UTF-8.  The name without a suffix is a macro for W if UNICODE is defined
 * before the header is included, else for A.
 */
#ifndef ETW_WINTYPES_H
#define ETW_WINTYPES_H

#ifdef __KERNEL__
#include <linux/stddef.h>
#include <linux/types.h>
#else
#include <stddef.h>
#include <stdint.h>
#endif

#if !defined(__SIZEOF_WCHAR_T__) || !defined(__BYTE_ORDER__)
#error "etw needs gcc or clang"
#elif __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "etw needs a little-endian machine"
#endif

#if __SIZEOF_WCHAR_T__ != 2 && !defined(__cplusplus)
#include <uchar.h>
#endif

/* Around all declarations; __extension__ does not silence this warning of clang++ */
#if defined(__cplusplus) && defined(__clang__)
#define ETW_BEGIN_DECLS							\
	_Pragma("clang diagnostic push")				\
	_Pragma("clang diagnostic ignored \"-Wnested-anon-types\"")	\
	extern "C" {
#define ETW_END_DECLS							\
	}								\
	_Pragma("clang diagnostic pop")
#elif defined(__cplusplus)
#define ETW_BEGIN_DECLS		extern "C" {
#define ETW_END_DECLS		}
#else
#define ETW_BEGIN_DECLS
#define ETW_END_DECLS
#endif

/* On every function that libetw exports */
#define ETW_API			__attribute__((visibility("default")))
/* Before an anonymous struct, which is standard in C11 but an extension in C++ */
#define ETW_ANONYMOUS		__extension__
/* On constants of a header that a source file might not use */
#define ETW_UNUSED		__attribute__((unused))

/* Calling conventions have no effect; the names are for ported code. */
#ifndef WINAPI
#define WINAPI
#endif
#ifndef NTAPI
#define NTAPI
#endif
#ifndef CALLBACK
#define CALLBACK
#endif
#ifndef EVNTAPI
#define EVNTAPI
#endif
#ifndef WMIAPI
#define WMIAPI
#endif

#ifndef VOID
#define VOID			void
#endif
#ifndef CONST
#define CONST			const
#endif
#ifndef TRUE
#define TRUE			1
#endif
#ifndef FALSE
#define FALSE			0
#endif
#ifndef INFINITE
#define INFINITE		0xFFFFFFFFu	/* a timeout that never ends */
#endif
#ifndef ANYSIZE_ARRAY
#define ANYSIZE_ARRAY		1	/* declared length of an array of variable length */
#endif

ETW_BEGIN_DECLS

typedef void *PVOID;
typedef void *LPVOID;
typedef const void *LPCVOID;
typedef void *HANDLE;
typedef HANDLE *PHANDLE;

typedef char CHAR;
typedef signed char INT8;
typedef unsigned char UCHAR;
typedef unsigned char BYTE;
typedef unsigned char UINT8;
typedef uint8_t BOOLEAN;
typedef int16_t SHORT;
typedef int16_t INT16;
typedef uint16_t USHORT;
typedef uint16_t WORD;
typedef uint16_t UINT16;
typedef int32_t INT;
typedef int32_t INT32;
typedef int32_t LONG;
typedef int32_t LONG32;
typedef int32_t BOOL;
typedef int32_t HRESULT;
typedef int32_t NTSTATUS;
typedef uint32_t UINT;
typedef uint32_t UINT32;
typedef uint32_t ULONG;
typedef uint32_t ULONG32;
typedef uint32_t DWORD;
typedef uint32_t DWORD32;
typedef long long LONGLONG;
typedef long long LONG64;
typedef int64_t INT64;
typedef unsigned long long ULONGLONG;
typedef unsigned long long ULONG64;
typedef uint64_t UINT64;
typedef unsigned long long DWORD64;
typedef unsigned long long DWORDLONG;
typedef __INTPTR_TYPE__ INT_PTR;
typedef __INTPTR_TYPE__ LONG_PTR;
typedef uintptr_t UINT_PTR;
typedef uintptr_t ULONG_PTR;
typedef uintptr_t DWORD_PTR;
typedef size_t SIZE_T;
typedef ptrdiff_t SSIZE_T;
typedef float FLOAT;
typedef double DOUBLE;

#if __SIZEOF_WCHAR_T__ == 2
#ifdef __KERNEL__
typedef __WCHAR_TYPE__ WCHAR;
#else
typedef wchar_t WCHAR;
#endif
#define ETW_WIDE_(s)		L##s
#else
typedef char16_t WCHAR;
#define ETW_WIDE_(s)		u##s
#endif
#define ETW_WIDE(s)		ETW_WIDE_(s)	/* "x" as a WCHAR string */

typedef CHAR *PCHAR, *PCH, *LPCH;
typedef CHAR *PSTR, *LPSTR, *NPSTR, *PSZ, *PZZSTR;
typedef const CHAR *PCSTR, *LPCSTR, *PCSZ, *PCCH, *LPCCH, *PCZZSTR;
typedef WCHAR *PWCHAR, *PWCH, *LPWCH;
typedef WCHAR *PWSTR, *LPWSTR, *NWPSTR, *PZZWSTR;
typedef const WCHAR *PCWSTR, *LPCWSTR, *PCWCH, *LPCWCH, *PCZZWSTR;
typedef WCHAR *BSTR;	/* ends at a NUL; the length in front of the text is not used */

typedef UCHAR *PUCHAR;
typedef BYTE *PBYTE;
typedef BYTE *LPBYTE;
typedef BOOLEAN *PBOOLEAN;
typedef SHORT *PSHORT;
typedef USHORT *PUSHORT;
typedef WORD *PWORD, *LPWORD;
typedef INT *PINT, *LPINT;
typedef UINT *PUINT;
typedef LONG *PLONG, *LPLONG;
typedef ULONG *PULONG;
typedef DWORD *PDWORD, *LPDWORD;
typedef BOOL *PBOOL, *LPBOOL;
typedef INT8 *PINT8;
typedef UINT8 *PUINT8;
typedef INT16 *PINT16;
typedef UINT16 *PUINT16;
typedef INT32 *PINT32;
typedef LONG32 *PLONG32;
typedef UINT32 *PUINT32;
typedef ULONG32 *PULONG32;
typedef DWORD32 *PDWORD32;
typedef LONGLONG *PLONGLONG;
typedef ULONGLONG *PULONGLONG;
typedef LONG64 *PLONG64;
typedef ULONG64 *PULONG64;
typedef INT64 *PINT64;
typedef UINT64 *PUINT64;
typedef DWORD64 *PDWORD64;
typedef DWORDLONG *PDWORDLONG;
typedef INT_PTR *PINT_PTR;
typedef UINT_PTR *PUINT_PTR;
typedef LONG_PTR *PLONG_PTR;
typedef ULONG_PTR *PULONG_PTR;
typedef DWORD_PTR *PDWORD_PTR;
typedef SIZE_T *PSIZE_T;
typedef SSIZE_T *PSSIZE_T;
typedef FLOAT *PFLOAT;

typedef union _LARGE_INTEGER {
	ETW_ANONYMOUS struct {
		DWORD LowPart;
		LONG HighPart;
	};
	struct {
		DWORD LowPart;
		LONG HighPart;
	} u;
	LONGLONG QuadPart;
} LARGE_INTEGER, *PLARGE_INTEGER;

typedef union _ULARGE_INTEGER {
	ETW_ANONYMOUS struct {
		DWORD LowPart;
		DWORD HighPart;
	};
	struct {
		DWORD LowPart;
		DWORD HighPart;
	} u;
	ULONGLONG QuadPart;
} ULARGE_INTEGER, *PULARGE_INTEGER;

/* 100 ns units since 1601-01-01 UTC, in two halves; aligned to only 4 bytes */
typedef struct _FILETIME {
	DWORD dwLowDateTime;
	DWORD dwHighDateTime;
} FILETIME, *PFILETIME, *LPFILETIME;

typedef struct _SYSTEMTIME {
	WORD wYear;
	WORD wMonth;		/* 1..12 */
	WORD wDayOfWeek;	/* 0 = Sunday */
	WORD wDay;
	WORD wHour;
	WORD wMinute;
	WORD wSecond;
	WORD wMilliseconds;
} SYSTEMTIME, *PSYSTEMTIME, *LPSYSTEMTIME;

typedef struct _TIME_ZONE_INFORMATION {
	LONG Bias;		/* minutes: UTC = local time + Bias */
	WCHAR StandardName[32];
	SYSTEMTIME StandardDate;
	LONG StandardBias;	/* minutes, added to Bias */
	WCHAR DaylightName[32];
	SYSTEMTIME DaylightDate;
	LONG DaylightBias;
} TIME_ZONE_INFORMATION, *PTIME_ZONE_INFORMATION, *LPTIME_ZONE_INFORMATION;

/* {01234567-89ab-cdef-0123-456789abcdef}: Data1 to Data3 little endian */
#ifndef GUID_DEFINED
#define GUID_DEFINED
typedef struct _GUID {
	ULONG Data1;
	USHORT Data2;
	USHORT Data3;
	UCHAR Data4[8];
} GUID;
#endif

typedef GUID *PGUID;
typedef GUID *LPGUID;
typedef const GUID *LPCGUID;
typedef const GUID *PCGUID;
typedef GUID IID;
typedef GUID CLSID;

ETW_END_DECLS

/* By reference in C++, by pointer in C */
#ifdef __cplusplus
#define REFGUID			const GUID &
#define REFIID			const IID &
#define REFCLSID		const CLSID &
#else
#define REFGUID			const GUID *
#define REFIID			const IID *
#define REFCLSID		const CLSID *
#endif

#endif /* ETW_WINTYPES_H */
