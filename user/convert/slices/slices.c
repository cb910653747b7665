/* SPDX-License-Identifier: MIT */
/*
 * slices.c - pair start and stop events
 *
 * Slices on a thread's track nest: a slice is drawn there only if it is the newest open one
 * of the thread when it ends.  So every slice that began later has ended, and lies in it,
 * and a slice that began earlier and ends later contains it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "convert/names.h"
#include "kernel_logger.h"

#define OPCODE_START	1	/* win:Start */
#define OPCODE_STOP	2	/* win:Stop */
#define NUDGE_MAX	100000	/* ns that a mark is moved at most, to keep the nesting */

int64_t slices_ns(int64_t filetime)
{
	if (filetime <= ETW_UNIX_EPOCH_100NS)
		return 0;
	filetime -= ETW_UNIX_EPOCH_100NS;
	return filetime > INT64_MAX / 100 - 100 ? INT64_MAX / 100 * 100 - 10000 : filetime * 100;
}

int64_t slices_time(const struct etw_event *event)
{
	int64_t ns = slices_ns(event->time);

	return ns ? ns + event->nanos : 0;
}

/* FNV-1a, mixed at the end: the same on every machine */
uint64_t slices_activity(const GUID *activity)
{
	static const GUID none;
	const unsigned char *at = (const unsigned char *)activity;
	uint64_t hash = 0xcbf29ce484222325ULL;
	size_t i;

	if (!memcmp(activity, &none, sizeof(none)))
		return 0;
	for (i = 0; i < sizeof(*activity); i++)
		hash = (hash ^ at[i]) * 0x100000001b3ULL;
	hash ^= hash >> 33;
	hash *= 0xff51afd7ed558ccdULL;
	hash ^= hash >> 33;
	return hash ? hash : 1;
}

struct slices *slices_new(struct convert *c, const struct slice_sink *sink, size_t limit)
{
	struct slices *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->own_processes = !c->processes;
	s->processes = c->processes ? c->processes : etw_process_table_new(0);
	if (!s->processes) {
		free(s);
		return NULL;
	}
	TAILQ_INIT(&s->open.all);
	s->c = c;
	s->sink = sink;
	s->limit = limit ? limit : SLICES_OPEN_MAX;
	return s;
}

void slices_free(struct slices *s)
{
	if (!s)
		return;
	open_free(&s->open);
	kernel_free(&s->kernel);
	if (s->own_processes)
		etw_process_table_free(s->processes);
	etw_text_free(&s->scratch);
	free(s);
}

/* Make the format's body of an event in scratch; name: instead of its own, or NULL. */
static int describe(struct slices *s, const struct convert_event *e, enum slice_part part,
		    const char *name, struct slice_body *body)
{
	int err;

	s->scratch.len = 0;
	err = s->sink->describe(s->c, e, part, name, &s->scratch);
	if (!err && s->scratch.error)
		err = convert_no_memory(s->c);
	body->data = s->scratch.data;
	body->len = s->scratch.len;
	return err;
}

static int instant(struct slices *s, const struct convert_event *e, int64_t ns)
{
	const EVENT_HEADER *header = &e->record->EventHeader;
	struct slice_track track = { .place = SLICE_THREAD, .pid = header->ProcessId,
				     .tid = header->ThreadId };
	struct slice_body body;
	int err = describe(s, e, SLICE_INSTANT, NULL, &body);

	return err ? err : s->sink->instant(s->c, &track, ns, &body);
}

static int loss(struct slices *s, const struct convert_event *e)
{
	const struct etw_loss_payload *payload = &e->loss->payload;
	struct slice slice = {
		.track = { .place = SLICE_LOSS, .number = payload->cpu < 0 ? SLICE_ANY_CPU :
							  (uint32_t)payload->cpu },
		.begin = slices_ns(e->loss->first),
		.end = slices_ns(e->loss->last),
	};
	char name[128];
	int err;

	if (payload->cpu < 0)
		snprintf(name, sizeof(name), "lost: %s", etw_loss_text(payload->code));
	else
		snprintf(name, sizeof(name), "lost on CPU %" PRId32 ": %s", payload->cpu,
			 etw_loss_text(payload->code));
	err = describe(s, e, SLICE_INSTANT, name, &slice.start);
	return err ? err : s->sink->slice(s->c, &slice);
}

/* Marks of a thread do not go back, except by more than a clock's steps explain. */
static int64_t not_before(int64_t ns, int64_t last)
{
	return ns < last && last - ns <= NUDGE_MAX ? last : ns;
}

/*
 * Hand an open slice to the format and free it.  stop: NULL if there was no stop event;
 * alone: it cannot be drawn on its thread's track.
 */
