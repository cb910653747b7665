/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * traits.h - what a provider says of itself once, and data descriptors that are
 * no payload
 *
 * Nobody vouches for the bytes: they come from programs and drivers.  Their layout
 * is in etw/format.h.
 */
#ifndef ETW_CORE_TRAITS_H
#define ETW_CORE_TRAITS_H

#include "core/port.h"
#include <etw/format.h>

struct etw_traits_view {
	const char *name;		/* within the traits */
	u32 name_len;			/* without its NUL */
	const struct etw_guid *group;	/* within the traits, unaligned; or NULL */
	const struct etw_guid *decode;	/* likewise */
};

int etw_traits_parse(const void *traits, u32 len, struct etw_traits_view *view);

/* Event or provider metadata of a data descriptor: does it say its own size? */
bool etw_blob_ok(const void *blob, u32 len);

#define ETW_SCHEMA_NAME_MAX	4096	/* more than any filter has room for */

/*
 * The event name in a schema, *len bytes, cut there: an event is not searched for
 * longer.  NULL: it has none.
 */
const char *etw_schema_name(const void *schema, u32 size, u32 *len);

/* Indices of the descriptors that are no payload; -1: there is none. */
struct etw_typed_at {
	s32 schema;
	s32 provider;
	s32 timestamp;
};

/* What those describe, in memory that can be read here. */
struct etw_typed {
	const void *schema;		/* NULL: none, as below */
	const void *provider;
	u32 schema_len;
	u32 provider_len;
	bool timestamp_given;
	u64 timestamp;
};

static __always_inline u8 etw_data_type(const struct etw_data_descriptor *data)
{
	return data->reserved;
}

int etw_typed_find(struct etw_typed_at *at, const struct etw_data_descriptor *data,
		   u32 count);
int etw_typed_read(struct etw_typed *to, const struct etw_data_descriptor *schema,
		   const struct etw_data_descriptor *provider,
		   const struct etw_data_descriptor *timestamp);

#endif /* ETW_CORE_TRAITS_H */
