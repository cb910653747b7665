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

typedef struct _PARCEL_WEIGHT {
    ULONG Number;
    ULONG Grams;
} PARCEL_WEIGHT, *PPARCEL_WEIGHT;

#endif // __PARCELIOCTL_H__
