/* SPDX-License-Identifier: MIT */
/*
 * bounded.h - counts by key, for any number of keys in bounded memory
 *
 * A full table gives up the smaller half of its entries: what they counted moves to "other", so
 * that sums stay exact. A key that comes back starts at zero, and its earlier events remain in
 * "other". So an entry counts too few, never too many, and at most other.missing too few: the sum,
 * over all times the table was full, of the largest count that was given up. Keys with more events
 * than that are certainly listed.
 */
#ifndef ETW_REPORT_BOUNDED_H
#define ETW_REPORT_BOUNDED_H

#include <stddef.h>
#include <stdint.h>
#include "base/table.h"

/* At the start of an entry's own structure */
struct report_entry {
	uint64_t events, bytes;
	uint64_t hash;
	uint32_t slot;		/* in bounded.entries, until the generation changes */
	uint32_t key_len;
	const void *key;	/* in the entry's own memory */
};

struct report_bounded {
	struct etw_table table;
	struct report_entry **entries;	/* in any order */
	uint32_t count, max;
	size_t size;			/* of an entry's structure */
	uint32_t generation;		/* entries are gone since it was another; from 1 */
	void (*release)(struct report_entry *entry);	/* free what an entry points to; or NULL */
	struct {
		uint64_t count, events, bytes;	/* entries given up, and what they had */
		uint64_t missing;
	} other;
};

void report_bounded_init(struct report_bounded *bounded, uint32_t max, size_t size,
			 void (*release)(struct report_entry *entry));
void report_bounded_free(struct report_bounded *bounded);

/* 0: *entry was there; 1: it is new, zero but for its key; -ENOMEM */
int report_bounded_get(struct report_bounded *bounded, const void *key, size_t len,
		       struct report_entry **entry);

/* Sort the entries by their events, largest first; equal ones by their keys. */
void report_bounded_sort(struct report_bounded *bounded);

#endif /* ETW_REPORT_BOUNDED_H */
