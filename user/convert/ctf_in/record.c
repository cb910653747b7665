/* SPDX-License-Identifier: MIT */
/*
 * record.c - an event of a CTF trace as a record of TraceLogging
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"
#include "base/guid.h"
#include "base/name_guid.h"

#define CHANNEL		11	/* TraceLogging's */
#define NAME_MAX_LEN	1024	/* bytes of a provider's or an event's name */

/* What of an event is known by other names than those of its fields */
struct identity {
	const char *provider, *event;
	size_t provider_len, event_len;
	struct etw_guid guid, activity, related;
	bool has_activity, has_related;
	bool own;			/* written by us */
	struct etw_event_descriptor desc;
	uint32_t pid, tid;
};

/* LTTng's levels, from 0 (emergency) to 14 (debug), as those of ETW */
static uint8_t level_of(int loglevel)
{
	if (loglevel < 0)
		return 4;
	if (loglevel <= 2)
		return 1;
	return loglevel <= 4 ? (uint8_t)(loglevel - 1) : loglevel <= 6 ? 4 : 5;
}

static bool context(const struct cs *s, const char *name, uint64_t *value)
{
	return cr_value(&s->r, CM_STREAM_CONTEXT, name, value) ||
	       cr_value(&s->r, CM_EVENT_CONTEXT, name, value);
}

static uint32_t number(const struct cs *s, const char *first, const char *second)
{
	uint64_t value = 0;

	if (!context(s, first, &value))
		context(s, second, &value);
	return (uint32_t)value;
}

static void take_names(const struct cs *s, const struct cm_event *event, struct identity *id)
{
	const char *tracer = s->meta->tracer && *s->meta->tracer ? s->meta->tracer : "ctf";
	const char *colon = strchr(event->name, ':');
	size_t own = strlen(s->r.provider);

	id->provider = tracer;
	id->provider_len = strlen(tracer);
	id->event = event->name;
	if (id->own && own && !strncmp(event->name, s->r.provider, own) &&
	    event->name[own] == ':')
		colon = event->name + own;
	if (colon && colon > event->name && colon[1]) {
		id->provider = event->name;
		id->provider_len = (size_t)(colon - event->name);
		id->event = colon + 1;
	}
	id->event_len = strlen(id->event);
	if (id->provider_len > NAME_MAX_LEN)
		id->provider_len = NAME_MAX_LEN;
	if (id->event_len > NAME_MAX_LEN)
		id->event_len = NAME_MAX_LEN;
}

/* "etw:GUID/id/version" */
static bool take_uri(const char *uri, struct etw_guid *guid)
{
	char text[37];

	if (!uri || strncmp(uri, "etw:", 4) || strlen(uri) < 40)
		return false;
	memcpy(text, uri + 4, 36);
	text[36] = '\0';
	return !etw_guid_parse(text, guid);
}

static void take_own(const struct cs *s, struct identity *id)
{
	struct etw_event_descriptor *desc = &id->desc;
	uint64_t value = 0;

	desc->id = (uint16_t)number(s, "id", "id");
	desc->version = (uint8_t)number(s, "version", "version");
	desc->channel = (uint8_t)number(s, "channel", "channel");
	desc->level = (uint8_t)number(s, "level", "level");
	desc->opcode = (uint8_t)number(s, "opcode", "opcode");
	desc->task = (uint16_t)number(s, "task", "task");
	context(s, "keyword", &value);
	desc->keyword = value;
	id->has_activity = !etw_guid_parse(s->r.activity, &id->activity);
	id->has_related = !etw_guid_parse(s->r.related, &id->related);
}

static void take_identity(struct cs *s, const struct cm_event *event, struct identity *id)
{
	uint64_t time;

	memset(id, 0, sizeof(*id));
	id->own = s->meta->tracer && !strcmp(s->meta->tracer, "etw");
	take_names(s, event, id);
	id->pid = number(s, "vpid", "pid");
	id->tid = number(s, "vtid", "tid");
	id->desc = (struct etw_event_descriptor){ .channel = CHANNEL,
						  .level = level_of(event->loglevel) };
	if (id->own)
		take_own(s, id);
	if (id->own && cr_value(&s->r, CM_EVENT_CONTEXT, "time", &time))
		s->time = (int64_t)(time > INT64_MAX ? INT64_MAX : time);
	/* A name that is no text has no GUID of its own. */
	if (!(id->own && take_uri(event->uri, &id->guid)) &&
	    etw_guid_from_name(id->provider, id->provider_len, &id->guid))
		etw_guid_from_name("ctf", 3, &id->guid);
}

