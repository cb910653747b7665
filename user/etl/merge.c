/* SPDX-License-Identifier: MIT */
/*
 * merge.c - the records of several CPUs' buffers in time order
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "merge.h"

/* Advance to the block's next record and set *raw to its bytes. */
static bool advance(struct etw_merge *merge, struct etw_block *block,
		    struct etw_record_view *view, struct etw_classic_view *classic,
		    const void **raw)
{
	int ret;

	/* Until a record holds a time, use the buffer's. */
	if (block->offset == ETW_BUFFER_HEADER_SIZE)
		classic->time = block->header.ref_clock;
	*raw = block->data + block->offset;
	ret = etw_etl_record(block->data, block->header.offset, &block->offset, view,
			     classic);

	if (ret < 0)
		merge->corrupt++;
	return ret > 0;
}

static bool before(const struct etw_stream *a, const struct etw_stream *b)
{
	int64_t x = a->view.header->timestamp, y = b->view.header->timestamp;

	return x < y || (x == y && a->cpu < b->cpu);
}

static void sift_up(struct etw_merge *merge, size_t i)
{
	struct etw_stream *s = merge->heap[i];

	for (; i && before(s, merge->heap[(i - 1) / 2]); i = (i - 1) / 2)
		merge->heap[i] = merge->heap[(i - 1) / 2];
	merge->heap[i] = s;
}

static void sift_down(struct etw_merge *merge)
{
	struct etw_stream *s = merge->heap[0];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < merge->heap_count) {
		if (child + 1 < merge->heap_count &&
		    before(merge->heap[child + 1], merge->heap[child]))
			child++;
		if (!before(merge->heap[child], s))
			break;
		merge->heap[i] = merge->heap[child];
		i = child;
	}
	merge->heap[i] = s;
}

/* Make room for the CPU's stream in both arrays. */
static int grow(struct etw_merge *merge, uint16_t cpu)
{
	size_t room = merge->room ? merge->room : 16;
	struct etw_stream **p;

	while (room <= cpu)
		room *= 2;
	if (room == merge->room)
		return 0;
	p = realloc(merge->heap, room * sizeof(*p));
	if (!p)
		return -ENOMEM;
	merge->heap = p;
	p = realloc(merge->by_cpu, room * sizeof(*p));
	if (!p)
		return -ENOMEM;
	memset(p + merge->room, 0, (room - merge->room) * sizeof(*p));
	merge->by_cpu = p;
	merge->room = room;
	return 0;
}

static struct etw_stream *find_stream(struct etw_merge *merge, uint16_t cpu)
{
	struct etw_stream *s;

	if (cpu < merge->room && merge->by_cpu[cpu])
		return merge->by_cpu[cpu];
	if (grow(merge, cpu))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->cpu = cpu;
	merge->by_cpu[cpu] = s;
	return s;
}

int etw_merge_add(struct etw_merge *merge, struct etw_block *block)
{
	struct etw_stream *s = find_stream(merge, block->header.processor);
	struct etw_classic_view classic;
	struct etw_record_view view;
	const void *raw;

	if (!s)
		return -ENOMEM;
	block->next = NULL;
	block->offset = ETW_BUFFER_HEADER_SIZE;
	if (!advance(merge, block, &view, &classic, &raw))
		return 0;
	merge->bytes += block->size;
	if (s->first) {
		/* The block is decoded again when its turn comes. */
		block->offset = ETW_BUFFER_HEADER_SIZE;
		s->last->next = block;
		s->last = block;
		return 1;
	}
	s->first = block;
	s->last = block;
	s->view = view;
	s->raw = raw;
	s->classic.time = classic.time;
	etw_record_move(&s->view, &classic, &s->classic);
	merge->heap[merge->heap_count++] = s;
	sift_up(merge, merge->heap_count - 1);
	return 1;
}

bool etw_merge_first(const struct etw_merge *merge, int64_t *timestamp)
{
	if (!merge->heap_count)
		return false;
	*timestamp = merge->heap[0]->view.header->timestamp;
	return true;
}

void etw_block_describe(struct etw_block *block, struct etw_event *event)
{
	event->raw_size = event->record.header->size;
	event->buffer = &block->header;
	event->cpu = block->header.processor;
	event->logger_id = block->header.logger_id;
	event->lost_buffers = block->lost_buffers;
	event->lost_events = block->lost_events;
	event->lost_file = block->lost_file;
	block->lost_buffers = 0;
	block->lost_events = false;
	block->lost_file = false;
}

void etw_merge_take(struct etw_merge *merge, struct etw_event *event)
{
	struct etw_stream *s = merge->heap[0];

	event->record = s->view;
	etw_record_move(&event->record, &s->classic, &event->classic);
	event->raw = s->raw;
	etw_block_describe(s->first, event);
	if (!advance(merge, s->first, &s->view, &s->classic, &s->raw)) {
		event->buffer_done = true;
		merge->bytes -= s->first->size;
		s->first = s->first->next;
		/* This succeeds: the block was added because it has a record. */
		if (s->first)
			advance(merge, s->first, &s->view, &s->classic, &s->raw);
		else
			merge->heap[0] = merge->heap[--merge->heap_count];
	}
	if (merge->heap_count)
		sift_down(merge);
}

struct etw_block *etw_merge_remove(struct etw_merge *merge, size_t cpu)
{
	struct etw_stream *s = merge->by_cpu[cpu];
	struct etw_block *block = s ? s->first : NULL;

	if (block)
		s->first = block->next;
	return block;
}

void etw_merge_free(struct etw_merge *merge)
{
	struct etw_block *block;
	size_t i;

	for (i = 0; i < merge->room; i++) {
		if (!merge->by_cpu[i])
			continue;
		while ((block = etw_merge_remove(merge, i)))
			free(block);
		free(merge->by_cpu[i]);
	}
	free(merge->by_cpu);
	free(merge->heap);
}
