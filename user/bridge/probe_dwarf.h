/* SPDX-License-Identifier: MIT */
/*
 * probe_dwarf.h - the arguments of a program's functions, from its debug information
 */
#ifndef ETW_BRIDGE_PROBE_DWARF_H
#define ETW_BRIDGE_PROBE_DWARF_H

#include <stdbool.h>
#include <stdint.h>
#include "probe_args.h"

/*
 * What a probe at the begin of the function at this address of the file fetches; at its return:
 * its value.  The debug information is in the file, or in one that is installed for it.  0;
 * -ENOENT: there is none, or it does not have the function.
 */
int probe_dwarf_args(const char *path, uint64_t address, bool returns, struct probe_args *args);

/*
 * What the fields fetch that a probe's name has, see probe_fields().  0; -ENOENT, or -EINVAL: why
 * says what is wrong with them.
 */
int probe_dwarf_fields(const char *path, uint64_t address, bool returns, const char *fields,
		       struct probe_args *args, char *why, size_t why_size);

#endif /* ETW_BRIDGE_PROBE_DWARF_H */
