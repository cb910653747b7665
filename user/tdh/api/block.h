/* SPDX-License-Identifier: MIT */
/*
 * block.h - the blocks that TDH's functions fill: structs, and strings behind them
 *
 * A block is built twice: without memory, to see how long it is, then, if there is
 * enough, into the caller's buffer.  So a builder must do the same both times, and
 * where there is too little nothing is written.
 */
#ifndef ETW_TDH_API_BLOCK_H
#define ETW_TDH_API_BLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <etw/winerror.h>
#include <etw/wintypes.h>

struct etw_block {
	uint8_t *base;		/* NULL: it is measured */
	size_t len;
	size_t origin;		/* what offsets of strings count from */
};

/* So many zero bytes behind what there is, aligned to 8; returns where they are. */
size_t etw_block_reserve(struct etw_block *block, size_t size);
/* Write there. */
void etw_block_put(struct etw_block *block, size_t at, const void *data, size_t size);
/* The address of that place; in a block that is measured one that says nothing. */
void *etw_block_address(const struct etw_block *block, size_t at);

/*
 * A string of UTF-8 as UTF-16 with a NUL; bytes that are none become U+FFFD.  Returns its
 * offset from origin, 0 for NULL.
 */
uint32_t etw_block_string(struct etw_block *block, const char *s);
/* The same of two strings, one behind the other. */
uint32_t etw_block_strings(struct etw_block *block, const char *s, const char *more);
/*
 * What of a string of UTF-16 lies behind s, as etw_block_string() writes that; NULL: it
 * does not begin with s.
 */
const WCHAR *etw_block_match(const WCHAR *text, const char *s);
/* One more NUL, at the end of a list of strings. */
void etw_block_nul(struct etw_block *block);
/* Bytes as they are, aligned to 2.  Returns the offset from origin. */
uint32_t etw_block_bytes(struct etw_block *block, const void *data, size_t size);

/*
 * Build a block into a buffer of *size bytes, which may be NULL if these are 0; *size
 * becomes what is used or needed.  ERROR_SUCCESS, ERROR_INSUFFICIENT_BUFFER;
 * ERROR_INVALID_PARAMETER: size is NULL, or buffer where there are to be bytes;
 * ERROR_ARITHMETIC_OVERFLOW: over 4 GB.
 */
ULONG etw_block_make(void (*build)(struct etw_block *block, void *context), void *context,
		     void *buffer, ULONG *size);

#endif /* ETW_TDH_API_BLOCK_H */
