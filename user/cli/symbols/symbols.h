/* SPDX-License-Identifier: MIT */
/*
 * symbols.h - the names of addresses in stacks, for the commands that print them
 *
 * Those of processes come from the trace and from files that are here (symbols/symbolizer.h), in a
 * running session also from /proc/PID/maps; those of the kernel from /proc/kallsyms, if the trace is
 * of the kernel that runs, or from the debug information of the traced one.
 */
#ifndef ETW_CLI_SYMBOLS_SYMBOLS_H
#define ETW_CLI_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include "cli/machine/machine.h"
#include "cli/text.h"
#include "symbols/symbolizer.h"

struct symbols;

/* Where else names may come from; NULL: nowhere */
struct symbols_request {
	const char *root;		/* a folder with files of another machine */
	const char *debuginfod;		/* URL */
};

/* In a command's table of options; request: a struct symbols_request */
#define CLI_OPTIONS_SYMBOLS(request)							\
	{ "symbols", 0, "DIR", "take binaries and debug information below DIR first",	\
	  CLI_TEXT((request).root) },							\
	{ "debuginfod", 0, "URL", "ask this server for missing debug information", \
	  CLI_TEXT((request).debuginfod) }

struct symbols *symbols_new(const struct symbols_request *request);
void symbols_free(struct symbols *symbols);	/* NULL is fine */
struct symbolizer *symbols_symbolizer(struct symbols *symbols);
/* As symbols_symbolizer(), to unwind a stack of a process; runs: as for symbols_find() */
struct symbolizer *symbols_of_process(struct symbols *symbols, bool runs);
/* To be fed by struct processes; NULL if there are no symbols */
struct images *symbols_images(struct symbols *symbols);

/* Addresses are those of the kernel and the processes that run here: of a session. */
void symbols_use_kernel(struct symbols *symbols);

/*
 * Addresses are those of files that describe these machines, as far as they have a counterpart
 * here; those of several boots cannot be told apart. So many files describe none; of_boot: all
 * seem to be of this boot. The machines are in use until symbols_free().
 */
void symbols_choose(struct symbols *symbols, const struct machines *machines,
		    unsigned int undescribed, bool of_boot);
/* At the end: lines on stderr about addresses that have no names, and why. */
void symbols_report(const struct symbols *symbols);

/* As symbolizer_find(). runs: the process that had the id then has it now. */
unsigned int symbols_find(struct symbols *symbols, const struct symbol_place *place, bool runs,
			  struct symbol_frame *frames);

/*
 * Append "function+0x12 [file]", "file+0x1234", or what is known; without a file for functions of
 * the kernel itself. false: nothing is known, and nothing was added.
 */
bool symbols_add(struct etw_text *to, const struct symbol_frame *frame);

#endif /* ETW_CLI_SYMBOLS_SYMBOLS_H */
