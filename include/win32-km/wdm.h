/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * wdm.h - for ported drivers: their tracing code, and a stand-in for devices and requests
 *
 * The tracing code needs only <etw/nt/etw.h>.  With
 *
 *	ccflags-y += -DETW_DRIVER_LICENSE='"GPL"'
 *
 * in its Kbuild, a Windows driver is a module of that license as it is: loading calls
 * DriverEntry(), unloading DriverUnload(), and IoCreateSymbolicLink(L"\\DosDevices\\NAME")
 * makes /dev/NAME, at the end of DriverEntry() if this called it, which only root may open.  A program's open(), close(), read(), write() and
 * DeviceIoControl() (<fileapi.h> of include/win32) are requests of the driver:
 *
 *	open()			IRP_MJ_CREATE
 *	last close()		IRP_MJ_CLEANUP, then IRP_MJ_CLOSE
 *	read(), write()		IRP_MJ_READ, IRP_MJ_WRITE, if the device has DO_BUFFERED_IO
 *	DeviceIoControl()	IRP_MJ_DEVICE_CONTROL, METHOD_BUFFERED
 *
 * An IRP has one stack location.  The caller waits, without a limit, for a request that
 * the driver left pending.  Data is in AssociatedIrp.SystemBuffer, at most 16 MB.  There are no
 * driver stacks, Plug and Play, power management, MDLs, cancel routines, DPCs or registry:
 * this is enough for drivers that are only devices of their own, such as samples of ETW.
 *
 * DbgPrint() takes the formats of printk().
 *
 * Semantics: Microsoft's pages "Writing a DriverEntry Routine", "IoCreateDevice function",
 * "IoCreateSymbolicLink function", "IO_STACK_LOCATION structure", "IRP structure",
 * "IoCompleteRequest macro" and "Buffer Descriptions for I/O Control Codes".
 */
#ifndef ETW_WIN32_KM_WDM_H
#define ETW_WIN32_KM_WDM_H

#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <etw/nt/etw.h>
#include "../win32/winioctl.h"

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
	struct kref etw_ref;		/* the driver's and one of each open file */
	struct miscdevice etw_misc;
	char etw_name[80];
	char etw_link[80];		/* the name in /dev, or empty */
	BOOLEAN etw_registered;		/* it is in /dev */
};

typedef struct _FILE_OBJECT {
	PDEVICE_OBJECT DeviceObject;
	PVOID FsContext;
	PVOID FsContext2;
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
		PVOID SystemBuffer;	/* input, then output */
	} AssociatedIrp;
	IO_STATUS_BLOCK IoStatus;
	KPROCESSOR_MODE RequestorMode;
	BOOLEAN PendingReturned;
	BOOLEAN Cancel;
	PVOID UserBuffer;		/* NULL */
	/* not the driver's */
	IO_STACK_LOCATION etw_stack;
	struct completion etw_done;
};

/* Each source file of a driver has these; the linker keeps one. */
struct etw_driver {
	DRIVER_OBJECT object;
	UNICODE_STRING path;
	BOOLEAN started;		/* DriverEntry() succeeded: links are registered at once */
};

#ifdef ETW_DRIVER_LICENSE
struct etw_driver etw_driver __weak;
#endif

static inline PIO_STACK_LOCATION IoGetCurrentIrpStackLocation(PIRP Irp)
{
	return &Irp->etw_stack;
}

static inline VOID IoMarkIrpPending(PIRP Irp)
{
	Irp->etw_stack.Control |= SL_PENDING_RETURNED;
}

/* Any IRQL.  The request must not be used any more. */
static inline VOID IoCompleteRequest(PIRP Irp, CCHAR PriorityBoost)
{
	complete(&Irp->etw_done);
}

#define IofCompleteRequest	IoCompleteRequest

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

/* ------------------------------------------------------------------ requests */

#define ETW_IRP_MAX	SZ_16M

static inline int etw_driver_errno(NTSTATUS status)
{
	switch (status) {
	case STATUS_INVALID_DEVICE_REQUEST:
	case STATUS_NOT_IMPLEMENTED:
		return -ENOTTY;		/* which is ERROR_INVALID_FUNCTION for a program */
	case STATUS_OBJECT_NAME_INVALID:
		return -EINVAL;
	case STATUS_OBJECT_NAME_NOT_FOUND:
	case STATUS_NO_SUCH_DEVICE:
		return -ENOENT;
	case STATUS_BUFFER_TOO_SMALL:
		return -ENOBUFS;
	case STATUS_CANCELLED:
		return -EINTR;
	default:
		return etw_nt_errno(status);
	}
}

