/* SPDX-License-Identifier: MIT */
/*
 * block.c - the blocks that TDH's functions fill
 */
#include <string.h>

#include "block.h"
#include "base/utf.h"

#define REPLACEMENT	0xFFFD

size_t etw_block_reserve(struct etw_block *block, size_t size)
{
	size_t at = (block->len + 7) & ~(size_t)7;

	if (block->base)
		memset(block->base + block->len, 0, at + size - block->len);
	block->len = at + size;
	return at;
}

void etw_block_put(struct etw_block *block, size_t at, const void *data, size_t size)
{
	if (block->base)
		memcpy(block->base + at, data, size);
}

static void put_unit(struct etw_block *block, WCHAR unit)
{
	etw_block_put(block, block->len, &unit, sizeof(unit));
	block->len += sizeof(unit);
}

/*
 * Convert the character at s to units; returns its bytes. An invalid character is one
 * byte long.
 */
static size_t take_char(const char *s, size_t left, WCHAR units[2], unsigned int *count)
{
	size_t len = 0;

	if (etw_utf8_take(s, left, &len) < 0) {
		units[0] = REPLACEMENT;
		*count = 1;
		return 1;
	}
	*count = (unsigned int)etw_utf8_to_utf16(s, len, units, 2);
	return len;
}

/* Copy leading ASCII characters, which make up most names; returns their number. */
static size_t put_ascii(struct etw_block *block, const char *s, size_t left)
{
	size_t n = 0, i;
	WCHAR unit;

	while (n < left && !(s[n] & 0x80))
		n++;
	for (i = 0; block->base && i < n; i++) {
		unit = (unsigned char)s[i];
		memcpy(block->base + block->len + i * sizeof(unit), &unit, sizeof(unit));
	}
	block->len += n * sizeof(WCHAR);
	return n;
}

static void put_text(struct etw_block *block, const char *s)
{
	size_t left = strlen(s), len;
	unsigned int count, i;
	WCHAR units[2];

	while (left) {
		len = put_ascii(block, s, left);
		if (!len) {
			len = take_char(s, left, units, &count);
			for (i = 0; i < count; i++)
				put_unit(block, units[i]);
		}
		s += len;
		left -= len;
	}
}

static void align_2(struct etw_block *block)
{
	static const uint8_t zero;

	if (block->len & 1) {
		etw_block_put(block, block->len, &zero, 1);
		block->len++;
	}
}

uint32_t etw_block_strings(struct etw_block *block, const char *s, const char *more)
{
	size_t at;

	align_2(block);
	at = block->len;
	put_text(block, s);
	put_text(block, more);
	put_unit(block, 0);
	return (uint32_t)(at - block->origin);
}

uint32_t etw_block_string(struct etw_block *block, const char *s)
{
	return s ? etw_block_strings(block, s, "") : 0;
}

const WCHAR *etw_block_match(const WCHAR *text, const char *s)
{
	size_t left = strlen(s), len;
	unsigned int count, i;
	WCHAR units[2];

	for (; left; s += len, left -= len) {
		len = take_char(s, left, units, &count);
		for (i = 0; i < count; i++)
			if (*text++ != units[i])
				return NULL;
	}
	return text;
}

void etw_block_nul(struct etw_block *block)
{
	put_unit(block, 0);
}

uint32_t etw_block_bytes(struct etw_block *block, const void *data, size_t size)
{
	size_t at;

	align_2(block);
	at = block->len;
	etw_block_put(block, at, data, size);
	block->len += size;
	return (uint32_t)(at - block->origin);
}

ULONG etw_block_make(void (*build)(struct etw_block *block, void *context), void *context,
		     void *buffer, ULONG *size)
{
	struct etw_block block = { .base = NULL };
	ULONG room;

	room = *size;
	build(&block, context);
	if (block.len > UINT32_MAX)
		return ERROR_ARITHMETIC_OVERFLOW;
	*size = (ULONG)block.len;
	if (block.len > room)
		return ERROR_INSUFFICIENT_BUFFER;
	block = (struct etw_block){ .base = buffer };
	build(&block, context);
	return ERROR_SUCCESS;
}
