/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * traits.h - provider traits, and data descriptors that are no payload
 *
 * The bytes are untrusted: they come from programs and drivers.  Their layout is in
 * etw/format.h.
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

/* These may be unaligned. */
static __always_inline u16 etw_u16_at(const u8 *at)
{
	return at[0] | at[1] << 8;
}

/* Is the size at the beginning of event or provider metadata that of its descriptor? */
static __always_inline bool etw_blob_ok(const void *blob, u32 len)
{
	return len >= 2 && etw_u16_at(blob) == len;
}

#define ETW_SCHEMA_NAME_MAX	4096	/* more than any filter has room for */

/*
 * Where the event name in a schema begins, which ends at a NUL within *room bytes; without one
 * it is cut at the maximum, if room is that, or there is none.  NULL: there is none.
 */
const u8 *etw_schema_name_at(const void *schema, u32 size, u32 *room);

/*
 * The event name in a schema, of *len bytes; a longer name is cut at the maximum.  NULL:
 * there is none.
 */
const char *etw_schema_name(const void *schema, u32 size, u32 *len);

/* Indices of the descriptors that are no payload; -1: there is none. */
struct etw_typed_at {
	s32 schema;
	s32 provider;
	s32 timestamp;
	u64 payload;	/* bytes of all the others */
};

/* Their content, in memory that can be read here. */
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

/*
 * The rest is inline because every TraceLogging event goes through it.
 */

/* -EINVAL: an unknown type, a type that occurs twice, a time stamp of a wrong size. */
static __always_inline int
etw_typed_find(struct etw_typed_at *at, const struct etw_data_descriptor *data, u32 count)
{
	s32 *which;
	u32 i;

	at->schema = -1;
	at->provider = -1;
	at->timestamp = -1;
	at->payload = 0;
	for (i = 0; i < count; i++) {
		if (likely(etw_data_type(&data[i]) == ETW_DATA_PAYLOAD)) {
			at->payload += data[i].size;
			continue;
		}
		switch (etw_data_type(&data[i])) {
		case ETW_DATA_EVENT_METADATA:
			which = &at->schema;
			break;
		case ETW_DATA_PROVIDER_METADATA:
			which = &at->provider;
			break;
		case ETW_DATA_TIMESTAMP:
			which = &at->timestamp;
			if (data[i].size != sizeof(u64))
				return -EINVAL;
			break;
		default:
			return -EINVAL;
		}
		if (*which >= 0)
			return -EINVAL;
		*which = i;
	}
	return 0;
}

static __always_inline int
etw_typed_blob(const void **to, u32 *len, const struct etw_data_descriptor *data)
{
	const void *blob;
	u16 size;

	*to = NULL;
	*len = 0;
	if (!data)
		return 0;
	blob = (const void *)(unsigned long)data->ptr;
	if (data->size < sizeof(size))
		return -EINVAL;
	ETW_MOVE(u16, &size, blob, fault);
	if (size != data->size)
		return -EINVAL;
	*to = blob;
	*len = data->size;
	return 0;
fault:
	return -EFAULT;
}

/*
 * Each may be NULL; their addresses etw_may_read().  -EINVAL: metadata whose size is not
 * that of its descriptor; -EFAULT: it, or the timestamp, cannot be read.
 */
static __always_inline int
etw_typed_read(struct etw_typed *to, const struct etw_data_descriptor *schema,
	       const struct etw_data_descriptor *provider,
	       const struct etw_data_descriptor *timestamp)
{
	int err;

	err = etw_typed_blob(&to->schema, &to->schema_len, schema);
	if (!err)
		err = etw_typed_blob(&to->provider, &to->provider_len, provider);
	to->timestamp_given = timestamp;
	to->timestamp = 0;
	if (timestamp)
		ETW_MOVE(u64, &to->timestamp, (const void *)(unsigned long)timestamp->ptr, fault);
	return err;
fault:
	return -EFAULT;
}

#endif /* ETW_CORE_TRAITS_H */
