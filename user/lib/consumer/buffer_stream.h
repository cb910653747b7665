/* SPDX-License-Identifier: MIT */
/*
 * buffer_stream.h - the events of buffers that somebody hands over one by one
 *
 * The first buffer is that of a header, the others follow as a reader elsewhere was
 * through with them: those of each CPU in order, those of different CPUs nearly so.  An
 * event is handed out when every CPU has shown what it has up to that time, or is
 * two seconds behind, or when nothing has come for a second.
 *
 * Anybody may add and end; one thread at a time reads.
 */
#ifndef ETW_LIB_CONSUMER_BUFFER_STREAM_H
#define ETW_LIB_CONSUMER_BUFFER_STREAM_H

#include <stddef.h>
#include "etl/info.h"
#include "etl/source.h"

struct etw_bufstream;

/* A buffer is no more needed; on the thread that reads, or frees. */
typedef void etw_bufstream_done_fn(void *context, const void *data);

/* -ENOMEM */
int etw_bufstream_new(etw_bufstream_done_fn *done, void *context, struct etw_bufstream **out);
/* What was added and not handed out is done with; NULL is fine. */
void etw_bufstream_free(struct etw_bufstream *s);

/*
 * -EINVAL: no buffer, not a header's where it has to be one, or too large; -EILSEQ: not
 * behind the last one of its CPU; -ESHUTDOWN: after the end; -ENOMEM, also if more than
 * 1 GB wait for the reader: add it again once there are fewer.  The bytes stay the
 * caller's until they are done with; they are not read after this call.
 */
int etw_bufstream_add(struct etw_bufstream *s, const void *data, size_t size);

/* Nothing will be added any more. */
void etw_bufstream_end(struct etw_bufstream *s);

/*
 * The next event, valid until the next call; waits for one.  1; 0: ended, and all was
 * handed out; -ENOMEM.  A thread may be cancelled in here.
 */
int etw_bufstream_next(struct etw_bufstream *s, struct etw_event *event);

/* A new stream as a source of events, with the context of done.  -ENOMEM */
int etw_source_open_stream(struct etw_source *source, etw_bufstream_done_fn *done,
			   void *context);

extern const struct etw_source_ops etw_source_stream_ops;

/* The stream, or NULL: it is another source. */
static inline struct etw_bufstream *etw_source_stream(const struct etw_source *source)
{
	return source->ops == &etw_source_stream_ops ? source->from : NULL;
}

/* What the header's buffer tells; zero before it came. */
const struct etw_etl_info *etw_bufstream_info(const struct etw_bufstream *s);

#endif /* ETW_LIB_CONSUMER_BUFFER_STREAM_H */
