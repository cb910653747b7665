/* SPDX-License-Identifier: MIT */
/*
 * probe_args.h - what a probe fetches
 */
#ifndef ETW_BRIDGE_PROBE_ARGS_H
#define ETW_BRIDGE_PROBE_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#define PROBE_ARGS_MAX		16
#define PROBE_ARG_NAME		32	/* bytes of a name, as the kernel takes it */

struct probe_arg {
	char name[PROBE_ARG_NAME];
	char fetch[64];		/* as in kprobe_events, with the type: "$arg1:s32" */
	uint8_t out;		/* how it is shown, enum TlgOut_t; 0: as its type says */
};

struct probe_args {
	struct probe_arg list[PROBE_ARGS_MAX];
	unsigned int count;
	unsigned int missing;	/* those that the kernel cannot fetch */
};

/* The kernel reads up to 4096 bytes of each, and warns of a record of more than 8192. */
#define PROBE_TEXTS_MAX		1

/* The type of a function's parameter or value, as debug information has it */
struct probe_type {
	enum { PROBE_TYPE_OTHER, PROBE_TYPE_INTEGER, PROBE_TYPE_BOOL, PROBE_TYPE_POINTER } kind;
	uint64_t size;		/* bytes */
	bool is_signed;
	bool is_pid;		/* it is called pid_t */
	bool to_char;		/* a pointer to char */
};

/*
 * Add the parameter of this index, from 0, which is found at from: "$arg1".  A pointer to char is a
 * text, unless its name says that it is a buffer; the kernel has room for one.  What no probe can
 * fetch is counted as missing.
 */
void probe_args_add(struct probe_args *args, const char *name, unsigned int index,
		    const struct probe_type *type, const char *from);

/* Add one whose fetch and out are set by this name, or if the kernel does not take it by "arg1". */
void probe_args_name(struct probe_args *args, const char *name, unsigned int index);
/* How many of them are texts */
unsigned int probe_args_texts(const struct probe_args *args);

#endif /* ETW_BRIDGE_PROBE_ARGS_H */
