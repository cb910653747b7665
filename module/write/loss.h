/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loss.h - what a session lost on one CPU by one cause, as writers note it
 */
#ifndef ETW_WRITE_LOSS_H
#define ETW_WRITE_LOSS_H

#include <asm/local.h>

#include "core/port.h"
#include <etw/format.h>

/* The time of an event that was lost where the clock cannot be read. */
#define ETW_LOSS_UNTIMED	0

/* A number of events that is not known: counters count one, the record of the loss has -1. */
#define ETW_LOSS_UNCOUNTED	0

/* Written by its CPU only, in any context; all zero: nothing was lost. */
struct etw_loss_note {
	local_t events;
	bool untimed;		/* of some the time is not known */
	local_t uncounted;	/* of events: those that stand for more, on any CPU */
	etw_word first;		/* session clock; 0: none yet */
	etw_word last;
	int state;		/* of provider, see loss.c */
	struct etw_guid provider;
};

/* What was noted, for the delivery side. */
struct etw_loss_sum {
	u64 events;
	u64 buffers;
	u64 first;
	u64 last;
	u64 uncounted;		/* as in a note */
	bool one_provider;	/* all events are of provider */
	struct etw_guid provider;
};

void etw_loss_note(struct etw_loss_note *note, const struct etw_guid *provider, u64 first,
		   u64 last, u64 events);
u64 etw_loss_take(struct etw_loss_note *note, u64 since, u64 until, struct etw_loss_sum *sum);
void etw_loss_add(struct etw_loss_sum *to, const struct etw_loss_sum *from);

#endif /* ETW_WRITE_LOSS_H */
