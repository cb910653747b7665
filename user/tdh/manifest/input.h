/* SPDX-License-Identifier: MIT */
/*
 * input.h - the bytes of a manifest before they are parsed
 */
#ifndef ETW_TDH_MANIFEST_INPUT_H
#define ETW_TDH_MANIFEST_INPUT_H

#include "manifest.h"

/* The bytes passed to the parser */
struct manifest_input {
	const char *data;
	size_t size;
	char *own;		/* backing of data after conversion to UTF-8; malloc() */
	bool converted;
};

/*
 * Read the whole file, at most MANIFEST_SIZE_MAX + 1 bytes. 0 or a negative errno; *data is
 * malloc()ed. regular: only read a regular file; otherwise return -EISDIR or -ENXIO
 * without waiting.
 */
int etw_manifest_load(const char *path, bool regular, char **data, size_t *size);

/*
 * Convert UTF-16 to UTF-8, and reject input that would take the parser too long. The
 * caller frees input->own. False: the problem is in r, or r->err is set.
 */
bool etw_manifest_prepare(struct manifest_reader *r, const char *data, size_t size,
			  struct manifest_input *input);

#endif /* ETW_TDH_MANIFEST_INPUT_H */
