/* SPDX-License-Identifier: MIT */
/*
 * xpress.c - decompress buffers (plain LZ77 of [MS-XCA])
 *
 * The input consists of groups: a 32-bit word of flags, then one item per bit, from the
 * highest. 0 is a literal byte; 1 is a match of 16 bits, 13 of distance and 3 of
 * length. Longer lengths continue in half a byte, which two matches share, then in a
 * byte, then in 16 and 32 bits.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "xpress.h"

#define MATCH_MIN	3

struct source {
	const uint8_t *at, *end;
	const uint8_t *half;	/* the byte with an unused half, or NULL */
};

static bool take(struct source *s, void *to, size_t len)
{
	if ((size_t)(s->end - s->at) < len)
		return false;
	memcpy(to, s->at, len);
	s->at += len;
	return true;
}

static bool take_half(struct source *s, uint32_t *value)
{
	if (s->half) {
		*value = *s->half >> 4;
		s->half = NULL;
		return true;
	}
	if (s->at == s->end)
		return false;
	s->half = s->at++;
	*value = *s->half & 15;
	return true;
}

/* Read the length that follows a match with all three length bits set. */
static bool take_length(struct source *s, uint32_t *length)
{
	uint32_t value;
	uint16_t word;
	uint8_t byte;

	if (!take_half(s, &value))
		return false;
	if (value < 15) {
		*length = value + 7;
		return true;
	}
	if (!take(s, &byte, 1))
		return false;
	if (byte < 255) {
		*length = byte + 15u + 7u;
		return true;
	}
	if (!take(s, &word, sizeof(word)))
		return false;
	value = word;
	if (!value && !take(s, &value, sizeof(value)))
		return false;
	*length = value;	/* the whole length, not the remainder */
	return value >= 15 + 7;
}

static bool copy_match(struct source *s, uint8_t *out, size_t *at, size_t len)
{
	uint32_t length, distance, part;
	uint16_t match;
	size_t from;

	if (!take(s, &match, sizeof(match)))
		return false;
	distance = (match >> 3) + 1u;
	length = match & 7;
	if (length == 7 && !take_length(s, &length))
		return false;
	if (distance > *at || length > len - *at || len - *at - length < MATCH_MIN)
		return false;
	/* A match may overlap its output: the available bytes double each time. */
	for (length += MATCH_MIN, from = *at - distance; length; length -= part) {
		part = *at - from < length ? *at - from : length;
		memcpy(out + *at, out + from, part);
		*at += part;
	}
	return true;
}

int etw_xpress_decompress(const uint8_t *in, size_t in_len, uint8_t *out, size_t out_len)
{
	struct source s = { .at = in, .end = in + in_len };
	uint32_t flags = 0, left = 0;
	size_t at = 0;

	while (at < out_len) {
		if (!left) {
			if (!take(&s, &flags, sizeof(flags)))
				return -EINVAL;
			left = 32;
		}
		left--;
		if (flags >> left & 1) {
			if (!copy_match(&s, out, &at, out_len))
				return -EINVAL;
		} else if (!take(&s, &out[at++], 1)) {
			return -EINVAL;
		}
	}
	return 0;
}
