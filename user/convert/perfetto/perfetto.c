/* SPDX-License-Identifier: MIT */
/*
 * perfetto.c - format "perfetto": Perfetto's trace in Protocol Buffers
 *
 * The trace is one sequence of packets.  Times are nanoseconds since 1970; a clock snapshot
 * declares these to be the trace's clock and the wall clock.  A slice is written when it
 * ends, so packets are not in the order of time: Perfetto sorts them.  A string is interned
 * before the packet that uses it.
 */
#include <stdio.h>
#include <string.h>
#include "convert/convert.h"
#include "convert/names.h"
#include "callstacks.h"
#include "perfetto.h"
#include "convert/proto.h"
#include "base/text.h"
#include "tdh/decode/decoder.h"

#define SEQUENCE	1

/* Kinds of tracks, part of their numbers */
enum { TRACK_OF_PROCESS = 1, TRACK_OF_THREAD, TRACK_OF_CPU, TRACK_OF_CPUS, TRACK_ALONE,
       TRACK_OF_LOSSES };

/*
 * Slices that are not on a thread's track share tracks with earlier ones of their process.
 * One track for each would be one for each activity of the trace.
 */
#define LANES		64
#define LANE_GROUPS	512

#define LOSS_LANES	0x80000000u	/* the "process" of the losses of CPU 0; no real one */

struct lanes {
	uint32_t pid;
	unsigned int count;
	struct lane {
		uint64_t uuid;
		int64_t end;	/* of its last slice */
	} lane[LANES];
};

struct perfetto {
	struct slices *slices;
	struct perfetto_strings strings;
	struct perfetto_callstacks *callstacks;	/* NULL: nobody knows the functions */
	struct etw_text out, scratch;
	struct seen tracks;
	struct {
		uint32_t pid, tid;
		uint64_t uuid;		/* 0: none */
		uint64_t emptied;	/* see tracks */
	} last;				/* the thread of the event before */
	uint64_t lane_count;
	bool begun;
	struct lanes lanes[LANE_GROUPS];	/* each of the last process with that hash */
};

/* ------------------------------------------------------------------- packets */

static size_t begin_packet(struct etw_text *to, unsigned int flags)
{
	size_t begun = proto_begin(to, TRACE_PACKET);

	proto_uint(to, PACKET_SEQUENCE, SEQUENCE);
	proto_uint(to, PACKET_SEQUENCE_FLAGS, flags);
	return begun;
}

/* Write the strings that the next packet uses. */
static void put_interned(struct perfetto *p)
{
	size_t begun;

	if (!p->strings.pending.len)
		return;
	begun = begin_packet(&p->out, SEQUENCE_NEEDS_STATE);
	proto_bytes(&p->out, PACKET_INTERNED, p->strings.pending.data, p->strings.pending.len);
	proto_end(&p->out, begun);
	p->strings.pending.len = 0;
}

static void put_clock(struct etw_text *to, unsigned int clock, int64_t ns)
{
	size_t begun = proto_begin(to, SNAPSHOT_CLOCKS);

	proto_uint(to, CLOCK_ID, clock);
	proto_int(to, CLOCK_TIMESTAMP, ns);
	proto_end(to, begun);
}

static void put_begin(struct perfetto *p, int64_t ns)
{
	struct etw_text *to = &p->out;
	size_t begun = begin_packet(to, SEQUENCE_CLEARED), snapshot;

	proto_uint(to, PACKET_FIRST, 1);
	snapshot = proto_begin(to, PACKET_CLOCK_SNAPSHOT);
	put_clock(to, CLOCK_BOOTTIME_ID, ns);
	put_clock(to, CLOCK_REALTIME_ID, ns);
	proto_uint(to, SNAPSHOT_PRIMARY, CLOCK_BOOTTIME_ID);
	proto_end(to, snapshot);
	proto_end(to, begun);
}

/* -------------------------------------------------------------------- tracks */

/* Perfetto takes 0 for the idle task, and ids have 31 bits. */
static bool is_real(uint32_t id)
{
	return id && id <= INT32_MAX;
}

