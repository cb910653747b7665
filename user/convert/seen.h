/* SPDX-License-Identifier: MIT */
/*
 * seen.h - a set of 64-bit numbers that forgets all of them when it is full
 *
 * For what has to be written once, and may be again.
 */
#ifndef ETW_CONVERT_SEEN_H
#define ETW_CONVERT_SEEN_H

#include <stddef.h>
#include <stdint.h>

#define SEEN_MAX	131072

struct seen {
	uint64_t *slots;	/* 0: free */
	size_t room, count;
};

/* Put a number in, any but 0.  1: it is new; 0: it was there; -ENOMEM. */
int seen_put(struct seen *seen, uint64_t number);
void seen_free(struct seen *seen);

/* A number for two, and for what they are; never 0 */
uint64_t seen_number(uint32_t kind, uint32_t a, uint32_t b);

#endif /* ETW_CONVERT_SEEN_H */
