/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * store_buffer.pml - CPUs with store buffers, for ring_order.pml and
 * ring_order_rcu.pml, which define WORDS and include it
 *
 * Spin alone is sequentially consistent.  Here each CPU has a store buffer: a
 * store waits in it until drain() makes it visible, in any order between
 * different addresses (weaker than x86, as arm64 may do); with TSO, in the
 * order of the stores (as x86 does).  A CPU sees its own stores at once.  Loads
 * happen in order, except where an unordered load is done early or late on
 * purpose; a load whose address comes from another load (an entry of a table
 * that was loaded) never precedes it.
 *
 * Barriers are steps: a full one (a compare-exchange with ETW_SHARED, llist_add(),
 * llist_del_all()) and a release wait until the CPU's buffer is empty.  A grace
 * period waits for the sections that began before it and for their stores.  A
 * buffer drains as long as there is something (unreached: drain 1, its end).
 */
#ifndef TSO
#define TSO 0
#endif

#define CPUS	3

byte mem[WORDS];
byte sb[CPUS * WORDS];		/* the waiting value plus 1; 0: none */
byte rank[CPUS * WORDS];	/* TSO: how many stores are older */
bool section[CPUS];		/* in an RCU section */
bool owe[CPUS];			/* a grace period waits for it */
byte finished;

#define AT(c, a)	((c) * WORDS + (a))
#define WAITS(c, a)	(sb[AT(c, a)] != 0)
#if WORDS == 3
#define WAITING(c)	(WAITS(c, 0) + WAITS(c, 1) + WAITS(c, 2))
#else
#define WAITING(c)	(WAITS(c, 0) + WAITS(c, 1) + WAITS(c, 2) + WAITS(c, 3))
#endif
#define EMPTY(c)	(WAITING(c) == 0)
#define VALUE(c, a)	(WAITS(c, a) -> sb[AT(c, a)] - 1 : mem[a])

#define LOAD(x, a)	x = VALUE(me, a)

/* Two stores to one address never wait at once: they keep their order. */
inline store(a, v)
{
	atomic { !WAITS(me, a) -> rank[AT(me, a)] = WAITING(me); sb[AT(me, a)] = (v) + 1 }
}

inline store_release(a, v)
{
	atomic { EMPTY(me) -> sb[AT(me, a)] = (v) + 1 }
}

inline drain_one(a)
{
	atomic { WAITS(c, a) && (!TSO || rank[AT(c, a)] == 0) ->
		mem[a] = sb[AT(c, a)] - 1;
		sb[AT(c, a)] = 0;
		i = 0;
		do
		:: i < WORDS ->
			rank[AT(c, i)] = (rank[AT(c, i)] > 0 -> rank[AT(c, i)] - 1 : 0);
			i++
		:: else -> break
		od;
		i = 0 }
}

proctype drain(byte c)
{
	byte i;
end:
	do
	:: drain_one(0)
	:: drain_one(1)
	:: drain_one(2)
#if WORDS > 3
	:: drain_one(3)
#endif
	od
}

inline section_ends()
{
	/* Until it is seen in a quiescent state, and that is a full barrier. */
	atomic { EMPTY(me) -> section[me] = false; owe[me] = false }
}

inline synchronize_rcu()
{
	atomic { EMPTY(me) -> owe[0] = section[0]; owe[2] = section[2] };
	!owe[0] && !owe[2]
}
