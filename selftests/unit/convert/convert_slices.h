/* SPDX-License-Identifier: MIT */
/* convert_slices.h - events for slices.c, and a sink that stores the results */
#ifndef ETW_UNIT_CONVERT_SLICES_H
#define ETW_UNIT_CONVERT_SLICES_H

#include "convert_test.h"

#include "convert/seen.h"
#include "convert/slices/kernel_logger.h"
#include "etl/record.h"
#include "base/text.h"

#define NS0	((MAKE_START - ETW_UNIX_EPOCH_100NS) * 100)

struct got {
	struct slice slice;
	bool instant, stop;
	uint32_t start_id, stop_id;
	int64_t time;
};

static struct got got[20000];
static size_t got_count;
static struct slices_count counts;
static size_t limit;
static struct slices *slices;
static size_t padding;		/* bytes after each body */
static char called[512];	/* the name that describe() got last */

/* The body of an event is its id. */
static int describe(struct convert *c, const struct convert_event *e, enum slice_part part,
		    const char *name, struct etw_text *to)
{
	uint32_t id = e->record->EventHeader.EventDescriptor.Id;

	(void)c;
	(void)part;
	if (name)
		snprintf(called, sizeof(called), "%s", name);
	etw_text_add(to, (const char *)&id, sizeof(id));
	if (padding && etw_text_room(to, padding)) {
		memset(to->data + to->len, 0, padding);
		etw_text_end(to, to->data + to->len + padding);
	}
	return 0;
}

static uint32_t id_of(const struct slice_body *body)
{
	uint32_t id = 0;

	if (body->len != sizeof(id) + padding)
		abort();
	memcpy(&id, body->data, sizeof(id));
	return id;
}

static int on_slice(struct convert *c, const struct slice *slice)
{
	struct got *g = &got[got_count++];

	(void)c;
	memset(g, 0, sizeof(*g));
	g->slice = *slice;
	g->start_id = id_of(&slice->start);
	g->stop = slice->stop;
	if (slice->stop && slice->stop->len)
		g->stop_id = id_of(slice->stop);
	return 0;
}

static int on_instant(struct convert *c, const struct slice_track *track, int64_t time,
		      const struct slice_body *body)
{
	struct got *g = &got[got_count++];

	(void)c;
	memset(g, 0, sizeof(*g));
	g->instant = true;
	g->slice.track = *track;
	g->start_id = id_of(body);
	g->time = time;
	return 0;
}

static int on_name(struct convert *c, uint32_t pid, uint32_t tid, bool thread, const char *name)
{
	(void)c;
	(void)pid;
	(void)tid;
	(void)thread;
	(void)name;
	return 0;
}

static const struct slice_sink sink = { describe, on_slice, on_instant, on_name };

static const void *payload;	/* of the events to come */
static uint16_t payload_len;
static uint8_t channel;
static const char *schema;	/* likewise, TraceLogging's */
static uint16_t schema_len;

static void give(EVENT_RECORD *record, int64_t time, uint16_t cpu)
{
	static struct etw_decoder *decoder;
	/* An EVENT_HEADER has the layout of a record's header. */
	struct etw_event rt = {
		.time = time, .cpu = cpu,
		.record = { .header = (const void *)&record->EventHeader, .data = payload,
			    .data_len = payload_len },
	};
	struct convert_event e = { .event = &rt, .record = record };
	EVENT_HEADER_EXTENDED_DATA_ITEM item = {
		.ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL, .DataSize = schema_len,
		.DataPtr = (uintptr_t)schema,
	};

	record->ExtendedData = &item;
	record->ExtendedDataCount = schema_len != 0;
	record->UserData = (void *)payload;
	record->UserDataLength = payload_len;
	if (!decoder)
		decoder = etw_decoder_new();
	e.decoder = decoder;
	etw_decode(decoder, record, &e.decoded);
	if (slices_event(slices, &e))
		abort();
	if (got_count > sizeof(got) / sizeof(got[0]) - 100)
		abort();
}

/* An event without a schema; describe() writes its id. */
static void event(int64_t time, uint32_t tid, uint8_t opcode, uint16_t task, uint32_t activity,
		  uint16_t id)
{
	EVENT_RECORD record;

	memset(&record, 0, sizeof(record));
	record.EventHeader.ProcessId = 1;
	record.EventHeader.ThreadId = tid;
	record.EventHeader.EventDescriptor.Channel = channel;
	record.EventHeader.EventDescriptor.Opcode = opcode;
	record.EventHeader.EventDescriptor.Task = task;
	record.EventHeader.EventDescriptor.Id = id;
	record.EventHeader.ActivityId.Data1 = activity;
	give(&record, time, 0);
}

/* One of the kernel logger's thread events */
__attribute__((__unused__))
static void kernel_event_of(uint8_t type, int64_t time, uint16_t cpu, const void *data, size_t len)
{
	EVENT_RECORD record;
	struct etw_guid guid;

	memset(&record, 0, sizeof(record));
	etw_etl_class(0x0500, &guid);
	memcpy(&record.EventHeader.ProviderId, &guid, sizeof(guid));
	record.EventHeader.Flags = EVENT_HEADER_FLAG_CLASSIC_HEADER;
	record.EventHeader.EventDescriptor.Opcode = type;
	payload = data;
	payload_len = (uint16_t)len;
	give(&record, time, cpu);
	payload_len = 0;
}

static struct convert convert;

static void begin(void)
{
	got_count = 0;
	slices = slices_new(&convert, &sink, limit);
}

static void end(void)
{
	is(slices_end(slices), 0, "it ends well");
	counts = slices->count;
	slices_report(slices);
	slices_free(slices);
}

#define T(n)	(MAKE_START + (n))
#define NS(n)	(NS0 + 100 * (n))

/* Check a slice from a to b, in 100 ns, with the start and stop events of these ids. */
static void check(size_t i, enum slice_place place, int64_t from, int64_t to, uint32_t start,
		  uint32_t stop, const char *name)
{
	const struct got *g = &got[i];

	if (!ok(i < got_count && !g->instant && g->slice.track.place == place &&
		g->slice.begin / 100 == NS(from) / 100 && g->slice.end / 100 == NS(to) / 100 &&
		g->start_id == start && g->stop_id == stop, "%s", name))
		printf("# place %d, %lld to %lld, events %u and %u\n", g->slice.track.place,
		       (long long)(g->slice.begin - NS0) / 100,
		       (long long)(g->slice.end - NS0) / 100, g->start_id, g->stop_id);
}

#endif /* ETW_UNIT_CONVERT_SLICES_H */
