/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fifo.pml - a model of the queue of full buffers of a BUFFERING session
 *
 * It models etw_fifo_push() and etw_fifo_pop() (pool.c); ring_deliver(), ring_evict()
 * and their counting (buffer.c); and deliver_snapshot(), spare_get(), the last part
 * of etw_deliver_flush() and discard_ring() (deliver.c).
 *
 * The world: CPU 0 with a task and an interrupt in it, CPU 1 with a task; each
 * takes a buffer, from the pool or by eviction, fills it and delivers it.  A
 * FLUSH takes a snapshot, a reader gives the snapshot's buffers back, and STOP
 * discards the rest when no writer is left.  Each read or change of a word that
 * others use is a step.
 *
 * What holds in every run:
 *  - a buffer is in one place: pool, a writer's, queue, snapshot or spare; a pop
 *    returns the entry that was pushed at its position, once
 *  - no operation waits for an interrupted one, and no push fails as long as the queue
 *    has as many cells as the writers have buffers; in a smaller one the buffer that it
 *    refuses is counted
 *  - each buffer that was full before FLUSH began is out of the queue when it
 *    returns: in the snapshot, or overwritten and counted
 *  - the writers always have min_buffers buffers among pool, queue and hands
 *  - filled buffers = overwritten + delivered + discarded, at the end
 *
 * Left out: records and the order of generations (ring.pml, ring_wrap.pml), the
 * pool's inside (ring.pml), the consumers' queue (consumer.pml), weak memory
 * (label C: ring_order.pml).  Positions do not wrap.
 */

/* The broken variants, one at a time */
#ifndef POP_UNASKED		/* pop does not check whether there is an entry */
#define POP_UNASKED 0
#endif
#ifndef READ_LATE		/* pop reads the entry after it has moved head */
#define READ_LATE 0
#endif
#ifndef PUSH_UNASKED		/* push does not check whether the queue is full */
#define PUSH_UNASKED 0
#endif
#ifndef PUSH_STORES		/* push stores the cell, whatever it has become */
#define PUSH_STORES 0
#endif
#ifndef TAIL_FIRST		/* push moves tail, then stores the cell */
#define TAIL_FIRST 0
#endif
#ifndef EVICT_UNCOUNTED		/* an evicted buffer is not counted */
#define EVICT_UNCOUNTED 0
#endif
#ifndef REFUSED_UNCOUNTED	/* nor one that the queue refused */
#define REFUSED_UNCOUNTED 0
#endif
#ifndef NO_EXCHANGE		/* no spare buffer for one of the snapshot */
#define NO_EXCHANGE 0
#endif
#ifndef NO_DISCARD		/* STOP forgets the buffers in the queue */
#define NO_DISCARD 0
#endif

#ifndef CELLS
#define CELLS	2		/* roundup_pow_of_two(min_buffers) */
#endif
#ifndef TASK_FILLS
#define TASK_FILLS 2
#endif
#ifndef IRQ_FILLS
#define IRQ_FILLS 2
#endif
#ifndef OTHER_FILLS
#define OTHER_FILLS 1
#endif
#ifndef FLUSHES
#define FLUSHES	1
#endif
#define MIN	2		/* session->min_buffers */
#ifndef BUFFERS
#define BUFFERS	4		/* with those of a snapshot; 3: no memory for all of one */
#endif

mtype = { SPARE, POOL, HELD, FULL, QUEUED, TAKEN };

/* struct etw_fifo; position[] and index[] are two halves of a cell */
byte position[CELLS];		/* plus CELLS: as in a cell that was pushed a round ago */
byte index[CELLS];
byte head;
byte tail;
/* struct etw_trace_session */
byte overwritten;
byte delivered;
byte discarded;
byte snapshots;			/* buffers of the last snapshot, not read */

/* Not in the code */
mtype place[BUFFERS + 1];
byte filled;
byte depth[2];			/* running level of each CPU */
byte section[2];		/* levels of each CPU that are in a write */
bool owe[2];			/* the grace period waits for this CPU */
byte finished;
byte old;			/* buffers, by bit, that were full when FLUSH began */
bool incomplete;		/* FLUSH ran out of memory */

