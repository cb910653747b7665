/* SPDX-License-Identifier: MIT */
/* symbols_copy.h - a copy of this thread's stack, as the module makes it */
#ifndef ETW_UNIT_SYMBOLS_COPY_H
#define ETW_UNIT_SYMBOLS_COPY_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include <etw/format.h>

static struct {
	struct etw_ext_user_stack head;
	uint8_t bytes[ETW_USER_STACK_MAX];
} item;
static size_t item_len;
static const char *stack_end;	/* of the thread */

/* Whatever lies on the stack, also between variables */
static __attribute__((__noinline__, __noclone__, __no_sanitize__("address")))
void copy_words(uint64_t from, size_t size)
{
	const volatile uint8_t *at = (const void *)(uintptr_t)from;
	size_t i;

	for (i = 0; i < size; i++)
		item.bytes[i] = at[i];
}

/* The caller's registers and stack: a function of its own would be a frame that has gone. */
static inline __attribute__((__always_inline__)) void copy_stack(void)
{
	__u64 *r = item.head.registers;
	size_t size;

	__asm__ volatile("mov %%rax, 0(%0)\n\tmov %%rdx, 8(%0)\n\tmov %%rcx, 16(%0)\n\t"
			 "mov %%rbx, 24(%0)\n\tmov %%rsi, 32(%0)\n\tmov %%rdi, 40(%0)\n\t"
			 "mov %%rbp, 48(%0)\n\tmov %%rsp, 56(%0)\n\tmov %%r8, 64(%0)\n\t"
			 "mov %%r9, 72(%0)\n\tmov %%r10, 80(%0)\n\tmov %%r11, 88(%0)\n\t"
			 "mov %%r12, 96(%0)\n\tmov %%r13, 104(%0)\n\tmov %%r14, 112(%0)\n\t"
			 "mov %%r15, 120(%0)\n\tlea 0(%%rip), %%rcx\n\tmov %%rcx, 128(%0)"
			 : : "r"(r) : "rcx", "memory");
	item.head.machine = EM_X86_64;
	size = (size_t)(stack_end - (const char *)(uintptr_t)r[7]);
	if (size > sizeof(item.bytes))
		size = sizeof(item.bytes);
	copy_words(r[7], size);
	item_len = sizeof(item.head) + size;
}

#endif /* ETW_UNIT_SYMBOLS_COPY_H */
