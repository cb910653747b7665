/* SPDX-License-Identifier: MIT */
/*
 * etl_simulate.h - log files of simulated sessions, and the tally of their writers
 *
 * A simulated session loses events and buffers as the module does, counts them in its buffers
 * and headers, and records lost events, as the module does; but it records no lost buffers. Its
 * wall clock may be set back. The tally has every event that was attempted, with
 * its time and its buffer, whatever became of it.
 */
#ifndef ETW_SELFTESTS_ETL_SIMULATE_H
#define ETW_SELFTESTS_ETL_SIMULATE_H

#include "etl_image.h"

#include <evntrace.h>

#include "core/ledger.h"

#define SIM_FILES	8
#define SIM_BUFFERS	160		/* in a file, at most */
#define SIM_CPUS	6
#define SIM_HELD	6		/* buffers that a BUFFERING session keeps */
#define SIM_SIZE_MAX	2048
#define SIM_APART	(200 * 1000 * 1000)	/* ns between a session and the next of its id */
#define SIM_WORDS	3		/* of a payload that identify the event */

enum sim_kind {
	SIM_SEQUENTIAL, SIM_PREALLOCATED, SIM_CIRCULAR, SIM_NEWFILE, SIM_SNAPSHOTS, SIM_APPENDED,
	SIM_KINDS
};

static const uint32_t sim_modes[] = {
	EVENT_TRACE_FILE_MODE_SEQUENTIAL, EVENT_TRACE_FILE_MODE_PREALLOCATE,
	EVENT_TRACE_FILE_MODE_CIRCULAR, EVENT_TRACE_FILE_MODE_NEWFILE, EVENT_TRACE_BUFFERING_MODE,
	EVENT_TRACE_FILE_MODE_APPEND,
};

/* An event that a writer attempted */
struct sim_event {
	int64_t time;		/* FILETIME */
	int64_t sequence;	/* of its buffer; -1: it has none */
	uint32_t stream;	/* the session's */
	bool overwritten;	/* in memory or in the file, as its mode allows */
	uint8_t seen;		/* times that a reader found it */
};

struct sim_file {
	unsigned char *data;
	size_t len, room;
	size_t at[SIM_BUFFERS + 1];	/* [0] is the header's */
	unsigned int count;
	uint32_t size;			/* of a buffer */
	uint32_t stream;
	bool gone;			/* not given to the judge */
	bool continued;			/* its session went on after it */
};

struct sim_memory {
	unsigned char data[SIM_SIZE_MAX] __attribute__((__aligned__(16)));
};

/* A session while it runs */
struct sim_session {
	enum sim_kind kind;
	uint32_t stream, size, cpus, limit;	/* limit: buffers of a file */
	uint32_t lose_events, lose_buffers;	/* one in so many runs of them; 0: none */
	uint16_t logger_id;
	bool crash;				/* nobody closes the file ... */
	bool crashed;				/* ... or did not when a session appended to it */
	bool records;				/* of its losses are in its buffers ... */
	struct etw_loss_payload lost;		/* ... and this one is not yet */
	int64_t set_back;			/* 100 ns that the wall clock was set back by */
	uint64_t start, clock, sequence, lost_events, lost_buffers;
	bool pending;				/* lost events that no flag reports yet */
	uint64_t losing;			/* buffers yet to lose */
	struct sim_memory cpu[SIM_CPUS], held[SIM_HELD];
	struct feed feed[SIM_CPUS];
	uint32_t held_count, slot;		/* slot: next place of a circle */
};

/* The files of one or two sessions */
struct sim_set {
	struct sim_file files[SIM_FILES];
	unsigned int count;
	struct sim_event *events;
	uint32_t event_count, event_room;
};

static void sim_room(struct sim_file *f, size_t len)
{
	if (len <= f->room)
		return;
	f->room = 2 * len;
	f->data = realloc(f->data, f->room);
	if (!f->data)
		abort();
}

static struct etw_log_header *sim_header(struct sim_file *f)
{
	return (void *)(f->data + ETW_LOG_HEADER_AT);
}

static uint32_t sim_add_event(struct sim_set *set, const struct sim_session *s)
{
	if (set->event_count == set->event_room) {
		set->event_room = set->event_room ? 2 * set->event_room : 512;
		set->events = realloc(set->events, set->event_room * sizeof(*set->events));
		if (!set->events)
			abort();
	}
	set->events[set->event_count] = (struct sim_event){
		.time = filetime(s->clock), .sequence = -1, .stream = s->stream,
	};
	return set->event_count++;
}

