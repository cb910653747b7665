/* SPDX-License-Identifier: MIT */
/*
 * input.h - the bytes of a manifest before they are parsed
 */
#ifndef ETW_TDH_MANIFEST_INPUT_H
#define ETW_TDH_MANIFEST_INPUT_H

#include "manifest.h"

/* Bytes as the parser gets them */
struct manifest_input {
	const char *data;
	size_t size;
	char *own;		/* data is this, converted to UTF-8; malloc() */
	bool converted;
};

/*
 * The whole file, at most MX_SIZE_MAX + 1 bytes of it.  0, or a negative errno; *data is
 * malloc()ed.  regular: nothing else is read, -EISDIR or -ENXIO, nor waited for.
 */
int etw_mx_read_file(const char *path, bool regular, char **data, size_t *size);

/*
 * Makes UTF-8 of UTF-16, and refuses what would keep the parser busy.  The caller frees
 * input->own.  False: x has the problem, or x->err is set.
 */
bool etw_mx_prepare(struct etw_mx *x, const char *data, size_t size, struct manifest_input *input);

#endif /* ETW_TDH_MANIFEST_INPUT_H */
