// SPDX-License-Identifier: MIT
/*
 * events.c - WEVT_TEMPLATE: events, their names and attributes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"

#define CHANNEL_METADATA	12	/* of events of providers with a control GUID */

static void read_event(struct etw_wevt_reader *r, const uint8_t *p, struct etw_mf_event *e)
{
	e->desc.Id = etw_wevt_u16(p);
	e->desc.Version = p[2];
	e->desc.Channel = p[3];
	e->desc.Level = p[4];
	e->desc.Opcode = p[5];
	e->desc.Task = etw_wevt_u16(p + 6);
	e->desc.Keyword = etw_wevt_u64(p + 8);
	e->keywords = e->desc.Keyword;
	e->message = etw_wevt_message_of(r, etw_wevt_u32(p + 16));
	e->template = etw_wevt_at(r, ETW_WEVT_TEMPLATES, etw_wevt_u32(p + 20));
	e->opcode = etw_wevt_at(r, ETW_WEVT_OPCODES, etw_wevt_u32(p + 24));
	e->level = etw_wevt_at(r, ETW_WEVT_LEVELS, etw_wevt_u32(p + 28));
	e->task = etw_wevt_at(r, ETW_WEVT_TASKS, etw_wevt_u32(p + 32));
	e->channel = etw_wevt_at(r, ETW_WEVT_CHANNELS, etw_wevt_u32(p + 44));
	if (etw_wevt_u32(p + 20) && !e->template)
		etw_wevt_bad(r, "event %u version %u: no template at 0x%x", e->desc.Id,
			     e->desc.Version, etw_wevt_u32(p + 20));
	if (r->provider->has_control_guid && !e->channel && !e->desc.Channel) {
		e->desc.Channel = CHANNEL_METADATA;
		e->channel = etw_standard(ETW_PART_CHANNEL, CHANNEL_METADATA);
	}
}

void etw_wevt_read_events(struct etw_wevt_reader *r)
{
	uint32_t count, i;
	const uint8_t *p = etw_wevt_list(r, ETW_WEVT_EVENTS, 16, ETW_WEVT_EVENT_SIZE, &count);
	struct etw_mf_event *events = p ? etw_wevt_alloc(r, count, sizeof(*events)) : NULL;

	if (!events)
		return;
	r->provider->events = events;
	r->provider->event_count = count;
	for (i = 0; i < count && !r->error; i++)
		read_event(r, p + i * ETW_WEVT_EVENT_SIZE, &events[i]);
}

/* An attribute, its event, and its position */
struct attribute {
	uint32_t event;		/* id << 8 | version */
	uint32_t place;
	uint32_t at;		/* offset of the text, which events may share */
	uint8_t kind;
	const char *text;
};

static int by_text(const void *a, const void *b)
{
	const struct attribute *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static int by_event(const void *a, const void *b)
{
	const struct attribute *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Events may share texts: count each copy against the budget. */
static void append(struct etw_wevt_reader *r, const char *text)
{
	size_t len = strlen(text);

	r->text_left -= (int64_t)len + 1;
	if (r->text_left < 0) {
		etw_wevt_bad(r, "attributes of events share too much text");
		return;
	}
	if (r->text.len)
		etw_text_char(&r->text, ';');
	etw_text_add(&r->text, text, len);
}

/* All attributes of an event in the manifest's form: "a=1;b=2"; NULL: none. */
static const char *join(struct etw_wevt_reader *r, const struct attribute *list, uint32_t count)
{
	const char *text = NULL;
	uint32_t i, n = 0;

	for (i = 0; i < count; i++) {
		if (list[i].kind != ETW_WEVT_EVENT_ATTRIBUTE)
			continue;
		text = list[i].text;
		n++;
	}
	if (n < 2)
		return text;
	etw_text_cut(&r->text, 0);
	for (i = 0; i < count && !r->error; i++)
		if (list[i].kind == ETW_WEVT_EVENT_ATTRIBUTE)
			append(r, list[i].text);
	return etw_wevt_keep_text(r);
}

static void give(struct etw_wevt_reader *r, struct etw_mf_event *event,
		 const struct attribute *list, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (list[i].kind == ETW_WEVT_EVENT_NAME)
			event->name = list[i].text;
	}
	event->attributes = join(r, list, count);
}

static void give_all(struct etw_wevt_reader *r, const struct attribute *list, uint32_t count)
{
	struct etw_mf_event *event;
	uint32_t i, n;

	for (i = 0; i < count && !r->error; i += n) {
		for (n = 1; i + n < count && list[i + n].event == list[i].event; n++)
			;
		event = (void *)etw_wevt_at(r, ETW_WEVT_EVENTS, list[i].event);
		if (event)
			give(r, event, list + i, n);
	}
}

static void read_attributes(struct etw_wevt_reader *r, const uint8_t *p, uint32_t count,
			    struct attribute *list)
{
	uint32_t i;

	for (i = 0; i < count; i++, p += ETW_WEVT_ATTRIBUTE_SIZE) {
		list[i].kind = p[0];
		list[i].event = (uint32_t)etw_wevt_u16(p + 2) << 8 | p[1];
		list[i].place = i;
		list[i].at = etw_wevt_u32(p + 4);
	}
	if (count)
		qsort(list, count, sizeof(*list), by_text);
	for (i = 0; i < count && !r->error; i++)
		list[i].text = i && list[i].at == list[i - 1].at ? list[i - 1].text :
			       etw_wevt_bare_name_at(r, list[i].at);
	if (count)
		qsort(list, count, sizeof(*list), by_event);
}

void etw_wevt_read_event_attributes(struct etw_wevt_reader *r)
{
	const struct etw_mf_provider *provider = r->provider;
	uint32_t count, i;
	const uint8_t *p = etw_wevt_list(r, ETW_WEVT_EVENT_ATTRIBUTES, 12,
					 ETW_WEVT_ATTRIBUTE_SIZE, &count);
	struct attribute *list = p ? calloc((size_t)count + 1, sizeof(*list)) : NULL;

	if (p && !list)
		r->error = -ENOMEM;
	if (!list)
		return;
	/* Attributes refer to events by their id and version, not by their offset. */
	for (i = 0; i < provider->event_count; i++) {
		const EVENT_DESCRIPTOR *desc = &provider->events[i].desc;

		etw_wevt_define(r, ETW_WEVT_EVENTS, (uint32_t)desc->Id << 8 | desc->Version,
				&provider->events[i]);
	}
	read_attributes(r, p, count, list);
	give_all(r, list, count);
	free(list);
}
