/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * initguid.h - from here on DEFINE_GUID defines; see <guiddef.h>
 */
#ifndef INITGUID
#define INITGUID
#endif
#include <guiddef.h>
