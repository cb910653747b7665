/* SPDX-License-Identifier: MIT */
/* perfetto_read.h - reads a Perfetto trace in memory into tracks and events */
#ifndef ETW_UNIT_PERFETTO_READ_H
#define ETW_UNIT_PERFETTO_READ_H

#include <stdio.h>
#include "convert/perfetto/perfetto.h"
#include "proto_read.h"
#include "base/text.h"

#define NAME_MAX_BYTES	200
#define STRINGS		5000
#define EVENTS		20000
#define VALUES		4	/* INTERNED_VALUES, in strings */

/* The properties of a track, and the events */
struct track {
	uint64_t uuid, parent;
	int64_t pid, tid;	/* -1: none */
	char name[NAME_MAX_BYTES];
};

struct seen_event {
	uint64_t type, track, flows[2];
	int64_t time;
	char category[NAME_MAX_BYTES], name[NAME_MAX_BYTES];
	struct bytes body;
};

static char strings[5][STRINGS][NAME_MAX_BYTES];	/* by index and number */
static struct track tracks[STRINGS];
static struct seen_event seen[EVENTS];
static unsigned int track_count, seen_count, flow_count, packets;
static uint64_t realtime, boottime;
static const char *wrong;

static void copy(char *to, const struct proto *from)
{
	size_t len = (size_t)(from->in.end - from->in.at);

	if (!etw_utf8_valid((const char *)from->in.at, len))
		wrong = "a string that is no UTF-8";
	len = len < NAME_MAX_BYTES ? len : NAME_MAX_BYTES - 1;
	memcpy(to, from->in.at, len);
	to[len] = '\0';
}

static void read_interned(struct bytes from)
{
	struct proto entry, iid, text;

	while (proto_next(&from, &entry)) {
		if (entry.field == INTERNED_VALUES)
			entry.field = VALUES;
		else if (entry.field == VALUES)
			wrong = "an index";
		if (!proto_find(entry.in, INTERNED_IID, 0, &iid) ||
		    !proto_find(entry.in, INTERNED_STRING, 0, &text) || entry.field > 4 ||
		    iid.value >= STRINGS || strings[entry.field][iid.value][0]) {
			wrong = "an interned string";
			return;
		}
		copy(strings[entry.field][iid.value], &text);
	}
}

static void read_track(struct bytes from)
{
	struct track *t = &tracks[track_count++ % STRINGS];
	struct proto f, id;

	memset(t, 0, sizeof(*t));
	t->pid = t->tid = -1;
	while (proto_next(&from, &f)) {
		if (f.field == TRACK_UUID)
			t->uuid = f.value;
		else if (f.field == TRACK_PARENT)
			t->parent = f.value;
		else if (f.field == TRACK_NAME)
			copy(t->name, &f);
		if (f.field == TRACK_PROCESS && proto_find(f.in, PROCESS_PID, 0, &id))
			t->pid = (int64_t)id.value;
		if (f.field == TRACK_PROCESS && proto_find(f.in, PROCESS_NAME, 0, &id))
			copy(t->name, &id);
		if (f.field == TRACK_THREAD && proto_find(f.in, THREAD_NAME, 0, &id))
			copy(t->name, &id);
		if (f.field == TRACK_THREAD) {
			t->pid = proto_find(f.in, THREAD_PID, 0, &id) ? (int64_t)id.value : -1;
			t->tid = proto_find(f.in, THREAD_TID, 0, &id) ? (int64_t)id.value : -1;
		}
	}
	if (!t->uuid)
		wrong = "a track without a number";
}

static const struct track *track_of(uint64_t uuid)
{
	unsigned int i;

	for (i = 0; i < track_count && i < STRINGS; i++)
		if (tracks[i].uuid == uuid)
			return &tracks[i];
	return NULL;
}

