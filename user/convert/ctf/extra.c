/* SPDX-License-Identifier: MIT */
/*
 * extra.c - optional parts of an event: activities and extended items
 *
 * They become members of the class's context, or fields behind the payload's.  Items that are
 * too short for their type, or only describe how to decode the event, are left out.
 */
#include <string.h>

#include "trace.h"
#include "base/event_context.h"
#include "base/event_mode.h"
#include "symbols/stack.h"

#define NUMBER(bytes)	{ .type = CTF_INT, .size = bytes }
#define TEXT		{ .type = CTF_TEXT }
#define ITEM(name)	EVENT_HEADER_EXT_TYPE_##name

const struct ctf_extra_kind ctf_extra_kinds[CTF_EXTRA_COUNT] = {
	[CTF_EXTRA_TIME] = { "time", NUMBER(8), 0, 0 },
	[CTF_EXTRA_TRUNCATED] = { "truncated", { .type = CTF_INT, .size = 1, .is_bool = true }, 0, 0 },
	[CTF_EXTRA_MODE] = { "mode", TEXT, 0, 0 },
	[CTF_EXTRA_ACTIVITY] = { "activity", TEXT, 0, 0 },
	[CTF_EXTRA_PROCNAME] = { "procname", TEXT, 0, 0 },
	[CTF_EXTRA_RELATED] = { "related_activity", TEXT, ITEM(RELATED_ACTIVITYID), sizeof(GUID) },
	[CTF_EXTRA_SID] = { "sid", TEXT, ITEM(SID), 8 },
	[CTF_EXTRA_START_KEY] = { "process_start_key", NUMBER(8), ITEM(PROCESS_START_KEY), 8 },
	[CTF_EXTRA_EVENT_KEY] = { "event_key", NUMBER(8), ITEM(EVENT_KEY), 8 },
	[CTF_EXTRA_CONTAINER] = { "container_id", TEXT, ITEM(CONTAINER_ID), 1 },
	[CTF_EXTRA_PACKAGE] = { "psm_key", TEXT, ITEM(PSM_KEY), 2 },
	[CTF_EXTRA_TERMINAL] = { "terminal_session", NUMBER(4), ITEM(TS_ID), 4 },
	[CTF_EXTRA_CONTEXT] = { "context", TEXT, ITEM(CONTEXT), sizeof(struct etw_ext_context) },
	[CTF_EXTRA_STACK] = { "callstack", { .type = CTF_ARRAY }, ITEM(STACK_TRACE64), 8 },
	[CTF_EXTRA_INSTANCE] = { "instance", NUMBER(4), ITEM(INSTANCE_INFO), 8 },
	[CTF_EXTRA_PARENT] = { "parent_instance", NUMBER(4), ITEM(INSTANCE_INFO), 8 },
};

void ctf_extras_take(struct ctf_extras *extras, const EVENT_RECORD *record)
{
	static const GUID none;
	unsigned int i, kind;

	extras->set = 0;
	if (etw_event_mode(record->EventHeader.Flags))
		extras->set |= 1u << CTF_EXTRA_MODE;
	if (memcmp(&record->EventHeader.ActivityId, &none, sizeof(none)))
		extras->set |= 1u << CTF_EXTRA_ACTIVITY;
	for (i = 0; i < record->ExtendedDataCount; i++) {
		const EVENT_HEADER_EXTENDED_DATA_ITEM *item = &record->ExtendedData[i];
		unsigned int type = item->ExtType == ITEM(STACK_TRACE32) ? ITEM(STACK_TRACE64) :
				    item->ExtType;

		/* Most items; none of the kinds below. */
		if (type == ITEM(EVENT_SCHEMA_TL) || type == ITEM(PROV_TRAITS))
			continue;
		for (kind = CTF_EXTRA_RELATED; kind < CTF_EXTRA_COUNT; kind++) {
			if (ctf_extra_kinds[kind].item != type || extras->set & 1u << kind ||
			    item->DataSize < ctf_extra_kinds[kind].item_size)
				continue;
			extras->set |= 1u << kind;
			extras->item[kind] = item;
		}
	}
}

