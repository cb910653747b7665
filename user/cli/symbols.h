/* SPDX-License-Identifier: MIT */
/*
 * symbols.h - the names of addresses in stacks
 *
 * Functions of the kernel that runs, from /proc/kallsyms, and the mapped files of processes
 * that run, from /proc/PID/maps.
 */
#ifndef ETW_CLI_SYMBOLS_H
#define ETW_CLI_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include "text.h"

struct symbols;

struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);	/* NULL is fine */

/* Addresses of the kernel that runs: set this if the trace is of this boot. */
void symbols_use_kernel(struct symbols *symbols);

/*
 * Append "function+0x12", with " [module]" if it is one's, or "file+0x1234". pid: 0: nothing is
 * known about the process. false: no name is known, and nothing was added.
 */
bool symbols_add(struct symbols *symbols, struct etw_text *to, uint32_t pid, uint64_t address);

#endif /* ETW_CLI_SYMBOLS_H */
