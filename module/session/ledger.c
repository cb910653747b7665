// SPDX-License-Identifier: GPL-2.0-only
/*
 * ledger.c - record a session's losses in its own buffers
 *
 * Writers note their losses (write/loss.c).  The delivery side collects the notes and
 * stores records (core/ledger.c) behind the events of a buffer before it publishes it.  Such
 * a record has the time at which its buffer was closed, which is not before the buffer's
 * events and not after those of the CPU's next buffer.  While no buffer has room, losses
 * of the same CPU and cause add up to one record.
 *
 * A note is collected a grace period after the writers were sent to the other one.  The
 * worker does not wait for that: it looks at the next buffer again.  A flush waits for grace
 * periods anyway, and leaves no loss before it unrecorded, unless there is no memory for a
 * buffer.
 *
 * A consumer or a log file that misses a buffer also misses the records in it.  It has a
 * struct etw_losses of its own, which takes them over (core/losses.c).
 *
 * Records of losses are not events: no counter includes them.
 */
#include <linux/math64.h>
#include <linux/rcupdate.h>

#include "buffer.h"
#include "core/ledger.h"
#include "ledger.h"

/* ---------------------------------------------------------------- collecting */

static u64 ledger_now(const struct etw_trace_session *s)
{
	u64 now;

	preempt_disable();
	now = etw_clock_read(s->hot.clock);
	preempt_enable();
	return now;
}

/* since: writers used the notes of this slot from then on. */
static void ledger_take(struct etw_trace_session *s, u32 slot, u64 since)
{
	u64 until = ledger_now(s);
	struct etw_session_cpu *sc;
	int cpu, i;

	/* The wall clock may have been set back meanwhile. */
	since = min(since, until);
	for_each_possible_cpu(cpu) {
		sc = per_cpu_ptr(s->hot.cpu, cpu);
		for (i = 0; i < ETW_DROP_CAUSES; i++) {
			bool first = !sc->unrecorded[i].events;
			u64 events = etw_loss_take(&sc->lost[slot][i], since, until,
						   &sc->unrecorded[i]);

			s->ledger.unrecorded += events && first;
			s->ledger.taken += events;
		}
	}
}

static void ledger_end_turn(struct etw_trace_session *s)
{
	ledger_take(s, !s->hot.loss_slot, s->ledger.since);
	s->ledger.turning = false;
}

/* Send the writers to the other notes. */
static void ledger_turn(struct etw_trace_session *s)
{
	struct etw_ledger *l = &s->ledger;

	l->due = false;
	l->since = l->turned_at;
	l->turned_at = ledger_now(s);
	/* H of core/ring.h */
	smp_store_release(&s->hot.loss_slot, !s->hot.loss_slot);
	l->turned = start_poll_synchronize_rcu();
	l->turning = true;
	l->turns++;
}

/*
 * Collect the notes that may be taken, and begin to collect the others.  settled: a grace
 * period has passed since the last turn, or there is no writer.
 */
void etw_ledger_collect(struct etw_trace_session *s, bool settled)
{
	struct etw_ledger *l = &s->ledger;

	lockdep_assert_held(&s->lock);
	if (l->turning && (settled || poll_state_synchronize_rcu(l->turned)))
		ledger_end_turn(s);
	/* Do not rely on due: its writer may come after this. */
	if (!l->turning && etw_session_dropped(s, NULL) != l->taken)
		ledger_turn(s);
}

/* Events were lost with buffers in which a writer never finished.  cpu: -1: not known. */
void etw_ledger_abandoned(struct etw_trace_session *s, s32 cpu, u64 events, u64 buffers,
			  u64 first)
{
	struct etw_loss_sum loss = { .events = events, .buffers = buffers, .first = first };
	struct etw_ledger *l = &s->ledger;

	lockdep_assert_held(&s->lock);
	loss.last = ledger_now(s);
	/* The wall clock may have been set back meanwhile. */
	if (loss.last < loss.first)
		swap(loss.first, loss.last);
	if (!l->abandoned.events && !l->abandoned.buffers) {
		l->unrecorded++;
		l->abandoned_cpu = cpu;
	} else if (l->abandoned_cpu != cpu) {
		l->abandoned_cpu = -1;
	}
	etw_loss_add(&l->abandoned, &loss);
}

/* ------------------------------------------------------------------- recording */

