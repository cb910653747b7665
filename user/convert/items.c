/* SPDX-License-Identifier: MIT */
/*
 * items.c - the extended items of an event, as text and as members of a JSON object
 *
 * Items are untrusted: one that is too short for its type is left out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "core/traits.h"
#include "items_kind.h"
#include "base/json_writer.h"

#define SID_HEAD	8	/* revision, count, authority */
#define SID_PARTS_MAX	15

#define KIND(bit, type, name, key, shape)	{ ETW_EXT_##type, name, key, ITEM_##shape, bit }

static const struct items_kind kinds[] = {
	KIND(0, RELATED_ACTIVITY, "related", "related", GUID),
	KIND(1, EVENT_SCHEMA, "event", "event_schema", SCHEMA),
	KIND(2, PROV_TRAITS, "traits", "provider_traits", TRAITS),
	KIND(3, CONTROL_GUID, "control", "control_guid", GUID),
	KIND(4, SID, "sid", "sid", SID),
	KIND(5, TS_ID, "login", "login_session", U32),
	KIND(6, PROCESS_START_KEY, "process-key", "process_start_key", U64),
	KIND(7, EVENT_KEY, "event-key", "event_key", U64),
	KIND(8, PSM_KEY, "app", "app", UTF16),
	KIND(9, CONTAINER_ID, "container", "container", UTF8),
	KIND(10, INSTANCE_INFO, "instance", "instance", INSTANCE),
	KIND(11, STACK_TRACE32, "stack", "stack", STACK32),
	KIND(11, STACK_TRACE64, "stack", "stack", STACK64),
	KIND(12, PID_NAMESPACE, "inside", "pid_namespace", PID_NAMESPACE),
};

static const struct items_kind *kind_of(uint16_t type)
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

static bool is_whole(enum items_shape shape, const struct etw_ext_view *item)
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
		return item->data_len >= ITEMS_INSTANCE_PARENT + sizeof(struct etw_guid);
	default:
		return true;
	}
}

const struct items_kind *items_kind(const struct etw_ext_view *item)
{
	const struct items_kind *kind = kind_of(item->type);

	return kind && is_whole(kind->shape, item) ? kind : NULL;
}

uint64_t items_number(const void *data, size_t at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, (const uint8_t *)data + at, size);
	return value;
}

void items_add_sid(struct etw_text *to, const uint8_t *sid)
{
	uint64_t authority = 0;
	unsigned int i;

	for (i = 2; i < SID_HEAD; i++)
		authority = authority << 8 | sid[i];
	etw_text_printf(to, "S-%u-%" PRIu64, sid[0], authority);
	for (i = 0; i < sid[1]; i++)
		etw_text_printf(to, "-%" PRIu64, items_number(sid, SID_HEAD + 4 * i, 4));
}

void items_add_string(struct etw_text *to, enum items_shape shape, const struct etw_ext_view *item)
{
	const uint8_t *p = item->data;
	size_t len = 0;

	if (shape == ITEM_UTF8) {
		etw_text_utf8(to, item->data, strnlen(item->data, item->data_len));
		return;
	}
	while (len + 1 < item->data_len && (p[len] || p[len + 1]))
		len += 2;
	etw_text_utf16(to, p, len);
}

const char *items_name(enum items_shape shape, const struct etw_ext_view *item, uint32_t *len)
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

static void named_text(struct etw_text *line, enum items_shape shape, const struct etw_ext_view *item)
{
	uint32_t len = 0;
	const char *name = items_name(shape, item, &len);

	if (name) {
		etw_text_puts(line, "\"");
		etw_text_escape(line, name, len);
		etw_text_puts(line, "\"");
	}
	etw_text_printf(line, "(%u bytes)", item->data_len);
}

static void stack_text(struct etw_text *line, const struct etw_ext_view *item, size_t width)
{
	const char *between = "[";
	size_t at;

	for (at = ITEMS_STACK_HEAD; at + width <= item->data_len; at += width) {
		etw_text_printf(line, "%s0x%" PRIx64, between, items_number(item->data, at, width));
		between = " ";
	}
	etw_text_puts(line, *between == '[' ? "[]" : "]");
}

/* The parent's id and class, if there is a parent */
static void instance_text(struct etw_text *line, const struct etw_ext_view *item)
{
	static const struct etw_guid none;
	uint64_t parent = items_number(item->data, 4, 4);
	struct etw_guid of;

	memcpy(&of, (const uint8_t *)item->data + ITEMS_INSTANCE_PARENT, sizeof(of));
	etw_text_printf(line, "%" PRIu64, items_number(item->data, 0, 4));
	if (!parent && !memcmp(&of, &none, sizeof(of)))
		return;
	etw_text_printf(line, " parent=%" PRIu64 "@", parent);
	etw_text_guid(line, &of);
}

