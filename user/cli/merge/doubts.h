/* SPDX-License-Identifier: MIT */
/*
 * doubts.h - what merge and split write of their sources, because nothing copied tells it
 */
#ifndef ETW_CLI_MERGE_DOUBTS_H
#define ETW_CLI_MERGE_DOUBTS_H

#include "run.h"

/* Judge the sources by their buffers.  Returns the exit status, as all of these do. */
int etlmerge_judge(struct etlmerge *merge, char **paths);

/*
 * Write that there is nothing older than key, in ticks of the merge: merge->since_key, or the end
 * of what ends before that.
 */
int etlmerge_put_before(struct etlmerge *merge, struct merge_output *out, int64_t key);

/*
 * Make a record that something may be missing at any time. slot: ETW_LOSS_SLOT_MAX bytes. Returns
 * its size.
 */
uint32_t etlmerge_unrecorded(const struct etlmerge *merge, int64_t key, void *slot);

#endif /* ETW_CLI_MERGE_DOUBTS_H */
