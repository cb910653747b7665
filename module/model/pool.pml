/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * pool.pml - a model of the free buffers of several memory nodes
 *
 * It models etw_pool_push() and etw_pool_pop_above() (pool.c).
 *
 * The world: users who take a buffer, first from a node that they prefer, if more than KEEP are
 * free, and give it back to its own node.  Any of them may be interrupted between any two
 * steps, by an NMI that is another user.
 *
 * What holds in every run:
 *  - there are at least as many buffers on the stacks as are free or claimed: so a pop that
 *    found every stack empty finds a buffer when it looks again, without waiting for anybody
 *    who was interrupted
 *  - never are fewer than KEEP free because of a pop
 *  - all buffers are free and on their own node's stack at the end
 *
 * Left out: the inside of a stack (ring.pml).
 */

/* The broken variants, one at a time */
#ifndef COUNT_FIRST		/* a push counts the buffer as free, then puts it on the stack */
#define COUNT_FIRST 0
#endif
#ifndef CLAIM_BLINDLY		/* the claim does not look at free again */
#define CLAIM_BLINDLY 0
#endif

#ifndef USERS
#define USERS	3
#endif
#ifndef ROUNDS
#define ROUNDS	2
#endif
#ifndef KEEP
#define KEEP	1
#endif
#define NODES	2
#define EACH	2		/* buffers of a node */

byte stack[NODES] = EACH;	/* buffers on each */
byte free = NODES * EACH;

/* Not in the code */
byte claimed;
byte finished;

#define ON_STACKS	(stack[0] + stack[1])

active [USERS] proctype user()
{
	byte round, seen, at, mine;

	do
	:: round < ROUNDS ->
		round++;
		/* The claim */
		do
		:: seen = free;
		   if
		   :: seen <= KEEP -> goto next
		   :: else
		   fi;
		   atomic {
			if
			:: CLAIM_BLINDLY || free == seen ->
				free--;
				claimed++;
				assert(free >= KEEP);
				break
			:: else
			fi
		   }
		od;
		/* The look for a buffer, from any node on */
		if
		:: at = 0
		:: at = 1
		fi;
		do
		:: atomic {
			assert(ON_STACKS >= free + claimed);
			if
			:: stack[at] > 0 ->
				stack[at]--;
				claimed--;
				mine = at;
				break
			:: else -> at = (at + 1) % NODES
			fi
		   }
		od;
		/* The push */
#if COUNT_FIRST
		atomic { free++; assert(ON_STACKS >= free + claimed) };
		stack[mine]++;
#else
		stack[mine]++;
		atomic { free++; assert(ON_STACKS >= free + claimed) };
#endif
next:		skip
	:: else -> break
	od;
	finished++
}

init
{
	finished == USERS;
	assert(free == NODES * EACH && stack[0] == EACH && stack[1] == EACH)
}
