/* SPDX-License-Identifier: MIT */
/*
 * session_reader.c - the events of a running session, all CPUs in time order
 *
 * An event may be handed out when no earlier one can arrive any more. The kernel
 * reports a time and a buffer number: all events up to this time are in buffers below
 * this number (see ETW_IOC_BUFFER_TAKE). Once those buffers have been read, events up
 * to that time are safe. Later ones are held until the session's next flush.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "etl/block.h"
#include "etl/merge.h"
#include "session_reader.h"
#include "etl/timebase.h"
#include "device/poll_wakeup.h"

#define HOLD_MAX	(64u << 20)	/* bytes held before requesting a flush */
#define LOOK_MS		50		/* interval of queries while events are held */
#define READ_MAX	256		/* buffers read per refill when events are safe */

struct etw_reader {
	int control;			/* device */
	int consumer;
	struct etw_poll_wakeup wake;
	_Atomic bool woken;
	bool draining;			/* no more reading */
	bool ended;			/* the session has ended and all is read */
	bool forced;			/* hand out unsafe events until fewer bytes are held */
	struct etw_session_info info;
	struct etw_reader_count count;
	struct etw_merge merge;
	struct etw_block *spare;	/* for reading the next buffer */
	struct etw_block *spent;	/* its last record has been handed out */
	uint64_t next_sequence;		/* after the last buffer read */
	bool any_read;
	bool lost_events;
	uint32_t lost_buffers;		/* lost before the next block that is added */
	int64_t safe;			/* raw time; events up to it may be handed out */
	int64_t last;			/* raw time of the last event handed out */
	struct etw_timebase base;
	struct etw_time_pair start;
	uint64_t start_mono;
};

/*
 * Read a synchronisation point.  mono is immune to steps of the wall clock, and counts the time
 * that the machine slept.
 */
static void get_pair(const struct etw_reader *r, uint64_t clock, uint64_t mono,
		     struct etw_time_pair *pair)
{
	pair->clock = clock;
	pair->time = r->start.time + (int64_t)(mono - r->start_mono) / 100;
}

static int query(struct etw_reader *r, struct etw_session *session,
		 const char *name)
{
	int ret;

	memset(session, 0, sizeof(*session));
	session->handle = r->info.handle;
	if (name)
		etw_kdev_name_session(session, name);
	session->name_out = (uintptr_t)r->info.name;
	session->name_cap = ETW_NAME_MAX;
	ret = etw_kdev_session_query(r->control, session);
	if (!ret && session->name_out_len <= ETW_NAME_MAX)
		r->info.name[session->name_out_len] = '\0';
	return ret;
}

static void start_timebase(struct etw_reader *r, const struct etw_session *session)
{
	struct etw_time_pair now;

	r->start.clock = session->start_clock;
	r->start.time = session->start_wall;
	r->start_mono = session->start_mono;
	now = r->start;
	/* The session may be old: use its latest synchronisation point, not its start. */
	if (session->sync_clock > session->start_clock)
		get_pair(r, session->sync_clock, session->sync_mono, &now);
	etw_timebase_init(&r->base, session->clock_freq, &now);
	etw_timebase_steer(&r->base, now.clock, &r->start, &now);
}

/* Take over the synchronisation point that a flush has made. */
static void steer(struct etw_reader *r)
{
	struct etw_time_pair now;
	struct etw_session session;

	if (r->info.clock == ETW_CLOCK_SYSTEM || query(r, &session, NULL))
		return;
	get_pair(r, session.sync_clock, session.sync_mono, &now);
	if (session.sync_clock > session.start_clock)
		etw_timebase_steer(&r->base,
				   r->count.events ? r->last : now.clock,
				   &r->start, &now);
}

static int connect(struct etw_reader *r, const char *name)
{
	struct etw_consumer_open open = { .flags = O_NONBLOCK | O_CLOEXEC };
	struct etw_session session;
	int ret;

	ret = query(r, &session, name);
	if (ret)
		return ret;
	open.session = session.handle;
	ret = etw_kdev_consumer_open(r->control, &open);
	if (ret)
		return ret == -ESHUTDOWN ? -ENOENT : ret;
	r->consumer = open.fd;
	r->info.handle = session.handle;
	r->info.guid = session.guid;
	r->info.buffer_size = open.buffer_size;
	r->info.clock = session.clock;
	r->info.clock_freq = session.clock_freq;
	r->info.logger_id = session.logger_id;
	r->info.mode = session.mode;
	r->info.min_buffers = session.min_buffers;
	r->info.max_buffers = session.max_buffers;
	r->info.start_clock = session.start_clock;
	r->info.start_wall = session.start_wall;
	start_timebase(r, &session);
	return open.buffer_size < ETW_BUFFER_HEADER_SIZE ? -EINVAL : 0;
}

