// SPDX-License-Identifier: MIT
/* Compressing buffers: round trip, required room, compression ratio */
#include <stdlib.h>
#include <string.h>

#include "etl/xpress.h"
#include "lib/tap.h"

static struct etw_xpress_work work;

static uint32_t mix(uint32_t x)
{
	x = (x ^ x >> 16) * 0x7feb352d;
	x = (x ^ x >> 15) * 0x846ca68b;
	return x ^ x >> 16;
}

/* Compress into exactly the required room, and decompress; returns the size, 0: an error. */
static size_t round_trip(const uint8_t *in, size_t len)
{
	size_t room = len + len / 8 + 64, n, again;
	uint8_t *large = malloc(room), *exact, *out = malloc(len + 1);
	int err;

	n = etw_xpress_compress(in, len, large, room, &work);
	exact = malloc(n + 20);
	again = etw_xpress_compress(in, len, exact, n + 20, &work);
	exact = realloc(exact, n);
	out[len] = 0x5A;
	err = etw_xpress_decompress(exact, n, out, len);
	if (err || again != n || memcmp(exact, large, n) || memcmp(out, in, len) ||
	    out[len] != 0x5A)
		n = 0;
	free(large);
	free(exact);
	free(out);
	return n;
}

static void test_lengths(void)
{
	static uint8_t in[400];
	uint32_t len, kind, i;
	int bad = 0;

	for (kind = 0; kind < 4; kind++)
		for (len = 0; len < sizeof(in); len++) {
			for (i = 0; i < len; i++)
				in[i] = kind == 0 ? (uint8_t)'x' : kind == 1 ? (uint8_t)mix(i) :
					kind == 2 ? (uint8_t)"abcabd"[i % 6] : mix(i / 5) & 3;
			bad += !round_trip(in, len);
		}
	is(bad, 0, "every length up to 400, of four kinds");
}

/* A letter, and a run of another one: all lengths that are encoded differently. */
static void test_runs(void)
{
	static const uint32_t runs[] = { 3, 9, 10, 11, 24, 25, 26, 279, 280, 281, 282, 65537,
					 65538, 65539, 70000 };
	static uint8_t in[200000];
	uint32_t i, k, at;
	int bad = 0;

	for (i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		at = 0;
		/* Twice, so that both halves of a shared byte are used. */
		for (k = 0; k < 2; k++) {
			in[at++] = 'a' + k;
			memset(in + at, 'x' + k, runs[i] + 1);
			at += runs[i] + 1;
		}
		bad += !round_trip(in, at);
	}
	is(bad, 0, "runs of many lengths");
}

/* Repetitions just within the window, at its end and just beyond it */
static void test_window(void)
{
	static uint8_t in[30000];
	uint32_t gap, i;
	size_t within = 0, behind = 0;

	for (gap = 8190; gap <= 8194; gap++) {
		for (i = 0; i < gap; i++)
			in[i] = mix(i) >> 7;
		for (i = 0; i < 100; i++)
			in[gap + i] = in[i];
		if (gap <= 8192)
			within = round_trip(in, gap + 100);
		else
			behind = round_trip(in, gap + 100);
		ok(gap <= 8192 ? within : behind, "a distance of %u", gap);
	}
	ok(within + 80 < behind, "matches reach back 8192 bytes and no more");
}

static void test_room(void)
{
	static uint8_t in[3000];
	size_t n, room;
	uint8_t *out;
	int bad = 0;
	uint32_t i;

	for (i = 0; i < sizeof(in); i++)
		in[i] = mix(i / 3) & 15;
	n = round_trip(in, sizeof(in));
	ok(n > 500 && n < 2500, "%zu of 3000 bytes", n);
	for (room = 0; room < n; room++) {
		out = malloc(room + 1);
		bad += etw_xpress_compress(in, sizeof(in), out, room, &work) != 0;
		free(out);
	}
	is(bad, 0, "any less room is too little");
	out = malloc(100);
	is(etw_xpress_compress(in, (16u << 20) + 1, out, 100, &work), 0, "more than 16 MB");
	free(out);
}

/* Records like those of events: half of each equals the one before. */
static void test_ratio(void)
{
	static uint8_t in[65464];
	uint32_t i;
	size_t n;

	for (i = 0; i < sizeof(in); i++)
		in[i] = i % 104 < 80 ? (i % 104) * 7 : mix(i / 13) & 0x3F;
	n = round_trip(in, sizeof(in));
	ok(n && n < sizeof(in) / 2, "a buffer of events: %zu of %zu bytes", n, sizeof(in));
	memset(in, 0, sizeof(in));
	n = round_trip(in, sizeof(in));
	ok(n && n < 32, "nothing but zeros: %zu bytes", n);
	for (i = 0; i < sizeof(in); i++)
		in[i] = mix(i) >> 9;
	n = round_trip(in, sizeof(in));
	ok(n > sizeof(in) && n < sizeof(in) + sizeof(in) / 8 + 64, "noise: %zu bytes", n);
}

/* The examples of [MS-XCA] */
static void test_examples(void)
{
	uint8_t abc[300], out[64];
	int i;

	for (i = 0; i < 300; i++)
		abc[i] = "abc"[i % 3];
	is(etw_xpress_compress((const uint8_t *)"abcdefghijklmnopqrstuvwxyz", 26, out, 64, &work), 30,
	   "letters");
	ok(!memcmp(out, "\x3f\0\0\0abcdefghijklmnopqrstuvwxyz", 30), "byte for byte");
	is(etw_xpress_compress(abc, 300, out, 64, &work), 13, "abc, 100 times");
	ok(!memcmp(out, "\xff\xff\xff\x1f" "abc\x17\x00\x0f\xff\x26\x01", 13), "byte for byte");
}

int main(void)
{
	test_examples();
	test_lengths();
	test_runs();
	test_window();
	test_room();
	test_ratio();
	return done_testing();
}
