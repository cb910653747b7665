/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ring_order.pml - a model of the barriers A to C with explicit store buffers
 *
 * See store_buffer.pml for the machine.  Each world has the steps of the code
 * around its labels (see ring.h):
 *  RING	A, B: etw_pool_pop(), records, ring_deliver(), deliver_drain(),
 *	etw_pool_push()
 *  FIFO	C: etw_fifo_push(), etw_fifo_pop()
 *
 * What holds: the worker and a pop read the values that were stored, even if they
 * read late; no buffer is popped twice.
 *
 * NO_x takes a barrier away, and its world fails; with TSO it does not: stores
 * stay in order, loads stay before them, and an atomic compare-exchange or
 * llist_add() already is a full barrier.  There A, B and C cost nothing but
 * keep the compiler from reordering.
 *
 * Not needed on either machine: the acquire of C in etw_fifo_pop(), for the address of what is
 * read then depends on the entry.
 *
 * Only broken variants read late (unreached: worker 3).
 */
#define RING		1
#define FIFO		2
#ifndef WORLD
#define WORLD RING
#endif
/* The broken variants, one at a time */
#ifndef NO_A			/* etw_pool_push(): a bare compare-exchange */
#define NO_A 0
#endif
#ifndef NO_B			/* ring_deliver() */
#define NO_B 0
#endif
#ifndef NO_C			/* etw_fifo_push(): a bare compare-exchange */
#define NO_C 0
#endif

#define WORDS	4
#include "store_buffer.pml"

#if WORLD == RING

#define NEXT(b)	((b) - 1)	/* words 0 and 1 */
#define DATA(b)	(1 + (b))	/* words 2 and 3 */
byte head = 2;			/* tag | index (2 bits), changed by cmpxchg only */
byte done;			/* session->done, a bit for each buffer */
byte expect[3];			/* the value that the last writer stored */
bool out[3];			/* the buffer is not in the pool */

inline pool_pop()
{
	do
	:: h = head;
	   if
	   :: (h & 3) == 0 -> b = 0; break
	   :: else
	   fi;
	   LOAD(n, NEXT(h & 3));	/* the address depends on head */
	   atomic { EMPTY(me) ->	/* A */
		if
		:: head == h ->
			head = (((h >> 2) + 1) & 7) << 2 | n;
			b = h & 3;
			assert(!out[b]);
			out[b] = true;
			break
		:: else
		fi
	   }
	od
}

inline pool_push()
{
	do
	:: h = head;
	   store(NEXT(b), h & 3);
	   atomic {
#if !NO_A || TSO
		EMPTY(me) ->		/* A */
#endif
		if
		:: head == h ->
			head = (((h >> 2) + 1) & 7) << 2 | b;
			out[b] = false;
			break
		:: else
		fi
	   }
	od
}

proctype writer(byte me; byte value; byte rounds)
{
	byte b, h, n;

	do
	:: rounds > 0 ->
		pool_pop();
		if
		:: b != 0 ->
			store(DATA(b), value);
			expect[b] = value;
			/* ring_deliver() */
			atomic {
#if !NO_B || TSO
				EMPTY(me) ->	/* B */
#endif
				done = done | (1 << b)
			}
		:: else
		fi;
		atomic { rounds--; value++; b = 0; h = 0; n = 0 }
	:: else -> break
	od;
	finished++
}

proctype worker(byte me)
{
	byte b, h, x, wanted;
	bool late;

	do
	:: atomic { done != 0 && EMPTY(me) ->	/* B */
		b = (done & 2 -> 1 : 2);
		done = done & ~(1 << b) };
		wanted = expect[b];
#if NO_A && !TSO
		/* Nothing keeps the last read before the push. */
		if
		:: late = true
		:: late = false
		fi;
#endif
		if
		:: !late -> LOAD(x, DATA(b)); assert(x == wanted)
		:: else -> x = b
		fi;
		pool_push();
		if
		:: late -> LOAD(x, DATA(x)); assert(x == wanted)
		:: else
		fi;
		atomic { b = 0; h = 0; x = 0; wanted = 0; late = false }
	:: finished == 2 && done == 0 -> break
	od
}

init {
	atomic {
		mem[NEXT(2)] = 1;
		run writer(0, 1, 2);
		run worker(1);
		run writer(2, 11, 1);
		run drain(0);
		run drain(1);
		run drain(2)
	}
}

#else /* FIFO */

#define CELLS		2
#define DATA(b)		((b) - 1)	/* the content of buffer b: all words */
/* Changed by compare-exchange only; position plus CELLS, as in fifo.pml */
byte position[CELLS];
byte index[CELLS];
byte head, tail;

proctype pusher(byte me; byte pushes)
{
	byte at, t, b = 1;

	do
	:: b <= pushes ->
		store(DATA(b), b);
		do
		:: at = tail;
		   t = position[at % CELLS];
		   if
		   :: t == at && at < head + CELLS ->
#if NO_C && !TSO
			atomic {
#else
			atomic { EMPTY(me) ->		/* C */
#endif
				assert(position[at % CELLS] == t);
				position[at % CELLS] = at + CELLS;
				index[at % CELLS] = b
			};
			tail = at + 1;
			break
		   :: else
		   fi
		od;
		b++
	:: else -> break
	od
}

proctype popper(byte me; byte pops)
{
	byte at, t, b, x;

	do
	:: at < pops ->
		t = position[at % CELLS];
		b = index[at % CELLS];
		if
		:: t == at + CELLS ->
			atomic { EMPTY(me) && head == at -> head++ };
			assert(b == at + 1);
			LOAD(x, DATA(b));		/* the address depends on the entry */
			assert(x == b);
			at = head
		:: else
		fi;
		x = 0
	:: else -> break
	od
}

init {
	atomic {
		position[0] = 0;
		position[1] = 1;
		run pusher(0, 4);
		run popper(1, 4);
		run drain(0);
		run drain(1)
	}
}

#endif
