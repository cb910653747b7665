/* SPDX-License-Identifier: MIT */
/*
 * distinct.c - how many different keys there were
 */
#include <errno.h>
#include <stdlib.h>
#include "base/table.h"
#include "distinct.h"

#define FIRST	256	/* slots */

static uint64_t *slot_of(const struct report_distinct *d, uint64_t mark)
{
	size_t at = (size_t)(mark & (d->size - 1));

	while (d->slots[at] && d->slots[at] != mark)
		at = (at + 1) & (d->size - 1);
	return &d->slots[at];
}

static int grow(struct report_distinct *d)
{
	struct report_distinct larger = { .size = d->size ? 2 * d->size : FIRST, .count = d->count };
	size_t i;

	larger.slots = calloc(larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (i = 0; i < d->size; i++)
		if (d->slots[i])
			*slot_of(&larger, d->slots[i]) = d->slots[i];
	free(d->slots);
	*d = larger;
	return 0;
}

int report_distinct_add(struct report_distinct *d, const void *key, size_t len)
{
	uint64_t mark = etw_hash(0, key, len), *slot;

	mark += !mark;
	if (2 * d->count >= d->size && d->count < REPORT_DISTINCT_MAX && grow(d))
		return -ENOMEM;
	slot = slot_of(d, mark);
	if (*slot)
		return 0;
	if (d->count >= REPORT_DISTINCT_MAX) {
		d->full = true;
		return 0;
	}
	*slot = mark;
	d->count++;
	return 1;
}

void report_distinct_free(struct report_distinct *d)
{
	free(d->slots);
	*d = (struct report_distinct){ .slots = NULL };
}
