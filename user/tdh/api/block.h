/* SPDX-License-Identifier: MIT */
/*
 * block.h - the blocks that TDH's functions fill: structs, with strings after them
 *
 * A block is built twice: first without memory, to measure it, then, if it fits, into
 * the caller's buffer. So a builder must do the same both times; if the buffer is too
 * small, nothing is written.
 */
#ifndef ETW_TDH_API_BLOCK_H
#define ETW_TDH_API_BLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <etw/winerror.h>
#include <etw/wintypes.h>

struct etw_block {
	uint8_t *base;		/* NULL: measuring */
	size_t len;
	size_t origin;		/* start of string offsets */
};

/* Append zero bytes, aligned to 8; returns their offset. */
size_t etw_block_reserve(struct etw_block *block, size_t size);
/* Write at an offset. */
void etw_block_put(struct etw_block *block, size_t at, const void *data, size_t size);

/*
 * Append a UTF-8 string as UTF-16 with a NUL; invalid bytes become U+FFFD. Returns its
 * offset from origin, 0 for NULL.
 */
uint32_t etw_block_string(struct etw_block *block, const char *s);
/* The same for two strings, concatenated. */
uint32_t etw_block_strings(struct etw_block *block, const char *s, const char *more);
/*
 * The rest of a UTF-16 string after s as written by etw_block_string(); NULL: it does
 * not begin with s.
 */
const WCHAR *etw_block_match(const WCHAR *text, const char *s);
/* Append a NUL, at the end of a list of strings. */
void etw_block_nul(struct etw_block *block);
/* Append bytes, aligned to 2. Returns their offset from origin. */
uint32_t etw_block_bytes(struct etw_block *block, const void *data, size_t size);

/*
 * Build a block into a buffer of *size bytes, which may be NULL if *size is 0; sets
 * *size to the bytes used or needed. ERROR_SUCCESS, ERROR_INSUFFICIENT_BUFFER, or
 * ERROR_ARITHMETIC_OVERFLOW: over 4 GB.
 */
ULONG etw_block_make(void (*build)(struct etw_block *block, void *context), void *context,
		     void *buffer, ULONG *size);

#endif /* ETW_TDH_API_BLOCK_H */
