/* SPDX-License-Identifier: MIT */
/*
 * walk.h - walk from buffer to buffer of a log file
 */
#ifndef ETW_ETL_WALK_H
#define ETW_ETL_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <etw/format.h>

#define ETW_ETL_FILL_MAX	(16u << 20)	/* used bytes of a buffer */
#define ETW_ETL_CPUS		8192

/*
 * Limit of a compressed buffer's expansion: a record has at most 64 KB and a time of
 * its own, so real events never compress this well. Without the limit, a few bytes
 * would expand to 16 MB.
 */
#define ETW_ETL_EXPAND_MAX	4096

static inline bool etw_etl_expands(const struct etw_buffer_header *header)
{
	return header->offset / ETW_ETL_EXPAND_MAX <= header->buffer_size;
}

/* Is there nothing, but zeros? */
bool etw_etl_header_zero(const struct etw_buffer_header *header);

/* The file being walked; constant during the walk. */
struct etw_etl_space {
	int fd;
	uint64_t begin;		/* offset of the first buffer after the header buffer */
	uint64_t end;		/* of the file */
	uint64_t start;		/* the oldest buffer; begin unless circular */
	uint32_t step;		/* the session's buffer size */
	bool packed;		/* the file's header says that buffers are compressed */
	bool open;		/* nobody has closed the file: its unused space may be zero */
};

/* The position of the walk. Start with etw_etl_walk_begin(). */
struct etw_etl_walk {
	uint64_t at;		/* offset of the next buffer */
	uint64_t used;		/* end of the used part of the last valid buffer */
	bool packed;		/* buffers may start anywhere */
	bool wrapped;		/* back at begin, up to start */
	const char *what;	/* after -EBADMSG: what is wrong ... */
	uint64_t bad;		/* ... and with how many buffers */
};

void etw_etl_walk_begin(const struct etw_etl_space *space, struct etw_etl_walk *walk);

/*
 * The next buffer. 1: *header, checked and with a plain processor number, and *at; 0:
 * the end; -EBADMSG: no buffer at *at, once for a run of invalid buffers; -EIO and similar
 * errors.
 */
int etw_etl_walk_next(const struct etw_etl_space *space, struct etw_etl_walk *walk,
		      struct etw_buffer_header *header, uint64_t *at);

/*
 * Check a buffer's header and make its processor number plain. left: bytes from the
 * header to the end of the file. NULL: valid, otherwise the error.
 */
const char *etw_etl_header_sane(struct etw_buffer_header *header, uint64_t left);

/* Read and check the header at an offset; NULL: valid, otherwise the error. */
const char *etw_etl_header_check(const struct etw_etl_space *space, uint64_t at,
				 struct etw_buffer_header *header, int *err);

/* Read all of len bytes: 0, -ENODATA: the file ends before, -errno. */
int etw_etl_read(int fd, uint64_t at, void *to, size_t len);

#endif /* ETW_ETL_WALK_H */
