/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ring_deliver.pml - a model of when buffers are closed and delivered
 *
 * It stands for what lies around the ring in a REAL_TIME session:
 *	buffer.c	ring_installed(), ring_deliver(), close_here(),
 *			etw_buffers_close_online(), close_all(), cpu_dead()
 *	deliver.c	deliver_irq(), deliver_work(), drain(), release_in_order(),
 *			etw_deliver_flush(), timed_flush(), etw_deliver_stop()
 *	session.c	etw_session_stop(); F: etw_provider_session_stopped()
 * and lies beside ring.pml, so that one driver (selftests/unit/ring_model.sh)
 * finds all models of the protocol.
 *
 * The world: one task that writes on each of two CPUs, the irq_work on either,
 * the worker, the flush timer, a caller of FLUSH, CPU 1 going offline and coming
 * back, and (with STOP) a caller of STOP.  A flush comes in an interrupt, at
 * any step of the writer on that CPU.  The timer may fire at any time.
 *
 * What holds in every run:
 *  - when nothing moves any more, every committed record was delivered: none
 *    stays in an open buffer with the timer unarmed, on a dead CPU or on
 *    session->done
 *  - FLUSH returns after what was committed before the call was delivered
 *  - each CPU's buffers come in the order of their generation, without a gap,
 *    over its death and return too
 *  - after the final drain of STOP nothing is delivered, no irq_work, work or
 *    timer is left, and nothing is lost
 *
 * Left out: what happens inside reserve, commit and close, and nested writers
 * (ring.pml; here each is one step), the pool (never empty here; consumer.pml),
 * BUFFERING (fifo.pml), weak memory (ring_order_rcu.pml).  Taken for granted of the
 * kernel: a grace period waits for every section begun before it; a CPU runs
 * its pending irq_work before it dies.  The flags of irq_work are modelled as
 * the kernel has them, with which irq_work_sync() may miss the second of two
 * handlers that run at once.
 */

/* The broken variants, one at a time */
#ifndef CLEAR_LATE		/* flush_armed cleared after the look for buffers */
#define CLEAR_LATE 0
#endif
#ifndef NO_GRACE_CLOSE		/* D without the grace period before the look */
#define NO_GRACE_CLOSE 0
#endif
#ifndef NO_GRACE_DRAIN		/* FLUSH does not wait for slots being filled */
#define NO_GRACE_DRAIN 0
#endif
#ifndef ARM_LATE		/* deliver_irq() queues the timer, then says so */
#define ARM_LATE 0
#endif
#ifndef NO_CLOSE_DEAD		/* no closing of the dead CPU's buffer */
#define NO_CLOSE_DEAD 0
#endif
#ifndef FORGET_GENERATION	/* a CPU that comes back starts from 0 */
#define FORGET_GENERATION 0
#endif
#ifndef NO_GRACE_STOP		/* F without its grace period */
#define NO_GRACE_STOP 0
#endif
#ifndef NO_CLOSE_ALL		/* STOP closes nothing */
#define NO_CLOSE_ALL 0
#endif
#ifndef CANCEL_FIRST		/* STOP ends the works before the irq_work */
#define CANCEL_FIRST 0
#endif
#ifndef NO_FINAL_DRAIN		/* STOP does not look at session->done */
#define NO_FINAL_DRAIN 0
#endif

#ifndef STOP
#define STOP 0
#endif
#ifndef FLUSHES
#define FLUSHES 0
#endif
#ifndef WRITES0
#define WRITES0 0		/* of CPU 0 */
#endif
#ifndef WRITES1
#define WRITES1 0
#endif
#ifndef HOTPLUG
#define HOTPLUG 0
#endif
#define SIZE	2		/* records in a buffer */

mtype = { RUNNING, STOPPING, STOPPED };

/* struct etw_trace_session */
mtype state = RUNNING;
bool flush_armed;
bool flush_lock;
byte next_generation[2];	/* of the worker, for each CPU */
bool published = true;		/* in the provider's snapshot and etw_sessions */

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
byte size[8];			/* records of a buffer on session->done */

/* irq_work, works, RCU, hotplug */
bool irq_pending, irq_busy;
bit irq_cpu;			/* where it was raised */
bool in_irq[2];
bool work_queued, work_runs;
bool timer_queued, timer_runs;
bool section[3];		/* RCU readers: the CPUs' writers; 2: cpu_dead() */
byte owe[3];			/* whom each grace period waits for still */
bool online[2] = true;
bool cpus_write;		/* hotplug holds it */
byte cpus_read;

