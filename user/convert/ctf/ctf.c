/* SPDX-License-Identifier: MIT */
/*
 * ctf.c - format "ctf": a folder with metadata and a stream for each CPU
 *
 * The metadata are written last, when all event classes and providers are known.  Memory
 * holds a packet of each stream and the text of all event classes, which is limited to what
 * readers accept.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace.h"
#include "base/table.h"
#include "convert/names.h"
#include "tdh/decode/decoder.h"
#include "tdh/process/process_table.h"

#define METADATA_MAX	(64u << 20)		/* bytes, as much as etw-ctf-reader reads */

struct state {
	struct ctf_stream streams[CTF_STREAMS];
	struct ctf_shape shape;
	struct etw_interner classes, providers, names;	/* names: of the providers */
	struct etw_text text;		/* of all classes */
	struct etw_text key, name;
	struct etw_text values;		/* of an event with plain fields */
	struct etw_text stack;		/* with --stack: its addresses */
	struct etw_text provider_names;	/* entries of an enumeration, by id */
	struct ctf_gap *gaps;
	uint64_t lost_in_streams;	/* events that the streams' counters and gaps have */
	bool flags_count;		/* there are lost events without a record ... */
	bool buffers_count;		/* ... and lost buffers */
};

/* The number of a key; *fresh: it is new.  UINT32_MAX: no memory. */
static uint32_t number_of(struct etw_interner *t, const struct etw_text *key, bool *fresh)
{
	return etw_intern(t, key->data, key->len, fresh) - 1;
}

/* ------------------------------------------------------- providers and classes */

/* Append a name made printable, and free it. */
static void put_safe(struct etw_text *to, struct etw_text *name)
{
	etw_text_safe(to, name->len ? name->data : "", name->len);
	if (name->error)
		to->error = name->error;
	etw_text_free(name);
}

/* Take a name unless another provider has it. */
static bool is_own_name(struct state *s, struct etw_text *name)
{
	bool fresh = false;

	if (!name->error && number_of(&s->names, name, &fresh) == UINT32_MAX)
		name->error = -ENOMEM;
	return fresh || name->error;
}

/* Name a provider; if the name is taken, its GUID is appended. */
static bool keep_provider(struct state *s, uint32_t id, const struct convert_event *e)
{
	struct etw_text raw = { .data = NULL }, name = { .data = NULL }, *to = &s->provider_names;

	convert_add_provider(e, &raw);
	put_safe(&name, &raw);
	if (!is_own_name(s, &name)) {
		etw_text_char(&name, ' ');
		etw_text_guid(&name, &e->record->EventHeader.ProviderId);
		/* Two schemas may have the same name and GUID. */
		while (!is_own_name(s, &name))
			etw_text_printf(&name, " %u", id);
	}
	etw_text_puts(to, id ? ",\n\t\t\t" : "\n\t\t\t");
	ctf_tsdl_quote(to, name.data ? name.data : "", name.len);
	etw_text_printf(to, " = %u", id);
	if (name.error)
		to->error = name.error;
	etw_text_free(&name);
	return !to->error;
}

static uint32_t provider_of(struct state *s, const struct convert_event *e)
{
	bool fresh;
	uint32_t id;

	s->key.len = 0;
	etw_text_add(&s->key, (const char *)&e->record->EventHeader.ProviderId, sizeof(GUID));
	if (e->decoded->provider)
		etw_text_puts(&s->key, e->decoded->provider);
	if (s->key.error)
		return UINT32_MAX;
	id = number_of(&s->providers, &s->key, &fresh);
	return id != UINT32_MAX && fresh && !keep_provider(s, id, e) ? UINT32_MAX : id;
}

static void put_class_key(struct state *s, const struct convert_event *e, uint32_t provider,
			  uint32_t extras)
{
	struct {
		uint32_t provider, extras;
		EVENT_DESCRIPTOR desc;
		uint16_t classic;
		uint8_t known, source;
	} head;

	memset(&head, 0, sizeof(head));
	head.provider = provider;
	head.extras = extras;
	head.desc = e->record->EventHeader.EventDescriptor;
	head.desc.Keyword = 0;
	head.classic = e->record->EventHeader.Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER;
	head.known = e->known;
	head.source = (uint8_t)e->decoded->source;
	s->key.len = 0;
	etw_text_add(&s->key, (const char *)&head, sizeof(head));
	if (e->decoded->event)
		etw_text_puts(&s->key, e->decoded->event);
	etw_text_char(&s->key, '\0');
	ctf_shape_key(&s->key, &s->shape);
}

static uint32_t class_of(struct state *s, const struct convert_event *e, uint32_t provider,
			 uint32_t extras)
{
	struct ctf_class class = { .event = e, .shape = &s->shape, .extras = extras };
	struct etw_text raw = { .data = NULL };
	bool fresh;

	put_class_key(s, e, provider, extras);
	if (s->key.error)
		return UINT32_MAX;
	class.id = number_of(&s->classes, &s->key, &fresh);
	if (class.id == UINT32_MAX || !fresh)
		return class.id;
	s->name.len = 0;
	convert_add_provider(e, &raw);
	etw_text_char(&raw, ':');
	convert_add_name(e->decoded, CONVERT_RAW, &raw);
	put_safe(&s->name, &raw);
	class.name = s->name.data;
	if (!s->name.error)
		ctf_metadata_add(&s->text, &class);
	return s->name.error || s->text.error ? UINT32_MAX : class.id;
}

