// SPDX-License-Identifier: MIT
/*
 * deliver.c - number the complete buffers of a private session and write them
 *
 * Whoever holds the session's lock delivers: its thread, or a call that flushes or stops it.
 * Buffers of one CPU are written in the order in which they were installed. A newer one can
 * be complete first, because a thread may lose its CPU between reserve and commit; it waits,
 * but not for long, since a thread may also be stopped there.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "private_session.h"

#define WAIT_NS		1000000000ULL	/* for a writer to finish */
#define STEP_NS		100000L

__extension__ typedef __int128 wide;

int64_t etw_private_time(const struct private_session *s, uint64_t clock)
{
	wide ticks = (int64_t)(clock - s->start_clock);

	return (int64_t)s->start_wall + (int64_t)(ticks * 10000000 / (int64_t)s->frequency);
}

static void pause_step(void)
{
	const struct timespec step = { .tv_nsec = STEP_NS };

	nanosleep(&step, NULL);
}

/* ------------------------------------------------------------------ losses */

/*
 * Add up what writers lost since the last time. Their counts are exact; of the times, which
 * they store separately, only what lies in between can be right.
 */
static void collect(struct private_session *s)
{
	uint64_t now = private_clock_read(s->clock), from = s->collected;
	uint32_t i, cause;

	s->collected = now;
	if (!atomic_exchange(&s->losing, false))
		return;
	for (i = 0; i < s->cpu_room; i++) {
		for (cause = 0; cause < ETW_DROP_CAUSES; cause++) {
			struct private_loss *note = &s->cpus[i].lost[cause];
			uint64_t events = atomic_exchange(&note->events, 0);
			uint64_t first = atomic_load(&note->first), last = atomic_load(&note->last);
			struct etw_loss_payload loss = { .code = cause, .cpu = i, .events = events };

			if (!events)
				continue;
			if (last < from || last > now)
				last = now;
			if (first < from || first > last)
				first = from;
			loss.first = etw_private_time(s, first);
			loss.last = etw_private_time(s, last);
			s->events_lost += events;
			etw_losses_add(&s->losses, &loss);
		}
	}
}

/* Record the losses behind the events of a buffer, as far as there is room. */
static void record_losses(struct private_session *s, struct etw_buf *buf)
{
	struct etw_loss_output output = {
		.data = buf->data,
		.at = buf->used,
		.end = s->ring.size,
		.timestamp = buf->closed,
		.noted = etw_private_time(s, buf->closed),
		.session = s->name,
		.session_len = strlen(s->name),
	};

	if (!s->losses.present)
		return;
	etw_losses_clear(&s->losses, etw_losses_build(&s->losses, &output));
	buf->used = output.at;
}

/* The file does not get this buffer. events: without records of losses, which begin at at. */
static void miss(struct private_session *s, struct private_file *file, const struct etw_buf *buf,
		 uint32_t events, uint32_t at, int err)
{
	const struct etw_buffer_header *h = (const void *)buf->data;
	struct etw_loss_payload loss = {
		.code = etw_loss_of_file_error(err),
		.cpu = buf->cpu,
		.events = events,
		.buffers = 1,
		.first = etw_private_time(s, h->ref_clock),
		.last = etw_private_time(s, buf->closed),
	};

	file->buffers_lost++;
	file->events_lost += events;
	etw_losses_add(&file->missed, &loss);
	etw_losses_add_records(&file->missed, buf->data, at, buf->used);
}

/* ---------------------------------------------------------------- delivery */

void etw_private_session_info(const struct private_session *s, struct etw_session_info *info)
{
	memset(info, 0, sizeof(*info));
	info->buffer_size = s->ring.size;
	info->clock = s->type;
	info->clock_freq = s->frequency;
	info->logger_id = ETW_PRIVATE_LOGGER_ID(s->slot);
	info->mode = s->mode;
	info->start_clock = s->start_clock;
	info->start_wall = s->start_wall;
	strcpy(info->name, s->name);
}

void etw_private_session_end(const struct private_session *s, bool continued,
			     struct private_file_end *end)
{
	*end = (struct private_file_end){
		.wall = private_wall(),
		.clock = private_clock_read(s->clock),
		.events_lost = s->events_lost,
		.session = s->name,
		.continued = continued,
	};
}

