// SPDX-License-Identifier: MIT
/* report_fields - which numeric fields etw report counts, where events differ in theirs */
#define _GNU_SOURCE
#include "unit/etl/etl_make.h"

#include <evntcons.h>

#include "lib/tap.h"
#include "report_run.h"

#define U32	"\x08"
#define RARE	500	/* kinds of events, more than fields have room for */
#define OFTEN	5000

static struct make make;
static uint64_t sequence, now;

static const struct etw_guid provider = ETW_GUID(0x6a5c2f0e, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8);

static void begin(void)
{
	memset(&make.head, 0, sizeof(make.head));
	make.head.logger_id = 3;
	sequence = 0;
	now = 1000;
	make_begin(&make, 1);
	make_buffer(&make, 0, sequence);
}

static void end(void)
{
	make_put(&make);
	make_end(&make);
}

/* Metadata of TraceLogging: a size, then the rest */
static uint32_t with_size(unsigned char *to, const void *rest, size_t len)
{
	const uint16_t size = (uint16_t)(len + 2);

	memcpy(to, &size, 2);
	memcpy(to + 2, rest, len);
	return size;
}

/* An event of TraceLogging; fields: name, NUL and type of each */
static void put(const char *name, const char *fields, size_t fields_len, const void *data,
		uint32_t len)
{
	struct etw_event_descriptor desc = { .level = 4, .channel = 11, .keyword = 1 };
	unsigned char traits[64], meta[256], rest[256] = { 0 };
	struct etw_data_descriptor piece = { .ptr = (uintptr_t)data, .size = len };
	struct etw_record_extra extra = { .count = 0 };
	const struct etw_record_items items = { .extra = &extra };
	struct etw_record_source source = {
		.provider = &provider, .desc = &desc, .data = &piece, .count = 1,
		.thread_id = 11, .process_id = 10, .type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_NO_CPUTIME,
	};
	const size_t name_len = strlen(name) + 1;
	struct etw_buffer_header *h;

	/* No tags, the name, the fields */
	memcpy(rest + 1, name, name_len);
	memcpy(rest + 1 + name_len, fields, fields_len);
	etw_record_add_extra(&extra, EVENT_HEADER_EXT_TYPE_PROV_TRAITS, traits,
			     with_size(traits, "Maker", 6));
	etw_record_add_extra(&extra, EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL, meta,
			     with_size(meta, rest, 1 + name_len + fields_len));
	if (etw_record_measure_items(&source, &items))
		abort();
	if (feed_header(&make.feed)->offset + etw_record_slot(source.size) > make.feed.size)
		make_next(&make, &sequence);
	h = feed_header(&make.feed);
	etw_record_write_items(make.feed.data + h->offset, &source, &items, now += 1000);
	h->offset += etw_record_slot(source.size);
	h->saved_offset = h->current_offset = h->offset;
	h->timestamp = (int64_t)now;
}

/* Two schemas of one name */
static void test_schemas(void)
{
	const uint32_t pair[2] = { 5, 7 };
	int i;

	begin();
	for (i = 0; i < 100; i++) {
		put("both", "a\0" U32, 3, pair, 4);
		put("both", "b\0" U32 "a\0" U32, 6, pair, 8);
	}
	end();
	says(make.path, "sorted((f['field'], f['count'], f['sum'], f['missed']) for f in r['fields'])",
	     "[('a', 200, 1200, 0), ('b', 100, 500, 0)]", "fields of all schemas of a name");
	says(make.path, "[(k['name'], k['events']) for k in r['events']]", "[('both', 200)]",
	     "are those of one kind of event");
	unlink(make.path);
}

/* What is frequent comes when all room is taken. */
static void test_room(void)
{
	char name[16];
	uint32_t value;
	int i;

	begin();
	for (i = 0; i < RARE; i++) {
		snprintf(name, sizeof(name), "rare%d", i);
		value = (uint32_t)i;
		put(name, "value\0" U32, 7, &value, 4);
	}
	for (value = 1; value <= OFTEN; value++)
		put("often", "value\0" U32, 7, &value, 4);
	end();
	says(make.path, "[(f['field'], f['count'] + f['missed'], f['count'] > 4000, f['max']) "
	     "for f in r['fields'] if 'often' in f['event']]", "[('value', 5000, True, 5000)]",
	     "a frequent event's fields get room");
	says(make.path, "r['fields'][0]['event'], len(r['fields']) + r['fields_more'] >= 500",
	     "Maker/often True", "and are listed first; the others are counted");
	unlink(make.path);
}

/* Sums and means of large numbers */
static void test_large(void)
{
	const uint64_t large = UINT64_MAX;
	const int64_t least = INT64_MIN;
	int i;

	begin();
	for (i = 0; i < 3; i++) {
		put("large", "value\0\x0A", 7, &large, 8);
		put("small", "value\0\x09", 7, &least, 8);
	}
	end();
	says(make.path, "[(f['max'], f['sum']) for f in r['fields'] if 'large' in f['event']]",
	     "[(18446744073709551615, 55340232221128654845)]", "large sums are exact");
	says(make.path, "[(f['min'], f['sum']) for f in r['fields'] if 'small' in f['event']]",
	     "[(-9223372036854775808, -27670116110564327424)]", "those below 0, too");
	says(make.path, "all(abs(m / f['mean'] - 1) < 1e-9 for f in r['fields'] for m in f['over_time'] if m)",
	     "True", "and means over time do not wrap");
	unlink(make.path);
}

int main(void)
{
	test_schemas();
	test_room();
	test_large();
	return done_testing();
}
