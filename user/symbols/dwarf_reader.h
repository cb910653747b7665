/* SPDX-License-Identifier: MIT */
/*
 * dwarf_reader.h - the numbers of DWARF, little-endian
 *
 * Reading beyond the end returns 0 and sets bad, so callers check it once.
 */
#ifndef ETW_SYMBOLS_DWARF_READER_H
#define ETW_SYMBOLS_DWARF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dwarf_reader {
	const uint8_t *at, *end;
	bool bad;
};

static inline const uint8_t *dwarf_skip(struct dwarf_reader *r, uint64_t size)
{
	const uint8_t *at = r->at;

	if (size > (uint64_t)(r->end - at)) {
		r->bad = true;
		r->at = r->end;
		return NULL;
	}
	r->at += size;
	return at;
}

/* A number of 1 to 8 bytes */
static inline uint64_t dwarf_unsigned(struct dwarf_reader *r, size_t size)
{
	const uint8_t *at = dwarf_skip(r, size);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, size);
	return value;
}

static inline int64_t dwarf_signed(struct dwarf_reader *r, size_t size)
{
	const unsigned int unused = 64 - 8 * (unsigned int)size;

	return (int64_t)(dwarf_unsigned(r, size) << unused) >> unused;
}

/* Seven bits in a byte, the lowest first; *bits: how many there were. Those above 64 are lost. */
static inline uint64_t dwarf_groups(struct dwarf_reader *r, unsigned int *bits, uint8_t *last)
{
	uint64_t value = 0;

	*bits = 0;
	do {
		*last = (uint8_t)dwarf_unsigned(r, 1);
		if (*bits < 64)
			value |= (uint64_t)(*last & 0x7f) << *bits;
		if (*bits < 64)
			*bits += 7;
	} while (*last & 0x80);
	return value;
}

static inline uint64_t dwarf_uleb(struct dwarf_reader *r)
{
	unsigned int bits;
	uint8_t last;

	return dwarf_groups(r, &bits, &last);
}

static inline int64_t dwarf_sleb(struct dwarf_reader *r)
{
	unsigned int bits;
	uint8_t last;
	uint64_t value = dwarf_groups(r, &bits, &last);

	if (last & 0x40 && bits < 64)
		value |= ~0ull << bits;
	return (int64_t)value;
}

#endif /* ETW_SYMBOLS_DWARF_READER_H */
