/* SPDX-License-Identifier: MIT */
/*
 * block.h - a buffer of a log file in memory, decompressed
 */
#ifndef ETW_ETL_BLOCK_H
#define ETW_ETL_BLOCK_H

#include "merge.h"

/*
 * Allocate a block for a buffer whose header has been checked, and copy that header.
 * The caller fills in the bytes after it. The header in the bytes is that of an
 * uncompressed buffer, for callbacks that see the bytes. free() it; NULL: out of
 * memory.
 */
struct etw_block *etw_etl_block(const struct etw_buffer_header *header);

/* The number of bytes after the header in the file. */
static inline size_t etw_etl_block_stored(const struct etw_block *block)
{
	return (block->header.flags & ETW_BUFFER_COMPRESSED ? block->header.buffer_size :
		block->header.offset) - sizeof(block->header);
}

/* Fill the block from its stored bytes. -EBADMSG: they cannot be decompressed. */
int etw_etl_block_fill(struct etw_block *block, const void *stored);

#endif /* ETW_ETL_BLOCK_H */
