/* SPDX-License-Identifier: MIT */
/*
 * field.c - the keywords, levels, channels, tasks and opcodes of a provider
 */
#include <string.h>

#include "tdh/model/names.h"
#include "tdh/store/store.h"
#include "use.h"
#include "base/bytes.h"

struct item {
	const struct etw_mf_named *named;
	const struct etw_manifest *manifest;	/* of its message */
	uint64_t value;
};

struct items {
	const struct etw_mf_provider *provider;	/* of which items are added */
	struct etw_names seen;	/* values */
	EVENT_FIELD_TYPE type;
	enum etw_part part;
	struct etw_bytes list;	/* of struct item */
};

/* named: NULL is ignored, and so is a value that is already there */
static void add(struct items *to, const struct etw_mf_named *named, uint64_t value)
{
	const struct item item = { named, to->provider->manifest, value };

	if (named && !etw_names_add(&to->seen, to, NULL, value, named))
		etw_bytes_put(&to->list, &item, sizeof(item));
}

/* TDH's value; task: of an opcode that belongs to a task, else 0 */
static uint64_t value_of(const struct items *items, uint64_t value, uint64_t task)
{
	return items->part == ETW_PART_OPCODE ? value << 16 | task : value;
}

/* The standard keywords that events use, and the channels' bits */
static void add_other_keywords(struct items *to, const struct etw_mf_parts *own)
{
	const struct etw_mf_provider *p = to->provider;
	uint64_t used = 0;
	unsigned int i;

	for (i = 0; i < p->event_count; i++)
		used |= p->events[i].keywords;
	for (i = 0; i < own->count; i++)
		used &= ~etw_mf_part_at(own, i)->value;
	for (; used; used &= used - 1)
		add(to, etw_standard(ETW_PART_KEYWORD, used & -used), used & -used);
	for (i = 0; i < p->channel_count; i++)
		if (p->channels[i].keyword)
			add(to, &p->channels[i].named, p->channels[i].keyword);
}

/* The standard levels or opcodes that events use */
static void add_other_values(struct items *to, const struct etw_mf_parts *own)
{
	bool used[256] = { false };
	unsigned int i;

	for (i = 0; i < to->provider->event_count; i++)
		used[etw_part_value(&to->provider->events[i].desc, to->part)] = true;
	for (i = 0; i < own->count; i++)
		used[etw_mf_part_at(own, i)->value] = false;
	for (i = 1; i < 256; i++)
		if (used[i])
			add(to, etw_standard(to->part, i), value_of(to, i, 0));
}

static void add_all(struct items *to)
{
	const struct etw_mf_provider *p = to->provider;
	const struct etw_mf_parts own = etw_mf_parts(p, to->part);
	unsigned int i, j;

	for (i = 0; i < own.count; i++)
		add(to, etw_mf_part_at(&own, i), value_of(to, etw_mf_part_at(&own, i)->value, 0));
	if (to->part == ETW_PART_OPCODE)
		for (i = 0; i < p->task_count; i++)
			for (j = 0; j < p->tasks[i].opcode_count; j++)
				add(to, &p->tasks[i].opcodes[j],
				    value_of(to, p->tasks[i].opcodes[j].value, p->tasks[i].value));
	if (to->part == ETW_PART_KEYWORD)
		add_other_keywords(to, &own);
	else if (to->part == ETW_PART_LEVEL || to->part == ETW_PART_OPCODE)
		add_other_values(to, &own);
}

static void add_keywords(struct items *to, uint64_t bits)
{
	const struct etw_mf_channel *channel;
	uint64_t bit;

	for (; bits; bits &= bits - 1) {
		bit = bits & -bits;
		channel = etw_mf_keyword_channel(to->provider, bit);
		add(to, channel ? &channel->named : etw_mf_part(to->provider, to->part, bit), bit);
	}
}

static void add_value(struct items *to, uint64_t value)
{
	if (to->part == ETW_PART_KEYWORD)
		add_keywords(to, value);
	else if (to->part != ETW_PART_OPCODE)
		add(to, etw_mf_part(to->provider, to->part, value), value);
	else if (value <= 0xFFFFFF)
		add(to, etw_mf_opcode(to->provider, (uint16_t)value, (uint8_t)(value >> 16)), value);
}

/* ---------------------------------------------------------------------- blocks */

static void build(struct etw_block *block, void *context)
{
	const size_t head = offsetof(PROVIDER_FIELD_INFOARRAY, FieldInfoArray);
	const struct items *items = context;
	const struct item *item = (const void *)items->list.data;
	const size_t count = items->list.len / sizeof(*item);
	PROVIDER_FIELD_INFOARRAY info;
	PROVIDER_FIELD_INFO one;
	size_t at, i;

	memset(&info, 0, sizeof(info));
	info.NumberOfElements = (ULONG)count;
	info.FieldType = items->type;
	at = etw_block_reserve(block, head + count * sizeof(one));
	etw_block_put(block, at, &info, head);
	for (i = 0; i < count; i++, item++) {
		memset(&one, 0, sizeof(one));
		one.NameOffset = etw_block_string(block, item->named->name);
		one.DescriptionOffset = etw_block_string(block,
			etw_mf_text(item->manifest, item->named->message));
		one.Value = item->value;
		etw_block_put(block, at + head + i * sizeof(one), &one, sizeof(one));
	}
}

/* value: NULL for all. */
static ULONG information(LPGUID guid, EVENT_FIELD_TYPE type, const uint64_t *value,
			 void *buffer, ULONG *size)
{
	static const enum etw_part parts[EventInformationMax] = {
		[EventKeywordInformation] = ETW_PART_KEYWORD, [EventLevelInformation] = ETW_PART_LEVEL,
		[EventChannelInformation] = ETW_PART_CHANNEL, [EventTaskInformation] = ETW_PART_TASK,
		[EventOpcodeInformation] = ETW_PART_OPCODE,
	};
	struct items items = { .type = type };
	ULONG ret = ERROR_NOT_FOUND;
	struct etw_providers all;
	unsigned int i;

	if (!guid || !size || (*size && !buffer))
		return ERROR_INVALID_PARAMETER;
	if ((unsigned int)type >= EventInformationMax)
		return ERROR_NOT_SUPPORTED;
	items.part = parts[type];
	if (etw_store_find_all(guid, &all))
		return ERROR_NOT_ENOUGH_MEMORY;
	for (i = 0; i < all.count; i++) {
		items.provider = all.list[i];
		if (value)
			add_value(&items, *value);
		else
			add_all(&items);
	}
	if (items.list.error || items.seen.no_memory)
		ret = ERROR_NOT_ENOUGH_MEMORY;
	else if (items.list.len)
		ret = etw_block_make(build, &items, buffer, size);
	etw_names_clear(&items.seen);
	etw_bytes_free(&items.list);
	etw_providers_free(&all);
	return ret;
}

TDHSTATUS TdhEnumerateProviderFieldInformation(LPGUID pGuid, EVENT_FIELD_TYPE EventFieldType,
					       PPROVIDER_FIELD_INFOARRAY pBuffer,
					       ULONG *pBufferSize)
{
	return information(pGuid, EventFieldType, NULL, pBuffer, pBufferSize);
}

TDHSTATUS TdhQueryProviderFieldInformation(LPGUID pGuid, ULONGLONG EventFieldValue,
					   EVENT_FIELD_TYPE EventFieldType,
					   PPROVIDER_FIELD_INFOARRAY pBuffer,
					   ULONG *pBufferSize)
{
	const uint64_t value = EventFieldValue;

	return information(pGuid, EventFieldType, &value, pBuffer, pBufferSize);
}
