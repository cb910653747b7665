/* SPDX-License-Identifier: MIT */
/*
 * block.h - buffers in memory, decompressed, and their owners
 *
 * A reader owns its buffers. A callback that sees a buffer may keep it; the buffer is
 * then freed when both have released it. The functions for this are thread-safe.
 */
#ifndef ETW_ETL_BLOCK_H
#define ETW_ETL_BLOCK_H

#include <stdbool.h>
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

/*
 * Keep a reader's buffer, or add a reference to a kept one; owner: the trace's handle.
 * Returns 0 or -ENOMEM.
 */
int etw_block_keep(struct etw_block *block, uint64_t owner);

/* Release a kept buffer by the address of its bytes; -ENOENT: not kept. */
int etw_block_forget(const void *data);

/* The reader releases it. True: the buffer may be reused or freed; NULL is fine. */
bool etw_block_drop(struct etw_block *block);
/* Like etw_block_drop(), and frees the buffer if possible. */
void etw_block_release(struct etw_block *block);

/* Wait until the owner keeps no buffer. This is a cancellation point. */
void etw_block_wait(uint64_t owner);

#endif /* ETW_ETL_BLOCK_H */