/* Not in the code: for the assertions */
byte unread[2];			/* committed records that were not delivered */
byte due[2];			/* ... of those, what a FLUSH promises */
bool drained;			/* the final drain was */

/* One step of a writer: an interrupt on its CPU has finished. */
#define STEP		!in_irq[c] ->

/* irq_work_queue() on CPU k */
inline raise(k)
{
	if
	:: !irq_pending -> irq_pending = true; irq_busy = true; irq_cpu = k
	:: else
	fi
}

/* ring_deliver() of CPU k's buffer, by somebody on CPU here */
inline ring_deliver(k, here)
{
	assert(!drained);
	if
	:: done[0] == 0 && done[1] == 0 -> raise(here)
	:: else
	fi;
	done[k] = done[k] | (1 << generation[k]);
	size[k * 4 + generation[k]] = reserved[k];
	reserved[k] = 0;
	committed[k] = 0
}

/* close_cpu() or close_here() for CPU k, by somebody on CPU here: one step */
inline close_cpu(k, here)
{
	if
	:: open[k] && reserved[k] == committed[k] ->
		open[k] = false;
		ring_deliver(k, here)
	:: open[k] && reserved[k] != committed[k] ->
		open[k] = false;
		owed[k] = true
	:: else
	fi
}

/* CPU k passes a quiescent state, if it can: an interrupt in it comes first. */
#define QUIET(k)	(!section[k] && !in_irq[k] && !(irq_pending && irq_cpu == (k)))

inline quiescent(k)
{
	if
	:: QUIET(k) ->
		owe[0] = owe[0] & ~(1 << (k));
		owe[1] = owe[1] & ~(1 << (k));
		owe[2] = owe[2] & ~(1 << (k))
	:: else
	fi
}

inline synchronize_rcu()
{
	owe[me] = (QUIET(0) -> 0 : 1) + (QUIET(1) -> 0 : 2) + (section[2] -> 4 : 0);
	owe[me] == 0
}

/* drain() with release_in_order(), under session->lock */
inline drain()
{
	d_step {
		i = 0;
		do
		:: i < 2 ->
			do
			:: done[i] & (1 << (next_generation[i] + 1)) ->
				next_generation[i]++;
				done[i] = done[i] & ~(1 << next_generation[i]);
				unread[i] = unread[i] - size[i * 4 + next_generation[i]];
				due[i] = (due[i] > size[i * 4 + next_generation[i]] ->
					  due[i] - size[i * 4 + next_generation[i]] : 0);
				size[i * 4 + next_generation[i]] = 0
			:: else -> break
			od;
			i++
		:: else -> break
		od;
		i = 0
	}
}

/* cpu_holds_records() and close_here() */
inline close_here(k)
{
	if
	:: atomic { online[k] && open[k] && reserved[k] > 0 && !in_irq[k] ->
		close_cpu(k, k) }
	:: !online[k] || !open[k] || reserved[k] == 0
	fi
}

/* etw_deliver_flush() */
inline deliver_flush()
{
	atomic { !flush_lock -> flush_lock = true };
	if
	:: state != RUNNING
	:: else ->
#if FLUSHES
		atomic { due[0] = unread[0]; due[1] = unread[1] };
#endif
#if !CLEAR_LATE
		flush_armed = false;			/* D */
#endif
#if !NO_GRACE_CLOSE
		synchronize_rcu();			/* D */
#endif
		/* etw_buffers_close_online(); an interrupt for each CPU */
		atomic { !cpus_write -> cpus_read++ };
		close_here(0);
		close_here(1);
		cpus_read--;
#if CLEAR_LATE
		flush_armed = false;
#endif
#if !NO_GRACE_DRAIN
		synchronize_rcu();
#endif
		atomic {
			drain();
			assert(due[0] == 0 && due[1] == 0)
		}
	fi;
	flush_lock = false
}

