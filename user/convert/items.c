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
#include "base/event_context.h"
#include "base/json_writer.h"

#define SID_HEAD	8	/* revision, count, authority */
#define SID_PARTS_MAX	15
#define PARENT_CLASS	8	/* of an instance, behind both ids */

static const struct items_member namespace_members[] = {
	{ "pid", 0, 4 }, { "tid", 4, 4 }, { "namespace", 8, 4 }, { NULL, 0, 0 }
};

static const struct items_member instance_members[] = {
	{ "id", 0, 4 }, { "parent", 4, 4 }, { "parent_class", PARENT_CLASS, ITEMS_GUID }, { NULL, 0, 0 }
};

#define KIND(bit, type, name, key, shape, ...)	\
	{ ETW_EXT_##type, name, key, ITEM_##shape, bit, __VA_ARGS__ }

static const struct items_kind kinds[] = {
	KIND(0, RELATED_ACTIVITY, "related", "related", GUID, 16, 0, NULL),
	KIND(1, EVENT_SCHEMA, "event", "event_schema", SCHEMA, 0, 0, NULL),
	KIND(2, PROV_TRAITS, "traits", "provider_traits", TRAITS, 0, 0, NULL),
	KIND(3, CONTROL_GUID, "control", "control_guid", GUID, 16, 0, NULL),
	KIND(4, SID, "sid", "sid", SID, SID_HEAD, 0, NULL),
	KIND(5, TS_ID, "login", "login_session", NUMBER, 4, 0, NULL),
	KIND(6, PROCESS_START_KEY, "process-key", "process_start_key", HEX, 8, 0, NULL),
	KIND(7, EVENT_KEY, "event-key", "event_key", HEX, 8, 0, NULL),
	KIND(8, PSM_KEY, "app", "app", UTF16, 0, 0, NULL),
	KIND(9, CONTAINER_ID, "container", "container", UTF8, 0, 0, NULL),
	KIND(10, INSTANCE_INFO, "instance", "instance", INSTANCE, PARENT_CLASS + 16, 0, instance_members),
	KIND(11, STACK_TRACE32, "stack", "stack", STACK, ITEMS_STACK_HEAD, 4, NULL),
	KIND(11, STACK_TRACE64, "stack", "stack", STACK, ITEMS_STACK_HEAD, 8, NULL),
	KIND(12, PID_NAMESPACE, "inside", "pid_namespace", NAMESPACE,
	     sizeof(struct etw_ext_pid_namespace), 0, namespace_members),
	KIND(13, GIVEN_TIME, "given-time", "given_time", HEX, 8, 0, NULL),
	KIND(14, CONTEXT, "context", "context", CONTEXT, sizeof(struct etw_ext_context), 0, NULL),
};

/* NULL: the type is unknown, or the item is too short for it. */
static const struct items_kind *kind_of(const struct etw_ext_view *item)
{
	const uint8_t *sid = item->data;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && kinds[i].type != item->type; i++)
		;
	if (i == sizeof(kinds) / sizeof(kinds[0]) || item->data_len < kinds[i].least)
		return NULL;
	if (kinds[i].shape == ITEM_SID &&
	    (sid[1] > SID_PARTS_MAX || item->data_len < SID_HEAD + 4u * sid[1]))
		return NULL;
	if (kinds[i].shape == ITEM_CONTEXT &&
	    !etw_event_context_name(etw_event_context_load(item->data).context))
		return NULL;
	return &kinds[i];
}

static bool is_wanted(const struct items_kind *kind, unsigned int flags)
{
	const bool schema = kind->shape == ITEM_SCHEMA || kind->shape == ITEM_TRAITS;

	return schema ? flags & ITEMS_SCHEMA :
	       !(flags & ITEMS_SHARED) || kind->type == ETW_EXT_CONTROL_GUID;
}

