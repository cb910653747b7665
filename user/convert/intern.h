/* SPDX-License-Identifier: MIT */
/*
 * intern.h - numbers for strings that come often
 *
 * Bounded: when INTERN_MAX strings or INTERN_BYTES of them have numbers, no more get any.
 */
#ifndef ETW_CONVERT_INTERN_H
#define ETW_CONVERT_INTERN_H

#include <stddef.h>
#include <stdint.h>

#define INTERN_MAX	65536
#define INTERN_BYTES	(8u << 20)
#define INTERN_BUCKETS	4096

struct intern {
	struct interned *buckets[INTERN_BUCKETS];
	uint32_t count;
	size_t bytes;
};

/* Its number, from 1, or 0: it has none, nor will it; *is_new: it has it from now on. */
uint32_t intern(struct intern *table, const char *s, size_t len, int *is_new);
void intern_free(struct intern *table);

#endif /* ETW_CONVERT_INTERN_H */
