/* SPDX-License-Identifier: MIT */
/*
 * file_private.h - what open.c, feed.c and file.c share
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
	unsigned int late;		/* CPUs, see feed.c ... */
	unsigned int found_count;	/* ... and those that are to be fed again */
	uint16_t found[ETW_ETL_CPUS];
	struct etw_merge merge;
	struct etw_etl_time time;
	struct etw_block *head;		/* header buffer, while it has records */
	struct etw_classic_view head_view;
	struct etw_block *spent;	/* its last record was handed out */
	uint8_t *packed;		/* to decompress from */
	size_t packed_room;
	bool wide;			/* layout of the file's header */
	bool primed;			/* each CPU's first buffer is in */
	bool finished;			/* and the last one was, and what is behind it */
	int64_t last;			/* raw time handed out last */
	etw_etl_report_fn *report;
	void *context;
};

/*
 * Read the buffer whose header is known.  NULL and *err: no memory, no file any more;
 * NULL and 0: it was left out.
 */
struct etw_block *etw_etl_load(struct etw_etl_file *f, uint64_t at,
			       const struct etw_buffer_header *header, int *err);

/* Give the merge a CPU's next buffer that has records; 0 also if there is none. */
int etw_etl_feed(struct etw_etl_file *f, uint16_t cpu);
/* The first buffer of every CPU. */
int etw_etl_prime(struct etw_etl_file *f);

/* Something is wrong; it is counted. */
void etw_etl_report(struct etw_etl_file *f, uint64_t at, const char *what);
/* A record could not be read; the rest of its buffer is left out. */
void etw_etl_tell_record(struct etw_etl_file *f, const struct etw_block *block);

#endif /* ETW_ETL_FILE_PRIVATE_H */
