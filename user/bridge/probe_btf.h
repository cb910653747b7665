/* SPDX-License-Identifier: MIT */
/*
 * probe_btf.h - the arguments of the kernel's functions, from its type information
 */
#ifndef ETW_BRIDGE_PROBE_BTF_H
#define ETW_BRIDGE_PROBE_BTF_H

#include <stdbool.h>
#include "probe_args.h"

struct btf;

/*
 * What a probe at the begin of a function fetches; at its return: its value.  0; -ENOENT: the
 * types do not have the function.
 */
int probe_btf_args(const struct btf *btf, const char *function, bool returns,
		   struct probe_args *args);
/*
 * What the fields fetch that a probe's name has, see probe_fields().  0; -ENOENT, or -EINVAL: why
 * says what is wrong with them.
 */
int probe_btf_fields(const struct btf *btf, const char *function, bool returns, const char *fields,
		     struct probe_args *args, char *why, size_t why_size);
/* The types of a module, or of the kernel: ""; NULL: there are none.  They stay loaded. */
const struct btf *probe_btf_load(const char *module);

#endif /* ETW_BRIDGE_PROBE_BTF_H */
