// SPDX-License-Identifier: GPL-2.0-only
/*++

Module Name:

    parcelhold.c

Abstract:

    Requests that the driver holds in a list until another request releases them, with and
    without a cancel routine, and a second device that comes and goes.

Environment:

    Kernel mode

--*/
#include "parceldrv.h"

static DRIVER_CANCEL ParcelCancel;
static PDEVICE_OBJECT LockerDevice;

static VOID
ParcelCancel(
    IN PDEVICE_OBJECT DeviceObject,
    IN PIRP Irp
    )
{
    PDEVICE_EXTENSION Extension = (PDEVICE_EXTENSION)DeviceObject->DeviceExtension;
    KIRQL OldIrql;

    IoReleaseCancelSpinLock(Irp->CancelIrql);
    KeAcquireSpinLock(&Extension->Lock, &OldIrql);
    RemoveEntryList(&Irp->Tail.Overlay.ListEntry);
    KeReleaseSpinLock(&Extension->Lock, OldIrql);
    ParcelLog(Irp, "cancelled");
    CompleteRequest(Irp, STATUS_CANCELLED, 0);
}

NTSTATUS
ParcelHold(
    IN PDEVICE_EXTENSION Extension,
    IN PIRP Irp,
    IN ULONG Flags
    )
{
    KIRQL OldIrql;

    Irp->Tail.Overlay.DriverContext[0] = (PVOID)(ULONG_PTR)(Flags & PARCEL_HOLD_CANCEL);
    KeAcquireSpinLock(&Extension->Lock, &OldIrql);
    if (Flags & PARCEL_HOLD_CANCEL) {
        IoSetCancelRoutine(Irp, ParcelCancel);
        if (Irp->Cancel && IoSetCancelRoutine(Irp, NULL) != NULL) {
            KeReleaseSpinLock(&Extension->Lock, OldIrql);
            return CompleteRequest(Irp, STATUS_CANCELLED, 0);
        }
    }
    if (Flags & PARCEL_HOLD_OPENS) {
        Extension->HoldOpen = TRUE;
    }
    IoMarkIrpPending(Irp);
    InsertTailList(&Extension->Held, &Irp->Tail.Overlay.ListEntry);
    KeReleaseSpinLock(&Extension->Lock, OldIrql);
    return STATUS_PENDING;
}

ULONG
ParcelHeld(
    IN PDEVICE_EXTENSION Extension
    )
{
    PLIST_ENTRY Entry;
    ULONG Count = 0;
    KIRQL OldIrql;

    KeAcquireSpinLock(&Extension->Lock, &OldIrql);
    for (Entry = Extension->Held.Flink; Entry != &Extension->Held; Entry = Entry->Flink) {
        Count++;
    }
    KeReleaseSpinLock(&Extension->Lock, OldIrql);
    return Count;
}

// The next request that is held and not being cancelled, or NULL
static PIRP
ParcelNext(
    IN PDEVICE_EXTENSION Extension
    )
{
    PLIST_ENTRY Entry;
    PIRP Irp = NULL;
    KIRQL OldIrql;

    KeAcquireSpinLock(&Extension->Lock, &OldIrql);
    while (Irp == NULL && !IsListEmpty(&Extension->Held)) {
        Entry = RemoveHeadList(&Extension->Held);
        Irp = CONTAINING_RECORD(Entry, IRP, Tail.Overlay.ListEntry);
        if (Irp->Tail.Overlay.DriverContext[0] != NULL && IoSetCancelRoutine(Irp, NULL) == NULL) {
            // ParcelCancel() removes it from a list of its own, and completes it.
            InitializeListHead(Entry);
            Irp = NULL;
        }
    }
    KeReleaseSpinLock(&Extension->Lock, OldIrql);
    return Irp;
}

ULONG
ParcelRelease(
    IN PDEVICE_EXTENSION Extension
    )
{
    ULONG Count = 0;
    PIRP Irp;
    KIRQL OldIrql;

    while ((Irp = ParcelNext(Extension)) != NULL) {
        ParcelLog(Irp, "released");
        Count++;
        // At DISPATCH_LEVEL, as a DPC would
        KeAcquireSpinLock(&Extension->CompletionLock, &OldIrql);
        if (IoGetCurrentIrpStackLocation(Irp)->MajorFunction == IRP_MJ_CREATE) {
            CompleteRequest(Irp, STATUS_SUCCESS, 0);
        } else {
            CompleteWithNumber(Irp, STATUS_SUCCESS, PARCEL_HELD_RESULT);
        }
        KeReleaseSpinLock(&Extension->CompletionLock, OldIrql);
    }
    return Count;
}

NTSTATUS
ParcelLocker(
    IN PDRIVER_OBJECT DriverObject,
    IN ULONG Step
    )
{
    PDEVICE_OBJECT Device;

    switch (Step) {
    case PARCEL_LOCKER_CREATE:
        return ParcelAddDevice(DriverObject, L"\\Device\\ParcelLocker",
                               L"\\DosDevices\\PARCELLOCKER", TRUE, &LockerDevice);
    case PARCEL_LOCKER_READY:
        LockerDevice->Flags &= ~DO_DEVICE_INITIALIZING;
        return STATUS_SUCCESS;
    case PARCEL_LOCKER_DELETE:
        IoDeleteDevice(LockerDevice);
        return STATUS_SUCCESS;
    case PARCEL_LOCKER_TAKEN:
        return ParcelAddDevice(DriverObject, L"\\Device\\ParcelTaken", L"\\DosDevices\\null",
                               FALSE, &Device);
    case PARCEL_LOCKER_SAME:
        return ParcelAddDevice(DriverObject, L"\\Device\\ParcelSame",
                               L"\\DosDevices\\ParcelDrv", FALSE, &Device);
    default:
        return STATUS_INVALID_PARAMETER;
    }
}
