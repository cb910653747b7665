// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack.c - the stack of an event's writer: kernel frames and user frames
 *
 * Any context; never sleeps and never faults.  The kernel does not export its walkers
 * of user stacks, so user frames are found by frame pointers.  For a program built
 * without frame pointers, as most programs of distributions are, this finds the
 * innermost frame and perhaps a few accidental ones.  libetw therefore walks its own
 * stack, and a reader that has the program can walk a copy of it.
 */
#include <linux/compat.h>
#include <linux/elf-em.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/security.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#include "stack.h"

static bool stacks_taken, stacks_refused;

/* May stacks still be taken?  In any context. */
bool etw_stack_allowed(void)
{
	if (unlikely(READ_ONCE(stacks_refused)))
		return false;
	if (unlikely(!READ_ONCE(stacks_taken)))
		WRITE_ONCE(stacks_taken, true);
	return true;
}

/*
 * Has the kernel been locked down since a controller was allowed to have stacks?  Security
 * modules cannot be asked in every context, and the kernel logs a refusal: the delivery side
 * asks, until it is refused once, for lockdown is not taken back.
 */
void etw_stack_look(void)
{
	if (READ_ONCE(stacks_taken) && !READ_ONCE(stacks_refused) &&
	    security_locked_down(LOCKDOWN_PERF))
		WRITE_ONCE(stacks_refused, true);
}

#ifdef CONFIG_STACKTRACE

/* How many of the innermost frames are this module's, or lead from regs to it? */
static u32 stack_own(const u64 *frames, u32 n, const struct pt_regs *regs)
{
	u32 own = 0, i;

	while (own < n && within_module(frames[own], THIS_MODULE))
		own++;
	for (i = own; regs && i < min_t(u32, n, ETW_STACK_OWN); i++)
		if (frames[i] == instruction_pointer((struct pt_regs *)regs))
			return i;
	return own;
}

/*
 * Store up to room frames, starting at regs or with the caller of the write, and return their
 * number.  frames has space for ETW_STACK_OWN more.  *whole: no frame was left out.
 */
u32 etw_stack_kernel(u64 *frames, u32 room, const struct pt_regs *regs, bool *whole)
{
	u32 n, own;

	BUILD_BUG_ON(sizeof(unsigned long) != sizeof(u64));
	*whole = true;
	if (regs && user_mode((struct pt_regs *)regs))
		return 0;
	n = stack_trace_save((unsigned long *)frames, room + ETW_STACK_OWN, 0);
	*whole = n < room + ETW_STACK_OWN;
	own = stack_own(frames, n, regs);
	n -= own;
	if (n > room) {
		n = room;
		*whole = false;
	}
	memmove(frames, frames + own, n * sizeof(*frames));
	return n;
}

#else

u32 etw_stack_kernel(u64 *frames, u32 room, const struct pt_regs *regs, bool *whole)
{
	*whole = true;
	return 0;
}

#endif

/* A frame of a 64-bit program and of a 32-bit one. */
struct frame64 {
	u64 next;
	u64 ret;
};

struct frame32 {
	u32 next;
	u32 ret;
};

static bool is_narrow(struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return !user_64bit_mode(regs);
#else
	return compat_user_mode(regs);
#endif
}

/* A kernel worker of a process has the process's mm, but no user program counter. */
static bool is_worker(void)
{
	unsigned int worker = PF_KTHREAD | PF_IO_WORKER;

#ifdef PF_USER_WORKER
	worker |= PF_USER_WORKER;
#endif
	return current->flags & worker;
}

/*
 * Before 6.1.36 copy_from_user_nofault() takes a lock, which an interrupt must not do,
 * and it does not handle an NMI that interrupted a switch of address spaces.
 */
bool etw_stack_read_user(void *to, const void __user *from, size_t size)
{
#ifdef CONFIG_X86
	return !copy_from_user_nmi(to, from, size);
#else
	return !copy_from_user_nofault(to, from, size);
#endif
}