/* Describe a track; kind: TRACK_PROCESS, TRACK_THREAD, or 0: it has only a name. */
static void put_track(struct perfetto *p, uint64_t uuid, uint64_t parent, unsigned int kind,
		      uint32_t pid, uint32_t tid, const char *name)
{
	struct etw_text *to = &p->out;
	size_t begun = begin_packet(to, SEQUENCE_NEEDS_STATE);
	size_t track = proto_begin(to, PACKET_TRACK_DESCRIPTOR), inner = 0;

	proto_uint(to, TRACK_UUID, uuid);
	if (parent)
		proto_uint(to, TRACK_PARENT, parent);
	if (kind) {
		inner = proto_begin(to, kind);
		proto_uint(to, kind == TRACK_THREAD ? THREAD_PID : PROCESS_PID, pid);
	}
	if (kind == TRACK_THREAD)
		proto_uint(to, THREAD_TID, tid);
	if (name)
		proto_string(to, kind == TRACK_THREAD ? THREAD_NAME :
			     kind == TRACK_PROCESS ? PROCESS_NAME : TRACK_NAME, name,
			     strlen(name));
	if (kind)
		proto_end(to, inner);
	proto_end(to, track);
	proto_end(to, begun);
}

static void put_named_track(struct perfetto *p, uint64_t uuid, uint64_t parent, const char *name)
{
	put_track(p, uuid, parent, 0, 0, 0, name);
}

static void put_process(struct perfetto *p, uint64_t uuid, uint32_t pid, const char *name)
{
	if (is_real(pid))
		put_track(p, uuid, 0, TRACK_PROCESS, pid, 0, name);
	else
		put_named_track(p, uuid, 0, name ? name : pid ? "No process" : "Process 0");
}

static void put_thread(struct perfetto *p, uint64_t uuid, uint64_t parent, uint32_t pid,
		       uint32_t tid, const char *name)
{
	char plain[32];

	snprintf(plain, sizeof(plain), "Thread %u", tid);
	if (is_real(pid) && is_real(tid))
		put_track(p, uuid, parent, TRACK_THREAD, pid, tid, name);
	else
		put_named_track(p, uuid, parent, name ? name : plain);
}

/* The track's number; describes the track when it is new.  0: no memory. */
static uint64_t process_track(struct perfetto *p, uint32_t pid)
{
	uint64_t uuid = seen_number(TRACK_OF_PROCESS, pid, 0);
	int ret = seen_put(&p->tracks, uuid);

	if (ret > 0)
		put_process(p, uuid, pid, NULL);
	return ret < 0 ? 0 : uuid;
}

static uint64_t thread_track(struct perfetto *p, uint32_t pid, uint32_t tid)
{
	uint64_t uuid, parent;
	int ret;

	if (p->last.uuid && p->last.pid == pid && p->last.tid == tid &&
	    p->last.emptied == p->tracks.emptied)
		return p->last.uuid;
	uuid = seen_number(TRACK_OF_THREAD, pid, tid);
	parent = process_track(p, pid);
	ret = seen_put(&p->tracks, uuid);
	if (ret > 0)
		put_thread(p, uuid, parent, pid, tid, NULL);
	if (ret < 0)
		return 0;
	p->last.pid = pid;
	p->last.tid = tid;
	p->last.uuid = uuid;
	p->last.emptied = p->tracks.emptied;
	return uuid;
}

static uint64_t cpu_track(struct perfetto *p, uint32_t cpu)
{
	uint64_t parent = seen_number(TRACK_OF_CPUS, 0, 0);
	uint64_t uuid = seen_number(TRACK_OF_CPU, cpu, 0);
	int ret = seen_put(&p->tracks, parent);
	char name[32];

	if (ret > 0)
		put_named_track(p, parent, 0, "Processors");
	if (ret >= 0)
		ret = seen_put(&p->tracks, uuid);
	snprintf(name, sizeof(name), "CPU %u", cpu);
	if (ret > 0)
		put_named_track(p, uuid, parent, name);
	return ret < 0 ? 0 : uuid;
}

/* The free track that was used last; NULL: none is free. */
static struct lane *free_lane(struct lanes *lanes, int64_t begin)
{
	struct lane *best = NULL;
	unsigned int i;

	for (i = 0; i < lanes->count; i++)
		if (lanes->lane[i].end <= begin && (!best || lanes->lane[i].end > best->end))
			best = &lanes->lane[i];
	return best;
}

/* A new track, which replaces the one that ends first if there are too many. */
static struct lane *new_lane(struct perfetto *p, struct lanes *lanes, uint64_t parent,
			     const char *name)
{
	struct lane *lane = &lanes->lane[0];
	unsigned int i;

	if (lanes->count < LANES) {
		lane = &lanes->lane[lanes->count++];
	} else {
		for (i = 1; i < LANES; i++)
			if (lanes->lane[i].end < lane->end)
				lane = &lanes->lane[i];
	}
	p->lane_count++;
	lane->uuid = seen_number(TRACK_ALONE, (uint32_t)(p->lane_count >> 32),
				 (uint32_t)p->lane_count);
	put_named_track(p, lane->uuid, parent, name);
	return lane;
}

