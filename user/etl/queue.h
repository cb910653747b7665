/* SPDX-License-Identifier: MIT */
/*
 * queue.h - buffers seen but not read yet, by CPU
 *
 * The walk of a file meets the buffers of all CPUs. When one CPU's next buffer is
 * needed, the offsets of other CPUs' buffers before it are kept here. Their number is
 * bounded, and so is the memory.
 */
#ifndef ETW_ETL_QUEUE_H
#define ETW_ETL_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "walk.h"

struct etw_etl_cpu {
	uint64_t left;		/* the CPU's buffers still to be read */
	uint32_t first, last;	/* nodes; 0: none */
	bool late;		/* the next buffer is too far ahead */
};

struct etw_etl_queue {
	struct etw_etl_cpu cpus[ETW_ETL_CPUS];
	struct etw_etl_node {
		uint64_t at;
		uint32_t next;
	} *nodes;		/* [0] is unused */
	uint32_t room, used, free, kept;
};

#define ETW_ETL_KEPT_MAX	(1u << 18)	/* of all CPUs; 4 MB */

/* Is the queue full? */
static inline bool etw_etl_queue_full(const struct etw_etl_queue *queue)
{
	return queue->kept >= ETW_ETL_KEPT_MAX;
}

/* false: out of memory. */
bool etw_etl_queue_put(struct etw_etl_queue *queue, uint16_t cpu, uint64_t at);
/* false: no buffer is queued for the CPU. */
bool etw_etl_queue_get(struct etw_etl_queue *queue, uint16_t cpu, uint64_t *at);
void etw_etl_queue_free(struct etw_etl_queue *queue);

#endif /* ETW_ETL_QUEUE_H */
