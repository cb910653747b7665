/* SPDX-License-Identifier: MIT */
/*
 * metadata_fragment.c - metadata of CTF 2: fragments of a JSON text sequence (RFC 7464)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metadata_json.h"

#define RS	0x1E	/* before each text */
#define DEPTH	200	/* of JSON */

static bool is(const char *type, const char *what)
{
	return !strcmp(type, what);
}

/* The class of a scope, if there is one: a structure. */
static int take_scope(struct cj *r, struct json_object *o, const char *key,
		      const struct cm_type **out)
{
	struct json_object *value = cj_get(o, key, json_type_object);
	int err = value ? cj_class(r, value, out) : 0;

	if (!err && value && (*out)->kind != CM_STRUCT)
		return cj_fail(r, "\"%s\" is no structure", key);
	return err;
}

/* It is there when it is whole: it cannot have itself in it. */
static int take_alias(struct cj *r, struct json_object *o)
{
	struct cj_alias *alias = &r->aliases[r->alias_count];
	int err;

	if (r->alias_count == CJ_ALIASES)
		return cj_fail(r, "more than %u aliases", CJ_ALIASES);
	alias->name = cj_keep(r, cj_text(o, "name"));
	if (!alias->name)
		return cj_fail(r, "an alias has no name");
	err = cj_class(r, cj_get(o, "field-class", json_type_object), &alias->type);
	if (!err)
		r->alias_count++;
	return err;
}

static int take_trace(struct cj *r, struct json_object *o)
{
	struct json_object *env = cj_get(o, "environment", json_type_object);

	r->meta->has_trace = true;
	r->meta->tracer = cj_keep(r, cj_text(env, "tracer_name"));
	r->meta->hostname = cj_keep(r, cj_text(env, "hostname"));
	r->meta->trace_name = cj_keep(r, cj_text(env, "trace_name"));
	return take_scope(r, o, "packet-header-field-class", &r->meta->packet_header);
}

/* A clock whose origin nobody knows counts from 1970 as well. */
static int take_clock(struct cj *r, struct json_object *o)
{
	struct json_object *offset = cj_get(o, "offset-from-origin", json_type_object);
	struct cm_clock *clock = cm_alloc(r->meta, sizeof(*clock));
	const char *id = cj_text(o, "id") ? cj_text(o, "id") : cj_text(o, "name");

	if (!clock)
		return -ENOMEM;
	clock->name = cj_keep(r, id ? id : "");
	clock->frequency = cj_number(r, o, "frequency", 0, UINT64_MAX);
	if (!clock->frequency)
		return cj_fail(r, "a clock has no frequency");
	clock->offset_s = cj_signed(r, offset, "seconds");
	clock->offset = (int64_t)cj_number(r, offset, "cycles", 0, INT64_MAX);
	clock->next = r->meta->clocks;
	r->meta->clocks = clock;
	return clock->name ? 0 : -ENOMEM;
}

static const struct cm_clock *find_clock(const struct cj *r, const char *id)
{
	const struct cm_clock *clock;

	for (clock = r->meta->clocks; id && clock; clock = clock->next)
		if (!strcmp(clock->name, id))
			return clock;
	return NULL;
}

static int take_stream(struct cj *r, struct json_object *o)
{
	struct cm_stream *stream = cm_alloc(r->meta, sizeof(*stream));
	const char *clock = cj_text(o, "default-clock-class-id");
	int err;

	if (!stream)
		return -ENOMEM;
	stream->id = cj_number(r, o, "id", 0, UINT64_MAX);
	if (++r->stream_count > CJ_STREAMS || cm_stream(r->meta, stream->id))
		return cj_fail(r, "too many streams, or one twice");
	stream->clock = find_clock(r, clock ? clock : cj_text(o, "default-clock-class-name"));
	stream->next = r->meta->streams;
	r->meta->streams = stream;
	err = take_scope(r, o, "packet-context-field-class", &stream->packet_context);
	if (!err)
		err = take_scope(r, o, "event-record-header-field-class", &stream->event_header);
	if (!err)
		err = take_scope(r, o, "event-record-common-context-field-class",
				 &stream->event_context);
	return err;
}

static int level_of(const char *name)
{
	static const char *const names[] = {
		"emergency", "alert", "critical", "error", "warning", "notice", "info",
	};
	int i;

	for (i = 0; name && i < 7; i++)
		if (!strcmp(name, names[i]))
			return i;
	return name && !strncmp(name, "debug", 5) ? 14 : -1;
}

