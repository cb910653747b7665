/* SPDX-License-Identifier: MIT */
/*
 * items_json.c - the extended items of an event as members of a JSON object
 */
#include <string.h>
#include "items_kind.h"
#include "base/json_writer.h"

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
