/* SPDX-License-Identifier: MIT */
/*
 * symbolizer.h - the functions at the addresses of stacks
 *
 * Of processes they come from the files that the trace says were mapped there (images.h), whose
 * build id has to be that in the trace, from their separate debug information, and from the maps
 * that compilers at run time leave for perf(1). The caller knows about the kernel.
 *
 * All tables are bounded: what they have no room for has no name, and is counted.
 */
#ifndef ETW_SYMBOLS_SYMBOLIZER_H
#define ETW_SYMBOLS_SYMBOLIZER_H

#include <stdbool.h>
#include <stdint.h>
#include "elf_functions.h"
#include "images.h"
#include "unwind.h"

#define SYMBOLIZER_FRAMES	ELF_FUNCTIONS_MAX
#define SYMBOLIZER_KERNEL	0x8000000000000000ull	/* its addresses, on 64 bits, begin here */

/* A function; its strings are not escaped, and stay as long as the symbolizer. */
struct symbol_frame {
	const char *function;	/* demangled; NULL: not known */
	const char *image;	/* the last part of a path, a module of the kernel; NULL: none */
	uint64_t offset;	/* bytes from the function's begin, or if that is not known in the file */
	bool inlined;		/* into the next one; then there is no offset */
	bool kernel;
};

struct symbol_place {
	uint32_t pid;		/* 0: not known */
	int64_t time;		/* FILETIME */
	uint64_t address;
	bool returns;		/* it is behind a call, which may be the function's last instruction */
};

struct symbolizer;

struct symbolizer_host {
	/*
	 * The functions at an address of the kernel, as symbolizer_find() returns them; strings by
	 * symbolizer_keep(), 0: not known. NULL: nobody can be asked.
	 */
	unsigned int (*kernel)(void *context, uint64_t address, struct symbol_frame *frames);
	/*
	 * What a process has mapped there now, if the trace does not say it; false: not known. NULL:
	 * nobody can be asked.
	 */
	bool (*mapped)(void *context, const struct symbol_place *place, struct image *image);
	void *context;
	const char *root;	/* a folder where files of another machine lie, or NULL */
	const char *debuginfod;	/* the URL of a server for what is found nowhere else, or NULL */
};

/* NULL: no memory. The host's strings and context must stay. */
struct symbolizer *symbolizer_new(const struct symbolizer_host *host);
void symbolizer_free(struct symbolizer *symbolizer);	/* NULL is fine */
/* Maps of compilers that are here may belong to the trace's processes. */
void symbolizer_use_perf_maps(struct symbolizer *symbolizer);
/* To be fed by the caller */
struct images *symbolizer_images(struct symbolizer *symbolizer);

/*
 * The functions at an address, innermost first, each inlined into the next: how many, at least
 * one, which has neither a function nor an image if nothing is known. frames has room for
 * SYMBOLIZER_FRAMES.
 */
unsigned int symbolizer_find(struct symbolizer *symbolizer, const struct symbol_place *place,
			     struct symbol_frame *frames);

/*
 * The addresses of a stack that was copied, innermost first: at most UNWIND_MAX, for which frames
 * has room. item: an item USER_STACK; of: the process and the time. *whole: none is missing.
 */
unsigned int symbolizer_unwind(struct symbolizer *symbolizer, const struct symbol_place *of,
			       const void *item, size_t len, struct unwound *frames, bool *whole);

/*
 * The functions at an address of a file, which is relative to where its first segment is loaded, as
 * of a kernel; 0: not known.
 */
unsigned int symbolizer_find_in(struct symbolizer *symbolizer, const struct image_file *file,
				uint64_t distance, struct symbol_frame *frames);

/* What names belong to: an offset in a file, else code that a process compiled, else the kernel */
struct symbol_location {
	const struct image_file *file;	/* NULL: none */
	uint32_t pid;			/* 0: not of a process */
	uint64_t at;			/* offset or address; of what is behind a call one less */
};

/*
 * Learn what a trace says itself: it comes before all else. The file is one of images_file(),
 * strings are of symbolizer_keep(). 0 or -ENOMEM
 */
int symbolizer_learn(struct symbolizer *symbolizer, const struct symbol_location *location,
		     const struct symbol_frame *frames, unsigned int count);
/* The functions that were found, without those that were learned; from *at 0 on. 0: no more */
unsigned int symbolizer_found(const struct symbolizer *symbolizer, size_t *at,
			      struct symbol_location *location,
			      const struct symbol_frame **frames);
/* How many of them were forgotten, because there was no room for so many */
uint64_t symbolizer_forgotten(const struct symbolizer *symbolizer);

/* A copy that stays, cut to DEMANGLED_MAX bytes; NULL: there is no room for it. */
const char *symbolizer_keep(struct symbolizer *symbolizer, const char *name, size_t len);

/* Why addresses have no names, a line each, for the end; not escaped */
typedef void symbolizer_line(void *context, const char *line);
void symbolizer_report(const struct symbolizer *symbolizer, symbolizer_line *line, void *context);

#endif /* ETW_SYMBOLS_SYMBOLIZER_H */