const struct items_kind *items_next(struct items_walk *walk, struct etw_ext_view *item)
{
	const struct items_kind *kind;

	while (etw_ext_next(walk->record, &walk->offset, item) == 1) {
		kind = kind_of(item);
		if (!kind || (walk->once && walk->had & 1u << kind->bit) ||
		    !is_wanted(kind, walk->flags))
			continue;
		walk->had |= 1u << kind->bit;
		return kind;
	}
	return NULL;
}

uint64_t items_number(const void *data, size_t at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, (const uint8_t *)data + at, size);
	return value;
}

static void add_sid(struct etw_text *to, const uint8_t *sid)
{
	uint64_t authority = 0;
	unsigned int i;

	for (i = 2; i < SID_HEAD; i++)
		authority = authority << 8 | sid[i];
	etw_text_printf(to, "S-%u-%" PRIu64, sid[0], authority);
	for (i = 0; i < sid[1]; i++)
		etw_text_printf(to, "-%" PRIu64, items_number(sid, SID_HEAD + 4 * i, 4));
}

void items_add_string(struct etw_text *to, const struct items_kind *kind,
		      const struct etw_ext_view *item)
{
	const uint8_t *p = item->data;
	size_t len = 0;

	switch (kind->shape) {
	case ITEM_GUID:
		etw_text_guid(to, p);
		break;
	case ITEM_SID:
		add_sid(to, p);
		break;
	case ITEM_HEX:
		etw_text_0x(to, items_number(p, 0, 8));
		break;
	case ITEM_UTF8:
		etw_text_utf8(to, item->data, strnlen(item->data, item->data_len));
		break;
	default:
		while (len + 1 < item->data_len && (p[len] || p[len + 1]))
			len += 2;
		etw_text_utf16(to, p, len);
	}
}

/* The name in metadata or traits; NULL: there is none. */
static const char *name_of(enum items_shape shape, const struct etw_ext_view *item, uint32_t *len)
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
	const char *name = name_of(shape, item, &len);

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
		etw_text_puts(line, between);
		etw_text_0x(line, items_number(item->data, at, width));
		between = " ";
	}
	etw_text_puts(line, *between == '[' ? "[]" : "]");
}

/* The parent's id and class, if there is a parent */
static void instance_text(struct etw_text *line, const struct etw_ext_view *item)
{
	const void *class = (const uint8_t *)item->data + PARENT_CLASS;
	uint64_t parent = items_number(item->data, 4, 4);

	etw_text_unsigned(line, items_number(item->data, 0, 4), 1);
	if (!parent && !items_number(class, 0, 8) && !items_number(class, 8, 8))
		return;
	etw_text_printf(line, " parent=%" PRIu64 "@", parent);
	etw_text_guid(line, class);
}

/* Free a text whose content was used. */
static void take_error(struct etw_text *to, struct etw_text *used)
{
	if (used->error)
		to->error = used->error;
	etw_text_free(used);
}

static void item_text(struct etw_text *line, const struct items_kind *kind,
		      const struct etw_ext_view *item)
{
	struct etw_text string = { .data = NULL };
	struct etw_ext_context context;

	etw_text_printf(line, " %s=", kind->name);
	switch (kind->shape) {
	case ITEM_NUMBER:
		etw_text_unsigned(line, items_number(item->data, 0, 4), 1);
		break;
	case ITEM_UTF16:
	case ITEM_UTF8:
		items_add_string(&string, kind, item);
		etw_text_puts(line, "\"");
		etw_text_escape(line, string.data, string.len);
		etw_text_puts(line, "\"");
		take_error(line, &string);
		break;
	case ITEM_SCHEMA:
	case ITEM_TRAITS:
		named_text(line, kind->shape, item);
		break;
	case ITEM_STACK:
		stack_text(line, item, kind->width);
		break;
	case ITEM_NAMESPACE:
		etw_text_printf(line, "%" PRIu64 "/%" PRIu64 "@%" PRIu64,
				items_number(item->data, 0, 4), items_number(item->data, 4, 4),
				items_number(item->data, 8, 4));
		break;
	case ITEM_INSTANCE:
		instance_text(line, item);
		break;
	case ITEM_CONTEXT:
		context = etw_event_context_load(item->data);
		etw_event_context_text(line, &context);
		break;
	default:
		items_add_string(line, kind, item);
	}
}

