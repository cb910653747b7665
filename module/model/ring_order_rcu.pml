/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ring_order_rcu.pml - a model of the barriers D to G with explicit store buffers
 *
 * See store_buffer.pml for the machine.  Each world has the steps of the code
 * around its labels (see ring.h):
 *  TIMER	D: ring_installed(), etw_deliver_flush()
 *  TABLE	E, A: etw_buffers_reserve(), etw_buffer_alloc(), etw_pool_buf()
 *  SNAPSHOT F: etw_update_apply() of change.c, etw_hotpath_write(), etw_deliver_stop()
 *  SLOTS	G: process_set_up() and etw_process_register() of process.c,
 *	etw_process_find() of write_user.c
 *
 * What holds: a flush sees a fresh buffer, or its writer sees that it must arm the
 * timer; a writer finds an entry for every index that it may get, in a table that
 * has not been freed; it finds the session of a snapshot filled in and not yet
 * closed, and the close sees the writer's records; no slot and no registration is
 * seen before it is filled in.
 *
 * NO_x takes a barrier away, and its world fails; with TSO only the grace periods
 * (NO_x_GRACE) are missed, for stores stay in order.  The acquire of G is needed
 * on neither machine, since the address of the slot depends on the pointer.
 */
#define TIMER		1
#define TABLE		2
#define SNAPSHOT	3
#define SLOTS		4
#ifndef WORLD
#define WORLD TIMER
#endif

/* The broken variants, one at a time */
#ifndef NO_A			/* etw_pool_push(): a bare compare-exchange */
#define NO_A 0
#endif
#ifndef NO_D_GRACE
#define NO_D_GRACE 0
#endif
#ifndef NO_E			/* entries and pointer in any order */
#define NO_E 0
#endif
#ifndef NO_E_GRACE		/* the old table goes, new indices come at once */
#define NO_E_GRACE 0
#endif
#ifndef NO_F
#define NO_F 0
#endif
#ifndef NO_F_GRACE
#define NO_F_GRACE 0
#endif
#ifndef NO_G			/* process_set_up() */
#define NO_G 0
#endif
#ifndef NO_G_REG		/* etw_process_register() */
#define NO_G_REG 0
#endif

#define WORDS	3
#include "store_buffer.pml"

#if WORLD == TIMER

#define CUR	0
#define ARMED	1
bool raised;			/* the irq_work */

/* etw_ring_switch() with ring_installed() */
proctype writer(byte me)
{
	byte x;

	section[me] = true;
	store(CUR, 1);			/* ETW_LOCAL: no barrier */
	LOAD(x, ARMED);			/* D */
	if
	:: x == 0 -> raised = true
	:: else
	fi;
	section_ends();
	finished++
}

/* etw_deliver_flush() */
proctype flusher(byte me)
{
	byte x;

	store(ARMED, 0);		/* D */
#if !NO_D_GRACE
	synchronize_rcu();
#endif
	LOAD(x, CUR);
	finished == 1;
	/* Closed by this flush, or by the next one. */
	assert(x == 1 || raised)
}

init {
	atomic {
		mem[ARMED] = 1;
		run writer(0);
		run flusher(1);
		run drain(0);
		run drain(1)
	}
}

#elif WORLD == TABLE

#define POINTER	0		/* pool->table: 0 the old one, 1 the new one */
#define NEW(i)	(i)		/* words 1 and 2 */
#define OLD	11		/* entry 1 of the old table; entry 2 does not exist */
byte head = 1;			/* the index that a pop finds */
bool freed;			/* the old table */

/* etw_pool_pop() and etw_ring_reserve(), as far as they use the table */
proctype writer(byte me; byte rounds)
{
	byte i, t, x;

	do
	:: rounds > 0 ->
		section[me] = true;
		/* The two loads do not depend on each other. */
		if
		:: LOAD(t, POINTER); i = head
		:: i = head; LOAD(t, POINTER)
		fi;
		if
		:: t == 0 ->
			assert(!freed && i == 1);
			x = OLD
		:: else -> LOAD(x, NEW(i))
		fi;
		assert(x == i + 10);
		assert(t == 1 || !freed);
		section_ends();
		atomic { rounds--; x = 0; t = 0; i = 0 }
	:: else -> break
	od
}

/* etw_buffers_reserve(), then etw_buffer_alloc() and etw_pool_push() */
proctype grower(byte me)
{
	store(NEW(1), 11);
#if NO_E
	store(POINTER, 1);
#else
	store_release(POINTER, 1);	/* E */
#endif
#if !NO_E_GRACE
	synchronize_rcu();
#endif
	freed = true;
	store(NEW(2), 12);
	atomic {
#if !NO_A || TSO
		EMPTY(me) ->		/* A */
#endif
		head = 2
	}
}

init {
	atomic {
		run writer(0, 2);
		run grower(1);
		run writer(2, 1);
		run drain(0);
		run drain(1);
		run drain(2)
	}
}

#elif WORLD == SNAPSHOT

#define POINTER	0		/* provider->snapshot */
#define ENTRY	1		/* its session */
#define CUR	2		/* of the writer's CPU in that session */
bool closed;			/* etw_buffers_close_all() has looked */
bool wrote;

/* etw_hotpath_write() */
proctype writer(byte me)
{
	byte p, x;

	section[me] = true;
	LOAD(p, POINTER);		/* F; what it points to depends on it */
	if
	:: p != 0 ->
		LOAD(x, ENTRY);
		assert(x == 7);
		assert(!closed);
		store(CUR, 1);
		wrote = true;
		assert(!closed)
	:: else
	fi;
	section_ends();
	finished++
}

/* Enable, then stop: etw_update_apply(), etw_session_stop(), etw_deliver_stop() */
proctype controller(byte me)
{
	byte x;

	store(ENTRY, 7);
#if NO_F
	store(POINTER, 1);
#else
	store_release(POINTER, 1);	/* F */
#endif
	store_release(POINTER, 0);
#if !NO_F_GRACE
	synchronize_rcu();
#endif
	closed = true;
	LOAD(x, CUR);
	finished == 1;
	assert(x == 1 || !wrote)
}

init {
	atomic {
		run writer(0);
		run controller(1);
		run drain(0);
		run drain(1)
	}
}

#else /* SLOTS */

#define POINTER	0		/* p->regs */
#define SLOT	1		/* a slot in it; 9: left there by the allocator */
#define REG	2		/* the registration, 9 before it is filled */

/* etw_process_find() and the use of its result */
proctype writer(byte me)
{
	byte p, x;

	section[me] = true;
	LOAD(p, POINTER);		/* G */
	if
	:: p != 0 ->
		LOAD(x, SLOT);		/* depends on the pointer */
		assert(x != 9);
		if
		:: x != 0 -> LOAD(x, REG); assert(x == 5)
		:: else
		fi
	:: else
	fi;
	section_ends()
}

/* process_set_up(), then etw_process_register() */
proctype controller(byte me)
{
	store(SLOT, 0);
#if NO_G
	store(POINTER, 1);
#else
	store_release(POINTER, 1);	/* G */
#endif
	store(REG, 5);
#if NO_G_REG
	store(SLOT, 1)
#else
	store_release(SLOT, 1)		/* G */
#endif
}

init {
	atomic {
		mem[SLOT] = 9;
		mem[REG] = 9;
		run writer(0);
		run controller(1);
		run drain(0);
		run drain(1)
	}
}

#endif
