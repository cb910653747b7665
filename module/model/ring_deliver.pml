/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ring_deliver.pml - a model of when buffers are closed and delivered
 *
 * It models the code around the ring in a REAL_TIME session:
 *	buffer.c	ring_installed(), ring_deliver(), ring_evict(),
 *			raise_irq_work(), close_here(), etw_buffers_close_online(),
 *			etw_buffers_close_cpu(), etw_buffers_close_all()
 *	hotplug.c	hotplug_cpu_dead(), hotplug_cpu_up()
 *	deliver.c	etw_deliver_kick(), deliver_irq(), deliver_work(),
 *			deliver_drain(), release_in_order(), etw_deliver_replenish(),
 *			etw_deliver_flush(), all_arrived(), deliver_timed_flush(),
 *			etw_deliver_stop(), deliver_abandoned()
 *	abandon.c	etw_abandon_mark(), etw_abandon_marked()
 *	session.c	etw_session_stop(); F: etw_provider_session_stopped()
 *
 * The world: one task that writes on each of two CPUs, the irq_work on either,
 * the worker, the flush timer, a caller of FLUSH, CPU 1 going offline and coming
 * back, and (with STOP) a caller of STOP.  A flush comes in an interrupt, at
 * any step of the writer on that CPU.  The timer may fire at any time.  CPU 1
 * may write while it is offline but not dead: before and after its last run of
 * irq_work, and on its way up, which may fail.
 *
 * What holds in every run:
 *  - when nothing moves any more, every committed record was delivered: none
 *    stays in an open buffer with the timer unarmed, on a dead CPU or on
 *    session->done
 *  - FLUSH returns after every record committed before the call was delivered
 *  - each CPU's buffers come in the order of their generation, without a gap,
 *    over its death and return too
 *  - after the final drain of STOP nothing is delivered, no irq_work, work or
 *    timer is left, and nothing is lost
 *  - if a writer found the pool empty (EMPTY), the worker acted on it: dry is cleared
 *  - the buffer in which a writer died (DEATHS) is abandoned in its place among those of
 *    its CPU, by a flush or by STOP; no buffer of a live writer is
 *
 * Left out: deliver_sweep(), which a delay starts: it does under flush_lock what a
 * flush does from mark() on, and closes nothing, so each of its runs does part of a
 * flush by the timer, which may fire at any time here.  Nor is dry cleared by it, which
 * only makes writers ask more often; how soon it comes is no property of a run.
 * The steps inside reserve, commit and close, and nested writers
 * (ring.pml; here each is one step), the use of buffers (without EMPTY there
 * always is a free one, with it one at a time is made; consumer.pml), BUFFERING
 * (fifo.pml), weak memory (ring_order_rcu.pml).  Assumed of the kernel: a grace
 * period waits for every section begun before it, also on a CPU that comes or goes;
 * irq_work queued while a CPU is online runs there before it is dead.
 * The flags of irq_work are modelled as the kernel has them, with which
 * irq_work_sync() may miss the second of two handlers that run at once.
 *
 * Never reached: a close under a writer, where the writer itself closes or none
 * is left (unreached: writer 2, hotplug 2, stopper 4).
 */

/* The broken variants: -DBROKEN=one of these */
#define CLEAR_LATE	1	/* flush_armed cleared after the look for buffers */
#define NO_GRACE_CLOSE	2	/* D without the grace period before the look */
#define NO_GRACE_DRAIN	3	/* FLUSH does not wait for slots being filled */
#define ARM_LATE	4	/* deliver_irq() queues the timer, then says so */
#define NO_CLOSE_DEAD	5	/* no closing of the dead CPU's buffer */
#define RAISE_OFFLINE	6	/* irq_work queued on a CPU that is not online */
#define NO_KICK_DEAD	7	/* hotplug_cpu_dead() closes only */
#define NO_KICK_UP	8	/* nothing done when the CPU came up */
#define LOSE_GENERATION	9	/* a CPU that comes back starts from 0 */
#define NO_GRACE_STOP	10	/* STOP has no grace period, F's or later */
#define NO_CLOSE_ALL	11	/* STOP closes nothing */
#define CANCEL_FIRST	12	/* STOP ends the works before the irq_work */
#define NO_FINAL_DRAIN	13	/* STOP does not look at session->done */
#define NO_MARK		14	/* incomplete buffers not marked */
#define WANT_LATE	15	/* ring_installed() raises, then wants a flush */
#define NO_GRACE_IRQ	16	/* STOP does not wait for what the last flush raised */
#ifndef BROKEN
#define BROKEN 0
#endif