/*
 * Metadata: fields, then the context as a structure, but for what the header has.  What
 * we have written ourselves has no other context.
 */
static void put_meta(struct cs *s, const struct identity *id, struct etw_text *to)
{
	struct cr *r = &s->r;
	uint16_t size;

	etw_text_add(to, "\0\0\0", 3);
	etw_text_add(to, id->event, id->event_len);
	etw_text_char(to, '\0');
	if (r->fields.meta.len)
		etw_text_add(to, r->fields.meta.data, r->fields.meta.len);
	if (!id->own && r->context.fields && r->context.fields < 128) {
		char head[] = "context\0\x98";

		etw_text_add(to, head, sizeof(head) - 1);
		etw_text_char(to, (char)r->context.fields);
		etw_text_add(to, r->context.meta.data, r->context.meta.len);
	}
	if (to->error || to->len > UINT16_MAX)
		return;
	size = (uint16_t)to->len;
	memcpy(to->data, &size, sizeof(size));
}

static bool has_context(const struct cs *s, const struct identity *id)
{
	return !id->own && s->r.context.fields && s->r.context.fields < 128;
}

static int put_record(struct cs *s, const struct identity *id)
{
	const struct etw_text *traits = &s->traits, *meta = &s->schema;
	const struct cr *r = &s->r;
	struct etw_record_extra extra = { .count = 0 };
	struct etw_record_items items = { .extra = &extra };
	struct etw_data_descriptor data[2] = {
		{ .ptr = (uintptr_t)r->fields.payload.data,
		  .size = (uint32_t)r->fields.payload.len },
		{ .ptr = (uintptr_t)r->context.payload.data,
		  .size = has_context(s, id) ? (uint32_t)r->context.payload.len : 0 },
	};
	struct etw_record_source source = {
		.provider = &id->guid, .desc = &id->desc, .data = data, .count = 2,
		.activity = id->has_activity ? &id->activity : NULL,
		.related = id->has_related ? &id->related : NULL,
		.thread_id = id->tid, .process_id = id->pid,
		.type = ETW_TYPE_EVENT64, .flags = ETW_EVENT_NO_CPUTIME,
	};

	if (r->fields.payload.len > ETW_RECORD_MAX || r->context.payload.len > ETW_RECORD_MAX ||
	    !etw_record_add_extra(&extra, EVENT_HEADER_EXT_TYPE_PROV_TRAITS, traits->data,
				  (uint32_t)traits->len) ||
	    !etw_record_add_extra(&extra, EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL, meta->data,
				  (uint32_t)meta->len) ||
	    etw_record_measure_items(&source, &items))
		return -EMSGSIZE;
	if (etw_record_slot(source.size) > s->record_room) {
		uint8_t *record = realloc(s->record, etw_record_slot(source.size));

		if (!record)
			return -ENOMEM;
		s->record = record;
		s->record_room = etw_record_slot(source.size);
	}
	etw_record_write_items(s->record, &source, &items, (uint64_t)s->time);
	s->record_size = source.size;
	return 0;
}

/* The header of the log file that our trace was made of: the new file has its own. */
static bool is_header(const struct identity *id)
{
	static const struct etw_guid guid = {
		0x68fdd900, 0x4a3e, 0x11d1, { 0x84, 0xf4, 0, 0, 0xf8, 0x04, 0x64, 0xe3 }
	};

	return id->own && !id->desc.id && !id->desc.opcode &&
	       !memcmp(&id->guid, &guid, sizeof(guid));
}

int cs_record(struct cs *s, const struct cm_event *event)
{
	struct etw_text *traits = &s->traits, *schema = &s->schema;
	struct identity id;
	uint16_t size;

	take_identity(s, event, &id);
	if (is_header(&id))
		return -ENODATA;
	traits->len = 0;
	etw_text_add(traits, "\0\0", 2);
	etw_text_add(traits, id.provider, id.provider_len);
	etw_text_char(traits, '\0');
	schema->len = 0;
	put_meta(s, &id, schema);
	if (traits->error || schema->error)
		return -ENOMEM;
	if (schema->len > UINT16_MAX)
		return -EMSGSIZE;
	size = (uint16_t)traits->len;
	memcpy(traits->data, &size, sizeof(size));
	return put_record(s, &id);
}
