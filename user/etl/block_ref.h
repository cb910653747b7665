/* SPDX-License-Identifier: MIT */
/*
 * block_ref.h - buffers that outlive the reader's interest in them
 *
 * A reader's buffer is the reader's.  Somebody who got to see it may keep it: then it
 * is freed when both have let it go.  Any thread, at once.
 */
#ifndef ETW_ETL_BLOCK_REF_H
#define ETW_ETL_BLOCK_REF_H

#include <stdbool.h>
#include "merge.h"

/*
 * Keep a buffer that a reader has, once more if it is kept already; owner: for which trace.
 * -ENOMEM.
 */
int etw_block_keep(struct etw_block *block, uint64_t owner);

/* Let one go by the address of its bytes; -ENOENT: none that is kept. */
int etw_block_forget(const void *data);

/* The reader lets it go.  True: it may be used again, or freed; NULL is fine. */
bool etw_block_drop(struct etw_block *block);
/* As etw_block_drop(), and freed if it may be. */
void etw_block_release(struct etw_block *block);

/* Wait until none is kept for the owner.  A thread may be cancelled in here. */
void etw_block_wait(uint64_t owner);

#endif /* ETW_ETL_BLOCK_REF_H */