static void read_event(struct bytes from, uint64_t time)
{
	struct seen_event *e = &seen[seen_count++ % EVENTS];
	struct proto f;

	memset(e, 0, sizeof(*e));
	e->time = (int64_t)time;
	e->body = from;
	while (proto_next(&from, &f)) {
		if (f.field == TRACK_EVENT_TYPE)
			e->type = f.value;
		else if (f.field == TRACK_EVENT_TRACK)
			e->track = f.value;
		else if (f.field == TRACK_EVENT_FLOW && f.wire == 1 && !e->flows[1])
			e->flows[!!e->flows[0]] = f.value;
		else if (f.field == TRACK_EVENT_CATEGORY_IID && f.value < STRINGS)
			strcpy(e->category, strings[INTERNED_CATEGORIES][f.value]);
		else if (f.field == TRACK_EVENT_NAME_IID && f.value < STRINGS)
			strcpy(e->name, strings[INTERNED_NAMES][f.value]);
	}
	flow_count += !!e->flows[0];
	if (!track_of(e->track))
		wrong = "an event on a track that nothing has described";
	if (e->type != TYPE_SLICE_END && !e->name[0])
		wrong = "an event without a name";
}

static void read_packet(struct bytes packet)
{
	struct proto f, sequence, flags, time, clock;

	proto_find(packet, PACKET_SEQUENCE, 0, &sequence);
	proto_find(packet, PACKET_SEQUENCE_FLAGS, 0, &flags);
	proto_find(packet, PACKET_TIMESTAMP, 0, &time);
	if (sequence.value != 1 || flags.value != (packets++ ? 2 : 1))
		wrong = "a packet's sequence";
	if (proto_find(packet, PACKET_CLOCK_SNAPSHOT, 0, &f)) {
		proto_find(f.in, SNAPSHOT_CLOCKS, 0, &clock);
		proto_find(clock.in, CLOCK_TIMESTAMP, 0, &time);
		boottime = time.value;
		proto_find(f.in, SNAPSHOT_CLOCKS, 1, &clock);
		proto_find(clock.in, CLOCK_TIMESTAMP, 0, &time);
		realtime = time.value;
	}
	if (proto_find(packet, PACKET_INTERNED, 0, &f))
		read_interned(f.in);
	if (proto_find(packet, PACKET_TRACK_DESCRIPTOR, 0, &f))
		read_track(f.in);
	if (proto_find(packet, PACKET_TRACK_EVENT, 0, &f))
		read_event(f.in, time.value);
}

/* false: something is wrong, which is reported. */
static bool read_trace(const void *data, size_t len)
{
	struct bytes from = { data, (const uint8_t *)data + len };
	struct proto packet;

	memset(strings, 0, sizeof(strings));
	track_count = seen_count = flow_count = packets = 0;
	wrong = NULL;
	proto_wrong = false;
	while (!wrong && proto_next(&from, &packet)) {
		if (packet.field != TRACE_PACKET || packet.wire != 2)
			wrong = "no packet";
		read_packet(packet.in);
	}
	if (!wrong && proto_wrong)
		wrong = "the encoding";
	if (wrong)
		printf("# wrong: %s\n", wrong);
	return !wrong;
}

/* ---------------------------------------------------------------- annotations */

/* An annotation of that name in a message, at "in" */
static bool find_note(struct bytes from, unsigned int in, const char *name, struct bytes *to)
{
	struct proto f, iid, plain;

	while (proto_next(&from, &f)) {
		if (f.field != in)
			continue;
		if (proto_find(f.in, ANNOTATION_NAME_IID, 0, &iid) ?
		    !strcmp(strings[INTERNED_ANNOTATIONS][iid.value % STRINGS], name) :
		    proto_find(f.in, ANNOTATION_NAME, 0, &plain) && proto_is(&plain, name)) {
			*to = f.in;
			return true;
		}
	}
	return false;
}

static bool value_is(struct bytes note, unsigned int kind, const char *text, uint64_t value)
{
	struct proto f;

	return proto_find(note, kind, 0, &f) && (text ? proto_is(&f, text) : f.value == value);
}

static bool has_text(const struct seen_event *e, const char *name, const char *text)
{
	struct bytes note;

	return find_note(e->body, TRACK_EVENT_ANNOTATION, name, &note) &&
	       value_is(note, ANNOTATION_STRING, text, 0);
}

#endif /* ETW_UNIT_PERFETTO_READ_H */
