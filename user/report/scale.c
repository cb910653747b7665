/* SPDX-License-Identifier: MIT */
/*
 * scale.c - counts over time, for a trace whose length is not known ahead
 */
#include <string.h>
#include "scale.h"

unsigned int report_scale_bucket(struct report_scale *scale, int64_t ns)
{
	uint64_t bucket;

	if (!scale->begun) {
		scale->begun = true;
		scale->start = ns;
	}
	bucket = ns > scale->start ? ((uint64_t)ns - (uint64_t)scale->start) >> scale->shift : 0;
	while (bucket >= REPORT_BUCKETS) {
		bucket >>= 1;
		scale->shift++;
		scale->used = (scale->used + 1) / 2;
	}
	if (bucket >= scale->used)
		scale->used = (unsigned int)bucket + 1;
	return (unsigned int)bucket;
}

unsigned int report_scale_find(const struct report_scale *scale, int64_t ns)
{
	uint64_t bucket;

	if (!scale->used || ns <= scale->start)
		return 0;
	bucket = ((uint64_t)ns - (uint64_t)scale->start) >> scale->shift;
	return bucket < scale->used ? (unsigned int)bucket : scale->used - 1;
}

void report_series_fold(struct report_series *series, const struct report_scale *scale,
			uint64_t *buckets, unsigned int count)
{
	unsigned int i;

	for (; series->shift < scale->shift; series->shift++) {
		for (i = 0; i < count / 2; i++)
			buckets[i] = buckets[2 * i] + buckets[2 * i + 1];
		memset(buckets + count / 2, 0, (count - count / 2) * sizeof(*buckets));
	}
}
