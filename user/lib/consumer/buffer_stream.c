// SPDX-License-Identifier: MIT
/*
 * buffer_stream.c - the events of buffers that the caller adds one by one
 *
 * Added buffers are checked and copied, so that later changes by the caller have no
 * effect.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "buffer_stream.h"
#include "etl/block.h"
#include "etl/record.h"
#include "etl/time.h"
#include "etl/walk.h"
#include "etl/merge.h"

#define QUEUE_MAX	((size_t)1 << 30)	/* bytes added but not yet taken by the reader */
#define HOLD_MAX	(64u << 20)	/* bytes held before the order is given up */
#define HOLD_SECONDS	2		/* for which an event is held, by its clock */
#define QUIET_SECONDS	1		/* without a buffer before held events are released */

__extension__ typedef __int128 wide;

/* The last buffer of a CPU */
struct last {
	int64_t time, sequence;
	bool any;
};

struct etw_bufstream {
	etw_bufstream_done_fn *done;
	void *context;
	pthread_mutex_t lock;		/* guards the members up to the empty line */
	pthread_cond_t more;
	struct etw_block *first, **end;	/* added, not seen by the reader yet */
	size_t queued;			/* their bytes */
	struct last *lasts;		/* by CPU */
	size_t last_count;
	bool begun, ended;

	struct etw_etl_info info;	/* the reader's members start here */
	struct etw_etl_time time;
	struct etw_merge merge;
	struct etw_block *spent;
	int64_t *flushed;		/* by CPU: all its events up to this time have been added */
	size_t flushed_count, seen;
	int64_t newest;			/* highest raw time of any flush */
	int64_t safe;			/* raw time; every CPU is complete up to it */
	int64_t last;			/* raw time of the last event handed out */
	bool quiet;
};

/* The buffer has been read: notify its owner. */
static void finish(struct etw_bufstream *s, struct etw_block *block)
{
	const void *origin;

	if (!block)
		return;
	origin = block->origin;
	etw_block_release(block);
	if (s->done)
		s->done(s->context, origin);
}

static void stream_close(void *from)
{
	struct etw_bufstream *s = from;
	struct etw_block *block;
	size_t i;

	finish(s, s->spent);
	for (i = 0; i < s->merge.room; i++)
		while ((block = etw_merge_remove(&s->merge, i)))
			finish(s, block);
	while ((block = s->first)) {
		s->first = block->next;
		finish(s, block);
	}
	etw_merge_free(&s->merge);
	pthread_cond_destroy(&s->more);
	pthread_mutex_destroy(&s->lock);
	free(s->lasts);
	free(s->flushed);
	free(s);
}

/* --------------------------------------------------------------------- adding */

/* A block with the buffer's bytes, decompressed; NULL and *err. */
static struct etw_block *copy(const void *data, size_t size, int *err)
{
	struct etw_buffer_header header;
	struct etw_block *block;
	bool packed;

	*err = -EINVAL;
	if (size < sizeof(header))
		return NULL;
	memcpy(&header, data, sizeof(header));
	packed = header.flags & ETW_BUFFER_COMPRESSED;
	if (etw_etl_header_sane(&header, packed ? size : SIZE_MAX) ||
	    (!packed && header.offset > size))
		return NULL;
	*err = -ENOMEM;
	block = etw_etl_block(&header);
	if (!block)
		return NULL;
	block->origin = data;
	if (!etw_etl_block_fill(block, (const char *)data + sizeof(header)))
		return block;
	free(block);
	*err = -EINVAL;
	return NULL;
}

/* Does the buffer follow the last one of its CPU? The lock is held. */
static int check_order(struct etw_bufstream *s, const struct etw_buffer_header *header)
{
	struct last *last;

	if (s->ended)
		return -ESHUTDOWN;
	if (s->queued > QUEUE_MAX)
		return -ENOMEM;
	if (s->begun != (header->type != ETW_BUFFER_TYPE_HEADER))
		return -EINVAL;
	if (header->processor >= s->last_count) {
		last = realloc(s->lasts, (header->processor + 1) * sizeof(*last));
		if (!last)
			return -ENOMEM;
		s->lasts = last;
		memset(last + s->last_count, 0,
		       (header->processor + 1 - s->last_count) * sizeof(*last));
		s->last_count = header->processor + 1;
	}
	last = &s->lasts[header->processor];
	if (last->any && (header->timestamp < last->time ||
			  (header->timestamp == last->time && header->sequence <= last->sequence)))
		return -EILSEQ;
	/* The header buffer's own time and number are meaningless. */
	if (s->begun)
		*last = (struct last){ header->timestamp, header->sequence, true };
	return 0;
}

int etw_bufstream_add(struct etw_bufstream *s, const void *data, size_t size)
{
	struct etw_etl_info info;
	struct etw_block *block;
	bool wide;
	int err;

	block = copy(data, size, &err);
	if (!block)
		return err;
	err = 0;
	if (block->header.type == ETW_BUFFER_TYPE_HEADER)
		err = etw_etl_info_read(block->data, block->header.offset, &info, &wide);
	pthread_mutex_lock(&s->lock);
	if (!err)
		err = check_order(s, &block->header);
	if (!err) {
		s->begun = true;
		s->queued += block->size;
		*s->end = block;
		s->end = &block->next;
		pthread_cond_signal(&s->more);
	}
	pthread_mutex_unlock(&s->lock);
	if (err)
		free(block);
	return err;
}

static void stream_stop(void *from)
{
	struct etw_bufstream *s = from;

	pthread_mutex_lock(&s->lock);
	s->ended = true;
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
}

