/* SPDX-License-Identifier: MIT */
/*
 * verify.h - is a log file whole?
 *
 * Internal to the library and the tools beside it; not installed. Reads every buffer and
 * every record of a file from any writer and lists the gaps. A file is complete only if
 * everything that it carries supports that: it was closed, it has as many buffers as its
 * header says, their numbers have no gap, all records can be read, and neither the header
 * nor a buffer nor a record reports a loss.
 *
 * Limits: the format has no checksums, so altered bytes that leave the structure intact do
 * not show; and a header that someone has forged is believed.
 */
#ifndef ETW_ETL_VERIFY_H
#define ETW_ETL_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include "info.h"

enum etw_gap_cause {
	ETW_GAP_NOT_WRITTEN,	/* events dropped when written, counted in the header */
	ETW_GAP_FLAGGED,	/* ... some of them before this buffer */
	ETW_GAP_NOT_STORED,	/* buffers missing at an unknown place: lost or cut off */
	ETW_GAP_FLAGGED_BUFFER,	/* a buffer reports that others were lost before it */
	ETW_GAP_READER,		/* a real-time reader lost something: an RT_LostEvent record */
	ETW_GAP_NUMBERS,	/* buffers between two numbers */
	ETW_GAP_DUPLICATE,	/* a buffer is there twice */
	ETW_GAP_DISORDER,	/* a processor's buffers are not in order */
	ETW_GAP_SURPLUS,	/* more buffers than the header counts */
	ETW_GAP_BUFFER,		/* unreadable data where a buffer should be */
	ETW_GAP_RECORD,		/* a buffer is readable up to some record only */
	ETW_GAP_NOT_CLOSED,	/* losses and end are unknown */
	ETW_GAP_FILES,		/* buffers between two files of a series */
	ETW_GAP_CAUSES
};

struct etw_gap_text {
	const char *key;	/* for programs */
	const char *text;
};

extern const struct etw_gap_text etw_gap_texts[ETW_GAP_CAUSES];

/*
 * A gap and its bounds. The times bound when the missing events were written; an event
 * with a time of its own (ETW_DATA_TIMESTAMP) may name an earlier one.
 */
struct etw_gap {
	enum etw_gap_cause cause;
	uint64_t buffers;	/* ETW_GAP_UNKNOWN: not known */
	uint64_t events;	/* ETW_GAP_UNKNOWN: not known; 0: none besides those in buffers */
	int64_t first, last;	/* FILETIME; last is 0 if the end is not known */
	int32_t cpu;		/* -1: any */
	int64_t from, to;	/* numbers of the buffers; -1: not known */
	uint64_t offset;	/* in the file; 0: none */
	const char *detail;	/* or NULL */
};

#define ETW_GAP_UNKNOWN	UINT64_MAX

/* Which program wrote the file; it decides what its contents prove. */
enum etw_etl_author {
	ETW_AUTHOR_KERNEL,	/* a session of ours: numbers from 0, in the file's order */
	ETW_AUTHOR_LIBRARY,	/* merge, split, convert, relogger: numbers from 1 */
	ETW_AUTHOR_FOREIGN,	/* Windows and others: numbers from 1, often out of order */
};

struct etw_verdict {
	struct etw_etl_info info;
	enum etw_etl_author author;
	bool numbered;		/* buffers have numbers */
	bool closed;
	bool since;		/* older events are not in the file, as its mode allows ... */
	int64_t since_time;	/* ... so it covers what was written from this FILETIME on */
	bool overwritten;	/* why: by newer events, in the file or in memory */
	bool counted;		/* the header's number of buffers could be checked */
	int64_t low, high;	/* numbers of the buffers; high < low: none */
	int64_t low_time, high_time;	/* when these two were delivered, FILETIME */
	uint64_t buffers;	/* readable ones, without the header's */
	uint64_t events;	/* readable records, without those about the trace */
	struct etw_gap *gaps;
	uint32_t gap_count;
	uint32_t more;		/* gaps that the list has no room for */
	int64_t settled;	/* no event that is missing after the last buffer is older */
	uint64_t numbers_missing;	/* between two buffers */
	uint64_t count_missing;	/* of the header's number of buffers */
};

/*
 * Read a file. 0: *verdict, to be freed; otherwise as etw_etl_open(), or an error of reading.
 * The verdict is final after etw_verdict_finish().
 */
int etw_etl_verify(const char *path, struct etw_verdict *verdict);
void etw_verdict_free(struct etw_verdict *verdict);

/*
 * Add the losses that the headers count. Files of one session are a series: each header
 * repeats the losses before it, which are counted once, and buffers that are in none of the
 * files are reported. 0 or -ENOMEM
 */
int etw_verdict_finish(struct etw_verdict *verdicts, unsigned int count);

static inline bool etw_verdict_whole(const struct etw_verdict *verdict)
{
	return !verdict->gap_count;
}

/* Add a gap to the list. -ENOMEM */
int etw_verdict_add(struct etw_verdict *verdict, const struct etw_gap *gap);

#endif /* ETW_ETL_VERIFY_H */
