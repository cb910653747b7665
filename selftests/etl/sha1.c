// SPDX-License-Identifier: GPL-2.0-only
/* sha1.c - SHA-1 (FIPS 180-4), shortened as in the corpus' event lists. */
#include <string.h>

#include "read.h"

static uint32_t rol(uint32_t v, unsigned int n)
{
	return v << n | v >> (32 - n);
}

static void block(uint32_t h[5], const unsigned char *p)
{
	static const uint32_t k[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

	for (unsigned int i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
		       (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
	for (unsigned int i = 16; i < 80; i++)
		w[i] = rol(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (unsigned int i = 0; i < 80; i++) {
		uint32_t f, t;

		if (i < 20)
			f = (b & c) | (~b & d);
		else if (i >= 40 && i < 60)
			f = (b & c) | (b & d) | (c & d);
		else
			f = b ^ c ^ d;
		t = rol(a, 5) + f + e + k[i / 20] + w[i];
		e = d;
		d = c;
		c = rol(b, 30);
		b = a;
		a = t;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

void sha1_text(const unsigned char *p, size_t n, char out[13])
{
	uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	unsigned char tail[128] = { 0 };
	uint64_t bits = (uint64_t)n * 8;
	size_t rest = n % 64, blocks;

	for (size_t i = 0; i + 64 <= n; i += 64)
		block(h, p + i);
	if (rest)
		memcpy(tail, p + n - rest, rest);
	tail[rest] = 0x80;
	blocks = rest < 56 ? 1 : 2;
	for (unsigned int i = 0; i < 8; i++)
		tail[blocks * 64 - 1 - i] = (unsigned char)(bits >> 8 * i);
	for (size_t i = 0; i < blocks; i++)
		block(h, tail + 64 * i);
	snprintf(out, 13, "%08x%04x", h[0], h[1] >> 16);
}
