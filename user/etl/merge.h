/* SPDX-License-Identifier: MIT */
/*
 * merge.h - the records of several CPUs' buffers in time order
 *
 * Each CPU's buffers arrive in order, and so do the records within. A heap of the CPUs,
 * keyed by the time of their next record, yields the earliest record. Records with
 * equal times come in CPU order.
 */
#ifndef ETW_ETL_MERGE_H
#define ETW_ETL_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

/* A buffer as read; owned by the merge until etw_merge_take() returns it. */
struct etw_block {
	struct etw_block *next;
	struct etw_buffer_header header;	/* checked copy */
	uint32_t offset;			/* of the record after the current */
	uint64_t file_at;			/* offset in its file */
	const void *origin;			/* the original of this copy, or NULL */
	uint32_t lost_buffers;			/* for the reader */
	bool lost_events;
	bool lost_file;
	size_t size;				/* bytes at data */
	unsigned char data[] __attribute__((__aligned__(16)));
};

/* The block of a buffer header that a reader handed out. */
static inline struct etw_block *etw_block_of(const struct etw_buffer_header *header)
{
	return (struct etw_block *)((char *)header - offsetof(struct etw_block, header));
}

struct etw_stream {
	struct etw_block *first, *last;
	struct etw_record_view view;		/* current record of first ... */
	struct etw_classic_view classic;	/* ... its data if it is classic ... */
	const void *raw;			/* ... and its bytes */
	uint16_t cpu;
};

struct etw_merge {
	struct etw_stream **by_cpu;		/* by CPU number; NULL: not seen */
	struct etw_stream **heap;		/* streams with records */
	size_t room;				/* of both */
	size_t heap_count;
	size_t bytes;				/* of all blocks in the merge */
	uint64_t corrupt;			/* buffers dropped in the middle */
};

void etw_merge_free(struct etw_merge *merge);

/* Before freeing the merge: the next block of a CPU below room, or NULL. */
struct etw_block *etw_merge_remove(struct etw_merge *merge, size_t cpu);

/*
 * Add a block whose header is checked. 1: the merge owns it; 0: it has no records, the
 * caller keeps it; -ENOMEM.
 */
int etw_merge_add(struct etw_merge *merge, struct etw_block *block);

/* Is there a record, and what is the raw time of the first? */
bool etw_merge_first(const struct etw_merge *merge, int64_t *timestamp);

/*
 * Take the first record, which must exist; the caller has zeroed *event and sets its
 * times. buffer_done: it was the last record of the block etw_block_of(event->buffer),
 * which the caller owns now.
 */
void etw_merge_take(struct etw_merge *merge, struct etw_event *event);

/* Set what the event takes from its block, once its record is set. */
void etw_block_describe(struct etw_block *block, struct etw_event *event);

#endif /* ETW_ETL_MERGE_H */
