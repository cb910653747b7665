/* SPDX-License-Identifier: MIT */
/*
 * verify_private.h - shared by verify.c, which reads a file, and verify_numbers.c, which
 * draws conclusions from the numbers of its buffers
 */
#ifndef ETW_ETL_VERIFY_PRIVATE_H
#define ETW_ETL_VERIFY_PRIVATE_H

#include "file.h"
#include "time.h"
#include "verify.h"

/* A buffer of the file, in the order of the walk */
struct etw_seen_buffer {
	int64_t sequence;
	int64_t timestamp;	/* raw time of its delivery */
	int64_t newest;		/* the largest raw time of a record */
	uint64_t at;
	uint16_t cpu;
	uint16_t flags;
	bool library;		/* has no session's number: a program wrote it */
};

struct etw_verify {
	struct etw_verdict *v;
	struct etw_etl_time *time;
	struct etw_seen_buffer *list;
	size_t count, room;
	int64_t start, end;	/* FILETIME; end: 0 if not known */
};

/* FILETIME of a raw time, within the file's start and end. */
int64_t etw_verify_time(const struct etw_verify *verify, int64_t raw);

/* Judge by the buffers in list, which may be reordered. 0 or -ENOMEM */
int etw_verify_numbers(struct etw_verify *verify);

#endif /* ETW_ETL_VERIFY_PRIVATE_H */
