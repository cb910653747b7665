/* SPDX-License-Identifier: MIT */
/*
 * log_contents.c - what events a log file has: how many, of which providers, from when to when
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include "cli/cli.h"
#include "log_contents.h"
#include "cli/schema.h"
#include "etl/file.h"
#include "etl/record.h"
#include "lib/consumer/event_record.h"
#include "symbols/images.h"
#include "tdh/process/process_table.h"

#define LOOK_EVENTS	4096	/* between two looks whether to stop */

bool event_is_about_trace(const struct etw_event *event)
{
	enum etw_kind kind = etw_kind_of(&event->record);

	return kind == ETW_KIND_TRACE || kind == ETW_KIND_MACHINE;
}

bool event_is_about_machine(const struct etw_event *event)
{
	return etw_kind_of(&event->record) == ETW_KIND_MACHINE;
}

const char *log_contents_besides(uint64_t names)
{
	static char text[64];

	if (!names)
		return "";
	snprintf(text, sizeof(text), "; besides, %" PRIu64 " event%s that name%s processes", names,
		 cli_s(names), names == 1 ? "s" : "");
	return text;
}

bool record_needs_manifest(const EVENT_RECORD *record)
{
	USHORT i;

	if (record->EventHeader.Flags & (EVENT_HEADER_FLAG_STRING_ONLY |
					EVENT_HEADER_FLAG_CLASSIC_HEADER |
					EVENT_HEADER_FLAG_TRACE_MESSAGE))
		return false;
	for (i = 0; i < record->ExtendedDataCount; i++)
		if (record->ExtendedData[i].ExtType == EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL)
			return false;
	return true;
}

static void add(struct log_contents *c, const struct etw_event *event,
		struct etw_event_items *items)
{
	const bool process = etw_process_is_own_event(event);
	struct provider_count *p;
	EVENT_RECORD record;

	if (process)
		provider_counts_claim(&c->counts, event);
	if (process ? !c->counts_names : images_is(event) && !c->counts_images) {
		c->names++;
		return;
	}
	p = provider_counts_event(&c->counts, event);
	if (!c->events || event->time < c->first)
		c->first = event->time;
	if (!c->events || event->time > c->last)
		c->last = event->time;
	c->events++;
	if (p->lacks || p->known)
		return;
	etw_event_record(&record, event, items, false);
	if (record_needs_manifest(&record)) {
		p->known = schema_provider(&p->guid);
		p->lacks = !p->known;
	}
}

int log_contents_add(struct log_contents *c, const char *path, int64_t since, bool (*stop)(void))
{
	struct etw_event_items items = { 0 };
	const TRACE_LOGFILE_HEADER *header;
	struct etw_etl_file *file;
	struct etw_event event;
	unsigned int read = 0;
	int err = etw_etl_open(path, NULL, NULL, &file);

	if (err)
		return err;
	header = &etw_etl_info(file)->header;
	c->lost_events += header->EventsLost;
	c->lost_buffers += header->BuffersLost;
	c->unclosed += etw_etl_cut_off(file);
	while ((err = etw_etl_next(file, &event)) == 1) {
		if (event.time >= since && !event_is_about_trace(&event))
			add(c, &event, &items);
		if (++read % LOOK_EVENTS == 0 && stop && stop()) {
			err = -EINTR;
			break;
		}
	}
	etw_event_items_free(&items);
	etw_etl_close(file);
	return err;
}

void log_contents_free(struct log_contents *c)
{
	provider_counts_free(&c->counts);
}
