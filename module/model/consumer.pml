/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * consumer.pml - a model of the queue of buffers and of its consumers
 *
 * It models consumer.c (etw_consumers_append(), etw_consumers_drop(),
 * etw_consumer_take(), etw_consumer_give(), etw_consumer_attach(),
 * etw_consumer_detach()) and the half of deliver.c that works on the queue
 * (deliver_publish(), etw_buffer_recycle(), etw_deliver_replenish()).
 *
 * The world: a writer that fills whole buffers, the worker, a consumer that is
 * there from the start, and two that open later, close and open again; each may
 * be as slow as it likes.  All of it but the writer and a reader's copy runs
 * under session->lock, so each function is one step.
 *
 * What holds in every run:
 *  - a buffer is in one place: free, with the writer, on its way to the worker,
 *    in the queue, or held; it goes back to the pool once, when no consumer holds
 *    it and none has yet to take it
 *  - a buffer does not change while a reader copies it
 *  - a consumer takes the buffers in their order, each once, and the number of
 *    those it took and lost and has before it is what it was owed: from the
 *    head of the queue if it was the first, from its end if not
 *  - a buffer taken from a consumer's backlog was at the head of the queue, so no
 *    consumer that had taken it loses anything; where all are equally far, it is
 *    taken only if writers lost an event since room was last made, even by the
 *    slower one's backlog in the same etw_deliver_replenish() (not by growing, nor by
 *    taking from all, which goes on up to low_water())
 *  - an etw_deliver_replenish() that writers in need requested gets them a buffer,
 *    unless all are held or on their way
 *  - pending and held are the numbers of consumers they stand for
 *  - at the end all buffers delivered were taken or counted, and none is missing
 *
 * Left out: the order of arrival (ring_deliver.pml), records inside a buffer, the
 * BUFFERING policy (fifo.pml), reading again after a fault (->again), sleeping.
 *
 * Never reached (unreached: consumer 6, worker 10): etw_buffer_recycle() in
 * etw_consumer_take(), which holds the buffer; a search in etw_consumers_drop(), which
 * takes the head; a consumer, or its hold, found by the drops at the stop, which come
 * when there is none.
 */

/* The broken variants: -DBROKEN=one of these */
#define FORGET_HELD	1	/* held is not checked when a buffer leaves the queue */
#define FORGET_PENDING	2	/* pending is not checked when one is given back */
#define DROP_UNCOUNTED	3	/* a drop does not count as the consumer's loss */
#define DROP_FOR_ALL	4	/* a drop also counts for consumers that took the buffer */
#define DROP_EAGERLY	5	/* a backlog shared by all is dropped on any request */
#define DROP_TAIL	6	/* the newest buffer is dropped, not the oldest */
#define CLOSE_HOLDING	7	/* a consumer that closes does not give back its buffers */
#define CLOSE_PENDING	8	/* a consumer that closes stays counted in pending */
#define OPEN_UNCOUNTED	9	/* the first consumer is not counted in the backlog */
#define STALE_DRY	10	/* room made by a slower one's backlog is not noticed */
#define FORGET_DRY	11	/* ... counts as made when a buffer is still held */
#ifndef BROKEN
#define BROKEN 0
#endif

#ifndef FILLS
#define FILLS	4		/* buffers that the writer fills */
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef OPENS
#define OPENS	1		/* of each consumer but the first */
#endif
#ifndef START
#define START	2		/* buffers at the start, session->min_buffers */
#endif
#define MAX	START		/* session->max_buffers */
#ifndef HELD_MAX
#define HELD_MAX 1		/* 2 in the code */
#endif
#define HOLD(c, i)	hold[(c) * HELD_MAX + (i)]
#define HOLDS(c, b)	(HOLD(c, 0) == b || HOLD(c, HELD_MAX - 1) == b)
#define LIMIT(n)	(MAX + HELD_MAX * (n))
#define BUFFERS	LIMIT(CONSUMERS)
#ifndef LOW
#define LOW	1		/* low_water() */
#endif

mtype = { ABSENT, FREE, WRITER, DONE, QUEUED, OUT };

/* struct etw_buffer, by index; 0 is none */
mtype place[BUFFERS + 1];
byte pending[BUFFERS + 1];
byte held[BUFFERS + 1];
byte stamp[BUFFERS + 1];	/* number of its fill, from 1; 0: being written */

/* struct etw_trace_session */
chan done = [BUFFERS] of { byte };
byte queue[BUFFERS + 1];	/* queue[0] is the head */
byte queued;
byte total = START;
byte free_count = START;
bool dry;
bool work;			/* irq_work or work is on its way */
bool stopped;
byte consumer_count;

/* struct etw_consumer */
bool is_open[CONSUMERS];
byte cursor[CONSUMERS];
byte hold[CONSUMERS * HELD_MAX];

