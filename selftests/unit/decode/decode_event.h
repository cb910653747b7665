/* SPDX-License-Identifier: MIT */
/* decode_event.h - handmade events with handmade schemas, and their text */
#ifndef ETW_UNIT_DECODE_EVENT_H
#define ETW_UNIT_DECODE_EVENT_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <etw/decode.h>
#include "lib/tap.h"
#include "tdh/store/store.h"
#include "base/text.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* Template fields */
#define FIELD(what, in, out)	{ .name = what, .in_type = TDH_INTYPE_##in, \
				  .out_type = TDH_OUTTYPE_##out, .count = 1 }

static const GUID test_guid = {
	0x2b7c1f60, 0x9d1e, 0x4c11, { 0x8f, 0x4b, 0x21, 0x7a, 0x63, 0x0c, 0x5d, 0x01 }
};

static struct etw_decoder *decoder;
static struct etw_manifest *loaded;
static struct etw_text out_text, out_json;
static int text_ret, json_ret, decode_ret;

/* Convert hexadecimal digits, with optional blanks, to bytes; returns their number. */
static inline size_t from_hex(const char *hex, unsigned char *to)
{
	size_t n = 0;

	while (*hex) {
		unsigned int byte;

		if (*hex == ' ') {
			hex++;
			continue;
		}
		if (sscanf(hex, "%2x", &byte) != 1)
			abort();
		to[n++] = (unsigned char)byte;
		hex += 2;
	}
	return n;
}

static inline void *in_arena(const void *data, size_t size)
{
	void *copy = etw_manifest_alloc(loaded, size ? size : 1);

	if (!copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	return copy;
}

static inline void unload(void)
{
	if (loaded) {
		etw_store_remove(loaded);
		etw_manifest_put(loaded);
	}
	loaded = NULL;
}

/* Load a manifest whose event 1 has this template and message; NULL: none. */
static inline void load(const struct etw_mf_field *fields, unsigned int count, unsigned int top,
			const char *message)
{
	struct etw_mf_template template = { .id = "T", .count = count, .top = top };
	struct etw_mf_message text = { .text = (const char *const[]){ message } };
	struct etw_mf_event event = { .desc = { .Id = 1, .Level = 4 } };
	struct etw_mf_provider provider = { .name = "Test", .guid = test_guid, .event_count = 1 };

	unload();
	loaded = etw_manifest_new("by hand");
	if (!loaded)
		abort();
	template.fields = in_arena(fields, count * sizeof(*fields));
	text.text = in_arena(text.text, sizeof(message));
	if (count)
		event.template = in_arena(&template, sizeof(template));
	if (message)
		event.message = in_arena(&text, sizeof(text));
	event.level = etw_standard(ETW_PART_LEVEL, 4);
	provider.events = in_arena(&event, sizeof(event));
	provider.manifest = loaded;
	loaded->providers = in_arena(&provider, sizeof(provider));
	loaded->provider_count = 1;
	if (etw_manifest_finish(loaded) || etw_store_add(loaded))
		abort();
}

/* Decode an event with this payload in an allocation of its exact size, and format it. */
static inline const struct etw_decoded *decode_bytes(EVENT_RECORD *record, const void *payload,
						     size_t size)
{
	static unsigned char *block;
	const struct etw_decoded *event = NULL;

	free(block);
	block = malloc(size ? size : 1);
	memcpy(block, payload, size);
	record->UserData = block;
	record->UserDataLength = (USHORT)size;
	if (!decoder)
		decoder = etw_decoder_new();
	decode_ret = etw_decode(decoder, record, &event);
	etw_text_cut(&out_text, 0);
	etw_text_cut(&out_json, 0);
	text_ret = etw_format_fields(&out_text, decoder, 0);
	json_ret = etw_format_json(&out_json, decoder);
	return event;
}

/* The same for event 1 of the manifest, with the payload in hexadecimal digits */
static inline const struct etw_decoded *decode_hex(const char *hex, USHORT flags)
{
	static EVENT_RECORD record;
	static unsigned char bytes[65536];

	record = (EVENT_RECORD){ .EventHeader = { .Flags = flags, .ProviderId = test_guid } };
	record.EventHeader.EventDescriptor.Id = 1;
	record.EventHeader.EventDescriptor.Level = 4;
	return decode_bytes(&record, bytes, from_hex(hex, bytes));
}

/* The same for a classic event of a machine of that many bits */
static inline const struct etw_decoded *decode_classic(const GUID *guid, unsigned int type,
						       unsigned int version, unsigned int bits,
						       const void *payload, size_t size)
{
	static EVENT_RECORD record;

	record = (EVENT_RECORD){
		.EventHeader.ProviderId = *guid,
		.EventHeader.Flags = EVENT_HEADER_FLAG_CLASSIC_HEADER |
			(bits == 32 ? EVENT_HEADER_FLAG_32_BIT_HEADER : 0),
		.EventHeader.EventDescriptor = { .Version = (UCHAR)version, .Opcode = (UCHAR)type },
	};
	return decode_bytes(&record, payload, size);
}

/* Was it decoded as a classic event of these names? */
static inline bool is_classic(const struct etw_decoded *event, const char *provider,
			      const char *task, const char *opcode)
{
	return !decode_ret && event->source == ETW_DECODE_CLASSIC && event->task &&
	       !strcmp(event->task, task) && event->opcode && !strcmp(event->opcode, opcode) &&
	       !strcmp(event->provider, provider);
}

static inline const char *text(void)
{
	return out_text.len ? out_text.data : "";
}

static inline const char *json(void)
{
	return out_json.len ? out_json.data : "";
}

static inline void is_text(const char *got, const char *want, const char *what)
{
	if (!ok(!strcmp(got, want), "%s", what))
		printf("# got  %s\n# want %s\n", got, want);
}

/* The paths of all steps of etw_decode_next(), joined; "!": the payload is cut off there */
static inline const char *paths(ULONG flags)
{
	static const char *const marks[] = {
		[ETW_FIELD_VALUE] = "", [ETW_FIELD_STRUCT_BEGIN] = "{",
		[ETW_FIELD_STRUCT_END] = "}", [ETW_FIELD_ARRAY_BEGIN] = "(",
		[ETW_FIELD_ARRAY_END] = ")",
	};
	struct etw_field field;
	int ret;

	etw_text_cut(&out_text, 0);
	etw_decode_rewind(decoder);
	while ((ret = etw_decode_next(decoder, &field))) {
		if (out_text.len)
			etw_text_char(&out_text, ' ');
		etw_decode_path(&out_text, decoder, &field, flags);
		etw_text_puts(&out_text, ret < 0 ? "!" : marks[field.kind]);
		if (ret < 0)
			break;
	}
	return text();
}

static inline void clean_up(void)
{
	unload();
	etw_decoder_free(decoder);
	etw_text_free(&out_text);
	etw_text_free(&out_json);
}

#endif /* ETW_UNIT_DECODE_EVENT_H */
