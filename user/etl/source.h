/* SPDX-License-Identifier: MIT */
/*
 * source.h - where events come from: a log file, a running session or a stream of
 * buffers
 *
 * The function that opens a source sets its operations: etw_source_open_file() below,
 * and etw_source_open_session() and etw_source_open_stream() of lib/consumer. A source
 * belongs to one thread at a time, except etw_source_stop().
 */
#ifndef ETW_ETL_SOURCE_H
#define ETW_ETL_SOURCE_H

#include "file.h"

struct etw_source_ops {
	int (*next)(void *from, struct etw_event *event, int timeout_ms);
	void (*stop)(void *from);	/* NULL: next does not wait */
	void (*close)(void *from);
};

/* All zero: not open. */
struct etw_source {
	const struct etw_source_ops *ops;
	void *from;
	/* For etw_source_earliest() */
	struct etw_event next;
	bool has_next;
};

extern const struct etw_source_ops etw_source_file_ops;

/* Like etw_etl_open() */
int etw_source_open_file(struct etw_source *source, const char *path, etw_etl_report_fn *report,
			 void *context);

/* The source's log file; NULL: the source is not a file. */
static inline struct etw_etl_file *etw_source_file(const struct etw_source *source)
{
	return source->ops == &etw_source_file_ops ? source->from : NULL;
}

/*
 * Wait for the next event, valid until the next call, up to timeout_ms, -1 for ever; a
 * stream of buffers always waits for ever. 1: *event; 0: the source has ended or was
 * stopped; -EAGAIN: timeout, or a signal; others: an error.
 */
static inline int etw_source_next(struct etw_source *source, struct etw_event *event,
				  int timeout_ms)
{
	return source->ops->next(source->from, event, timeout_ms);
}

/* Make etw_source_next() return 0 after the available events; from any thread. */
static inline void etw_source_stop(struct etw_source *source)
{
	if (source->ops && source->ops->stop)
		source->ops->stop(source->from);
}

void etw_source_close(struct etw_source *source);	/* a closed source is fine */

/*
 * The source with the earliest event, or the first of several equal ones; the caller
 * uses next and clears has_next. Sources at their end leave the list. Waits if no
 * source has an event; at most one source in the list may make it wait. NULL: no events
 * are left, or *err is set and the list begins with the source that failed.
 */
struct etw_source *etw_source_earliest(struct etw_source **list, unsigned int *count, int *err);

#endif /* ETW_ETL_SOURCE_H */