/* One step: no other process runs meanwhile.  An interrupted level stands still. */
#define STEP	(c == 2 || depth[c & 1] == level) ->

/* Any buffer that is in that place: b, or 0 */
inline pick(where)
{
	b = 1;
	do
	:: b <= BUFFERS && place[b] != where -> b++
	:: else -> break
	od;
	b = (b > BUFFERS -> 0 : b)
}

/* oldest(): t == at + CELLS, or the queue was empty; b = the entry */
inline oldest()
{
	do
	:: atomic { STEP at = head };
	   atomic { STEP t = position[at % CELLS]; b = index[at % CELLS] };
	   if
	   :: t == at + CELLS -> break
	   :: else
	   fi;
	   atomic { STEP
		if
		:: head == at -> break
		:: else
		fi
	   }
	od
}

/* etw_fifo_pop(): b = a buffer or 0 */
inline fifo_pop()
{
	do
	:: oldest();
#if !POP_UNASKED
	   if
	   :: t != at + CELLS -> b = 0; break
	   :: else
	   fi;
#endif
	   atomic { STEP
		if
		:: head == at ->
			old = old & ~(1 << index[at % CELLS]);
			head++;
			got = true
		:: else
		fi
	   };
	   if
	   :: got ->
#if READ_LATE
		atomic { STEP b = index[at % CELLS] };
#endif
		break
	   :: else
	   fi
	od;
	atomic { STEP
		if
		:: got ->
			assert(b != 0 && place[b] == QUEUED);
			place[b] = HELD;
			got = false
		:: else
		fi;
		at = 0;
		t = 0
	}
}

/* etw_fifo_push() of b: got */
inline fifo_push()
{
	do
	:: atomic { STEP at = tail };
#if TAIL_FIRST
	   atomic { STEP
		if
		:: tail == at -> tail++; got = true
		:: else
		fi
	   };
	   if
	   :: got ->
		atomic { STEP
			position[at % CELLS] = at + CELLS;
			index[at % CELLS] = b;
			place[b] = QUEUED
		};
		break
	   :: else
	   fi
#else
	   atomic { STEP t = position[at % CELLS]; o = index[at % CELLS] };
	   if
	   :: t == at + CELLS ->
		atomic { STEP
			if
			:: tail == at -> tail++
			:: else
			fi
		}
	   :: t == at ->
#if !PUSH_UNASKED
		atomic { STEP
			if
			:: at >= head + CELLS -> break
			:: else
			fi
		};
#endif
		atomic { STEP
			if
#if PUSH_STORES
			:: true ->
#else
			:: position[at % CELLS] == t && index[at % CELLS] == o ->
#endif
				position[at % CELLS] = at + CELLS;
				index[at % CELLS] = b;
				place[b] = QUEUED;
				got = true
			:: else
			fi
		};
		if
		:: got -> break
		:: else
		fi
	   :: else
	   fi
#endif
	od;
	assert(got || CELLS < MIN);
	atomic { STEP
		if
		:: got && tail == at -> tail++
		:: else
		fi;
		at = 0;
		t = 0;
		o = 0
	}
}

/* One level of execution on CPU c: its task (0) or an interrupt in it (1) */
proctype writer(byte c; byte level; byte fills)
{
	byte b, at, t, o, below;
	bool got;

	do
	:: atomic { fills > 0 && (level == 0 -> depth[c] == 0 : depth[c] < level) ->
		below = depth[c];
		depth[c] = level;
		section[c]++;
		fills--;
		/* etw_pool_pop() */
		pick(POOL);
		if
		:: b != 0 -> place[b] = HELD
		:: else
		fi
	   };
	   if
	   :: b == 0 ->
		fifo_pop();			/* ring_evict() */
#if !EVICT_UNCOUNTED
		if
		:: b != 0 -> atomic { STEP overwritten++ }
		:: else				/* -ENOBUFS, counted by the writer */
		fi
#endif
	   :: else
	   fi;
	   if
	   :: b != 0 ->
		atomic { STEP
			assert(place[b] == HELD);
			place[b] = FULL;
			filled++
		};
		fifo_push();			/* ring_deliver() */
		if
		:: !got ->
			atomic { STEP
				place[b] = POOL;
				old = old & ~(1 << b);
#if !REFUSED_UNCOUNTED
				overwritten++
#endif
			}
		:: else
		fi
	   :: else
	   fi;
	   atomic { STEP
		b = 0;
		got = false;
		section[c]--;
		owe[c] = owe[c] && section[c] > 0;
		depth[c] = below;
		below = 0
	   }
	:: fills == 0 -> break
	od;
	finished++
}