/* The function of requests that a driver does not handle */
static inline NTSTATUS etw_driver_refuse(PDEVICE_OBJECT DeviceObject, PIRP Irp)
{
	Irp->IoStatus.Status = STATUS_INVALID_DEVICE_REQUEST;
	Irp->IoStatus.Information = 0;
	IoCompleteRequest(Irp, IO_NO_INCREMENT);
	return STATUS_INVALID_DEVICE_REQUEST;
}

/* Send the request and wait for its end; IoStatus is the result. */
static inline NTSTATUS etw_driver_send(PIRP irp, PFILE_OBJECT file, UCHAR function)
{
	PDEVICE_OBJECT device = file->DeviceObject;
	NTSTATUS status;

	init_completion(&irp->etw_done);
	irp->RequestorMode = UserMode;
	irp->etw_stack.MajorFunction = function;
	irp->etw_stack.DeviceObject = device;
	irp->etw_stack.FileObject = file;
	status = device->DriverObject->MajorFunction[function](device, irp);
	if (status != STATUS_PENDING &&
	    WARN_ONCE(!completion_done(&irp->etw_done),
		      "%ps returned without completing its request\n",
		      device->DriverObject->MajorFunction[function])) {
		irp->IoStatus.Status = status;
		irp->IoStatus.Information = 0;
		return status;
	}
	wait_for_completion(&irp->etw_done);
	return irp->IoStatus.Status;
}

static inline void etw_driver_release(struct kref *ref)
{
	kfree(container_of(ref, struct _DEVICE_OBJECT, etw_ref));
}

static int __maybe_unused etw_driver_open(struct inode *inode, struct file *filp)
{
	PDEVICE_OBJECT device = container_of(filp->private_data, struct _DEVICE_OBJECT, etw_misc);
	PFILE_OBJECT file = kzalloc(sizeof(*file), GFP_KERNEL);
	IRP irp = { };
	NTSTATUS status;

	if (!file)
		return -ENOMEM;
	file->DeviceObject = device;
	kref_get(&device->etw_ref);
	status = etw_driver_send(&irp, file, IRP_MJ_CREATE);
	if (!NT_SUCCESS(status)) {
		kref_put(&device->etw_ref, etw_driver_release);
		kfree(file);
		return etw_driver_errno(status);
	}
	filp->private_data = file;
	return 0;
}

static int __maybe_unused etw_driver_close(struct inode *inode, struct file *filp)
{
	PFILE_OBJECT file = filp->private_data;
	IRP cleanup = { }, irp = { };

	etw_driver_send(&cleanup, file, IRP_MJ_CLEANUP);
	etw_driver_send(&irp, file, IRP_MJ_CLOSE);
	kref_put(&file->DeviceObject->etw_ref, etw_driver_release);
	kfree(file);
	return 0;
}

/* Bytes that the driver returned in the buffer, or a negative errno */
static inline ssize_t etw_driver_result(PIRP irp, NTSTATUS status, void __user *to, size_t size)
{
	size_t n = min_t(size_t, irp->IoStatus.Information, size);

	if ((u32)status >> 30 == 3)	/* an error, not a warning */
		return etw_driver_errno(status);
	return n && copy_to_user(to, irp->AssociatedIrp.SystemBuffer, n) ? -EFAULT : n;
}

static inline ssize_t etw_driver_transfer(struct file *filp, void __user *data, size_t size,
					  loff_t *offset, UCHAR function)
{
	PFILE_OBJECT file = filp->private_data;
	IRP irp = { };
	NTSTATUS status;
	ssize_t n = -EFAULT;

	if (!(file->DeviceObject->Flags & DO_BUFFERED_IO))
		return -EOPNOTSUPP;
	size = min_t(size_t, size, ETW_IRP_MAX);
	irp.AssociatedIrp.SystemBuffer = kvzalloc(size + 1, GFP_KERNEL_ACCOUNT);
	if (!irp.AssociatedIrp.SystemBuffer)
		return -ENOMEM;
	irp.etw_stack.Parameters.Read.Length = size;
	irp.etw_stack.Parameters.Read.ByteOffset.QuadPart = *offset;
	if (function == IRP_MJ_READ ||
	    !copy_from_user(irp.AssociatedIrp.SystemBuffer, data, size)) {
		status = etw_driver_send(&irp, file, function);
		if (function == IRP_MJ_READ)
			n = etw_driver_result(&irp, status, data, size);
		else
			n = NT_SUCCESS(status) ? min_t(size_t, irp.IoStatus.Information, size) :
						 etw_driver_errno(status);
	}
	kvfree(irp.AssociatedIrp.SystemBuffer);
	if (n > 0)
		*offset += n;
	return n;
}

