// SPDX-License-Identifier: GPL-2.0-only
/*++

Module Name:

    parceldrv.c

Abstract:

    A driver as on Windows, which only writes events: when it is loaded, for each request
    and when it is unloaded.  parceldrv_events.h is what the message compiler makes of
    parceldrv.man with -km.

Environment:

    Kernel mode

--*/
#include <stdio.h>
#include <ntddk.h>
#include "parcelioctl.h"
#include "parceldrv_events.h"

#define PARCEL_NT_DEVICE_NAME       L"\\Device\\ParcelDrv"
#define PARCEL_WIN32_DEVICE_NAME    L"\\DosDevices\\PARCELDRV"
#define PARCEL_TAG                  'lcrP'

typedef struct _DEVICE_EXTENSION {
    LONG Opens;
    PWSTR LastText;
} DEVICE_EXTENSION, *PDEVICE_EXTENSION;

bool parcel_fault(void);
bool parcel_can_open(void);

DRIVER_INITIALIZE DriverEntry;
DRIVER_UNLOAD ParcelUnload;

_Dispatch_type_(IRP_MJ_CREATE)
_Dispatch_type_(IRP_MJ_CLOSE)
DRIVER_DISPATCH ParcelCreateClose;

_Dispatch_type_(IRP_MJ_WRITE)
DRIVER_DISPATCH ParcelWrite;

_Dispatch_type_(IRP_MJ_DEVICE_CONTROL)
DRIVER_DISPATCH ParcelDeviceControl;

#ifdef ALLOC_PRAGMA
#pragma alloc_text(INIT, DriverEntry)
#pragma alloc_text(PAGE, ParcelUnload)
#pragma alloc_text(PAGE, ParcelCreateClose)
#endif

NTSTATUS
DriverEntry(
    IN PDRIVER_OBJECT DriverObject,
    IN PUNICODE_STRING RegistryPath
    )
{
    NTSTATUS Status;
    UNICODE_STRING DeviceName;
    UNICODE_STRING LinkName;
    PDEVICE_OBJECT DeviceObject;

    UNREFERENCED_PARAMETER(RegistryPath);

    KdPrint(("parceldrv: DriverEntry\n"));

    DriverObject->DriverUnload = ParcelUnload;
    DriverObject->MajorFunction[IRP_MJ_CREATE] = ParcelCreateClose;
    DriverObject->MajorFunction[IRP_MJ_CLOSE] = ParcelCreateClose;
    DriverObject->MajorFunction[IRP_MJ_WRITE] = ParcelWrite;
    DriverObject->MajorFunction[IRP_MJ_DEVICE_CONTROL] = ParcelDeviceControl;

    RtlInitUnicodeString(&DeviceName, PARCEL_NT_DEVICE_NAME);
    Status = IoCreateDevice(DriverObject,
                            sizeof(DEVICE_EXTENSION),
                            &DeviceName,
                            FILE_DEVICE_UNKNOWN,
                            FILE_DEVICE_SECURE_OPEN,
                            FALSE,
                            &DeviceObject);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }

    RtlInitUnicodeString(&LinkName, PARCEL_WIN32_DEVICE_NAME);
    Status = IoCreateSymbolicLink(&LinkName, &DeviceName);
    if (!NT_SUCCESS(Status)) {
        IoDeleteDevice(DeviceObject);
        return Status;
    }

    if (parcel_fault()) {
        return parcel_can_open() ? STATUS_OBJECT_NAME_COLLISION : STATUS_INSUFFICIENT_RESOURCES;
    }

    DeviceObject->Flags |= DO_BUFFERED_IO;
    DeviceObject->Flags &= ~DO_DEVICE_INITIALIZING;

    EventRegisterContoso_ParcelDrv();
    EventWriteDriverLoaded(NULL, DeviceName.Length, PARCEL_NT_DEVICE_NAME, Status);
    return STATUS_SUCCESS;
}

static NTSTATUS
CompleteRequest(
    IN PIRP Irp,
    IN NTSTATUS Status,
    IN ULONG_PTR Information
    )
{
    Irp->IoStatus.Status = Status;
    Irp->IoStatus.Information = Information;
    IoCompleteRequest(Irp, IO_NO_INCREMENT);
    return Status;
}

