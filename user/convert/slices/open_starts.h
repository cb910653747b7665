/* SPDX-License-Identifier: MIT */
/*
 * open_starts.h - start events that wait for their stop events
 */
#ifndef ETW_CONVERT_SLICES_OPEN_STARTS_H
#define ETW_CONVERT_SLICES_OPEN_STARTS_H

#include <sys/queue.h>
#include "convert/convert.h"
#include "open_numbers.h"

#define OPEN_SAID_MIN	8	/* payload bytes, not all 0, that identify an operation */
#define OPEN_SAID_MAX	64	/* payload bytes that are compared */

/* A start that waits for its stop */
struct open_slice {
	LIST_ENTRY(open_slice) chain;		/* in its hash bucket, newest first */
	LIST_ENTRY(open_slice) twin;		/* in a bucket of what it says, if likeness */
	LIST_ENTRY(open_slice) of_thread;	/* newest first */
	TAILQ_ENTRY(open_slice) by_age;
	struct open_thread *thread;
	GUID provider;
	GUID activity;		/* zero: none */
	uint16_t task;
	uint32_t room;		/* for the body */
	uint64_t hash;
	int64_t begin;		/* ns */
	uint64_t parent;	/* hash of the related activity, or 0 */
	uint64_t likeness;
	uint64_t mark;		/* the user's */
	unsigned char said[OPEN_SAID_MAX];
	size_t said_len;
	struct open_numbers numbers;
	size_t len;
	char body[];
};

/* A thread that has or had slices */
struct open_thread {
	struct open_thread *chain;
	uint32_t pid, tid;
	LIST_HEAD(, open_slice) open;
	int64_t last;		/* ns of the last mark on its track */
};

#define OPEN_BUCKETS	16384
#define OPEN_THREADS	131072	/* twice as many as can have an open start */

/* All zero but for all, which needs TAILQ_INIT(), is empty. */
struct open_table {
	LIST_HEAD(, open_slice) slices[OPEN_BUCKETS], alike[OPEN_BUCKETS];
	struct open_thread *threads[OPEN_BUCKETS];
	TAILQ_HEAD(open_slices, open_slice) all;	/* oldest first */
	LIST_HEAD(, open_slice) spare;	/* by chain: for other starts */
	unsigned int spare_count;
	size_t count, held, thread_count;
	size_t thread_room;	/* threads that are kept without an open start; 0: OPEN_THREADS */
};

/* What a start and its stop have in common */
struct open_key {
	GUID provider, activity;
	uint16_t task;
	uint32_t pid, tid;	/* of the event; compared if there is no activity */
	uint64_t hash;
	const unsigned char *said;	/* the payload bytes to compare */
	size_t said_len;		/* 0: too few to tell operations apart */
	bool traced;			/* a tracepoint's or probe's */
	struct open_numbers numbers;	/* if it is, instead of bytes */
	uint64_t likeness;		/* starts with the same one may be meant; 0: none */
};

/* What start and stop are paired by; all zero is OPEN_AUTO. */
struct open_rule {
	enum {
		OPEN_AUTO,	/* see open_starts.c */
		OPEN_ACTIVITY,
		OPEN_THREAD,
		OPEN_FIELD,	/* a field of both with the same value */
	} by;
	const char *field;
	struct etw_text scratch;
};

void open_key(struct open_key *key, const struct convert_event *e);
/* false: the event lacks what the rule asks for.  OPEN_FIELD needs e->decoder. */
bool open_key_by(struct open_key *key, const struct convert_event *e, struct open_rule *rule);
/* With room for a body of so many bytes, which the caller fills. NULL: no memory */
struct open_slice *open_push(struct open_table *table, const struct open_key *key, int64_t ns,
			     size_t len);
/* The start that a stop of that key ends, or NULL */
struct open_slice *open_find(const struct open_table *table, const struct open_key *key);
/* Take it out of all lists; the caller releases it. */
void open_take(struct open_table *table, struct open_slice *slice);
/* Free it, or keep its memory for another start; NULL is fine. */
void open_release(struct open_table *table, struct open_slice *slice);
void open_free(struct open_table *table);

#endif /* ETW_CONVERT_SLICES_OPEN_STARTS_H */
