/* SPDX-License-Identifier: MIT */
/*
 * doubts.h - what files lack, and nothing that is copied from them tells
 *
 * A program numbers the buffers of the file that it writes. So the file would look whole where
 * the numbers, the order or the mode of a source show that something is missing there.
 */
#ifndef ETW_CLI_MERGE_DOUBTS_H
#define ETW_CLI_MERGE_DOUBTS_H

#include "records.h"

/* Judge the sources, of which each is read.  Returns the exit status. */
int etlmerge_judge(struct etlmerge *merge, char **paths);

/*
 * Call put for the record of each such loss; its time is key. unrecorded: something may be
 * missing at any time. After etlmerge_losses(). 0, or what put returned
 */
typedef int etlmerge_doubt_fn(void *context, const void *record, uint32_t size, int64_t last);
int etlmerge_doubts(const struct etlmerge *merge, int64_t key, bool unrecorded,
		    etlmerge_doubt_fn *put, void *context);

#endif /* ETW_CLI_MERGE_DOUBTS_H */