/* -DFLUSHES=1, -DSTOP=1, and */
#ifndef WRITES0
#define WRITES0 0		/* of CPU 0 */
#endif
#ifndef WRITES1
#define WRITES1 0
#endif
#ifndef HOTPLUG			/* 1: CPU 1 dies, 2: and may come back, */
#define HOTPLUG 0		/* 3: after an attempt that failed, too */
#endif
#ifndef DEATHS
#define DEATHS	0		/* writers that die between reserve and commit */
#endif
#ifndef EMPTY
#define EMPTY	0		/* so is the pool, at the start */
#endif
#define SIZE	2		/* records in a buffer */

/* struct etw_trace_session */
bool running = true;		/* state */
bool flush_wanted, flush_armed, flush_lock, dry;
byte free = 1 - EMPTY;		/* buffers in the pool, if EMPTY */
byte next_generation[2];	/* of the worker, for each CPU */
bool listed = true;		/* in etw_sessions */
bool published = true;		/* in the provider's snapshot */

/*
 * The CPUs' words and their buffers, by generation.  A CPU has at most one
 * buffer that is not complete, for it has one writer.
 */
byte generation[2];		/* of cur */
bool open[2];			/* cur names a buffer */
byte reserved[2];		/* records of that buffer, or of the one that */
byte committed[2];		/* was closed under its writer */
bool owed[2];			/* closed before its last commit */
byte done[2];			/* session->done: a bit for each generation */
byte size[16];			/* records of a buffer on session->done */
/* A slot whose writer died: in the open buffer, or in a closed one with that generation */
byte deaths = DEATHS;
bool dead_slot[2];
bool stuck[2];
byte stuck_generation[2], stuck_records[2];
bool marked[2];			/* by the flush or STOP, of which one runs at a time */
byte marked_generation[2];

/* irq_work, works, RCU, hotplug */
bool irq_pending, irq_busy;
bit irq_cpu;			/* where it was raised */
bool in_irq[2];
bool work_queued, work_runs, timer_queued, timer_runs;
bool section[3];		/* RCU readers: the CPUs' writers; 2: hotplug_cpu_dead() */
byte owe[3];			/* readers that each grace period still waits for */
bool writes_on[2] = true;	/* not dead */
bool runs_irq[2] = true, online[2] = true;
bool cpus_write; byte cpus_read; /* cpus_write_lock(), cpus_read_lock() */

/* Not in the code: for the assertions */
byte unread[2];			/* committed records that were not delivered */
byte due[2];			/* ... of those, what a FLUSH promises */
bool drained;			/* the final drain was */

/* One step of a writer: an interrupt on its CPU has finished. */
#define STEP		!in_irq[c] ->

/* raise_irq_work() on CPU k, with irq_work_queue() */
inline raise(k)
{
	if
	:: !irq_pending && (online[k] || BROKEN == RAISE_OFFLINE) ->
		irq_pending = true; irq_busy = true; irq_cpu = k
	:: else
	fi
}

/* The first half of etw_deliver_kick(); the other is work_queued = true. */
inline arm()
{
	if
	:: flush_wanted && !flush_armed ->
#if BROKEN == ARM_LATE
		timer_queued = true;
		flush_armed = true
#else
		flush_armed = true;
		timer_queued = true
#endif
	:: !flush_wanted || flush_armed
	fi
}

/* ring_deliver() of CPU k's buffer, called on CPU here */
inline ring_deliver(k, here)
{
	assert(!drained);
	if
	:: done[0] == 0 && done[1] == 0 -> raise(here)
	:: else
	fi;
	done[k] = done[k] | (1 << generation[k]);
	size[k * 8 + generation[k]] = reserved[k];
	reserved[k] = 0; committed[k] = 0
}

