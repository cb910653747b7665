// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert_ctf - CTF traces that make sense or do not: metadata, and packets by them
 *
 *	input := u16 n  n bytes of metadata  packets
 */
#include <errno.h>
#include "libfuzzer/event.h"
#include "convert/ctf_in/stream.h"

#define EVENTS	4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A record is what the reader of log files takes it for. */
static void use_record(struct cs *s, struct etw_decoder *decoder, struct etw_text *text)
{
	EVENT_HEADER_EXTENDED_DATA_ITEM items[8];
	const struct etw_decoded *decoded;
	struct etw_record_view view;
	struct etw_ext_view ext;
	uint32_t offset = 0, at = 0;
	EVENT_RECORD record;
	unsigned int n = 0;

	if (etw_record_next(s->record, s->record_size, &offset, &view) != 1)
		abort();
	memset(&record, 0, sizeof(record));
	memcpy(&record.EventHeader, view.header, sizeof(record.EventHeader));
	while (n < 8 && etw_ext_next(&view, &at, &ext) == 1) {
		memset(&items[n], 0, sizeof(items[n]));
		items[n].ExtType = ext.type;
		items[n].DataSize = (USHORT)ext.data_len;
		items[n++].DataPtr = (uintptr_t)ext.data;
	}
	record.ExtendedData = items;
	record.ExtendedDataCount = (USHORT)n;
	record.UserData = (void *)(uintptr_t)view.data;
	record.UserDataLength = (USHORT)view.data_len;
	/* Our own metadata are sound, and the payload is as they say. */
	if (etw_decode(decoder, &record, &decoded))
		abort();
	text->len = 0;
	if (etw_format_fields(text, decoder, 0) == -EBADMSG)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctfin_options options = { .replace = false };
	struct ctfin_result result = { .events = 0 };
	struct etw_text text = { .data = NULL };
	struct input in = { data, size };
	uint16_t wanted = take16(&in);
	char problem[256];
	size_t got, left;
	char *metadata = take_block(&in, wanted, &got);
	uint8_t *packets = take_block(&in, in.left, &left);
	struct cm_meta *meta = cm_parse(metadata, got, problem, sizeof(problem));
	struct etw_decoder *decoder;
	struct cs *s;
	unsigned int n;

	if (meta) {
		s = calloc(1, sizeof(*s));
		decoder = etw_decoder_new();
		if (!s || !decoder)
			abort();
		*s = (struct cs){ .meta = meta, .file.path = "", .memory = packets, .size = left,
				  .options = &options, .result = &result };
		s->r.meta = meta;
		for (n = 0; n < EVENTS && cs_next(s) == 1; n++)
			use_record(s, decoder, &text);
		cs_close(s);
		free(s);
		etw_decoder_free(decoder);
	}
	etw_text_free(&text);
	cm_free(meta);
	free(metadata);
	free(packets);
	return 0;
}
