/* SPDX-License-Identifier: MIT */
/*
 * histogram.c - a distribution of numbers on a logarithmic scale
 *
 * Bins are numbered by magnitude: 0 to 255 are themselves, then each power of two has 128. So the
 * bin of a magnitude m >= 256 with its highest bit at position b has the number
 * 128 * (b - 7) + (m >> (b - 7)).
 *
 * A block of bins begins with 16-bit counts and gets wider ones when one of them is full: most never
 * are, and small blocks stay in the processor's caches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "histogram.h"

#define BINS	REPORT_HISTOGRAM_BINS
#define ALL	(REPORT_HISTOGRAM_BLOCKS * BINS)

/* How wide a block's counts are is in the lowest bits of its address, which are 0. */
enum { WIDTH_16, WIDTH_32, WIDTH_64, WIDTH_MASK };

static unsigned int bin_of(uint64_t magnitude)
{
	unsigned int high;

	if (magnitude < 2 * BINS)
		return (unsigned int)magnitude;
	high = 63 - (unsigned int)__builtin_clzll(magnitude);
	return BINS * (high - 7) + (unsigned int)(magnitude >> (high - 7));
}

/* The smallest magnitude of a bin; the end of the last one is 2^64. */
static __int128 low_of(unsigned int bin)
{
	const unsigned int block = bin / BINS;

	if (bin < 2 * BINS)
		return bin;
	return (__int128)(bin - BINS * (block - 1)) << (block - 1);
}

static void *counts_of(uintptr_t block)
{
	return (void *)(block & ~(uintptr_t)WIDTH_MASK);
}

static uint64_t count_at(uintptr_t block, unsigned int bin)
{
	switch (block & WIDTH_MASK) {
	case WIDTH_16:
		return ((const uint16_t *)counts_of(block))[bin];
	case WIDTH_32:
		return ((const uint32_t *)counts_of(block))[bin];
	default:
		return ((const uint64_t *)counts_of(block))[bin];
	}
}

/* false: the count is full. */
static bool count_one(uintptr_t block, unsigned int bin)
{
	uint16_t *narrow = counts_of(block);
	uint32_t *wider = counts_of(block);

	switch (block & WIDTH_MASK) {
	case WIDTH_16:
		narrow[bin] += narrow[bin] != UINT16_MAX;
		return narrow[bin] != UINT16_MAX;
	case WIDTH_32:
		wider[bin] += wider[bin] != UINT32_MAX;
		return wider[bin] != UINT32_MAX;
	default:
		((uint64_t *)counts_of(block))[bin]++;
		return true;
	}
}

/* A block of this width with the counts of another one, which is freed; 0: no memory */
static uintptr_t widen_block(uintptr_t from, unsigned int width)
{
	uint64_t *counts = calloc(BINS, sizeof(uint16_t) << width);
	unsigned int i;

	for (i = 0; i < BINS && counts && from; i++) {
		if (width == WIDTH_32)
			((uint32_t *)counts)[i] = (uint32_t)count_at(from, i);
		else
			counts[i] = count_at(from, i);
	}
	if (!counts)
		return 0;
	free(counts_of(from));
	return (uintptr_t)counts | width;
}

/* The largest value of a width stands for nothing: a count that reaches it gets the next width. */
static int count_in_block(uintptr_t *block, unsigned int bin)
{
	uintptr_t wider;

	if (!*block)
		*block = widen_block(0, WIDTH_16);
	if (!*block)
		return -ENOMEM;
	if (count_one(*block, bin))
		return 0;
	wider = widen_block(*block, (*block & WIDTH_MASK) + 1);
	if (!wider)
		return -ENOMEM;
	*block = wider;
	return 0;
}