void ctf_extras_take_stack(struct ctf_extras *extras, struct symbolizer *symbolizer,
			   const struct etw_event *event, struct etw_text *bytes)
{
	const size_t most = sizeof(uint64_t) * (1 + ETW_STACK_MAX + UNWIND_MAX);
	struct symbol_stack stack;
	struct symbol_place place;

	etw_text_cut(bytes, 0);
	symbol_stack_begin(&stack, symbolizer, event);
	while (bytes->len < most && symbol_stack_next(&stack, &place)) {
		if (!bytes->len)	/* MatchId */
			ctf_put_number(bytes, 0, sizeof(uint64_t));
		ctf_put_number(bytes, place.address, sizeof(uint64_t));
	}
	if (!bytes->len || bytes->error)
		return;
	extras->stack = (EVENT_HEADER_EXTENDED_DATA_ITEM){
		.ExtType = ITEM(STACK_TRACE64), .DataSize = (USHORT)bytes->len,
		.DataPtr = (uintptr_t)bytes->data,
	};
	extras->item[CTF_EXTRA_STACK] = &extras->stack;
	extras->set |= 1u << CTF_EXTRA_STACK;
}

static void put_guid(struct etw_text *to, const void *guid)
{
	etw_text_guid(to, guid);
	etw_text_char(to, '\0');
}

/* Put an item as text, as the decoder formats it. */
static void put_as(struct etw_text *to, const EVENT_HEADER_EXTENDED_DATA_ITEM *item,
		   enum etw_value_kind kind)
{
	const char *data = (const char *)(uintptr_t)item->DataPtr;
	struct etw_field field = {
		.kind = ETW_FIELD_VALUE, .value_kind = kind, .data = data,
		.size = item->DataSize, .count = 1,
	};
	struct etw_text text = { .data = NULL };
	size_t len;

	etw_format_value(&text, &field, ETW_FORMAT_RAW);
	/* It may have a NUL, which ends it. */
	len = text.len ? strnlen(text.data, text.len) : 0;
	etw_text_add(to, len ? text.data : "", len);
	etw_text_char(to, '\0');
	etw_text_free(&text);
}

static void put_stack(struct etw_text *to, const EVENT_HEADER_EXTENDED_DATA_ITEM *item)
{
	size_t size = item->ExtType == EVENT_HEADER_EXT_TYPE_STACK_TRACE32 ? 4 : 8, i;
	size_t count = (item->DataSize - 8u) / size;
	const char *data = (const char *)(uintptr_t)item->DataPtr + 8;
	uint64_t address;

	ctf_put_number(to, count, 4);
	for (i = 0; i < count; i++) {
		address = 0;
		memcpy(&address, data + i * size, size);
		ctf_put_number(to, address, 8);
	}
}

static void put_one(struct etw_text *to, const struct ctf_extras *extras, enum ctf_extra kind,
		    const EVENT_RECORD *record)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = extras->item[kind];
	const char *data = kind >= CTF_EXTRA_RELATED ?
			   (const char *)(uintptr_t)item->DataPtr : NULL;
	size_t size = ctf_extra_kinds[kind].node.size;
	struct etw_ext_context context;

	switch (kind) {
	case CTF_EXTRA_TIME:
		ctf_put_number(to, extras->time, 8);
		break;
	case CTF_EXTRA_TRUNCATED:
		ctf_put_number(to, 1, 1);
		break;
	case CTF_EXTRA_MODE:
		etw_text_puts(to, etw_event_mode(record->EventHeader.Flags));
		etw_text_char(to, '\0');
		break;
	case CTF_EXTRA_ACTIVITY:
		put_guid(to, &record->EventHeader.ActivityId);
		break;
	case CTF_EXTRA_PROCNAME:
		etw_text_utf8(to, extras->procname, strlen(extras->procname));
		etw_text_char(to, '\0');
		break;
	case CTF_EXTRA_RELATED:
		put_guid(to, data);
		break;
	case CTF_EXTRA_SID:
		put_as(to, item, ETW_VALUE_SID);
		break;
	case CTF_EXTRA_CONTAINER:
		put_as(to, item, ETW_VALUE_STRING8);
		break;
	case CTF_EXTRA_PACKAGE:
		put_as(to, item, ETW_VALUE_STRING16);
		break;
	case CTF_EXTRA_CONTEXT:
		context = etw_event_context_load(data);
		etw_event_context_text(to, &context);
		etw_text_char(to, '\0');
		break;
	case CTF_EXTRA_STACK:
		put_stack(to, item);
		break;
	case CTF_EXTRA_PARENT:
		etw_text_add(to, data + 4, size);
		break;
	default:
		etw_text_add(to, data, size);
	}
}

void ctf_extras_put(struct etw_text *to, const struct ctf_extras *extras, uint32_t kinds,
		    const EVENT_RECORD *record)
{
	uint32_t left;

	for (left = extras->set & kinds; left; left &= left - 1)
		put_one(to, extras, (enum ctf_extra)__builtin_ctz(left), record);
}
