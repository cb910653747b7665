/* SPDX-License-Identifier: MIT */
/*
 * args.h - a field of a template as an argument of generated functions
 */
#ifndef ETW_MC_ARGS_H
#define ETW_MC_ARGS_H

#include "emit.h"

enum etw_mc_kind {
	ETW_MC_VALUE,		/* by value; arrays by pointer */
	ETW_MC_OBJECT,		/* of one size, by pointer */
	ETW_MC_STRING,		/* to its NUL, or with a length */
	ETW_MC_BINARY,		/* with a length */
	ETW_MC_SID,		/* it knows its length */
	ETW_MC_COUNTED,		/* its length goes into the payload, before it */
	ETW_MC_STRUCT,		/* packed by the caller */
};

struct etw_mc_type {
	char letter;
	enum etw_mc_kind kind;
	const char *param;	/* C type of an argument, with what must stand between */
	const char *sized;	/* the same with a length, or as a block; NULL: has none */
	const char *unit;	/* C type of what a length counts, or of an object */
};

struct etw_mc_arg {
	const struct etw_mc_type *type;
	bool array;
	bool block;		/* an argument _Len_ before it has its length in units */
	unsigned int count;	/* of elements, if count_arg is -1 */
	int count_arg;		/* the argument that has it */
	unsigned int length;	/* of an element, in units; 0: has none, or length_arg */
	int length_arg;
	unsigned int pieces;	/* data descriptors that it takes */
};

/* 0, or -EINVAL: a type that manifests do not have. */
int etw_mc_arg(const struct etw_mf_field *field, struct etw_mc_arg *arg);

#endif /* ETW_MC_ARGS_H */
