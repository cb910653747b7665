/* SPDX-License-Identifier: MIT */
/*
 * slices.h - what happened between two events: for viewers that draw time lines
 *
 * A start event (opcode 1) and its stop event (2) become a slice: of the same provider,
 * task and activity, or without an activity of the same thread; of several starts the
 * last.  Where no activity tells, what both say comes before the thread, see open_starts.c:
 * a request may be completed by any.  Slices of a thread that nest are drawn on the
 * thread; one that ends on another thread, or overlaps one that began later, is drawn by
 * itself.  Context switches of the kernel logger become slices of the processors.  Any
 * other event is an instant.
 *
 * A slice is handed over when it ends: the format must not need its marks in the order
 * of time.  Of slices on one thread that nest, those which have the same time are set
 * one nanosecond apart, so that sorting keeps them nested.
 *
 * Memory: at most SLICES_OPEN_MAX starts wait for their stop, with SLICES_HELD_MAX bytes
 * of what describes them; beyond, the oldest is handed over as unfinished.  What describes
 * the threads that run on processors has at most SLICES_RUNNING_MAX bytes; beyond, all of
 * them are handed over so.  The names of SLICES_NAMES_MAX processes and threads are known,
 * SLICES_NAME_MAX bytes of each; beyond, all are forgotten, and learnt again.  Of twice
 * SLICES_OPEN_MAX threads it is known when they were last heard of.  Each of these bounds
 * may be passed by one event, whose fields are described in no more than ETW_FORMAT_MAX
 * bytes and one value.  What is given up is counted.
 */
#ifndef ETW_CONVERT_SLICES_H
#define ETW_CONVERT_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "convert/convert.h"

#define SLICES_OPEN_MAX		65536
#define SLICES_HELD_MAX		(64u << 20)
#define SLICES_RUNNING_MAX	(64u << 20)
#define SLICES_NAMES_MAX	65536
#define SLICES_NAME_MAX		255

enum slice_place {
	SLICE_THREAD,
	SLICE_ALONE,	/* of the process, where no other slice is */
	SLICE_CPU,
};

struct slice_track {
	enum slice_place place;
	uint32_t pid, tid;	/* where it began */
	uint64_t number;	/* ALONE: of the slice, from 1; CPU: of the processor */
};

/* Bytes that the format made of an event, see slice_sink.describe */
struct slice_body {
	const char *data;
	size_t len;
};

struct slice {
	struct slice_track track;
	int64_t begin, end;		/* ns since 1970 */
	struct slice_body start;
	const struct slice_body *stop;	/* NULL: no event tells of its end */
	bool unfinished;		/* its end was not seen */
	uint64_t activity;		/* a number for its activity, or 0 */
	uint64_t parent;		/* for the activity that it says it came from, or 0 */
};

/* What an event is for describe() */
enum slice_part {
	SLICE_INSTANT,
	SLICE_START,
	SLICE_STOP,
};

/* What the format does.  0 or a negative errno after convert_fail(). */
struct slice_sink {
	/* Append what shows the event; name: instead of its own, or NULL. */
	int (*describe)(struct convert *c, const struct convert_event *e, enum slice_part part,
			const char *name, struct etw_text *to);
	int (*slice)(struct convert *c, const struct slice *slice);
	int (*instant)(struct convert *c, const struct slice_track *thread, int64_t time,
		       const struct slice_body *body);
	/* What a process is called, or one of its threads (tid); may come late, or twice. */
	int (*name)(struct convert *c, uint32_t pid, uint32_t tid, bool thread,
		    const char *name);
};

struct slices_count {
	uint64_t slices;
	uint64_t unfinished;	/* of them, at the end */
	uint64_t evicted;	/* of them, as too many were open, or they said too much */
	uint64_t stopped;	/* of them, of processors, as these said too much */
	uint64_t alone;		/* of them, not on a thread's track */
	uint64_t stops;		/* without a start: instants */
	uint64_t cut;		/* names that are known by their begin only */
	uint64_t forgotten;	/* names, as there were too many */
};

struct slices;

/* NULL: no memory.  limit: starts that wait; 0: SLICES_OPEN_MAX. */
struct slices *slices_new(struct convert *c, const struct slice_sink *sink, size_t limit);
int slices_event(struct slices *s, const struct convert_event *e);
/* All events were given: what is open is handed over as unfinished. */
int slices_end(struct slices *s);
void slices_count(const struct slices *s, struct slices_count *count);
/* A line for the user of what is worth knowing of these, by convert_note(). */
void slices_tell(const struct slices *s);
void slices_free(struct slices *s);	/* NULL is fine */

/* A number for an activity, at any address; 0 for the GUID that is zero. */
uint64_t slices_activity(const GUID *activity);

/* FILETIME as nanoseconds since 1970: 0 if it is before, the last there is if too late */
int64_t slices_ns(int64_t filetime);
/* An event's, to the nanosecond */
int64_t slices_time(const struct etw_event *event);

#endif /* ETW_CONVERT_SLICES_H */
