// SPDX-License-Identifier: GPL-2.0-only
/*++

Module Name:

    parceldrv.c

Abstract:

    A driver as on Windows, which writes events: when it is loaded, for each request
    and when it is unloaded.  It holds requests (parcelhold.c) and tries what <wdm.h> has
    beside devices (parcelrtl.c).  parceldrv_events.h is what the message compiler makes of
    parceldrv.man with -km.

Environment:

    Kernel mode

--*/
#include "parceldrv.h"
#include "parceldrv_events.h"

bool parcel_fault(void);
bool parcel_can_open(void);

DRIVER_INITIALIZE DriverEntry;
DRIVER_UNLOAD ParcelUnload;

_Dispatch_type_(IRP_MJ_CREATE)
_Dispatch_type_(IRP_MJ_CLEANUP)
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
    PDEVICE_OBJECT DeviceObject;

    UNREFERENCED_PARAMETER(RegistryPath);

    KdPrint(("parceldrv: DriverEntry\n"));

    DriverObject->DriverUnload = ParcelUnload;
    DriverObject->MajorFunction[IRP_MJ_CREATE] = ParcelCreateClose;
    DriverObject->MajorFunction[IRP_MJ_CLEANUP] = ParcelCreateClose;
    DriverObject->MajorFunction[IRP_MJ_CLOSE] = ParcelCreateClose;
    DriverObject->MajorFunction[IRP_MJ_WRITE] = ParcelWrite;
    DriverObject->MajorFunction[IRP_MJ_DEVICE_CONTROL] = ParcelDeviceControl;

    Status = ParcelAddDevice(DriverObject, PARCEL_NT_DEVICE_NAME, PARCEL_WIN32_DEVICE_NAME,
                             FALSE, &DeviceObject);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }

    if (parcel_fault()) {
        return parcel_can_open() ? STATUS_OBJECT_NAME_COLLISION : STATUS_INSUFFICIENT_RESOURCES;
    }

    DeviceObject->Flags &= ~DO_DEVICE_INITIALIZING;

    EventRegisterContoso_ParcelDrv();
    EventWriteDriverLoaded(NULL, sizeof(PARCEL_NT_DEVICE_NAME) - sizeof(WCHAR),
                           PARCEL_NT_DEVICE_NAME, Status);
    return STATUS_SUCCESS;
}

NTSTATUS
ParcelAddDevice(
    IN PDRIVER_OBJECT DriverObject,
    IN PCWSTR Name,
    IN PCWSTR Link,
    IN BOOLEAN Exclusive,
    OUT PDEVICE_OBJECT *DeviceObject
    )
{
    NTSTATUS Status;
    UNICODE_STRING DeviceName;
    UNICODE_STRING LinkName;
    PDEVICE_EXTENSION Extension;

    RtlInitUnicodeString(&DeviceName, Name);
    Status = IoCreateDevice(DriverObject,
                            sizeof(DEVICE_EXTENSION),
                            &DeviceName,
                            FILE_DEVICE_UNKNOWN,
                            FILE_DEVICE_SECURE_OPEN,
                            Exclusive,
                            DeviceObject);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Extension = (PDEVICE_EXTENSION)(*DeviceObject)->DeviceExtension;
    KeInitializeSpinLock(&Extension->Lock);
    KeInitializeSpinLock(&Extension->CompletionLock);
    InitializeListHead(&Extension->Held);
    (*DeviceObject)->Flags |= DO_BUFFERED_IO;

    RtlInitUnicodeString(&LinkName, Link);
    Status = IoCreateSymbolicLink(&LinkName, &DeviceName);
    if (!NT_SUCCESS(Status)) {
        IoDeleteDevice(*DeviceObject);
    }
    return Status;
}

NTSTATUS
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
CompleteWithNumber(
    IN PIRP Irp,
    IN NTSTATUS Status,
    IN ULONG Number
    )
{
    PIO_STACK_LOCATION IrpStack = IoGetCurrentIrpStackLocation(Irp);

    if (IrpStack->Parameters.DeviceIoControl.OutputBufferLength < sizeof(Number)) {
        return CompleteRequest(Irp, Status, 0);
    }
    *(PULONG)Irp->AssociatedIrp.SystemBuffer = Number;
    return CompleteRequest(Irp, Status, sizeof(Number));
}

VOID
ParcelLog(
    IN PIRP Irp,
    IN PCSTR What
    )
{
    ULONG_PTR File = (ULONG_PTR)IoGetCurrentIrpStackLocation(Irp)->FileObject->FsContext;

    if (File <= PARCEL_LOGGED_FILES) {
        KdPrint(("parceldrv: file %Iu: %s\n", File, What));
    }
}

NTSTATUS
ParcelCreateClose(
    IN PDEVICE_OBJECT DeviceObject,
    IN PIRP Irp
    )
{
    PDEVICE_EXTENSION Extension = (PDEVICE_EXTENSION)DeviceObject->DeviceExtension;
    PIO_STACK_LOCATION IrpStack = IoGetCurrentIrpStackLocation(Irp);
    LONG Number;

    PAGED_CODE();

    EventWriteDriverRequest(NULL, IrpStack->MajorFunction, Extension->Opens);
    switch (IrpStack->MajorFunction) {
    case IRP_MJ_CREATE:
        Number = InterlockedIncrement(&Extension->Opens);
        IrpStack->FileObject->FsContext = (PVOID)(ULONG_PTR)Number;
        ParcelLog(Irp, "create");
        if (Extension->HoldOpen) {
            Extension->HoldOpen = FALSE;
            return ParcelHold(Extension, Irp, 0);
        }
        break;
    case IRP_MJ_CLEANUP:
        ParcelLog(Irp, "cleanup");
        break;
    case IRP_MJ_CLOSE:
        ParcelLog(Irp, "close");
        break;
    }
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
    Text = (PWSTR)ExAllocatePoolZero(PagedPool, Length + sizeof(WCHAR), PARCEL_TAG);
    if (Text == NULL) {
        return CompleteRequest(Irp, STATUS_INSUFFICIENT_RESOURCES, 0);
    }
    RtlCopyBytes(Text, Irp->AssociatedIrp.SystemBuffer, Length);
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
    PDEVICE_EXTENSION Extension = (PDEVICE_EXTENSION)DeviceObject->DeviceExtension;
    PIO_STACK_LOCATION IrpStack = IoGetCurrentIrpStackLocation(Irp);
    PPARCEL_WEIGHT Weight = (PPARCEL_WEIGHT)Irp->AssociatedIrp.SystemBuffer;
    ULONG Input = 0;

    if (IrpStack->Parameters.DeviceIoControl.InputBufferLength >= sizeof(Input)) {
        Input = *(PULONG)Irp->AssociatedIrp.SystemBuffer;
    }
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

    case IOCTL_PARCEL_HOLD:
        return ParcelHold(Extension, Irp, Input);

    case IOCTL_PARCEL_HELD:
        return CompleteWithNumber(Irp, STATUS_SUCCESS, ParcelHeld(Extension));

    case IOCTL_PARCEL_RELEASE:
        return CompleteWithNumber(Irp, STATUS_SUCCESS, ParcelRelease(Extension));

    case IOCTL_PARCEL_PRINT:
        ParcelPrint();
        return CompleteRequest(Irp, STATUS_SUCCESS, 0);

    case IOCTL_PARCEL_LISTS:
        return CompleteWithNumber(Irp, STATUS_SUCCESS, ParcelLists());

    case IOCTL_PARCEL_LOCKER:
        return CompleteRequest(Irp, ParcelLocker(DeviceObject->DriverObject, Input), 0);

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
