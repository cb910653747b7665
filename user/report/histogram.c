/* SPDX-License-Identifier: MIT */
/*
 * histogram.c - a distribution of numbers on a logarithmic scale
 *
 * Bins are numbered by magnitude: 0 to 255 are themselves, then each power of two has 128. So the
 * bin of a magnitude m >= 256 with its highest bit at position b has the number
 * 128 * (b - 7) + (m >> (b - 7)).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "histogram.h"

#define BINS	REPORT_HISTOGRAM_BINS
#define ALL	(REPORT_HISTOGRAM_BLOCKS * BINS)

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

int report_histogram_add(struct report_histogram *h, __int128 value)
{
	const bool below = value < 0;
	const unsigned int bin = bin_of((uint64_t)(below ? -value : value));
	uint64_t **block = &h->blocks[below][bin / BINS];

	if (!*block)
		*block = calloc(BINS, sizeof(**block));
	if (!*block)
		return -ENOMEM;
	(*block)[bin % BINS]++;
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
		free(h->blocks[0][i]);
		free(h->blocks[1][i]);
	}
	memset(h, 0, sizeof(*h));
}

static uint64_t count_in(const struct report_histogram *h, bool below, unsigned int bin)
{
	const uint64_t *block = h->blocks[below][bin / BINS];

	return block ? block[bin % BINS] : 0;
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
