/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * build_id.h - the build id that the linker put into an ELF file
 */
#ifndef ETW_CORE_BUILD_ID_H
#define ETW_CORE_BUILD_ID_H

#include "port.h"

#define ETW_BUILD_ID_MAX	20	/* bytes, of SHA-1; no linker makes longer ones by itself */

u32 etw_build_id(const void *begin, u32 size, u8 id[ETW_BUILD_ID_MAX]);

#endif /* ETW_CORE_BUILD_ID_H */