static void reader_close(void *from)
{
	struct etw_reader *reader = from;

	etw_poll_wakeup_close(&reader->wake);
	etw_kdev_close(reader->consumer);
	etw_kdev_close(reader->control);
	etw_merge_free(&reader->merge);
	etw_block_release(reader->spent);
	free(reader->spare);
	free(reader);
}

int etw_source_open_session(struct etw_source *source, const char *session)
{
	struct etw_reader *r;
	int ret;

	if (strlen(session) > ETW_NAME_MAX || !*session)
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->wake = (struct etw_poll_wakeup)ETW_WAKE_CLOSED;
	r->consumer = -1;
	r->safe = INT64_MIN;
	r->last = INT64_MIN;
	r->control = etw_kdev_open();
	if (r->control < 0) {
		ret = r->control == -ENOENT || r->control == -ENXIO ? -ENODEV : r->control;
		goto err_close;
	}
	ret = connect(r, session);
	if (!ret)
		ret = etw_poll_wakeup_open(&r->wake);
	if (ret)
		goto err_close;
	source->ops = &etw_source_session_ops;
	source->from = r;
	return 0;

err_close:
	reader_close(r);
	return ret;
}

static struct etw_block *get_block(struct etw_reader *r)
{
	struct etw_block *block = r->spare;

	r->spare = NULL;
	if (!block) {
		block = malloc(sizeof(*block) + r->info.buffer_size);
		if (block)
			block->size = r->info.buffer_size;
	}
	return block;
}

static void put_block(struct etw_reader *r, struct etw_block *block)
{
	free(r->spare);
	r->spare = block;
}

/* Check a buffer that was read and pass it to the merge. */
static int accept_block(struct etw_reader *r, struct etw_block *block)
{
	struct etw_buffer_header *header = &block->header;
	uint64_t sequence, gap = 0;
	int ret;

	if (etw_buffer_check(block->data, block->size, header)) {
		r->count.corrupt++;
		put_block(r, block);
		return 0;
	}
	sequence = header->sequence;
	if (r->any_read && sequence > r->next_sequence)
		gap = sequence - r->next_sequence;
	/* It stands for a buffer that is missing, too, and records why. */
	gap += !!(header->flags & ETW_BUFFER_BUFFER_LOST);
	r->any_read = true;
	r->next_sequence = sequence + 1;
	r->count.buffers++;
	r->count.bytes += header->offset;
	r->count.lost_buffers += gap;
	r->lost_buffers += gap;
	if (header->flags & ETW_BUFFER_EVENTS_LOST) {
		r->count.lost_marks++;
		r->lost_events = true;
	}
	block->lost_buffers = r->lost_buffers;
	block->lost_events = r->lost_events;
	block->lost_file = header->flags & ETW_BUFFER_BACKUP_LOST;
	ret = etw_merge_add(&r->merge, block);
	if (ret <= 0) {
		put_block(r, block);
		return ret;
	}
	r->lost_buffers = 0;
	r->lost_events = false;
	return 0;
}

/* Read one buffer. 1: done; 0: the session has ended; -EAGAIN; -errno. */
static int read_block(struct etw_reader *r)
{
	struct etw_block *block = get_block(r);
	ssize_t n;
	int ret;

	if (!block)
		return -ENOMEM;
	do {
		n = etw_kdev_read(r->consumer, block->data, block->size);
	} while (n == -EINTR);
	if (n <= 0) {
		put_block(r, block);
		return n;
	}
	if ((size_t)n != block->size) {
		put_block(r, block);
		return -EIO;
	}
	ret = accept_block(r, block);
	return ret ? ret : 1;
}

/*
 * Read the available buffers. 1: something has changed; 0: nothing; -errno. Query the
 * kernel's time and number before reading the buffers that they cover.
 */
static int refill(struct etw_reader *r)
{
	struct etw_buffer_take peek = { .flags = ETW_TAKE_PEEK };
	int64_t safe;
	int ret, n, changed = 0;

	ret = etw_kdev_buffer_take(r->consumer, &peek);
	if (ret && ret != -EAGAIN && ret != -ENODATA)
		return ret;
	for (n = 0; n < READ_MAX || r->next_sequence < peek.complete_sequence; n++) {
		ret = read_block(r);
		if (ret <= 0)
			break;
		changed = 1;
	}
	if (ret < 0 && ret != -EAGAIN)
		return ret;
	if (!ret) {
		r->ended = true;
		return 1;
	}
	safe = peek.complete_through > INT64_MAX ? INT64_MAX :
	       (int64_t)peek.complete_through;
	if (safe && safe > r->safe) {
		r->safe = safe;
		steer(r);
		changed = 1;
	}
	return changed;
}