/* What attributes say of an event: its level; and of ours, who wrote it. */
static int take_attributes(struct cj *r, struct json_object *o, struct cm_event *event)
{
	struct json_object *all = cj_get(o, "attributes", json_type_object);
	struct json_object *own = cj_get(all, "etw", json_type_object);
	struct json_object *other = cj_get(all, "babeltrace.org,2020", json_type_object);
	const char *provider = cj_text(own, "provider");
	char uri[128];

	event->loglevel = level_of(cj_text(other, "log-level"));
	if (!provider)
		return 0;
	snprintf(uri, sizeof(uri), "etw:%.40s/%u/%u", provider,
		 (unsigned int)cj_number(r, own, "id", 0, UINT16_MAX),
		 (unsigned int)cj_number(r, own, "version", 0, UINT8_MAX));
	event->uri = cj_keep(r, uri);
	return event->uri ? 0 : -ENOMEM;
}

static int take_event(struct cj *r, struct json_object *o)
{
	struct cm_stream *stream;
	struct cm_event *event = cm_alloc(r->meta, sizeof(*event));
	int err;

	if (!event)
		return -ENOMEM;
	stream = (struct cm_stream *)cm_stream(r->meta, cj_number(r, o, "data-stream-class-id", 0,
								  UINT64_MAX));
	if (!stream)
		return cj_fail(r, "an event of a stream that is not there");
	event->id = cj_number(r, o, "id", 0, UINT64_MAX);
	event->name = cj_keep(r, cj_text(o, "name") ? cj_text(o, "name") : "");
	err = event->name ? take_attributes(r, o, event) : -ENOMEM;
	if (!err)
		err = take_scope(r, o, "specific-context-field-class", &event->context);
	if (!err)
		err = take_scope(r, o, "payload-field-class", &event->fields);
	event->next = stream->events;
	stream->events = event;
	stream->event_count++;
	return err;
}

static int take_fragment(struct cj *r, struct json_object *o)
{
	const char *type = cj_text(o, "type");

	if (!type)
		return cj_fail(r, "it has no type");
	if (is(type, "preamble"))
		return cj_number(r, o, "version", 0, UINT64_MAX) == 2 ? 0 : cj_fail(r, "this is not version 2");
	if (is(type, "trace-class"))
		return take_trace(r, o);
	if (is(type, "clock-class"))
		return take_clock(r, o);
	if (is(type, "data-stream-class"))
		return take_stream(r, o);
	if (is(type, "event-record-class"))
		return take_event(r, o);
	if (is(type, "field-class-alias"))
		return take_alias(r, o);
	return cj_fail(r, "there is no fragment \"%.60s\"", type);
}

/*
 * No more than json-c takes for that text, by its signs: 800 bytes for the 16 places of an
 * object, 400 for the 32 of an array, 200 for a member, 100 for an element, and of
 * text three times its length.  Signs in strings count as well: there are few.
 */
static size_t memory_of(const char *text, size_t size)
{
	size_t bytes = 3 * size, i;

	for (i = 0; i < size; i++) {
		switch (text[i]) {
		case '{':
			bytes += 832;
			break;
		case '[':
			bytes += 416;
			break;
		case ':':
			bytes += 224;
			break;
		case ',':
			bytes += 96;
			break;
		}
	}
	return bytes;
}

static int parse_one(struct cj *r, const char *text, size_t size)
{
	struct json_tokener *tokener;
	struct json_object *o;
	int err;

	if (memory_of(text, size) > CJ_MEMORY_MAX)
		return cj_fail(r, "its %zu bytes have too many values", size);
	tokener = json_tokener_new_ex(DEPTH);
	if (!tokener)
		return -ENOMEM;
	o = json_tokener_parse_ex(tokener, text, (int)size);
	if (json_tokener_get_error(tokener) == json_tokener_success)
		err = take_fragment(r, o);
	else
		err = cj_fail(r, "%s", json_tokener_error_desc(json_tokener_get_error(tokener)));
	if (!err && r->bad)
		err = cj_fail(r, "\"%s\" is no such number", r->bad);
	json_object_put(o);
	json_tokener_free(tokener);
	return err;
}

int cm_parse_json(struct cm_meta *meta, const char *text, size_t size)
{
	struct cj *r = calloc(1, sizeof(*r));
	const char *end = text + size, *next;
	int err = 0;

	if (!r)
		return -ENOMEM;
	r->meta = meta;
	meta->is_ctf2 = true;
	while (!err && text < end) {
		text++;
		next = memchr(text, RS, (size_t)(end - text));
		if (!next)
			next = end;
		r->fragment++;
		err = parse_one(r, text, (size_t)(next - text));
		text = next;
	}
	free(r);
	return err;
}
