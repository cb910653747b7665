/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alloc.h - how this module asks for memory
 *
 * All of it is on somebody's behalf and charged to that cgroup.  Where there is
 * none the caller is told; a user's request must not fill the kernel's log
 * with stack traces.
 */
#ifndef ETW_GFP_H
#define ETW_GFP_H

#include <linux/gfp.h>

#define ETW_GFP		(GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

#endif /* ETW_GFP_H */
