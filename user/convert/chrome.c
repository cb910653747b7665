/* SPDX-License-Identifier: MIT */
/*
 * chrome.c - format "chrome": Chrome's trace events in JSON
 *
 * Source: "Trace Event Format" of the Chromium project.  Phases: B and E are a slice on a
 * thread, b and e a slice on a track of its own or a loss, X a thread on a processor, i an instant, s
 * and f an arrow from a slice to a slice that it caused, M a name.  Times are microseconds
 * since the first event, with three decimals: since 1970, a double would lose these.
 */
#include <stdio.h>
#include <string.h>
#include "convert.h"
#include "items.h"
#include "base/guid.h"
#include "base/json_writer.h"
#include "names.h"
#include "seen.h"
#include "convert/slices/slices.h"
#include "base/text.h"
#include "tdh/decode/decoder.h"

#define CPU_PID		0x7ffffffeu	/* the "process" whose threads are the processors */

#define LOSS_PID	0x7ffffffdu	/* the "process" of the losses */

/* Where activities began, for arrows; each entry has the last activity of its hash. */
#define BEGUN_MAX	16384

struct begun {
	uint64_t activity;	/* 0: none */
	int64_t begin;
	uint32_t pid, tid;
};

struct chrome {
	struct slices *slices;
	struct etw_text out, scratch;
	struct seen named;
	int64_t base;		/* ns */
	uint64_t arrows, losses;
	bool based;
	bool begun;		/* the output is not empty */
	struct begun activities[BEGUN_MAX];
};

/* -------------------------------------------------------------------- events */

/* The first members of args.etw, which all events of one kind share */
static void put_descriptor(struct chrome *chrome, const struct convert_event *e,
			   enum slice_part part, struct etw_text *to)
{
	const EVENT_HEADER *header = &e->record->EventHeader;
	const EVENT_DESCRIPTOR *desc = &header->EventDescriptor;

	json_writer_open(to, "etw", '{');
	json_writer_guid(to, "provider", &e->event->record.header->provider);
	if (part != SLICE_INSTANT) {
		chrome->scratch.len = 0;
		convert_add_name(e->decoded, CONVERT_RAW, &chrome->scratch);
		json_writer_string(to, "event", chrome->scratch.data, chrome->scratch.len);
	}
	json_writer_unsigned(to, "id", desc->Id);
	json_writer_unsigned(to, "version", desc->Version);
	json_writer_unsigned(to, "level", desc->Level);
	json_writer_unsigned(to, "opcode", desc->Opcode);
	json_writer_unsigned(to, "task", desc->Task);
	json_writer_mask(to, "keyword", desc->Keyword);
}

/* The other members of args.etw */
static void put_place(const struct convert_event *e, struct etw_text *to)
{
	const EVENT_HEADER *header = &e->record->EventHeader;

	json_writer_unsigned(to, "cpu", e->event->cpu);
	json_writer_unsigned(to, "pid", header->ProcessId);
	json_writer_unsigned(to, "tid", header->ThreadId);
	if (e->decoded->mode)
		json_writer_word(to, "mode", e->decoded->mode);
	if (!etw_guid_is_zero(&e->event->record.header->activity))
		json_writer_guid(to, "activity", &e->event->record.header->activity);
	if (etw_decoder_has_items(e->decoder))
		items_json(to, &e->event->record, 0);
	etw_text_char(to, '}');
}

/* Add the fields; bytes behind them are "rest". */
static void put_fields(const struct convert_event *e, struct etw_text *to)
{
	const void *rest;
	size_t at, left;

	etw_decode_rewind(e->decoder);
	if (e->known) {
		at = to->len;
		etw_format_json(to, e->decoder);
		if (to->error)
			return;
		/* Make ,... of {...}, and nothing of {}. */
		to->data[at] = ',';
		etw_text_cut(to, to->len - 1);
		if (to->len == at + 1)
			etw_text_cut(to, at);
	}
	rest = etw_decode_rest(e->decoder, &left);
	if (left)
		json_writer_hex(to, e->known ? "rest" : "data", rest, left);
}

