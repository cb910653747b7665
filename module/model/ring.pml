/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ring.pml - a model of ring.[ch] and pool.[ch] for the checker Spin
 *
 *	spin -a .../ring.pml && cc -w -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m20000
 *
 * in an empty directory, for it leaves files: some seconds and 400 MB.  With a
 * broken variant, "spin -a -DNO_TAG=1 .../ring.pml", "spin -t -p -g -DNO_TAG=1
 * .../ring.pml" then shows the run that failed.
 *
 * selftests/unit/core/ring_model.sh runs it, and every broken variant below, which
 * must fail: a model that cannot fail proves nothing.
 *
 * The world: CPU 0 with a task that writes, an interrupt that writes or flushes
 * in it and an NMI that writes; CPU 1 with a task that writes or flushes; three
 * buffers of two records; one worker that takes delivered buffers in the order
 * of their generation, reads them, gives them back, and at the end, when no
 * writer is left, closes the buffers that are still open.  Each access that
 * another party can see or affect is a step of its own.  An interrupt may come
 * before any step of the code that it interrupts, and finishes before that
 * continues.
 *
 * What holds in every run (each is an assertion):
 *  - a buffer is in one place only: free, held by the context that popped it,
 *    current on one CPU, or delivered
 *  - a record is written only into a free slot of a current buffer of the
 *    writer's own CPU
 *  - the worker finds every slot filled: nothing is read before it is committed
 *  - a buffer is delivered once, with its commit word exactly BIAS and the
 *    number of its records above
 *  - a CPU's generations arrive without a gap and the timestamps in them rise:
 *    nothing is read twice, and time does not run backwards
 *  - a write is read, was undone or has returned -ENOBUFS, and no buffer is missing at the
 *    end
 *
 * Spin sees sequential consistency.  That is enough here: between a writer and
 * its own interrupts there is one CPU, and data crosses CPUs only through the
 * barriers of ring.h, modelled in ring_order.pml.  The other models:
 * ring_deliver.pml (flush timer, CPU hotplug, stop), ring_wrap.pml (generation and
 * tag wrap), fifo.pml (eviction, snapshots), consumer.pml (queue and consumers).
 */

/* The broken variants, one at a time */
#ifndef NO_GENERATION		/* cur is index and offset only */
#define NO_GENERATION 0
#endif
#ifndef OFFSET_IN_BUFFER	/* the offset is a word of the buffer, not of the CPU */
#define OFFSET_IN_BUFFER 0
#endif
#ifndef NO_BIAS			/* commit and final offset are compared, not added */
#define NO_BIAS 0
#endif
#ifndef AT_LEAST_BIAS		/* the close adds BIAS, and BIAS or more is enough */
#define AT_LEAST_BIAS 0
#endif
#ifndef NO_TAG			/* the head of the pool is a bare index */
#define NO_TAG 0
#endif
#ifndef NO_ORDER		/* the worker takes buffers as they come */
#define NO_ORDER 0
#endif
#ifndef CLOCK_FIRST		/* the clock is read before cur */
#define CLOCK_FIRST 0
#endif
#ifndef UNDO_BLINDLY		/* the undo takes the length off cur, whatever cur is */
#define UNDO_BLINDLY 0
#endif

/* How many of each; all of them together are too many for a quick search */
#ifndef TASK_WRITES
#define TASK_WRITES 2
#endif
#ifndef IRQ_ACTIONS
#define IRQ_ACTIONS 2
#endif
#ifndef NMI_ACTIONS
#define NMI_ACTIONS 0
#endif
#ifndef OTHER_ACTIONS
#define OTHER_ACTIONS 1
#endif
#ifndef UNREADABLE		/* any event may turn out to be unreadable */
#define UNREADABLE 0
#endif
#define BUFFERS	3
#define HEADER	1		/* ETW_BUFFER_HEADER_SIZE; a record's length is 1 */
#define SIZE	3		/* ring->size */

/* cur := generation | index (2 bits) | offset (3 bits), ETW_CUR() */
#define NO_OFFSET	7
#define OFFSET(w)	((w) & 7)
#define INDEX(w)	(((w) >> 3) & 3)
#define GENERATION(w)	((w) >> 5)
#define CUR(g, i, o)	(((g) << 5) | ((i) << 3) | (o))
#define CUR_NONE(g)	CUR(g, 0, NO_OFFSET)

/* commit := records | bytes, with BIAS far above any offset */
#define BIAS		64
#define RECORD		256
#define BYTES(w)	((w) & 255)
#define COUNT(w)	((w) >> 8)

/* head of the pool := tag | index (2 bits) */
#if NO_TAG
#define HEAD(old, i)	(i)
#else
#define HEAD(old, i)	(((((old) >> 2) + 1) << 2) | (i))
#endif

mtype = { FREE, HELD, CURRENT, DELIVERED };