/* A task on CPU c that writes, preemption off: etw_trace_write() */
proctype writer(bit c; byte writes)
{
	bool session;

	do
	:: atomic { writes > 0 && online[c] && !in_irq[c] ->
		writes--;
		section[c] = true;
		session = published };			/* F */
		do
		:: session == false -> break
		/* etw_ring_switch() */
		:: atomic { session && !in_irq[c] && !open[c] && !owed[c] ->
			generation[c]++;
			open[c] = true };
			/* ring_installed() */
			atomic { STEP
				if
				:: !flush_armed -> raise(c)	/* D */
				:: else
				fi
			}
		/* etw_ring_close() of a full one */
		:: atomic { session && !in_irq[c] && open[c] && reserved[c] == SIZE ->
			close_cpu(c, c) }
		/* etw_ring_reserve() */
		:: atomic { session && !in_irq[c] && open[c] && reserved[c] < SIZE ->
			reserved[c]++ };
			/* etw_ring_commit() */
			atomic { STEP
				assert(!drained);
				committed[c]++;
				unread[c]++;
				if
				:: owed[c] && reserved[c] == committed[c] ->
					owed[c] = false;
					ring_deliver(c, c)
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
	:: atomic { irq_pending && irq_cpu == c && !in_irq[c] ->
		irq_pending = false;
		in_irq[c] = true };
		if
		:: !flush_armed ->
#if ARM_LATE
			timer_queued = true;
			flush_armed = true
#else
			flush_armed = true;
			timer_queued = true
#endif
		:: flush_armed
		fi;
		atomic {
			work_queued = true;
			if
			:: !irq_pending -> irq_busy = false
			:: else
			fi;
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
		atomic { drain(); work_runs = false }
	:: timeout -> break
	od
}

/* timed_flush() */
proctype timer()
{
	byte i;
	byte me = 0;

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
	byte i;
	byte me = 1;

	deliver_flush()
}

/* CPU 1 dies and comes back. */
proctype hotplug()
{

	atomic { cpus_read == 0 -> cpus_write = true };
	/* Nobody runs with preemption off on a CPU that is stopped. */
	atomic { QUIET(1) ->
		online[1] = false };
	/* cpu_dead(), on CPU 0 */
	section[2] = true;
	if
	:: published ->
#if !NO_CLOSE_DEAD
		atomic { close_cpu(1, 0) }
#endif
	:: !published
	fi;
	atomic {
		section[2] = false;
		owe[0] = owe[0] & 3;
		owe[1] = owe[1] & 3;
		owe[2] = owe[2] & 3
	};
	cpus_write = false;
	if
	:: atomic { cpus_read == 0 ->
		online[1] = true;
#if FORGET_GENERATION
		generation[1] = 0
#endif
	   }
	:: skip					/* it stays dead */
	fi
}

/* etw_session_stop() on CPU 0 */
proctype stopper()
{
	byte i;
	byte me = 2;

	published = false;			/* F, and off etw_sessions */
#if !NO_GRACE_STOP
	synchronize_rcu();
#endif
	/* etw_deliver_stop() */
	atomic { !flush_lock -> flush_lock = true };
	state = STOPPING;
#if !NO_CLOSE_ALL
	atomic { close_cpu(0, 0) };
	atomic { close_cpu(1, 0) };
#endif
	flush_lock = false;
#if CANCEL_FIRST
	atomic { !timer_runs -> timer_queued = false };
	atomic { !work_runs -> work_queued = false };
	!irq_busy;				/* irq_work_sync() */
#else
	!irq_busy;				/* irq_work_sync() */
	/* cancel_delayed_work_sync(), cancel_work_sync() */
	atomic { !timer_runs -> timer_queued = false };
	atomic { !work_runs -> work_queued = false };
#endif
#if !NO_FINAL_DRAIN
	drain();
#endif
	atomic {
		drained = true;
		state = STOPPED;
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
	assert(done[0] == 0 && done[1] == 0);
	assert(unread[0] == 0 && unread[1] == 0);
	assert(next_generation[0] == generation[0] && next_generation[1] == generation[1])
}

init {
	atomic {
		run writer(0, WRITES0);
		run writer(1, WRITES1);
		run irq_work(0);
		run irq_work(1);
		run worker();
		run timer();
		if
		:: FLUSHES > 0 -> run flusher()
		:: else
		fi;
		if
		:: HOTPLUG -> run hotplug()
		:: else
		fi;
		if
		:: STOP -> run stopper()
		:: else
		fi;
		run end()
	}
}