/* CPU k's buffer is closed, and complete but for the slot of a dead writer. */
inline stick(k)
{
	assert(!stuck[k]);
	stuck[k] = true;
	stuck_generation[k] = generation[k];
	stuck_records[k] = committed[k];
	dead_slot[k] = false;
	reserved[k] = 0; committed[k] = 0
}

/* etw_buffers_close_cpu() or close_here() for CPU k, called on CPU here: one step */
inline close_cpu(k, here)
{
	if
	:: open[k] && dead_slot[k] && reserved[k] == committed[k] + 1 ->
		open[k] = false;
		stick(k)
	:: open[k] && reserved[k] == committed[k] ->
		open[k] = false; ring_deliver(k, here)
	:: open[k] && reserved[k] > committed[k] + dead_slot[k] ->
		open[k] = false;
		owed[k] = true
	:: else
	fi
}

/* CPU k passes a quiescent state, if it can: an interrupt in it comes first. */
#define RAISED(k)	(irq_pending && irq_cpu == (k) && runs_irq[k])
#define QUIET(k)	(!section[k] && !in_irq[k] && !RAISED(k))
#define WITHOUT(o, k)	((o) & ~(1 << (k)))

inline owe_nobody(k)
{
	owe[0] = WITHOUT(owe[0], k); owe[1] = WITHOUT(owe[1], k); owe[2] = WITHOUT(owe[2], k)
}

inline quiescent(k)
{
	if
	:: QUIET(k) -> owe_nobody(k)
	:: else
	fi
}

inline synchronize_rcu()
{
	owe[me] = (QUIET(0) -> 0 : 1) + (QUIET(1) -> 0 : 2) + (section[2] -> 4 : 0);
	owe[me] == 0
}

/* deliver_drain() with release_in_order(), under session->lock */
inline drain()
{
	d_step {
		for (i : 0 .. 1) {
			do
			:: done[i] & (1 << (next_generation[i] + 1)) ->
				next_generation[i]++;
				done[i] = done[i] & ~(1 << next_generation[i]);
				unread[i] = unread[i] - size[i * 8 + next_generation[i]];
				due[i] = (due[i] > size[i * 8 + next_generation[i]] ->
					  due[i] - size[i * 8 + next_generation[i]] : 0);
				size[i * 8 + next_generation[i]] = 0
			:: else -> break
			od
		}
		i = 0
	}
}

/* etw_abandon_mark() */
inline mark()
{
	d_step {
		for (i : 0 .. 1) {
			marked[i] = stuck[i] || owed[i];
			marked_generation[i] = (stuck[i] -> stuck_generation[i] : generation[i])
		}
		i = 0
	}
}

/* deliver_abandoned(): the buffer takes its place, and its records are lost, but told */
inline abandon()
{
	d_step {
		for (i : 0 .. 1) {
			assert(!(marked[i] && owed[i] && marked_generation[i] == generation[i]));
			if
			:: marked[i] && stuck[i] && marked_generation[i] == stuck_generation[i] ->
				done[i] = done[i] | (1 << stuck_generation[i]);
				size[i * 8 + stuck_generation[i]] = stuck_records[i];
				stuck[i] = false
			:: else
			fi;
			marked[i] = false
		}
		i = 0
	}
	drain()
}

inline replenish()
{
	free = (EMPTY && free == 0 -> 1 : free);
	dry = false
}

/* cpu_has_buffer() and close_here() */
inline close_here(k)
{
	if
	:: atomic { online[k] && open[k] && !in_irq[k] ->
		close_cpu(k, k) }
	:: !online[k] || !open[k]
	fi
}

/* all_arrived() */
#define ARRIVED(k)	(generation[k] - open[k] == next_generation[k])

