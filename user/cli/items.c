/* SPDX-License-Identifier: MIT */
/*
 * items.c - the extended items of an event, printed
 *
 * Items are foreign bytes: each is taken only if it has the size of its type.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "core/traits.h"
#include "items.h"

#define SID_HEAD	8	/* revision, count, authority */
#define SID_PARTS_MAX	15
#define STACK_HEAD	8	/* MatchId */
#define INSTANCE_PARENT	8	/* its class, behind both ids */

enum shape { ITEM_GUID, ITEM_SID, ITEM_U32, ITEM_U64, ITEM_UTF16, ITEM_UTF8, ITEM_STACK32,
	     ITEM_STACK64, ITEM_PID_NAMESPACE, ITEM_SCHEMA, ITEM_TRAITS, ITEM_INSTANCE };

static const struct kind {
	uint16_t type;
	const char *name;	/* in text */
	const char *key;	/* in JSON */
	enum shape shape;
} kinds[] = {
	{ ETW_EXT_RELATED_ACTIVITY, "related", "related", ITEM_GUID },
	{ ETW_EXT_EVENT_SCHEMA, "event", "event_schema", ITEM_SCHEMA },
	{ ETW_EXT_PROV_TRAITS, "traits", "provider_traits", ITEM_TRAITS },
	{ ETW_EXT_CONTROL_GUID, "control", "control_guid", ITEM_GUID },
	{ ETW_EXT_SID, "sid", "sid", ITEM_SID },
	{ ETW_EXT_TS_ID, "login", "login_session", ITEM_U32 },
	{ ETW_EXT_PROCESS_START_KEY, "process-key", "process_start_key", ITEM_U64 },
	{ ETW_EXT_EVENT_KEY, "event-key", "event_key", ITEM_U64 },
	{ ETW_EXT_PSM_KEY, "app", "app", ITEM_UTF16 },
	{ ETW_EXT_CONTAINER_ID, "container", "container", ITEM_UTF8 },
	{ ETW_EXT_INSTANCE_INFO, "instance", "instance", ITEM_INSTANCE },
	{ ETW_EXT_STACK_TRACE32, "stack", "stack", ITEM_STACK32 },
	{ ETW_EXT_STACK_TRACE64, "stack", "stack", ITEM_STACK64 },
	{ ETW_EXT_PID_NAMESPACE, "inside", "pid_namespace", ITEM_PID_NAMESPACE },
};

static const struct kind *find_kind(uint16_t type)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].type == type)
			return &kinds[i];
	return NULL;
}

static bool sid_ok(const struct etw_ext_view *item)
{
	const uint8_t *sid = item->data;

	return item->data_len >= SID_HEAD && sid[1] <= SID_PARTS_MAX &&
	       item->data_len >= SID_HEAD + 4u * sid[1];
}

static bool is_whole(enum shape shape, const struct etw_ext_view *item)
{
	switch (shape) {
	case ITEM_GUID:
		return item->data_len >= sizeof(struct etw_guid);
	case ITEM_SID:
		return sid_ok(item);
	case ITEM_U32:
		return item->data_len >= 4;
	case ITEM_U64:
	case ITEM_STACK32:
	case ITEM_STACK64:
		return item->data_len >= 8;
	case ITEM_PID_NAMESPACE:
		return item->data_len >= sizeof(struct etw_ext_pid_namespace);
	case ITEM_INSTANCE:
		return item->data_len >= INSTANCE_PARENT + sizeof(struct etw_guid);
	default:
		return true;
	}
}

static uint64_t number_at(const void *data, size_t at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, (const uint8_t *)data + at, size);
	return value;
}

static void add_sid(struct text *to, const uint8_t *sid)
{
	uint64_t authority = 0;
	unsigned int i;

	for (i = 2; i < SID_HEAD; i++)
		authority = authority << 8 | sid[i];
	text_printf(to, "S-%u-%" PRIu64, sid[0], authority);
	for (i = 0; i < sid[1]; i++)
		text_printf(to, "-%" PRIu64, number_at(sid, SID_HEAD + 4 * i, 4));
}