/* -------------------------------------------------------------------- events */

/* Some events were lost here; the number is known only at the end, for the whole trace. */
static int count_lost(struct convert *c, struct state *s, struct ctf_stream *stream)
{
	int err = ctf_stream_lost(c, stream, 1);

	s->lost_in_streams++;
	return err;
}

static bool is_flagged(const struct state *s, const struct etw_event *event)
{
	return (event->lost_events && s->flags_count) || (event->lost_buffers && s->buffers_count);
}

static void put_event(struct ctf_stream *stream, const struct convert_event *e, uint32_t class,
		      uint32_t provider, uint64_t time)
{
	const EVENT_HEADER *header = &e->record->EventHeader;
	const EVENT_DESCRIPTOR *desc = &header->EventDescriptor;
	struct {
		uint32_t class;
		uint64_t time;
		uint32_t provider;
		uint16_t id;
		uint8_t version, channel, level, opcode;
		uint16_t task;
		uint64_t keyword;
		uint32_t pid, tid;
	} __attribute__((packed)) head = {
		class, time, provider, desc->Id, desc->Version, desc->Channel, desc->Level,
		desc->Opcode, desc->Task, desc->Keyword, header->ProcessId, header->ThreadId,
	};

	etw_text_add(&stream->packet, (const char *)&head, sizeof(head));
}

static void add_procname(struct convert *c, struct ctf_extras *extras,
			 const struct convert_event *e)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = NULL;
	struct etw_process process;
	uint64_t key;

	if (!c->processes)
		return;
	if (extras->set & 1u << CTF_EXTRA_START_KEY) {
		item = extras->item[CTF_EXTRA_START_KEY];
		memcpy(&key, (const void *)(uintptr_t)item->DataPtr, sizeof(key));
	}
	if (!etw_process_find(c->processes, e->record->EventHeader.ProcessId, e->event->time,
			      item ? &key : NULL, &process) || !process.name)
		return;
	extras->procname = process.name;
	extras->set |= 1u << CTF_EXTRA_PROCNAME;
}

/*
 * The class and the provider of an event; those of events with plain fields are kept with
 * their kind. UINT32_MAX: no memory.
 */
static uint32_t describe(struct state *s, const struct convert_event *e, bool plain,
			 uint32_t extras, uint32_t *provider)
{
	enum { PROVIDER, CLASS, EXTRAS };
	struct etw_identity *identity = plain ? e->decoder->identity : NULL;
	uint32_t class;

	if (identity && identity->marks[CLASS] && identity->marks[EXTRAS] == extras) {
		*provider = identity->marks[PROVIDER];
		return identity->marks[CLASS] - 1;
	}
	if (plain) {
		etw_decode_rewind(e->decoder);
		if (ctf_shape_take(&s->shape, e))
			return UINT32_MAX;
	}
	*provider = provider_of(s, e);
	class = *provider == UINT32_MAX ? UINT32_MAX : class_of(s, e, *provider, extras);
	if (identity && class != UINT32_MAX) {
		identity->marks[PROVIDER] = *provider;
		identity->marks[CLASS] = class + 1;
		identity->marks[EXTRAS] = extras;
	}
	return class;
}

/* Take the fields of an event: in s->values if they are plain, else in s->shape. */
static int take_fields(struct state *s, const struct convert_event *e, bool *plain)
{
	s->values.len = 0;
	s->shape.truncated = false;
	*plain = e->known && ctf_put_plain(&s->values, e) && !s->values.error;
	if (*plain)
		return 0;
	etw_decode_rewind(e->decoder);
	return ctf_shape_take(&s->shape, e);
}

static void put_values(struct state *s, struct ctf_stream *stream, bool plain)
{
	if (!plain)
		ctf_put_fields(&stream->packet, &s->shape);
	else if (s->values.len)
		etw_text_add(&stream->packet, s->values.data, s->values.len);
}

