/* SPDX-License-Identifier: MIT */
/*
 * queue.h - of each CPU, the buffers that were seen and not read yet
 *
 * The walk of a file meets the buffers of all CPUs; when one CPU's next buffer is
 * wanted, those of others that lie before it are kept here, as offsets.  How many
 * is bounded, so that memory is.
 */
#ifndef ETW_ETL_QUEUE_H
#define ETW_ETL_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "walk.h"

struct etw_etl_cpu {
	uint64_t left;		/* buffers of it that are still to be read */
	uint32_t first, last;	/* nodes; 0: none */
	bool late;		/* its next one is too far ahead */
};

struct etw_etl_queue {
	struct etw_etl_cpu cpus[ETW_ETL_CPUS];
	struct etw_etl_node {
		uint64_t at;
		uint32_t next;
	} *nodes;		/* [0] is none */
	uint32_t room, used, free, kept;
};

#define ETW_ETL_KEPT_MAX	(1u << 18)	/* of all CPUs; 4 MB */

/* No more can be kept. */
static inline bool etw_etl_queue_full(const struct etw_etl_queue *queue)
{
	return queue->kept >= ETW_ETL_KEPT_MAX;
}

/* false: no memory. */
bool etw_etl_queue_put(struct etw_etl_queue *queue, uint16_t cpu, uint64_t at);
/* false: none is kept. */
bool etw_etl_queue_get(struct etw_etl_queue *queue, uint16_t cpu, uint64_t *at);
void etw_etl_queue_free(struct etw_etl_queue *queue);

#endif /* ETW_ETL_QUEUE_H */
