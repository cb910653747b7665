/* SPDX-License-Identifier: MIT */
/*
 * records.h - the records of log files in one order and one clock
 *
 * The files may come from several sessions or machines with different clocks.  All times are
 * converted to one clock, which defines the order.  Memory: one buffer per CPU and file.
 */
#ifndef ETW_CLI_MERGE_RECORDS_H
#define ETW_CLI_MERGE_RECORDS_H

#include "base/table.h"
#include "cli/input/inputs.h"
#include "cli/request/select.h"
#include "etl/clock.h"
#include "etl/write.h"

struct etlmerge_source {
	struct etw_etl_file *file;
	struct etw_etl_shift shift;
	struct etw_event event;	/* the next one */
	int64_t key;			/* its time in the merge's clock */
	int64_t last;			/* ... of the latest event read; INT64_MIN: none */
	int64_t end;			/* ... of the file's end, if has_end */
	bool has, done, has_end;
};

struct processes;

struct etlmerge {
	struct etlmerge_source *sources;
	unsigned int count;
	struct etw_etl_info like;	/* for the header of what is written */
	int64_t end_time;		/* FILETIME of the latest file; 0: unknown */
	uint64_t lost_events, lost_buffers;	/* by all files */
	bool unclosed;			/* a file was not closed: its losses are not known */
	bool damaged;			/* a file lacks a buffer that it had, or has one that is not readable */
	/* By etlmerge_judge(): */
	bool has_since;			/* a file has no older events, as its mode allows, ... */
	int64_t since_key;		/* ... than this time in the merge's clock */
	bool silent;			/* a file lacks something that nothing copied from it tells */
	uint64_t skipped;		/* records that could not be written */
	uint64_t far;			/* records beyond the range of the clock */
	struct etw_etl_time *lines;	/* clocks, each at the index of one of its sources */
	struct etw_etl_time *clock;	/* all times are converted to this clock ... */
	int64_t offset;			/* ... and this many ticks are subtracted */
	struct etlmerge_source *current;
	uint8_t *copy;			/* a record with converted times */
	/* Records about the trace found so far, by hash, and where: see is_repeated() */
	struct etw_interner seen;
	const struct etlmerge_source **seen_in;
	struct processes *processes;	/* the caller's, for select; or NULL */
};

/* A record to write; valid until the next call of etlmerge_next() */
struct etlmerge_record {
	const struct etw_event *event;	/* as in its file */
	const void *data;			/* in the merge's clock */
	uint32_t size;
	int64_t key;			/* its time, ticks of the merge's clock */
	bool about_trace;		/* concerns the whole trace, such as a schema or a loss */
	bool counts;			/* as an event, and not only to name processes */
	unsigned int source;
};

/* inputs stay open as long as the merge is used. */
void etlmerge_begin(struct etlmerge *merge, const struct inputs *inputs);
/*
 * Get the next selected record, without the files' headers.  Records about the trace are
 * always selected, unless an earlier file had the same one; events of Etw-Process are, too,
 * because the names of the others' processes come from them.  1: *record; 0: the end; -errno:
 * reading merge->current failed.
 */
int etlmerge_next(struct etlmerge *merge, struct select *select,
		  struct etlmerge_record *record);
/* Sum up the losses of all files, including damage found while reading: call it at the end. */
void etlmerge_losses(struct etlmerge *merge);
/* Ticks of the merge's clock as FILETIME. */
int64_t etlmerge_time(const struct etlmerge *merge, int64_t key);
void etlmerge_end(struct etlmerge *merge);

#endif /* ETW_CLI_MERGE_RECORDS_H */
