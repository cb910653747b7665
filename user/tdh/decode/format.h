/* SPDX-License-Identifier: MIT */
/*
 * format.h - functions that fields and messages share
 */
#ifndef ETW_TDH_DECODE_FORMAT_H
#define ETW_TDH_DECODE_FORMAT_H

#include "decoder.h"
#include "base/text.h"

/*
 * Format the next field of the top level with its contents, without its name. 1, 0 or
 * -EBADMSG as etw_decode_next(); -EMSGSIZE: too long.
 */
int etw_format_next(struct etw_text *text, struct etw_decoder *decoder, ULONG flags);

/*
 * Is the value's text made of names, as far as its map has them? false: it has no map, or is one
 * of the numbers between those that a sparse map names.
 */
bool etw_field_is_named(const struct etw_field *field);

#endif /* ETW_TDH_DECODE_FORMAT_H */
