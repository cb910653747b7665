/* SPDX-License-Identifier: MIT */
/*
 * bytes.h - growing bytes, little-endian
 *
 * After an allocation fails, error is set and nothing more is added, so callers check it
 * once, at the end.
 */
#ifndef ETW_BASE_BYTES_H
#define ETW_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* All zero is empty; error: 0 or -ENOMEM. */
struct etw_bytes {
	uint8_t *data;
	size_t len;
	size_t cap;
	int error;
};

void etw_bytes_free(struct etw_bytes *bytes);

void etw_bytes_put(struct etw_bytes *bytes, const void *data, size_t len);
void etw_bytes_put8(struct etw_bytes *bytes, uint8_t value);
void etw_bytes_put16(struct etw_bytes *bytes, uint16_t value);
void etw_bytes_put32(struct etw_bytes *bytes, uint32_t value);
void etw_bytes_put64(struct etw_bytes *bytes, uint64_t value);
void etw_bytes_text(struct etw_bytes *bytes, const char *text);

/* Append zeros up to a length. */
void etw_bytes_zero_to(struct etw_bytes *bytes, size_t len);
/* Zeroes until the bytes behind from are a multiple of to. */
void etw_bytes_align(struct etw_bytes *bytes, size_t from, size_t to);

/* Overwrite bytes. */
void etw_bytes_set32(struct etw_bytes *bytes, size_t at, uint32_t value);

/* UTF-8 as UTF-16, without NUL. Returns the units; invalid UTF-8 adds none. */
size_t etw_bytes_utf16(struct etw_bytes *bytes, const char *text);

/* Truncate to len. */
void etw_bytes_cut(struct etw_bytes *bytes, size_t len);

/* Compare two UTF-8 texts by their UTF-16 units. */
int etw_utf16_order(const char *a, const char *b);

#endif /* ETW_BASE_BYTES_H */
