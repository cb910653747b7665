// SPDX-License-Identifier: GPL-2.0-only
/*
 * epoch.c - sessions whose clock fails, or whose machine sleeps
 *
 * The sessions that count in ticks of the TSC all have the same source, so that their times
 * can be compared, and they count to the end of the session.  An epoch is the time in which
 * this source stays the same; at its end the sessions go on with the next best one, where
 * the old one stopped or a little later, never earlier:
 *
 *	TSC -> COMPUTED		before the machine sleeps, and when the TSC turns out to be
 *				wrong: the kernel found it unstable, or it jumped against
 *				CLOCK_MONOTONIC_RAW, as after a migration (epoch_jumped())
 *	COMPUTED -> SHIFTED	after the sleep, in which the TSC may have been reset; or
 *	COMPUTED -> TSC		if it was not
 *
 * CLOCK_BOOTTIME, from which COMPUTED and the source BOOT are read, goes on in a sleep, so
 * that a time stamp gives the right wall-clock time also after it.  A record in each session
 * says that it had a change, and from when to when its times may be doubted or the machine
 * slept.
 *
 * The source changes while all CPUs are in stop_machine(), so that no writer is between
 * reading the source and reading the clock; only an NMI can be, and reads one of the two.
 *
 * Each delivery, flush and stop looks at the TSC, and a timer once a minute, for sessions in
 * which nothing happens.
 *
 * A session stays in epoch_sessions after STOP has taken it out of etw_sessions, because STOP
 * still delivers what it has, and that reads its clock.
 *
 * epoch_lock is taken before cpus_read_lock(), so nobody waits for it under etw_control, where
 * a new session tries to take it.
 */
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/stop_machine.h>
#include <linux/workqueue.h>

#include "clock.h"
#include "clock_record.h"
#include "core/ticks.h"
#include "deliver.h"
#include "epoch.h"

LIST_HEAD(etw_sessions);

static DEFINE_MUTEX(epoch_lock);

/* under epoch_lock */
static LIST_HEAD(epoch_sessions);		/* all whose clock may be read */
static enum etw_clock_source tsc_source;	/* of those that count in ticks of the TSC */
static bool asleep;
static const char *asleep_cause;
static struct etw_moment asleep_since;

/* The TSC and a clock that does not depend on NTP, at a moment when both were right. */
struct epoch_look {
	u64 tsc;
	u64 raw;			/* CLOCK_MONOTONIC_RAW, ns */
	bool close;			/* the two were read together */
	struct etw_moment moment;
};

/* The last look, which found nothing wrong; while a session counts in ticks of the TSC. */
static struct epoch_look checked;

/* How often to look at the TSC, if nothing else does. */
#define LOOK_EVERY	(60 * HZ)
/* A difference that the TSC's rate, measured at boot, cannot explain; and 1/64. */
#define JUMP_NS		(10 * NSEC_PER_MSEC)
/* An NMI may read the old source a moment after its CPU's last word. */
#define GUARD_NS	NSEC_PER_USEC
/* The TSC that is ahead no more than this was not reset, and may be read as it is. */
#define AHEAD_NS	NSEC_PER_MSEC

static void moment_now(struct etw_moment *m)
{
	etw_clock_sample(tsc_source, &m->at);
	m->asleep = etw_clock_asleep();
}

static void epoch_look(struct epoch_look *look)
{
	unsigned long flags;
	u64 end;
	int i;

	look->close = false;
	/* Again if something came between the readings. */
	for (i = 0; i < 5 && !look->close; i++) {
		local_irq_save(flags);
		look->tsc = etw_clock_tsc_now();
		look->raw = ktime_get_raw_fast_ns();
		end = etw_clock_tsc_now();
		local_irq_restore(flags);
		look->close = end - look->tsc < etw_clock_ticks(JUMP_NS / 10);
	}
	moment_now(&look->moment);
}

/*
 * Has the TSC moved on by more or less than the time since the last look?  Its rate may be wrong
 * by 1/64, because the kernel keeps the first measurement if later ones differ by more than 1/100.
 * With a look each minute, a jump of a second is found; a CPU that sleeps without a break for
 * longer, because the timer does not wake it, hides up to 1/64 of that time.
 *
 * Where the kernel's own clock source is the TSC, CLOCK_MONOTONIC_RAW makes the same jump:
 * forward it cannot be found, by the kernel neither.  Backward it can, since that clock waits
 * until the TSC has come back.
 */
static bool epoch_jumped(const struct epoch_look *now)
{
	u64 raw = now->raw - checked.raw;
	s64 apart = now->tsc - checked.tsc - etw_clock_ticks(raw);

	return checked.close && now->close && abs(apart) > etw_clock_ticks(JUMP_NS + raw / 64);
}

/* ------------------------------------------------------------ changing the source */

struct epoch_switch {
	enum etw_clock_source to;
	u64 shift;		/* of the TSC until now */
	u64 least;		/* COMPUTED: the count at base_ns, by earlier readings */
	atomic64_t most;	/* what the CPU that is ahead asks for: base_ticks or offset */
	atomic_t arrived;
};