NTSTATUS
ParcelCreateClose(
    IN PDEVICE_OBJECT DeviceObject,
    IN PIRP Irp
    )
{
    PDEVICE_EXTENSION Extension = (PDEVICE_EXTENSION)DeviceObject->DeviceExtension;
    PIO_STACK_LOCATION IrpStack = IoGetCurrentIrpStackLocation(Irp);

    PAGED_CODE();

    if (IrpStack->MajorFunction == IRP_MJ_CREATE) {
        Extension->Opens++;
    }
    EventWriteDriverRequest(NULL, IrpStack->MajorFunction, Extension->Opens);
    return CompleteRequest(Irp, STATUS_SUCCESS, 0);
}

NTSTATUS
ParcelWrite(
    IN PDEVICE_OBJECT DeviceObject,
    IN PIRP Irp
    )
{
    PDEVICE_EXTENSION Extension = (PDEVICE_EXTENSION)DeviceObject->DeviceExtension;
    PIO_STACK_LOCATION IrpStack = IoGetCurrentIrpStackLocation(Irp);
    ULONG Length = IrpStack->Parameters.Write.Length;
    PWSTR Text;

    if (Length == 0 || Length % sizeof(WCHAR) != 0) {
        return CompleteRequest(Irp, STATUS_INVALID_PARAMETER, 0);
    }
    Text = (PWSTR)ExAllocatePoolWithTag(PagedPool, Length + sizeof(WCHAR), PARCEL_TAG);
    if (Text == NULL) {
        return CompleteRequest(Irp, STATUS_INSUFFICIENT_RESOURCES, 0);
    }
    RtlCopyMemory(Text, Irp->AssociatedIrp.SystemBuffer, Length);
    Text[Length / sizeof(WCHAR)] = UNICODE_NULL;
    EventWriteDriverText(NULL, Text);
    if (Extension->LastText != NULL) {
        ExFreePoolWithTag(Extension->LastText, PARCEL_TAG);
    }
    Extension->LastText = Text;
    return CompleteRequest(Irp, STATUS_SUCCESS, Length);
}

NTSTATUS
ParcelDeviceControl(
    IN PDEVICE_OBJECT DeviceObject,
    IN PIRP Irp
    )
{
    PIO_STACK_LOCATION IrpStack = IoGetCurrentIrpStackLocation(Irp);
    PPARCEL_WEIGHT Weight = (PPARCEL_WEIGHT)Irp->AssociatedIrp.SystemBuffer;

    UNREFERENCED_PARAMETER(DeviceObject);

    switch (IrpStack->Parameters.DeviceIoControl.IoControlCode) {
    case IOCTL_PARCEL_WEIGH:
        if (IrpStack->Parameters.DeviceIoControl.InputBufferLength < sizeof(ULONG) ||
            IrpStack->Parameters.DeviceIoControl.OutputBufferLength < sizeof(*Weight)) {
            return CompleteRequest(Irp, STATUS_BUFFER_TOO_SMALL, 0);
        }
        Weight->Grams = Weight->Number * 10;
        EventWriteDriverWeight(NULL, Weight->Number, Weight->Grams);
        return CompleteRequest(Irp, STATUS_SUCCESS, sizeof(*Weight));

    case IOCTL_PARCEL_CLEAR:
        return CompleteRequest(Irp, STATUS_SUCCESS, 0);

    default:
        return CompleteRequest(Irp, STATUS_INVALID_DEVICE_REQUEST, 0);
    }
}

VOID
ParcelUnload(
    IN PDRIVER_OBJECT DriverObject
    )
{
    PDEVICE_OBJECT DeviceObject = DriverObject->DeviceObject;
    PDEVICE_EXTENSION Extension = (PDEVICE_EXTENSION)DeviceObject->DeviceExtension;
    UNICODE_STRING LinkName;

    PAGED_CODE();

    EventWriteDriverUnloaded(NULL, DeviceObject);
    EventUnregisterContoso_ParcelDrv();
    if (Extension->LastText != NULL) {
        ExFreePoolWithTag(Extension->LastText, PARCEL_TAG);
    }
    RtlInitUnicodeString(&LinkName, PARCEL_WIN32_DEVICE_NAME);
    IoDeleteSymbolicLink(&LinkName);
    IoDeleteDevice(DeviceObject);
}
