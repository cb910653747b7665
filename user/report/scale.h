/* SPDX-License-Identifier: MIT */
/*
 * scale.h - counts over time, for a trace whose length is not known ahead
 *
 * Time is divided into buckets of equal width. When an event is beyond the last one, the width
 * doubles and neighbours become one, so all numbers stay exact. Series have fewer buckets than the
 * scale, each of which stands for several of the scale's; they catch up when they are next used.
 */
#ifndef ETW_REPORT_SCALE_H
#define ETW_REPORT_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#define REPORT_BUCKETS	600	/* even, as the number of every series' buckets */

/* All zero: no event yet */
struct report_scale {
	bool begun;
	int64_t start;		/* ns since 1970: of the first event */
	unsigned int shift;	/* a bucket is 2^shift ns wide */
	unsigned int used;	/* buckets up to the last one with an event */
};

struct report_series {
	unsigned int shift;	/* the scale's, when it was last used */
};

/* The bucket of a time, from 0; times before the first event are in the first bucket. */
unsigned int report_scale_bucket(struct report_scale *scale, int64_t ns);
/* The same, but within the buckets in use */
unsigned int report_scale_find(const struct report_scale *scale, int64_t ns);

/* Make a series of count buckets, an even number, agree with the scale. */
void report_series_fold(struct report_series *series, const struct report_scale *scale,
			uint64_t *buckets, unsigned int count);

static inline void report_series_update(struct report_series *series,
					const struct report_scale *scale, uint64_t *buckets,
					unsigned int count)
{
	if (series->shift != scale->shift)
		report_series_fold(series, scale, buckets, count);
}

/* How many buckets of such a series are in use */
static inline unsigned int report_series_used(const struct report_scale *scale, unsigned int count)
{
	const unsigned int each = REPORT_BUCKETS / count;

	return (scale->used + each - 1) / each;
}

#endif /* ETW_REPORT_SCALE_H */
