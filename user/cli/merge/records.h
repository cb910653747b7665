/* SPDX-License-Identifier: MIT */
/*
 * records.h - the records of log files in one order and one clock
 *
 * Of several sessions or machines, whose clocks differ: the order is that of the
 * clock that all times are converted to.  Memory: one buffer for each CPU of each file.
 */
#ifndef ETW_CLI_ETLMERGE_H
#define ETW_CLI_ETLMERGE_H

#include "cli/inputs.h"
#include "cli/request/select.h"
#include "etl/clock.h"
#include "etl/write.h"

struct etlmerge_source {
	struct etw_etl_file *file;
	struct etw_etl_shift shift;
	struct etw_event event;	/* the next one */
	int64_t key;			/* its time in the merge's clock */
	int64_t last;			/* FILETIME of the latest event that was read */
	bool has, done;
};

struct etlmerge {
	struct etlmerge_source *sources;
	unsigned int count;
	struct etw_etl_info like;	/* for the header of what is written */
	int64_t end_time;		/* of the latest that tells one, FILETIME; 0: none does */
	uint64_t lost_events, lost_buffers;	/* that the files tell of */
	uint64_t skipped;		/* records that could not be written */
	uint64_t far;			/* that are farther away than the clock can count */
	struct etw_etl_time *lines;	/* of the clocks, at the number of one source of each */
	struct etw_etl_time *clock;	/* that all times are converted to, less ... */
	int64_t offset;			/* ... so many ticks */
	struct etlmerge_source *current;
	uint8_t *copy;			/* of a record whose times are others */
	/* Records about the trace that were met, by hash: see records.c */
	struct etlmerge_seen {
		uint64_t hash[2];
		const struct etlmerge_source *source;
	} *seen;
	unsigned int seen_count;
};

/* A record as it is to be written; valid until the next one is asked for. */
struct etlmerge_record {
	const struct etw_event *event;	/* as its file has it */
	const void *data;			/* in the merge's clock */
	uint32_t size;
	int64_t key;			/* its time, ticks of the merge's clock */
	bool about_trace;		/* not an event, but of all of them, as a schema is */
	unsigned int source;
};

/* inputs stay open as long as the merge is used. */
void etlmerge_begin(struct etlmerge *merge, const struct inputs *inputs);
/*
 * The next record that is wanted, but for the files' headers.  What tells of the trace
 * itself, schemas among it, is always wanted, but not what an earlier file had.  1: *record; 0: that was all; -errno:
 * reading failed, merge->current is where.
 */
int etlmerge_next(struct etlmerge *merge, struct select *select,
		  struct etlmerge_record *record);
/* What the files have lost, damage that reading has met included: call it at the end. */
void etlmerge_losses(struct etlmerge *merge);
/* The moment of some ticks of the merge's clock, FILETIME. */
int64_t etlmerge_time(const struct etlmerge *merge, int64_t key);
void etlmerge_end(struct etlmerge *merge);

#endif /* ETW_CLI_ETLMERGE_H */
