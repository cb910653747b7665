/* SPDX-License-Identifier: MIT */
/*
 * source_verdict.h - what a file that is made of others has to tell of them
 *
 * Internal to the library and the tools beside it; not installed. Who makes a file numbers its
 * buffers. So it would look whole where the numbers, the order or the mode of a source show that
 * something is missing there, and nothing that is copied from it does.
 */
#ifndef ETW_ETL_SOURCE_VERDICT_H
#define ETW_ETL_SOURCE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

struct etw_source_verdict {
	bool since;		/* it has no older events, as its mode allows, ... */
	int64_t since_time;	/* ... than this FILETIME, on its own clock */
	bool silent;		/* it lacks something that nothing copied from it tells */
	int64_t end;		/* FILETIME on its own clock; 0: not known */
};

/*
 * Judge files by their buffers; those of one session are a series. 0, or as etw_etl_verify() for
 * the file with index *failed.
 */
int etw_source_verdicts(char *const *paths, unsigned int count, struct etw_source_verdict *list,
			unsigned int *failed);

/*
 * The record of such a loss. code: ETW_LOSS_BEFORE_FILE, or ETW_LOSS_UNRECORDED for one at any
 * time. first, last, noted: FILETIME; noted is the time of key, in ticks. slot: ETW_LOSS_SLOT_MAX
 * bytes, 8-byte aligned. Returns its size.
 */
uint32_t etw_source_loss(uint32_t code, int64_t first, int64_t last, int64_t noted, int64_t key,
			 void *slot);

#endif /* ETW_ETL_SOURCE_VERDICT_H */