static int finish(struct slices *s, struct open_slice *open, int64_t end, bool alone,
		  const struct slice_body *stop)
{
	struct slice slice = {
		.track = { .place = alone ? SLICE_ALONE : SLICE_THREAD,
			   .pid = open->thread->pid, .tid = open->thread->tid },
		.begin = open->begin,
		.start = { open->body, open->len },
		.stop = stop,
		.activity = slices_activity(&open->activity),
		.parent = open->parent,
	};
	int err;

	if (!alone)
		end = not_before(end, open->thread->last);
	slice.end = end < open->begin ? open->begin : end;
	if (!alone)
		open->thread->last = slice.end;
	s->count.slices++;
	s->count.unfinished += !stop;
	if (alone)
		slice.track.number = ++s->count.alone;
	open_take(&s->open, open);
	err = s->sink->slice(s->c, &slice);
	open_release(&s->open, open);
	return err;
}

static int start(struct slices *s, const struct convert_event *e, int64_t ns)
{
	const GUID *related = convert_related(e->record);
	struct slice_body body;
	struct open_slice *open, *below;
	struct open_key key;
	GUID parent;
	int err;

	while (s->open.count >= s->limit ||
	       (s->open.count && s->open.held > SLICES_HELD_MAX)) {
		s->count.evicted++;
		err = finish(s, TAILQ_FIRST(&s->open.all), ns, true, NULL);
		if (err)
			return err;
	}
	err = describe(s, e, SLICE_START, NULL, &body);
	if (err)
		return err;
	open_key(&key, e);
	open = open_push(&s->open, &key, ns, s->scratch.len);
	if (!open)
		return convert_no_memory(s->c);
	if (s->scratch.len)
		memcpy(open->body, s->scratch.data, s->scratch.len);
	/* A slice begins after the one that contains it: see slices.h. */
	open->begin = not_before(ns, open->thread->last);
	below = LIST_NEXT(open, of_thread);
	if (below && open->begin == below->begin)
		open->begin++;
	open->thread->last = open->begin;
	if (related) {
		memcpy(&parent, related, sizeof(parent));
		open->parent = slices_activity(&parent);
	}
	return 0;
}

static int stop(struct slices *s, const struct convert_event *e, int64_t ns)
{
	struct slice_body body;
	struct open_slice *open;
	struct open_key key;
	bool alone;
	int err;

	open_key(&key, e);
	open = open_find(&s->open, &key);
	if (!open) {
		s->count.stops++;
		return instant(s, e, ns);
	}
	err = describe(s, e, SLICE_STOP, NULL, &body);
	if (err)
		return err;
	alone = open != LIST_FIRST(&open->thread->open) || open->thread->pid != key.pid ||
		open->thread->tid != key.tid;
	return finish(s, open, ns, alone, &body);
}

unsigned int slices_opcode(const struct etw_event *event)
{
	const struct etw_event_header *header = event->record.header;

	if (header->flags & (ETW_EVENT_CLASSIC_HEADER | EVENT_HEADER_FLAG_TRACE_MESSAGE))
		return 0;
	return header->desc.opcode;
}

int slices_event(struct slices *s, const struct convert_event *e)
{
	int64_t ns = slices_time(e->event);
	int ret;

	s->last = ns > s->last ? ns : s->last;
	if (e->loss)
		return loss(s, e);
	if (s->own_processes && etw_process_learn(s->processes, e->event) < 0)
		return convert_no_memory(s->c);
	ret = kernel_name_process(s, e->record->EventHeader.ProcessId, e->event->time);
	if (!ret)
		ret = kernel_event(s, e, ns);
	if (ret)
		return ret < 0 ? ret : 0;
	switch (slices_opcode(e->event)) {
	case OPCODE_START:
		return start(s, e, ns);
	case OPCODE_STOP:
		return stop(s, e, ns);
	default:
		return instant(s, e, ns);
	}
}

int slices_end(struct slices *s)
{
	int err = kernel_end(s);

	/* The newest of all is the newest of its thread. */
	while (!err && s->open.count)
		err = finish(s, TAILQ_LAST(&s->open.all, open_slices), s->last, false, NULL);
	return err;
}

void slices_report(const struct slices *s)
{
	const struct slices_count *n = &s->count;

	if (n->evicted)
		convert_note(s->c, "%" PRIu64 " activities were given up: more than %zu were open, "
			     "or their events were too large", n->evicted, s->limit);
	if (n->unfinished > n->evicted)
		convert_note(s->c, "%" PRIu64 " activities were not finished",
			     n->unfinished - n->evicted);
	if (n->stops)
		convert_note(s->c, "%" PRIu64 " activities ended that had not begun", n->stops);
	if (n->stopped)
		convert_note(s->c, "%" PRIu64 " threads on processors were given up: "
			     "their events were too large", n->stopped);
	if (n->cut)
		convert_note(s->c, "%" PRIu64 " names of processes and threads were longer than "
			     "the %u bytes that processors show", n->cut, SLICES_NAME_MAX);
	if (n->forgotten)
		convert_note(s->c, "%" PRIu64 " names of processes and threads were forgotten: "
			     "there were more than %u", n->forgotten, SLICES_NAMES_MAX);
}