/* A track that is free at that time.  parent: of all tracks of the process. */
static uint64_t lane_of(struct perfetto *p, const struct slice *slice, uint32_t pid,
			uint64_t parent, const char *name)
{
	struct lanes *lanes = &p->lanes[pid % LANE_GROUPS];
	struct lane *lane;

	if (lanes->pid != pid)
		lanes->count = 0;
	lanes->pid = pid;
	lane = free_lane(lanes, slice->begin);
	if (!lane)
		lane = new_lane(p, lanes, parent, name);
	lane->end = slice->end;
	return parent ? lane->uuid : 0;
}

/* 0: no memory. */
static uint64_t own_track(struct perfetto *p, const struct slice *slice)
{
	const uint32_t pid = slice->track.pid;

	return lane_of(p, slice, pid, process_track(p, pid), "Activities");
}

static uint64_t loss_track(struct perfetto *p, const struct slice *slice)
{
	uint64_t parent = seen_number(TRACK_OF_LOSSES, 0, 0);
	uint32_t cpu = (uint32_t)slice->track.number;
	int ret = seen_put(&p->tracks, parent);
	char name[32] = "CPU not known";

	if (ret > 0)
		put_named_track(p, parent, 0, "Lost events");
	if (cpu != SLICE_ANY_CPU)
		snprintf(name, sizeof(name), "CPU %u", cpu);
	return lane_of(p, slice, LOSS_LANES + cpu, ret < 0 ? 0 : parent, name);
}

/* -------------------------------------------------------------------- events */

/* Fields of a TrackEvent: category, name, annotations */
static int describe(struct convert *c, const struct convert_event *e, enum slice_part part,
		    const char *name, struct etw_text *to)
{
	struct perfetto *p = c->state;
	struct etw_identity *identity = name ? NULL : e->decoder->identity;
	struct etw_text *text = &p->scratch;
	uint32_t category, number;
	const char *opcode;
	uint64_t stack;

	if (part == SLICE_INSTANT && identity && identity->marks[0] && identity->marks[1]) {
		proto_uint(to, TRACK_EVENT_CATEGORY_IID, identity->marks[0]);
		proto_uint(to, TRACK_EVENT_NAME_IID, identity->marks[1]);
	} else if (part != SLICE_STOP) {
		text->len = 0;
		convert_add_provider(e, text);
		category = perfetto_string(&p->strings, to, INTERNED_CATEGORIES,
					   TRACK_EVENT_CATEGORY_IID, TRACK_EVENT_CATEGORY,
					   text->data, text->len);
		text->len = 0;
		if (!name && part == SLICE_START)
			name = etw_decoded_name(e->decoded, &opcode);
		if (name)
			etw_text_puts(text, name);
		else
			convert_add_name(e->decoded, CONVERT_RAW, text);
		number = perfetto_string(&p->strings, to, INTERNED_NAMES, TRACK_EVENT_NAME_IID,
					 TRACK_EVENT_NAME, text->data, text->len);
		if (part == SLICE_INSTANT && identity) {
			identity->marks[0] = category;
			identity->marks[1] = number;
		}
	}
	stack = p->callstacks ? perfetto_callstack(p->callstacks, e->event, &p->strings.pending) : 0;
	if (stack)
		proto_uint(to, TRACK_EVENT_CALLSTACK_IID, stack);
	perfetto_annotations(&p->strings, e, part, text, to);
	return 0;
}

static void put_event(struct perfetto *p, uint64_t track, unsigned int type, int64_t ns,
		      const struct slice *flows, const struct slice_body *body)
{
	struct etw_text *to = &p->out;
	size_t begun = begin_packet(to, SEQUENCE_NEEDS_STATE), event;

	proto_int(to, PACKET_TIMESTAMP, ns);
	event = proto_begin(to, PACKET_TRACK_EVENT);
	proto_uint(to, TRACK_EVENT_TYPE, type);
	proto_uint(to, TRACK_EVENT_TRACK, track);
	if (flows && flows->activity)
		proto_fixed64(to, TRACK_EVENT_FLOW, flows->activity);
	if (flows && flows->parent && flows->parent != flows->activity)
		proto_fixed64(to, TRACK_EVENT_FLOW, flows->parent);
	if (body && body->len)
		etw_text_add(to, body->data, body->len);
	proto_end(to, event);
	proto_end(to, begun);
}

