/* SPDX-License-Identifier: MIT */
/*
 * buffer_stream.h - the events of buffers that the caller adds one by one
 *
 * The first buffer holds a header. The others follow in the order in which another
 * reader finished them: strictly ordered per CPU, nearly ordered across CPUs. An event
 * is handed out when every CPU is complete up to the event's time or is two seconds
 * behind, or when no buffer has arrived for a second.
 *
 * Any thread may add and end; one thread at a time reads.
 */
#ifndef ETW_LIB_CONSUMER_BUFFER_STREAM_H
#define ETW_LIB_CONSUMER_BUFFER_STREAM_H

#include <stddef.h>
#include "etl/info.h"
#include "etl/source.h"

struct etw_bufstream;

/* A buffer is no longer needed. Called on the thread that reads or frees. */
typedef void etw_bufstream_done_fn(void *context, const void *data);

/*
 * -EINVAL: not a buffer, not a header's buffer where one is required, or too large;
 * -EILSEQ: older than the last one of its CPU; -ESHUTDOWN: after the end; -ENOMEM, also
 * if more than 1 GB wait for the reader: add it again once fewer wait. The caller keeps
 * the bytes until done is called; this library does not read them after this call.
 */
int etw_bufstream_add(struct etw_bufstream *s, const void *data, size_t size);

/*
 * Open a new stream as a source of events; context is passed to done. Returns 0 or -ENOMEM.
 * etw_source_stop(): no more buffers will be added. etw_source_close() calls done for buffers
 * that were not handed out. etw_source_next() is a cancellation point.
 */
int etw_source_open_stream(struct etw_source *source, etw_bufstream_done_fn *done,
			   void *context);

extern const struct etw_source_ops etw_source_stream_ops;

/* The source's stream; NULL: the source is not a stream. */
static inline struct etw_bufstream *etw_source_stream(const struct etw_source *source)
{
	return source->ops == &etw_source_stream_ops ? source->from : NULL;
}

/* The information in the header's buffer; zero before that buffer arrives. */
const struct etw_etl_info *etw_bufstream_info(const struct etw_bufstream *s);

#endif /* ETW_LIB_CONSUMER_BUFFER_STREAM_H */