/* ------------------------------------------------------------------- files */

static struct sim_file *sim_begin_file(struct sim_set *set, struct sim_session *s)
{
	struct etw_log_head head = { .header = {
		.buffer_size = s->size, .version = { 10, 0, 1, 5 }, .processors = s->cpus,
		.mode = sim_modes[s->kind], .pointer_size = 8, .start_buffers = 1,
		.frequency = 1000000000, .start_time = filetime(s->start),
		.clock = ETW_CLOCK_QPC, .buffers_written = 1,
	}, .start_clock = (int64_t)s->start, .logger_id = s->logger_id, .logger = &"abcdefgh"[s->logger_id], .logger_len = 1,
	   .file = "/f", .file_len = 2 };
	struct sim_file *f = &set->files[set->count++];

	if (s->kind == SIM_CIRCULAR) {
		head.header.mode |= EVENT_TRACE_USE_KBYTES_FOR_SIZE;
		head.header.max_file_size = s->limit * s->size / 1024;
	}
	f->len = 0;
	f->count = 1;
	f->size = s->size;
	f->stream = s->stream;
	f->gone = false;
	f->continued = s->kind == SIM_SNAPSHOTS;
	sim_room(f, s->size);
	etw_log_head_build(f->data, &head);
	f->at[0] = 0;
	f->len = s->size;
	s->slot = 1;
	return f;
}

static void sim_end_file(struct sim_file *f, const struct sim_session *s)
{
	struct etw_log_header *h = sim_header(f);
	size_t unused = s->size * pick(6);

	if (s->crash) {
		if (s->kind == SIM_PREALLOCATED) {
			sim_room(f, f->len + unused);
			memset(f->data + f->len, 0, unused);
			f->len += unused;
		}
		return;
	}
	h->end_time = filetime(s->clock + 100) - s->set_back;
	((struct etw_buffer_header *)f->data)->ref_time = h->end_time;
	((struct etw_buffer_header *)f->data)->ref_clock = (int64_t)s->clock + 100;
	h->buffers_written = f->count;
	h->events_lost += (uint32_t)s->lost_events;
	h->buffers_lost += (uint32_t)s->lost_buffers;
}

/* Does the session lose the next buffer to its file? */
static bool sim_loses_buffer(struct sim_session *s)
{
	/* A real session records those that it loses before its first one. */
	if (s->kind == SIM_APPENDED && s->sequence == 1)
		return false;
	if (!s->losing && s->lose_buffers && !pick(s->lose_buffers))
		s->losing = 1 + pick(4);
	if (!s->losing)
		return false;
	s->losing--;
	s->lost_buffers++;
	return true;
}

static void sim_overwrite(struct sim_set *set, int64_t sequence, uint32_t stream)
{
	uint32_t i;

	for (i = 0; i < set->event_count; i++)
		if (set->events[i].sequence == sequence && set->events[i].stream == stream)
			set->events[i].overwritten = true;
}

/* Put a numbered buffer into the present file, or the next one. */
static void sim_store(struct sim_set *set, struct sim_session *s, const void *data)
{
	struct sim_file *f = &set->files[set->count - 1];
	struct etw_buffer_header old;
	size_t at;

	if (sim_loses_buffer(s))
		return;
	if (s->kind == SIM_NEWFILE && f->count >= s->limit && set->count < SIM_FILES / 2) {
		sim_end_file(f, s);
		sim_header(f)->continued = s->crash ? 0 : ETW_LOG_CONTINUED;
		f->continued = true;
		f = sim_begin_file(set, s);
	}
	if (s->kind == SIM_CIRCULAR && s->slot >= s->limit)
		s->slot = 1;
	at = s->kind == SIM_CIRCULAR ? (size_t)s->slot++ * s->size : f->len;
	if (at < f->len) {
		memcpy(&old, f->data + at, sizeof(old));
		sim_overwrite(set, old.sequence, s->stream);
	} else if (f->count <= SIM_BUFFERS) {
		sim_room(f, at + s->size);
		f->at[f->count++] = at;
		f->len += s->size;
	} else {
		s->lost_buffers++;
		return;
	}
	memcpy(f->data + at, data, s->size);
}

/* ----------------------------------------------------------------- buffers */

static bool sim_is_event(const struct etw_event_header *r)
{
	static const struct etw_guid ledger = ETW_LEDGER_GUID;

	return memcmp(&r->provider, &ledger, sizeof(ledger));
}

