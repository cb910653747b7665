/* SPDX-License-Identifier: GPL-2.0-only */
/* sort.h - sort figures, for medians and percentiles */
#ifndef BENCH_SORT_H
#define BENCH_SORT_H

#include <stdlib.h>

static inline int sort_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static inline void sort_figures(double *figures, size_t count)
{
	qsort(figures, count, sizeof(*figures), sort_compare);
}

#endif /* BENCH_SORT_H */
