/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ETW_SESSION_BUFFER_PAGES_H
#define ETW_SESSION_BUFFER_PAGES_H

#include <linux/minmax.h>
#include <linux/topology.h>

#include "alloc.h"
#include "trace_session.h"

/* Growing is optional: fail rather than invoke the OOM killer. */
#define ETW_BUFFER_GFP	(ETW_GFP | __GFP_NORETRY)

/* The CPU's node; 0 if that is not known before the CPU is there. */
static inline u32 etw_buffer_node_of_cpu(unsigned int cpu)
{
	return max(cpu_to_node(cpu), 0);
}

int etw_buffer_nodes_init(struct etw_pool *pool);
void etw_buffer_nodes_exit(struct etw_pool *pool);
u32 etw_buffer_node_choose(const struct etw_pool *pool);
bool etw_buffer_pages_alloc(struct etw_buffer *b, u32 size, u32 node);
void etw_buffer_pages_move(struct etw_buffer *to, struct etw_buffer *from);
void etw_buffer_pages_free(struct etw_buffer *b, u32 size);

#endif /* ETW_SESSION_BUFFER_PAGES_H */