inline synchronize_rcu()
{
	atomic { owe[0] = section[0] > 0; owe[1] = section[1] > 0 };
	!owe[0] && !owe[1]
}

/* etw_deliver_flush(), and the end of etw_deliver_stop() */
proctype flusher(byte flushes; byte writers)
{
	byte b, at, t, level, spare, n, c = 2;
	bool got;

	do
	:: flushes > 0 ->
		flushes--;
		d_step {
			b = 1;
			do
			:: b <= BUFFERS ->
				old = old | (place[b] == FULL || place[b] == QUEUED -> 1 << b : 0);
				b++
			:: else -> break
			od;
			b = 0
		};
		synchronize_rcu();
		/* deliver_snapshot() */
		do
		:: n < MIN ->
			oldest();		/* etw_fifo_empty() */
			atomic {
				b = 0;
				if
				:: t != at + CELLS -> at = 0; t = 0; break
				:: else -> at = 0; t = 0
				fi
			};
			/* spare_get() */
			atomic {
				pick(SPARE);
				if
				:: b == 0 && snapshots > 0 ->
					pick(TAKEN);
					snapshots--;
					discarded++
				:: else
				fi;
				spare = b;
				b = 0;
				if
				:: spare == 0 -> incomplete = true; break
				:: else -> place[spare] = HELD
				fi
			};
			fifo_pop();
			if
			:: b == 0 ->
				place[spare] = SPARE;
				break
			:: else ->
				n++;
				atomic {
#if NO_EXCHANGE
					place[spare] = SPARE;
#else
					place[spare] = POOL;
#endif
					place[b] = TAKEN;
					b = 0
				}
			fi
		:: else -> break
		od;
		atomic {
			/* deliver_publish() */
			snapshots = snapshots + n;
			assert(old == 0 || incomplete);
			spare = 0;
			n = 0;
			old = 0;
			incomplete = false
		}
	:: else -> break
	od;
	finished == writers;
	/* discard_ring() */
#if !NO_DISCARD
	do
	:: fifo_pop();
	   if
	   :: b == 0 -> break
	   :: else -> atomic { discarded++; place[b] = POOL; b = 0 }
	   fi
	od;
#endif
	atomic {
		assert(filled == overwritten + delivered + discarded + snapshots);
		b = 1;
		do
		:: b <= BUFFERS ->
			assert(place[b] == POOL || place[b] == SPARE || place[b] == TAKEN);
			n = n + (place[b] == POOL -> 1 : 0);
			b++
		:: else -> break
		od;
		assert(n == MIN)
	}
}

/* A consumer: etw_buffer_recycle() of the buffers that it has read */
proctype reader()
{
	byte b;

	do
	:: atomic { snapshots > 0 ->
		pick(TAKEN);
		place[b] = SPARE;
		snapshots--;
		delivered++;
		b = 0 }
	:: timeout -> break
	od
}

init {
	byte i;

	atomic {
		do
		:: i < CELLS -> position[i] = i; i++
		:: else -> break
		od;
		place[1] = POOL;
		place[2] = POOL;
		i = 3;
		do
		:: i <= BUFFERS -> place[i] = SPARE; i++
		:: else -> break
		od;
		i = 1;
		run writer(0, 0, TASK_FILLS);
		if
		:: IRQ_FILLS > 0 -> run writer(0, 1, IRQ_FILLS); i++
		:: else
		fi;
		if
		:: OTHER_FILLS > 0 -> run writer(1, 0, OTHER_FILLS); i++
		:: else
		fi;
		run flusher(FLUSHES, i);
		if
		:: FLUSHES > 0 -> run reader()
		:: else
		fi
	}
}
