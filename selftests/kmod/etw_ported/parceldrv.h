// SPDX-License-Identifier: GPL-2.0-only
//
// What the source files of parceldrv share
//
#ifndef __PARCELDRV_H__
#define __PARCELDRV_H__

#include <stdarg.h>
#include <stdio.h>
#include <ntddk.h>
#include <string.h>
#include "parcelioctl.h"

#define PARCEL_NT_DEVICE_NAME       L"\\Device\\ParcelDrv"
#define PARCEL_WIN32_DEVICE_NAME    L"\\DosDevices\\PARCELDRV"
#define PARCEL_TAG                  'lcrP'

// Only so many files are in the kernel log.
#define PARCEL_LOGGED_FILES         16

typedef struct _DEVICE_EXTENSION {
    LONG Opens;
    BOOLEAN HoldOpen;
    PWSTR LastText;
    KSPIN_LOCK Lock;
    LIST_ENTRY Held;                // IRPs
    KSPIN_LOCK CompletionLock;
} DEVICE_EXTENSION, *PDEVICE_EXTENSION;

NTSTATUS CompleteRequest(IN PIRP Irp, IN NTSTATUS Status, IN ULONG_PTR Information);
NTSTATUS CompleteWithNumber(IN PIRP Irp, IN NTSTATUS Status, IN ULONG Number);
NTSTATUS ParcelAddDevice(IN PDRIVER_OBJECT DriverObject, IN PCWSTR Name, IN PCWSTR Link,
                         IN BOOLEAN Exclusive, OUT PDEVICE_OBJECT *DeviceObject);
VOID ParcelLog(IN PIRP Irp, IN PCSTR What);

NTSTATUS ParcelHold(IN PDEVICE_EXTENSION Extension, IN PIRP Irp, IN ULONG Flags);
ULONG ParcelHeld(IN PDEVICE_EXTENSION Extension);
ULONG ParcelRelease(IN PDEVICE_EXTENSION Extension);
NTSTATUS ParcelLocker(IN PDRIVER_OBJECT DriverObject, IN ULONG Step);
VOID ParcelPrint(VOID);
ULONG ParcelLists(VOID);
ULONG ParcelFree(VOID);

#endif // __PARCELDRV_H__