static int on_event(struct convert *c, const struct convert_event *e)
{
	struct state *s = c->state;
	struct ctf_extras extras;
	uint64_t time = ctf_time(e->event->time, e->event->nanos);
	struct ctf_stream *stream;
	uint32_t provider, class;
	bool plain;
	int err;

	if (take_fields(s, e, &plain))
		return convert_no_memory(c);
	err = ctf_stream_pass(c, s->streams, e->event->cpu, time);
	if (err)
		return err;
	stream = &s->streams[e->event->cpu % CTF_STREAMS];
	ctf_extras_take(&extras, e->record);
	if (c->symbolizer)
		ctf_extras_take_stack(&extras, c->symbolizer, e->event, &s->stack);
	add_procname(c, &extras, e);
	extras.time = time;
	if (time < stream->last || time == 0 || time == CTF_TIME_MAX) {
		extras.set |= 1u << CTF_EXTRA_TIME;
		time = time < stream->last ? stream->last : time;
	}
	if (s->shape.truncated)
		extras.set |= 1u << CTF_EXTRA_TRUNCATED;
	class = describe(s, e, plain, extras.set, &provider);
	if (class == UINT32_MAX || s->stack.error)
		return convert_no_memory(c);
	if (s->text.len > METADATA_MAX)
		return convert_fail(c, -E2BIG, "too many kinds of events for CTF: %zu have "
				    "more than %u MB of metadata", s->classes.table.count,
				    METADATA_MAX >> 20);
	stream = ctf_stream_of(c, s->streams, e->event->cpu, time, &err);
	if (!err && is_flagged(s, e->event)) {
		err = count_lost(c, s, stream);
		stream = err ? NULL : ctf_stream_of(c, s->streams, e->event->cpu, time, &err);
	}
	if (err)
		return err;
	put_event(stream, e, class, provider, time);
	ctf_extras_put(&stream->packet, &extras, ~CTF_EXTRAS_FIELDS, e->record);
	put_values(s, stream, plain);
	ctf_extras_put(&stream->packet, &extras, CTF_EXTRAS_FIELDS, e->record);
	return ctf_stream_end_event(c, stream, time);
}

/* ------------------------------------------------------------- begin and end */

static int begin(struct convert *c)
{
	struct state *s = c->state;
	uint64_t counted = 0;
	unsigned int i;
	size_t at;

	if (mkdir(c->path, 0777) && errno != EEXIST)
		return convert_fail(c, -errno, "%s: %s", c->path, strerror(errno));
	if (ctf_gaps_make(c, s->streams, &s->gaps, &s->lost_in_streams))
		return convert_no_memory(c);
	for (i = 0; i < c->source_count; i++)
		counted += c->sources[i] ? c->sources[i]->header.EventsLost : 0;
	s->buffers_count = true;
	for (at = 0; at < c->loss_count; at++)
		s->buffers_count &= c->losses[at].of_session;
	s->flags_count = counted > s->lost_in_streams || !s->lost_in_streams;
	return 0;
}

/* Losses that no stream has counted go to the end of the first stream. */
static int finish_streams(struct convert *c, struct state *s)
{
	struct ctf_stream *first = NULL;
	/* Of an unknown number, one shows that there were some. */
	uint64_t lost = c->doubtful;
	unsigned int i;
	int err = 0;

	for (i = 0; i < CTF_STREAMS && !err; i++) {
		err = ctf_stream_pass(c, s->streams, i, UINT64_MAX);
		if (err || !s->streams[i].used)
			continue;
		if (!first)
			first = &s->streams[i];
		if (s->streams[i].open)
			err = ctf_stream_flush(c, &s->streams[i]);
	}
	if (c->lost_events > s->lost_in_streams)
		lost += c->lost_events - s->lost_in_streams;
	if (err || !first || !lost)
		return err;
	err = ctf_stream_lost(c, first, lost);
	if (!err)
		first = ctf_stream_of(c, s->streams, first->cpu, first->last, &err);
	return err ? err : ctf_stream_flush(c, first);
}

static int write_metadata(struct convert *c, struct state *s)
{
	struct ctf_trace trace = {
		.convert = c, .providers = &s->provider_names, .classes = &s->text,
	};
	struct etw_text text = { .data = NULL };
	int err;

	ctf_metadata_write(&text, &trace);
	err = ctf_write_file(c, "metadata", &text);
	etw_text_free(&text);
	return err;
}

static int finish(struct convert *c, bool ok)
{
	struct state *s = c->state;
	int err = 0, ret;
	unsigned int i;

	if (ok)
		err = finish_streams(c, s);
	if (ok && c->losses_left_out)
		convert_note(c, "%" PRIu64 " records of losses are too many: their number is at the "
			     "end, without their times", c->losses_left_out);
	for (i = 0; i < CTF_STREAMS; i++) {
		ret = ctf_stream_close(c, &s->streams[i]);
		if (!err)
			err = ret;
	}
	if (ok && !err)
		err = write_metadata(c, s);
	free(s->gaps);
	etw_text_free(&s->provider_names);
	etw_interner_clear(&s->classes);
	etw_interner_clear(&s->providers);
	etw_interner_clear(&s->names);
	ctf_shape_free(&s->shape);
	etw_text_free(&s->text);
	etw_text_free(&s->key);
	etw_text_free(&s->name);
	etw_text_free(&s->values);
	etw_text_free(&s->stack);
	return err;
}

const struct convert_format convert_ctf = {
	.name = "ctf", .suffix = ".ctf", .folder = true, .binary = true,
	.mark = "metadata", .size = sizeof(struct state),
	.help = "Common Trace Format 1.8, for babeltrace2 and Trace Compass",
	.ahead = true, .may_stack = true, .open = begin, .event = on_event, .close = finish,
};
