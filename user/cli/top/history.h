/* SPDX-License-Identifier: MIT */
/*
 * history.h - the latest events of etw top, in bounded memory, to be counted in another way
 *
 * There are two halves. When the one that is filled is full, the other one is emptied and filled,
 * so at least half of the memory has events.
 */
#ifndef ETW_CLI_TOP_HISTORY_H
#define ETW_CLI_TOP_HISTORY_H

#include <stddef.h>
#include <stdint.h>
#include "etl/event.h"

/* All zero keeps nothing. */
struct history {
	unsigned char *half[2];
	size_t size;		/* of a half; 0: nothing is kept */
	size_t used[2];
	unsigned int at;	/* the half that is filled */
};

/* Keep events in so many bytes.  Ends the command without memory. */
void history_init(struct history *history, size_t bytes);
void history_free(struct history *history);
/* tick: in which it came; bytes: of its record */
void history_add(struct history *history, const struct etw_event *event, uint64_t tick,
		 uint32_t bytes);
/* Call take for all events, oldest first. */
void history_each(const struct history *history,
		  void (*take)(void *context, const struct etw_event *event, uint64_t tick,
			       uint32_t bytes), void *context);

#endif /* ETW_CLI_TOP_HISTORY_H */
