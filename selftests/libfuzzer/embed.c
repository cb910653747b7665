// SPDX-License-Identifier: GPL-2.0-only
/*
 * embed - schema pieces embedded in a trace, and an event after each
 *
 *	input := (u8 what, u8 length, payload)*
 *	what: bits 0-1 the provider, 2-3 the process, 4 the event is one of that provider,
 *	5 the piece gets a valid envelope, as the next of (bits 6-7) + 1 pieces
 */
#include <string.h>

#include "libfuzzer/event.h"
#include "tdh/decode/embed.h"

static struct etw_text text;

static GUID provider(uint8_t what)
{
	/* The GUID of the manifests in this target's corpus */
	GUID guid = { 0x11111111, 0x2222, 0x3333, { 0x44, 0x44, 0x55, 0x55, 0x55, 0x55, 0x55,
						      0x55 } };

	guid.Data1 += what & 3;
	return guid;
}

static void feed(struct etw_decoder *decoder, uint8_t what, const uint8_t *data, uint16_t len)
{
	EVENT_RECORD record = {
		.EventHeader = {
			.ProviderId = provider(what),
			.ProcessId = what >> 2 & 3,
			.EventDescriptor = { .Id = 0xFFFE, .Opcode = 0xFE, .Task = 0xFFFE },
		},
		.UserData = (void *)data, .UserDataLength = len,
	};
	const struct etw_decoded *event;

	if (what & 0x10)
		record.EventHeader.EventDescriptor = (EVENT_DESCRIPTOR){ .Id = len & 7 };
	etw_decode(decoder, &record, &event);
	use_event(decoder, &text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct etw_decoder *decoder = etw_decoder_new();
	uint8_t piece[8 + 255], next[4] = { 0 };

	while (decoder && size > 2) {
		uint8_t what = data[0], len = data[1] < size - 2 ? data[1] : size - 2;
		uint8_t total = (what >> 6) + 1;

		data += 2;
		size -= 2;
		if (what & 0x20) {
			memcpy(piece, (uint8_t[]){ 1, 1, 0, 0x5B, total, 0, next[what & 3] % total,
						   0 }, 8);
			next[what & 3]++;
			memcpy(piece + 8, data, len);
			feed(decoder, what & ~0x10, piece, 8 + len);
		} else {
			feed(decoder, what, data, len);
		}
		data += len;
		size -= len;
	}
	etw_decoder_free(decoder);
	return 0;
}
