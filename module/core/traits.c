// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * traits.c - provider traits, and data descriptors that are no payload
 */
#include "core/traits.h"

#define CHUNK_HEAD	3	/* u16 size, u8 type */
#define TAGS_MAX	16	/* bytes; Microsoft's macros make 4 at most */

/* These lie anywhere. */
static u16 u16_at(const u8 *at)
{
	return at[0] | at[1] << 8;
}

bool etw_blob_ok(const void *blob, u32 len)
{
	return len >= 2 && u16_at(blob) == len;
}

/* The GUID of a chunk; each may be there once, and says something. */
static bool take_guid(const struct etw_guid **to, const u8 *data, u32 len)
{
	static const struct etw_guid none;

	if (*to || len != sizeof(none) || !memcmp(data, &none, sizeof(none)))
		return false;
	*to = (const struct etw_guid *)data;
	return true;
}

static bool take_chunk(struct etw_traits_view *view, u8 type, const u8 *data, u32 len)
{
	switch (type) {
	case 0:
		return false;
	case ETW_TRAIT_GROUP:
		return take_guid(&view->group, data, len);
	case ETW_TRAIT_DECODE:
		return take_guid(&view->decode, data, len);
	default:
		return true;
	}
}

/* 0 or -EINVAL.  The bytes do not change meanwhile. */
int etw_traits_parse(const void *traits, u32 len, struct etw_traits_view *view)
{
	const u8 *at = traits, *end = at + len, *nul;
	u16 size;

	memset(view, 0, sizeof(*view));
	if (!etw_blob_ok(traits, len))
		return -EINVAL;
	at += 2;
	nul = memchr(at, 0, end - at);
	if (!nul)
		return -EINVAL;
	view->name = (const char *)at;
	view->name_len = nul - at;
	for (at = nul + 1; at < end; at += size) {
		if (end - at < CHUNK_HEAD)
			return -EINVAL;
		size = u16_at(at);
		if (size < CHUNK_HEAD || size > end - at ||
		    !take_chunk(view, at[2], at + CHUNK_HEAD, size - CHUNK_HEAD))
			return -EINVAL;
	}
	return 0;
}

const char *etw_schema_name(const void *schema, u32 size, u32 *len)
{
	const u8 *at = schema, *end = at + size, *nul;
	u32 tags = 0, room;

	if (!etw_blob_ok(schema, size))
		return NULL;
	at += 2;
	for (; at < end && *at & 0x80; at++)
		if (++tags == TAGS_MAX)
			return NULL;
	if (at == end)
		return NULL;
	at++;
	room = end - at < ETW_SCHEMA_NAME_MAX ? end - at : ETW_SCHEMA_NAME_MAX;
	nul = memchr(at, 0, room);
	if (!nul && room < ETW_SCHEMA_NAME_MAX)
		return NULL;
	*len = nul ? nul - at : room;
	return (const char *)at;
}

/* -EINVAL: a type that is not known, one twice, a time stamp of a wrong size. */
int etw_typed_find(struct etw_typed_at *at, const struct etw_data_descriptor *data,
		   u32 count)
{
	s32 *which;
	u32 i;

	at->schema = -1;
	at->provider = -1;
	at->timestamp = -1;
	for (i = 0; i < count; i++) {
		switch (etw_data_type(&data[i])) {
		case ETW_DATA_PAYLOAD:
			continue;
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

static int take_blob(const void **to, u32 *len, const struct etw_data_descriptor *data)
{
	const void *blob;

	*to = NULL;
	*len = 0;
	if (!data)
		return 0;
	blob = (const void *)(unsigned long)data->ptr;
	if (!etw_blob_ok(blob, data->size))
		return -EINVAL;
	*to = blob;
	*len = data->size;
	return 0;
}

/* Each may be NULL.  -EINVAL: metadata whose size is not the one it says. */
int etw_typed_read(struct etw_typed *to, const struct etw_data_descriptor *schema,
		   const struct etw_data_descriptor *provider,
		   const struct etw_data_descriptor *timestamp)
{
	int err;

	err = take_blob(&to->schema, &to->schema_len, schema);
	if (!err)
		err = take_blob(&to->provider, &to->provider_len, provider);
	to->timestamp_given = timestamp;
	to->timestamp = 0;
	if (timestamp)
		memcpy(&to->timestamp, (const void *)(unsigned long)timestamp->ptr,
		       sizeof(to->timestamp));
	return err;
}