/* Record in a buffer, behind its events, what was lost before it was closed. */
static void sim_record(struct sim_session *s, struct sim_memory *m)
{
	struct etw_buffer_header *h = (void *)m->data;

	if (!s->records || !s->lost.events || h->offset + ETW_LOSS_SLOT_MAX > s->size)
		return;
	s->lost.noted = filetime(s->clock);
	h->offset += etw_loss_build(m->data + h->offset, &s->lost, "s", 1, (int64_t)s->clock,
				    ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE);
	h->saved_offset = h->current_offset = h->offset;
	s->lost.events = 0;
}

/* The attempt to write an event on this CPU failed now. */
static void sim_lose(struct sim_session *s, uint32_t cpu)
{
	int64_t time = filetime(s->clock);

	if (!s->lost.events)
		s->lost = (struct etw_loss_payload){ .cpu = (int)cpu, .first = time };
	if (s->lost.cpu != (int)cpu)
		s->lost.cpu = -1;
	s->lost.last = time;
	s->lost.events++;
	s->lost_events++;
	s->pending = true;
}

static void sim_number(struct sim_set *set, struct sim_session *s, struct sim_memory *m)
{
	struct etw_buffer_header *h = (void *)m->data;
	struct sim_event *e;
	uint32_t i, at, words[SIM_WORDS];

	h->timestamp = (int64_t)++s->clock;
	h->sequence = (int64_t)s->sequence++;
	h->flags |= s->pending ? ETW_BUFFER_EVENTS_LOST : 0;
	s->pending = false;
	for (at = ETW_BUFFER_HEADER_SIZE; at < h->offset; at += i) {
		struct etw_event_header *r = (void *)(m->data + at);

		i = etw_record_slot(r->size);
		if (!sim_is_event(r))
			continue;
		memcpy(words, r + 1, sizeof(words));
		e = &set->events[words[1]];
		e->sequence = h->sequence;
	}
}

static void sim_deliver(struct sim_set *set, struct sim_session *s, struct sim_memory *m)
{
	uint32_t at;

	if (s->kind != SIM_SNAPSHOTS) {
		sim_number(set, s, m);
		sim_store(set, s, m->data);
		return;
	}
	if (s->held_count == SIM_HELD) {
		const struct etw_buffer_header *h = (const void *)s->held[0].data;

		for (at = ETW_BUFFER_HEADER_SIZE; at < h->offset;) {
			const struct etw_event_header *r = (const void *)(s->held[0].data + at);
			uint32_t words[SIM_WORDS];

			at += etw_record_slot(r->size);
			if (!sim_is_event(r))
				continue;
			memcpy(words, r + 1, sizeof(words));
			set->events[words[1]].overwritten = true;
		}
		memmove(s->held, s->held + 1, sizeof(s->held[0]) * --s->held_count);
	}
	memcpy(s->held[s->held_count++].data, m->data, sizeof(m->data));
}

static void sim_close_buffer(struct sim_set *set, struct sim_session *s, uint32_t cpu)
{
	if (!s->feed[cpu].data)
		return;
	s->feed[cpu].data = NULL;
	sim_record(s, &s->cpu[cpu]);
	sim_deliver(set, s, &s->cpu[cpu]);
}

/* As FLUSH does; a session that keeps its events in memory writes them to a new file. */
static void sim_flush(struct sim_set *set, struct sim_session *s)
{
	uint32_t cpu, i, first = pick(s->cpus);

	for (cpu = 0; cpu < s->cpus; cpu++)
		sim_close_buffer(set, s, (first + cpu) % s->cpus);
	if (s->kind != SIM_SNAPSHOTS || set->count == SIM_FILES / 2)
		return;
	sim_begin_file(set, s);
	for (i = 0; i < s->held_count; i++) {
		sim_number(set, s, &s->held[i]);
		sim_store(set, s, s->held[i].data);
	}
	s->held_count = 0;
	s->clock += 10;
	sim_end_file(&set->files[set->count - 1], s);
}

/* ------------------------------------------------------------------ events */

static uint32_t sim_payload(uint32_t stream, uint32_t number, uint32_t words[60])
{
	words[0] = stream;
	words[1] = number;
	words[2] = ~number ^ stream;
	return pick_payload(words, SIM_WORDS, 50, number);
}

