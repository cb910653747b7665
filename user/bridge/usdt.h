/* SPDX-License-Identifier: MIT */
/*
 * usdt.h - the static probes of programs, as <sys/sdt.h> notes them
 *
 * The file may be anybody's: nothing in it is believed.
 */
#ifndef ETW_BRIDGE_USDT_H
#define ETW_BRIDGE_USDT_H

#include <stdbool.h>
#include <stdint.h>
#include "elf_file.h"
#include "probe_args.h"

/* One place of a probe; valid until take() returns */
struct usdt_note {
	const char *provider, *name;
	const char *args;	/* "8@%rdi -4@-20(%rbp)" */
	uint64_t offset;	/* of the place, in the file */
	uint64_t semaphore;	/* the same of its counter; 0: it has none */
};

/* Return false to stop. */
typedef bool usdt_take(void *context, const struct usdt_note *note);

/* Call take() for each well-formed probe that lies in a loaded segment. */
void usdt_notes(const struct elf_file *file, usdt_take *take, void *context);
/* Parse a note's arguments: arg1, arg2, ...; args->missing are those the kernel cannot fetch. */
void usdt_args(const char *text, struct probe_args *args);

#endif /* ETW_BRIDGE_USDT_H */