void items_text(struct etw_text *line, const struct etw_record_view *record, unsigned int flags)
{
	struct items_walk walk = { .record = record, .flags = flags };
	const struct items_kind *kind;
	struct etw_ext_view item;

	while ((kind = items_next(&walk, &item)))
		if (kind->shape != ITEM_STACK || !(flags & ITEMS_NO_STACK))
			item_text(line, kind, &item);
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

static void named_json(struct etw_text *to, enum items_shape shape, const struct etw_ext_view *item)
{
	uint32_t len = 0;
	const char *name = name_of(shape, item, &len);

	if (name)
		json_writer_string(to, "name", name, len);
	else
		json_writer_word(to, "name", NULL);
	json_writer_unsigned(to, "size", item->data_len);
}

static void members_json(struct etw_text *to, const struct items_member *m, const void *data)
{
	for (; m->key; m++) {
		if (m->size == ITEMS_GUID)
			json_writer_guid(to, m->key, (const void *)((const uint8_t *)data + m->at));
		else
			json_writer_unsigned(to, m->key, items_number(data, m->at, m->size));
	}
}

static void context_json(struct etw_text *to, const struct etw_ext_context *context)
{
	const char *name = etw_event_context_name(context->context);
	const char *below = etw_event_context_below(context);

	json_writer_string(to, "type", name, strlen(name));
	if (below)
		json_writer_string(to, "over", below, strlen(below));
	json_writer_flag(to, "irqs_off", context->flags & ETW_CONTEXT_IRQS_OFF);
	json_writer_flag(to, "bh_off", context->flags & ETW_CONTEXT_BH_OFF);
	json_writer_unsigned(to, "preempt_depth", context->preempt_depth);
}

static void item_json(struct etw_text *to, const struct items_kind *kind,
		      const struct etw_ext_view *item)
{
	struct etw_text string = { .data = NULL };
	struct etw_ext_context context;
	size_t at;

	switch (kind->shape) {
	case ITEM_NUMBER:
		json_writer_unsigned(to, kind->key, items_number(item->data, 0, 4));
		break;
	case ITEM_SCHEMA:
	case ITEM_TRAITS:
		json_writer_open(to, kind->key, '{');
		named_json(to, kind->shape, item);
		json_writer_close(to, '}');
		break;
	case ITEM_STACK:
		json_writer_open(to, kind->key, '[');
		for (at = ITEMS_STACK_HEAD; at + kind->width <= item->data_len; at += kind->width)
			json_writer_mask(to, NULL, items_number(item->data, at, kind->width));
		json_writer_close(to, ']');
		break;
	case ITEM_NAMESPACE:
	case ITEM_INSTANCE:
		json_writer_open(to, kind->key, '{');
		members_json(to, kind->members, item->data);
		json_writer_close(to, '}');
		break;
	case ITEM_CONTEXT:
		context = etw_event_context_load(item->data);
		json_writer_open(to, kind->key, '{');
		context_json(to, &context);
		json_writer_close(to, '}');
		break;
	case ITEM_UTF16:
	case ITEM_UTF8:
		items_add_string(&string, kind, item);
		json_writer_string(to, kind->key, string.data, string.len);
		take_error(to, &string);
		break;
	default:
		/* Digits, letters and hyphens */
		json_writer_key(to, kind->key);
		etw_text_char(to, '"');
		items_add_string(to, kind, item);
		etw_text_char(to, '"');
	}
}

void items_json(struct etw_text *to, const struct etw_record_view *record, unsigned int flags)
{
	struct items_walk walk = { .record = record, .flags = flags, .once = true };
	const struct items_kind *kind;
	struct etw_ext_view item;

	while ((kind = items_next(&walk, &item)))
		if (kind->shape != ITEM_STACK || !(flags & ITEMS_NO_STACK))
			item_json(to, kind, &item);
}
