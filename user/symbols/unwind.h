/* SPDX-License-Identifier: MIT */
/*
 * unwind.h - the callers in a copy of a program's stack, by the unwind tables of its files
 *
 * Both the copy and the files may be anybody's: nothing in them is believed.
 */
#ifndef ETW_SYMBOLS_UNWIND_H
#define ETW_SYMBOLS_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cfi_cache.h"
#include "elf_functions.h"

#define UNWIND_MAX	1024	/* frames of a stack */

struct unwound {
	uint64_t address;
	bool exact;	/* the processor was there; else it is behind a call */
};

/*
 * The file at an address of the process, NULL if it is not here, and the address in it. false: no
 * file is known to be there.
 */
typedef bool unwind_find(void *context, uint64_t address, struct elf_functions **file,
			 uint64_t *in_file);

/*
 * Find the frames, innermost first, and return their number. item: an item USER_STACK of len
 * bytes. *whole: the outermost one is among them. Code that is in no file, as compilers make at run
 * time, is followed by its frame pointers.
 */
unsigned int unwind(const void *item, size_t len, struct cfi_cache *cache, unwind_find *find,
		    void *context, struct unwound *frames, unsigned int room, bool *whole);

#endif /* ETW_SYMBOLS_UNWIND_H */
