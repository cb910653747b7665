// SPDX-License-Identifier: GPL-2.0-only
/*
 * tlmeta - TraceLogging metadata, traits and payload
 *
 *	input := flags  u16 n  n bytes of metadata  u8 m  m bytes of traits  payload
 */
#include "libfuzzer/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct etw_decoder *decoder;
	static struct etw_text text;
	static unsigned int runs;
	struct input in = { data, size };
	uint8_t flags = take8(&in);
	size_t meta_size, traits_size, payload_size;
	void *meta = take_block(&in, take16(&in), &meta_size);
	void *traits = take_block(&in, take8(&in), &traits_size);
	void *payload = take_block(&in, in.left, &payload_size);
	EVENT_HEADER_EXTENDED_DATA_ITEM items[] = {
		{ .ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL,
		  .DataSize = (USHORT)meta_size, .DataPtr = (uintptr_t)meta },
		{ .ExtType = EVENT_HEADER_EXT_TYPE_PROV_TRAITS,
		  .DataSize = (USHORT)traits_size, .DataPtr = (uintptr_t)traits },
	};
	EVENT_RECORD record = {
		.EventHeader.Flags = flags & 1 ? EVENT_HEADER_FLAG_32_BIT_HEADER : 0,
		.ExtendedData = items, .ExtendedDataCount = 2,
		.UserData = payload, .UserDataLength = (USHORT)payload_size,
	};
	const struct etw_decoded *event;

	/* The schemas of earlier inputs stay cached; they are not a leak. */
	if (!decoder || !(++runs % 4096)) {
		etw_decoder_free(decoder);
		decoder = etw_decoder_new();
	}
	etw_decode(decoder, &record, &event);
	use_event(decoder, &text);
	etw_decode(decoder, &record, &event);
	use_event(decoder, &text);
	free(meta);
	free(traits);
	free(payload);
	return 0;
}