static void sim_write(struct sim_set *set, struct sim_session *s)
{
	uint32_t cpu = pick(pick(3) ? (s->cpus + 1) / 2 : s->cpus);
	uint32_t words[60], number, len;

	s->clock += 100 + pick(2000);
	if (s->feed[cpu].data)
		goto write;
begin:
	/* No free buffer: events are lost for some time. */
	if (s->lose_events && !pick(s->lose_events)) {
		for (len = 1 + pick(5); len; len--) {
			s->clock += 100 + pick(200);
			sim_add_event(set, s);
			sim_lose(s, cpu);
		}
	}
	feed_start(&s->feed[cpu], s->cpu[cpu].data, s->size, cpu, 0);
	((struct etw_buffer_header *)s->cpu[cpu].data)->logger_id = s->logger_id;
	((struct etw_buffer_header *)s->cpu[cpu].data)->ref_time = filetime(s->clock) - s->set_back;
	((struct etw_buffer_header *)s->cpu[cpu].data)->ref_clock = (int64_t)s->clock;
	s->clock += 10;
write:
	number = set->event_count;
	len = sim_payload(s->stream, number, words);
	if (!feed_event(&s->feed[cpu], s->clock, number & 0xFFFF, NULL, words, len)) {
		sim_close_buffer(set, s, cpu);
		s->clock += 10;
		goto begin;
	}
	sim_add_event(set, s);
}

static void sim_begin_session(struct sim_session *s, enum sim_kind kind, uint32_t stream,
			      uint64_t start)
{
	memset(s, 0, sizeof(*s));
	s->kind = kind;
	s->stream = stream;
	s->size = 1024u << pick(2);
	s->cpus = 1 + pick(SIM_CPUS);
	s->limit = 4 + pick(20);
	s->lose_events = pick(2) ? 3 + pick(30) : 0;
	s->lose_buffers = kind == SIM_SNAPSHOTS || pick(2) ? 0 : 5 + pick(20);
	s->crash = !pick(8);
	s->records = pick(4);
	/* A whole FILETIME, so that readers of the file compute the times of the tally. */
	start -= start % 100;
	s->start = start;
	s->clock = start + 500;
}

static void sim_run(struct sim_set *set, struct sim_session *s)
{
	/* Short sessions have one buffer. */
	uint32_t events = s->kind == SIM_APPENDED && !pick(3) ? 1 : 30 + pick(400);

	while (events--) {
		sim_write(set, s);
		if (!pick(1000))
			s->set_back += pick(2) ? 3000000000 : 600000000;
		if (!pick(s->kind == SIM_SNAPSHOTS ? 100 : 60))
			sim_flush(set, s);
	}
	sim_flush(set, s);
}

/*
 * The machine crashes: the file ends anywhere and has no end. The session that appends to it then
 * records that in the first buffer; without room there, nobody will close the file.
 */
static void sim_crash(struct sim_file *f, struct sim_session *s)
{
	struct etw_buffer_header *first = (void *)f->data;
	struct etw_loss_payload loss = {
		.code = ETW_LOSS_FILE_UNCLOSED, .cpu = -1, .events = -1, .buffers = -1,
		.first = filetime(s->start), .last = filetime(s->clock), .noted = filetime(s->start),
	};

	s->crashed = true;
	f->count -= pick(f->count < 6 ? f->count : 6);
	f->len = (size_t)f->count * f->size;
	if (first->offset + ETW_LOSS_SLOT_MAX > f->size) {
		s->crash = true;
		return;
	}
	first->offset += etw_loss_build(f->data + first->offset, &loss, "s", 1, (int64_t)s->start,
					ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE);
	first->saved_offset = first->current_offset = first->offset;
}

/* Add a session's files to the set. Returns the time of its end by its clock. */
static uint64_t sim_session(struct sim_set *set, enum sim_kind kind, uint32_t stream,
			    uint16_t logger_id, uint64_t start, bool *closed)
{
	static struct sim_session s;

	sim_begin_session(&s, kind, stream, start);
	s.logger_id = logger_id;
	if (kind != SIM_SNAPSHOTS)
		sim_begin_file(set, &s);
	sim_run(set, &s);
	if (kind == SIM_APPENDED) {
		/* The clock goes on; the header's counts are those of both. */
		if (pick(3))
			sim_end_file(&set->files[set->count - 1], &s);
		else
			sim_crash(&set->files[set->count - 1], &s);
		s.sequence = s.lost_events = s.lost_buffers = s.losing = 0;
		s.pending = false;
		s.lost.events = 0;
		s.clock += 5000;
		sim_header(&set->files[set->count - 1])->end_time = 0;
		sim_run(set, &s);
	}
	if (kind != SIM_SNAPSHOTS)
		sim_end_file(&set->files[set->count - 1], &s);
	*closed = !s.crash && !s.crashed;
	return s.clock;
}

#endif /* ETW_SELFTESTS_ETL_SIMULATE_H */
