/* SPDX-License-Identifier: MIT */
/*
 * stack.h - who called: return addresses for the stack item of an event
 */
#ifndef ETW_LIB_PROVIDER_STACK_H
#define ETW_LIB_PROVIDER_STACK_H

#include <stdint.h>

/*
 * Return addresses from caller outwards, at most max; how many there are.  By
 * the unwind tables, so frame pointers are not needed.  Before glibc 2.35 not in
 * a signal handler that may have interrupted dlopen().
 */
unsigned int etw_stack_walk(const void *caller, uint64_t *frames, unsigned int max);

#endif /* ETW_LIB_PROVIDER_STACK_H */
