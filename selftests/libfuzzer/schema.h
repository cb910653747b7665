/* SPDX-License-Identifier: GPL-2.0-only */
/* schema.h - a handmade manifest of one event, and that event */
#ifndef LIBFUZZER_SCHEMA_H
#define LIBFUZZER_SCHEMA_H

#include "libfuzzer/event.h"
#include "tdh/store/store.h"

static const GUID schema_guid = {
	0x2b7c1f60, 0x9d1e, 0x4c11, { 0x8f, 0x4b, 0x21, 0x7a, 0x63, 0x0c, 0x5d, 0x02 }
};

static inline void *schema_copy(struct etw_manifest *m, const void *data, size_t size)
{
	void *copy = etw_manifest_alloc(m, size);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	return copy;
}

/* Load the manifest; the strings and fields of template and message must outlive it. */
static inline struct etw_manifest *schema_load(const struct etw_mf_template *template,
					       const char *message, const struct etw_mf_map *map)
{
	struct etw_mf_message text = { .text = &message };
	struct etw_mf_event event = { .desc = { .Id = 1 }, .template = template };
	struct etw_mf_provider provider = { .name = "Fuzz", .guid = schema_guid, .event_count = 1 };
	struct etw_manifest *m = etw_manifest_new("by hand");

	if (!m)
		abort();
	text.text = schema_copy(m, text.text, sizeof(message));
	event.message = schema_copy(m, &text, sizeof(text));
	provider.events = schema_copy(m, &event, sizeof(event));
	provider.manifest = m;
	if (map) {
		provider.maps = map;
		provider.map_count = 1;
	}
	m->providers = schema_copy(m, &provider, sizeof(provider));
	m->provider_count = 1;
	if (etw_manifest_finish(m) || etw_store_add(m))
		abort();
	return m;
}

/* Decode the rest of the input as a payload, and release the manifest. */
static inline void schema_use(struct etw_manifest *m, struct input *in, uint8_t flags)
{
	static struct etw_decoder *decoder;
	static struct etw_text text;
	size_t size;
	void *payload = take_block(in, in->left, &size);
	EVENT_RECORD record = {
		.EventHeader.Flags = flags & 1 ? EVENT_HEADER_FLAG_32_BIT_HEADER : 0,
		.EventHeader.ProviderId = schema_guid,
		.EventHeader.EventDescriptor = { .Id = 1, .Keyword = 5 },
		.UserData = payload, .UserDataLength = (USHORT)size,
	};
	const struct etw_decoded *event;

	if (!decoder)
		decoder = etw_decoder_new();
	if (!decoder || etw_decode(decoder, &record, &event))
		abort();
	use_event(decoder, &text);
	if (etw_store_remove(m))
		abort();
	etw_manifest_put(m);
	free(payload);
}

#endif /* LIBFUZZER_SCHEMA_H */
