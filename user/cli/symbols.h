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
#include "cli/machine/machine.h"
#include "text.h"

struct symbols;

struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);	/* NULL is fine */

/* Addresses are those of the kernel that runs here: of a session. */
void symbols_use_kernel(struct symbols *symbols);

/*
 * Addresses are those of files that describe these machines, as far as they have a counterpart
 * here; those of several boots cannot be told apart. So many files describe none; of_boot: all
 * seem to be of this boot. The machines are in use until symbols_free().
 */
void symbols_choose(struct symbols *symbols, const struct machines *machines,
		    unsigned int undescribed, bool of_boot);
/* At the end: a line on stderr if addresses have no names because the kernel is another one. */
void symbols_report(const struct symbols *symbols);

/*
 * Append "function+0x12", with " [module]" if it is one's, or "file+0x1234". pid: 0: nothing is
 * known about the process. false: no name is known, and nothing was added.
 */
bool symbols_add(struct symbols *symbols, struct etw_text *to, uint32_t pid, uint64_t address);

#endif /* ETW_CLI_SYMBOLS_H */
