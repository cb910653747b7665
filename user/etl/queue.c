/* SPDX-License-Identifier: MIT */
/*
 * queue.c - buffers seen but not read yet, by CPU
 */
#include <stdlib.h>

#include "queue.h"

static uint32_t get_node(struct etw_etl_queue *queue)
{
	uint32_t i = queue->free;

	if (i) {
		queue->free = queue->nodes[i].next;
		return i;
	}
	if (queue->used + 1 >= queue->room) {
		uint32_t room = queue->room ? 2 * queue->room : 256;
		struct etw_etl_node *nodes;

		nodes = realloc(queue->nodes, room * sizeof(*nodes));
		if (!nodes)
			return 0;
		queue->nodes = nodes;
		queue->room = room;
	}
	return ++queue->used;
}

bool etw_etl_queue_put(struct etw_etl_queue *queue, uint16_t cpu, uint64_t at)
{
	struct etw_etl_cpu *c = &queue->cpus[cpu];
	uint32_t i = get_node(queue);

	if (!i)
		return false;
	queue->nodes[i].at = at;
	queue->nodes[i].next = 0;
	if (c->first)
		queue->nodes[c->last].next = i;
	else
		c->first = i;
	c->last = i;
	queue->kept++;
	return true;
}

bool etw_etl_queue_get(struct etw_etl_queue *queue, uint16_t cpu, uint64_t *at)
{
	struct etw_etl_cpu *c = &queue->cpus[cpu];
	uint32_t i = c->first;

	if (!i)
		return false;
	*at = queue->nodes[i].at;
	c->first = queue->nodes[i].next;
	queue->nodes[i].next = queue->free;
	queue->free = i;
	queue->kept--;
	return true;
}

void etw_etl_queue_free(struct etw_etl_queue *queue)
{
	free(queue->nodes);
}
