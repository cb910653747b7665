/* SPDX-License-Identifier: MIT */
/*
 * file_private.h - what open.c and file.c share
 */
#ifndef ETW_ETL_FILE_PRIVATE_H
#define ETW_ETL_FILE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "file.h"
#include "queue.h"
#include "time.h"
#include "walk.h"
#include "merge.h"

struct etw_etl_file {
	struct etw_etl_space space;
	struct etw_etl_walk walk;
	struct etw_etl_info info;
	struct etw_etl_count count;
	struct etw_etl_queue queue;
	unsigned int late;		/* late CPUs, see file.c ... */
	unsigned int found_count;	/* ... and those ready to be fed again */
	uint16_t found[ETW_ETL_CPUS];
	struct etw_merge merge;
	struct etw_etl_time time;
	struct etw_block *head;		/* header buffer, until its records have been read */
	struct etw_classic_view head_view;
	struct etw_block *spent;	/* its last record has been handed out */
	uint8_t *packed;		/* compressed input */
	size_t packed_room;
	bool wide;			/* layout of the file's header */
	bool primed;			/* each CPU's first buffer is loaded */
	bool finished;			/* all buffers and the data after them have been read */
	int64_t last;			/* raw time of the last event handed out */
	etw_etl_report_fn *report;
	void *context;
};

/*
 * Read the buffer whose header is known. NULL and *err: out of memory, or the file
 * cannot be read; NULL and 0: the buffer was skipped.
 */
struct etw_block *etw_etl_load(struct etw_etl_file *f, uint64_t at,
			       const struct etw_buffer_header *header, int *err);

#endif /* ETW_ETL_FILE_PRIVATE_H */