/* UTF-8 of a string item, up to its NUL if it has one. */
static void add_string(struct text *to, enum shape shape, const struct etw_ext_view *item)
{
	const uint8_t *p = item->data;
	size_t len = 0;

	if (shape == ITEM_UTF8) {
		text_utf8(to, item->data, strnlen(item->data, item->data_len));
		return;
	}
	while (len + 1 < item->data_len && (p[len] || p[len + 1]))
		len += 2;
	text_utf16(to, p, len);
}

/* The name in metadata or traits; NULL: there is none. */
static const char *item_name(enum shape shape, const struct etw_ext_view *item, uint32_t *len)
{
	struct etw_traits_view traits;

	if (shape == ITEM_SCHEMA)
		return etw_schema_name(item->data, item->data_len, len);
	if (etw_traits_parse(item->data, item->data_len, &traits))
		return NULL;
	*len = traits.name_len;
	return traits.name;
}

/* ----------------------------------------------------------------------- text */

static void named_text(struct text *line, enum shape shape, const struct etw_ext_view *item)
{
	uint32_t len = 0;
	const char *name = item_name(shape, item, &len);

	if (name) {
		text_puts(line, "\"");
		text_escape(line, name, len);
		text_puts(line, "\"");
	}
	text_printf(line, "(%u bytes)", item->data_len);
}

static void stack_text(struct text *line, const struct etw_ext_view *item, size_t width)
{
	const char *between = "[";
	size_t at;

	for (at = STACK_HEAD; at + width <= item->data_len; at += width) {
		text_printf(line, "%s0x%" PRIx64, between, number_at(item->data, at, width));
		between = " ";
	}
	text_puts(line, *between == '[' ? "[]" : "]");
}

/* The parent, of which class, if there is one. */
static void instance_text(struct text *line, const struct etw_ext_view *item)
{
	static const struct etw_guid none;
	uint64_t parent = number_at(item->data, 4, 4);
	struct etw_guid of;

	memcpy(&of, (const uint8_t *)item->data + INSTANCE_PARENT, sizeof(of));
	text_printf(line, "%" PRIu64, number_at(item->data, 0, 4));
	if (!parent && !memcmp(&of, &none, sizeof(of)))
		return;
	text_printf(line, " parent=%" PRIu64 "@", parent);
	text_guid(line, &of);
}

static void item_text(struct text *line, const struct kind *kind,
		      const struct etw_ext_view *item)
{
	struct text string = { 0 };
	struct etw_guid guid;

	text_printf(line, " %s=", kind->name);
	switch (kind->shape) {
	case ITEM_GUID:
		memcpy(&guid, item->data, sizeof(guid));
		text_guid(line, &guid);
		break;
	case ITEM_SID:
		add_sid(line, item->data);
		break;
	case ITEM_U32:
		text_printf(line, "%" PRIu64, number_at(item->data, 0, 4));
		break;
	case ITEM_U64:
		text_printf(line, "0x%" PRIx64, number_at(item->data, 0, 8));
		break;
	case ITEM_UTF16:
	case ITEM_UTF8:
		add_string(&string, kind->shape, item);
		text_puts(line, "\"");
		text_escape(line, string.data ? string.data : "", string.len);
		text_puts(line, "\"");
		text_free(&string);
		break;
	case ITEM_SCHEMA:
	case ITEM_TRAITS:
		named_text(line, kind->shape, item);
		break;
	case ITEM_STACK32:
		stack_text(line, item, 4);
		break;
	case ITEM_STACK64:
		stack_text(line, item, 8);
		break;
	case ITEM_PID_NAMESPACE:
		text_printf(line, "%" PRIu64 "/%" PRIu64 "@%" PRIu64,
			    number_at(item->data, 0, 4), number_at(item->data, 4, 4),
			    number_at(item->data, 8, 4));
		break;
	case ITEM_INSTANCE:
		instance_text(line, item);
		break;
	}
}