static void unfinished(struct perfetto *p, struct slice_body *body)
{
	struct etw_text *to = &p->scratch;
	size_t begun;

	to->len = 0;
	begun = proto_begin(to, TRACK_EVENT_ANNOTATION);
	proto_string(to, ANNOTATION_NAME, "unfinished", strlen("unfinished"));
	proto_uint(to, ANNOTATION_BOOL, 1);
	proto_end(to, begun);
	body->data = to->data;
	body->len = to->error ? 0 : to->len;
}

static uint64_t slice_track(struct perfetto *p, const struct slice *slice)
{
	switch (slice->track.place) {
	case SLICE_ALONE:
		return own_track(p, slice);
	case SLICE_CPU:
		return cpu_track(p, (uint32_t)slice->track.number);
	case SLICE_LOSS:
		return loss_track(p, slice);
	default:
		return thread_track(p, slice->track.pid, slice->track.tid);
	}
}

static int put_slice(struct convert *c, const struct slice *slice)
{
	struct perfetto *p = c->state;
	uint64_t track = slice_track(p, slice);
	struct slice_body end = { NULL, 0 };

	if (!track)
		return convert_no_memory(c);
	if (slice->stop)
		end = *slice->stop;
	else if (slice->track.place != SLICE_LOSS)
		unfinished(p, &end);
	put_interned(p);
	put_event(p, track, TYPE_SLICE_BEGIN, slice->begin, slice, &slice->start);
	put_event(p, track, TYPE_SLICE_END, slice->end, NULL, &end);
	return convert_flush(c, &p->out, CONVERT_BLOCK);
}

static int put_instant(struct convert *c, const struct slice_track *track, int64_t ns,
		       const struct slice_body *body)
{
	struct perfetto *p = c->state;
	uint64_t uuid = thread_track(p, track->pid, track->tid);

	if (!uuid)
		return convert_no_memory(c);
	put_interned(p);
	put_event(p, uuid, TYPE_INSTANT, ns, NULL, body);
	return convert_flush(c, &p->out, CONVERT_BLOCK);
}

static int put_name(struct convert *c, uint32_t pid, uint32_t tid, bool thread, const char *name)
{
	struct perfetto *p = c->state;
	uint64_t process = process_track(p, pid);
	uint64_t uuid = seen_number(TRACK_OF_THREAD, pid, tid);

	if (!process)
		return convert_no_memory(c);
	if (!thread)
		put_process(p, process, pid, name);
	else
		put_thread(p, uuid, process, pid, tid, name);
	if (thread && seen_put(&p->tracks, uuid) < 0)
		return convert_no_memory(c);
	return 0;
}

/* -------------------------------------------------------------------- format */

static const struct slice_sink sink = {
	.describe = describe,
	.slice = put_slice,
	.instant = put_instant,
	.name = put_name,
};

static int perfetto_open(struct convert *c)
{
	struct perfetto *p = c->state;

	p->slices = slices_new(c, &sink, 0);
	if (c->symbolizer)
		p->callstacks = perfetto_callstacks_new(c->symbolizer);
	return p->slices && (p->callstacks || !c->symbolizer) ? 0 : convert_no_memory(c);
}

static int perfetto_event(struct convert *c, const struct convert_event *e)
{
	struct perfetto *p = c->state;

	if (!p->begun)
		put_begin(p, slices_time(e->event));
	p->begun = true;
	return slices_event(p->slices, e);
}

static int perfetto_close(struct convert *c, bool ok)
{
	struct perfetto *p = c->state;
	int err = ok ? slices_end(p->slices) : 0;
	uint64_t cut = p->callstacks ? perfetto_callstacks_cut(p->callstacks) : 0;

	if (ok && !err) {
		slices_report(p->slices);
		convert_note_cut(c, cut);
		err = convert_flush(c, &p->out, 0);
	}
	slices_free(p->slices);
	seen_free(&p->tracks);
	perfetto_callstacks_free(p->callstacks);
	perfetto_strings_free(&p->strings);
	etw_text_free(&p->out);
	etw_text_free(&p->scratch);
	return err;
}

const struct convert_format convert_perfetto = {
	.name = "perfetto",
	.suffix = ".perfetto-trace",
	.help = "Perfetto's trace: ui.perfetto.dev, trace_processor",
	.binary = true,
	.stacks = true,
	.size = sizeof(struct perfetto),
	.open = perfetto_open,
	.event = perfetto_event,
	.close = perfetto_close,
};