/* Not in the code: for the assertions */
byte expected[CONSUMERS];	/* stamp that comes next for it */
byte content[CONSUMERS * HELD_MAX]; /* stamps of the buffers it holds, when taken */
byte published;			/* stamps given out */
bool writers_lost;		/* an event, since room was last made */
bool finished;			/* the writer has */

inline recycle(b)
{
	assert(place[b] == QUEUED || place[b] == OUT || place[b] == ABSENT);
	assert(held[b] == 0 && pending[b] == 0);
	place[b] = FREE;
	free_count++;
	dry = false;
	writers_lost = false
}

/* list_del_init() of the buffer at queue[at] */
inline unlink(at)
{
	j = at;
	do
	:: j + 1 < queued -> queue[j] = queue[j + 1]; j++
	:: else -> break
	od;
	queued--;
	queue[queued] = 0;
	j = 0
}

inline unpend(b)
{
	assert(pending[b] > 0);
	pending[b]--;
	if
	:: pending[b] == 0 ->
		assert(queue[0] == b);
		unlink(0);
		place[b] = OUT;
		if
		:: held[b] == 0 || BROKEN == FORGET_HELD -> recycle(b)
		:: else
		fi
	:: else
	fi
}

inline unhold(b)
{
	assert(held[b] > 0);
	held[b]--;
	if
	:: held[b] == 0 && (pending[b] == 0 || BROKEN == FORGET_PENDING) -> recycle(b)
	:: else
	fi
}

/* next_in_queue(): to = the buffer after b, or 0 */
inline next_in_queue(b, to)
{
	do
	:: queue[j] == b -> break
	:: else -> j++; assert(j < queued)
	od;
	to = queue[j + 1];
	j = 0
}

/* deliver_publish() with etw_consumers_append() */
inline publish(b)
{
	assert(place[b] == DONE);
	place[b] = QUEUED;
	published++;
	queue[queued] = b;
	queued++;
	pending[b] = consumer_count;
	do
	:: k < CONSUMERS ->
		if
		:: is_open[k] && cursor[k] == 0 -> cursor[k] = b
		:: else
		fi;
		k++
	:: else -> break
	od;
	k = 0
}

/* Compare the pending and held counts of b with the consumers. */
inline check(b)
{
	do
	:: k < CONSUMERS ->
		if
		:: is_open[k] && expected[k] <= stamp[b] -> n++
		:: else
		fi;
		if
		:: HOLDS(k, b) -> n = n + 16
		:: else
		fi;
		k++
	:: else -> break
	od;
	assert(n == pending[b] + 16 * held[b]);
	n = 0; k = 0
}

/* etw_consumers_drop() of the head of the queue */
inline drop(b)
{
	check(b);
	/* Not from the consumer that is ahead, nor without need. */
	assert(pending[b] < consumer_count || consumer_count == 0 || need);
	next_in_queue(b, next);
	do
	:: k < CONSUMERS ->
		if
		:: is_open[k] && cursor[k] == b ->
			cursor[k] = next;
#if BROKEN != DROP_UNCOUNTED
			expected[k]++
#endif
		:: else ->
#if BROKEN == DROP_FOR_ALL
			expected[k]++
#endif
			skip
		fi;
		k++
	:: else -> break
	od;
	k = 0; next = 0;
	pending[b] = 1;
	unpend(b)
}

inline replenish()
{
	atomic { was_dry = dry; asked = dry; need = writers_lost };
	do
	:: free_count < LOW && total < LIMIT(consumer_count) ->
		total++;			/* etw_buffer_alloc() */
		recycle(total)
	:: else -> break
	od;
	if
	:: total < LIMIT(consumer_count) -> dry = false
	:: else
	fi;
	do
	:: free_count < LOW && consumer_count > 0 && queued > 0 ->
#if BROKEN == DROP_TAIL
		b = queue[queued - 1];
#else
		b = queue[0];
#endif
		own = pending[b] < consumer_count;
		if
#if BROKEN != STALE_DRY
		:: own && (held[b] == 0 || BROKEN == FORGET_DRY) -> was_dry = false
#endif
#if BROKEN != DROP_EAGERLY
		:: !own && !was_dry -> break
#endif
		:: else
		fi;
		room = free_count;
		drop(b);
		need = need && !(own && free_count > room)
	:: else -> break
	od;
	assert(!asked || free_count > 0 || consumer_count == 0 || queued == 0);
	atomic { b = 0; room = 0; own = false; need = false; asked = false; was_dry = false }
}

/* etw_ring_switch() and the events that fill the buffer */
proctype writer()
{
	byte b, n;

	do
	:: n < FILLS ->
		n++;
		atomic {
			b = 1;
			do
			:: b <= BUFFERS && place[b] != FREE -> b++
			:: else -> break
			od;
			if
			:: b <= BUFFERS ->
				place[b] = WRITER; stamp[b] = 0;
				free_count--
			:: else ->	/* ring_evict() */
				b = 0;
				writers_lost = true;
				work = work || !dry;
				dry = true
			fi
		};
		if
		:: b != 0 ->
			atomic {
				assert(place[b] == WRITER);
				place[b] = DONE;
				done ! b;
				b = 0;
				work = true
			}
		:: else
		fi
	:: else -> break
	od;
	finished = true
}