static int end_file(struct private_session *s, struct private_file *file, bool continued)
{
	struct private_file_end end;

	etw_private_session_end(s, continued, &end);
	return etw_private_file_end(file, &end, &s->losses);
}

/* Complete a buffer's header, and overwrite its unused rest. */
static void fill_header(struct private_session *s, struct etw_buf *buf)
{
	struct etw_buffer_header *h = (struct etw_buffer_header *)buf->data;

	memset(buf->data + buf->used, ETW_TAIL_BYTE, s->ring.size - buf->used);
	/* Not when it was closed: buffers of several CPUs are numbered in the order of this time. */
	h->timestamp = private_clock_read(s->clock);
	h->sequence = s->next_sequence;
	h->saved_offset = buf->used;
	h->current_offset = buf->used;
	h->offset = buf->used;
	h->state = ETW_BUFFER_STATE_FLUSH;
	h->type = ETW_BUFFER_TYPE_GENERIC;
}

/* A complete buffer comes next: write it to the file, and let writers have it again. */
static void publish(struct private_session *s, struct private_file *file, struct etw_buf *buf)
{
	uint32_t events = ETW_COMMIT_COUNT(etw_word_read(&buf->commit)), at = buf->used;
	struct etw_buffer_header *h = (struct etw_buffer_header *)buf->data;
	struct private_file_end end;
	struct etw_session_info info;
	int err;

	if (events) {
		if (atomic_load(&s->losing))
			h->flags |= ETW_BUFFER_EVENTS_LOST;
		collect(s);
		record_losses(s, buf);
		fill_header(s, buf);
		etw_private_session_info(s, &info);
		etw_private_session_end(s, true, &end);
		err = etw_private_file_write(file, &info, &end, buf->data);
		s->error = err == -EFBIG ? 0 : err;
		if (err)
			miss(s, file, buf, events, at, err);
		else
			s->next_sequence++;
		s->delivered_buffers++;
	}
	etw_pool_push(&s->ring.pool, buf->index);
}

/* Put a complete buffer among those of its CPU that wait for their turn. */
static void arrive(struct private_session *s, struct private_buffer *b)
{
	struct private_buffer **at = &s->cpus[b->buf.cpu].waiting;

	while (*at && (int16_t)((*at)->buf.generation - b->buf.generation) < 0)
		at = &(*at)->next;
	b->next = *at;
	*at = b;
}

/* Have the buffers of this CPU waited long enough for one before them? */
static bool is_overdue(struct private_cpu *cpu)
{
	uint64_t now = private_ns(CLOCK_MONOTONIC);

	if (!cpu->since)
		cpu->since = now;
	return now - cpu->since > WAIT_NS;
}

/* Write the buffers of a CPU that are next, or all. A late one comes after those it held up. */
static void advance(struct private_session *s, struct private_file *file,
		    struct private_cpu *cpu, bool all)
{
	struct private_buffer *b;
	int16_t ahead;

	while ((b = cpu->waiting)) {
		ahead = b->buf.generation - cpu->next;
		if (ahead > 0 && !all && !is_overdue(cpu))
			break;
		cpu->waiting = b->next;
		cpu->since = 0;
		if (ahead >= 0)
			cpu->next = b->buf.generation + 1;
		publish(s, file, &b->buf);
	}
}

static void take_over(struct private_session *s, struct private_file *file, bool all)
{
	uint32_t index, i;

	while ((index = etw_fifo_pop(&s->done)))
		arrive(s, private_buffer_of(etw_pool_buf(&s->ring.pool, index)));
	for (i = 0; i < s->cpu_room; i++)
		if (s->cpus[i].waiting)
			advance(s, file, &s->cpus[i], all);
}

void etw_private_deliver(struct private_session *s)
{
	take_over(s, &s->file, false);
}

/* The buffers of a CPU that were closed and are not complete. */
static uint16_t incomplete(const struct private_cpu *cpu)
{
	uint16_t delivered = atomic_load(&cpu->delivered);
	u64 cur = etw_word_read_acquire(&cpu->ring.cur);

	return ETW_CUR_GENERATION(cur) - !!ETW_CUR_INDEX(cur) - delivered;
}

/*
 * Is every buffer that was closed complete, except those that were given up?  True if that
 * held at one moment for each CPU.
 */
