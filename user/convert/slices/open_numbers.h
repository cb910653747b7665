/* SPDX-License-Identifier: MIT */
/*
 * open_numbers.h - the numbers of an event, by which a stop is known to belong to a start
 *
 * The events of the kernel say first what they are about: a disk and a sector, a work item, a
 * file system and an inode. What begins and what ends an operation say that alike, and the rest
 * as far as it has not changed.
 */
#ifndef ETW_CONVERT_SLICES_OPEN_NUMBERS_H
#define ETW_CONVERT_SLICES_OPEN_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <etw/decode.h>

#define OPEN_NUMBERS	12	/* fields that are compared */

struct open_numbers {
	uint64_t identity;	/* hash of the first 8 bytes or more; 0: there are less */
	uint32_t identity_names;	/* hash of these fields' names */
	uint32_t count;
	struct {
		uint32_t name;	/* hash */
		uint64_t value;
	} list[OPEN_NUMBERS];
};

/* Of the decoder's event, which is at its first field afterwards */
void open_numbers_read(struct open_numbers *numbers, struct etw_decoder *decoder);
/* Are both about the same, and is each number alike that both have? */
bool open_numbers_equal(const struct open_numbers *a, const struct open_numbers *b);
/* Are they about different things of a kind? */
bool open_numbers_differ(const struct open_numbers *a, const struct open_numbers *b);

#endif /* ETW_CONVERT_SLICES_OPEN_NUMBERS_H */
