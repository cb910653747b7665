/* SPDX-License-Identifier: MIT */
/*
 * histogram.h - a distribution of numbers on a logarithmic scale
 *
 * Magnitudes below 256 have bins of their own; each power of two above has 128 bins of equal
 * width, so a bin's lowest value differs from any value in it by less than 1 part in 128. Count,
 * sum, least and greatest are exact.
 *
 * Memory is allocated for the powers of two that occur: 256 bytes each, up to 1 KB for large counts.
 */
#ifndef ETW_REPORT_HISTOGRAM_H
#define ETW_REPORT_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define REPORT_HISTOGRAM_BINS	128	/* of one block: a power of two, or half of what is below 256 */
#define REPORT_HISTOGRAM_BLOCKS	58

/* All zero is empty. */
struct report_histogram {
	uint64_t count;
	__int128 sum;
	__int128 least, greatest;
	/*
	 * By magnitude: of the numbers from 0 on, and of those below. The address of a block's
	 * counts, and how wide they are (histogram.c); 0: there is none.
	 */
	uintptr_t blocks[2][REPORT_HISTOGRAM_BLOCKS];
};

/* A number from -2^63 to 2^64 - 1. 0 or -ENOMEM */
int report_histogram_add(struct report_histogram *histogram, __int128 value);
void report_histogram_free(struct report_histogram *histogram);

/*
 * The lowest value of the bin with the element of rank ceil(part/whole * count), from 1, or the
 * least element if that is larger. 0 if the histogram is empty.
 */
__int128 report_histogram_rank(const struct report_histogram *histogram, uint64_t part, uint64_t whole);

/* Bins for people; those without elements are left out */
struct report_bin {
	__int128 low, high;	/* the first and the last value in it */
	uint64_t count;
};

#define REPORT_EXACT	256	/* magnitudes below have bins of their own */

/*
 * Call take for each bin from the lowest on. per: bins of a power of two, 1, 2, 4 or 8, or
 * REPORT_EXACT if no magnitude is so large; values below per are bins of their own.
 */
void report_histogram_bins(const struct report_histogram *histogram, unsigned int per,
			   void (*take)(void *context, const struct report_bin *bin), void *context);

#endif /* ETW_REPORT_HISTOGRAM_H */