static void begin_args(struct chrome *chrome, const struct convert_event *e,
		       enum slice_part part, struct etw_text *to)
{
	etw_text_char(to, '{');
	put_descriptor(chrome, e, part, to);
}

static void end_args(const struct convert_event *e, struct etw_text *to)
{
	put_place(e, to);
	put_fields(e, to);
	etw_text_char(to, '}');
}

/*
 * The body of a start begins with the place where its related activity began: that may have
 * begun again by the time the slice is written.
 */
static void put_origin(struct chrome *chrome, const struct convert_event *e, struct etw_text *to)
{
	const EVENT_HEADER *header = &e->record->EventHeader;
	const GUID *related = convert_related(e->record);
	struct begun *at, own = { slices_activity(&header->ActivityId),
				  slices_time(e->event), header->ProcessId, header->ThreadId };
	struct begun origin = { .activity = related ? slices_activity(related) : 0 };

	at = &chrome->activities[origin.activity % BEGUN_MAX];
	if (at->activity == origin.activity)
		origin = *at;
	else
		origin.activity = 0;
	etw_text_add(to, (const char *)&origin, sizeof(origin));
	if (own.activity)
		chrome->activities[own.activity % BEGUN_MAX] = own;
}

/* "args":{...} of a stop, in a member "stop": viewers merge them with those of the start */
static int describe_stop(struct chrome *chrome, const struct convert_event *e,
			 struct etw_text *to)
{
	etw_text_puts(to, "\"args\":{\"stop\":");
	begin_args(chrome, e, SLICE_STOP, to);
	end_args(e, to);
	etw_text_char(to, '}');
	return chrome->scratch.error;
}

/* "cat":...,"name":...,"args":{ and the first members of these */
static void put_names(struct chrome *chrome, const struct convert_event *e,
		      enum slice_part part, const char *name, struct etw_text *to)
{
	const char *opcode;

	chrome->scratch.len = 0;
	convert_add_provider(e, &chrome->scratch);
	etw_text_puts(to, "\"cat\":");
	etw_text_json_string(to, chrome->scratch.data, chrome->scratch.len);
	chrome->scratch.len = 0;
	if (!name && part == SLICE_START)
		name = etw_decoded_name(e->decoded, &opcode);
	if (name)
		etw_text_puts(&chrome->scratch, name);
	else
		convert_add_name(e->decoded, CONVERT_RAW, &chrome->scratch);
	json_writer_string(to, "name", chrome->scratch.data, chrome->scratch.len);
	json_writer_key(to, "args");
	begin_args(chrome, e, part, to);
}

/* The same of an instant, formatted once for each kind of events */
static void put_shared(struct chrome *chrome, const struct convert_event *e,
		       struct etw_identity *identity, struct etw_text *to)
{
	if (!identity->prepared) {
		put_names(chrome, e, SLICE_INSTANT, NULL, &identity->text);
		identity->ends[0] = identity->text.len;
		identity->prepared = 1;
	}
	if (identity->text.error)
		to->error = identity->text.error;
	etw_identity_part(identity, 0, to);
}

/* "cat":...,"name":...,"args":{...}; put_end() adds the names of the start to an end. */
static int describe(struct convert *c, const struct convert_event *e, enum slice_part part,
		    const char *name, struct etw_text *to)
{
	struct etw_identity *identity = name ? NULL : e->decoder->identity;
	struct chrome *chrome = c->state;

	if (part == SLICE_STOP)
		return describe_stop(chrome, e, to);
	if (part == SLICE_START)
		put_origin(chrome, e, to);
	if (part == SLICE_INSTANT && identity)
		put_shared(chrome, e, identity, to);
	else
		put_names(chrome, e, part, name, to);
	end_args(e, to);
	return chrome->scratch.error;
}

/* --------------------------------------------------------------------- marks */

/* Microseconds with three decimals */
static void add_us(struct etw_text *to, int64_t ns)
{
	uint64_t magnitude = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		etw_text_char(to, '-');
	etw_text_unsigned(to, magnitude / 1000, 1);
	etw_text_char(to, '.');
	etw_text_unsigned(to, magnitude % 1000, 3);
}

