/* SPDX-License-Identifier: MIT */
/*
 * proto.h - append messages in the encoding of Protocol Buffers
 *
 * The length of a nested message always takes four bytes, which proto_end() fills in, so no
 * nested message may be larger than PROTO_MAX.
 *
 * Source: "Encoding" in the documentation of Protocol Buffers.
 */
#ifndef ETW_CONVERT_PERFETTO_PROTO_H
#define ETW_CONVERT_PERFETTO_PROTO_H

#include <stddef.h>
#include <stdint.h>
#include <etw/decode.h>

#define PROTO_MAX	((1u << 28) - 1)

void proto_uint(struct etw_text *to, unsigned int field, uint64_t value);
void proto_int(struct etw_text *to, unsigned int field, int64_t value);
void proto_fixed64(struct etw_text *to, unsigned int field, uint64_t value);
void proto_double(struct etw_text *to, unsigned int field, double value);
void proto_bytes(struct etw_text *to, unsigned int field, const void *data, size_t len);
/* Append a string as valid UTF-8: other bytes become U+FFFD. */
void proto_string(struct etw_text *to, unsigned int field, const char *s, size_t len);

/* Returns what proto_end() needs. */
size_t proto_begin(struct etw_text *to, unsigned int field);
void proto_end(struct etw_text *to, size_t begun);

#endif /* ETW_CONVERT_PERFETTO_PROTO_H */