/* etw_deliver_flush() */
inline deliver_flush()
{
	atomic { !flush_lock -> flush_lock = true };
	if
	:: !running
	:: else ->
#if FLUSHES
		atomic { due[0] = unread[0]; due[1] = unread[1] };
#endif
		flush_wanted = false;			/* D */
#if BROKEN != CLEAR_LATE
		flush_armed = false;			/* D */
#endif
#if BROKEN != NO_GRACE_CLOSE
		synchronize_rcu();			/* D */
#endif
		/* etw_buffers_close_online(); an interrupt for each CPU */
		atomic { !cpus_write -> cpus_read++ };
		close_here(0); close_here(1);
		cpus_read--;
#if BROKEN == CLEAR_LATE
		flush_armed = false;
#endif
#if DEATHS && BROKEN != NO_MARK
		mark();
#endif
#if BROKEN != NO_GRACE_DRAIN
		/* flush_close() */
		drain();
		if
		:: atomic { ARRIVED(0) && ARRIVED(1) -> skip }
		:: else -> synchronize_rcu()
		fi;
#endif
		atomic {
			drain();
#if DEATHS
			abandon();
#endif
			replenish();
			assert(due[0] == 0 && due[1] == 0)
		}
	fi;
	flush_lock = false
}

/* A task on CPU c that writes, preemption off: etw_hotpath_write() */
proctype writer(bit c; byte writes)
{
	bool session;

	do
	:: atomic { writes > 0 && writes_on[c] && !in_irq[c] ->
		writes--;
		section[c] = true;
		session = published };			/* F */
		do
		:: session == false -> break
		/* etw_ring_switch() */
		:: atomic { session && !in_irq[c] && !open[c] && !owed[c] && free > 0 ->
			free = free - EMPTY;
			generation[c]++;
			open[c] = true };
			/* ring_installed() */
			if
#if BROKEN == WANT_LATE
			:: atomic { !in_irq[c] && !flush_armed -> raise(c) };
				atomic { STEP flush_wanted = true }
#else
			:: atomic { !in_irq[c] && !flush_armed ->	/* D */
				flush_wanted = true };
				atomic { STEP raise(c) }
#endif
			:: atomic { !in_irq[c] && flush_armed -> skip }
			fi
#if EMPTY	/* ring_evict(); the event is lost */
		:: atomic { session && !in_irq[c] && !open[c] && !owed[c] && free == 0 ->
			if
			:: dry -> break
			:: else
			fi };
			atomic { STEP dry = true };
			atomic { STEP raise(c) };
			break
#endif
		/* etw_ring_close() of a full one */
		:: atomic { session && !in_irq[c] && open[c] && reserved[c] == SIZE ->
			close_cpu(c, c) }
		/* etw_ring_reserve() */
		:: atomic { session && !in_irq[c] && open[c] && reserved[c] < SIZE ->
			reserved[c]++ };
#if DEATHS	/* An oops: the task ends, and another one writes. */
			if
			:: atomic { deaths > 0 && !in_irq[c] ->
				deaths--;
				dead_slot[c] = true;
				if
				:: owed[c] -> owed[c] = false; stick(c)
				:: else
				fi };
				break
			:: true
			fi;
#endif
			/* etw_ring_commit() */
			atomic { STEP
				assert(!drained);
				committed[c]++;
				unread[c]++;
				if
				:: owed[c] && reserved[c] == committed[c] ->
					owed[c] = false;
					ring_deliver(c, c)
				:: owed[c] && dead_slot[c] && reserved[c] == committed[c] + 1 ->
					owed[c] = false;
					stick(c)
				:: else
				fi
			};
			break
		od;
		atomic { STEP section[c] = false; quiescent(c) }
	:: writes == 0 -> break
	:: timeout -> break			/* the CPU stays dead */
	od
}

/* deliver_irq() on CPU c */
proctype irq_work(bit c)
{
	do
	/* The flags as the kernel keeps them: PENDING goes before the callback. */
	:: atomic { RAISED(c) && !in_irq[c] ->
		irq_pending = false;
		in_irq[c] = true };
		arm();
		atomic {
			work_queued = true;
			irq_busy = irq_pending;
			in_irq[c] = false;
			quiescent(c)
		}
	:: timeout -> break
	od
}

/* deliver_work() */
proctype worker()
{
	byte i;

	do
	:: atomic { work_queued -> work_queued = false; work_runs = true };
		atomic { drain(); replenish(); work_runs = false }
	:: timeout -> break
	od
}

/* deliver_timed_flush() */
proctype timer()
{
	byte i, me = 0;

	do
	:: atomic { timer_queued -> timer_queued = false; timer_runs = true };
		deliver_flush();
		timer_runs = false
	:: timeout -> break
	od
}

