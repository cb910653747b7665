/* SPDX-License-Identifier: MIT */
/*
 * args.h - a field of a template as an argument of generated functions
 */
#ifndef ETW_MC_ARGS_H
#define ETW_MC_ARGS_H

#include "emit.h"

enum etw_mc_kind {
	ETW_MC_VALUE,		/* passed by value; arrays by pointer */
	ETW_MC_OBJECT,		/* fixed size, passed by pointer */
	ETW_MC_STRING,		/* NUL-terminated, or with a length */
	ETW_MC_BINARY,		/* with a length */
	ETW_MC_SID,		/* contains its length */
	ETW_MC_COUNTED,		/* the payload has its length before it */
	ETW_MC_STRUCT,		/* packed by the caller */
};

struct etw_mc_type {
	char letter;
	enum etw_mc_kind kind;
	const char *param;	/* C type of an argument, with the space before its name */
	const char *sized;	/* the same with a length, or as a block; NULL: has none */
	const char *unit;	/* C type of the unit of lengths, or of an object */
};

struct etw_mc_arg {
	const struct etw_mc_type *type;
	bool array;
	bool block;		/* the argument _Len_ before it is its length in units */
	unsigned int count;	/* number of elements, if count_arg is -1 */
	int count_arg;		/* index of the argument with the count */
	unsigned int length;	/* units of an element; 0: none, or in length_arg */
	int length_arg;		/* index of the argument with the length, or -1 */
	unsigned int pieces;	/* number of data descriptors */
};

/* Fill *arg.  0, or -EINVAL: not a type of manifests. */
int etw_mc_arg(const struct etw_mf_field *field, struct etw_mc_arg *arg);

#endif /* ETW_MC_ARGS_H */
