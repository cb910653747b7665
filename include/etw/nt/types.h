/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * types.h - types and macros of Windows drivers; include <etw/nt/etw.h>
 *
 * Kernel modules only.  The types, NTSTATUS codes, counted strings and small macros that
 * the tracing code of a driver uses.  Devices and IRPs are only declared here, so that code
 * can pass pointers on; include/win32-km/wdm.h has a stand-in for them.  IN, OUT and OPTIONAL
 * are not defined, because Linux's headers use these words as names.
 *
 * WCHAR is u16.  The kernel is built with -fshort-wchar, so L"..." is a WCHAR string, and
 * the kernel's own UTF-16 functions take WCHAR strings.
 *
 * An IRQL is a context here:
 *
 *	PASSIVE_LEVEL	process context, may sleep
 *	APC_LEVEL	the same
 *	DISPATCH_LEVEL	softirq, or process context that may not sleep (preemption,
 *			bottom halves or interrupts are off)
 *	above		hardirq, NMI
 *
 * Source: Microsoft's pages "NTSTATUS Values", "UNICODE_STRING structure",
 * "RtlInitUnicodeString function" and "Managing Hardware Priorities".
 */
#ifndef ETW_NTTYPES_H
#define ETW_NTTYPES_H

#ifndef __KERNEL__
#error "etw/nt/types.h is for kernel modules; programs include <windows.h> of include/win32"
#endif

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <etw/winkeywords.h>
#include <etw/winerror.h>
#include <etw/winsec.h>
#include <etw/wintypes.h>
#include "win32/sal.h"

/* ----------------------------------------------------- compiler keywords */

#ifndef NTAPI
#define NTAPI
#endif
#define NTSYSAPI

#define UNREFERENCED_PARAMETER(p)	((void)(p))
#ifndef ARRAYSIZE
#define ARRAYSIZE(a)		ARRAY_SIZE(a)
#endif
#define RTL_NUMBER_OF(a)	ARRAY_SIZE(a)
#define C_ASSERT(e)		static_assert(e)
#define NT_ASSERT(e)		((void)WARN_ON_ONCE(!(e)))
#define FIELD_OFFSET(type, field)	((LONG)offsetof(type, field))
#define CONTAINING_RECORD(address, type, field)	container_of(address, type, field)

#define RtlZeroMemory(dst, len)		((void)memset((dst), 0, (len)))
#define RtlFillMemory(dst, len, byte)	((void)memset((dst), (byte), (len)))
#define RtlCopyMemory(dst, src, len)	((void)memcpy((dst), (src), (len)))
#define RtlMoveMemory(dst, src, len)	((void)memmove((dst), (src), (len)))
#define RtlZeroBytes			RtlZeroMemory
#define RtlFillBytes			RtlFillMemory
#define RtlCopyBytes			RtlCopyMemory

/* Opaque objects */
typedef struct _DRIVER_OBJECT DRIVER_OBJECT, *PDRIVER_OBJECT;
typedef struct _DEVICE_OBJECT DEVICE_OBJECT, *PDEVICE_OBJECT;
typedef struct _IRP IRP, *PIRP;

/* --------------------------------------------------------------- NTSTATUS */

/*
 * etw.ko's errnos as NTSTATUS:
 *
 *	0		STATUS_SUCCESS
 *	-EINVAL		STATUS_INVALID_PARAMETER	wrong argument, over 128 pieces
 *	-EBADF		STATUS_INVALID_HANDLE		not registered
 *	-ENOMEM		STATUS_NO_MEMORY
 *	-ENOBUFS	STATUS_NO_MEMORY		no free buffer, event lost
 *	-EMSGSIZE	STATUS_BUFFER_OVERFLOW		larger than the buffer, event lost
 *	-EOVERFLOW	STATUS_INTEGER_OVERFLOW		over 64 KB, event lost
 *	-EEXIST, -EBUSY	STATUS_OBJECT_NAME_COLLISION	has traits, is registered
 *	-EPERM, -EACCES	STATUS_ACCESS_DENIED
 *	-ENOSPC		STATUS_INSUFFICIENT_RESOURCES	a limit is reached
 *	-ENAMETOOLONG	STATUS_NAME_TOO_LONG
 *	-EDEADLK	STATUS_POSSIBLE_DEADLOCK	from the provider's own callback
 *	-EOPNOTSUPP	STATUS_NOT_SUPPORTED
 *	any other	STATUS_UNSUCCESSFUL
 *
 * Each corresponds to the Win32 error that a program gets for the same errno.
 * STATUS_BUFFER_OVERFLOW is a warning; NT_SUCCESS() is false for it, too.
 */