/* The last CPU in stop_machine(): all others have said what they need, and wait. */
static void epoch_apply(struct epoch_switch *sw)
{
	struct etw_trace_session *s;
	s64 most = atomic64_read(&sw->most);

	if (sw->to == ETW_SOURCE_TSC_COMPUTED)
		etw_clock_tsc.base_ticks = max_t(s64, most, sw->least) + etw_clock_ticks(GUARD_NS);
	else if (most <= 0 && most > -(s64)etw_clock_ticks(AHEAD_NS))
		sw->to = ETW_SOURCE_TSC;
	else
		etw_clock_tsc.offset = most + etw_clock_ticks(GUARD_NS);
	smp_wmb();	/* x86 reads in order: an NMI that sees the source sees its members */
	list_for_each_entry(s, &epoch_sessions, epoch_node)
		if (etw_clock_is_tsc(s->hot.clock))
			etw_hot_set_clock(&s->hot, sw->to);
}

/* On each CPU, with interrupts off. */
static int epoch_switch_cpu(void *arg)
{
	struct epoch_switch *sw = arg;
	s64 most, mine;
	u64 tsc, ns;

	/* The new clock may be ahead of the old one, so read it first; behind, never. */
	if (sw->to == ETW_SOURCE_TSC_COMPUTED) {
		ns = max(ktime_get_boot_fast_ns(), etw_clock_tsc.base_ns);
		tsc = etw_clock_tsc_now() + sw->shift;
		mine = tsc - etw_clock_ticks(ns - etw_clock_tsc.base_ns);
	} else {
		tsc = etw_clock_tsc_now();
		mine = etw_clock_read(ETW_SOURCE_TSC_COMPUTED) - tsc;
	}
	most = atomic64_read(&sw->most);
	while (mine > most && !atomic64_try_cmpxchg(&sw->most, &most, mine))
		;
	if (atomic_inc_return(&sw->arrived) == num_online_cpus())
		epoch_apply(sw);
	return 0;
}

static void epoch_switch(enum etw_clock_source to)
{
	struct epoch_switch sw = {
		.to = to,
		.shift = tsc_source == ETW_SOURCE_TSC_SHIFTED ? etw_clock_tsc.offset : 0,
		.most = ATOMIC64_INIT(S64_MIN),
	};

	lockdep_assert_held(&epoch_lock);
	if (to == ETW_SOURCE_TSC_COMPUTED) {
		etw_clock_tsc.base_ns = ktime_get_boot_fast_ns();
		sw.least = checked.moment.at.clock +
			   etw_clock_ticks(etw_clock_tsc.base_ns - checked.moment.at.boot);
	}
	stop_machine(epoch_switch_cpu, &sw, cpu_online_mask);
	tsc_source = sw.to;
	epoch_look(&checked);
}

/* Record the change in the sessions, or only in those that count ticks of the TSC. */
static void epoch_record(const struct etw_clock_change *change, bool all)
{
	struct etw_trace_session *s;

	lockdep_assert_held(&epoch_lock);
	list_for_each_entry(s, &epoch_sessions, epoch_node)
		if (s->epoch_records && (all || etw_clock_is_tsc(s->hot.clock)))
			etw_clock_record(s, change);
}

/* The TSC cannot be trusted any more. */
static void epoch_end(const char *cause)
{
	struct etw_clock_change change = { .cause = cause, .from = checked.moment };

	epoch_switch(ETW_SOURCE_TSC_COMPUTED);
	moment_now(&change.to);
	epoch_record(&change, false);
	/* Without the record a reader would trust the times. */
	etw_deliver_flush_all();
	pr_notice("etw: %s; running sessions go on with CLOCK_BOOTTIME\n", cause);
}

static bool epoch_in_use(void)
{
	struct etw_trace_session *s;

	lockdep_assert_held(&epoch_lock);
	list_for_each_entry(s, &epoch_sessions, epoch_node)
		if (etw_clock_is_tsc(s->hot.clock))
			return true;
	return false;
}

/* Look at the TSC if sessions read it, and end its epoch if it cannot be trusted any more. */
static void epoch_check(void)
{
	const char *cause = NULL;
	struct epoch_look now;

	lockdep_assert_held(&epoch_lock);
	if (tsc_source == ETW_SOURCE_TSC_COMPUTED || !epoch_in_use())
		return;
	epoch_look(&now);
	if (etw_clock_tsc_unstable())
		cause = "the TSC is unstable";
	else if (epoch_jumped(&now))
		cause = "the TSC has jumped";
	if (cause) {
		etw_tsc_failed = true;
		epoch_end(cause);
	} else if (now.close) {
		checked = now;
	}
}

/*
 * Look at the clock of a session, in process context and without locks of a session.  If
 * another task is looking, wait for it only if @wait.  If the clock is wrong, all sessions
 * that have the same one get another.
 */
