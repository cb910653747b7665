/* SPDX-License-Identifier: MIT */
/*
 * stream.c - packets of a CTF stream and the events in them
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "convert/ctf/ctf.h"
#include "stream.h"

#define HEAD_SIZE	65536	/* bytes in which a packet's header and context are */
#define NS		1000000000
#define CPUS		2048	/* each has a buffer when it is written; others count as CPU 0 */

static void report(struct cs *s, uint64_t offset, const char *what)
{
	if (s->options->report)
		s->options->report(s->options->context, s->file.path, offset, what);
}

/* ----------------------------------------------------------------------- bytes */

static int read_at(struct cs *s, uint64_t offset, uint8_t *to, size_t size)
{
	if (!s->memory)
		return ctffiles_read(s->files, &s->file, offset, to, size);
	memcpy(to, s->memory + offset, size);
	return 0;
}

/* The first size bytes of the packet, of which have are there. */
static int load(struct cs *s, size_t have, size_t size)
{
	if (size > s->packet_room) {
		uint8_t *packet = realloc(s->packet, size);

		if (!packet)
			return -ENOMEM;
		s->packet = packet;
		s->packet_room = size;
	}
	s->r.data = s->packet;
	return size > have ? read_at(s, s->offset + have, s->packet + have, size - have) : 0;
}

/* --------------------------------------------------------------------- packets */

/* Header and context are read, of the packet's first bytes. */
static int read_head(struct cs *s, size_t head)
{
	struct cr *r = &s->r;
	uint64_t id = 0;
	int err;

	r->at = 0;
	r->end = 8 * (uint64_t)head;
	r->half = NULL;
	r->problem = NULL;
	err = cr_scope(r, CM_PACKET_HEADER, s->meta->packet_header);
	if (err)
		return err;
	if (r->has_role & 1u << CM_MAGIC && r->role[CM_MAGIC] != CTF_MAGIC)
		return cr_fail(r, "no packet begins here");
	if (r->has_role & 1u << CM_STREAM_ID)
		id = r->role[CM_STREAM_ID];
	s->stream = cm_stream(s->meta, id);
	if (!s->stream)
		return cr_fail(r, "a packet of a stream that the metadata do not have");
	r->has_role = 0;
	return cr_scope(r, CM_PACKET_CONTEXT, s->stream->packet_context);
}

/* Discarded events are those since the packet before; the first packet's own are all. */
static void count_discarded(struct cs *s)
{
	uint64_t now = s->r.role[CM_DISCARDED];

	if (!(s->r.has_role & 1u << CM_DISCARDED))
		return;
	if (now > s->discarded)
		s->result->discarded += now - s->discarded;
	s->discarded = now;
}

/* Sizes in bytes, by the context or else by what is left of the file. */
static int sizes(struct cs *s, uint64_t left, uint64_t *packet, uint64_t *content)
{
	const struct cr *r = &s->r;
	bool has_content = r->has_role & 1u << CM_CONTENT_SIZE;

	*packet = 8 * left;
	if (r->has_role & 1u << CM_PACKET_SIZE)
		*packet = r->role[CM_PACKET_SIZE];
	else if (has_content)
		*packet = r->role[CM_CONTENT_SIZE];
	*content = has_content ? r->role[CM_CONTENT_SIZE] : *packet;
	if (*packet % 8 || *packet < r->at || !*packet)
		return cr_fail(&s->r, "a packet's size makes no sense");
	*packet /= 8;
	if (*packet > left)
		return cr_fail(&s->r, "the file ends within a packet");
	if (*packet > CS_PACKET_MAX)
		return cr_fail(&s->r, "a packet is larger than 1 GB");
	if (*content > 8 * *packet || *content < r->at)
		return cr_fail(&s->r, "a packet's content is larger than the packet");
	return 0;
}

/* Nothing tells where the next packet begins, or this one's size does. */
static int give_up(struct cs *s, int err)
{
	if (err != -EBADMSG)
		return err;
	report(s, s->offset, s->r.problem ? s->r.problem : "it makes no sense");
	s->result->corrupt++;
	s->offset = s->size;
	return 0;
}

