/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * wdm.h - for ported drivers: their tracing code, and a stand-in for devices and requests
 *
 * The tracing code needs only <etw/nt/etw.h>.  With
 *
 *	ccflags-y += -DETW_DRIVER_LICENSE='"GPL"'
 *
 * in its Kbuild, a Windows driver is a module of that license, which must be compatible with the
 * GPL: loading calls DriverEntry(), unloading DriverUnload().  etw_driver.h beside this header has
 * the functions that make devices and complete requests.
 *
 * It has			It lacks
 *
 * /dev/NAME for		several links to a device, security descriptors: only root may
 * \DosDevices\NAME		open it; each link takes one of Linux's major numbers
 * requests for one device	driver stacks, IoCallDriver(), completion routines, Plug and Play,
 *				power management: suspend fails while a request is held
 * DO_BUFFERED_IO,		MDLs, METHOD_IN_DIRECT, METHOD_OUT_DIRECT, METHOD_NEITHER, overlapped
 * METHOD_BUFFERED		requests
 * pending requests, cancel	cancel-safe queues, StartIo, remove locks
 * routines
 * lists, spin locks,		events and other waits, threads, work items, timers, DPCs, interrupts
 * interlocked operations
 * pool memory, the time,	registry, Zw functions, counted strings beyond RtlInitUnicodeString()
 * DbgPrint()
 *
 * Semantics: Microsoft's pages "Writing a DriverEntry Routine", "IO_STACK_LOCATION structure" and
 * "IRP structure".
 */
#ifndef ETW_WIN32_KM_WDM_H
#define ETW_WIN32_KM_WDM_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/llist.h>
#include <linux/math64.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <etw/nt/etw.h>
#include "../win32/winioctl.h"
#include "etw_rtl.h"

/* Requests */
#define IRP_MJ_CREATE			0x00
#define IRP_MJ_CLOSE			0x02
#define IRP_MJ_READ			0x03
#define IRP_MJ_WRITE			0x04
#define IRP_MJ_FLUSH_BUFFERS		0x09
#define IRP_MJ_DEVICE_CONTROL		0x0e
#define IRP_MJ_INTERNAL_DEVICE_CONTROL	0x0f
#define IRP_MJ_SHUTDOWN			0x10
#define IRP_MJ_CLEANUP			0x12
#define IRP_MJ_POWER			0x16
#define IRP_MJ_SYSTEM_CONTROL		0x17
#define IRP_MJ_PNP			0x1b
#define IRP_MJ_MAXIMUM_FUNCTION		0x1b

#define SL_PENDING_RETURNED		0x01
#define IO_NO_INCREMENT			0
#define DO_BUFFERED_IO			0x00000004
#define DO_EXCLUSIVE			0x00000008
#define DO_DIRECT_IO			0x00000010
#define DO_DEVICE_INITIALIZING		0x00000080
#define FILE_DEVICE_SECURE_OPEN		0x00000100

typedef CHAR CCHAR, KPROCESSOR_MODE;
#define KernelMode			0
#define UserMode			1

typedef NTSTATUS DRIVER_INITIALIZE(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath);
typedef DRIVER_INITIALIZE *PDRIVER_INITIALIZE;
typedef VOID DRIVER_UNLOAD(PDRIVER_OBJECT DriverObject);
typedef DRIVER_UNLOAD *PDRIVER_UNLOAD;
typedef NTSTATUS DRIVER_DISPATCH(PDEVICE_OBJECT DeviceObject, PIRP Irp);
typedef DRIVER_DISPATCH *PDRIVER_DISPATCH;
typedef DRIVER_DISPATCH DRIVER_DISPATCH_PAGED;
typedef VOID DRIVER_CANCEL(PDEVICE_OBJECT DeviceObject, PIRP Irp);
typedef DRIVER_CANCEL *PDRIVER_CANCEL;

struct _DRIVER_OBJECT {
	PDEVICE_OBJECT DeviceObject;	/* the last one created */
	UNICODE_STRING DriverName;
	PDRIVER_UNLOAD DriverUnload;
	PDRIVER_DISPATCH MajorFunction[IRP_MJ_MAXIMUM_FUNCTION + 1];
};

struct _DEVICE_OBJECT {
	PDRIVER_OBJECT DriverObject;
	PDEVICE_OBJECT NextDevice;
	ULONG Flags;
	ULONG Characteristics;
	PVOID DeviceExtension;		/* zeroed; its size was given to IoCreateDevice() */
	DEVICE_TYPE DeviceType;
	CCHAR StackSize;
	/* not the driver's */
	struct kref etw_ref;		/* the driver's and one of each FILE_OBJECT */
	unsigned int etw_major;		/* of /dev/etw_link; 0: it is not there */
	char etw_name[80];
	char etw_link[80];		/* the name in /dev, or empty */
};

/* What one open() opened: IRP_MJ_CLEANUP ends its descriptors, IRP_MJ_CLOSE the object */
typedef struct _FILE_OBJECT {
	PDEVICE_OBJECT DeviceObject;
	PVOID FsContext;
	PVOID FsContext2;
	UNICODE_STRING FileName;	/* empty */
	/* not the driver's */
	refcount_t etw_ref;		/* the descriptors' and one of each IRP */
	BOOLEAN etw_opened;		/* IRP_MJ_CLOSE is due at the end */
} FILE_OBJECT, *PFILE_OBJECT;

