/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack.h - the stack of an event's writer
 */
#ifndef ETW_WRITE_STACK_H
#define ETW_WRITE_STACK_H

#include <linux/types.h>
#include <etw/format.h>

#define ETW_STACK_OWN	32	/* room for frames of this module and of perf, which are removed */

struct pt_regs;

bool etw_stack_allowed(void);
void etw_stack_look(void);
u32 etw_stack_kernel(u64 *frames, u32 room, const struct pt_regs *regs, bool *whole);
bool etw_stack_read_user(void *to, const void __user *from, size_t size);
u32 etw_stack_user(u64 *frames, u32 room);
u32 etw_stack_copy(struct etw_ext_user_stack *to);

#endif /* ETW_WRITE_STACK_H */
