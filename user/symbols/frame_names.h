/* SPDX-License-Identifier: MIT */
/*
 * frame_names.h - numbers for the functions of stacks, for whoever adds stacks up
 *
 * Addresses of one function have one number; functions of one name in different files have
 * different ones. What has no name is called "[file]", "[kernel]" or "[unknown]".
 */
#ifndef ETW_SYMBOLS_FRAME_NAMES_H
#define ETW_SYMBOLS_FRAME_NAMES_H

#include "symbolizer.h"

#define FRAME_NAMES_MAX		131072	/* functions that are told apart; others are "[unknown]" */
#define FRAME_NAMES_STACK	1024	/* functions of a stack, from the innermost on */

/* Strings are the symbolizer's, and not escaped. */
struct frame_name {
	const char *function;	/* NULL: not known */
	const char *image;	/* NULL: not known, or the kernel itself */
	bool kernel;
};

struct frame_names;

struct frame_names *frame_names_new(struct symbolizer *symbolizer);	/* NULL: no memory */
void frame_names_free(struct frame_names *names);	/* NULL is fine */
/*
 * Keep what was found for an address: names change only by the trace's events, not by processes that
 * run. Without memory nothing is kept.
 */
void frame_names_keep(struct frame_names *names);

/*
 * The functions of an event's stack, innermost first, as numbers from 0 on; how many, 0: it has no
 * stack. The array has room for FRAME_NAMES_STACK. *cut: outer functions are missing, here or already
 * in the event.
 */
unsigned int frame_names_of(struct frame_names *names, const struct etw_event *event,
			    uint32_t *stack, bool *cut);

/*
 * If names are kept: the time from since until before until in which all addresses of the event's
 * process have the same names, as long as the version that is returned holds. 0: they are not kept
 */
uint32_t frame_names_period(const struct frame_names *names, const struct etw_event *event,
			    int64_t *since, int64_t *until);
uint32_t frame_names_version(const struct frame_names *names);

/* How many numbers there are */
uint32_t frame_names_count(const struct frame_names *names);
const struct frame_name *frame_names_get(const struct frame_names *names, uint32_t number);
/* Append what it is called. */
void frame_names_title(const struct frame_name *name, struct etw_text *to);

#endif /* ETW_SYMBOLS_FRAME_NAMES_H */
