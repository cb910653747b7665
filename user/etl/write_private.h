/* SPDX-License-Identifier: MIT */
/*
 * write_private.h - what the parts of the writer of log files share
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

/* ------------------------------------------------------------ sink.c */

/* Where the bytes go. */
struct etw_etl_sink {
	int fd;			/* -1: closed */
	struct etw_atomic_file file;	/* a new one, of which fd is; or none */
	uint64_t at;		/* where the next byte goes, those gathered counted */
	uint64_t keep;		/* length that the file had */
	uint8_t *gather;	/* small pieces wait here to be written together */
	size_t gathered;
};

/* -EEXIST: it is there, and is not to be replaced; -ESPIPE: cannot seek. */
int etw_etl_sink_create(struct etw_etl_sink *sink, const char *path, bool replace);
/* Go on behind the first keep bytes of a file that is open; fd is the sink's in any case. */
int etw_etl_sink_append(struct etw_etl_sink *sink, int fd, uint64_t keep);
/* Write behind what there is. */
int etw_etl_sink_put(struct etw_etl_sink *sink, const void *data, size_t len);
/* Take away what was written behind keep. */
int etw_etl_sink_cut(struct etw_etl_sink *sink);
/* Write into what there is, all of which is in the file then. */
int etw_etl_sink_patch(struct etw_etl_sink *sink, const void *data, size_t len, uint64_t at);
/* The file is complete.  Closed in any case; after an error, dropped. */
int etw_etl_sink_commit(struct etw_etl_sink *sink);
/* A new one is gone; of one that is gone on with what there is stays. */
void etw_etl_sink_drop(struct etw_etl_sink *sink);

/* ------------------------------------------------------------ write_header.c */

/*
 * Build the header buffer from info (whose header.BufferSize bytes lie at buffer); the
 * bytes that it takes in the file, fewer if short_head.  The structure is of 32 bits if
 * info's pointers are.
 */
uint32_t etw_etl_head_build(uint8_t *buffer, const struct etw_etl_info *info, bool short_head);

/* ------------------------------------------------------------ lane.c */

/* The buffer of a CPU that is filled now */
struct etw_etl_lane {
	uint8_t *data;		/* NULL: none */
	uint32_t used;		/* of it, its header included */
	uint64_t opened;	/* how many were written when it got its first record */
	int64_t ref;		/* raw time of its first record ... */
	int64_t latest;		/* ... and the latest raw one in it */
	int64_t time;		/* of the last record; no matter which buffer */
	bool timeless;		/* its first record has no time but ref */
	bool ends;		/* of the last buffers, the one with the latest pair */
};

#define ETW_ETL_TOLD	8

/* Pairs of clock and time on their way into buffers, see clock_pairs.c */
struct etw_etl_told {
	struct etw_time_pair list[ETW_ETL_TOLD];	/* that no buffer has yet, oldest first */
	unsigned int count;
	struct etw_time_pair written;	/* that the last buffer with one has */
	struct etw_time_pair end;	/* the latest, when all is written */
	bool any;			/* some were told */
	struct etw_etl_time *line;	/* that is followed, or NULL */
	int64_t offset;
	struct etw_time_pair from, to;	/* of it, the stretch that records are in now */
	int64_t last;			/* latest tick of them */
};

struct etw_etl_writer {
	struct etw_etl_sink sink;
	struct etw_etl_info info;
	struct etw_timebase base;
	struct etw_etl_told told;
	uint32_t size;		/* of a buffer */
	struct etw_etl_lane *lanes;
	unsigned int lane_count;
	size_t held;		/* bytes of the lanes' buffers */
	uint64_t sequence;	/* of the buffer written last */
	uint64_t buffers;	/* in the file */
	uint64_t events;
	uint64_t lost_events, lost_buffers;
	uint64_t aged;		/* buffers when lanes were looked through last */
	int error;		/* of a write: nothing goes on */
	bool wide;		/* layout of the header */
	struct etw_etl_pack *pack;	/* to compress with, or NULL */
	struct etw_etl_info *old;	/* what the header said before appending */
};

struct etw_etl_pack {
	struct etw_xpress_work work;
	uint8_t data[];		/* a buffer, compressed */
};

/* What can be the size of a buffer. */
static inline bool etw_etl_size_ok(uint32_t size)
{
	return size >= 1024 && size <= ETW_ETL_FILL_MAX && size % ETW_RECORD_ALIGN == 0;
}

/* Make a CPU's buffer one that has room for a slot of so many bytes. */
int etw_etl_lane_get(struct etw_etl_writer *w, uint16_t cpu, uint32_t slot);
/* Write all that have records. */
int etw_etl_lanes_put(struct etw_etl_writer *w);

/* ------------------------------------------------------------ clock_pairs.c */

/* The pair of a buffer that is written, into its header. */
void etw_etl_pair_put(struct etw_etl_writer *w, const struct etw_etl_lane *lane,
		      struct etw_buffer_header *header);
/* The last buffers come: the latest pair goes with one of them. */
void etw_etl_pair_last(struct etw_etl_writer *w);
/* A file is gone on with, whose buffers have told this. */
void etw_etl_pair_again(struct etw_etl_writer *w, const struct etw_etl_time *line);
/* Tell where the line that is followed ends. */
void etw_etl_follow_end(struct etw_etl_writer *w);

#endif /* ETW_ETL_WRITE_PRIVATE_H */