/* A caller of FLUSH */
proctype flusher()
{
	byte i, me = 1;

	deliver_flush()
}

/* hotplug_kick_all(), as far as it concerns this session */
inline kick_all()
{
	if
	:: atomic { listed -> section[2] = true };
		arm();
		atomic { work_queued = true; section[2] = false; owe_nobody(2) }
	:: !listed
	fi
}

/* CPU 1 dies and comes back: its own steps come between its writes. */
proctype hotplug()
{
	byte ups = HOTPLUG - 1;

down:
	atomic { !section[1] && !in_irq[1] && cpus_read == 0 ->
		cpus_write = true; online[1] = false };
	/* irq_work_run() */
	atomic { QUIET(1) -> runs_irq[1] = false };
	atomic { !section[1] -> writes_on[1] = false; quiescent(1) };
	/* hotplug_cpu_dead(), on CPU 0 */
	if
	:: atomic { listed -> section[2] = true };
		atomic {
#if BROKEN != NO_CLOSE_DEAD
			close_cpu(1, 0);
#endif
			section[2] = false; owe_nobody(2)
		}
	:: !listed
	fi;
#if BROKEN != NO_KICK_DEAD
	kick_all();
#endif
	cpus_write = false;
	if
	:: atomic { ups > 0 && cpus_read == 0 ->
		ups--; cpus_write = true;
#if BROKEN == LOSE_GENERATION
		generation[1] = 0;
#endif
		writes_on[1] = true }
	:: true -> goto dead
	fi;
	if
	:: ups > 0 -> goto down
	:: atomic { !section[1] -> online[1] = true; runs_irq[1] = true }
	fi;
	if
	:: ups > 0 -> goto down
	:: true
	fi;
#if BROKEN != NO_KICK_UP
	kick_all();				/* hotplug_cpu_up() */
#endif
	cpus_write = false;
dead:	skip
}

/* etw_session_stop() on CPU 0 */
proctype stopper()
{
	byte i, me = 2;

	listed = false;
	published = false;			/* F */
#if BROKEN != NO_GRACE_STOP
	synchronize_rcu();
#endif
	/* etw_deliver_stop() */
	atomic { !flush_lock -> flush_lock = true };
	!irq_busy;				/* irq_work_sync() */
#if BROKEN != NO_GRACE_IRQ && BROKEN != NO_GRACE_STOP
	synchronize_rcu();
#endif
	running = false;
#if BROKEN != NO_CLOSE_ALL
	atomic { close_cpu(0, 0) }; atomic { close_cpu(1, 0) };
#endif
	flush_lock = false;
#if BROKEN != CANCEL_FIRST
	!irq_busy;				/* irq_work_sync() */
#endif
	/* cancel_delayed_work_sync(), cancel_work_sync() */
	atomic { !timer_runs -> timer_queued = false };
	atomic { !work_runs -> work_queued = false };
#if BROKEN == CANCEL_FIRST
	!irq_busy;
#endif
#if BROKEN != NO_FINAL_DRAIN
	drain();
#endif
#if DEATHS && BROKEN != NO_MARK
	mark();
	atomic { abandon() };
#endif
	atomic {
		drained = true;
		assert(!in_irq[0] && !in_irq[1] && !irq_pending);
		assert(!work_queued && !work_runs && !timer_queued && !timer_runs);
		assert(done[0] == 0 && done[1] == 0);
		assert(unread[0] == 0 && unread[1] == 0)
	}
}

/* Nothing moves any more. */
proctype end()
{
	timeout;
	assert(!cpus_write && !flush_lock && (drained || listed));
	assert(done[0] == 0 && done[1] == 0 && (!dry || !listed));
	assert(!stuck[0] && !stuck[1]);
	assert(unread[0] == 0 && unread[1] == 0);
	assert(next_generation[0] == generation[0] && next_generation[1] == generation[1])
}

init {
	atomic {
		run writer(0, WRITES0); run writer(1, WRITES1);
		run irq_work(0); run irq_work(1);
		run worker(); run timer();
#if FLUSHES
		run flusher();
#endif
#if HOTPLUG
		run hotplug();
#endif
#if STOP
		run stopper();
#endif
		run end()
	}
}