/* struct etw_ring_cpu, of each CPU */
short cur[2];
/* struct etw_pool */
short head;
/* struct etw_buf, by index; 0 is none */
byte next[BUFFERS + 1];
byte used[BUFFERS + 1];
byte generation[BUFFERS + 1];
bit on[BUFFERS + 1];			/* its CPU */
short commit[BUFFERS + 1];
byte record[(BUFFERS + 1) * SIZE];	/* the timestamp, 0 while not filled */
byte offset[BUFFERS + 1];		/* for OFFSET_IN_BUFFER */

/* Not in the code: state for the assertions */
mtype place[BUFFERS + 1];
byte depth[3];		/* running level of each CPU; 2 is where the worker runs */
byte clock[2];		/* the next reading of each CPU's clock */
byte installs[2];
byte arrived[2];	/* last generation that the worker took */
byte last[2];		/* timestamp of the last record that it read */
byte unread;		/* committed records that it has not read yet */
byte finished;

/* One step: no other process runs meanwhile.  An interrupted level stands still. */
#define STEP	depth[self] == level ->

/* etw_pool_pop(): b = a buffer or 0 */
inline pool_pop()
{
	do
	:: atomic { STEP h = head };
	   if
	   :: (h & 3) == 0 -> break
	   :: else
	   fi;
	   atomic { STEP n = next[h & 3] };
	   atomic { STEP
		if
		:: head == h ->
			head = HEAD(h, n);
			b = h & 3;
			assert(place[b] == FREE);
			place[b] = HELD
		:: else
		fi;
		h = 0;
		n = 0
	   };
	   if
	   :: b != 0 -> break
	   :: else
	   fi
	od;
	h = 0
}

/* etw_pool_push() of buffer b; b = 0 then */
inline pool_push()
{
	do
	:: atomic { STEP h = head };
	   atomic { STEP next[b] = h & 3 };
	   atomic { STEP
		if
		:: head == h ->
			assert(place[b] == HELD);
			place[b] = FREE;
			head = HEAD(h, b);
			b = 0
		:: else
		fi;
		h = 0
	   };
	   if
	   :: b == 0 -> break
	   :: else
	   fi
	od
}

/*
 * The addition that ends a commit or a close of buffer b, and ops->deliver()
 * if it was the last; b = 0 then
 */
inline add_commit(amount)
{
	atomic { STEP
		commit[b] = commit[b] + amount;
		h = commit[b]
	};
#if NO_BIAS
	atomic { STEP h = (BYTES(h) == used[b] -> BIAS : 0) };
#endif
	if
#if AT_LEAST_BIAS
	:: BYTES(h) >= BIAS ->
#else
	:: BYTES(h) == BIAS ->
#endif
		atomic { STEP
			assert(place[b] == CURRENT);
			place[b] = DELIVERED
		}
	:: else
	fi;
	h = 0;
	b = 0
}

inline read_cur()
{
	w = cur[c];
#if OFFSET_IN_BUFFER
	if
	:: INDEX(w) != 0 -> w = w - OFFSET(w) + offset[INDEX(w)]
	:: else
	fi
#endif
}

/* Compare-exchange of a cur that names a buffer; b = the buffer if it was w */
inline exchange_cur(value)
{
#if OFFSET_IN_BUFFER
	if
	:: offset[INDEX(w)] == OFFSET(w) ->
		b = INDEX(w);
		offset[b] = OFFSET(value);
		if
		:: cur[c] == w - OFFSET(w) && INDEX(value) == 0 -> cur[c] = value
		:: else
		fi
	:: else
	fi
#else
	if
	:: cur[c] == w ->
		b = INDEX(w);
		cur[c] = value
	:: else
	fi
#endif
}

/* etw_ring_close() of the buffer that w names, if any */
inline ring_close()
{
	if
	:: INDEX(w) != 0 ->
		atomic { STEP exchange_cur(CUR_NONE(GENERATION(w))) };
		if
		:: b != 0 ->
			atomic { STEP
				assert(place[b] == CURRENT && on[b] == c);
				used[b] = OFFSET(w)
			};
#if NO_BIAS
			add_commit(0)
#elif AT_LEAST_BIAS
			add_commit(BIAS)
#else
			add_commit(BIAS - OFFSET(w))
#endif
		:: else
		fi
	:: else
	fi
}

/* etw_ring_switch() after the close: w = cur, which names no buffer */
inline ring_install()
{
	pool_pop();
	if
	:: b == 0 -> atomic { STEP lost = (cur[c] == w) }
	:: else ->
		atomic { STEP
			generation[b] = GENERATION(w) + 1;
			on[b] = c;
			used[b] = 0;
			commit[b] = HEADER
		};
		atomic { STEP
			if
			:: cur[c] == w ->
				place[b] = CURRENT;
				installs[c]++;
				offset[b] = HEADER;
#if NO_GENERATION
				generation[b] = installs[c];
				cur[c] = CUR(0, b, HEADER);
#elif OFFSET_IN_BUFFER
				cur[c] = CUR(generation[b], b, 0);
#else
				cur[c] = CUR(generation[b], b, HEADER);
#endif
				b = 0
			:: else
			fi
		};
		if
		:: b != 0 -> pool_push()
		:: else
		fi
	fi
}