typedef struct _IO_STATUS_BLOCK {
	union {
		NTSTATUS Status;
		PVOID Pointer;
	};
	ULONG_PTR Information;		/* usually the number of bytes transferred */
} IO_STATUS_BLOCK, *PIO_STATUS_BLOCK;

typedef struct _IO_STACK_LOCATION {
	UCHAR MajorFunction;
	UCHAR MinorFunction;
	UCHAR Flags;
	UCHAR Control;			/* SL_ */
	union {
		struct {
			ULONG Options;
			USHORT FileAttributes;
			USHORT ShareAccess;
		} Create;
		struct {
			ULONG Length;
			ULONG Key;
			LARGE_INTEGER ByteOffset;
		} Read;
		struct {
			ULONG Length;
			ULONG Key;
			LARGE_INTEGER ByteOffset;
		} Write;
		struct {
			ULONG OutputBufferLength;
			ULONG InputBufferLength;
			ULONG IoControlCode;
			PVOID Type3InputBuffer;
		} DeviceIoControl;
	} Parameters;
	PDEVICE_OBJECT DeviceObject;
	PFILE_OBJECT FileObject;
} IO_STACK_LOCATION, *PIO_STACK_LOCATION;

struct _IRP {
	union {
		PVOID SystemBuffer;	/* input, then output; NULL if both are empty */
	} AssociatedIrp;
	IO_STATUS_BLOCK IoStatus;
	KPROCESSOR_MODE RequestorMode;
	BOOLEAN PendingReturned;
	BOOLEAN Cancel;			/* its program was killed */
	KIRQL CancelIrql;		/* for IoReleaseCancelSpinLock() in the cancel routine */
	PDRIVER_CANCEL CancelRoutine;
	PVOID UserBuffer;		/* NULL */
	union {
		struct {
			PVOID DriverContext[4];
			LIST_ENTRY ListEntry;
		} Overlay;		/* the driver's while it holds the IRP */
	} Tail;
	/* not the driver's */
	IO_STACK_LOCATION etw_stack;
	int etw_state;			/* ETW_IRP_ */
	struct completion etw_done;
	struct llist_node etw_left;
};

static inline PIO_STACK_LOCATION IoGetCurrentIrpStackLocation(PIRP Irp)
{
	return &Irp->etw_stack;
}

static inline VOID IoMarkIrpPending(PIRP Irp)
{
	Irp->etw_stack.Control |= SL_PENDING_RETURNED;
}

/* ----------------------------------------------------------- memory, time */

typedef enum _POOL_TYPE {
	NonPagedPool = 0,
	PagedPool = 1,
	NonPagedPoolNx = 512,
} POOL_TYPE;

#define POOL_FLAG_UNINITIALIZED	0x02ull
#define POOL_FLAG_NON_PAGED	0x40ull
#define POOL_FLAG_PAGED		0x100ull

/* Paged memory: PASSIVE_LEVEL; other memory: up to DISPATCH_LEVEL.  NULL: none is free */
static inline PVOID ExAllocatePoolWithTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag)
{
	return kmalloc(NumberOfBytes, PoolType == PagedPool ? GFP_KERNEL :
							      GFP_ATOMIC | __GFP_NOWARN);
}

static inline PVOID ExAllocatePool2(ULONG64 Flags, SIZE_T NumberOfBytes, ULONG Tag)
{
	return kmalloc(NumberOfBytes,
		       (Flags & POOL_FLAG_PAGED ? GFP_KERNEL : GFP_ATOMIC | __GFP_NOWARN) |
		       (Flags & POOL_FLAG_UNINITIALIZED ? 0 : __GFP_ZERO));
}

static inline PVOID ExAllocatePoolZero(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag)
{
	return ExAllocatePool2(PoolType == PagedPool ? POOL_FLAG_PAGED : POOL_FLAG_NON_PAGED,
			       NumberOfBytes, Tag);
}

static inline VOID ExFreePoolWithTag(PVOID P, ULONG Tag)
{
	kfree(P);
}

#define ExFreePool(p)		ExFreePoolWithTag((p), 0)

/* 100 ns units since 1601-01-01 UTC */
static inline VOID KeQuerySystemTimePrecise(PLARGE_INTEGER CurrentTime)
{
	CurrentTime->QuadPart = div_u64(ktime_get_real_ns(), 100) + 116444736000000000ull;
}

#define KeQuerySystemTime	KeQuerySystemTimePrecise

/* Nanoseconds of the monotonic clock */
static inline LARGE_INTEGER KeQueryPerformanceCounter(PLARGE_INTEGER PerformanceFrequency)
{
	LARGE_INTEGER now = { .QuadPart = ktime_get_ns() };

	if (PerformanceFrequency)
		PerformanceFrequency->QuadPart = NSEC_PER_SEC;
	return now;
}

static inline HANDLE PsGetCurrentProcessId(VOID)
{
	return (HANDLE)(ULONG_PTR)task_tgid_nr(current);
}

static inline HANDLE PsGetCurrentThreadId(VOID)
{
	return (HANDLE)(ULONG_PTR)task_pid_nr(current);
}

#ifdef ETW_DRIVER_LICENSE
#include "etw_driver.h"
#endif

#endif /* ETW_WIN32_KM_WDM_H */
