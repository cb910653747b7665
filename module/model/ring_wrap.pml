/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ring_wrap.pml - a model of the counters of the ring that wrap
 *
 * The counters of ring.pml never wrap.  Here they have BITS bits, and each world
 * shows the quantity that must be bounded, and that one more is too much:
 *
 *  WORLD 1  arrive() and release_in_order() (deliver.c): each CPU's buffers are
 *	put in order by their distance from the generation that is due (u16).
 *	Any buffer may be completed before or after any other.  BOUND buffers can
 *	be on their way at once, as many as the session has.  Holds up to
 *	2^BITS.  A session has fewer: ETW_BUFFERS_MAX and two for each consumer,
 *	60,032 of 65,536, however long a writer is interrupted between reserve
 *	and commit.  BY_SIGN, which compares by the sign of the difference
 *	(s16), is broken with more than 2^(BITS - 1) + 1: the oldest buffer is
 *	put behind newer ones and its CPU's delivery stops for good.
 *  WORLD 2  etw_pool_pop() (pool.c): the tag of the head.  BOUND operations of
 *	others fall between the read of the head and its compare-exchange.  Holds
 *	up to 2^BITS - 1: 2^32 - 1 operations in one interruption.
 *  WORLD 3  etw_ring_reserve() (ring.h): the generation in cur.  Between the
 *	sample of cur with the clock and the compare-exchange, interrupts of
 *	the CPU install BOUND buffers.  Holds up to 2^BITS - 1: 65,535 buffers
 *	in one interruption.  With more, time can run backwards in a stream; the
 *	record itself would still be written in a slot of its own.
 *  WORLD 4  deliver_snapshot() and arrive() (deliver.c): the buffers of one CPU in a
 *	snapshot of a BUFFERING session; others were overwritten, so that none is
 *	due.  They are put in order by their distance from the
 *	first one popped, less half of the range; the others were installed up
 *	to BOUND buffers before or after that one.  Holds up to
 *	2^(BITS - 1) - 1 either way: 32,767.  A snapshot has no more than 30,000
 *	buffers, but a CPU that fills more than 32,767 while one writer in it is
 *	interrupted makes the interrupted one's buffer come out of order.
 *	NO_BASE, the distance from the value that the last snapshot left, is broken.
 */
#ifndef WORLD
#define WORLD 1
#endif
#ifndef BITS
#define BITS 3
#endif
#ifndef BY_SIGN
#define BY_SIGN 0
#endif
#ifndef NO_BASE
#define NO_BASE 0
#endif
#define MOD	(1 << BITS)

/* Generations as they would be without wrapping; G() is the value in the code */
#define G(x)		((x) % MOD)
#define MINUS(a, b)	((G(a) + MOD - G(b)) % MOD)

#if WORLD == 1 || WORLD == 4

#define LIST 12
byte waiting[LIST + 1];		/* sc->waiting, in order */
byte count;
byte next_generation;		/* of the buffer published last */

/* Is b behind e in the list? */
inline newer(b, e)
{
#if BY_SIGN
	/* (s16)(b->generation - e->generation) > 0 */
	is_newer = MINUS(b, e) > 0 && MINUS(b, e) < MOD / 2
#else
	/* distance(b) > distance(e) */
	is_newer = MINUS(b, next_generation + 1) > MINUS(e, next_generation + 1)
#endif
}

/* arrive() of b */
inline arrive()
{
	at = count;
	is_newer = false;
	do
	:: at > 0 && !is_newer ->
		newer(b, waiting[at - 1]);
		if
		:: !is_newer -> at--
		:: else
		fi
	:: else -> break
	od;
	i = count;
	do
	:: i > at -> waiting[i] = waiting[i - 1]; i--
	:: else -> break
	od;
	waiting[at] = b;
	count++;
	at = 0;
	is_newer = false
}

/* As generations would be without wrapping */
inline check_order()
{
	i = 1;
	do
	:: i < count -> assert(waiting[i] > waiting[i - 1]); i++
	:: else -> break
	od;
	i = 0
}

#endif
#if WORLD == 1

#ifndef BOUND
#define BOUND 8
#endif
#define INSTALLS LIST

bool on_way[INSTALLS + 2];	/* installed and not arrived */
byte installed;
byte in_use;			/* buffers that are not free */

active proctype cpu()
{
	do
	:: atomic { installed < INSTALLS && in_use < BOUND ->
		installed++;
		in_use++;
		on_way[installed] = true }
	:: installed == INSTALLS -> break
	od
}