/* FILETIME of a time on the session's clock, as readers compute it. */
s64 etw_ledger_time(const struct etw_trace_session *s, u64 clock)
{
	s64 ticks = clock - s->start.clock;
	u64 rest, whole = div64_u64_rem(abs(ticks), s->clock_freq, &rest);
	s64 time = whole * 10000000 + div64_u64(rest * 10000000, s->clock_freq);

	return s->start.wall + (ticks < 0 ? -time : time);
}

/* What was counted comes first, and leaves what nobody counted for a record of its own. */
static void ledger_put(struct etw_trace_session *s, struct etw_buf *buf, u32 code, s32 cpu,
		       struct etw_loss_sum *sum)
{
	bool unknown = sum->uncounted && sum->uncounted == sum->events;
	struct etw_loss_payload loss = {
		.code = code,
		.cpu = unknown ? -1 : cpu,
		.events = unknown ? -1 : sum->events - sum->uncounted,
		.buffers = sum->buffers,
		.first = etw_ledger_time(s, sum->first),
		.last = etw_ledger_time(s, sum->last),
		.noted = etw_ledger_time(s, buf->closed),
	};

	if (sum->one_provider)
		loss.provider = sum->provider;
	if (sum->uncounted && !unknown) {
		sum->events = sum->uncounted;
		sum->buffers = 0;
	} else {
		s->ledger.unrecorded--;
		memset(sum, 0, sizeof(*sum));
	}
	buf->used += etw_loss_build(buf->data + buf->used, &loss, s->name, s->name_len,
				    buf->closed, ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE);
}

static void ledger_fill(struct etw_trace_session *s, struct etw_buf *buf)
{
	u32 end = s->hot.ring.size - ETW_LOSS_SLOT_MAX;
	struct etw_ledger *l = &s->ledger;
	struct etw_session_cpu *sc;
	int cpu, i;

	if ((l->abandoned.events || l->abandoned.buffers) && buf->used <= end)
		ledger_put(s, buf, ETW_LOSS_ABANDONED, l->abandoned_cpu, &l->abandoned);
	for_each_possible_cpu(cpu) {
		sc = per_cpu_ptr(s->hot.cpu, cpu);
		for (i = 0; i < ETW_DROP_CAUSES && l->unrecorded; i++)
			while (sc->unrecorded[i].events && buf->used <= end)
				ledger_put(s, buf, i, cpu, &sc->unrecorded[i]);
	}
}

/*
 * A buffer is about to be published: store records of the losses that were collected behind
 * its used bytes, as far as it has room.
 */
void etw_ledger_store(struct etw_trace_session *s, struct etw_buf *buf)
{
	struct etw_ledger *l = &s->ledger;

	lockdep_assert_held(&s->lock);
	if (l->turning && poll_state_synchronize_rcu(l->turned))
		ledger_end_turn(s);
	if (l->due && !l->turning)
		ledger_turn(s);
	if (l->unrecorded && buf->used + ETW_LOSS_SLOT_MAX <= s->hot.ring.size)
		ledger_fill(s, buf);
}

/* -------------------------------------------------------- losses of one stream */

/* A stream misses this buffer, for this cause: ETW_LOSS_*. */
void etw_ledger_miss(const struct etw_trace_session *s, struct etw_losses *losses,
		     const struct etw_buffer *b, u32 code)
{
	const struct etw_buffer_header *h = (const void *)b->buf.data;
	struct etw_loss_payload loss = {
		.code = code,
		.cpu = b->buf.cpu,
		.events = b->events,
		.buffers = 1,
		.first = etw_ledger_time(s, min_t(u64, h->ref_clock, b->buf.closed)),
		.last = etw_ledger_time(s, b->buf.closed),
	};

	etw_losses_add(losses, &loss);
	etw_losses_add_records(losses, b->buf.data, b->records_at, b->buf.used);
	etw_losses_add_missing_buffer(losses, h, b->buf.closed);
}

/*
 * Build the used part of a buffer that records these losses; data has ETW_STAND_IN_ROOM bytes.
 * Returns as etw_losses_build().
 */
u32 etw_ledger_stand_in(const struct etw_trace_session *s, const struct etw_losses *losses,
			u8 *data, u32 *used)
{
	struct etw_loss_output output = {
		.data = data,
		.end = ETW_STAND_IN_ROOM,
		.timestamp = losses->closed,
		.noted = etw_ledger_time(s, losses->closed),
		.session = s->name,
		.session_len = s->name_len,
	};
	u32 built = etw_losses_stand_in(losses, &output);

	*used = output.at;
	return built;
}
