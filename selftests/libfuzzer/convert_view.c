// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert_view - events in the formats of viewers: csv, chrome, perfetto
 *
 *	input := event...
 *	event := kind opcode task activity related thread  u16 steps of time
 *		 n  n * 8 bytes of extended items  m  m bytes of payload
 *
 * For any input the output is readable and contains each event once.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* memfd_create() */
#endif
#include <json-c/json.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "convert/convert.h"
#include "convert/perfetto/perfetto.h"
#include "core/classic.h"
#include "etl/record.h"
#include "lib/consumer/event_record.h"
#include "libfuzzer/event.h"
#include "unit/convert/proto_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CLASSIC = 1, STRING = 2, SWITCH = 4, BACK = 8 };

#define EVENTS_MAX	300
#define OUT_MAX		(16u << 20)	/* bytes; larger output is not parsed */

static char out[OUT_MAX + 1];

struct taken {
	struct etw_event_header header;
	struct etw_buffer_header buffer;
	struct etw_event event;
	void *ext, *data;
};

/* The next event; its parts are separate allocations. */
static void take_event(struct input *in, struct taken *t, int64_t *time)
{
	uint8_t kind = take8(in);
	size_t len;

	memset(t, 0, sizeof(*t));
	t->header.type = ETW_TYPE_EVENT64;
	t->header.flags = (kind & CLASSIC ? ETW_EVENT_CLASSIC_HEADER : 0) |
			  (kind & STRING ? ETW_EVENT_STRING_ONLY : 0) | ETW_EVENT_EXTENDED_INFO;
	t->header.desc.channel = ETW_CHANNEL_TRACELOGGING;
	t->header.desc.opcode = take8(in);
	t->header.desc.task = take8(in) & 3;
	t->header.activity.data1 = take8(in) & 7;
	t->header.provider.data1 = take8(in) & 1;
	t->header.process_id = 1;
	t->header.thread_id = take8(in) & 3;
	if (kind & SWITCH) {
		etw_etl_class(0x0524, &t->header.provider);
		t->header.flags |= ETW_EVENT_CLASSIC_HEADER;
		t->header.desc.opcode = 36;
	}
	*time += kind & BACK ? -(int64_t)take16(in) : take16(in);
	t->event.time = t->header.timestamp = *time;
	t->event.cpu = t->header.thread_id;
	t->event.buffer = &t->buffer;
	t->event.record.header = &t->header;
	t->ext = take_block(in, take8(in) * 8, &len);
	t->event.record.ext = t->ext;
	t->event.record.ext_len = (uint32_t)len & ~7u;
	t->data = take_block(in, take8(in), &len);
	t->event.record.data = t->data;
	t->event.record.data_len = (uint32_t)len;
}

static unsigned int convert_all(struct convert *c, struct input in)
{
	struct etw_decoder *decoder = etw_decoder_new();
	static struct etw_event_items items;
	int64_t time = 133000000000000000LL;
	unsigned int n = 0;
	struct taken t;

	if (!decoder || c->format->open(c))
		abort();
	for (; in.left && n < EVENTS_MAX; n++) {
		EVENT_RECORD record;
		struct convert_event e = { .record = &record, .decoder = decoder };

		take_event(&in, &t, &time);
		e.event = &t.event;
		etw_event_record(&record, &t.event, &items, false);
		e.known = !etw_decode(decoder, &record, &e.decoded);
		if (c->format->event(c, &e))
			abort();
		free(t.ext);
		free(t.data);
	}
	if (c->format->close(c, true))
		abort();
	etw_decoder_free(decoder);
	return n;
}

/* ------------------------------------------------------------------- checks */

/* Lines end with CR LF, and quotes come in pairs. */
static void check_csv(size_t len, unsigned int events)
{
	size_t i, lines = 0, quotes = 0;

	for (i = 0; i < len; i++) {
		quotes += out[i] == '"';
		lines += out[i] == '\n';
		if ((unsigned char)out[i] < 0x20 && out[i] != '\r' && out[i] != '\n')
			abort();
		if (out[i] == '\n' && (quotes & 1 || !i || out[i - 1] != '\r'))
			abort();
	}
	if (lines != events + 1)
		abort();
}

static void check_chrome(size_t len, unsigned int events)
{
	struct json_tokener *tokener = json_tokener_new_ex(256);
	struct json_object *trace, *list, *member;
	size_t i, n = 0;

	json_tokener_set_flags(tokener, JSON_TOKENER_VALIDATE_UTF8);
	trace = json_tokener_parse_ex(tokener, out, (int)len);
	if (!trace || !json_object_object_get_ex(trace, "traceEvents", &list))
		abort();
	for (i = 0; i < json_object_array_length(list); i++) {
		struct json_object *e = json_object_array_get_idx(list, i);
		const char *ph;

		json_object_object_get_ex(e, "ph", &member);
		ph = json_object_get_string(member);
		if (!strchr("BEbeiX", *ph))
			continue;
		/* An end without an event carries only the mark. */
		n += !json_object_object_get_ex(e, "args", &member) ||
		     !json_object_object_get_ex(member, "unfinished", NULL) ||
		     json_object_object_length(member) > 1;
	}
	if (n != events)
		abort();
	json_object_put(trace);
	json_tokener_free(tokener);
}

/* All fields of a message and of its nested messages */
static void check_track_event(struct bytes message, unsigned int *begins, unsigned int *ends,
			      unsigned int *instants)
{
	struct proto f;

	while (proto_next(&message, &f)) {
		if (f.field != TRACK_EVENT_TYPE)
			continue;
		*begins += f.value == TYPE_SLICE_BEGIN;
		*ends += f.value == TYPE_SLICE_END;
		*instants += f.value == TYPE_INSTANT;
	}
}

static void check_perfetto(size_t len, unsigned int events)
{
	struct bytes from = { (const uint8_t *)out, (const uint8_t *)out + len };
	unsigned int begins = 0, ends = 0, instants = 0;
	struct proto packet, event;

	proto_wrong = false;
	while (proto_next(&from, &packet)) {
		if (packet.field != TRACE_PACKET || packet.wire != 2)
			abort();
		if (proto_find(packet.in, PACKET_TRACK_EVENT, 0, &event))
			check_track_event(event.in, &begins, &ends, &instants);
	}
	if (proto_wrong || begins != ends || begins + instants > events ||
	    begins + ends + instants < events)
		abort();
}

static void run(const char *name, struct input in, void (*check)(size_t, unsigned int))
{
	static const struct etw_etl_info info;
	static const struct etw_etl_info *const infos[] = { &info };
	struct convert c = { .sources = infos, .source_count = 1 };
	unsigned int i, events;
	ssize_t len;

	for (i = 0; strcmp(convert_formats[i]->name, name); i++)
		;
	c.format = convert_formats[i];
	c.state = calloc(1, c.format->size);
	c.out = memfd_create("out", 0);
	events = convert_all(&c, in);
	len = pread(c.out, out, OUT_MAX, 0);
	if (len < 0)
		abort();
	out[len] = '\0';
	close(c.out);
	free(c.state);
	if (len < (ssize_t)OUT_MAX && (len || events))
		check((size_t)len, events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };

	run("csv", in, check_csv);
	run("chrome", in, check_chrome);
	run("perfetto", in, check_perfetto);
	return 0;
}
