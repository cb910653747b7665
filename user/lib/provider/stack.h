/* SPDX-License-Identifier: MIT */
/*
 * stack.h - return addresses for the stack item of an event
 */
#ifndef ETW_LIB_PROVIDER_STACK_H
#define ETW_LIB_PROVIDER_STACK_H

#include <stdint.h>

/*
 * Collect at most max return addresses from caller outwards; returns their number. Uses
 * the unwind tables, so frame pointers are not needed. Before glibc 2.35, do not call
 * it in a signal handler that may have interrupted dlopen().
 */
unsigned int etw_stack_walk(const void *caller, uint64_t *frames, unsigned int max);

#endif /* ETW_LIB_PROVIDER_STACK_H */
