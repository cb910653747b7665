// SPDX-License-Identifier: GPL-2.0-only
/*
 * lz77.c - plain LZ77 decompression, from section 2.4 of Microsoft's open specification MS-XCA.
 *
 * A stream is groups of 32 flag bits, highest first: 0 is a literal byte, 1 is a match of two
 * bytes (13 bits of distance less one, 3 of length less three).  Length 7 means that more
 * follows: a nibble (two matches share one byte), then a byte, then 16 and then 32 bits.
 */
#include "read.h"

struct in {
	const unsigned char *p;
	size_t pos, len;
	size_t nibble;		/* offset of the byte whose upper half is unused; 0 for none */
};

static int get(struct in *in, unsigned int bytes, uint32_t *v)
{
	*v = 0;
	if (in->len - in->pos < bytes)
		return -1;
	for (unsigned int i = 0; i < bytes; i++)
		*v |= (uint32_t)in->p[in->pos++] << 8 * i;
	return 0;
}

/* The rest of a length whose three bits were all set; the result is the length less three. */
static int long_length(struct in *in, uint32_t *length)
{
	uint32_t v;

	if (in->nibble) {
		v = in->p[in->nibble] >> 4;
		in->nibble = 0;
	} else {
		in->nibble = in->pos;
		if (get(in, 1, &v))
			return -1;
		v &= 15;
	}
	if (v < 15) {
		*length = v + 7;
		return 0;
	}
	if (get(in, 1, &v))
		return -1;
	if (v < 255) {
		*length = v + 15 + 7;
		return 0;
	}
	if (get(in, 2, &v) || (!v && get(in, 4, &v)) || v < 15 + 7)
		return -1;
	*length = v;
	return 0;
}

static int copy_match(struct in *in, unsigned char *out, size_t out_len, size_t *done)
{
	uint32_t v, length;
	size_t from, n;

	if (get(in, 2, &v))
		return -1;
	from = (v >> 3) + 1;
	length = v & 7;
	if (length == 7 && long_length(in, &length))
		return -1;
	if (from > *done)
		return -1;
	n = (size_t)length + 3;
	if (n > out_len - *done)
		return -1;
	for (; n; n--, ++*done)
		out[*done] = out[*done - from];
	return 0;
}

long lz77_decode(const unsigned char *p, size_t len, unsigned char *out, size_t out_len)
{
	struct in in = { .p = p, .len = len };
	size_t done = 0;
	uint32_t flags = 0, v;
	unsigned int left = 0;

	while (done < out_len) {
		if (!left) {
			if (get(&in, 4, &flags))
				return -1;
			left = 32;
		}
		left--;
		if (flags >> left & 1) {
			if (copy_match(&in, out, out_len, &done))
				return -1;
		} else {
			if (get(&in, 1, &v))
				return -1;
			out[done++] = (unsigned char)v;
		}
	}
	/*
	 * A match flag without a match marks the end. A writer that follows the page adds
	 * one more word of flags, all ones, if the last flag was used.
	 */
	if (!left && !get(&in, 4, &flags) && flags != UINT32_MAX)
		in.pos -= 4;
	return (long)in.pos;
}
