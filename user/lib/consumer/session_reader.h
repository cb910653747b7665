/* SPDX-License-Identifier: MIT */
/*
 * session_reader.h - the events of a running session, all CPUs in time order
 *
 * Internal to the library and the tools beside it; not installed.
 */
#ifndef ETW_LIB_CONSUMER_SESSION_READER_H
#define ETW_LIB_CONSUMER_SESSION_READER_H

#include <stdint.h>
#include <etw/abi.h>
#include "etl/source.h"

struct etw_reader;

/* Running totals of this reader */
struct etw_reader_count {
	uint64_t buffers;	/* read */
	uint64_t bytes;		/* used in them, headers included */
	uint64_t events;	/* handed out */
	uint64_t lost_buffers;	/* gaps in the sequence numbers */
	uint64_t lost_marks;	/* buffers marked "events were lost before" */
	uint64_t corrupt;	/* buffers skipped, wholly or from some record on */
	uint64_t disorder;	/* events handed out after a later one */
};

/* Open a consumer on a running session. -ENOENT: no such session; -ENODEV: no module. */
int etw_source_open_session(struct etw_source *source, const char *session);

extern const struct etw_source_ops etw_source_session_ops;

/* The source's reader; NULL: the source is not a session. */
static inline struct etw_reader *etw_source_session(const struct etw_source *source)
{
	return source->ops == &etw_source_session_ops ? source->from : NULL;
}

const struct etw_session_info *etw_session_info(const struct etw_reader *reader);
void etw_reader_counts(const struct etw_reader *reader, struct etw_reader_count *count);
/* The kernel's count of what this consumer received and lost */
int etw_reader_stat(struct etw_reader *reader, struct etw_consumer_info *info);

#endif /* ETW_LIB_CONSUMER_SESSION_READER_H */
