/* SPDX-License-Identifier: MIT */
/*
 * elf_functions.h - the functions of a program, a library or a kernel at an address
 *
 * The file may be anybody's: nothing in it is believed, and all that is looked for in it is bounded.
 */
#ifndef ETW_SYMBOLS_ELF_FUNCTIONS_H
#define ETW_SYMBOLS_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/text.h"
#include "cfi.h"

#define ELF_FUNCTIONS_MAX	32	/* at one address: one and what was inlined into it */

struct elf_functions;

/* Where debug information that a file does not have itself may be */
struct elf_debug {
	/* An open file of this build id, or -1 */
	int (*find)(void *context, const uint8_t *build_id, size_t len);
	void *context;
};

/*
 * Read a file, which is taken from the caller in any case; debug must stay. NULL: it is no ELF file
 * of a program for 64 bits, or there is no memory.
 */
struct elf_functions *elf_functions_open(int fd, const struct elf_debug *debug);
void elf_functions_close(struct elf_functions *file);	/* NULL is fine */

/* The build id of an open file, at most size bytes of it; 0: it has none, or a longer one. */
size_t elf_build_id(int fd, uint8_t *build_id, size_t size);

/*
 * What its instructions at this offset in the file are loaded as; false: none are there. Debug
 * information that lies apart has the same addresses, but other offsets: it takes the offset from
 * which the instructions are mapped, too.
 */
bool elf_functions_at_offset(struct elf_functions *file, uint64_t offset, uint64_t mapped_from,
			     uint64_t *address);
/* Where the first of its segments is loaded */
bool elf_functions_begin(struct elf_functions *file, uint64_t *address);

/* How to get from an address to its caller; NULL: the file has no table that can be used. */
const struct cfi_table *elf_functions_cfi(struct elf_functions *file);
/* What the file has at an address where it has instructions; false: nothing, or not all of it. */
bool elf_functions_read(struct elf_functions *file, uint64_t address, void *to, size_t size);

/*
 * The functions at an address, innermost first; each is inlined into the next. take() gets their
 * names, demangled and not escaped, and the distance from the last one's begin.
 */
typedef void elf_function_take(void *context, const char *name, uint64_t offset, bool inlined);
void elf_functions_find(struct elf_functions *file, uint64_t address, elf_function_take *take,
			void *context);

#endif /* ETW_SYMBOLS_ELF_FUNCTIONS_H */
