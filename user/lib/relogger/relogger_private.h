/* SPDX-License-Identifier: MIT */
/*
 * relogger_private.h - the relogger and its events
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
 * An event: points to a record in a buffer until the event is changed or kept, then to
 * its own copy.
 */
struct etw_relog_event {
	ITraceEvent iface;	/* must be first */
	_Atomic ULONG refs;
	bool broken;		/* there was no memory for the copy */
	bool shown;		/* record was handed out: keep it up to date */
	bool moved;		/* the time was set; differs from the record's */
	bool injected;		/* it is in the output; guarded by the relogger's lock */
	unsigned int stream;	/* its index */
	void *context;
	const uint8_t *raw;
	uint32_t size;		/* of the record ... */
	uint32_t head;		/* ... and of the headers before its payload */
	uint8_t *own;		/* the event's own copy, or NULL; 8-byte aligned */
	int64_t time;		/* FILETIME */
	int64_t clock;		/* original raw time, for records that hold none */
	struct etw_buffer_header buffer;
	struct etw_event event;	/* the record as decoded */
	EVENT_RECORD record;
	struct etw_event_items items;
};

/* An event with one reference; NULL: out of memory. It does not own its record. */
struct etw_relog_event *etw_relog_event_new(void);
/* Point the event to this record, which must stay valid until the event has its own copy. */
void etw_relog_event_set(struct etw_relog_event *e, const struct etw_event *event,
			 unsigned int stream, void *context);
/* Make it a new event with only a header. -EINVAL: unsupported flags. */
int etw_relog_event_fill(struct etw_relog_event *e, ULONG flags);
/* Our object behind the interface, or NULL. */
struct etw_relog_event *etw_relog_event_of(ITraceEvent *event);
/* S_OK and *object, with a reference, if the object has that interface. */
HRESULT etw_relog_query(void *object, const IID *own, const IID *asked, void **out);

/* A file, or the session */
struct etw_relog_stream {
	struct etw_source in;		/* must be first */
	struct etw_etl_file *file;	/* of in, or NULL */
	char *path;			/* of the file */
	struct etw_reader *reader;	/* of in, or NULL */
	void *context;
	/* For Inject(), which other threads may call while the file is read */
	struct etw_etl_clock clock;
	struct etw_etl_time line;	/* clock line; valid in the first file with this clock */
	struct etw_etl_shift shift;	/* from its clock to the output's */
};

struct etw_relogger {
	ITraceRelogger iface;		/* must be first */
	_Atomic ULONG refs;
	pthread_mutex_t lock;		/* guards writer and everything Inject() uses */
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
	int64_t now;			/* time of the event handed out last */
	struct etw_etl_writer *writer;	/* set while events can be injected */
	/* What the output has to tell of its sources: */
	bool silent;			/* one lacks something that nothing copied from it tells */
	bool has_since;			/* one has nothing older, as its mode allows, ... */
	int64_t since, since_time;	/* ... than this tick of the output's clock; FILETIME */
	uint8_t scratch[ETW_RECORD_MAX + 1];
};

/* clock.c. How each stream's clock maps to that of r->info; before any write */
void etw_relog_map_clocks(struct etw_relogger *r);
/* The tick of a FILETIME; converts back to the same FILETIME if any tick does. */
int64_t etw_relog_ticks(struct etw_relogger *r, int64_t time);

/* losses.c. Once the writer is there: judge the files. 0 or -errno */
int etw_relog_judge(struct etw_relogger *r);
/*
 * At the end, with the lock held: write and count what the sources have lost. *end: FILETIME, 0 if
 * not known. 0 or -errno
 */
int etw_relog_write_losses(struct etw_relogger *r, int64_t *end);

#endif /* ETW_LIB_RELOGGER_RELOGGER_PRIVATE_H */