void etw_epoch_check(const struct etw_trace_session *s, bool wait)
{
	enum etw_clock_source source = READ_ONCE(s->hot.clock);

	if (source != ETW_SOURCE_TSC && source != ETW_SOURCE_TSC_SHIFTED)
		return;
	if (wait)
		mutex_lock(&epoch_lock);
	else if (!mutex_trylock(&epoch_lock))
		return;
	epoch_check();
	mutex_unlock(&epoch_lock);
}

/* Once a minute, while a session counts in ticks of a TSC that was not found wrong. */
static void epoch_timed_look(struct work_struct *unused);
static DECLARE_DEFERRABLE_WORK(look_work, epoch_timed_look);

static void epoch_look_later(void)
{
	lockdep_assert_held(&epoch_lock);
	if (epoch_in_use() && !etw_tsc_failed)
		queue_delayed_work(etw_wq, &look_work, LOOK_EVERY);
	else
		cancel_delayed_work(&look_work);
}

static void epoch_timed_look(struct work_struct *unused)
{
	mutex_lock(&epoch_lock);
	epoch_check();
	epoch_look_later();
	mutex_unlock(&epoch_lock);
}

/* ------------------------------------------------------------------- sessions */

/*
 * The first session that counts in ticks of the TSC may read it as it is, unless the machine
 * is about to sleep.  No session has a source that depends on etw_clock_tsc.
 */
static void epoch_begin(void)
{
	tsc_source = ETW_SOURCE_TSC;
	etw_clock_tsc.rate = etw_ticks_rate(etw_clock_tsc_khz());
	if (asleep) {
		tsc_source = ETW_SOURCE_TSC_COMPUTED;
		etw_clock_tsc.base_ticks = etw_clock_tsc_now();
		etw_clock_tsc.base_ns = ktime_get_boot_fast_ns();
		asleep_since.at.clock = etw_clock_tsc.base_ticks;
	}
	epoch_look(&checked);
}

/*
 * Give the session its clock and start times, and add it to those that run.  Under etw_control.
 * False: the clock is being changed; etw_epoch_wait() without etw_control, then try again.
 */
bool etw_epoch_enter(struct etw_trace_session *s)
{
	enum etw_clock_source clock = etw_clock_pick(s->clock_type);

	if (!mutex_trylock(&epoch_lock))
		return false;
	s->clock_freq = etw_clock_frequency(clock);
	if (clock == ETW_SOURCE_TSC) {
		if (!epoch_in_use())
			epoch_begin();
		clock = tsc_source;
	}
	etw_hot_set_clock(&s->hot, clock);
	s->asleep = etw_clock_asleep();
	etw_clock_sample(s->hot.clock, &s->start);
	s->sync = s->start;
	s->ledger.turned_at = s->start.clock;
	s->epoch_records = true;
	list_add_tail(&s->epoch_node, &epoch_sessions);
	epoch_look_later();
	list_add_tail_rcu(&s->node, &etw_sessions);
	mutex_unlock(&epoch_lock);
	return true;
}

void etw_epoch_wait(void)
{
	mutex_lock(&epoch_lock);
	mutex_unlock(&epoch_lock);
}

/*
 * A stopping session has no writer any more, and its buffers are about to be closed: look at
 * its clock a last time, while a record can still say that it was wrong.
 */
void etw_epoch_last_look(struct etw_trace_session *s)
{
	mutex_lock(&epoch_lock);
	if (etw_clock_is_tsc(s->hot.clock))
		epoch_check();
	s->epoch_records = false;
	mutex_unlock(&epoch_lock);
}

/* Nothing reads the session's clock any more. */
void etw_epoch_leave(struct etw_trace_session *s)
{
	mutex_lock(&epoch_lock);
	list_del(&s->epoch_node);
	epoch_look_later();
	mutex_unlock(&epoch_lock);
}

/* ---------------------------------------------------------------------- sleep */

/* The machine is about to sleep. */
void etw_epoch_sleep(const char *cause)
{
	mutex_lock(&epoch_lock);
	if (!asleep) {
		/* A wrong TSC has its own record, and is not read again after the sleep. */
		epoch_check();
		if (tsc_source != ETW_SOURCE_TSC_COMPUTED && epoch_in_use())
			epoch_switch(ETW_SOURCE_TSC_COMPUTED);
		asleep = true;
		asleep_cause = cause;
		moment_now(&asleep_since);
	}
	mutex_unlock(&epoch_lock);
}

/* The machine is awake again, or did not fall asleep. */
void etw_epoch_wake(void)
{
	struct etw_clock_change change;

	mutex_lock(&epoch_lock);
	if (asleep) {
		asleep = false;
		if (tsc_source == ETW_SOURCE_TSC_COMPUTED && epoch_in_use() &&
		    etw_clock_tsc_trusted())
			epoch_switch(ETW_SOURCE_TSC_SHIFTED);
		change.cause = asleep_cause;
		change.from = asleep_since;
		moment_now(&change.to);
		epoch_record(&change, true);
	}
	mutex_unlock(&epoch_lock);
}