static ssize_t __maybe_unused etw_driver_read(struct file *filp, char __user *data, size_t size,
					      loff_t *offset)
{
	return etw_driver_transfer(filp, data, size, offset, IRP_MJ_READ);
}

static ssize_t __maybe_unused etw_driver_write(struct file *filp, const char __user *data,
					       size_t size, loff_t *offset)
{
	return etw_driver_transfer(filp, (void __user *)data, size, offset, IRP_MJ_WRITE);
}

/* Fills in what was returned and the driver's status. */
static inline long etw_driver_control(struct file *filp, struct etw_device_control *control)
{
	ULONG access = ACCESS_FROM_CTL_CODE(control->code);
	size_t size = max(control->input_size, control->output_size);
	IRP irp = { };
	ssize_t n;

	if (size > ETW_IRP_MAX || control->reserved)
		return -EINVAL;
	if ((access & FILE_READ_ACCESS && !(filp->f_mode & FMODE_READ)) ||
	    (access & FILE_WRITE_ACCESS && !(filp->f_mode & FMODE_WRITE))) {
		control->status = STATUS_ACCESS_DENIED;
		return 0;
	}
	if (METHOD_FROM_CTL_CODE(control->code) != METHOD_BUFFERED) {
		control->status = STATUS_NOT_SUPPORTED;
		return 0;
	}
	irp.AssociatedIrp.SystemBuffer = size ? kvzalloc(size, GFP_KERNEL_ACCOUNT) : NULL;
	if (size && !irp.AssociatedIrp.SystemBuffer)
		return -ENOMEM;
	if (control->input_size && copy_from_user(irp.AssociatedIrp.SystemBuffer,
						  u64_to_user_ptr(control->input),
						  control->input_size)) {
		n = -EFAULT;
	} else {
		irp.etw_stack.Parameters.DeviceIoControl.OutputBufferLength = control->output_size;
		irp.etw_stack.Parameters.DeviceIoControl.InputBufferLength = control->input_size;
		irp.etw_stack.Parameters.DeviceIoControl.IoControlCode = control->code;
		control->status = etw_driver_send(&irp, filp->private_data, IRP_MJ_DEVICE_CONTROL);
		n = etw_driver_result(&irp, control->status, u64_to_user_ptr(control->output),
				      control->output_size);
		control->returned = n > 0 ? n : 0;
	}
	kvfree(irp.AssociatedIrp.SystemBuffer);
	return n == -EFAULT ? n : 0;
}

static long __maybe_unused etw_driver_ioctl(struct file *filp, unsigned int command,
					    unsigned long argument)
{
	struct etw_device_control control;
	void __user *from = (void __user *)argument;
	long err;

	if (command != ETW_DEVICE_CONTROL)
		return -ENOTTY;
	if (copy_from_user(&control, from, sizeof(control)))
		return -EFAULT;
	err = etw_driver_control(filp, &control);
	return !err && copy_to_user(from, &control, sizeof(control)) ? -EFAULT : err;
}

