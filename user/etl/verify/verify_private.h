/* SPDX-License-Identifier: MIT */
/*
 * verify_private.h - shared by verify.c, which reads a file, verify_numbers.c, which
 * draws conclusions from the numbers of its buffers, and the files beside them
 */
#ifndef ETW_ETL_VERIFY_PRIVATE_H
#define ETW_ETL_VERIFY_PRIVATE_H

#include "core/ledger.h"
#include "etl/file.h"
#include "etl/time.h"
#include "verify.h"

/* A buffer of the file, in the order of the walk */
struct etw_seen_buffer {
	int64_t sequence;
	int64_t timestamp;	/* raw time of its delivery */
	int64_t newest;		/* the largest raw time of a record */
	uint64_t at;
	uint16_t cpu;
	uint16_t flags;
	uint16_t session;	/* id */
	uint64_t stands_for;	/* missing buffers, by its record, of which its number is the last */
	bool library;		/* has no session's number: a program wrote it */
	bool is_copy;		/* of another one of its part */
};

/* A loss that a session recorded */
struct etw_recorded_loss {
	struct etw_loss_payload loss;
	int64_t timestamp;	/* raw */
	int64_t number;		/* of the buffer that stands for the missing ones; -1: none */
};

struct etw_verify {
	struct etw_verdict *v;
	struct etw_etl_time *time;
	struct etw_seen_buffer *list;
	size_t count, room;
	struct etw_recorded_loss *recorded;
	size_t recorded_count;
	int64_t start, end;	/* FILETIME on the session's clock; end: 0 if not known */
	uint64_t records;	/* readable ones, without the header and losses */
	int64_t closed;		/* raw time when its session closed the file; 0: not known */
	uint64_t frequency;	/* ticks per second */
	uint16_t session;	/* id of the session that began the file */
	bool skims;		/* reads records only where a gap may follow from them */
};

/* A gap at any place of the file, of any number of events */
static inline struct etw_gap etw_gap_anywhere(const struct etw_verdict *v, enum etw_gap_cause cause)
{
	return (struct etw_gap){
		.cause = cause, .events = ETW_GAP_UNKNOWN, .cpu = -1, .from = -1, .to = -1,
		.first = v->info.header.StartTime.QuadPart, .last = v->end,
	};
}

/* FILETIME of a raw time, within the file's start and end. */
int64_t etw_verify_time(const struct etw_verify *verify, int64_t raw);

/* The file covers what was written from this FILETIME on, or from a later one. */
void etw_verify_limit(struct etw_verdict *v, bool overwritten, int64_t time);

/* Who wrote the file; before the others */
void etw_verify_author(struct etw_verify *verify);

/* Make a gap of each loss that was recorded; a copy of a buffer records none. 0 or -ENOMEM */
int etw_verify_recorded(struct etw_verify *verify);

/* Judge by the buffers in list, which may be reordered. 0 or -ENOMEM */
int etw_verify_numbers(struct etw_verify *verify);

#endif /* ETW_ETL_VERIFY_PRIVATE_H */
