/* SPDX-License-Identifier: MIT */
/*
 * format.h - functions that text, JSON and messages share
 */
#ifndef ETW_TDH_DECODE_FORMAT_H
#define ETW_TDH_DECODE_FORMAT_H

#include "decoder.h"
#include "base/text.h"

/*
 * Limit of one event's text: hostile metadata could have a long name for each byte of
 * the payload.
 */
#define ETW_FORMAT_MAX	(8u << 20)

/* Empty the text and reset an earlier event's out-of-memory state. */
static inline struct etw_text *etw_scratch(struct etw_decoder *decoder)
{
	if (decoder->scratch.error)
		etw_text_free(&decoder->scratch);
	etw_text_cut(&decoder->scratch, 0);
	return &decoder->scratch;
}

/* The open structures and arrays, and whether each has a member yet */
struct etw_nesting {
	unsigned int depth;
	bool in_array[ETW_LEVELS + 1];
	bool begun[ETW_LEVELS + 1];
};

static inline void etw_nesting_open(struct etw_text *text, struct etw_nesting *n, bool is_array)
{
	etw_text_char(text, is_array ? '[' : '{');
	n->depth++;
	n->in_array[n->depth] = is_array;
	n->begun[n->depth] = false;
}

static inline void etw_nesting_close(struct etw_text *text, struct etw_nesting *n)
{
	etw_text_char(text, n->in_array[n->depth--] ? ']' : '}');
}

/* The name of an out-type's code, such as "ERROR_ACCESS_DENIED"; NULL: not a common code. */
const char *etw_error_name(uint16_t out_type, uint32_t code);

/* Format values that are neither numbers nor strings, without quotes. */
void etw_format_special(struct etw_text *text, const struct etw_field *field);

/* Format a value's names from its map, escaped in a style; false: it has none. */
bool etw_format_map(struct etw_text *text, const struct etw_field *field,
		    enum etw_text_style style);

/* Format a string of either kind in a style, without quotes. */
void etw_format_string(struct etw_text *text, const struct etw_field *field,
		       enum etw_text_style style);

/*
 * Format the next field of the top level with its contents, without its name. 1, 0 or
 * -EBADMSG as etw_decode_next(); -EMSGSIZE: too long.
 */
int etw_format_next(struct etw_text *text, struct etw_decoder *decoder, ULONG flags);

#endif /* ETW_TDH_DECODE_FORMAT_H */
