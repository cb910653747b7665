/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * move.h - copy kernel memory that perhaps cannot be read, inline in etw.ko and in drivers
 */
#ifndef ETW_MOVE_H
#define ETW_MOVE_H

#ifdef CONFIG_X86_64
#include <asm/asm.h>

/*
 * May a driver's address be read with ETW_MOVE()?  In the lower half of the address space the
 * kernel takes a fault for a bug, even if the instruction has a handler.  (So it does in the page
 * of vsyscall, in the upper half, whose address no driver has by mistake.)  For several addresses
 * at once, ask about the AND of all.
 */
#define ETW_MAY_READ(address)	((s64)(address) < 0)

#define ETW_REGISTER_u8		"al"
#define ETW_REGISTER_u16	"ax"
#define ETW_REGISTER_u32	"eax"
#define ETW_REGISTER_u64	"rax"

/*
 * Copy an integer of this type, or go to the label if it cannot be read.  Load and store in one
 * asm, because many compilers have no asm goto with an output.
 */
#define ETW_MOVE(type, to, from, label) \
	asm goto("1: mov %[at], %%" ETW_REGISTER_##type "\n\t" \
		 "mov %%" ETW_REGISTER_##type ", %[room]\n" \
		 _ASM_EXTABLE(1b, %l[label]) \
		 : : [at] "m" (*(const type *)(from)), [room] "m" (*(type *)(to)) \
		 : "rax", "memory" : label)
#endif

#endif /* ETW_MOVE_H */