/* Too much is held: request a flush from the session, or give up the order. */
static void relieve(struct etw_reader *r)
{
	struct etw_session session = { .handle = r->info.handle };
	int64_t before = r->safe;

	/* Errors of its file, or of a process that forwards, say nothing of what was delivered. */
	etw_kdev_session_flush(r->control, &session);
	if (refill(r) < 0 || (r->safe == before && !r->ended))
		r->forced = true;
}

/* After reader_stop(): the buffers available now are the last to be read. */
static void drain(struct etw_reader *r)
{
	struct etw_consumer_info info;
	uint64_t n;

	if (!etw_reader_stat(r, &info))
		/* One more may record lost ones. */
		for (n = info.backlog + 1; n && read_block(r) > 0; n--)
			;
	r->draining = true;
}

/* Wait for a buffer; -EAGAIN on timeout, or after a signal if there is a timeout. */
static int wait_for_buffer(struct etw_reader *r, int timeout_ms, uint64_t start)
{
	struct pollfd fds[2] = {
		{ .fd = r->consumer, .events = POLLIN },
		{ .fd = r->wake.fds[0], .events = POLLIN },
	};
	int wait = r->merge.heap_count ? LOOK_MS : -1;

	if (timeout_ms >= 0) {
		uint64_t gone = etw_monotonic_ms() - start;
		int left = gone >= (uint64_t)timeout_ms ? 0 : timeout_ms - (int)gone;

		if (!left)
			return -EAGAIN;
		if (wait < 0 || left < wait)
			wait = left;
	}
	return etw_kdev_poll(fds, 2, wait) == -EINTR && timeout_ms >= 0 ? -EAGAIN : 0;
}

static bool may_go(struct etw_reader *r, int64_t timestamp)
{
	if (r->forced && r->merge.bytes < HOLD_MAX / 2)
		r->forced = false;
	return timestamp <= r->safe || r->ended || r->draining || r->forced;
}

static void hand_out(struct etw_reader *r, struct etw_event *event)
{
	int64_t timestamp;

	memset(event, 0, sizeof(*event));
	etw_merge_take(&r->merge, event);
	if (event->buffer_done)
		r->spent = etw_block_of(event->buffer);
	timestamp = event->record.header->timestamp;
	if (r->info.clock == ETW_CLOCK_SYSTEM)
		event->time = timestamp;
	else
		event->time = etw_timebase_exact(&r->base, timestamp, &event->nanos);
	if (r->count.events++ && timestamp < r->last)
		r->count.disorder++;
	else
		r->last = timestamp;
}

static int reader_next(void *from, struct etw_event *event, int timeout_ms)
{
	uint64_t start = timeout_ms > 0 ? etw_monotonic_ms() : 0;
	struct etw_reader *r = from;
	int64_t timestamp;
	int ret;

	if (etw_block_drop(r->spent))
		put_block(r, r->spent);
	r->spent = NULL;
	for (;;) {
		if (!r->draining && atomic_load(&r->woken))
			drain(r);
		if (etw_merge_first(&r->merge, &timestamp)) {
			if (may_go(r, timestamp)) {
				hand_out(r, event);
				return 1;
			}
		} else if (r->ended || r->draining) {
			return 0;
		}
		if (r->merge.bytes > HOLD_MAX) {
			relieve(r);
			continue;
		}
		ret = refill(r);
		if (ret < 0)
			return ret;
		if (ret)
			continue;
		ret = wait_for_buffer(r, timeout_ms, start);
		if (ret)
			return ret;
	}
}

static void reader_stop(void *from)
{
	struct etw_reader *reader = from;

	atomic_store(&reader->woken, true);
	etw_poll_wakeup_signal(&reader->wake);
}

const struct etw_source_ops etw_source_session_ops = {
	.next = reader_next, .stop = reader_stop, .close = reader_close,
};

const struct etw_session_info *etw_session_info(const struct etw_reader *reader)
{
	return &reader->info;
}

void etw_reader_counts(const struct etw_reader *reader, struct etw_reader_count *count)
{
	*count = reader->count;
	count->corrupt += reader->merge.corrupt;
}

int etw_reader_stat(struct etw_reader *reader, struct etw_consumer_info *info)
{
	struct etw_consumer_stat stat = { 0 };
	int ret = etw_kdev_consumer_stat(reader->consumer, &stat);

	if (!ret)
		*info = stat.info;
	return ret;
}
