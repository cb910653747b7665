/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * opts.h - options for writing an event
 */
#ifndef ETW_WRITE_OPTS_H
#define ETW_WRITE_OPTS_H

#include <linux/types.h>

struct etw_typed;
struct pt_regs;

/* Most events are written without options: a NULL pointer. */
struct etw_write_opts {
	u64 exclude;		/* bit i: not to the session with logger id i + 1 */
	const struct etw_typed *typed;	/* of a process's event; NULL: not known yet */
	const u64 *stack;	/* walked by the writer, innermost frame first */
	const struct pt_regs *regs;	/* where the stack begins; NULL: at the caller of the write */
	u64 payer;		/* see fair.h; 0: the kernel */
	u32 stack_count;	/* 0: the kernel walks the stack */
	bool user;		/* written by a process */
	bool inprivate;		/* EVENT_WRITE_FLAG_INPRIVATE */
	bool describes;		/* the provider's events: whatever sessions select, without items */
	bool plain;		/* the payer is all that matters to sessions without filters and items */
};

#endif /* ETW_WRITE_OPTS_H */
