/* SPDX-License-Identifier: MIT */
/*
 * event.h - an event, and the session it comes from
 *
 * Running sessions, log files and streams of buffers all yield these events. Internal
 * to the library and the tools beside it; not installed.
 */
#ifndef ETW_ETL_EVENT_H
#define ETW_ETL_EVENT_H

#include <stdint.h>
#include <etw/abi.h>
#include "core/classic.h"
#include "core/record.h"

/* A session's properties; they do not change while it runs. */
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

/* One event; its pointers are valid until the source's next event is read. */
struct etw_event {
	struct etw_record_view record;	/* may point into classic: do not copy */
	struct etw_classic_view classic;
	const struct etw_buffer_header *buffer;	/* of the buffer that holds the event */
	int64_t time;		/* 100 ns since 1601; record.header has the raw time */
	const void *raw;	/* the record's bytes in the buffer, of any type ... */
	uint32_t raw_size;	/* ... and their number, without padding */
	uint16_t cpu;
	uint16_t logger_id;
	uint8_t nanos;		/* to add to time: 0 to 99 */
	/* Set in the last event of a buffer */
	uint8_t buffer_done;
	/* Lost between the previous event and this one */
	uint32_t lost_buffers;
	uint8_t lost_events;	/* at least one; SESSION_STAT has the count */
	uint8_t lost_file;	/* a part of what the session kept while it had no reader */
};

#endif /* ETW_ETL_EVENT_H */
