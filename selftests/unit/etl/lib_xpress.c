// SPDX-License-Identifier: MIT
/* Decompressing buffers: [MS-XCA]'s own examples, all lengths, and malformed input */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "etl/xpress.h"
#include "lib/tap.h"

static uint8_t out[70000];

static void test_examples(void)
{
	static const uint8_t letters[] = "\x3f\0\0\0abcdefghijklmnopqrstuvwxyz";
	static const uint8_t abc[] = { 0xff, 0xff, 0xff, 0x1f, 'a', 'b', 'c', 0x17, 0x00, 0x0f,
				       0xff, 0x26, 0x01 };
	int i, bad = 0;

	ok(!etw_xpress_decompress(letters, sizeof(letters) - 1, out, 26) &&
	   !memcmp(out, "abcdefghijklmnopqrstuvwxyz", 26), "letters");
	ok(!etw_xpress_decompress(abc, sizeof(abc), out, 300), "abc, 100 times");
	for (i = 0; i < 300; i++)
		bad += out[i] != "abc"[i % 3];
	is(bad, 0, "the text is right");
}

/* One letter, then a match of it: write the bytes that encode its length. */
static size_t put_match(uint8_t *in, uint32_t length)
{
	uint8_t *at = in;
	uint16_t word;

	memcpy(at, "\xff\xff\xff\x7f" "x", 5);
	at += 5;
	word = length - 3 < 7 ? length - 3 : 7;
	memcpy(at, &word, 2);
	at += 2;
	if (length - 3 < 7)
		return at - in;
	if (length - 10 < 15) {
		*at++ = length - 10;
		return at - in;
	}
	*at++ = 15;
	if (length - 25 < 255) {
		*at++ = length - 25;
		return at - in;
	}
	*at++ = 255;
	length -= 3;
	if (length < 65536) {
		word = length;
		memcpy(at, &word, 2);
		return at + 2 - in;
	}
	memset(at, 0, 2);
	memcpy(at + 2, &length, 4);
	return at + 6 - in;
}

static void test_lengths(void)
{
	uint32_t length, i;
	uint8_t in[32];
	int bad = 0;

	for (length = 3; length < sizeof(out) - 1; length += length < 400 ? 1 : 997) {
		uint8_t *exact = malloc(32);
		size_t n = put_match(in, length);

		/*
		 * A copy that ends where the input does, so that the sanitizer sees reads
		 * beyond it.
		 */
		exact = realloc(exact, n);
		memcpy(exact, in, n);
		memset(out, 0, sizeof(out));
		bad += etw_xpress_decompress(exact, n, out, length + 1) != 0;
		for (i = 0; i <= length; i++)
			bad += out[i] != 'x';
		bad += out[length + 1] != 0;
		/* Cut short, and with too much or too little room. */
		for (i = 0; i < n; i++)
			bad += etw_xpress_decompress(exact, i, out, length + 1) != -EINVAL;
		bad += etw_xpress_decompress(exact, n, out, length) != -EINVAL;
		free(exact);
	}
	is(bad, 0, "matches of every kind of length");
}

/* Two matches share a byte, and each uses half of it. */
static void test_halves(void)
{
	static const uint8_t in[] = { 0xff, 0xff, 0xff, 0x7f, 'y', 7, 0, 0x21, 7, 0, 'z' };
	uint8_t want[1 + 11 + 12];

	memset(want, 'y', sizeof(want));
	ok(!etw_xpress_decompress(in, sizeof(in), out, sizeof(want)) &&
	   !memcmp(out, want, sizeof(want)), "11 and 12 of the letter");
}

static void test_lies(void)
{
	static const uint8_t far[] = { 0xff, 0xff, 0xff, 0x7f, 'y', 8, 0 };
	static const uint8_t first[] = { 0xff, 0xff, 0xff, 0xff, 0, 0 };
	static const uint8_t small[] = { 0xff, 0xff, 0xff, 0x7f, 'y', 7, 0, 15, 255, 21, 0 };
	static const uint8_t wraps[] = { 0xff, 0xff, 0xff, 0x7f, 'y', 7, 0, 15, 255, 0, 0,
					 0xff, 0xff, 0xff, 0xff };

	is(etw_xpress_decompress(far, sizeof(far), out, 4), -EINVAL, "before the begin");
	is(etw_xpress_decompress(first, sizeof(first), out, 3), -EINVAL, "of nothing");
	is(etw_xpress_decompress(small, sizeof(small), out, 100), -EINVAL, "a length too small");
	is(etw_xpress_decompress(wraps, sizeof(wraps), out, sizeof(out)), -EINVAL, "4 GB");
	is(etw_xpress_decompress(NULL, 0, out, 0), 0, "nothing into nothing");
}

int main(void)
{
	test_examples();
	test_lengths();
	test_halves();
	test_lies();
	return done_testing();
}