/* 1: there is a packet; 0: the file is at its end. */
static int next_packet(struct cs *s)
{
	uint64_t left = s->size - s->offset, packet, content, value;
	size_t head = left < HEAD_SIZE ? (size_t)left : HEAD_SIZE;
	int err;

	if (!left)
		return 0;
	err = load(s, 0, head);
	if (!err)
		err = read_head(s, head);
	if (!err)
		err = sizes(s, left, &packet, &content);
	if (!err)
		err = load(s, head, (size_t)packet);
	if (err)
		return give_up(s, err);
	count_discarded(s);
	s->cpu = 0;
	if (cr_value(&s->r, CM_PACKET_CONTEXT, "cpu_id", &value) && value < CPUS)
		s->cpu = (uint16_t)value;
	s->packet_offset = s->offset;
	s->offset += packet;
	s->r.end = content;
	s->open = true;
	return 1;
}

/* ---------------------------------------------------------------------- events */

static int64_t clamp(__int128 value)
{
	return value > INT64_MAX ? INT64_MAX : value < 0 ? 0 : (int64_t)value;
}

static int64_t time_of(const struct cs *s)
{
	const struct cm_clock *clock = s->meta->is_ctf2 ? s->stream->clock : s->r.clock;
	__int128 ns;

	if (!clock)
		return clamp((__int128)s->r.now);
	ns = ((__int128)clock->offset + s->r.now) * NS / clock->frequency;
	return clamp(ns + (__int128)clock->offset_s * NS);
}

static void empty(struct cr_half *half)
{
	half->meta.len = 0;
	half->payload.len = 0;
	half->fields = 0;
}

static int read_scopes(struct cs *s, const struct cm_event **event)
{
	const struct cm_stream *stream = s->stream;
	struct cr *r = &s->r;
	uint64_t id = 0;
	int err;

	r->half = NULL;
	r->provider[0] = r->activity[0] = r->related[0] = '\0';
	empty(&r->context);
	empty(&r->fields);
	err = cr_scope(r, CM_EVENT_HEADER, stream->event_header);
	if (err)
		return err;
	if (r->has_role & 1u << CM_EVENT_ID)
		id = r->role[CM_EVENT_ID];
	*event = cm_event(stream, id);
	if (!*event)
		return cr_fail(r, "an event of a class that the metadata do not have");
	r->half = &r->context;
	err = cr_scope(r, CM_STREAM_CONTEXT, stream->event_context);
	if (!err)
		err = cr_scope(r, CM_EVENT_CONTEXT, (*event)->context);
	r->half = &r->fields;
	if (!err)
		err = cr_scope(r, CM_EVENT_FIELDS, (*event)->fields);
	return err;
}

/* 1: an event; 0: the packet has no more. */
static int next_event(struct cs *s)
{
	const struct cm_event *event;
	uint64_t start;
	int err;

	for (;;) {
		start = s->r.at;
		if (start >= s->r.end)
			return 0;
		s->r.problem = NULL;
		err = read_scopes(s, &event);
		/* Events of no bytes would never end. */
		if (!err && s->r.at == start)
			err = cr_fail(&s->r, "an event has no bytes");
		if (err == -EBADMSG) {
			report(s, s->packet_offset + start / 8, s->r.problem);
			s->result->corrupt++;
			return 0;
		}
		if (err)
			return err;
		s->time = time_of(s);
		err = cs_record(s, event);
		if (err != -EMSGSIZE && err != -ENODATA)
			return err ? err : 1;
		s->result->too_large += err == -EMSGSIZE;
	}
}

int cs_next(struct cs *s)
{
	int ret;

	for (;;) {
		if (!s->open) {
			ret = next_packet(s);
			if (ret < 0 || (!ret && s->offset == s->size))
				return ret;
			if (!ret)
				continue;
		}
		ret = next_event(s);
		if (ret)
			return ret;
		s->open = false;
	}
}

void cs_close(struct cs *s)
{
	if (!s->memory)
		ctffiles_close(s->files, &s->file);
	cr_free(&s->r);
	free(s->packet);
	free(s->record);
	etw_text_free(&s->traits);
	etw_text_free(&s->schema);
}
