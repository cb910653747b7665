/* SPDX-License-Identifier: MIT */
/*
 * format.h - functions that fields and messages share
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

/* The name of an out-type's code, such as "ERROR_ACCESS_DENIED"; NULL: not a common code. */
const char *etw_error_name(uint16_t out_type, uint32_t code);

/*
 * Format the next field of the top level with its contents, without its name. 1, 0 or
 * -EBADMSG as etw_decode_next(); -EMSGSIZE: too long.
 */
int etw_format_next(struct etw_text *text, struct etw_decoder *decoder, ULONG flags);

/*
 * Format the fields of the top level from the decoder's place on as far as they are plain.
 * start: where the event's text begins; *begun: there is a field before, updated.
 */
void etw_format_plain_text(struct etw_text *text, struct etw_decoder *d, size_t start,
			   bool *begun);
void etw_format_plain_json(struct etw_text *text, struct etw_decoder *d, size_t start,
			   bool *begun);

#endif /* ETW_TDH_DECODE_FORMAT_H */
