/* SPDX-License-Identifier: MIT */
/*
 * seen.h - a set of 64-bit numbers that is emptied when it is full
 *
 * For things that must be written once and may be written again.
 */
#ifndef ETW_CONVERT_SEEN_H
#define ETW_CONVERT_SEEN_H

#include "base/table.h"

#define SEEN_MAX	131072

struct seen {
	struct etw_interner numbers;
	uint64_t emptied;	/* how often */
};

/* Add a number.  1: it is new; 0: it was there; -ENOMEM. */
int seen_put(struct seen *seen, uint64_t number);
void seen_free(struct seen *seen);

/* A number, never 0, made from two numbers and what they are */
uint64_t seen_number(uint32_t kind, uint32_t a, uint32_t b);

#endif /* ETW_CONVERT_SEEN_H */
