/* SPDX-License-Identifier: MIT */
/*
 * symbols_private.h - between the files that know names of addresses
 */
#ifndef ETW_CLI_SYMBOLS_SYMBOLS_PRIVATE_H
#define ETW_CLI_SYMBOLS_SYMBOLS_PRIVATE_H

#include "symbols.h"

struct function {
	uint64_t address;
	uint32_t name, module;	/* in names; module 0: none */
};

struct mapping {
	uint64_t begin, end, offset, inode;
	unsigned int major, minor;
	char *path;
	const struct image_file *file;	/* NULL: nobody has asked */
};

struct symbols {
	struct symbolizer *symbolizer;
	bool use_kernel, read_kernel;
	const char *refusal;		/* why the kernel's names are not used; NULL: no matter */
	uint64_t refused;		/* addresses that have no name for it */
	const struct machine *there;	/* whose kernel's addresses they are; NULL: of this boot */
	bool compared;			/* there with here, which then say whether names are used */
	struct machine here;
	struct image_file kernel;	/* the traced one, whose debug information may be here */
	struct function *functions;
	size_t function_count;
	struct etw_text names;
	bool runs;		/* the process that is asked for is there */
	uint32_t pid;		/* whose mappings they are */
	struct mapping *mappings;
	size_t mapping_count;
	uint64_t missing;	/* an address that they did not have */
};

/* Where /proc and /sys are; tests have another one. */
extern const char *symbols_root;

/* kernel.c: symbolizer_host.kernel, of a struct symbols */
unsigned int symbols_kernel(void *context, uint64_t address, struct symbol_frame *frames);
/* mapped.c: symbolizer_host.mapped, likewise */
bool symbols_mapped(void *context, const struct symbol_place *place, struct image *image);
void symbols_forget_mappings(struct symbols *symbols);

#endif /* ETW_CLI_SYMBOLS_SYMBOLS_PRIVATE_H */
