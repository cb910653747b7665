/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alloc.h - how this module allocates memory
 *
 * All memory is charged to the cgroup of the task on whose behalf it is allocated.  The
 * caller gets an error if there is none; a user's request must not fill the kernel log
 * with stack traces.
 */
#ifndef ETW_ALLOC_H
#define ETW_ALLOC_H

#include <linux/gfp.h>

#define ETW_GFP		(GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

#endif /* ETW_ALLOC_H */
