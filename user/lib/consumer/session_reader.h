/* SPDX-License-Identifier: MIT */
/*
 * session_reader.h - the events of a running session, all CPUs in time order
 *
 * Internal to the library and the tools beside it; not installed.
 *
 *	err = etw_reader_open("name", &reader);
 *	while ((err = etw_reader_next(reader, &event, -1)) == 1)
 *		use(&event);
 *	etw_reader_close(reader);
 *
 * A reader belongs to one thread at a time, except etw_reader_wake().
 */
#ifndef ETW_LIB_RTREADER_H
#define ETW_LIB_RTREADER_H

#include <stdint.h>
#include "core/classic.h"
#include "core/record.h"
#include "device/kdev.h"

struct etw_reader;

/* What is known about the session; constant unless noted. */
struct etw_session_info {
	uint64_t handle;
	struct etw_guid guid;
	uint32_t buffer_size;	/* bytes */
	uint32_t clock;		/* ETW_CLOCK_* */
	uint64_t clock_freq;	/* ticks per second */
	uint32_t logger_id;
	uint32_t mode;
	uint32_t min_buffers;
	uint32_t max_buffers;
	uint64_t start_clock;	/* the same moment: session clock ... */
	uint64_t start_wall;	/* ... and 100 ns since 1601 */
	char name[ETW_NAME_MAX + 1];
};

/* Running totals of this reader */
struct etw_reader_count {
	uint64_t buffers;	/* read */
	uint64_t bytes;		/* used in them, headers included */
	uint64_t events;	/* handed out */
	uint64_t lost_buffers;	/* gaps in the sequence numbers */
	uint64_t lost_marks;	/* buffers marked "events were lost before" */
	uint64_t corrupt;	/* buffers given up, wholly or from some record on */
	uint64_t disorder;	/* events handed out after a later one */
};

/* One event; the pointers are valid until the next call on the reader. */
struct etw_event {
	struct etw_record_view record;	/* may lead into classic: do not copy */
	struct etw_classic_view classic;
	const struct etw_buffer_header *buffer;	/* the one it came in */
	int64_t time;		/* 100 ns since 1601; record.header has the raw time */
	const void *raw;	/* the record as it lies in the buffer, of any type ... */
	uint32_t raw_size;	/* ... and its size, without padding */
	uint16_t cpu;
	uint16_t logger_id;
	uint8_t nanos;		/* behind time: 0 to 99 */
	/* Set in the event that is the last one of its buffer */
	uint8_t buffer_done;
	/* Found lost since the last event: handed out before this one */
	uint32_t lost_buffers;
	uint8_t lost_events;	/* some; SESSION_STAT has the count */
	uint8_t lost_file;	/* what was kept for the session while nobody read */
};

/*
 * Open a consumer on a running session.  -ENOENT: no such session;
 * -ENODEV: no module.
 */
int etw_reader_open(const char *session, struct etw_reader **out);
void etw_reader_close(struct etw_reader *reader);	/* NULL is fine */

/*
 * The next event.  Waits up to timeout_ms, -1 for ever.
 * 1: *event is set; 0: the session has stopped and all was handed out;
 * -EAGAIN: timeout; -ECANCELED: etw_reader_wake() was called, and everything that
 * was waiting then has been handed out; other: the reader is unusable.
 */
int etw_reader_next(struct etw_reader *reader, struct etw_event *event,
		int timeout_ms);

/* Make etw_reader_next() come to an end, once and for all; from any thread. */
void etw_reader_wake(struct etw_reader *reader);

const struct etw_session_info *etw_session_info(const struct etw_reader *reader);
void etw_reader_counts(const struct etw_reader *reader, struct etw_reader_count *count);
/* The kernel's own account of what this consumer got and lost */
int etw_reader_stat(struct etw_reader *reader, struct etw_consumer_info *info);

#endif /* ETW_LIB_RTREADER_H */
