/* SPDX-License-Identifier: MIT */
/*
 * probe_functions.h - the functions of the running kernel
 */
#ifndef ETW_BRIDGE_PROBE_FUNCTIONS_H
#define ETW_BRIDGE_PROBE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct probe_function {
	const char *name;
	const char *module;	/* "" for the kernel itself */
	bool several;		/* there are several of this name, in whatever modules */
};

/*
 * Those that can be traced, sorted, each name once.  They are read once and stay.  0, or a
 * negative errno: -ENOENT: no tracefs, or a kernel without this list; -EACCES; -ENOMEM.
 */
int probe_functions(const struct probe_function **list, size_t *count);
/* One of them, or NULL */
const struct probe_function *probe_function_find(const char *name);
/* Does the kernel have a function of this name, traceable or not? */
bool probe_function_exists(const char *name);

#endif /* ETW_BRIDGE_PROBE_FUNCTIONS_H */
