/* SPDX-License-Identifier: MIT */
/*
 * write_private.h - what the log file writer's files share
 */
#ifndef ETW_ETL_WRITE_PRIVATE_H
#define ETW_ETL_WRITE_PRIVATE_H

#include "core/loghead.h"
#include "time.h"
#include "walk.h"
#include "write.h"
#include "base/atomic_file.h"
#include "timebase.h"
#include "xpress.h"

/* The output file. */
struct etw_etl_sink {
	int fd;			/* -1: closed */
	struct etw_atomic_file file;	/* a new file that fd refers to; or unset */
	uint64_t at;		/* offset of the next byte, including gathered ones */
	uint64_t keep;		/* the file's original length */
	uint8_t *gather;	/* small pieces, to be written together */
	size_t gathered;
};

/* Append bytes. */
int etw_etl_sink_put(struct etw_etl_sink *sink, const void *data, size_t len);

/* ------------------------------------------------------------ logfile_header.c */

/*
 * Build the header buffer from info (whose header.BufferSize bytes lie at buffer);
 * returns the bytes that it takes in the file, fewer if short_head. The structure has
 * the 32-bit layout if info's pointers have.
 */
uint32_t etw_etl_head_build(uint8_t *buffer, const struct etw_etl_info *info, bool short_head);

/* ------------------------------------------------------------ lane.c */

/* The buffer of a CPU that is being filled */
struct etw_etl_lane {
	uint8_t *data;		/* NULL: none */
	uint32_t used;		/* bytes used, including its header */
	uint64_t opened;	/* buffers written when it got its first record */
	int64_t ref;		/* raw time of its first record ... */
	int64_t latest;		/* ... and the latest raw time in it */
	int64_t time;		/* of the last record, in any buffer */
	bool timeless;		/* its first record has no time but ref */
	bool ends;		/* final buffer that takes the latest pair */
};

#define ETW_ETL_WAITING	8

/* Clock pairs waiting for buffers, see clock_pairs.c */
struct etw_etl_pairs {
	struct etw_time_pair list[ETW_ETL_WAITING];	/* not in any buffer yet, oldest first */
	unsigned int count;
	struct etw_time_pair written;	/* the pair in the last buffer that has one */
	struct etw_time_pair end;	/* the latest, when all is written */
	bool any;			/* any pairs were given */
	struct etw_etl_time *line;	/* the line being followed, or NULL */
	int64_t offset;
	struct etw_time_pair from, to;	/* the line's stretch of the current records */
	int64_t last;			/* latest tick of these records */
};

struct etw_etl_writer {
	struct etw_etl_sink sink;
	struct etw_etl_info info;
	struct etw_timebase base;
	struct etw_etl_pairs pairs;
	uint32_t size;		/* of a buffer */
	struct etw_etl_lane *lanes;
	unsigned int lane_count;
	size_t held;		/* bytes of the lanes' buffers */
	uint64_t sequence;	/* of the buffer written last */
	uint64_t buffers;	/* in the file */
	uint64_t events;
	uint64_t lost_events, lost_buffers;
	bool doubt;		/* there may be more, see etw_etl_doubt() */
	uint64_t aged;		/* value of buffers at the last check of lanes */
	int error;		/* of a write: all further writes fail */
	bool wide;		/* layout of the header */
	struct etw_etl_pack *pack;	/* compression state, or NULL */
	struct etw_etl_info *old;	/* the header before appending */
};

struct etw_etl_pack {
	struct etw_xpress_work work;
	uint8_t data[];		/* a compressed buffer */
};

/* Is this a valid buffer size? */
static inline bool etw_etl_size_ok(uint32_t size)
{
	return size >= 1024 && size <= ETW_ETL_FILL_MAX && size % ETW_RECORD_ALIGN == 0;
}

/* Get the CPU's buffer with room for a slot of this many bytes. */
int etw_etl_lane_get(struct etw_etl_writer *w, uint16_t cpu, uint32_t slot);
/* Write all buffers that have records. */
int etw_etl_lanes_put(struct etw_etl_writer *w);

/* ------------------------------------------------------------ clock_pairs.c */

/* Set the clock pair in the header of a buffer being written. */
void etw_etl_pair_put(struct etw_etl_writer *w, const struct etw_etl_lane *lane,
		      struct etw_buffer_header *header);
/* The last buffers follow: one of them takes the latest pair. */
void etw_etl_pair_last(struct etw_etl_writer *w);
/* Continue from the pairs of the file being appended to. */
void etw_etl_pair_again(struct etw_etl_writer *w, const struct etw_etl_time *line);
/* Add the end of the line being followed. */
void etw_etl_follow_end(struct etw_etl_writer *w);

#endif /* ETW_ETL_WRITE_PRIVATE_H */
