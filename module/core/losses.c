// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * losses.c - add up what one stream loses, and record it in a buffer of its own
 *
 * No memory is needed at the time of a loss: each stream has one sum for each cause, which
 * grows until it is recorded.  What the kernel missed and nobody counted has a sum of its own, or
 * it would make what was counted unknown.
 */
#include "core/losses.h"

/* The index of the loss's sum, or -1 if its cause is not known. */
static int loss_kind(const struct etw_loss_payload *loss)
{
	if (loss->code == ETW_DROP_PROBE && loss->events < 0)
		return ETW_LOSS_UNCOUNTED_KIND;
	if (loss->code < ETW_DROP_CAUSES)
		return loss->code;
	if (loss->code >= ETW_LOSS_ABANDONED && loss->code < ETW_LOSS_END)
		return ETW_LOSS_OTHER_KINDS + loss->code - ETW_LOSS_ABANDONED;
	return -1;
}

/* Add counts of which each may be -1, not known. */
static s64 add_counts(s64 a, s64 b)
{
	return a < 0 || b < 0 ? -1 : a + b;
}

static void loss_join(struct etw_loss_payload *to, const struct etw_loss_payload *from)
{
	if (to->cpu != from->cpu)
		to->cpu = -1;
	to->events = add_counts(to->events, from->events);
	to->buffers = add_counts(to->buffers, from->buffers);
	to->first = to->first < from->first ? to->first : from->first;
	to->last = to->last > from->last ? to->last : from->last;
	if (memcmp(&to->provider, &from->provider, sizeof(to->provider)))
		memset(&to->provider, 0, sizeof(to->provider));
}

/* Add a loss to the sum of its cause. */
void etw_losses_add(struct etw_losses *losses, const struct etw_loss_payload *loss)
{
	int kind = loss_kind(loss);

	if (kind < 0)
		return;
	if (losses->present & (1U << kind))
		loss_join(&losses->sum[kind], loss);
	else
		losses->sum[kind] = *loss;
	losses->present |= 1U << kind;
}

/* A buffer is missing: add the losses that it records in its bytes from begin to end. */
void etw_losses_add_records(struct etw_losses *losses, const u8 *data, u32 begin, u32 end)
{
	struct etw_loss_payload loss;
	struct etw_record_view view;
	u32 at = begin;

	while (etw_record_next(data, end, &at, &view) == 1)
		if (etw_loss_parse(&view, &loss))
			etw_losses_add(losses, &loss);
}

/*
 * A buffer is missing: keep its header and the time when it was closed.  The flags of all missing
 * buffers add up.
 */
void etw_losses_add_missing_buffer(struct etw_losses *losses,
				   const struct etw_buffer_header *header, s64 closed)
{
	u16 flags = losses->missing ? losses->last.flags : 0;

	losses->last = *header;
	losses->last.flags |= flags;
	losses->closed = closed;
	losses->missing = true;
}

/* Add the losses of from, which are later than those of to, and empty from. */
void etw_losses_move(struct etw_losses *to, struct etw_losses *from)
{
	int i;

	/* The usual case: clearing the whole structure would cost too much. */
	if (likely(!from->present && !from->missing))
		return;
	for (i = 0; i < ETW_LOSS_KINDS; i++)
		if (from->present & (1U << i))
			etw_losses_add(to, &from->sum[i]);
	if (from->missing)
		etw_losses_add_missing_buffer(to, &from->last, from->closed);
	memset(from, 0, sizeof(*from));
}

/*
 * Add a record of each loss that there is room for at output->at, and advance that.  Returns
 * the bits of those that were added; etw_losses_clear() removes them.
 */
u32 etw_losses_build(const struct etw_losses *losses, struct etw_loss_output *output)
{
	struct etw_loss_payload loss;
	u32 built = 0;
	int i;

	/* The losses of the stream itself come first. */
	for (i = ETW_LOSS_KINDS; i--;) {
		if (!(losses->present & (1U << i)) || output->at + ETW_LOSS_SLOT_MAX > output->end)
			continue;
		loss = losses->sum[i];
		loss.noted = output->noted;
		output->at += etw_loss_build(output->data + output->at, &loss, output->session,
					     output->session_len, output->timestamp,
					     ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE);
		built |= 1U << i;
	}
	return built;
}

/* Forget the losses that were recorded.  Others stay until the next buffer is missing. */
void etw_losses_clear(struct etw_losses *losses, u32 built)
{
	losses->present &= ~built;
	losses->missing = false;
}

/*
 * Begin, at output->data, a buffer that stands where others are missing.  It has the number and
 * the times of the last of these, so that it is in order with those before and after it.  The
 * caller fills it with ETW_TAIL_BYTE from output->at.  Returns as etw_losses_build().
 */
u32 etw_losses_stand_in(const struct etw_losses *losses, struct etw_loss_output *output)
{
	struct etw_buffer_header *h = (struct etw_buffer_header *)output->data;
	u32 built;

	*h = losses->last;
	h->flags |= ETW_BUFFER_BUFFER_LOST;
	output->at = ETW_BUFFER_HEADER_SIZE;
	built = etw_losses_build(losses, output);
	h->saved_offset = output->at;
	h->current_offset = output->at;
	h->offset = output->at;
	return built;
}

/* The cause (ETW_LOSS_*) to record for a buffer whose write to a file failed with this -errno */
u32 etw_loss_of_file_error(int err)
{
	switch (err) {
	case -EFBIG:
		return ETW_LOSS_FILE_FULL;
	case -ENOSPC:
	case -EDQUOT:
		return ETW_LOSS_DISK_FULL;
	default:
		return ETW_LOSS_FILE_ERROR;
	}
}
