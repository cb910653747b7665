/* SPDX-License-Identifier: MIT */
/*
 * slices.h - time between two events, for viewers that draw time lines
 *
 * A start event (opcode 1) and its stop event (opcode 2) become a slice.  They belong
 * together if they have the same provider, task and activity, or no activity and the same
 * thread; open_starts.c has the details.  Slices that nest are drawn on their thread's
 * track.  A slice that ends on another thread, or overlaps one that began later, has a track
 * of its own.  Context switches of the kernel logger become slices of the processors.  A
 * loss that the trace records is a slice of its own, which may overlap others.  Every other
 * event is an instant.
 *
 * The format gets a slice when it ends, so marks are not in the order of time.  Nested
 * slices of a thread with the same time are moved 1 ns apart, so that sorting keeps them
 * nested.
 *
 * Memory is bounded: SLICES_OPEN_MAX starts with SLICES_HELD_MAX bytes of bodies wait for
 * their stops; beyond that, the oldest is given to the format as unfinished.  Bodies of
 * running threads take SLICES_RUNNING_MAX bytes; beyond that, all of them are unfinished.
 * SLICES_NAMES_MAX processes and threads have names of up to SLICES_NAME_MAX bytes; beyond
 * that, all names are forgotten.  One event may exceed a limit, by at most ETW_FORMAT_MAX
 * bytes and one value.  The counters say what was given up.
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
	SLICE_ALONE,	/* a track of its own, in the process */
	SLICE_CPU,
	SLICE_LOSS,	/* a loss, from its first event to its last */
};

#define SLICE_ANY_CPU	UINT32_MAX	/* of SLICE_LOSS: not known, or several */

struct slice_track {
	enum slice_place place;
	uint32_t pid, tid;	/* where it began */
	uint64_t number;	/* ALONE: the slice, from 1; CPU, LOSS: the processor */
};

/* What slice_sink.describe() made of an event */
struct slice_body {
	const char *data;
	size_t len;
};

struct slice {
	struct slice_track track;
	int64_t begin, end;		/* ns since 1970 */
	struct slice_body start;
	const struct slice_body *stop;	/* NULL: its end was not seen, or it is a loss */
	uint64_t activity;		/* slices_activity() of its activity */
	uint64_t parent;		/* slices_activity() of its related activity */
};

/* The part of an event in a slice */
enum slice_part {
	SLICE_INSTANT,
	SLICE_START,
	SLICE_STOP,
};

/* The format's functions.  They return 0 or a negative errno after convert_fail(). */
struct slice_sink {
	/* Append the event's body; name replaces its own if it is not NULL. */
	int (*describe)(struct convert *c, const struct convert_event *e, enum slice_part part,
			const char *name, struct etw_text *to);
	int (*slice)(struct convert *c, const struct slice *slice);
	int (*instant)(struct convert *c, const struct slice_track *thread, int64_t time,
		       const struct slice_body *body);
	/* The name of a process or thread; may come late, and more than once. */
	int (*name)(struct convert *c, uint32_t pid, uint32_t tid, bool thread,
		    const char *name);
};

struct slices_count {
	uint64_t slices;
	uint64_t unfinished;	/* slices without an end */
	uint64_t evicted;	/* unfinished slices because of the limits for starts */
	uint64_t stopped;	/* unfinished slices because of SLICES_RUNNING_MAX */
	uint64_t alone;		/* slices on tracks of their own */
	uint64_t stops;		/* stops without a start, which became instants */
	uint64_t cut;		/* names longer than SLICES_NAME_MAX */
	uint64_t forgotten;	/* names beyond SLICES_NAMES_MAX */
};

struct slices;

/* limit: open starts; 0: SLICES_OPEN_MAX.  NULL: no memory. */
struct slices *slices_new(struct convert *c, const struct slice_sink *sink, size_t limit);
int slices_event(struct slices *s, const struct convert_event *e);
/* There are no more events: open slices are unfinished. */
int slices_end(struct slices *s);
/* Report what was given up or unfinished with convert_note(). */
void slices_report(const struct slices *s);
void slices_free(struct slices *s);	/* NULL is fine */

/* A hash of an activity; 0 for the zero GUID.  activity need not be aligned. */
uint64_t slices_activity(const GUID *activity);

/* FILETIME as ns since 1970, 0 for earlier times, and the largest for too late ones */
int64_t slices_ns(int64_t filetime);
/* The time of an event, to the nanosecond */
int64_t slices_time(const struct etw_event *event);
/* 0 for classic events, whose types have other meanings */
unsigned int slices_opcode(const struct etw_event *event);

#endif /* ETW_CONVERT_SLICES_H */
