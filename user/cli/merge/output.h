/* SPDX-License-Identifier: MIT */
/*
 * output.h - log files that merge and split write
 */
#ifndef ETW_CLI_MERGE_OUTPUT_H
#define ETW_CLI_MERGE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include "records.h"
#include "etl/write.h"
#include "base/atomic_file.h"

struct merge_output_options {
	bool compress;
	bool replace;
};

/* One file.  All zero is unused. */
struct merge_output {
	char *path;			/* as the user gave it */
	struct etw_etl_writer *writer;
	int64_t last;			/* key of the latest record */
	struct etw_atomic_file file;
	struct etw_etl_written count;	/* valid once it is finished */
};

/*
 * Create a log file with the merge's header; path is copied.  Refuses to write over one of
 * the inputs.  Returns the exit status, as all of these do.
 */
int merge_output_create(struct merge_output *out, const char *path,
			const struct merge_output_options *options, const struct etlmerge *merge,
			const struct inputs *inputs);
/* A record that cannot be written is counted in merge->skipped. */
int merge_output_write(struct merge_output *out, struct etlmerge *merge,
		       const struct etlmerge_record *record);
/* The same for a record that is out of order in time. */
int merge_output_put(struct merge_output *out, struct etlmerge *merge, uint16_t cpu,
		     const void *data, uint32_t size);
/* Append to a file that is finished. */
int merge_output_reopen(struct merge_output *out);
/* Complete the log file; end_time: FILETIME. */
int merge_output_finish(struct merge_output *out, int64_t end_time);
/* Give finished files their names, all or none; after an error discard them. */
int merge_output_commit(struct merge_output *const *list, unsigned int count);
/* Remove a file that is not committed, and restore what it replaced. */
void merge_output_discard(struct merge_output *out);
void merge_output_free(struct merge_output *out);

#endif /* ETW_CLI_MERGE_OUTPUT_H */
