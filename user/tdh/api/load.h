/* SPDX-License-Identifier: MIT */
/*
 * load.h - shared by the functions that load manifests into this process
 */
#ifndef ETW_TDH_API_LOAD_H
#define ETW_TDH_API_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <tdh.h>
#include "tdh/model/model.h"

/*
 * Add a manifest to the process; takes over the reference. from: the path (with its
 * NUL) or the bytes that it was read from; replaces the manifest loaded from there
 * before.
 */
ULONG etw_load_keep(struct etw_manifest *manifest, bool is_path, const void *from,
		    size_t size);

/* The ERROR_ code of a failed read: malformed for -EINVAL, missing for -ENOENT */
ULONG etw_load_error(int err, ULONG malformed, ULONG missing);

/* Is this a valid path of at most MAX_PATH characters, counted as on Windows? */
bool etw_load_path_ok(PCSTR path);

/* Call a function that takes UTF-8 with a path in UTF-16. */
ULONG etw_load_with(TDHSTATUS (*call)(PCSTR path), PCWSTR path);

#endif /* ETW_TDH_API_LOAD_H */
