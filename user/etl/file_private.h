/* SPDX-License-Identifier: MIT */
/*
 * file_private.h - what open.c and file.c share
 */
#ifndef ETW_ETL_FILE_PRIVATE_H
#define ETW_ETL_FILE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "file.h"
#include "time.h"
#include "walk.h"
#include "merge.h"

/*
 * Buffers seen but not read yet, by CPU. The walk of a file meets the buffers of all CPUs.
 * When one CPU's next buffer is needed, the offsets of other CPUs' buffers before it are
 * kept here. Their number is bounded, and so is the memory.
 */
#define ETW_ETL_KEPT_MAX	(1u << 18)	/* of all CPUs; 4 MB */

struct etw_etl_cpu {
	uint64_t left;		/* the CPU's buffers still to be read */
	uint32_t first, last;	/* nodes; 0: none */
	bool late;		/* the next buffer is too far ahead */
};

struct etw_etl_queue {
	struct etw_etl_cpu cpus[ETW_ETL_CPUS];
	struct etw_etl_node {
		uint64_t at;
		uint32_t next;
	} *nodes;		/* [0] is unused */
	uint32_t room, used, free, kept;
};

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
	int64_t newest;			/* raw time of the delivery of its latest buffer */
	int64_t last;			/* raw time of the last event handed out */
	int64_t skip_until;		/* FILETIME: earlier events are not wanted; 0: all are */
	uint16_t watched;		/* for etw_etl_watch() ... */
	bool *met;			/* ... NULL: no */
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