void items_text(struct text *line, const struct etw_record_view *record)
{
	const struct kind *kind;
	struct etw_ext_view item;
	uint32_t offset = 0;

	while (etw_ext_next(record, &offset, &item) == 1) {
		kind = find_kind(item.type);
		if (kind && is_whole(kind->shape, &item))
			item_text(line, kind, &item);
	}
}

/* ----------------------------------------------------------------------- JSON */

static void namespace_json(struct json_object *to, const char *key,
			   const struct etw_ext_view *item)
{
	struct json_object *inside = json_new();

	json_unsigned(inside, "pid", number_at(item->data, 0, 4));
	json_unsigned(inside, "tid", number_at(item->data, 4, 4));
	json_unsigned(inside, "namespace", number_at(item->data, 8, 4));
	json_put(to, key, inside);
}

static void instance_json(struct json_object *to, const char *key,
			  const struct etw_ext_view *item)
{
	struct json_object *instance = json_new();
	struct etw_guid of;

	memcpy(&of, (const uint8_t *)item->data + INSTANCE_PARENT, sizeof(of));
	json_unsigned(instance, "id", number_at(item->data, 0, 4));
	json_unsigned(instance, "parent", number_at(item->data, 4, 4));
	json_guid(instance, "parent_class", &of);
	json_put(to, key, instance);
}

static void stack_json(struct json_object *to, const char *key,
		       const struct etw_ext_view *item, size_t width)
{
	struct json_object *frames = json_new_array();
	char frame[24];
	size_t at;

	for (at = STACK_HEAD; at + width <= item->data_len; at += width) {
		snprintf(frame, sizeof(frame), "0x%" PRIx64, number_at(item->data, at, width));
		json_append(frames, json_object_new_string(frame));
	}
	json_put(to, key, frames);
}

static void named_json(struct json_object *to, const struct kind *kind,
		       const struct etw_ext_view *item)
{
	struct json_object *o = json_new();
	uint32_t len = 0;
	const char *name = item_name(kind->shape, item, &len);

	if (name)
		json_string(o, "name", name, len);
	else
		json_word(o, "name", NULL);
	json_unsigned(o, "size", item->data_len);
	json_put(to, kind->key, o);
}

static void item_json(struct json_object *to, const struct kind *kind,
		      const struct etw_ext_view *item)
{
	struct text string = { 0 };
	struct etw_guid guid;

	switch (kind->shape) {
	case ITEM_GUID:
		memcpy(&guid, item->data, sizeof(guid));
		json_guid(to, kind->key, &guid);
		break;
	case ITEM_SID:
		add_sid(&string, item->data);
		json_word(to, kind->key, string.data);
		break;
	case ITEM_U32:
		json_unsigned(to, kind->key, number_at(item->data, 0, 4));
		break;
	case ITEM_U64:
		json_mask(to, kind->key, number_at(item->data, 0, 8));
		break;
	case ITEM_UTF16:
	case ITEM_UTF8:
		add_string(&string, kind->shape, item);
		json_string(to, kind->key, string.data ? string.data : "", string.len);
		break;
	case ITEM_SCHEMA:
	case ITEM_TRAITS:
		named_json(to, kind, item);
		break;
	case ITEM_STACK32:
		stack_json(to, kind->key, item, 4);
		break;
	case ITEM_STACK64:
		stack_json(to, kind->key, item, 8);
		break;
	case ITEM_PID_NAMESPACE:
		namespace_json(to, kind->key, item);
		break;
	case ITEM_INSTANCE:
		instance_json(to, kind->key, item);
		break;
	}
	text_free(&string);
}

void items_json(struct json_object *to, const struct etw_record_view *record)
{
	const struct kind *kind;
	struct etw_ext_view item;
	uint32_t offset = 0, had = 0;

	while (etw_ext_next(record, &offset, &item) == 1) {
		kind = find_kind(item.type);
		if (!kind || !is_whole(kind->shape, &item) || had & 1u << (kind - kinds))
			continue;
		item_json(to, kind, &item);
		had |= 1u << (kind - kinds);
	}
}
