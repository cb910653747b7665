/* SPDX-License-Identifier: MIT */
/*
 * event.c - make events of Etw-Machine
 */
#include <errno.h>
#include <string.h>
#include "base/guid.h"
#include "event.h"

#define LEVEL_INFO	4

static const char provider_name[] = ETW_MACHINE_PROVIDER_NAME;

/* ---------------------------------------------------------------------- fields */

static void add_meta(struct machine_event *e, const void *data, size_t len)
{
	memcpy(e->meta + e->meta_len, data, len);
	e->meta_len += len;
}

static void add_payload(struct machine_event *e, const void *data, size_t len)
{
	etw_text_add(&e->payload, data, len);
}

static void add_field(struct machine_event *e, const char *name, uint8_t in, uint8_t out)
{
	const uint8_t types[] = { out ? in | TlgInChain : in, out };

	add_meta(e, name, strlen(name) + 1);
	add_meta(e, types, out ? 2 : 1);
}

/* The size of the metadata comes last, then there are no tags. */
void machine_event_begin(struct machine_event *e, const char *name)
{
	static const uint8_t size_and_tags[3];

	e->meta_len = 0;
	etw_text_cut(&e->payload, 0);
	add_meta(e, size_and_tags, sizeof(size_and_tags));
	add_meta(e, name, strlen(name) + 1);
}

void machine_event_text(struct machine_event *e, const char *name, const char *text)
{
	if (!*text)
		return;
	add_field(e, name, TlgInANSISTRING, TlgOutUTF8);
	add_payload(e, text, strlen(text) + 1);
}

void machine_event_binary(struct machine_event *e, const char *name, const void *bytes,
			  uint16_t len)
{
	if (!len)
		return;
	add_field(e, name, TlgInBINARY, 0);
	add_payload(e, &len, sizeof(len));
	add_payload(e, bytes, len);
}

void machine_event_u32(struct machine_event *e, const char *name, uint32_t value)
{
	add_field(e, name, TlgInUINT32, 0);
	add_payload(e, &value, sizeof(value));
}

void machine_event_u64(struct machine_event *e, const char *name, uint8_t in, uint64_t value)
{
	add_field(e, name, in, 0);
	add_payload(e, &value, sizeof(value));
}

void machine_event_guid(struct machine_event *e, const char *name, const struct etw_guid *guid)
{
	add_field(e, name, TlgInGUID, 0);
	add_payload(e, guid, sizeof(*guid));
}

void machine_event_array(struct machine_event *e, const char *name, uint8_t in, uint8_t out,
			 uint16_t count, const void *elements, size_t len)
{
	add_field(e, name, in | TlgInVcount, out);
	add_payload(e, &count, sizeof(count));
	add_payload(e, elements, len);
}

/* --------------------------------------------------------------------- records */

static size_t item_size(size_t len)
{
	return (sizeof(struct etw_ext_item) + len + 7) / 8 * 8;
}

size_t machine_event_size(const struct machine_event *e)
{
	return sizeof(struct etw_event_header) + item_size(2 + sizeof(provider_name)) +
	       item_size(e->meta_len) + e->payload.len;
}

static void add_item(struct etw_text *to, uint16_t type, const void *data, uint16_t len, bool more)
{
	const size_t size = item_size(len);
	size_t left = size - sizeof(struct etw_ext_item) - len;
	const struct etw_ext_item item = {
		.size = (uint16_t)size, .type = type, .linkage = more, .data_size = len,
	};

	etw_text_add(to, (const char *)&item, sizeof(item));
	etw_text_add(to, data, len);
	while (left--)
		etw_text_char(to, '\0');
}

int machine_event_put(const struct machine_out *out, struct machine_event *e)
{
	struct etw_event_header header = {
		.type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_EXTENDED_INFO | ETW_EVENT_NO_CPUTIME,
		.thread_id = ETW_MACHINE_NOBODY,
		.process_id = ETW_MACHINE_NOBODY,
		.timestamp = out->time,
		.provider = ETW_MACHINE_GUID,
		.desc = { .channel = ETW_CHANNEL_TRACELOGGING, .level = LEVEL_INFO,
			  .keyword = ETW_MACHINE_KEYWORD },
	};
	const size_t size = machine_event_size(e);
	struct etw_text record = { .data = NULL };
	uint8_t traits[2 + sizeof(provider_name)];
	const uint16_t traits_len = sizeof(traits);
	int err;

	memcpy(traits, &traits_len, sizeof(traits_len));
	memcpy(traits + sizeof(traits_len), provider_name, sizeof(provider_name));
	memcpy(e->meta, &e->meta_len, sizeof(e->meta_len));
	header.size = (uint16_t)size;
	etw_text_add(&record, (const char *)&header, sizeof(header));
	add_item(&record, ETW_EXT_PROV_TRAITS, traits, traits_len, true);
	add_item(&record, ETW_EXT_EVENT_SCHEMA, e->meta, e->meta_len, false);
	etw_text_add(&record, e->payload.len ? e->payload.data : "", e->payload.len);
	err = e->payload.error ? e->payload.error : record.error;
	if (!err)
		err = size > ETW_RECORD_MAX ? -EMSGSIZE :
		      out->put(out->context, record.data, record.len);
	etw_text_free(&record);
	etw_text_free(&e->payload);
	return err;
}
