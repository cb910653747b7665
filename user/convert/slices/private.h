/* SPDX-License-Identifier: MIT */
/*
 * private.h - between slices.c, open_starts.c and kernel_logger.c
 */
#ifndef ETW_CONVERT_SLICEPRIV_H
#define ETW_CONVERT_SLICEPRIV_H

#include "slices.h"

#define OPEN_SAID_MIN	8	/* bytes of a payload, not all 0, that tell an operation */
#define OPEN_SAID_MAX	64	/* ... of which so many are looked at */

/* A start that waits for its stop is on five lists. */
struct open_slice {
	struct open_slice *chain, **link;	/* of its hash, the newest first */
	struct open_slice *twin, **twin_link;	/* of what it says, the same; NULL: not on it */
	struct open_slice *below, *above;	/* of its thread, those open */
	struct open_slice *older, *newer;	/* of all */
	struct open_thread *thread;
	GUID provider;
	GUID activity;		/* zero: none */
	uint16_t task;
	uint64_t hash;
	int64_t begin;		/* ns */
	uint64_t parent;	/* hash of the related activity, or 0 */
	unsigned char said[OPEN_SAID_MAX];
	size_t said_len;
	size_t len;
	char body[];
};

/* A thread that has slices, or had some */
struct open_thread {
	struct open_thread *chain;
	uint32_t pid, tid;
	struct open_slice *top;
	int64_t last;		/* ns of the last mark of its track */
};

#define OPEN_BUCKETS	16384

struct open_table {
	struct open_slice *slices[OPEN_BUCKETS], *said[OPEN_BUCKETS];
	struct open_thread *threads[OPEN_BUCKETS];
	struct open_slice *oldest, *newest;
	size_t count, held, thread_count;
};

/* What a start and its stop have in common. */
struct open_key {
	GUID provider, activity;
	uint16_t task;
	uint32_t pid, tid;	/* of the event; they count without an activity */
	uint64_t hash;
	const unsigned char *said;	/* its payload, as far as it is looked at ... */
	size_t said_len;		/* ... or 0: too little to tell operations apart */
};

void open_key(struct open_key *key, const struct convert_event *e);
/* NULL: no memory */
struct open_slice *open_push(struct open_table *table, const struct open_key *key, int64_t ns,
			     const struct etw_text *body);
/* The start that a stop of that key ends, or NULL */
struct open_slice *open_find(const struct open_table *table, const struct open_key *key);
/* Take it out of all lists; the caller frees it. */
void open_take(struct open_table *table, struct open_slice *slice);
void open_free(struct open_table *table);

/* What runs on a processor */
struct running {
	bool known;
	uint32_t pid, tid;
	int64_t begin;
	struct etw_text body;
};

/* What the kernel logger has told of threads; see kernel_logger.c. */
struct kernel {
	struct running *cpus;
	size_t cpu_count;
	size_t held;		/* bytes that their bodies have */
	struct kernel_name *names[4096];
	size_t name_count;
};

struct slices {
	struct convert *c;
	const struct slice_sink *sink;
	size_t limit;
	struct open_table open;
	struct kernel kernel;
	struct slices_count count;
	struct etw_text scratch;
	int64_t last;		/* ns, of all events */
};

/*
 * Names of processes and threads are learnt; a context switch becomes a slice.  1: it was
 * one; 0: the event is an ordinary one; -errno.
 */
int kernel_event(struct slices *s, const struct convert_event *e, int64_t ns);
int kernel_end(struct slices *s);
void kernel_free(struct kernel *kernel);

#endif /* ETW_CONVERT_SLICEPRIV_H */
