/* SPDX-License-Identifier: MIT */
/*
 * output.h - log files that merge and split write
 */
#ifndef ETW_CLI_ETLOUT_H
#define ETW_CLI_ETLOUT_H

#include <stdbool.h>
#include <stdint.h>
#include "records.h"
#include "etl/write.h"
#include "base/atomic_file.h"

/* How to write it */
struct etlout_options {
	bool compress;
	bool replace;
};

/* One file.  All zero is none.  It gets its name when it is placed or committed, see newfile.h. */
struct etlout {
	char *path;
	struct etw_etl_writer *writer;
	int64_t last;			/* key of the latest record */
	struct etw_atomic_file file;	/* without a path if it is a device */
	struct etw_etl_written count;	/* once it is finished */
};

/*
 * Make one with the merge's header; path is copied.  Refuses one of inputs.  Returns the
 * exit status, as all of these do.
 */
int etlout_create(struct etlout *out, const char *path, const struct etlout_options *options,
		  const struct etlmerge *merge, const struct inputs *inputs);
/* A record that cannot be written is counted in merge->skipped. */
int etlout_write(struct etlout *out, struct etlmerge *merge,
		 const struct etlmerge_record *record);
/* The same of a record that is not in its place by time. */
int etlout_put(struct etlout *out, struct etlmerge *merge, uint16_t cpu, const void *data,
	       uint32_t size);
/* Go on with one that is finished. */
int etlout_reopen(struct etlout *out);
/* All is written; end_time: FILETIME. */
int etlout_finish(struct etlout *out, int64_t end_time);
/* It is complete and gets its name. */
int etlout_commit(struct etlout *out);
/* The same of several: what one replaced goes when it is settled, for all are placed. */
int etlout_place(struct etlout *out);
void etlout_settle(struct etlout *out);
/* It will not be: nothing stays, and what was replaced is back. */
void etlout_discard(struct etlout *out);
void etlout_free(struct etlout *out);

#endif /* ETW_CLI_ETLOUT_H */