static const struct file_operations etw_driver_fops __maybe_unused = {
	.owner = THIS_MODULE,
	.open = etw_driver_open,
	.release = etw_driver_close,
	.read = etw_driver_read,
	.write = etw_driver_write,
	.unlocked_ioctl = etw_driver_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* ------------------------------------------------------------------- devices */

/* The last part of \Device\NAME; FALSE: no name, too long, or a character that /dev lacks */
static inline BOOLEAN etw_driver_name(PCUNICODE_STRING from, char *to, size_t size)
{
	size_t n = from->Length / sizeof(WCHAR), start = n, i;

	while (start && from->Buffer[start - 1] != '\\')
		start--;
	if (start == n || n - start >= size)
		return FALSE;
	for (i = start; i < n; i++) {
		if (from->Buffer[i] <= ' ' || from->Buffer[i] > '~' || from->Buffer[i] == '/' ||
		    from->Buffer[i] == '!')
			return FALSE;
		to[i - start] = from->Buffer[i];
	}
	to[n - start] = 0;
	return TRUE;
}

/**
 * IoCreateDevice() - make a device, which programs do not see before its symbolic link
 * @DriverObject: the driver
 * @DeviceExtensionSize: bytes at DeviceExtension
 * @DeviceName: "\Device\NAME", or NULL
 * @DeviceType: FILE_DEVICE_
 * @DeviceCharacteristics: no effect
 * @Exclusive: no effect
 * @DeviceObject: out: the device; IoDeleteDevice() frees it
 *
 * PASSIVE_LEVEL.  Return: STATUS_SUCCESS; STATUS_OBJECT_NAME_INVALID;
 * STATUS_OBJECT_NAME_COLLISION; STATUS_INSUFFICIENT_RESOURCES.
 */
static inline NTSTATUS IoCreateDevice(PDRIVER_OBJECT DriverObject, ULONG DeviceExtensionSize,
				      PUNICODE_STRING DeviceName, DEVICE_TYPE DeviceType,
				      ULONG DeviceCharacteristics, BOOLEAN Exclusive,
				      PDEVICE_OBJECT *DeviceObject)
{
	char name[sizeof((*DeviceObject)->etw_name)] = "";
	PDEVICE_OBJECT device;

	if (DeviceName && !etw_driver_name(DeviceName, name, sizeof(name)))
		return STATUS_OBJECT_NAME_INVALID;
	for (device = DriverObject->DeviceObject; device; device = device->NextDevice)
		if (*name && !strcasecmp(device->etw_name, name))
			return STATUS_OBJECT_NAME_COLLISION;
	device = kzalloc(sizeof(*device) + DeviceExtensionSize, GFP_KERNEL);
	if (!device)
		return STATUS_INSUFFICIENT_RESOURCES;
	kref_init(&device->etw_ref);
	strcpy(device->etw_name, name);
	device->DriverObject = DriverObject;
	device->DeviceType = DeviceType;
	device->Characteristics = DeviceCharacteristics;
	device->Flags = DO_DEVICE_INITIALIZING | (Exclusive ? DO_EXCLUSIVE : 0);
	device->DeviceExtension = DeviceExtensionSize ? device + 1 : NULL;
	device->StackSize = 1;
	device->NextDevice = DriverObject->DeviceObject;
	DriverObject->DeviceObject = device;
	*DeviceObject = device;
	return STATUS_SUCCESS;
}

static inline void etw_driver_unlink(PDEVICE_OBJECT device)
{
	if (device->etw_registered)
		misc_deregister(&device->etw_misc);
	device->etw_registered = FALSE;
	device->etw_link[0] = 0;
}

static inline int etw_driver_register(PDEVICE_OBJECT device)
{
	int err;

	device->etw_misc.minor = MISC_DYNAMIC_MINOR;
	device->etw_misc.name = device->etw_link;
	device->etw_misc.fops = &etw_driver_fops;
	device->etw_misc.mode = 0600;
	err = misc_register(&device->etw_misc);
	device->etw_registered = !err;
	return err;
}

/* PASSIVE_LEVEL.  Files that are open keep the memory of the device. */
static inline VOID IoDeleteDevice(PDEVICE_OBJECT DeviceObject)
{
	PDEVICE_OBJECT *at = &DeviceObject->DriverObject->DeviceObject;

	while (*at && *at != DeviceObject)
		at = &(*at)->NextDevice;
	if (*at)
		*at = DeviceObject->NextDevice;
	etw_driver_unlink(DeviceObject);
	kref_put(&DeviceObject->etw_ref, etw_driver_release);
}

/*
 * The device as /dev/NAME, one name per device.  A name that DriverEntry() gives is in /dev when
 * it has succeeded; if another driver uses it, a message says so.  PASSIVE_LEVEL.  Return: STATUS_SUCCESS;
 * STATUS_OBJECT_NAME_INVALID; STATUS_OBJECT_NAME_NOT_FOUND: no such device of this driver;
 * STATUS_OBJECT_NAME_COLLISION: it has a name, or another driver uses this one;
 * STATUS_INSUFFICIENT_RESOURCES.
 */
static inline NTSTATUS IoCreateSymbolicLink(PUNICODE_STRING SymbolicLinkName,
					    PUNICODE_STRING DeviceName)
{
	char link[sizeof(((PDEVICE_OBJECT)0)->etw_link)], name[sizeof(link)];
	PDEVICE_OBJECT device = etw_driver.object.DeviceObject;
	int err;

	if (!etw_driver_name(SymbolicLinkName, link, sizeof(link)) ||
	    !etw_driver_name(DeviceName, name, sizeof(name)))
		return STATUS_OBJECT_NAME_INVALID;
	while (device && strcasecmp(device->etw_name, name))
		device = device->NextDevice;
	if (!device)
		return STATUS_OBJECT_NAME_NOT_FOUND;
	if (device->etw_link[0])
		return STATUS_OBJECT_NAME_COLLISION;
	strcpy(device->etw_link, link);
	err = etw_driver.started ? etw_driver_register(device) : 0;
	if (!err)
		return STATUS_SUCCESS;
	device->etw_link[0] = 0;
	return err == -EEXIST ? STATUS_OBJECT_NAME_COLLISION : STATUS_INSUFFICIENT_RESOURCES;
}

static inline NTSTATUS IoDeleteSymbolicLink(PUNICODE_STRING SymbolicLinkName)
{
	PDEVICE_OBJECT device = etw_driver.object.DeviceObject;
	char link[sizeof(device->etw_link)];

	if (!etw_driver_name(SymbolicLinkName, link, sizeof(link)))
		return STATUS_OBJECT_NAME_INVALID;
	while (device && strcasecmp(device->etw_link, link))
		device = device->NextDevice;
	if (!device)
		return STATUS_OBJECT_NAME_NOT_FOUND;
	etw_driver_unlink(device);
	return STATUS_SUCCESS;
}

/* -------------------------------------------------------------------- module */

MODULE_LICENSE(ETW_DRIVER_LICENSE);

DRIVER_INITIALIZE DriverEntry;

/* What the driver did not delete */
static inline void etw_driver_empty(void)
{
	while (etw_driver.object.DeviceObject)
		IoDeleteDevice(etw_driver.object.DeviceObject);
}

/*
 * Only now: the kernel lets programs open the devices of a module that is still loading, and
 * frees it in spite of them if it fails.  So this fails only if it registered nothing.
 */
static inline int etw_driver_start(void)
{
	PDEVICE_OBJECT device;
	BOOLEAN registered = FALSE;
	int err, failed = 0;

	for (device = etw_driver.object.DeviceObject; device; device = device->NextDevice) {
		device->Flags &= ~DO_DEVICE_INITIALIZING;
		if (!device->etw_link[0])
			continue;
		err = etw_driver_register(device);
		if (err) {
			pr_err("%s: /dev/%s: error %d\n", KBUILD_MODNAME, device->etw_link, err);
			device->etw_link[0] = 0;
			failed = err;
		} else {
			registered = TRUE;
		}
	}
	etw_driver.started = TRUE;
	return registered ? 0 : failed;
}

static inline void etw_driver_end(void)
{
	if (etw_driver.object.DriverUnload)
		etw_driver.object.DriverUnload(&etw_driver.object);
	etw_driver_empty();
}

/* As on Windows, DriverUnload() is not called if DriverEntry() failed. */
int __weak init_module(void)
{
	static WCHAR path[] = L"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\Etw";
	NTSTATUS status;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(etw_driver.object.MajorFunction); i++)
		etw_driver.object.MajorFunction[i] = etw_driver_refuse;
	RtlInitUnicodeString(&etw_driver.path, path);
	RtlInitUnicodeString(&etw_driver.object.DriverName, L"\\Driver\\Etw");
	status = DriverEntry(&etw_driver.object, &etw_driver.path);
	if (!NT_SUCCESS(status)) {
		etw_driver_empty();
		return etw_driver_errno(status);
	}
	err = etw_driver_start();
	if (err)
		etw_driver_end();
	return err;
}

void __weak cleanup_module(void)
{
	etw_driver_end();
}

___ADDRESSABLE(init_module, __initdata);
___ADDRESSABLE(cleanup_module, __exitdata);

/* Behind Linux's headers, which use these words as names */
#define IN
#define OUT
#define OPTIONAL
/* Pragmas of Microsoft's compiler, and pool tags such as 'tseT' */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wmultichar"

#endif /* ETW_DRIVER_LICENSE */

#endif /* ETW_WIN32_KM_WDM_H */
