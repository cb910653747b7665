/* SPDX-License-Identifier: MIT */
/*
 * write.h - write a log file (.etl) from records
 *
 * Internal to the library and the tools beside it; not installed.
 *
 *	err = etw_etl_create("out.etl", &options, &writer);
 *	while (...)
 *		err = etw_etl_write(writer, cpu, record, size);
 *	err = etw_etl_finish(writer, end_time, &count);
 *
 * Records gather in one buffer for each CPU and go out when it is full: what a reader
 * gets is in the order of time if each CPU's records are given in that order.  All raw
 * times are of one clock, the one that options->like tells.  A writer belongs to one
 * thread at a time.  Memory: one buffer for each CPU that has records.
 */
#ifndef ETW_ETL_WRITE_H
#define ETW_ETL_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "info.h"
#include "time.h"
#include "event.h"

struct etw_etl_writer;

/*
 * The size of a buffer for which there is room for each record of a file with such ones: 64
 * or 128 KB.  No record is larger, and all CPUs' buffers together stay in memory: one that
 * has to go out early takes as much of the file as a full one.
 */
uint32_t etw_etl_size_like(uint32_t size);

/* All zero is a plain file about this machine, with its default clock. */
struct etw_etl_options {
	/*
	 * What the header tells: clock, frequency, start and boot time, CPUs, time
	 * zone, version; or NULL.  Sizes, counts and modes are the writer's own.
	 */
	const struct etw_etl_info *like;
	const char *logger;	/* UTF-8; NULL: like's */
	const char *name;	/* of the file, in its header; NULL: path */
	/* Bytes, a multiple of 8 from 1,024 to 16 MB; 0: etw_etl_size_like() of like's */
	uint32_t buffer_size;
	bool compress;		/* XPRESS, each buffer by itself */
	bool replace;		/* a file that is there, once all is written; else -EEXIST */
	bool into;		/* fd, of an empty file that the caller has made, and keeps */
	int fd;			/* to write and read; the writer's in any case */
};

/* What was written, as the file's header has it */
struct etw_etl_written {
	uint64_t events;
	uint64_t buffers;	/* the header's included */
	uint64_t bytes;		/* of the file */
};

/*
 * What options->like may be for the records of a running session, and what it is if
 * it is NULL: the clock counts ns of CLOCK_MONOTONIC.
 */
void etw_etl_info_session(struct etw_etl_info *info, const struct etw_session_info *session);
void etw_etl_info_here(struct etw_etl_info *info);

/*
 * Make a file.  It has its name after etw_etl_finish() only, see atomic_file.h, which may say
 * -EEXIST as this does; etw_etl_discard() removes it.  A file that is replaced stays until
 * then, so it may be an input as well.  With options->into path only tells a name; what is
 * in the file after etw_etl_discard() is the caller's to remove.
 * -EEXIST, -EINVAL (options), -ESPIPE and what open(2) says.
 */
int etw_etl_create(const char *path, const struct etw_etl_options *options,
		   struct etw_etl_writer **out);

/*
 * Go on with a log file that was closed, whoever wrote it: its clock, buffer size and
 * name stay.  -EINVAL: no log file, circular, or not closed.  etw_etl_discard() takes
 * away only what was added.
 */
int etw_etl_append(const char *path, struct etw_etl_writer **out);
/* The same of one that is open to write and read; fd is the writer's in any case. */
int etw_etl_append_fd(int fd, struct etw_etl_writer **out);

/*
 * A record as it lies in a buffer, of any type that record.h knows, header, items and
 * payload; size: without padding.  The record of a source's header (class EventTrace,
 * hook 0) is left out, since the file has its own.  -EMSGSIZE: larger than a buffer;
 * -EINVAL: no record, sizes in it that contradict size, or no CPU has that number;
 * -ENOMEM; -errno of write(2), from now on.
 */
int etw_etl_write(struct etw_etl_writer *writer, uint16_t cpu, const void *record, size_t size);

/*
 * The same moment by the clock and as FILETIME, of records that come next: one of the next
 * buffers tells it as it is, so that readers know by how much the clock runs fast or slow.
 * Without it they tell what follows from the header.  What is not later than one before
 * is left out.
 */
void etw_etl_pair(struct etw_etl_writer *writer, int64_t clock, int64_t time);

/*
 * A record of this raw time comes next, and this is the clock's line, of a file that it
 * may be from, whose ticks are offset more: tells the line's own pairs, so that records
 * keep their times.  The line is in use until the writer is gone.
 */
void etw_etl_follow(struct etw_etl_writer *writer, struct etw_etl_time *line, int64_t offset,
		    int64_t clock);

/* Raw time of the file's clock for a FILETIME, by the last such pair. */
int64_t etw_etl_raw_time(const struct etw_etl_writer *writer, int64_t time);

/* So many more events and buffers of the sources are not in this file: for its header. */
void etw_etl_lost(struct etw_etl_writer *writer, uint64_t events, uint64_t buffers);

/*
 * Bytes that the file would have if it was finished now, without compression, with one
 * more record of that size; more than most, or exact if that is needed to tell that
 * they are not over limit.
 */
uint64_t etw_etl_bytes_with(const struct etw_etl_writer *writer, uint16_t cpu, size_t size,
			    uint64_t limit);

/* What the writer's header tells; valid until finish or discard. */
const struct etw_etl_info *etw_etl_writer_info(const struct etw_etl_writer *writer);

/*
 * Write what is left and fill in the header.  end_time: FILETIME; 0: now.  count may be
 * NULL.  The writer is gone; after an error, as by etw_etl_discard().
 */
int etw_etl_finish(struct etw_etl_writer *writer, int64_t end_time,
		   struct etw_etl_written *count);
void etw_etl_discard(struct etw_etl_writer *writer);	/* NULL is fine */

#endif /* ETW_ETL_WRITE_H */
