/* SPDX-License-Identifier: MIT */
/*
 * block_ref.h - buffers kept longer than the reader needs them
 *
 * A reader owns its buffers. A callback that sees a buffer may keep it; the buffer is
 * then freed when both have released it. All functions are thread-safe.
 */
#ifndef ETW_ETL_BLOCK_REF_H
#define ETW_ETL_BLOCK_REF_H

#include <stdbool.h>
#include "merge.h"

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

#endif /* ETW_ETL_BLOCK_REF_H */
