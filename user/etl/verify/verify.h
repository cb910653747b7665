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
 * A session records each loss in its buffers (core/ledger.h). If these records add up to the
 * header's count of lost events, they are the gaps, with their exact bounds; otherwise the
 * flags of buffers and the rest of the count are gaps, too. What a file itself did not get is
 * recorded in it, by a buffer in place of the missing ones or in its first buffer. Such a
 * record is the gap; missing numbers and the header's count are gaps as far as they are more.
 *
 * Limits: the format has no checksums, so altered bytes that leave the structure intact do
 * not show; and a header that someone has forged is believed.
 */
#ifndef ETW_ETL_VERIFY_H
#define ETW_ETL_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include "etl/info.h"
#include <etw/format.h>

enum etw_gap_cause {
	ETW_GAP_NOT_WRITTEN,	/* events dropped when written, counted in the header */
	ETW_GAP_FLAGGED,	/* ... some of them before this buffer */
	ETW_GAP_NOT_STORED,	/* buffers missing at an unknown place: lost or cut off */
	ETW_GAP_FLAGGED_BUFFER,	/* a buffer reports that others were lost before it */
	ETW_GAP_READER,		/* a real-time reader lost something: an RT_LostEvent record */
	ETW_GAP_LOST,		/* buffers that the file did not get, as it records itself */
	ETW_GAP_UNRECORDED,	/* a file that this one was made of lacks something, by a record */
	ETW_GAP_NUMBERS,	/* buffers between two numbers */
	ETW_GAP_DUPLICATE,	/* a buffer is there twice */
	ETW_GAP_DISORDER,	/* a processor's buffers are not in order */
	ETW_GAP_STRANGE,	/* a buffer is of another session, or a number is not its own */
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

#define ETW_GAP_UNKNOWN	UINT64_MAX
#define ETW_GAPS_MAX	10000	/* listed; a file may be nothing but damage */

/* What a gap was concluded from, in the order in which gaps are listed */
enum etw_gap_basis {
	ETW_GAP_BY_STRUCTURE,	/* the file's buffers, numbers and counts */
	ETW_GAP_BY_RECORD,	/* a session's record of a loss */
	ETW_GAP_BY_HINT,	/* the session counts it, and may record it exactly elsewhere */
	ETW_GAP_BASES
};

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
	bool has_provider;
	struct etw_guid provider;	/* of all missing events */
	bool partial;		/* some of these events may not be of this file, but of another part */
	uint64_t unfinished;	/* buffers that had these events, and perhaps more of them */
	enum etw_gap_basis basis;
};

struct etw_gap_list {
	struct etw_gap *gaps;
	uint32_t count;		/* at most ETW_GAPS_MAX ... */
	uint64_t more;		/* ... and so many without a place */
	uint64_t least, most;	/* missing events of all of them */
};

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
	int64_t end;		/* FILETIME on the clock of its events; 0: not known */
	bool since;		/* older events are not in the file, as its mode allows ... */
	int64_t since_time;	/* ... so it covers what was written from this FILETIME on */
	bool overwritten;	/* why: by newer events, in the file or in memory */
	bool since_noted;	/* ... or because a record of the file says so */
	bool continued;		/* events newer than its last buffer are not in the file */
	bool counted;		/* the header's number of buffers could be checked */
	int64_t low, high;	/* numbers of the buffers; high < low: none */
	int64_t low_time, high_time;	/* when these two were delivered, FILETIME */
	uint64_t buffers;	/* readable ones, without the header's */
	uint64_t events;	/* readable ones, as etw_kind_of() counts them */
	uint64_t names;		/* besides, events that name processes */
	struct etw_gap *gaps;	/* after etw_verdict_finish() */
	uint32_t gap_count;
	uint64_t more;		/* gaps that the list has no room for */
	uint64_t least, most;	/* missing events of all gaps */
	struct etw_gap_list found[ETW_GAP_BASES];	/* before etw_verdict_finish() */
	bool shuffled;		/* buffers are not where they were: their order proves nothing */
	int64_t settled;	/* no event that is missing after the last buffer is older */
	uint64_t numbers_missing;	/* between two buffers */
	uint64_t count_missing;	/* of the header's number of buffers */
	uint64_t damaged;	/* that cannot be read */
	bool uncounted;		/* the header does not count the losses of an earlier session */
	uint64_t unlocated;		/* of those, and of lost ones, which no number locates */
	uint64_t recorded;		/* events that the session's records of losses count */
	uint64_t recorded_buffers;	/* that the file's own records count, without a number */
	uint64_t covered;		/* of those, behind its last buffer */
};

/*
 * Read a file. 0: *verdict, to be freed; otherwise as etw_etl_open(), or an error of reading.
 * The verdict is final after etw_verdict_finish().
 */
int etw_etl_verify(const char *path, struct etw_verdict *verdict);
/*
 * The same by the buffers' headers and what lies behind their records, many times faster: it has
 * no count of events, no damage within records, and hardly a loss that a record tells.
 */
int etw_etl_verify_buffers(const char *path, struct etw_verdict *verdict);
void etw_verdict_free(struct etw_verdict *verdict);

/*
 * Add the losses that the headers count. Files of one session are a series: each header
 * repeats the losses before it, which are counted once, and buffers that are in none of the
 * files are reported. 0 or -ENOMEM
 */
int etw_verdict_finish(struct etw_verdict *verdicts, unsigned int count);

static inline bool etw_verdict_whole(const struct etw_verdict *verdict)
{
	return !verdict->gap_count && !verdict->more;
}

/*
 * How many events are missing: of all that were written, at least so many, and of those that
 * the verdict covers, at most so many or ETW_GAP_UNKNOWN.
 */
void etw_verdict_lost(const struct etw_verdict *verdict, uint64_t *least, uint64_t *most);

/* Before etw_verdict_finish(): add a gap, which is counted even if the list is full. */
int etw_verdict_add(struct etw_verdict *verdict, const struct etw_gap *gap);

#endif /* ETW_ETL_VERIFY_H */
