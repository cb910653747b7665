/* SPDX-License-Identifier: MIT */
/*
 * walk.h - from buffer to buffer of a log file
 */
#ifndef ETW_ETL_WALK_H
#define ETW_ETL_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <etw/format.h>

#define ETW_ETL_FILL_MAX	(16u << 20)	/* bytes used of a buffer */
#define ETW_ETL_CPUS		8192

/*
 * How much a compressed buffer may become: a record has at most 64 KB and a time of its own,
 * so what events compress to is more than this.  Without it a few bytes would be 16 MB.
 */
#define ETW_ETL_EXPAND_MAX	4096

static inline bool etw_etl_expands(const struct etw_buffer_header *header)
{
	return header->offset / ETW_ETL_EXPAND_MAX <= header->buffer_size;
}

/* What the walk is about; constant while it goes on. */
struct etw_etl_space {
	int fd;
	uint64_t begin;		/* of the first buffer behind the header buffer */
	uint64_t end;		/* of the file */
	uint64_t start;		/* where the oldest buffer is; begin unless circular */
	uint32_t step;		/* the session's buffer size */
	bool packed;		/* buffers are compressed, as the file says */
};

/* Where the walk is.  Begin with etw_etl_walk_begin(). */
struct etw_etl_walk {
	uint64_t at;		/* of the buffer that comes next */
	uint64_t used;		/* where that what the last good one holds ends */
	bool packed;		/* buffers lie anywhere */
	bool wrapped;		/* back at the begin, up to start */
};

void etw_etl_walk_begin(const struct etw_etl_space *space, struct etw_etl_walk *walk);

/*
 * The next buffer.  1: *header, checked, processor made plain, and *at; 0: the end;
 * -EBADMSG: at *at there is no buffer, *what says why (once for a run of them; bad is
 * how many were passed); -EIO and the like.
 */
int etw_etl_walk_next(const struct etw_etl_space *space, struct etw_etl_walk *walk,
		      struct etw_buffer_header *header, uint64_t *at, const char **what,
		      uint64_t *bad);

/*
 * Check a buffer's header, behind which there are left bytes, its own included, and make
 * its processor plain.  NULL: good, else what is wrong.
 */
const char *etw_etl_header_sane(struct etw_buffer_header *header, uint64_t left);

/* Read and check the header at an offset; NULL: good, else what is wrong. */
const char *etw_etl_header_check(const struct etw_etl_space *space, uint64_t at,
				 struct etw_buffer_header *header, int *err);

/* Read all of len bytes: 0, -ENODATA: the file ends before, -errno. */
int etw_etl_read(int fd, uint64_t at, void *to, size_t len);

#endif /* ETW_ETL_WALK_H */
