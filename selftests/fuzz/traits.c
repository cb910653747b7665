// SPDX-License-Identifier: GPL-2.0-only
/*
 * traits.c - the bytes of traits, event metadata and event name filters: valid and
 * invalid
 */
#define _GNU_SOURCE
#include <stddef.h>

#include "exec.h"

#define GUID_CHUNK	19

static void set_size(uint8_t *bytes, uint32_t len)
{
	bytes[0] = len;
	bytes[1] = len >> 8;
}

static uint32_t add_guid(uint8_t *to, uint32_t len, uint8_t type, unsigned int which)
{
	set_size(to + len, GUID_CHUNK);
	to[len + 2] = type;
	memcpy(to + len + 3, &fuzz_guids[which % GUIDS], sizeof(struct etw_guid));
	return len + GUID_CHUNK;
}

/* Traits of at most 128 bytes; the seed selects the chunks. */
uint32_t bytes_traits(uint8_t *to, uint64_t seed)
{
	uint32_t len = 2;

	memcpy(to + len, "Fuzz", 5);
	len += 5;
	if (!(seed & 1))
		len = add_guid(to, len, 1, seed >> 8 & 3);
	if (seed & 2)
		len = add_guid(to, len, 2, seed >> 10 & 3);
	if (seed & 4) {
		memcpy(to + len, "\5\0\200xy", 5);
		len += 5;
	}
	set_size(to, len);
	switch (seed >> 4 & 15) {
	case 1: set_size(to, len + 1); break;
	case 2: set_size(to, len - 1); break;
	case 3: to[7] ^= 1; break;
	case 4: to[9] = 0; break;
	case 5: memset(to + 2, 'n', len - 2); break;
	case 6: len = seed >> 12 & 3; break;
	case 7: to[2 + (seed >> 12) % (len - 2)] = seed >> 20; break;
	}
	return len;
}

/* Metadata of an event named Evt0 to Evt3; mostly valid. 8 bytes. */
uint32_t bytes_schema(uint8_t *to, uint64_t seed)
{
	memcpy(to, "\10\0\0Evt0", 8);
	to[6] += seed & 3;
	switch (seed >> 2 & 15) {
	case 1: to[0] = 7; break;
	case 2: to[2] = 0x80; break;
	case 3: to[7] = 'x'; break;
	}
	return 8;
}

/* A filter of event names; at most 64 bytes. */
uint32_t bytes_names(uint8_t *to, uint64_t seed)
{
	struct etw_filter_event_name head = { .any = seed >> 8 & 1, .level = seed >> 9 & 3,
					      .in = seed & 1, .count = seed >> 1 & 3 };
	uint32_t len = offsetof(struct etw_filter_event_name, names), i;

	if ((seed >> 4 & 15) == 1)
		head.in = 2;
	if ((seed >> 4 & 15) == 2)
		head.count = 1000;
	memcpy(to, &head, len);
	for (i = 0; i < 3; i++, len += 5) {
		memcpy(to + len, "Evt0", 5);
		to[len + 3] += i;
	}
	if ((seed >> 4 & 15) == 3)
		len -= 1 + (seed >> 12 & 7);
	return len;
}

uint64_t traits_arg(struct room *r, const struct arg *arg)
{
	uint8_t bytes[128];

	if (arg->mode == ARG_RAW) {
		r->len = 4;
		return raw_pointer(arg->value);
	}
	r->len = bytes_traits(bytes, arg->mode == ARG_DEFAULT ? 0 : arg->value >> 4);
	return put(r, arg->mode == ARG_DEFAULT ? 0 : arg->value & 15, bytes, r->len);
}

/* Give some descriptors a type other than payload, with matching data. */
void bytes_typed(struct room *r, struct etw_data_descriptor *d, unsigned int n, uint64_t seed)
{
	uint8_t bytes[128];
	unsigned int i;

	for (i = 0; seed >> 10 & 1 && i < n; i++)
		d[i].reserved = 0;
	if (seed >> 11 & 1 && n > 1) {
		d[0].size = bytes_schema(bytes, seed >> 12);
		d[0].ptr = put(r, 0, bytes, d[0].size);
		d[0].reserved = ETW_DATA_EVENT_METADATA;
	}
	if (seed >> 18 & 1 && n > 2) {
		d[1].size = bytes_traits(bytes, seed >> 19);
		d[1].ptr = put(r, 0, bytes, d[1].size);
		d[1].reserved = ETW_DATA_PROVIDER_METADATA;
	}
}