active proctype worker()
{
	byte b, at, i;
	bool is_newer;

	do
	:: d_step { next_generation < installed && count < in_use ->
		/* One that is on its way arrives: any. */
		b = next_generation + 1 }
		do
		:: on_way[b] -> break
		:: b < installed -> b++
		:: b == installed && !on_way[b] -> b = next_generation + 1
		od;
		atomic {
			on_way[b] = false;
			arrive();
			/* release_in_order() */
			do
			:: count > 0 && MINUS(waiting[0], next_generation + 1) == 0 ->
				assert(waiting[0] == next_generation + 1);
				next_generation++;
				in_use--;
				count--;
				i = 0;
				do
				:: i < count -> waiting[i] = waiting[i + 1]; i++
				:: else -> break
				od;
				waiting[count] = 0
			:: else -> break
			od;
			/* The oldest waiting buffer is first, or it waits for ever. */
			check_order();
			b = 0
		}
	:: d_step { next_generation == INSTALLS -> skip };
		break
	od;
	assert(count == 0 && in_use == 0)
}

#elif WORLD == 2

#ifndef BOUND
#define BOUND 7
#endif
#define POPS	2
#define HEAD(old, i)	((((((old) >> 2) + 1) % MOD) << 2) | (i))

byte head = 3;			/* tag | index (2 bits) */
byte next[4];
bool free[4];
bool ready;
byte others;			/* operations since the head was read */
bool finished;

/* Others on other CPUs or in interrupts: each operation is one step. */
active proctype other()
{
	byte b;

	do
	:: d_step { ready && others < BOUND && (head & 3) != 0 ->
		b = head & 3;
		assert(free[b]);
		free[b] = false;
		head = HEAD(head, next[b]);
		others++;
		b = 0 }
	:: atomic { ready && others < BOUND && !(free[1] && free[2] && free[3]) ->
		if
		:: !free[1] -> b = 1
		:: !free[2] -> b = 2
		:: !free[3] -> b = 3
		:: else
		fi;
		if
		:: b != 0 ->
			next[b] = head & 3;
			free[b] = true;
			head = HEAD(head, b);
			others++
		:: else
		fi;
		b = 0 }
	:: finished -> break
	od
}

active proctype popper()
{
	byte h, n, pops = POPS;

	d_step {
		free[1] = true;
		free[2] = true;
		free[3] = true;
		next[3] = 2;
		next[2] = 1;
		ready = true
	};
	do
	:: pops > 0 ->
		atomic { h = head; others = 0 };
		if
		:: (h & 3) == 0 -> pops--
		:: else ->
			n = next[h & 3];
			atomic {
				if
				:: head == h ->
					head = HEAD(h, n);
					assert(free[h & 3]);
					assert(n == 0 || free[n]);
					free[h & 3] = false;
					pops--
				:: else
				fi
			}
		fi;
		atomic { h = 0; n = 0 }
	:: else -> break
	od;
	finished = true
}

#elif WORLD == 3

#ifndef BOUND
#define BOUND 7
#endif
#define SIZE	2
#define CUR(g, i, o)	((((g) % MOD) << 4) | ((i) << 2) | (o))

byte cur = CUR(1, 1, 0);
byte clock = 1;
byte last;			/* timestamp of the CPU's last record */
byte installs;			/* since cur was sampled */
byte left = 20;			/* writes of interrupts */
bool finished;

/* Interrupts of the CPU: each write is one step for the interrupted context. */
active proctype interrupt()
{
	do
	:: atomic { left > 0 && ((cur & 3) < SIZE || installs < BOUND) ->
		left--;
		if
		:: (cur & 3) == SIZE ->
			installs++;
			/* Any other buffer; that of before may be free again. */
			if
			:: cur = CUR((cur >> 4) + 1, 1, 0)
			:: cur = CUR((cur >> 4) + 1, 2, 0)
			fi
		:: else
		fi;
		cur++;
		clock++;
		last = clock }
	:: finished -> break
	od
}

active proctype writer()
{
	byte w, t;

	do
	:: atomic { w = cur; installs = 0 };
		atomic { clock++; t = clock };
		if
		:: (w & 3) < SIZE ->
			atomic {
				if
				:: cur == w ->
					assert(t > last);
					last = t;
					cur++;
					break
				:: else
				fi
			}
		:: else -> break
		fi
	od;
	finished = true
}

#else

#ifndef BOUND
#define BOUND 3
#endif
#define FIRST	(2 * MOD)	/* generation of the buffer that is popped first */
#define COUNT	4

active proctype snapshot()
{
	byte b, first, at, i;
	bool is_newer, twice;

	/* As the last snapshot left it */
	select(next_generation : 0 .. MOD - 1);
	select(first : FIRST .. FIRST + MOD - 1);
	b = first;
	do
	:: atomic { !twice ->
#if !NO_BASE
		if
		:: count == 0 -> next_generation = G(b + MOD - MOD / 2)
		:: else
		fi;
#endif
		arrive();
		check_order() };
		if
		:: count < COUNT
		:: count == COUNT -> break
		fi;
		/* Any other */
		select(b : first - BOUND .. first + BOUND);
		atomic {
			do
			:: i < count -> twice = twice || waiting[i] == b; i++
			:: else -> break
			od;
			i = 0
		}
	:: twice -> break
	od
}

#endif