static noinline __cold __maybe_unused NTSTATUS etw_nt_error(int err)
{
	switch (err) {
	case -EINVAL:
		return STATUS_INVALID_PARAMETER;
	case -EBADF:
		return STATUS_INVALID_HANDLE;
	case -ENOMEM:
	case -ENOBUFS:
		return STATUS_NO_MEMORY;
	case -EMSGSIZE:
		return STATUS_BUFFER_OVERFLOW;
	case -EOVERFLOW:
		return STATUS_INTEGER_OVERFLOW;
	case -EEXIST:
	case -EBUSY:
		return STATUS_OBJECT_NAME_COLLISION;
	case -EPERM:
	case -EACCES:
		return STATUS_ACCESS_DENIED;
	case -ENOSPC:
		return STATUS_INSUFFICIENT_RESOURCES;
	case -ENAMETOOLONG:
		return STATUS_NAME_TOO_LONG;
	case -EDEADLK:
		return STATUS_POSSIBLE_DEADLOCK;
	case -EOPNOTSUPP:
		return STATUS_NOT_SUPPORTED;
	default:
		return STATUS_UNSUCCESSFUL;
	}
}

static __always_inline NTSTATUS etw_nt_status(int err)
{
	return likely(!err) ? STATUS_SUCCESS : etw_nt_error(err);
}

/* An NTSTATUS as an errno, for module_init() and other functions that Linux calls. */
static inline int etw_nt_errno(NTSTATUS status)
{
	if (NT_SUCCESS(status))
		return 0;
	switch (status) {
	case STATUS_INVALID_PARAMETER:
		return -EINVAL;
	case STATUS_INVALID_HANDLE:
		return -EBADF;
	case STATUS_NO_MEMORY:
		return -ENOMEM;
	case STATUS_OBJECT_NAME_COLLISION:
		return -EEXIST;
	case STATUS_ACCESS_DENIED:
		return -EPERM;
	case STATUS_INSUFFICIENT_RESOURCES:
		return -ENOSPC;
	case STATUS_NAME_TOO_LONG:
		return -ENAMETOOLONG;
	case STATUS_POSSIBLE_DEADLOCK:
		return -EDEADLK;
	case STATUS_NOT_SUPPORTED:
		return -EOPNOTSUPP;
	default:
		return -EIO;
	}
}

/* ------------------------------------------------------------------ IRQLs */

typedef UCHAR KIRQL, *PKIRQL;

#define PASSIVE_LEVEL		0
#define APC_LEVEL		1
#define DISPATCH_LEVEL		2
#define HIGH_LEVEL		15

static inline KIRQL KeGetCurrentIrql(void)
{
	if (in_nmi() || in_hardirq())
		return HIGH_LEVEL;
	if (preempt_count() || irqs_disabled())
		return DISPATCH_LEVEL;
	return PASSIVE_LEVEL;
}

#define PAGED_CODE()		might_sleep()

/* ---------------------------------------------------------------- strings */

#define UNICODE_NULL		((WCHAR)0)
#ifndef ANSI_NULL
#define ANSI_NULL		((CHAR)0)
#endif

/* Counted UTF-16, which need not end in a NUL; lengths are bytes */
typedef struct _UNICODE_STRING {
	USHORT Length;		/* without a NUL */
	USHORT MaximumLength;	/* size of the memory at Buffer */
	PWSTR Buffer;		/* may be NULL if Length is 0 */
} UNICODE_STRING, *PUNICODE_STRING;
typedef const UNICODE_STRING *PCUNICODE_STRING;

typedef struct _STRING {
	USHORT Length;
	USHORT MaximumLength;
	PCHAR Buffer;
} STRING, *PSTRING, ANSI_STRING, *PANSI_STRING;
typedef const STRING *PCANSI_STRING;

#define RTL_CONSTANT_STRING(s)						\
	{								\
		.Length = sizeof(s) - sizeof((s)[0]),			\
		.MaximumLength = sizeof(s),				\
		.Buffer = (void *)(s)					\
	}
#define DECLARE_CONST_UNICODE_STRING(var, s)				\
	const UNICODE_STRING var = RTL_CONSTANT_STRING(s)

/* Units up to the first NUL, at most max */
static inline SIZE_T etw_nt_wcsnlen(PCWSTR s, SIZE_T max)
{
	SIZE_T n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

#ifndef wcslen
#define wcslen(s)		etw_nt_wcsnlen((s), SIZE_MAX)
#endif

/* Does not copy SourceString; NULL gives an empty string.  At most 32,766 units */
static inline VOID RtlInitUnicodeString(PUNICODE_STRING DestinationString,
					PCWSTR SourceString)
{
	SIZE_T n = SourceString ? etw_nt_wcsnlen(SourceString, 0x7FFE) : 0;

	DestinationString->Length = n * sizeof(WCHAR);
	DestinationString->MaximumLength = SourceString ? (n + 1) * sizeof(WCHAR) : 0;
	DestinationString->Buffer = (PWSTR)SourceString;
}

/* Bytes of a SID */
static inline ULONG RtlLengthSid(const VOID *Sid)
{
	return offsetof(SID, SubAuthority) +
	       ((const SID *)Sid)->SubAuthorityCount * sizeof(DWORD);
}

static inline bool etw_nt_same_guid(LPCGUID a, LPCGUID b)
{
	return !memcmp(a, b, sizeof(*a));
}

#ifndef IsEqualGUID
#define IsEqualGUID(a, b)	etw_nt_same_guid((a), (b))
#endif

#endif /* ETW_NTTYPES_H */
