/* SPDX-License-Identifier: MIT */
/* report_make.h - log files with events of TraceLogging, for etw report */
#ifndef ETW_UNIT_REPORT_MAKE_H
#define ETW_UNIT_REPORT_MAKE_H

#include "unit/etl/etl_make.h"

#include <evntcons.h>

/* Types of fields */
#define U32	"\x08"
#define I32	"\x07"

static struct make made_file;
static uint64_t made_sequence, made_at;	/* ns of the file's clock */

static const struct etw_guid made_provider =
	ETW_GUID(0x6a5c2f0e, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8);

struct made {
	const char *name;
	const char *fields;	/* name, NUL and type of each */
	size_t fields_len;
	const void *data;
	uint32_t len;
	uint8_t opcode, level;	/* level 0: 4 */
	uint32_t pid, tid;	/* 0: 10 and 11 */
	uint16_t cpu;
	const struct etw_guid *activity;
	const char *provider;	/* NULL: "Maker" */
};

__attribute__((__unused__))
static void report_begin(void)
{
	memset(&made_file.head, 0, sizeof(made_file.head));
	made_file.head.logger_id = 3;
	made_sequence = 0;
	made_at = 1000;
	make_begin(&made_file, 1);
	make_buffer(&made_file, 0, made_sequence);
}

__attribute__((__unused__))
static void report_end(void)
{
	make_put(&made_file);
	make_end(&made_file);
}

/* Metadata of TraceLogging: a size, then the rest */
static inline uint32_t report_sized(unsigned char *to, const void *rest, size_t len)
{
	const uint16_t size = (uint16_t)(len + 2);

	memcpy(to, &size, 2);
	memcpy(to + 2, rest, len);
	return size;
}

static inline void report_put(struct etw_record_source *source, const struct etw_record_items *items)
{
	struct etw_buffer_header *h = feed_header(&made_file.feed);

	if (etw_record_measure_items(source, items))
		abort();
	if (h->offset + etw_record_slot(source->size) > made_file.feed.size)
		make_next(&made_file, &made_sequence);
	h = feed_header(&made_file.feed);
	etw_record_write_items(made_file.feed.data + h->offset, source, items, made_at);
	h->offset += etw_record_slot(source->size);
	h->saved_offset = h->current_offset = h->offset;
	h->timestamp = (int64_t)made_at;
}

/* Add an event at ns of the file's clock, which is not before the one before. */
__attribute__((__unused__))
static void report_make(const struct made *made, uint64_t ns)
{
	struct etw_event_descriptor desc = { .level = made->level ? made->level : 4,
					     .channel = 11, .keyword = 1, .opcode = made->opcode };
	const char *provider = made->provider ? made->provider : "Maker";
	unsigned char traits[64], meta[256], rest[256] = { 0 };
	struct etw_data_descriptor piece = { .ptr = (uintptr_t)made->data, .size = made->len };
	struct etw_record_extra extra = { .count = 0 };
	const struct etw_record_items items = { .extra = &extra };
	struct etw_record_source source = {
		.provider = &made_provider, .desc = &desc, .data = &piece, .count = 1,
		.thread_id = made->tid ? made->tid : 11, .process_id = made->pid ? made->pid : 10,
		.type = ETW_TYPE_EVENT64, .flags = ETW_EVENT_NO_CPUTIME,
		.activity = made->activity,
	};
	const size_t name_len = strlen(made->name) + 1;

	/* No tags, the name, the fields */
	memcpy(rest + 1, made->name, name_len);
	if (made->fields_len)
		memcpy(rest + 1 + name_len, made->fields, made->fields_len);
	etw_record_add_extra(&extra, EVENT_HEADER_EXT_TYPE_PROV_TRAITS, traits,
			     report_sized(traits, provider, strlen(provider) + 1));
	etw_record_add_extra(&extra, EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL, meta,
			     report_sized(meta, rest, 1 + name_len + made->fields_len));
	made_at = ns;
	report_put(&source, &items);
}

#endif /* ETW_UNIT_REPORT_MAKE_H */
