/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * winioctl.h - control codes of devices, for programs and for drivers
 *
 * DeviceIoControl() of <fileapi.h> sends them to drivers that are built on
 * include/win32-km/wdm.h, as the ioctl() below.
 *
 * Semantics: Microsoft's pages "Defining I/O Control Codes" and "DeviceIoControl function".
 */
#ifndef ETW_WIN32_WINIOCTL_H
#define ETW_WIN32_WINIOCTL_H

#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
#include <sys/ioctl.h>
#endif
#include <etw/wintypes.h>

#define CTL_CODE(DeviceType, Function, Method, Access)			\
	((ULONG)(DeviceType) << 16 | (ULONG)(Access) << 14 | (ULONG)(Function) << 2 | (Method))
#define DEVICE_TYPE_FROM_CTL_CODE(code)	((ULONG)(code) >> 16)
#define METHOD_FROM_CTL_CODE(code)	((ULONG)(code) & 3)

#define ACCESS_FROM_CTL_CODE(code)	((ULONG)(code) >> 14 & 3)	/* Linux only */

#define METHOD_BUFFERED		0
#define METHOD_IN_DIRECT	1
#define METHOD_OUT_DIRECT	2
#define METHOD_NEITHER		3

#define FILE_ANY_ACCESS		0
#define FILE_SPECIAL_ACCESS	0
#define FILE_READ_ACCESS	1
#define FILE_WRITE_ACCESS	2

#define FILE_DEVICE_NULL	0x15
#define FILE_DEVICE_UNKNOWN	0x22

typedef ULONG DEVICE_TYPE;

/* What DeviceIoControl() passes to the driver; sizes are bytes */
struct etw_device_control {
	ULONG64 input;		/* address in the program */
	ULONG64 output;
	ULONG input_size;
	ULONG output_size;
	ULONG code;
	ULONG returned;		/* out: bytes at @output */
	NTSTATUS status;	/* out: the driver's */
	ULONG reserved;		/* 0 */
};

#define ETW_DEVICE_CONTROL	_IOWR('E', 0xC0, struct etw_device_control)

#endif /* ETW_WIN32_WINIOCTL_H */
