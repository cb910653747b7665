// SPDX-License-Identifier: GPL-2.0-only
//
// Control codes of parceldrv, for the driver and for programs
//
#ifndef __PARCELIOCTL_H__
#define __PARCELIOCTL_H__

#define IOCTL_PARCEL_WEIGH \
    CTL_CODE(FILE_DEVICE_UNKNOWN, 0x801, METHOD_BUFFERED, FILE_ANY_ACCESS)
#define IOCTL_PARCEL_NEITHER \
    CTL_CODE(FILE_DEVICE_UNKNOWN, 0x802, METHOD_NEITHER, FILE_ANY_ACCESS)
#define IOCTL_PARCEL_CLEAR \
    CTL_CODE(FILE_DEVICE_UNKNOWN, 0x803, METHOD_BUFFERED, FILE_WRITE_ACCESS)

// Hold the request; the input is PARCEL_HOLD_, the output a ULONG
#define IOCTL_PARCEL_HOLD \
    CTL_CODE(FILE_DEVICE_UNKNOWN, 0x804, METHOD_BUFFERED, FILE_ANY_ACCESS)
// The number of requests that are held
#define IOCTL_PARCEL_HELD \
    CTL_CODE(FILE_DEVICE_UNKNOWN, 0x805, METHOD_BUFFERED, FILE_ANY_ACCESS)
// Complete them; the output is their number
#define IOCTL_PARCEL_RELEASE \
    CTL_CODE(FILE_DEVICE_UNKNOWN, 0x806, METHOD_BUFFERED, FILE_ANY_ACCESS)
// Print by DbgPrint(), try lists and interlocked operations; the output is the number of faults
#define IOCTL_PARCEL_PRINT \
    CTL_CODE(FILE_DEVICE_UNKNOWN, 0x807, METHOD_BUFFERED, FILE_ANY_ACCESS)
#define IOCTL_PARCEL_LISTS \
    CTL_CODE(FILE_DEVICE_UNKNOWN, 0x808, METHOD_BUFFERED, FILE_ANY_ACCESS)
// Make, initialize or delete a second device; the input is PARCEL_LOCKER_
#define IOCTL_PARCEL_LOCKER \
    CTL_CODE(FILE_DEVICE_UNKNOWN, 0x809, METHOD_BUFFERED, FILE_ANY_ACCESS)

#define PARCEL_HOLD_CANCEL      1       // it can be cancelled
#define PARCEL_HOLD_OPENS       2       // from now on hold IRP_MJ_CREATE, too, once
#define PARCEL_HELD_RESULT      4711

#define PARCEL_LOCKER_CREATE    0
#define PARCEL_LOCKER_READY     1
#define PARCEL_LOCKER_DELETE    2
#define PARCEL_LOCKER_TAKEN     3       // with a name that /dev has
#define PARCEL_LOCKER_SAME      4       // with the name of the first device's link

typedef struct _PARCEL_WEIGHT {
    ULONG Number;
    ULONG Grams;
} PARCEL_WEIGHT, *PPARCEL_WEIGHT;

#endif // __PARCELIOCTL_H__
