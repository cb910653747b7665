/* SPDX-License-Identifier: MIT */
/*
 * history.c - the latest events of etw top
 */
#include <stdlib.h>
#include "cli/cli.h"
#include "cli/input/kept_event.h"
#include "history.h"

struct piece {
	uint64_t tick;
	uint32_t size;		/* of this and the kept event behind it, a multiple of 8 */
	uint32_t bytes;
};

void history_init(struct history *h, size_t bytes)
{
	h->size = bytes / 2;
	h->half[0] = cli_calloc(1, h->size);
	h->half[1] = cli_calloc(1, h->size);
}

void history_free(struct history *h)
{
	free(h->half[0]);
	free(h->half[1]);
}

void history_add(struct history *h, const struct etw_event *event, uint64_t tick, uint32_t bytes)
{
	const size_t size = (sizeof(struct piece) + kept_event_size(event) + 7) / 8 * 8;
	struct piece *piece;

	/* No event is larger than a half, but a history may be off. */
	if (size > h->size)
		return;
	if (h->size - h->used[h->at] < size) {
		h->at = !h->at;
		h->used[h->at] = 0;
	}
	piece = (struct piece *)(h->half[h->at] + h->used[h->at]);
	*piece = (struct piece){ .tick = tick, .size = (uint32_t)size, .bytes = bytes };
	kept_event_copy(piece + 1, event);
	h->used[h->at] += size;
}

static void each_of(const struct history *h, unsigned int half,
		    void (*take)(void *context, const struct etw_event *event, uint64_t tick,
				 uint32_t bytes), void *context)
{
	const unsigned char *at = h->half[half], *end = at + h->used[half];
	const struct piece *piece;
	struct etw_event event;

	for (; at < end; at += piece->size) {
		piece = (const struct piece *)at;
		kept_event_get(piece + 1, &event);
		take(context, &event, piece->tick, piece->bytes);
	}
}

void history_each(const struct history *h,
		  void (*take)(void *context, const struct etw_event *event, uint64_t tick,
			       uint32_t bytes), void *context)
{
	if (!h->size)
		return;
	each_of(h, !h->at, take, context);
	each_of(h, h->at, take, context);
}
