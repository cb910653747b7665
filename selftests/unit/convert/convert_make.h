/* SPDX-License-Identifier: MIT */
/*
 * convert_make.h - a log file with events of all kinds of fields
 */
#ifndef ETW_CONVERT_MAKE_H
#define ETW_CONVERT_MAKE_H

#include "unit/decode/decode_event.h"

#include "core/record.h"
#include "etl/write.h"

struct sample {
	const char *meta;	/* TraceLogging metadata; NULL: an event of test_guid */
	const char *payload;
};

/* Names are letters; types as in TraceLoggingProvider.h */
__attribute__((__unused__))
static const struct sample samples[] = {
	{ "00 6500", "" },
	{ "00 6500 6900 03 7500 04", "f8 f8" },
	{ "00 6500 6900 05 7500 06", "f0ff f0ff" },
	{ "00 6500 6900 07 7500 08 6800 14", "e0ffffff e0ffffff e0ffffff" },
	{ "00 6500 6900 09 7500 0a 6800 15", "c0ffffffffffffff efcdab8967452301 efcdab8967452301" },
	{ "00 6500 6600 0b 6400 0c", "0000c03f 182d4454fb210940" },
	{ "00 6500 6200 0d 6300 84 03", "01000000 00" },
	{ "00 6500 6700 0f", "00112233445566778899aabbccddeeff" },
	{ "00 6500 7400 11 7300 12", "0080c0a1b2a3d501 e207 0600 0600 1200 0400 1a00 2800 0700" },
	{ "00 6500 7300 13", "0102 000000000005 20000000 20020000" },
	{ "00 6500 7700 01 6100 02", "48 00 fc 00 22 00 0000 61 5c 22 0a e9 00" },
	{ "00 6500 7700 16 6100 17 6200 0e", "0400 4100 0000 0300 610062 0300 010203" },
	{ "00 6500 7000 86 07 6900 88 08", "1f90 7f000001" },
	{ "00 6500 7300 0e 8a00", "" },			/* malformed */
	{ "00 6500 6500 88 0d 6e00 88 0e 6800 88 0f", "05000000 050000c0 05400080" },
	/* arrays: with a fixed count, with a variable count, of strings, and empty ones */
	{ "00 6500 6100 28 0300", "01000000 02000000 03000000" },
	{ "00 6500 6100 48", "0200 07000000 08000000" },
	{ "00 6500 6100 48", "0000" },
	{ "00 6500 6100 41", "0200 6100 0000 62006300 0000" },
	{ "00 6500 6100 4e", "0200 0100 ff 0000" },
	/* structures, arrays of them, and arrays in these */
	{ "00 6500 7300 98 02 6100 08 6200 02", "01000000 7800" },
	{ "00 6500 7300 d8 02 6100 08 6200 02", "0200 01000000 7800 02000000 00" },
	{ "00 6500 7300 d8 02 6100 04 6200 44", "0200 01 0000 02 0200 0304" },
	{ "00 6500 7300 d8 02 6100 04 6200 44", "0000" },
	{ "00 6500 7300 98 02 7400 98 01 6100 04 6200 04 7a00 06", "01 02 0300" },
	/* too short, and too long */
	{ "00 6500 6900 08 7500 08", "01000000 0200" },
	{ "00 6500 6900 08", "01000000 0203" },
	{ "00 6500 7300 d8 01 6100 08", "0200 01000000 02" },
	/* duplicate names, names invalid in any language, empty names, and keywords */
	{ "00 6500 6500 04 6500 04 655f3200 04", "01 02 03" },
	{ "00 65220a00 612e2000 04 00 04 c3a400 04 696e7400 04 5f6100 04", "01 02 03 04 05" },
	{ NULL, "01020304" },
	{ NULL, "" },
};

#define SAMPLES	(sizeof(samples) / sizeof(samples[0]))

/* Do events have an item of each kind that is shown with them? */
static bool make_items;

static void add_item(struct etw_record_items *to, uint16_t type, const char *hex)
{
	static _Alignas(8) unsigned char store[16][64];
	struct etw_ext_item *item = (void *)store[to->count];
	size_t size;

	memset(item, 0, sizeof(store[0]));
	size = from_hex(hex, (unsigned char *)(item + 1));
	item->size = (uint16_t)etw_item_size((uint32_t)size);
	item->type = type;
	item->data_size = (uint16_t)size;
	to->item[to->count++] = item;
	to->size += item->size;
}