/* A writer: sample cur, read the clock, reserve, fill, commit. */
inline write_record()
{
	do
	::
#if CLOCK_FIRST
	   atomic { STEP clock[c]++; t = clock[c] };
#endif
	   atomic { STEP read_cur() };
	   if
	   :: OFFSET(w) + 1 > SIZE ->		/* !etw_ring_room() */
		ring_close();
		atomic { STEP read_cur() };
		if
		:: INDEX(w) == 0 -> ring_install()
		:: else
		fi;
		if
		:: lost -> break		/* -ENOBUFS */
		:: else
		fi
	   :: else ->
#if !CLOCK_FIRST
		atomic { STEP clock[c]++; t = clock[c] };
#endif
		atomic { STEP exchange_cur(w + 1) };	/* etw_ring_reserve() */
		if
		:: b != 0 -> break
		:: else
		fi
	   fi
	od;
#if UNREADABLE
	/* etw_ring_undo(); a record that says so is like any other */
	if
	:: !lost -> atomic { STEP
		if
		:: cur[c] == w + 1 || UNDO_BLINDLY ->
			assert(place[b] == CURRENT && on[b] == c);
			cur[c] = cur[c] - 1;
			b = 0;
			t = 0
		:: else
		fi }
	:: true
	fi;
#endif
	if
	:: lost || b == 0
	:: else ->
		atomic { STEP
			assert(place[b] == CURRENT && on[b] == c);
			assert(record[b * SIZE + OFFSET(w)] == 0);
			record[b * SIZE + OFFSET(w)] = t;
			unread++;
			t = 0
		};
		/*
		 * etw_ring_commit().  On one CPU it counts the record first, by an addition
		 * of its own, which nothing reads before the last one.
		 */
		add_commit(RECORD + 1)
	fi;
	lost = false;
	w = 0
}

/* close_here() of buffer.c: close if there is a buffer, unless others switch first */
inline flush()
{
	atomic { STEP read_cur(); first = GENERATION(w) };
	do
	:: INDEX(w) != 0 && GENERATION(w) == first ->
		ring_close();
		atomic { STEP read_cur() }
	:: else -> break
	od;
	first = 0;
	w = 0
}

/*
 * One level of execution on CPU c: its task (0), or an interrupt (1) or NMI (2)
 * in the level that runs there.
 */
proctype writer(byte c; byte level; byte actions; bool may_flush)
{
	short w, h;
	byte b, n, t, below, first, self = c;
	bool lost;

	do
	:: actions > 0 ->
		atomic {
			if
			:: level == 0
			:: depth[c] < level -> below = depth[c]; depth[c] = level
			fi;
			actions--
		};
		if
		:: write_record()
		:: may_flush -> flush()
		fi;
		if
		:: level == 0
		:: else -> atomic { STEP depth[c] = below; below = 0 }
		fi
	:: else -> break
	od;
	finished++
}

/* May the worker take buffer i now? */
#if NO_ORDER
#define READY(i)	(place[i] == DELIVERED)
#else
#define READY(i)	(place[i] == DELIVERED && generation[i] == arrived[on[i]] + 1)
#endif

/* Read buffer b, give it back. */
inline consume()
{
	place[b] = HELD;
	assert(COUNT(commit[b]) == used[b] - HEADER);
#if !NO_BIAS && !AT_LEAST_BIAS
	assert(BYTES(commit[b]) == BIAS);
#endif
	arrived[on[b]] = generation[b];
	n = HEADER;
	do
	:: n < used[b] ->
		assert(record[b * SIZE + n] > last[on[b]]);
		last[on[b]] = record[b * SIZE + n];
		record[b * SIZE + n] = 0;
		unread--;
		n++
	:: else -> break
	od;
	n = 0
}

proctype worker(byte writers)
{
	short w, h;
	byte b, n, c, level, self = 2;

	do
	:: atomic { READY(1) -> b = 1; consume() }; pool_push()
	:: atomic { READY(2) -> b = 2; consume() }; pool_push()
	:: atomic { READY(3) -> b = 3; consume() }; pool_push()
	:: atomic { finished == writers && !READY(1) && !READY(2) && !READY(3) ->
		if
		:: c == 2 -> break
		:: else -> read_cur()
		fi
	   };
	   ring_close();
	   w = 0;
	   c++
	od;
	atomic {
		assert(unread == 0);
		assert(arrived[0] == installs[0] && arrived[1] == installs[1]);
		assert(place[1] == FREE && place[2] == FREE && place[3] == FREE)
	}
}

init {
	atomic {
		cur[0] = CUR_NONE(0);
		cur[1] = CUR_NONE(0);
		place[1] = FREE;
		place[2] = FREE;
		place[3] = FREE;
		next[3] = 2;
		next[2] = 1;
		head = 3;
		run writer(0, 0, TASK_WRITES, false);
		run writer(0, 1, IRQ_ACTIONS, true);
		run writer(1, 0, OTHER_ACTIONS, true);
		if
		:: NMI_ACTIONS > 0 ->
			run writer(0, 2, NMI_ACTIONS, false);
			run worker(4)
		:: else -> run worker(3)
		fi
	}
}
