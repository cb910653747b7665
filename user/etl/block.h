/* SPDX-License-Identifier: MIT */
/*
 * block.h - a buffer of a log file in memory, decompressed
 */
#ifndef ETW_ETL_BLOCK_H
#define ETW_ETL_BLOCK_H

#include "merge.h"

/*
 * A block for a buffer whose header makes sense, with a copy of that; its bytes behind it
 * are to be filled in.  In the bytes, the header is that of a buffer that never was
 * compressed, for those who are shown them.  For free(); NULL: no memory.
 */
struct etw_block *etw_etl_block(const struct etw_buffer_header *header);

/* Bytes behind the header as they are in the file. */
static inline size_t etw_etl_block_stored(const struct etw_block *block)
{
	return (block->header.flags & ETW_BUFFER_COMPRESSED ? block->header.buffer_size :
		block->header.offset) - sizeof(block->header);
}

/* Fill it in from so many bytes.  -EBADMSG: they cannot be decompressed. */
int etw_etl_block_fill(struct etw_block *block, const void *stored);

#endif /* ETW_ETL_BLOCK_H */
