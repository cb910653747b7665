/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* guids.c - GUIDs that a program declares and Windows' uuid.lib defines */
#include "../../include/win32/guiddef.h"

DECLARE_GUID(GUID_NULL);
const GUID GUID_NULL = { 0 };
