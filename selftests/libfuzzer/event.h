/* SPDX-License-Identifier: GPL-2.0-only */
/* event.h - builds an event from a fuzzer's bytes and uses it in every way */
#ifndef LIBFUZZER_EVENT_H
#define LIBFUZZER_EVENT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <etw/decode.h>

/* Input consumed from the front */
struct input {
	const uint8_t *p;
	size_t left;
};

static inline uint8_t take8(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->p++;
}

static inline uint16_t take16(struct input *in)
{
	uint16_t low = take8(in);

	return (uint16_t)(low | take8(in) << 8);
}

/* Copy to an allocation of exactly this size, so that a sanitizer sees reads beyond it. */
static inline void *take_block(struct input *in, size_t size, size_t *got)
{
	void *copy;

	if (size > in->left)
		size = in->left;
	copy = malloc(size ? size : 1);
	if (!copy)
		abort();
	memcpy(copy, in->p, size);
	in->p += size;
	in->left -= size;
	*got = size;
	return copy;
}

/* Decode, walk and format an event; check the invariants of the walk. */
static inline void use_event(struct etw_decoder *decoder, struct etw_text *text)
{
	struct etw_field field;
	unsigned int depth = 0;
	size_t rest, end = 0;
	int ret;

	etw_decode_rewind(decoder);
	while ((ret = etw_decode_next(decoder, &field)) > 0) {
		text->len = 0;
		etw_decode_path(text, decoder, &field, 0);
		if (field.kind == ETW_FIELD_STRUCT_END || field.kind == ETW_FIELD_ARRAY_END)
			depth--;
		if (field.depth != depth)
			abort();
		if (field.kind == ETW_FIELD_STRUCT_BEGIN || field.kind == ETW_FIELD_ARRAY_BEGIN)
			depth++;
		else if (field.offset + field.length < end)
			abort();
		else
			end = field.offset + field.length;
	}
	if (!ret && depth)
		abort();
	if (etw_decode_next(decoder, &field))
		abort();
	etw_decode_rest(decoder, &rest);
	text->len = 0;
	if (etw_format_fields(text, decoder, 0) > 0 || text->error)
		abort();
	etw_format_fields(text, decoder, ETW_FORMAT_RAW);
	etw_format_json(text, decoder);
	etw_format_message(text, decoder);
	for (depth = 0; etw_decode_keyword(decoder, depth); depth++)
		;
}

#endif /* LIBFUZZER_EVENT_H */