static void begin_object(struct chrome *chrome, char phase)
{
	struct etw_text *to = &chrome->out;

	etw_text_puts(to, chrome->begun ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	chrome->begun = true;
	etw_text_char(to, phase);
	etw_text_char(to, '"');
}

static void begin_mark(struct chrome *chrome, char phase, const struct slice_track *track,
		       int64_t ns)
{
	struct etw_text *to = &chrome->out;
	const bool cpu = track->place == SLICE_CPU;

	begin_object(chrome, phase);
	json_writer_unsigned(to, "pid", cpu ? CPU_PID : track->pid);
	json_writer_unsigned(to, "tid", cpu ? track->number : track->tid);
	json_writer_key(to, "ts");
	add_us(to, ns - chrome->base);
	if (track->place == SLICE_ALONE) {
		json_writer_mask(to, "id", track->number);
	}
}

static void end_mark(struct chrome *chrome, const struct slice_body *body)
{
	etw_text_char(&chrome->out, ',');
	etw_text_add(&chrome->out, body->data, body->len);
	etw_text_char(&chrome->out, '}');
}

/*
 * An end has "cat" and "name" of its start, by which viewers pair them.  Its arguments are
 * those of the stop event, or say that there is none.  whole: the start has all of them.
 */
static void put_end(struct chrome *chrome, const struct slice_body *start,
		    const struct slice_body *stop, bool whole)
{
	static const char args[] = ",\"args\":{\"etw\":";
	const char *at = memmem(start->data, start->len, args, sizeof(args) - 1);

	etw_text_char(&chrome->out, ',');
	etw_text_add(&chrome->out, start->data, (size_t)(at - start->data));
	if (stop)
		end_mark(chrome, stop);
	else if (whole)
		etw_text_char(&chrome->out, '}');
	else
		etw_text_puts(&chrome->out, ",\"args\":{\"unfinished\":true}}");
}

static int put_name(struct convert *c, uint32_t pid, uint32_t tid, bool thread, const char *name)
{
	struct chrome *chrome = c->state;
	struct etw_text *to = &chrome->out;

	begin_object(chrome, 'M');
	json_writer_unsigned(to, "pid", pid);
	json_writer_unsigned(to, "tid", tid);
	etw_text_puts(to, thread ? ",\"name\":\"thread_name\",\"args\":{" :
				   ",\"name\":\"process_name\",\"args\":{");
	json_writer_string(to, "name", name, strlen(name));
	etw_text_puts(to, "}}");
	return 0;
}

static int name_cpu(struct convert *c, uint32_t cpu)
{
	struct chrome *chrome = c->state;
	int ret = seen_put(&chrome->named, seen_number(SLICE_CPU, cpu, 0));
	char name[32];

	if (ret <= 0)
		return ret;
	snprintf(name, sizeof(name), "CPU %u", cpu);
	put_name(c, CPU_PID, 0, false, "Processors");
	return put_name(c, CPU_PID, cpu, true, name);
}

/* An arrow to this slice from the slice in which its related activity began */
static void put_arrow(struct chrome *chrome, const struct slice *slice, const struct begun *from)
{
	struct slice_track track = { .place = SLICE_ALONE, .pid = from->pid, .tid = from->tid };

	if (!from->activity || from->activity == slice->activity)
		return;
	track.number = ++chrome->arrows;
	begin_mark(chrome, 's', &track, from->begin);
	etw_text_puts(&chrome->out, ",\"cat\":\"related\",\"name\":\"related\"}");
	track.pid = slice->track.pid;
	track.tid = slice->track.tid;
	begin_mark(chrome, 'f', &track, slice->begin);
	etw_text_puts(&chrome->out, ",\"cat\":\"related\",\"name\":\"related\",\"bp\":\"e\"}");
}

static void put_pair(struct chrome *chrome, const struct slice *slice)
{
	const bool alone = slice->track.place == SLICE_ALONE;
	struct slice_body body = slice->start;
	struct begun origin;

	memcpy(&origin, body.data, sizeof(origin));
	body.data += sizeof(origin);
	body.len -= sizeof(origin);
	begin_mark(chrome, alone ? 'b' : 'B', &slice->track, slice->begin);
	end_mark(chrome, &body);
	begin_mark(chrome, alone ? 'e' : 'E', &slice->track, slice->end);
	put_end(chrome, &body, slice->stop, false);
	put_arrow(chrome, slice, &origin);
}

/* Losses overlap, so each has a track of its own.  Times begin with the first event. */
static int put_loss(struct convert *c, const struct slice *slice)
{
	struct chrome *chrome = c->state;
	struct slice_track track = { .place = SLICE_ALONE, .pid = LOSS_PID };
	int64_t begin = slice->begin > chrome->base ? slice->begin : chrome->base;

	track.number = ++chrome->losses;
	if (track.number == 1)
		put_name(c, LOSS_PID, 0, false, "Lost events");
	begin_mark(chrome, 'b', &track, begin);
	end_mark(chrome, &slice->start);
	begin_mark(chrome, 'e', &track, slice->end > begin ? slice->end : begin);
	put_end(chrome, &slice->start, NULL, true);
	return convert_flush(c, &chrome->out, CONVERT_BLOCK);
}

static int put_slice(struct convert *c, const struct slice *slice)
{
	struct chrome *chrome = c->state;
	int err;

	if (slice->track.place == SLICE_LOSS)
		return put_loss(c, slice);
	if (slice->track.place != SLICE_CPU) {
		put_pair(chrome, slice);
		return convert_flush(c, &chrome->out, CONVERT_BLOCK);
	}
	err = name_cpu(c, (uint32_t)slice->track.number);
	if (err)
		return convert_no_memory(c);
	begin_mark(chrome, 'X', &slice->track, slice->begin);
	json_writer_key(&chrome->out, "dur");
	add_us(&chrome->out, slice->end - slice->begin);
	end_mark(chrome, &slice->start);
	return convert_flush(c, &chrome->out, CONVERT_BLOCK);
}

static int put_instant(struct convert *c, const struct slice_track *track, int64_t ns,
		       const struct slice_body *body)
{
	struct chrome *chrome = c->state;

	begin_mark(chrome, 'i', track, ns);
	etw_text_puts(&chrome->out, ",\"s\":\"t\"");
	end_mark(chrome, body);
	return convert_flush(c, &chrome->out, CONVERT_BLOCK);
}

/* -------------------------------------------------------------------- format */

static const struct slice_sink sink = {
	.describe = describe,
	.slice = put_slice,
	.instant = put_instant,
	.name = put_name,
};

static int chrome_open(struct convert *c)
{
	struct chrome *chrome = c->state;

	chrome->slices = slices_new(c, &sink, 0);
	if (!chrome->slices)
		return convert_no_memory(c);
	etw_text_puts(&chrome->out, "{\"traceEvents\":[");
	return 0;
}

static int chrome_event(struct convert *c, const struct convert_event *e)
{
	struct chrome *chrome = c->state;

	if (!chrome->based)
		chrome->base = slices_ns(e->event->time);
	chrome->based = true;
	return slices_event(chrome->slices, e);
}

static int finish(struct convert *c)
{
	struct chrome *chrome = c->state;
	struct etw_text *to = &chrome->out;
	int err = slices_end(chrome->slices);

	if (err)
		return err;
	etw_text_puts(to, "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"start\":\"");
	etw_text_time(to, (uint64_t)(chrome->base / 100 + ETW_UNIX_EPOCH_100NS));
	etw_text_char(to, '"');
	json_writer_unsigned(to, "lost_events", c->lost_events);
	json_writer_unsigned(to, "lost_buffers", c->lost_buffers);
	etw_text_puts(to, "}}\n");
	slices_report(chrome->slices);
	return convert_flush(c, to, 0);
}

static int chrome_close(struct convert *c, bool ok)
{
	struct chrome *chrome = c->state;
	int err = ok ? finish(c) : 0;

	slices_free(chrome->slices);
	seen_free(&chrome->named);
	etw_text_free(&chrome->out);
	etw_text_free(&chrome->scratch);
	return err;
}

const struct convert_format convert_chrome = {
	.name = "chrome",
	.suffix = ".json",
	.help = "Chrome's JSON trace: chrome://tracing, Perfetto's user interface",
	.size = sizeof(struct chrome),
	.open = chrome_open,
	.event = chrome_event,
	.close = chrome_close,
};