static void item_text(struct etw_text *line, const struct items_kind *kind,
		      const struct etw_ext_view *item)
{
	static struct etw_text string;	/* its memory is used again */
	struct etw_guid guid;

	etw_text_printf(line, " %s=", kind->name);
	switch (kind->shape) {
	case ITEM_GUID:
		memcpy(&guid, item->data, sizeof(guid));
		etw_text_guid(line, &guid);
		break;
	case ITEM_SID:
		items_add_sid(line, item->data);
		break;
	case ITEM_U32:
		etw_text_printf(line, "%" PRIu64, items_number(item->data, 0, 4));
		break;
	case ITEM_U64:
		etw_text_printf(line, "0x%" PRIx64, items_number(item->data, 0, 8));
		break;
	case ITEM_UTF16:
	case ITEM_UTF8:
		string.len = 0;
		items_add_string(&string, kind->shape, item);
		etw_text_puts(line, "\"");
		etw_text_escape(line, string.data, string.len);
		etw_text_puts(line, "\"");
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
		etw_text_printf(line, "%" PRIu64 "/%" PRIu64 "@%" PRIu64,
			    items_number(item->data, 0, 4), items_number(item->data, 4, 4),
			    items_number(item->data, 8, 4));
		break;
	case ITEM_INSTANCE:
		instance_text(line, item);
		break;
	}
}

void items_text(struct etw_text *line, const struct etw_record_view *record, bool schema)
{
	const struct items_kind *kind;
	struct etw_ext_view item;
	uint32_t offset = 0;

	while (etw_ext_next(record, &offset, &item) == 1) {
		kind = items_kind(&item);
		if (kind && (schema || !items_is_schema(kind)))
			item_text(line, kind, &item);
	}
}

const void *items_find(const struct etw_record_view *record, uint16_t type, size_t size)
{
	struct etw_ext_view item;
	uint32_t offset = 0;

	while (etw_ext_next(record, &offset, &item) == 1)
		if (item.type == type && item.data_len >= size)
			return item.data;
	return NULL;
}

/* ----------------------------------------------------------------------- JSON */

static void namespace_json(struct etw_text *to, const struct etw_ext_view *item)
{
	etw_text_char(to, '{');
	json_writer_unsigned(to, "pid", items_number(item->data, 0, 4));
	json_writer_unsigned(to, "tid", items_number(item->data, 4, 4));
	json_writer_unsigned(to, "namespace", items_number(item->data, 8, 4));
	etw_text_char(to, '}');
}

static void instance_json(struct etw_text *to, const struct etw_ext_view *item)
{
	struct etw_guid of;

	memcpy(&of, (const uint8_t *)item->data + ITEMS_INSTANCE_PARENT, sizeof(of));
	etw_text_char(to, '{');
	json_writer_unsigned(to, "id", items_number(item->data, 0, 4));
	json_writer_unsigned(to, "parent", items_number(item->data, 4, 4));
	json_writer_guid(to, "parent_class", &of);
	etw_text_char(to, '}');
}

static void stack_json(struct etw_text *to, const struct etw_ext_view *item, size_t width)
{
	size_t at;

	etw_text_char(to, '[');
	for (at = ITEMS_STACK_HEAD; at + width <= item->data_len; at += width) {
		json_writer_next(to);
		etw_text_char(to, '"');
		etw_text_0x(to, items_number(item->data, at, width));
		etw_text_char(to, '"');
	}
	etw_text_char(to, ']');
}

static void named_json(struct etw_text *to, const struct items_kind *kind,
		       const struct etw_ext_view *item)
{
	uint32_t len = 0;
	const char *name = items_name(kind->shape, item, &len);

	etw_text_char(to, '{');
	if (name)
		json_writer_string(to, "name", name, len);
	else
		json_writer_word(to, "name", NULL);
	json_writer_unsigned(to, "size", item->data_len);
	etw_text_char(to, '}');
}

static void string_json(struct etw_text *to, const struct items_kind *kind,
			const struct etw_ext_view *item)
{
	static struct etw_text string;	/* its memory is used again */

	string.len = 0;
	if (kind->shape == ITEM_SID)
		items_add_sid(&string, item->data);
	else
		items_add_string(&string, kind->shape, item);
	etw_text_json_string(to, string.data, string.len);
}

static void item_json(struct etw_text *to, const struct items_kind *kind,
		      const struct etw_ext_view *item)
{
	struct etw_guid guid;

	json_writer_key(to, kind->key);
	switch (kind->shape) {
	case ITEM_GUID:
		memcpy(&guid, item->data, sizeof(guid));
		etw_text_char(to, '"');
		etw_text_guid(to, &guid);
		etw_text_char(to, '"');
		break;
	case ITEM_U32:
		etw_text_unsigned(to, items_number(item->data, 0, 4), 1);
		break;
	case ITEM_U64:
		etw_text_char(to, '"');
		etw_text_0x(to, items_number(item->data, 0, 8));
		etw_text_char(to, '"');
		break;
	case ITEM_SID:
	case ITEM_UTF16:
	case ITEM_UTF8:
		string_json(to, kind, item);
		break;
	case ITEM_SCHEMA:
	case ITEM_TRAITS:
		named_json(to, kind, item);
		break;
	case ITEM_STACK32:
		stack_json(to, item, 4);
		break;
	case ITEM_STACK64:
		stack_json(to, item, 8);
		break;
	case ITEM_PID_NAMESPACE:
		namespace_json(to, item);
		break;
	case ITEM_INSTANCE:
		instance_json(to, item);
		break;
	}
}

void items_json(struct etw_text *to, const struct etw_record_view *record, bool schema)
{
	const struct items_kind *kind;
	struct etw_ext_view item;
	uint32_t offset = 0, had = 0;

	while (etw_ext_next(record, &offset, &item) == 1) {
		kind = items_kind(&item);
		if (!kind || had & 1u << kind->bit || (!schema && items_is_schema(kind)))
			continue;
		item_json(to, kind, &item);
		had |= 1u << kind->bit;
	}
}
