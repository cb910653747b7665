/* SPDX-License-Identifier: MIT */
/*
 * files.h - the files of builds that a trace names, as far as they are here
 */
#ifndef ETW_SYMBOLS_FILES_H
#define ETW_SYMBOLS_FILES_H

#include "elf_functions.h"
#include "images.h"

struct symbol_files;

/* Why a file has no functions */
enum symbol_files_state {
	FILES_FOUND,
	FILES_MISSING,		/* nothing of this build is here */
	FILES_DIFFERS,		/* the file of this path is of another build */
	FILES_NO_BUILD_ID,	/* the trace does not say of which build it was */
	FILES_STATES
};

/* As in struct symbolizer_host. NULL: no memory */
struct symbol_files *symbol_files_new(const char *root, const char *debuginfod);
void symbol_files_free(struct symbol_files *files);	/* NULL is fine */

/* A file that was used lately stays open, the one before this in any case. NULL: it has none, see symbol_files_state(). */
struct elf_functions *symbol_files_get(struct symbol_files *files, const struct image_file *of);

/* The files that were asked for and have no functions, and why; from *at 0 on. NULL: no more. */
const struct image_file *symbol_files_next(const struct symbol_files *files, size_t *at,
					   enum symbol_files_state *why);

#endif /* ETW_SYMBOLS_FILES_H */
