/* SPDX-License-Identifier: MIT */
/*
 * decode_identity - a decoder that recognises events finds what a new decoder finds
 */
#include <etw/format.h>

#include "decode_event.h"
#include "tdh/decode/decoder.h"

#define KINDS	1024

static const GUID other_guid = {
	0x2b7c1f61, 0x9d1e, 0x4c11, { 0x8f, 0x4b, 0x21, 0x7a, 0x63, 0x0c, 0x5d, 0x01 }
};

/* The size, no tags, a name and a field, in one length */
#define META	16
static const unsigned char metas[][META + 1] = {
	"\x10\0\0Step\0number\0\x08", "\x10\0\0Step\0nomber\0\x08",
	"\x10\0\0Stop\0number\0\x08", "\x10\0\0Step\0number\0\x07",
};

static const unsigned char own_traits[][8] = { "\x06\0One", "\x06\0Two" };

/* One of the kinds, which differ in all that names and plan follow from */
static const EVENT_RECORD *record_of(unsigned int kind)
{
	static EVENT_HEADER_EXTENDED_DATA_ITEM items[4];
	static unsigned char meta[META], traits[6];
	static EVENT_RECORD record;
	static uint32_t payload[2];
	unsigned int n = 0;

	memcpy(meta, metas[kind & 3], sizeof(meta));
	memcpy(traits, own_traits[kind >> 2 & 1], sizeof(traits));
	if (kind & 8)
		items[n++] = (EVENT_HEADER_EXTENDED_DATA_ITEM){
			.ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL, .DataSize = META,
			.DataPtr = (uintptr_t)meta };
	if (kind & 16)
		items[n++] = (EVENT_HEADER_EXTENDED_DATA_ITEM){
			.ExtType = EVENT_HEADER_EXT_TYPE_PROV_TRAITS, .DataSize = sizeof(traits),
			.DataPtr = (uintptr_t)traits };
	if (kind & 32)
		items[n++] = (EVENT_HEADER_EXTENDED_DATA_ITEM){
			.ExtType = EVENT_HEADER_EXT_TYPE_CONTROL_GUID, .DataSize = sizeof(GUID),
			.DataPtr = (uintptr_t)&other_guid };
	payload[0] = payload[1] = kind;
	record = (EVENT_RECORD){ .ExtendedData = items, .ExtendedDataCount = (USHORT)n,
				 .UserData = payload, .UserDataLength = sizeof(payload) };
	record.EventHeader.ProviderId = kind & 64 ? other_guid : test_guid;
	record.EventHeader.Flags = kind & 128 ? EVENT_HEADER_FLAG_32_BIT_HEADER : 0;
	record.EventHeader.EventDescriptor.Id = kind >> 8 & 1;
	record.EventHeader.EventDescriptor.Level = (UCHAR)(1 + (kind >> 9 & 1));
	record.EventHeader.EventDescriptor.Opcode = kind >> 9 & 1;
	return &record;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Does a decoder say the same of an event as a new one? */
static bool agrees(struct etw_decoder *old, unsigned int kind)
{
	const EVENT_RECORD *record = record_of(kind);
	struct etw_decoder *new = etw_decoder_new();
	struct etw_text a = { 0 }, b = { 0 };
	const struct etw_decoded *x, *y;
	bool right = etw_decode(old, record, &x) == etw_decode(new, record, &y);

	right = right && etw_format_fields(&a, old, 0) == etw_format_fields(&b, new, 0) &&
		same(a.data, b.data) && x->source == y->source && x->record == y->record &&
		same(x->provider, y->provider) && same(x->event, y->event) &&
		same(x->task, y->task) && same(x->opcode, y->opcode) &&
		same(x->level, y->level) && same(x->channel, y->channel) &&
		same(x->message, y->message) && same(x->mode, y->mode) &&
		!memcmp(&x->decode_guid, &y->decode_guid, sizeof(GUID)) &&
		!memcmp(&x->control_guid, &y->control_guid, sizeof(GUID)) &&
		x->field_count == y->field_count;
	if (!right)
		printf("# kind %x: got %s of %s, want %s of %s\n", kind, a.data,
		       x->provider ? x->provider : "nobody", b.data,
		       y->provider ? y->provider : "nobody");
	etw_text_free(&a);
	etw_text_free(&b);
	etw_decoder_free(new);
	return right;
}

static void test_order(struct etw_decoder *old)
{
	unsigned int i, random = 1, wrong = 0;

	for (i = 0; i < 8 * KINDS && wrong < 4; i++) {
		random = random * 1103515245u + 12345;
		wrong += !agrees(old, i % 8 < 4 ? i / 8 % KINDS : random >> 16 & (KINDS - 1));
	}
	is(wrong, 0, "events that come again at once, soon, or after many others");
}

/* Event 1 of test_guid: decoded by what the manifest says at the time */
static void test_manifests(struct etw_decoder *old)
{
	const struct etw_mf_field one[] = { FIELD("first", UINT32, UNSIGNEDINT) };
	const struct etw_mf_field two[] = { FIELD("second", UINT64, UNSIGNEDLONG) };
	const unsigned int kind = 256;

	ok(agrees(old, kind) && agrees(old, kind), "an event without a schema");
	load(one, 1, 1, NULL);
	ok(agrees(old, kind) && agrees(old, kind), "its manifest is loaded");
	load(two, 1, 1, NULL);
	ok(agrees(old, kind) && agrees(old, kind), "another manifest replaces that");
	unload();
	ok(agrees(old, kind), "none is left");
}

/* Too many schemas: the decoder forgets them, and what it knew of events with them. */
static void test_forgetting(struct etw_decoder *old)
{
	unsigned char meta[META];
	EVENT_HEADER_EXTENDED_DATA_ITEM item = {
		.ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL, .DataSize = META,
		.DataPtr = (uintptr_t)meta,
	};
	EVENT_RECORD record = { .ExtendedData = &item, .ExtendedDataCount = 1 };
	unsigned int i, wrong = 0;

	memcpy(meta, metas[0], sizeof(meta));
	for (i = 0; i < 40000; i++) {
		meta[8] = (unsigned char)(1 + i % 200);
		meta[9] = (unsigned char)(1 + i / 200);
		etw_decode(old, &record, NULL);
		if (i % 1000 == 0)
			wrong += !agrees(old, 8 + i / 1000 % 4);
	}
	is(wrong, 0, "after more schemas than are kept");
}

/* Callers may leave a number behind when they take the list away. */
static void test_no_list(struct etw_decoder *old)
{
	EVENT_RECORD record = { .ExtendedDataCount = 3 };
	const struct etw_decoded *event;

	record.EventHeader.Flags = EVENT_HEADER_FLAG_STRING_ONLY;
	ok(!etw_decode(old, &record, &event) && !etw_decode(old, &record, &event) &&
	   event->source == ETW_DECODE_STRING, "a number of items, but no items");
}

/* Flags of the header say which mode wrote an event, whatever wrote the one before it. */
static void test_mode(struct etw_decoder *old)
{
	static const struct {
		USHORT flags;
		const char *mode;
	} of[] = { { ETW_EVENT_KERNEL_MODE, "kernel" }, { ETW_EVENT_USER_MODE, "user" },
		   { 0, NULL }, { ETW_EVENT_KERNEL_MODE, "kernel" } };
	unsigned int i, right = 0;

	for (i = 0; i < sizeof(of) / sizeof(*of); i++) {
		const struct etw_decoded *event;
		EVENT_RECORD record = *record_of(8);

		record.EventHeader.Flags = of[i].flags;
		right += !etw_decode(old, &record, &event) && same(event->mode, of[i].mode);
	}
	is(right, sizeof(of) / sizeof(*of), "the mode that wrote an event");
}

int main(void)
{
	struct etw_decoder *old = etw_decoder_new();

	test_order(old);
	test_manifests(old);
	test_no_list(old);
	test_mode(old);
	test_forgetting(old);
	test_order(old);
	etw_decoder_free(old);
	clean_up();
	return done_testing();
}
