/* SPDX-License-Identifier: MIT */
/*
 * load.h - what the functions share that load manifests into this process
 */
#ifndef ETW_TDH_API_LOAD_H
#define ETW_TDH_API_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <tdh.h>
#include "tdh/model/model.h"

/*
 * Let the process know a manifest: takes the reference.  from: the path (with its NUL)
 * or the bytes that it was read from; what was loaded from there before goes.
 */
ULONG etw_load_keep(struct etw_manifest *manifest, bool is_path, const void *from,
		    size_t size);

/* What reading one said, as an ERROR_ code: malformed for -EINVAL, missing for -ENOENT */
ULONG etw_load_error(int err, ULONG malformed, ULONG missing);

/* Is it a path, of at most MAX_PATH characters, as Windows counts them? */
bool etw_load_path_ok(PCSTR path);

/* Call a function that takes UTF-8 with a path in UTF-16. */
ULONG etw_load_with(TDHSTATUS (*call)(PCSTR path), PCWSTR path);

#endif /* ETW_TDH_API_LOAD_H */
