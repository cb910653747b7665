/* SPDX-License-Identifier: MIT */
/*
 * relogger_private.h - what the parts of the relogger share
 */
#ifndef ETW_LIB_RELOGGER_RELOGGER_PRIVATE_H
#define ETW_LIB_RELOGGER_RELOGGER_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>
#include <relogger.h>

#include "etl/clock.h"
#include "etl/source.h"
#include "etl/write.h"
#include "lib/consumer/event_record.h"
#include "lib/consumer/session_reader.h"

/*
 * An event: a record as it lies in a buffer, somebody else's as long as the event is not
 * changed and nobody keeps it, and its own copy then.
 */
struct etw_relog_event {
	ITraceEvent iface;	/* must be first */
	_Atomic ULONG refs;
	bool broken;		/* there was no memory for the copy */
	bool shown;		/* record was handed out: it is kept up to date */
	bool moved;		/* the time is not that of the record */
	unsigned int stream;	/* its number */
	void *context;
	const uint8_t *raw;
	uint32_t size;		/* of the record ... */
	uint32_t head;		/* ... and of what is before its payload */
	uint8_t *own;		/* raw, if it is the event's own; 8-byte aligned */
	int64_t time;		/* FILETIME */
	int64_t clock;		/* raw time that it came with, for records that have none */
	struct etw_buffer_header buffer;
	struct etw_event event;	/* the record as it is read */
	EVENT_RECORD record;
	struct etw_event_items items;
};

/* An event with one reference; NULL: no memory.  Its record is another's. */
struct etw_relog_event *etw_relog_event_new(void);
/* Make it this event, which must stay while the event has no copy. */
void etw_relog_event_set(struct etw_relog_event *e, const struct etw_event *event,
			 unsigned int stream, void *context);
/* A new event, empty but for its header.  -EINVAL: no such flags. */
int etw_relog_event_fill(struct etw_relog_event *e, ULONG flags);
/* Our object behind the interface, or NULL. */
struct etw_relog_event *etw_relog_event_of(ITraceEvent *event);
/* S_OK and *object, with a reference, if the object has that interface. */
HRESULT etw_relog_query(void *object, const IID *own, const IID *asked, void **out);

/* A file, or the session */
struct etw_relog_stream {
	struct etw_source in;		/* must be first */
	struct etw_etl_file *file;	/* in's, or NULL */
	struct etw_reader *reader;	/* in's, or NULL */
	void *context;
	/* For Inject(), which other threads may call while the file is read */
	struct etw_etl_clock clock;
	struct etw_etl_time line;	/* of a clock, at its first file */
	struct etw_etl_shift shift;	/* from its clock to that of the output */
};

struct etw_relogger {
	ITraceRelogger iface;		/* must be first */
	_Atomic ULONG refs;
	pthread_mutex_t lock;		/* of writer, and all that Inject() uses */
	_Atomic bool cancelled;
	bool used;			/* ProcessTrace() was called */
	bool compress;
	char *output;			/* path, or NULL */
	ITraceEventCallback *callback;
	struct etw_relog_stream **streams;
	unsigned int count;
	struct etw_relog_stream *session;		/* one of them, or NULL */
	struct etw_relog_event *current;
	struct etw_etl_info info;	/* of the first stream */
	int64_t now;			/* of the event handed out last */
	struct etw_etl_writer *writer;	/* while events can be injected */
	uint8_t scratch[ETW_RECORD_MAX + 1];
};

/* Write an event in the output's clock; the lock is held, there is a writer. */
int etw_relog_write(struct etw_relogger *r, const struct etw_relog_event *e);
/* How each stream's clock becomes that of r->info; before anything is written. */
void etw_relog_clocks(struct etw_relogger *r);

#endif /* ETW_LIB_RELOGGER_RELOGGER_PRIVATE_H */
