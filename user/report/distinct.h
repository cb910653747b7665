/* SPDX-License-Identifier: MIT */
/*
 * distinct.h - how many different keys there were; exact up to a limit, at least so many beyond
 *
 * Keys are known by 64 bits of a hash with a seed of the process's own: that two of a million are
 * equal happens once in 37 million traces.
 */
#ifndef ETW_REPORT_DISTINCT_H
#define ETW_REPORT_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_DISTINCT_MAX	131072

/* All zero is empty. */
struct report_distinct {
	uint64_t *slots;	/* 0: free */
	size_t size, count;	/* size: 0 or a power of two */
	bool full;		/* keys came that were not counted */
};

/* 1: it is new; 0: it was there, or there is no room; -ENOMEM */
int report_distinct_add(struct report_distinct *distinct, const void *key, size_t len);
void report_distinct_free(struct report_distinct *distinct);

#endif /* ETW_REPORT_DISTINCT_H */
