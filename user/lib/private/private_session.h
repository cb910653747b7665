/* SPDX-License-Identifier: MIT */
/*
 * private_session.h - a private session, for the files of this folder
 *
 * Writers take no lock and announce themselves nowhere: they load the session's pointer and
 * go through the ring of the core, whose words all threads share. So what they may look at
 * after the session has ended stays: a session, its table of buffers and their control blocks
 * are kept for the next session and never freed. Only the buffers' bytes are given back, once
 * all buffers are in the hands of the one who ends the session: a writer can touch them only
 * between its reserve and its commit, and the buffer is not delivered before that.
 *
 * A writer that sleeps from one session into the next one of the same memory fails to reserve,
 * because the words it compares have gone on.
 */
#ifndef ETW_LIB_PRIVATE_PRIVATE_SESSION_H
#define ETW_LIB_PRIVATE_PRIVATE_SESSION_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "clock.h"
#include "core/losses.h"
#include "core/ring.h"
#include "file.h"
#include "private.h"

struct private_buffer {
	struct etw_buf buf;
	struct private_buffer *next;	/* see struct private_cpu */
	bool taken;			/* the session has ended, and no writer has it */
} ETW_OWN_LINE;				/* writers of two CPUs have two buffers */

/* Events that writers on one CPU lost for one cause since this was last collected */
struct private_loss {
	_Atomic uint64_t events;
	_Atomic uint64_t first, last;	/* session's clock */
};

struct private_cpu {
	struct etw_ring_cpu ring;
	_Atomic uint16_t delivered;	/* as a generation: as many buffers are complete */
	struct private_loss lost[ETW_DROP_CAUSES];

	/* under the session's lock */
	struct private_buffer *waiting;	/* complete, behind one that is not, by generation */
	uint16_t next;			/* the generation to be written next */
	uint16_t abandoned;		/* incomplete buffers that nobody waits for any more */
	uint64_t since;			/* ns of CLOCK_MONOTONIC when the wait began; 0: none */
} ETW_OWN_LINE;

struct private_session {
	/* Writers read these; they are set before the session can be found. */
	struct etw_ring ring;
	struct private_cpu *cpus;
	uint32_t cpu_count;		/* that have a buffer of their own */
	enum private_clock clock;
	pid_t pid;
	bool buffering;			/* no file: the oldest buffers are overwritten */

	struct etw_fifo done ETW_OWN_LINE;	/* complete buffers */
	_Atomic bool woken;
	_Atomic bool armed;		/* the flush timer runs, or will */
	_Atomic bool losing;		/* a writer lost an event */
	_Atomic uint32_t sequence;	/* of classic messages */
	sem_t work;			/* for the thread */

	struct etw_pool_node node;
	struct private_buffer *buffers;	/* control blocks */
	uint32_t cpu_room;		/* of cpus */
	uint32_t capacity;		/* of the table and the control blocks */
	uint8_t *memory;		/* of total buffers */
	uint32_t total;

	bool busy;			/* not to be used for another session */
	struct private_session *before;	/* one that was busy, and stays */

	/* settings */
	_Atomic uint64_t handle;
	char name[ETW_NAME_MAX + 1];
	uint32_t slot, mode, type;	/* type: ETW_CLOCK_* */
	uint32_t min_buffers;
	struct etw_guid guid;
	uint64_t frequency;
	uint64_t start_clock, start_mono, start_wall;
	uint64_t sync_clock, sync_mono, sync_wall;

	pthread_t thread;
	bool threaded;
	_Atomic bool stopping;
	_Atomic uint32_t flush_ms;

	/* Delivery, the file and the counters below */
	pthread_mutex_t lock;
	struct private_file file;
	struct etw_losses losses;	/* of writers, not recorded yet */
	uint64_t collected;		/* clock at the last collection */
	uint64_t delivered_buffers;
	uint64_t events_lost;		/* by writers */
	uint64_t next_sequence;
	int error;			/* of the last write to the file */
};

/* The sessions of this process; zero in a child. */
struct private_state {
	_Atomic(struct private_session *) session[ETW_PRIVATE_SESSIONS];
	pthread_mutex_t lock;		/* which sessions there are */
	_Atomic uint64_t count;		/* started so far */

	/* What the environment asks for: see environment.c */
	pthread_mutex_t wish_lock;
	_Atomic bool wish_granted;
	_Atomic bool wish_inherited;	/* a child has asked for what it inherited */
};

/* NULL: there has been no session. */
extern _Atomic(struct private_state *) etw_private_state;

/* NULL: out of memory */
struct private_state *etw_private_state_get(void);

static inline struct private_session *private_session_at(uint32_t slot)
{
	struct private_state *state = atomic_load_explicit(&etw_private_state, memory_order_acquire);

	return state ? atomic_load_explicit(&state->session[slot], memory_order_acquire) : NULL;
}

/*
 * Did fork() make this process, and has it had no session since?  Not after a raw clone, in
 * which nothing may be allocated.
 */
bool etw_private_is_child(void);

/* ----------------------------------------------------------------- buffer.c */

/* Memory for count buffers of size bytes, in a session that is new or was used before. */
int etw_private_buffers_get(struct private_session *s, uint32_t count, uint32_t size);
/* Give it back; kept: not the bytes, which a writer may still use. */
void etw_private_buffers_put(struct private_session *s, bool kept);

/* Close the buffers that have records, or all. */
void etw_private_buffers_close(struct private_session *s, bool all);

static inline struct private_buffer *private_buffer_of(struct etw_buf *buf)
{
	return (struct private_buffer *)((char *)buf - offsetof(struct private_buffer, buf));
}

void etw_private_wake(struct private_session *s);

/* ---------------------------------------------------------------- deliver.c */

/* With the session's lock: */

/* Take over what is complete and write it to the file. */
void etw_private_deliver(struct private_session *s);
/* As that, and the buffers that are open now, for which it waits a limited time. */
void etw_private_deliver_all(struct private_session *s);
/* The session has ended for new writers: deliver all there is. false: a writer never ended. */
bool etw_private_deliver_end(struct private_session *s);
/* Take the buffers of a session that only buffers into a file. */
int etw_private_deliver_snapshot(struct private_session *s, struct private_file *file);

void etw_private_session_info(const struct private_session *s, struct etw_session_info *info);
void etw_private_session_end(const struct private_session *s, bool continued,
			     struct private_file_end *end);

/* FILETIME of a time on the session's clock, as readers compute it */
int64_t etw_private_time(const struct private_session *s, uint64_t clock);

/* ----------------------------------------------------------------- thread.c */

int etw_private_thread_start(struct private_session *s);
void etw_private_thread_stop(struct private_session *s);

#endif /* ETW_LIB_PRIVATE_PRIVATE_SESSION_H */
