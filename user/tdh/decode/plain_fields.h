/* SPDX-License-Identifier: MIT */
/*
 * plain_fields.h - most fields, from the payload straight to text
 */
#ifndef ETW_TDH_DECODE_PLAIN_FIELDS_H
#define ETW_TDH_DECODE_PLAIN_FIELDS_H

#include "decoder.h"
#include "base/text.h"

/*
 * Format the fields of the top level from the decoder's place on as far as they are plain.
 * start: where the event's text begins; *begun: there is a field before, updated.
 */
void etw_format_plain_text(struct etw_text *text, struct etw_decoder *d, size_t start,
			   bool *begun);
void etw_format_plain_json(struct etw_text *text, struct etw_decoder *d, size_t start,
			   bool *begun);

#endif /* ETW_TDH_DECODE_PLAIN_FIELDS_H */
