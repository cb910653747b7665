/* SPDX-License-Identifier: MIT */
/*
 * proto.h - messages in Protocol Buffers' encoding, written into a text
 *
 * Source: "Encoding" of the Protocol Buffers documentation.  A message within another
 * is begun and ended; its length has four bytes, whatever it is, which are filled in at
 * the end: so no message may be larger than PROTO_MAX.
 */
#ifndef ETW_CONVERT_PROTO_H
#define ETW_CONVERT_PROTO_H

#include <stddef.h>
#include <stdint.h>
#include <etw/decode.h>

#define PROTO_MAX	((1u << 28) - 1)

void proto_uint(struct etw_text *to, unsigned int field, uint64_t value);
void proto_int(struct etw_text *to, unsigned int field, int64_t value);
void proto_fixed64(struct etw_text *to, unsigned int field, uint64_t value);
void proto_double(struct etw_text *to, unsigned int field, double value);
void proto_bytes(struct etw_text *to, unsigned int field, const void *data, size_t len);
/* Valid UTF-8: what is none becomes U+FFFD. */
void proto_string(struct etw_text *to, unsigned int field, const char *s, size_t len);

/* The number is for proto_end(). */
size_t proto_begin(struct etw_text *to, unsigned int field);
void proto_end(struct etw_text *to, size_t begun);

#endif /* ETW_CONVERT_PROTO_H */