static bool stack_read_frame(u64 at, bool narrow, struct frame64 *frame)
{
	const void __user *from = (const void __user *)(unsigned long)at;
	struct frame32 f;

	if (!narrow)
		return etw_stack_read_user(frame, from, sizeof(*frame));
	if (!etw_stack_read_user(&f, from, sizeof(f)))
		return false;
	frame->next = f.next;
	frame->ret = f.ret;
	return true;
}

/*
 * Store up to room frames of the program that the task runs and return their number,
 * 0 for a kernel worker.  Frames of 32-bit programs can be walked on x86 only.
 */
u32 etw_stack_user(u64 *frames, u32 room)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct frame64 frame;
	bool narrow;
	u32 n = 0;
	u64 at;

	if (!room || !current->mm || is_worker() || !user_mode(regs))
		return 0;
	narrow = is_narrow(regs);
	frames[n++] = instruction_pointer(regs);
	at = narrow && !IS_ENABLED(CONFIG_X86_64) ? 0 : frame_pointer(regs);
	while (n < room && at && IS_ALIGNED(at, narrow ? 4 : 8)) {
		if (!stack_read_frame(at, narrow, &frame) || !frame.ret)
			break;
		frames[n++] = frame.ret;
		/* Outer frames lie higher, so this loop ends. */
		if (frame.next <= at)
			break;
		at = frame.next;
	}
	return n;
}

#ifdef CONFIG_X86_64

static void copy_registers(u64 *to, const struct pt_regs *regs)
{
	const u64 all[ETW_USER_STACK_REGISTERS] = {
		regs->ax, regs->dx, regs->cx, regs->bx, regs->si, regs->di, regs->bp, regs->sp,
		regs->r8, regs->r9, regs->r10, regs->r11, regs->r12, regs->r13, regs->r14, regs->r15,
		regs->ip,
	};

	memcpy(to, all, sizeof(all));
}

/*
 * Copy size bytes of the stack from sp on, with zeros for pages that are not present, as of a large
 * frame that is not used to its end.  Returns how many there are up to the last page that is present.
 */
static u32 copy_pages(u8 *to, u64 sp, u32 size, u16 *absent)
{
	u32 at, part, end = 0, page = 0;

	BUILD_BUG_ON(ETW_USER_STACK_MAX / PAGE_SIZE + 1 > BITS_PER_TYPE(typeof(*absent)));
	for (at = 0; at < size; at += part, page++) {
		part = min_t(u64, size - at, PAGE_SIZE - offset_in_page(sp + at));
		if (etw_stack_read_user(to + at, (const void __user *)(sp + at), part)) {
			end = at + part;
			continue;
		}
		memset(to + at, 0, part);
		*absent |= BIT(page);
	}
	*absent &= end ? BIT(DIV_ROUND_UP(offset_in_page(sp) + end, PAGE_SIZE)) - 1 : 0;
	return end;
}

/*
 * Copy the registers of the program that the task runs, and behind them what is present of its
 * stack, at most ETW_USER_STACK_MAX bytes.  Returns the size of both, 0 for a kernel worker and
 * a 32-bit program.
 */
u32 etw_stack_copy(struct etw_ext_user_stack *to)
{
	struct pt_regs *regs = task_pt_regs(current);
	u32 size = ETW_USER_STACK_MAX;

	if (!current->mm || is_worker() || !user_mode(regs) || is_narrow(regs))
		return 0;
	memset(to, 0, sizeof(*to));
	to->machine = EM_X86_64;
	copy_registers(to->registers, regs);
	if (regs->sp >= TASK_SIZE_MAX)
		return sizeof(*to);
	size = min_t(u64, size, TASK_SIZE_MAX - regs->sp);
	return sizeof(*to) + copy_pages((u8 *)(to + 1), regs->sp, size, &to->absent);
}

#else

u32 etw_stack_copy(struct etw_ext_user_stack *to)
{
	return 0;
}

#endif
