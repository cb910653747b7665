// SPDX-License-Identifier: GPL-2.0-only
/* vm_flags are changed through functions (6.3). */
#include <linux/mm.h>
#include <linux/module.h>

void etw_probe(struct vm_area_struct *vma);
void etw_probe(struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYWRITE);
}

MODULE_LICENSE("GPL");