static bool all_delivered(struct private_session *s)
{
	bool all = true;
	uint32_t i;

	for (i = 0; i < s->cpu_room; i++) {
		struct private_cpu *cpu = &s->cpus[i];
		uint16_t left = incomplete(cpu);

		/* One that was given up has been completed after all. */
		if (cpu->abandoned > left)
			cpu->abandoned = left;
		all &= cpu->abandoned == left;
	}
	return all;
}

/*
 * Close what is open, and wait until it is complete. Buffers whose writers never end are waited
 * for once. Meanwhile writers need room: file is NULL only if they overwrite the oldest.
 */
static void settle(struct private_session *s, struct private_file *file)
{
	uint64_t end = private_ns(CLOCK_MONOTONIC) + WAIT_NS;
	bool late = false;
	uint32_t i;

	etw_private_buffers_close(s, false);
	while (!all_delivered(s) && !late) {
		if (file)
			take_over(s, file, false);
		pause_step();
		late = private_ns(CLOCK_MONOTONIC) > end;
	}
	for (i = 0; late && i < s->cpu_room; i++)
		s->cpus[i].abandoned = incomplete(&s->cpus[i]);
	if (file)
		take_over(s, file, late);
}

static void sample_clocks(struct private_session *s)
{
	s->sync_clock = private_clock_read(s->clock);
	s->sync_mono = private_ns(CLOCK_MONOTONIC);
	s->sync_wall = private_wall();
}

void etw_private_deliver_all(struct private_session *s)
{
	settle(s, &s->file);
	collect(s);
	sample_clocks(s);
}

/* ---------------------------------------------------------------- snapshot */

/* Of each CPU the oldest buffers may have been overwritten; the rest is in order. */
static void begin_at_oldest(struct private_session *s)
{
	uint32_t index, i;

	while ((index = etw_fifo_pop(&s->done)))
		arrive(s, private_buffer_of(etw_pool_buf(&s->ring.pool, index)));
	for (i = 0; i < s->cpu_room; i++)
		if (s->cpus[i].waiting)
			s->cpus[i].next = s->cpus[i].waiting->buf.generation;
}

int etw_private_deliver_snapshot(struct private_session *s, struct private_file *file)
{
	struct etw_session_info info;
	int err, failed;

	etw_private_session_info(s, &info);
	err = etw_private_file_begin(file, &info);
	if (err)
		return err;
	settle(s, NULL);
	begin_at_oldest(s);
	take_over(s, file, true);
	failed = s->error;
	collect(s);
	sample_clocks(s);
	err = end_file(s, file, true);
	return failed ? failed : err;
}

/* --------------------------------------------------------------------- end */

/* Take all free buffers, so that no writer gets one; how many in all. */
static uint32_t take_free(struct private_session *s)
{
	uint32_t index, count = 0;

	while ((index = etw_pool_pop(&s->ring.pool)) ||
	       (s->buffering && (index = etw_fifo_pop(&s->done)))) {
		s->buffers[index - 1].taken = true;
		count++;
	}
	return count;
}

/* Count what lies in buffers whose writer never came back, and the event it was writing. */
static void abandon(struct private_session *s)
{
	struct etw_loss_payload loss = { .code = ETW_LOSS_ABANDONED, .cpu = -1 };
	uint32_t i;

	for (i = 1; i <= s->total; i++) {
		if (s->buffers[i - 1].taken)
			continue;
		loss.buffers++;
		loss.events += ETW_COMMIT_COUNT(etw_word_read(&s->buffers[i - 1].buf.commit)) + 1;
	}
	loss.first = etw_private_time(s, s->collected);
	loss.last = etw_private_time(s, private_clock_read(s->clock));
	s->events_lost += loss.events;
	etw_losses_add(&s->losses, &loss);
}

bool etw_private_deliver_end(struct private_session *s)
{
	uint64_t end = private_ns(CLOCK_MONOTONIC) + WAIT_NS;
	uint32_t held = 0;
	bool late = false;

	for (;;) {
		etw_private_buffers_close(s, true);
		if (!s->buffering)
			take_over(s, &s->file, late);
		held += take_free(s);
		if (held == s->total || late)
			break;
		pause_step();
		late = private_ns(CLOCK_MONOTONIC) > end;
	}
	collect(s);
	if (held < s->total)
		abandon(s);
	sample_clocks(s);
	if (s->file.head)
		s->error = end_file(s, &s->file, false);
	return held == s->total;
}
