/* SPDX-License-Identifier: MIT */
/*
 * elf_file.h - what a probe needs to know of a program or a library
 *
 * The file may be anybody's: nothing in it is believed.
 */
#ifndef ETW_BRIDGE_ELF_FILE_H
#define ETW_BRIDGE_ELF_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct elf_file {
	int fd;
	struct Elf *elf;
	char path[PATH_MAX];	/* absolute, without links */
	dev_t dev;
	ino_t ino;
};

/* false: no more are wanted. */
typedef bool elf_symbol_take(void *context, const char *name, uint64_t address);

/*
 * Open the file, which is looked for in PATH and among the libraries if the name has no slash;
 * "libc" stands for libc.so.6 and the like.  0, or a negative errno: -ENOEXEC: no ELF file of a
 * 64-bit program for this machine; -EINVAL: its path has characters that the kernel does not take.
 */
int elf_file_open(const char *name, struct elf_file *file);
void elf_file_close(struct elf_file *file);

/* The functions of its tables of symbols; a name may come several times. */
void elf_file_symbols(const struct elf_file *file, elf_symbol_take *take, void *context);
/* Where in the file that lies which is loaded to this address; false: nowhere. */
bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *offset);

#endif /* ETW_BRIDGE_ELF_FILE_H */
