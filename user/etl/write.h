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
 * Records are gathered in one buffer per CPU, which is written when it is full: a
 * reader gets them in time order if each CPU's records are written in that order. All
 * raw times are of one clock, described by options->like. A writer belongs to one
 * thread at a time. Memory: one buffer for each CPU that has records.
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
 * The buffer size for the records of a file with buffers of this size: 64 or 128 KB. No
 * record is larger, and all CPUs' buffers fit in memory together; a buffer written
 * early takes as much of the file as a full one.
 */
uint32_t etw_etl_size_like(uint32_t size);

/* All zero is a plain file about this machine, with its default clock. */
struct etw_etl_options {
	/*
	 * The header's description: clock, frequency, start and boot time, CPUs, time
	 * zone, version; or NULL. The writer sets sizes, counts and modes.
	 */
	const struct etw_etl_info *like;
	const char *logger;	/* UTF-8; NULL: like's */
	const char *name;	/* the file's name in its header; NULL: path */
	/* Bytes, a multiple of 8 from 1,024 to 16 MB; 0: etw_etl_size_like() of like's */
	uint32_t buffer_size;
	bool compress;		/* XPRESS, each buffer on its own */
	bool replace;		/* replace an existing file at the end; otherwise -EEXIST ... */
	bool keep;		/* ... or it becomes FILE.old, see base/older_file.h */
	bool into;		/* write to fd, an empty file that the caller made and keeps */
	int fd;			/* open for reading and writing; always owned by the writer */
};

/* Totals of what was written, as in the file's header */
struct etw_etl_written {
	uint64_t events;
	uint64_t buffers;	/* including the header's */
	uint64_t bytes;		/* of the file */
};

/*
 * A possible value of options->like for the records of a running session. If like is
 * NULL, the clock counts ns of CLOCK_MONOTONIC.
 */
void etw_etl_info_session(struct etw_etl_info *info, const struct etw_session_info *session);
void etw_etl_info_here(struct etw_etl_info *info);

/*
 * Create a file. It gets its name only in etw_etl_finish(), which may return -EEXIST as
 * well (see atomic_file.h); etw_etl_discard() removes it. A replaced file stays until
 * then, so it may also be an input. With options->into, path is only a name, and after
 * etw_etl_discard() the caller removes the file's contents. -EEXIST, -EINVAL (options),
 * -ESPIPE and errors of open(2).
 */
int etw_etl_create(const char *path, const struct etw_etl_options *options,
		   struct etw_etl_writer **out);

/*
 * Append to a closed log file of any writer, open for reading and writing: its clock, buffer size
 * and name stay, and etw_etl_finish() returns when all of it is on its disk. The greatest size in
 * its header grows with it if need be. The writer always owns fd.
 * -EINVAL: not a log file, circular, or not closed; -EBUSY: somebody appends.
 * etw_etl_discard() removes only what was added.
 */
int etw_etl_append_fd(int fd, struct etw_etl_writer **out);

/*
 * Keep others from appending until fd is closed, as etw_etl_append_fd() does: for looking at the file
 * before. -EBUSY: somebody appends. Where files cannot be locked, or somebody who need not have
 * more than the right to read has locked it, nothing happens.
 */
int etw_etl_lock(int fd);

/*
 * Write a record of any type in record.h, as in a buffer: header, items and payload;
 * size: without padding. The record of a source's header (class EventTrace, hook 0) is
 * left out, since the file has its own. -EMSGSIZE: larger than a buffer; -EINVAL: not a
 * record, sizes in it contradict size, or the CPU number is invalid; -ENOMEM; -errno of
 * write(2), which all later calls return too.
 */
int etw_etl_write(struct etw_etl_writer *writer, uint16_t cpu, const void *record, size_t size);

/*
 * A clock pair for the records that follow: one of the next buffers stores it
 * unchanged, so that readers can correct the clock's rate. Without pairs, they use the
 * header's frequency. A pair not later than the previous one is left out.
 */
void etw_etl_pair(struct etw_etl_writer *writer, int64_t clock, int64_t time);

/*
 * A record of this raw time comes next. line is the clock's line, of the file that the
 * record may be from, whose ticks are larger by offset. Stores the line's own pairs, so
 * that records keep their times. The line is in use until the writer is freed.
 */
void etw_etl_follow(struct etw_etl_writer *writer, struct etw_etl_time *line, int64_t offset,
		    int64_t clock);

/* Raw time of the file's clock for a FILETIME, by the last such pair. */
int64_t etw_etl_raw_time(const struct etw_etl_writer *writer, int64_t time);

/* Count events and buffers lost in the sources, for the file's header. */
void etw_etl_lost(struct etw_etl_writer *writer, uint64_t events, uint64_t buffers);

/* The sources may have lost more than that: the last buffer is flagged. */
void etw_etl_doubt(struct etw_etl_writer *writer);

/*
 * The bytes that the file would have if finished now, without compression, with one
 * more record of that size. Usually an upper bound; exact if that is needed to decide
 * whether they exceed limit.
 */
uint64_t etw_etl_bytes_with(const struct etw_etl_writer *writer, uint16_t cpu, size_t size,
			    uint64_t limit);

/* The header of the writer; valid until finish or discard. */
const struct etw_etl_info *etw_etl_writer_info(const struct etw_etl_writer *writer);

/*
 * Write the remaining buffers and fill in the header. end_time: FILETIME; 0: now. count
 * may be NULL. Frees the writer; on error, like etw_etl_discard().
 */
int etw_etl_finish(struct etw_etl_writer *writer, int64_t end_time,
		   struct etw_etl_written *count);
void etw_etl_discard(struct etw_etl_writer *writer);	/* NULL is fine */

#endif /* ETW_ETL_WRITE_H */