int report_histogram_add(struct report_histogram *h, __int128 value)
{
	const bool below = value < 0;
	const unsigned int bin = bin_of((uint64_t)(below ? -value : value));

	if (count_in_block(&h->blocks[below][bin / BINS], bin % BINS))
		return -ENOMEM;
	if (!h->count || value < h->least)
		h->least = value;
	if (!h->count || value > h->greatest)
		h->greatest = value;
	h->count++;
	h->sum += value;
	return 0;
}

void report_histogram_free(struct report_histogram *h)
{
	unsigned int i;

	for (i = 0; i < REPORT_HISTOGRAM_BLOCKS; i++) {
		free(counts_of(h->blocks[0][i]));
		free(counts_of(h->blocks[1][i]));
	}
	memset(h, 0, sizeof(*h));
}

static uint64_t count_in(const struct report_histogram *h, bool below, unsigned int bin)
{
	const uintptr_t block = h->blocks[below][bin / BINS];

	return block ? count_at(block, bin % BINS) : 0;
}

/* The lowest value of the bin with this rank */
static __int128 find(const struct report_histogram *h, uint64_t rank)
{
	uint64_t passed = 0;
	unsigned int i;

	/* From the lowest number on: first those below 0, from the largest magnitude. */
	for (i = ALL; i-- > 0;) {
		if (!h->blocks[1][i / BINS]) {
			i -= i % BINS;
			continue;
		}
		passed += count_in(h, true, i);
		if (passed >= rank)
			return -(low_of(i + 1) - 1);
	}
	for (i = 0; i < ALL; i++) {
		if (!h->blocks[0][i / BINS]) {
			i += BINS - 1 - i % BINS;
			continue;
		}
		passed += count_in(h, false, i);
		if (passed >= rank)
			return low_of(i);
	}
	return h->greatest;
}

__int128 report_histogram_rank(const struct report_histogram *h, uint64_t part, uint64_t whole)
{
	const __int128 product = (__int128)h->count * part;
	uint64_t rank = (uint64_t)((product + whole - 1) / whole);
	__int128 value;

	if (!h->count)
		return 0;
	value = find(h, rank ? rank : 1);
	/* A bin may begin below the least element. */
	return value < h->least ? h->least : value;
}

/* ------------------------------------------------------------------ for people */

struct gather {
	struct report_bin bin;
	void (*take)(void *context, const struct report_bin *bin);
	void *context;
};

static void finish(struct gather *gather)
{
	if (gather->bin.count)
		gather->take(gather->context, &gather->bin);
	gather->bin.count = 0;
}

/* The larger bin of a magnitude: its first and its last magnitude */
static void widen(uint64_t magnitude, unsigned int per, __int128 *low, __int128 *high)
{
	unsigned int top;
	uint64_t width;

	*low = *high = magnitude;
	if (magnitude < per)
		return;
	top = 63 - (unsigned int)__builtin_clzll(magnitude);
	width = (UINT64_C(1) << top) / per;
	if (!width)
		return;
	*low = magnitude / width * width;
	*high = *low + width - 1;
}

static void gather_bin(struct gather *gather, uint64_t count, unsigned int bin, bool below,
		       unsigned int per)
{
	__int128 low, high, swap;

	if (!count)
		return;
	widen((uint64_t)low_of(bin), per, &low, &high);
	if (below) {
		swap = low;
		low = -high;
		high = -swap;
	}
	if (gather->bin.count && gather->bin.low != low)
		finish(gather);
	gather->bin.low = low;
	gather->bin.high = high;
	gather->bin.count += count;
}

void report_histogram_bins(const struct report_histogram *h, unsigned int per,
			   void (*take)(void *context, const struct report_bin *bin), void *context)
{
	struct gather gather = { .take = take, .context = context };
	unsigned int i;

	for (i = ALL; i-- > 0;)
		gather_bin(&gather, count_in(h, true, i), i, true, per);
	finish(&gather);
	for (i = 0; i < ALL; i++)
		gather_bin(&gather, count_in(h, false, i), i, false, per);
	finish(&gather);
}
