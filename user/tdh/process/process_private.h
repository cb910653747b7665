/* SPDX-License-Identifier: MIT */
/*
 * process_private.h - what an event says about a process
 */
#ifndef ETW_TDH_PROCESS_PROCESS_PRIVATE_H
#define ETW_TDH_PROCESS_PROCESS_PRIVATE_H

#include "base/text.h"
#include "etl/event.h"
#include "lib/consumer/event_record.h"
#include "process_table.h"

struct etw_decoder;

#define ETW_PROCESS_TEXT	256	/* bytes of a name or path that are kept, with its NUL */

struct etw_process_note {
	unsigned int what;	/* ETW_PROCESS_*, of the nearest meaning */
	uint32_t pid, parent;
	uint64_t key;		/* 0: the writer gives none */
	int64_t start;		/* FILETIME; only with a key */
	int64_t time;		/* of the event */
	bool changed;		/* the name or the executable was another one before */
	char name[ETW_PROCESS_TEXT], path[ETW_PROCESS_TEXT];
};

/* All zero is new. */
struct etw_process_reader {
	struct etw_decoder *decoder;
	struct etw_event_items items;
	struct etw_text text;
};

/* 1: *note; 0: it is another event, or makes no sense; -ENOMEM */
int etw_process_read(struct etw_process_reader *reader, const struct etw_event *event,
		     struct etw_process_note *note);
void etw_process_reader_free(struct etw_process_reader *reader);

#endif /* ETW_TDH_PROCESS_PROCESS_PRIVATE_H */
