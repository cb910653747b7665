/* SPDX-License-Identifier: MIT */
/*
 * sums.h - the stacks of events, equal ones added up, for the formats of profilers
 *
 * Memory is bounded: when there are too many different stacks, those so far are written, and come
 * once more if their events go on. All of these formats take a stack several times.
 */
#ifndef ETW_CONVERT_STACKS_SUMS_H
#define ETW_CONVERT_STACKS_SUMS_H

#include "convert/convert.h"
#include "symbols/frame_names.h"

#define STACK_SUMS_MAX		65536		/* stacks that are added up at once ... */
#define STACK_SUMS_BYTES	(16u << 20)	/* ... and what they take */

/* Events with one stack, of processes with one name */
struct stack_sum {
	uint64_t events;
	const char *process;	/* not escaped */
	const uint32_t *frames;	/* numbers of frame_names.h, innermost first */
	unsigned int count;
};

struct stack_sums;

/* Write a sum; 0, or what ends the conversion. */
typedef int stack_sums_write(struct convert *c, const struct stack_sum *sum);

/* The convert's symbolizer must be set. NULL: no memory */
struct stack_sums *stack_sums_new(struct convert *c, stack_sums_write *write);
void stack_sums_free(struct stack_sums *sums);	/* NULL is fine */

int stack_sums_event(struct stack_sums *sums, const struct convert_event *e);
/* Write what is left, and note what the result does not show. */
int stack_sums_end(struct stack_sums *sums);

const struct frame_names *stack_sums_names(const struct stack_sums *sums);
/* The times of the first and the last event with a stack, ns since 1970; 0: there was none */
int64_t stack_sums_first(const struct stack_sums *sums);
int64_t stack_sums_last(const struct stack_sums *sums);
/* How often stacks were written: 0 while the first ones are */
uint64_t stack_sums_rounds(const struct stack_sums *sums);

#endif /* ETW_CONVERT_STACKS_SUMS_H */
