// SPDX-License-Identifier: GPL-2.0-only
/*
 * loss.c - note what a session loses: how many events, from when to when, whose
 *
 * A CPU has two notes for each cause, and session->hot.loss_slot says which one its
 * writers use.  The delivery side changes the slot, waits until a grace period has
 * passed, so that no writer uses the old note any more, and takes it (session/ledger.c).
 *
 * Interrupts on the CPU may note a loss at any point of etw_loss_note().
 */
#include <linux/string.h>

#include "loss.h"

/* etw_loss_note.state */
enum { NO_PROVIDER, SETTING, ONE_PROVIDER, SEVERAL };

/* Interrupted writers may have read the clock earlier: keep the least and the greatest. */
static void loss_widen(struct etw_loss_note *note, u64 now)
{
	u64 old;

	do {
		old = etw_word_read(&note->first);
	} while ((!old || now < old) && !etw_word_cmpxchg(ETW_LOCAL, &note->first, old, now));
	do {
		old = etw_word_read(&note->last);
	} while (now > old && !etw_word_cmpxchg(ETW_LOCAL, &note->last, old, now));
}

/* An interrupt that finds a provider half set makes it SEVERAL, and that stays. */
static void loss_of(struct etw_loss_note *note, const struct etw_guid *provider)
{
	switch (cmpxchg_local(&note->state, NO_PROVIDER, SETTING)) {
	case NO_PROVIDER:
		note->provider = *provider;
		barrier();	/* all of it, then the state */
		cmpxchg_local(&note->state, SETTING, ONE_PROVIDER);
		break;
	case SETTING:
		WRITE_ONCE(note->state, SEVERAL);
		break;
	case ONE_PROVIDER:
		if (memcmp(&note->provider, provider, sizeof(*provider)))
			WRITE_ONCE(note->state, SEVERAL);
		break;
	}
}

/*
 * Events of this provider were lost between these times; or ETW_LOSS_UNCOUNTED.  Any context, with
 * preemption off.
 */
void etw_loss_note(struct etw_loss_note *note, const struct etw_guid *provider, u64 first,
		   u64 last, u64 events)
{
	if (unlikely(first == ETW_LOSS_UNTIMED))
		WRITE_ONCE(note->untimed, true);
	else
		loss_widen(note, first);
	if (last != first)
		loss_widen(note, last);
	loss_of(note, provider);
	if (unlikely(events == ETW_LOSS_UNCOUNTED))
		local_inc(&note->uncounted);
	local_add(events ?: 1, &note->events);
}

/* Add from to what to has; both are the same CPU's and of the same cause. */
void etw_loss_add(struct etw_loss_sum *to, const struct etw_loss_sum *from)
{
	if (!to->events && !to->buffers) {
		*to = *from;
		return;
	}
	to->events += from->events;
	to->buffers += from->buffers;
	to->uncounted += from->uncounted;
	to->first = min(to->first, from->first);
	to->last = max(to->last, from->last);
	to->one_provider = to->one_provider && from->one_provider &&
			   !memcmp(&to->provider, &from->provider, sizeof(to->provider));
}

/*
 * Add a note that writers used between these times, and use no more, to sum, and clear it.
 * Returns its events.
 */
u64 etw_loss_take(struct etw_loss_note *note, u64 since, u64 until, struct etw_loss_sum *sum)
{
	struct etw_loss_sum own = {
		.events = local_read(&note->events),
		.first = etw_word_read(&note->first),
		.last = etw_word_read(&note->last),
		.uncounted = local_read(&note->uncounted),
		.one_provider = note->state == ONE_PROVIDER,
		.provider = note->provider,
	};

	if (!own.events)
		return 0;
	if (note->untimed) {
		own.first = since;
		own.last = until;
	}
	etw_loss_add(sum, &own);
	memset(note, 0, sizeof(*note));
	return own.events;
}
