/* SPDX-License-Identifier: MIT */
/*
 * probe_fields.h - what a probe fetches if its name says so: members of structures that its
 * function's arguments lead to, "file->f_inode->i_ino, count"
 */
#ifndef ETW_BRIDGE_PROBE_FIELDS_H
#define ETW_BRIDGE_PROBE_FIELDS_H

#include "base/suggest.h"
#include "probe_args.h"

enum probe_shape { PROBE_SHAPE_VALUE, PROBE_SHAPE_POINTER, PROBE_SHAPE_STRUCTURE,
		   PROBE_SHAPE_ARRAY };

/* A member of a structure or union */
struct probe_member {
	uint64_t offset;	/* bytes */
	unsigned int bit;	/* of a bit field: its first bit, from there on ... */
	unsigned int bits;	/* ... and how many; 0: it is none */
};

/*
 * Types as debug information has them. The context has a type at hand, without its names and
 * qualifiers, which the functions look at or change.
 */
struct probe_types {
	void *context;
	/*
	 * Take that of a parameter, or of the value: "ret"; false: there is none, and all names were
	 * offered. from: where it is, as "$arg1"; "": in no register.
	 */
	bool (*parameter)(void *context, struct suggest *name, char from[16]);
	enum probe_shape (*shape)(void *context);
	/* Take what a pointer leads to, or an array consists of; false: nothing is known of it. */
	bool (*follow)(void *context);
	/* Take that of a member; false as above. */
	bool (*member)(void *context, struct suggest *name, struct probe_member *member);
	struct probe_type (*describe)(void *context);
};

/* Is it the name that is looked for?  If not, it is offered. */
bool probe_fields_named(struct suggest *name, const char *its);

/* Make args of these fields, separated by commas; false: why says what is wrong. */
bool probe_fields(const char *fields, const struct probe_types *types, struct probe_args *args,
		  char *why, size_t why_size);

#endif /* ETW_BRIDGE_PROBE_FIELDS_H */
