// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * traits.c - provider traits, and data descriptors that are no payload
 */
#include "core/traits.h"

#define CHUNK_HEAD	3	/* u16 size, u8 type */
#define TAGS_MAX	16	/* bytes; Microsoft's macros make 4 at most */

/* The GUID of a chunk; each type may occur once, and its GUID is not zero. */
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

/* 0 or -EINVAL.  The bytes must not change meanwhile. */
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
		size = etw_u16_at(at);
		if (size < CHUNK_HEAD || size > end - at ||
		    !take_chunk(view, at[2], at + CHUNK_HEAD, size - CHUNK_HEAD))
			return -EINVAL;
	}
	return 0;
}

const u8 *etw_schema_name_at(const void *schema, u32 size, u32 *room)
{
	const u8 *at = schema, *end = at + size;
	u32 tags = 0;

	if (!etw_blob_ok(schema, size))
		return NULL;
	at += 2;
	for (; at < end && *at & 0x80; at++)
		if (++tags == TAGS_MAX)
			return NULL;
	if (at == end)
		return NULL;
	at++;
	*room = end - at < ETW_SCHEMA_NAME_MAX ? end - at : ETW_SCHEMA_NAME_MAX;
	return at;
}

const char *etw_schema_name(const void *schema, u32 size, u32 *len)
{
	u32 room;
	const u8 *at = etw_schema_name_at(schema, size, &room), *nul;

	if (!at)
		return NULL;
	nul = memchr(at, 0, room);
	if (!nul && room < ETW_SCHEMA_NAME_MAX)
		return NULL;
	*len = nul ? nul - at : room;
	return (const char *)at;
}
