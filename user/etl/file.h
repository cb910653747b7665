/* SPDX-License-Identifier: MIT */
/*
 * file.h - the events of a log file, all CPUs in time order
 *
 * Internal to the library and the tools beside it; not installed. Reads .etl files from
 * any writer. Memory: one buffer for each CPU, however long the file is.
 *
 *	err = etw_etl_open("x.etl", &file);
 *	while ((err = etw_etl_next(file, &event)) == 1)
 *		use(&event);
 *	etw_etl_close(file);
 *
 * A file belongs to one thread at a time. The first event is the log file header (class
 * EventTrace, opcode 0). Nothing in the file is trusted: invalid data is reported to
 * the report function, counted, and skipped.
 */
#ifndef ETW_ETL_FILE_H
#define ETW_ETL_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include "info.h"
#include "event.h"

struct etw_etl_file;
struct etw_etl_time;

/* Running totals, and results of opening */
struct etw_etl_count {
	uint64_t buffers;	/* in the file, including the first */
	uint64_t buffers_read;
	uint64_t events;	/* handed out */
	uint64_t lost_buffers;	/* gaps in the sequence numbers */
	uint64_t corrupt;	/* buffers skipped, wholly or from some record on */
	uint64_t disorder;	/* events handed out after a later one */
	uint64_t beyond;	/* events later than the delivery of their buffer */
	uint64_t size;		/* of the file, bytes */
	uint64_t tail;		/* bytes at the end that are not a buffer */
	uint64_t missing;	/* promised by the header, but cut off */
};

/* Reports an error at this offset of the file. */
typedef void etw_etl_report_fn(void *context, uint64_t offset, const char *what);

/*
 * -ENOENT and other errors of open(2); -EINVAL: not a log file. fd: owned by the file
 * on success; must be seekable (-ESPIPE). report may be NULL; open and next call it.
 */
int etw_etl_open(const char *path, etw_etl_report_fn *report, void *context,
		 struct etw_etl_file **out);
int etw_etl_open_fd(int fd, etw_etl_report_fn *report, void *context,
		    struct etw_etl_file **out);
void etw_etl_close(struct etw_etl_file *file);	/* NULL is fine */

/* 1: *event, valid until the next call; 0: the end; -ENOMEM, -EIO and similar errors. */
int etw_etl_next(struct etw_etl_file *file, struct etw_event *event);

/*
 * Set *met as soon as a buffer is loaded that has such a record, see etw_etl_has_hook(). A
 * CPU's buffer is loaded when an event is wanted and the CPU's previous one is used up.
 */
void etw_etl_watch(struct etw_etl_file *file, uint16_t hook, bool *met);

/*
 * Events before this FILETIME are not wanted: buffers that were delivered before it are left out,
 * unread, as soon as the events of those in memory have been handed out. Leaves out wanted events
 * of a file that has events beyond (struct etw_etl_count).
 */
void etw_etl_skip_until(struct etw_etl_file *file, int64_t time);

/*
 * Are all remaining events later than this FILETIME? 1: yes; 0: perhaps not; -errno.
 * Reads the headers of all remaining buffers, as opening did.
 */
int etw_etl_all_after(struct etw_etl_file *file, int64_t time);

/*
 * Call take for each record in the oldest and the newest 32 MB, buffer by buffer as they were
 * written: there writers put what describes the file. 0; what take returned, if that was not 0;
 * -errno of reading. The record is valid until take returns.
 */
typedef int etw_etl_take_fn(void *context, const struct etw_record_view *record);
int etw_etl_ends(struct etw_etl_file *file, etw_etl_take_fn *take, void *context);

const struct etw_etl_info *etw_etl_info(const struct etw_etl_file *file);
void etw_etl_counts(const struct etw_etl_file *file, struct etw_etl_count *count);

/* Converts ticks of the file's clock to FILETIME and back: time.h, clock.h. */
struct etw_etl_time *etw_etl_times_of(struct etw_etl_file *file);

/* Was the log file opened from this file? */
bool etw_etl_is_file(const struct etw_etl_file *file, const struct stat *st);

/*
 * Buffers that the file misses: counted in its header, cut off, unreadable, or shown by the
 * numbers of the others. Final when all has been read.
 */
uint64_t etw_etl_lost_buffers(const struct etw_etl_file *file);

/* The session was still running when the file was written: it has no end time. */
bool etw_etl_cut_off(const struct etw_etl_file *file);

/*
 * When the trace ended, FILETIME: the header's end time or, if the file was not closed, the
 * time at which its latest buffer was delivered.
 */
int64_t etw_etl_end_time(struct etw_etl_file *file);

#endif /* ETW_ETL_FILE_H */
