/* SPDX-License-Identifier: MIT */
/*
 * open_numbers.h - the numbers of an event, by which a stop is known to belong to a start
 *
 * The first fields of the kernel's events name what they are about: a disk and a sector, a work
 * item, a file system and an inode. The start and the stop of an operation have the same values
 * there, and in every other field that both have unless the operation changed it.
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

static inline void open_numbers_clear(struct open_numbers *numbers)
{
	numbers->identity = 0;
	numbers->identity_names = 0;
	numbers->count = 0;
}

static inline void open_numbers_copy(struct open_numbers *to, const struct open_numbers *from)
{
	uint32_t i;

	to->identity = from->identity;
	to->identity_names = from->identity_names;
	to->count = from->count;
	for (i = 0; i < from->count; i++)
		to->list[i] = from->list[i];
}

/* Of the decoder's event, which is at its first field afterwards */
void open_numbers_read(struct open_numbers *numbers, struct etw_decoder *decoder);
/*
 * Are both about the same, and are all numbers equal that both have?  Returns how many these are,
 * or 0 if not.
 */
unsigned int open_numbers_equal(const struct open_numbers *a, const struct open_numbers *b);
/* Are they about different things of a kind? */
bool open_numbers_differ(const struct open_numbers *a, const struct open_numbers *b);

#endif /* ETW_CONVERT_SLICES_OPEN_NUMBERS_H */
