/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - what differs between kernels from 6.1 on
 *
 * HAVE_* come from compile probes (scripts/probes), not from version numbers.
 */
#ifndef ETW_COMPAT_H
#define ETW_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>

#include "etw_probes.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "etw needs Linux 6.1 or later"
#endif

#ifndef HAVE_VM_FLAGS_SET
static inline void etw_vm_flags_mod(struct vm_area_struct *vma,
				    unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#else
static inline void etw_vm_flags_mod(struct vm_area_struct *vma,
				    unsigned long set, unsigned long clear)
{
	vm_flags_mod(vma, set, clear);
}
#endif

#endif /* ETW_COMPAT_H */