/* -------------------------------------------------------------------- reading */

/* The flush of this buffer shows that its CPU is complete up to the flush's time. */
static int note_flush(struct etw_bufstream *s, const struct etw_buffer_header *header)
{
	size_t cpu = header->processor;
	int64_t *flushed;
	size_t i;

	if (cpu >= s->flushed_count) {
		flushed = realloc(s->flushed, (cpu + 1) * sizeof(*flushed));
		if (!flushed)
			return -ENOMEM;
		s->flushed = flushed;
		while (s->flushed_count <= cpu)
			flushed[s->flushed_count++] = INT64_MIN;
	}
	s->seen += s->flushed[cpu] == INT64_MIN;
	s->flushed[cpu] = header->timestamp > INT64_MIN ? header->timestamp : INT64_MIN + 1;
	if (header->timestamp > s->newest)
		s->newest = header->timestamp;
	s->quiet = false;
	s->safe = INT64_MIN;
	if (s->seen < s->info.header.NumberOfProcessors)
		return 0;
	s->safe = INT64_MAX;
	for (i = 0; i < s->flushed_count; i++)
		if (s->flushed[i] != INT64_MIN && s->flushed[i] < s->safe)
			s->safe = s->flushed[i];
	return 0;
}

/* Hand an added buffer to the reader; 0 or -ENOMEM. */
static int take(struct etw_bufstream *s, struct etw_block *block)
{
	bool wide;
	int ret;

	if (block->header.type == ETW_BUFFER_TYPE_HEADER) {
		/* This cannot fail: adding the buffer checked it. */
		etw_etl_info_read(block->data, block->header.offset, &s->info, &wide);
		etw_etl_time_init(&s->time, &s->info);
	} else if (note_flush(s, &block->header)) {
		finish(s, block);
		return -ENOMEM;
	}
	block->lost_events = block->header.flags & ETW_BUFFER_EVENTS_LOST;
	block->lost_file = block->header.flags & ETW_BUFFER_BACKUP_LOST;
	ret = etw_merge_add(&s->merge, block);
	if (ret <= 0)
		finish(s, block);
	return ret < 0 ? ret : 0;
}

static void unlock(void *arg)
{
	pthread_mutex_unlock(arg);
}

/* Wait for buffers and return them in *list. False: there will be none. */
static bool wait_for_more(struct etw_bufstream *s, bool holding, struct etw_block **list)
{
	struct timespec until;
	bool more;

	s->quiet = false;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += QUIET_SECONDS;
	pthread_mutex_lock(&s->lock);
	pthread_cleanup_push(unlock, &s->lock);
	while (!s->first && !s->ended && !s->quiet) {
		if (!holding)
			pthread_cond_wait(&s->more, &s->lock);
		else if (pthread_cond_timedwait(&s->more, &s->lock, &until))
			s->quiet = true;
	}
	*list = s->first;
	s->first = NULL;
	s->end = &s->first;
	s->queued = 0;
	more = !s->ended || *list;
	pthread_cleanup_pop(1);
	return more;
}

static bool may_go(const struct etw_bufstream *s, int64_t time)
{
	const struct etw_block *block = s->merge.heap[0]->first;

	return time <= s->safe || s->quiet || s->merge.bytes > HOLD_MAX ||
	       block->header.type == ETW_BUFFER_TYPE_HEADER ||
	       (wide)s->newest - time > (wide)s->time.frequency * HOLD_SECONDS;
}

static void hand_out(struct etw_bufstream *s, struct etw_event *event)
{
	int64_t time;

	memset(event, 0, sizeof(*event));
	etw_merge_take(&s->merge, event);
	if (event->buffer_done)
		s->spent = etw_block_of(event->buffer);
	time = event->record.header->timestamp;
	if (s->last != INT64_MIN)
		etw_etl_time_steer(&s->time, event->buffer, s->last);
	event->time = etw_etl_time(&s->time, time, &event->nanos);
	if (time > s->last)
		s->last = time;
}

static int stream_next(void *from, struct etw_event *event, int timeout_ms)
{
	struct etw_bufstream *s = from;
	struct etw_block *list, *block;
	bool holding, more = true;
	int64_t time;
	int err = 0;

	(void)timeout_ms;
	block = s->spent;
	s->spent = NULL;
	finish(s, block);
	for (;;) {
		holding = etw_merge_first(&s->merge, &time);
		if (holding && (!more || may_go(s, time))) {
			hand_out(s, event);
			return 1;
		}
		if (!more)
			return 0;
		more = wait_for_more(s, holding, &list);
		while ((block = list)) {
			list = block->next;
			err = take(s, block) ?: err;
		}
		if (err)
			return err;
	}
}

const struct etw_etl_info *etw_bufstream_info(const struct etw_bufstream *s)
{
	return &s->info;
}

const struct etw_source_ops etw_source_stream_ops = {
	.next = stream_next, .stop = stream_stop, .close = stream_close,
};

int etw_source_open_stream(struct etw_source *source, etw_bufstream_done_fn *done, void *context)
{
	struct etw_bufstream *s = calloc(1, sizeof(*s));
	pthread_condattr_t attr;

	if (!s)
		return -ENOMEM;
	s->done = done;
	s->context = context;
	s->end = &s->first;
	s->newest = INT64_MIN;
	s->last = INT64_MIN;
	s->safe = INT64_MIN;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->more, &attr);
	pthread_condattr_destroy(&attr);
	source->ops = &etw_source_stream_ops;
	source->from = s;
	return 0;
}
