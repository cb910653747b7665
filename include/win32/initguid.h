/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * initguid.h - makes DEFINE_GUID define GUIDs; see <guiddef.h>
 */
#ifndef INITGUID
#define INITGUID
#endif
#include <guiddef.h>