static void add_items(struct etw_record_items *to, bool is_32)
{
	add_item(to, EVENT_HEADER_EXT_TYPE_SID, "0102 000000000005 20000000 20020000");
	add_item(to, EVENT_HEADER_EXT_TYPE_TS_ID, "07000000");
	add_item(to, EVENT_HEADER_EXT_TYPE_INSTANCE_INFO, "03000000 02000000"
		 "00000000000000000000000000000000");
	if (is_32)
		add_item(to, EVENT_HEADER_EXT_TYPE_STACK_TRACE32, "0000000000000000 78563412");
	else
		add_item(to, EVENT_HEADER_EXT_TYPE_STACK_TRACE64, "0000000000000000"
			 "efcdab8967450000 0010000000000000");
	add_item(to, EVENT_HEADER_EXT_TYPE_PSM_KEY, "610070007000 0000");
	add_item(to, EVENT_HEADER_EXT_TYPE_EVENT_KEY, "0900000000000000");
	add_item(to, EVENT_HEADER_EXT_TYPE_PROCESS_START_KEY, "0a00000000000000");
	add_item(to, EVENT_HEADER_EXT_TYPE_CONTAINER_ID, "626f78");
}

static uint32_t make_record(void *to, const struct sample *s, uint64_t time, unsigned int i)
{
	static unsigned char meta[256], payload[4096];
	static const unsigned char traits[] = "\x07\0" "Prov";
	struct etw_record_extra extra = { .count = 0 };
	struct etw_record_items items = { .extra = &extra };
	struct etw_guid guid = { 0xABCD, 1, 2, { 3 } }, activity = { i, 9, 9, { 9 } };
	struct etw_event_descriptor desc = {
		.id = (uint16_t)i, .level = i % 7, .version = 1, .channel = 11, .opcode = 1,
		.keyword = 0x8000000000000000u + i,
	};
	struct etw_data_descriptor data = { .ptr = (uintptr_t)payload };
	struct etw_record_source source = {
		.provider = &guid, .desc = &desc, .data = &data, .count = 1, .thread_id = i,
		.process_id = 4, .type = ETW_TYPE_EVENT64, .flags = ETW_EVENT_NO_CPUTIME,
		.activity = i % 4 == 1 ? &activity : NULL, .related = i % 8 == 1 ? &guid : NULL,
	};
	size_t size;

	data.size = (uint32_t)from_hex(s->payload, payload);
	if (s->meta) {
		size = 2 + from_hex(s->meta, meta + 2);
		memcpy(meta, &(uint16_t){ (uint16_t)size }, 2);
		etw_record_add_extra(&extra, EVENT_HEADER_EXT_TYPE_PROV_TRAITS, traits, 7);
		etw_record_add_extra(&extra, EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL, meta,
				     (uint32_t)size);
	} else {
		memcpy(&guid, &test_guid, sizeof(guid));
		desc.id = 1;
	}
	if (make_items)
		add_items(&items, i % 5 == 4);
	if (etw_record_measure_items(&source, &items))
		abort();
	etw_record_write_items(to, &source, &items, time);
	return source.size;
}

/* Every fifth event is earlier than others of its CPU. */
static bool make_disorder;

__attribute__((__unused__))
static void make_file(const char *path, const struct sample *list, unsigned int count,
		      unsigned int times)
{
	struct etw_etl_options options = { .replace = true };
	_Alignas(8) static unsigned char record[65536];
	struct etw_etl_writer *writer;
	unsigned int i, n, serial = 0;
	struct etw_etl_info here;

	etw_etl_info_here(&here);
	here.header.NumberOfProcessors = 3;
	options.like = &here;
	if (etw_etl_create(path, &options, &writer))
		abort();
	for (n = 0; n < times; n++)
		for (i = 0; i < count; i++, serial++) {
			uint64_t back = make_disorder && serial > 9 && serial % 5 == 0 ? 8000 : 0;
			uint32_t size = make_record(record, &list[i], (uint64_t)here.start_clock +
						    1017ull * serial - back, i);

			if (etw_etl_write(writer, (uint16_t)(serial % 3), record, size))
				abort();
		}
	etw_etl_lost(writer, 5, 1);
	if (etw_etl_finish(writer, 0, NULL))
		abort();
}

#endif /* ETW_CONVERT_MAKE_H */