/* deliver_work(); the last run is that of etw_deliver_stop() */
proctype worker()
{
	byte b, j, k, n, next, room;
	bool was_dry, asked, need, own;

	do
	:: d_step { work && !stopped -> work = false;
		do
		:: nempty(done) ->
			done ? b;
			stamp[b] = published + 1;
			publish(b)
		:: empty(done) -> break
		od;
		b = 0;
		replenish()
	   }
	:: d_step { finished && !work ->
		stopped = true;
		if
		:: consumer_count == 0 ->
			do
			:: queued > 0 -> b = queue[0]; drop(b)
			:: else -> break
			od
		:: else
		fi;
		b = 0
	   };
	   break
	od
}

/* The buffer at hold[at] goes. */
inline unhold_at(at)
{
	b = hold[at];
	assert(stamp[b] == content[at] && (place[b] == QUEUED || place[b] == OUT));
	check(b);
	hold[at] = 0; content[at] = 0;
	unhold(b);
	b = 0
}

/* An open file: c is its number, opens how often it is opened. */
proctype consumer(byte c; byte opens)
{
	byte b, i, j, k, n, next;

	do
	:: opens > 0 ->
		opens--;
		/* etw_consumer_open() */
		if
		:: d_step { !stopped ->
			is_open[c] = true;
			if
			:: consumer_count == 0 ->
				cursor[c] = queue[0];
				expected[c] = published + 1 - queued;
				do
				:: k < queued ->
#if BROKEN != OPEN_UNCOUNTED
					pending[queue[k]] = 1;
#endif
					k++
				:: else -> break
				od;
				k = 0
			:: else -> expected[c] = published + 1
			fi;
			dry = false;
			consumer_count++ }
		:: atomic { stopped -> break }
		fi;
		do
		/* etw_consumer_take() */
		:: d_step { cursor[c] != 0 && HOLDS(c, 0) ->
			b = cursor[c];
			check(b);
			next_in_queue(b, next);
			cursor[c] = next; next = 0;
			i = c * HELD_MAX + (HOLD(c, 0) == 0 -> 0 : 1);
			hold[i] = b;
			held[b]++;
			unpend(b);
			/* In order, each once, and every gap was counted */
			assert(stamp[b] == expected[c]);
			content[i] = stamp[b]; expected[c]++;
			b = 0; i = 0 }
		/* after copy_to_user(): etw_consumer_give() */
		:: d_step { HOLD(c, 0) != 0 -> unhold_at(c * HELD_MAX) }
#if HELD_MAX > 1
		:: d_step { HOLD(c, 1) != 0 -> unhold_at(c * HELD_MAX + 1) }
#endif
		/* -ENODATA */
		:: atomic { stopped && cursor[c] == 0 && HOLD(c, 0) == 0 && HOLD(c, HELD_MAX - 1) == 0 ->
			assert(expected[c] == published + 1) };
			break
		/* close() at any time */
		:: c > 0 -> break
		od;
		/* consumer_release() */
		atomic {
			consumer_count--;
			b = cursor[c];
			is_open[c] = false; cursor[c] = 0;
			do
			:: b != 0 ->
				next_in_queue(b, next);
				if
				:: consumer_count == 0 && !stopped -> pending[b] = 0
				:: else ->
#if BROKEN != CLOSE_PENDING
					unpend(b)
#endif
					skip
				fi;
				b = next
			:: else -> break
			od;
			next = 0;
			i = c * HELD_MAX;
			do
			:: i < (c + 1) * HELD_MAX ->
				if
				:: hold[i] != 0 ->
#if BROKEN == CLOSE_HOLDING
					hold[i] = 0
#else
					unhold_at(i)
#endif
				:: else
				fi;
				i++
			:: else -> break
			od;
			i = 0; expected[c] = 0
		}
	:: opens == 0 -> break
	od
}

/* Nothing moves any more. */
proctype end()
{
	byte b;

	timeout;
	assert(stopped && queued == 0 && consumer_count == 0);
	d_step {
		b = 1;
		do
		:: b <= total -> assert(place[b] == FREE); b++
		:: else -> break
		od;
		assert(free_count == total)
	}
}

init {
	byte b, c;

	atomic {
		b = 1;
		do
		:: b <= BUFFERS -> place[b] = (b <= START -> FREE : ABSENT); b++
		:: else -> break
		od;
		run writer();
		run worker();
		do
		:: c < CONSUMERS -> run consumer(c, (c == 0 -> 1 : OPENS)); c++
		:: else -> break
		od;
		run end()
	}
}
