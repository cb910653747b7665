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

#endif /* ETW_BRIDGE_PROBE_DWARF_H */
